"""Paint: colour for terminals, by the rules that people know, and never the only bearer of a meaning."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TextIO

CHOICES = ("auto", "always", "never")
_STYLES: Mapping[str, str] = {"strong": "1", "dim": "2", "bad": "1;31", "warning": "33", "good": "32", "name": "36"}
_OF_STANCE: Mapping[str, str] = {"deny": "bad", "halt": "bad", "ask": "warning", "allow": "good", "silent": "dim"}


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


def painter(choice: str) -> Paint:
    """The paint for standard output."""
    return Paint(on=coloured(choice, sys.stdout, os.environ))
