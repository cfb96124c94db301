"""Options: checks the options that a dialect is created with."""

from __future__ import annotations

from hookline.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def check_switches(dialect: str, **given: object) -> None:
    """Check the options that are on or off.

    Raises:
        ConfigError: one is not a boolean. A text is refused: Python takes `no`, `0` and `False` for
            true.
    """
    for option, value in given.items():
        if not isinstance(value, bool):
            said = value if isinstance(value, str) else repr(value)
            message = f"`{option}` of {dialect} must be true or false, not `{said:.80}`"
            hint = f"-o {option}=true, or -o {option}=false"
            raise ConfigError(message, name="config.option", hint=hint)


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
