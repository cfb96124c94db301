"""The allowed values of load options, and the split of keywords between engine and dialect."""

from __future__ import annotations

from hookline.errors import ConfigError
from hookline.model.spec import SCOPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MODES = ("fidelity", "strict")
TRUSTS = ("all", "user", "approved", "none")
MATCHING = ("native", "canonical")
_ALLOWED = {"mode": MODES, "trust": TRUSTS, "match_tools": MATCHING, "scope": SCOPES}


def check_choices(**chosen: str) -> None:
    """Check that each option has one of its allowed values.

    Raises:
        ConfigError: one has not.
    """
    for what, given in chosen.items():
        if given not in _ALLOWED[what]:
            hint = f"one of {', '.join(_ALLOWED[what])}"
            raise ConfigError(f"unknown {what} `{given}`", name="config.option", hint=hint)


def split_keywords(cls: type, keywords: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split keywords into settings of an engine class and options of a dialect."""
    constructors = (vars(each).get("__init__") for each in cls.__mro__)
    settings = getattr(next(filter(None, constructors)), "__kwdefaults__", None) or {}
    return {k: v for k, v in keywords.items() if k in settings}, {
        k: v for k, v in keywords.items() if k not in settings
    }
