"""Turns the usage errors of typer into errors of hookline."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from hookline.errors import ConfigError
from hookline.text.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typer import TyperException

_REWORDED: Mapping[str, str] = {
    r"Input should be greater than or equal to (\S+)": r"it must be at least \1",
    r"Input should be less than or equal to (\S+)": r"it must be at most \1",
    r"Input should be a valid integer.*": "it must be a whole number",
    r"Input should be a valid number.*": "it must be a number",
    r"\. Choose from:": ", one of",
}
_INVALID = re.compile(r"invalid value for `(--?[\w-]+)`: it must")


def make_usage_error(error: TyperException, program: str, words: Sequence[str]) -> ConfigError:
    """Return the error for a command line with these words."""
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
    for theirs, ours in _REWORDED.items():
        said = re.sub(theirs, ours, said)
    said = said[:1].lower() + said[1:]
    return ConfigError(
        _INVALID.sub(lambda found: _insert_value(found, words), said),
        name="config.option",
        hint=hint,
    )


def _insert_value(found: re.Match[str], words: Sequence[str]) -> str:
    """Return the message with the refused value in it, if the words have it."""
    option = found[1]
    given = [after for word, after in pairwise(words) if word == option]
    given += [word.partition("=")[2] for word in words if word.startswith(f"{option}=")]
    return f"`{option}` cannot be `{given[-1]}`: it must" if given else found[0]
