"""Options: checks the options that a dialect is created with."""

from __future__ import annotations

from hookline.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def read_switch(dialect: str, option: str, given: object) -> bool:
    """Return an option that is on or off.

    Raises:
        ConfigError: it is not a boolean. A text is refused: Python takes `no`, `0` and `False` for
            true.
    """
    if not isinstance(given, bool):
        said = given if isinstance(given, str) else repr(given)
        message = f"`{option}` of {dialect} must be true or false, not `{said:.80}`"
        raise ConfigError(
            message, name="config.option", hint=f"-o {option}=true, or -o {option}=false"
        )
    return given


def read_choice(dialect: str, option: str, given: str, allowed: Iterable[str]) -> str:
    """Return an option that is one of some words.

    Raises:
        ConfigError: it is another word.
    """
    if given not in allowed:
        hint = f"one of {', '.join(allowed)}"
        message = f"unknown `{option}: {given}` of {dialect}"
        raise ConfigError(message, name="config.option", hint=hint)
    return given
