"""Refusing: what is wrong with the words of a command, as hookline says it, whatever the toolkit calls it."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from hookline.errors import ConfigError
from hookline.text.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typer import TyperException

_SAID: Mapping[str, str] = {
    r"Input should be greater than or equal to (\S+)": r"it must be at least \1",
    r"Input should be less than or equal to (\S+)": r"it must be at most \1",
    r"Input should be a valid integer.*": "it must be a whole number",
    r"Input should be a valid number.*": "it must be a number",
    r"\. Choose from:": ", one of",
}
_INVALID = re.compile(r"invalid value for `(--?[\w-]+)`: it must")


def refused(error: TyperException, program: str, words: Sequence[str]) -> ConfigError:
    """The error of a command that was typed with these words."""
    hint = f"{program} --help"
    option = getattr(error, "option_name", "")
    if option and type(error).__name__ == "NoSuchOption":
        near = did_you_mean(option, getattr(error, "possibilities", None) or ())
        return ConfigError(f"no such option `{option}`", name="config.option", hint=near or hint)
    said = (
        " ".join(error.format_message().split())
        .replace("Value error, ", "")
        .rstrip(".")
        .replace("'", "`")
    )
    for theirs, ours in _SAID.items():
        said = re.sub(theirs, ours, said)
    said = said[:1].lower() + said[1:]
    return ConfigError(
        _INVALID.sub(lambda found: _with_value(found, words), said), name="config.option", hint=hint
    )


def _with_value(found: re.Match[str], words: Sequence[str]) -> str:
    """The complaint with the value in it, where the words tell that."""
    option = found[1]
    given = [after for word, after in pairwise(words) if word == option]
    given += [word.partition("=")[2] for word in words if word.startswith(f"{option}=")]
    return f"`{option}` cannot be `{given[-1]}`: it must" if given else found[0]
