"""Options: what a dialect is made with, checked where it is made, because anything but nothing is true to Python."""

from __future__ import annotations

from hookline.errors import ConfigError


def switch(dialect: str, option: str, given: object) -> bool:
    """An option that is on or off.

    Raises:
        ConfigError: it is no boolean. A text is none, whatever it says: `no`, `0` and `False` would all switch it on.
    """
    if not isinstance(given, bool):
        said = given if isinstance(given, str) else repr(given)
        message = f"`{option}` of {dialect} must be true or false, not `{said:.80}`"
        raise ConfigError(
            message, name="config.option", hint=f"-o {option}=true, or -o {option}=false"
        )
    return given
