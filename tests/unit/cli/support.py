"""Commands typed in this process, in a folder of their own, with an empty home."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hookline.cli.answer import answer_main
from hookline.cli.app import app_main

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).parents[3]
DOCKER = str(ROOT / "examples" / "docker-agent" / "hooks.yaml")
AGENTHOOKS = str(ROOT / "examples" / "agenthooks")
SUDO = {"session_id": "s", "tool_name": "shell", "tool_input": {"cmd": "sudo ls"}}
LS = {"session_id": "s", "tool_name": "shell", "tool_input": {"cmd": "ls"}}


class Told(NamedTuple):
    """What a command ended with and printed."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self.out)
        return read


class Desk:
    """A folder in which a test runs commands of hookline."""

    def __init__(
        self, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path
    ) -> None:
        self.capfd = capfd
        self.monkeypatch = monkeypatch
        self.folder = folder

    def type(self, *words: str, stdin: object = None) -> Told:
        """Type a command; `stdin` is an object as JSON, or bytes as they are."""
        sent = stdin if isinstance(stdin, bytes) else json.dumps(stdin or {}).encode()
        self.monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(sent), encoding="utf-8"))
        is_answer = words[:1] == ("answer",) and not {*words} & {"-h", "--help"}
        code = answer_main(list(words[1:])) if is_answer else app_main(list(words))
        printed = self.capfd.readouterr()
        return Told(code, printed.out, printed.err)

    def file(self, name: str, text: str) -> str:
        """Write a file, and return its name."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return name


class Terminal(io.StringIO):
    """A stdin that claims to be a terminal, and holds what a user types."""

    def isatty(self) -> bool:
        return True


def asked(desk: Desk, *words: str, typed: str = "") -> Told:
    """Type a command at a terminal, and then what is typed there."""
    desk.monkeypatch.setattr(sys, "stdin", Terminal(typed))
    code = app_main(list(words))
    printed = desk.capfd.readouterr()
    return Told(code, printed.out, printed.err)
