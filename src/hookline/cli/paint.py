"""Paint: colour for terminals, by the rules that people know, and never the only bearer of a meaning."""

from __future__ import annotations

import os
import sys

from hookline.cli.ending import say, say_document
from hookline.text.terminal_escape import escape_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, TextIO

CHOICES = ("auto", "always", "never")
_STYLES: Mapping[str, str] = {
    "strong": "1",
    "dim": "2",
    "bad": "1;31",
    "warning": "33",
    "good": "32",
    "name": "36",
}
# What hooks and people write may go over several lines here; everywhere else a line break is shown, not made.
_OF_SEVERAL_LINES = frozenset({"script", "ran", "prompt", "reason", "for_agent", "for_user"})
_OF_STANCE: Mapping[str, str] = {
    "deny": "bad",
    "halt": "bad",
    "ask": "warning",
    "allow": "good",
    "silent": "dim",
}


def coloured(choice: str, stream: TextIO | None, environ: Mapping[str, str]) -> bool:
    """Whether to colour: the flag, then NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, TERM=dumb, then whether it is a terminal."""
    wanted = choice if choice != "auto" else environ.get("HOOKLINE_COLOR", "auto")
    if wanted in ("always", "never"):
        return wanted == "always"
    if environ.get("NO_COLOR"):
        return False
    if any(environ.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    return environ.get("TERM") != "dumb" and stream is not None and stream.isatty()


class Paint:
    """Styles by what they mean; without colour, texts as they are."""

    def __init__(self, *, on: bool) -> None:
        self.on = on

    def __call__(self, style: str, text: str) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.on and text else text

    def stance(self, stance: str, width: int = 0) -> str:
        """A stance, in its colour."""
        return self(_OF_STANCE[stance], f"{stance:{width}}")


def present(
    document: Mapping[str, Any],
    page: Callable[[Any, Paint], Iterable[str]],
    *,
    json: bool,
    color: str,
) -> None:
    """A document on standard output: itself as JSON, or the lines of its page, free of what would command a terminal."""
    if json:
        say_document(document)
    else:
        paint = Paint(on=coloured(color, sys.stdout, os.environ))
        say("".join(f"{line}\n" for line in page(cleaned(document), paint)))


def cleaned(value: Any, key: str = "") -> Any:
    """A document of which every text can be shown as it is."""
    match value:
        case str():
            return escape_text(value, lines=key in _OF_SEVERAL_LINES)
        case dict():
            # Reasons of several lines are those of decisions; why a hook is broken, or is not run, is told of its file.
            return {
                escape_text(name): cleaned(
                    inner, "" if name == "reason" and "stance" not in value else name
                )
                for name, inner in value.items()
            }
        case list() | tuple():
            return [cleaned(inner, key) for inner in value]
        case _:
            return value
