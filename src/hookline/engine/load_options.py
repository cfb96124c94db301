"""The allowed values of load options, and the split of keywords between engine and dialect."""

from __future__ import annotations

from hookline.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MODES = ("fidelity", "strict")
TRUSTS = ("all", "user", "approved", "none")
MATCHING = ("native", "canonical")


def check_choice(what: str, given: str, allowed: tuple[str, ...]) -> None:
    """Check that a value is one of those allowed.

    Raises:
        ConfigError: it is not.
    """
    if given not in allowed:
        raise ConfigError(
            f"unknown {what} `{given}`", name="config.option", hint=f"one of {', '.join(allowed)}"
        )


def split_keywords(cls: type, keywords: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split keywords into settings of an engine class and options of a dialect."""
    constructors = (vars(each).get("__init__") for each in cls.__mro__)
    settings = getattr(next(filter(None, constructors)), "__kwdefaults__", None) or {}
    return {k: v for k, v in keywords.items() if k in settings}, {
        k: v for k, v in keywords.items() if k not in settings
    }
