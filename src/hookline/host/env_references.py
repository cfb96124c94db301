"""References to variables of the environment in the values of an agent file."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_BRACED = re.compile(r"\$\{(?:env\.)?(\w+)\}")


def expand_env(text: str, environ: Mapping[str, str]) -> str:
    """Return a text with `${env.X}` and `${X}` replaced; a variable that is not set is empty.

    `$X` and `$$` stay as they are.
    """
    return _BRACED.sub(lambda found: environ.get(found[1], ""), text) if "${" in text else text


def expand_all(values: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """Return a mapping with `expand_env` applied to each value."""
    return {name: expand_env(value, environ) for name, value in values.items()}
