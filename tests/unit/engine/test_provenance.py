"""Provenance: what a journalled hook ran, from its record, the note on its approval, or the file that declares it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from hookline.engine.provenance import find_provenance, list_declared_here
from hookline.journal.log_files import LogFiles
from hookline.journal.records import to_canonical_json
from hookline.journal.search import Search
from hookline.text.digest import sha256

if TYPE_CHECKING:
    from pathlib import Path

AT = "2026-11-21T10:00:00.000Z"
ID = "settings.json#Stop.0.0"


def kept(command: str, **more: Any) -> dict[str, Any]:
    """A command as a record has it."""
    return {
        "sha256": sha256(to_canonical_json(command).encode()),
        "bytes": len(to_canonical_json(command)),
    } | more


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one hook."""
    (tmp_path / "p/.claude").mkdir(parents=True)
    tree = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "guard.sh"}]}]}}
    (tmp_path / "p/.claude/settings.json").write_text(json.dumps(tree), encoding="utf-8")
    return tmp_path / "p"


def told(
    project: Path, run: dict[str, Any], notes: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    """What is told of one run, which was written behind some notes."""
    environ = {"HOME": str(project.parent)}
    base = {
        "type": "run",
        "id": "e.1",
        "event": "e",
        "hook": ID,
        "scope": "project",
        "dialect": "claude-code",
    }
    source = {"source": f"{project}/.claude/settings.json:1:35"}
    event = {"type": "event", "id": "e", "at": AT, "stance": "deny", "cwd": str(project)}
    records = [
        {"type": "note", "id": "n", "at": AT, "native_event": "approval"} | note
        for note in notes or []
    ]
    LogFiles(str(project.parent / "j")).append([*records, base | source | run, event], at=AT)
    search = Search(str(project.parent / "j"))
    (found,) = find_provenance(search, event, search.runs("e"), environ)
    return found


NOTED = [{"identity": "ab", "command": "noted.sh", "who": "ada"}]
ROWS: list[tuple[str, dict[str, Any], list[dict[str, Any]], tuple[str, str]]] = [
    (
        "its record has it",
        {"command": kept("x", value="kept.sh"), "identity": "ab"},
        NOTED,
        ("kept.sh", "record"),
    ),
    (
        "its approval has it",
        {"command": kept("noted.sh"), "identity": "ab"},
        NOTED,
        ("noted.sh", "approval"),
    ),
    ("it is declared still", {"command": kept("guard.sh")}, NOTED, ("guard.sh", "configuration")),
    (
        "by a whole file",
        {"command": kept("guard.sh"), "source": "FILE"},
        [],
        ("guard.sh", "configuration"),
    ),
    ("something else is declared now", {"command": kept("other.sh")}, [], ("", "")),
    ("a record of an older version", {}, [], ("guard.sh", "now")),
    ("of a hook that is gone", {"hook": "other"}, [], ("", "")),
    (
        "a named file",
        {"command": kept("guard.sh"), "scope": "explicit", "source": ".claude/settings.json:1:35"},
        [],
        ("guard.sh", "configuration"),
    ),
    (
        "a named file that is gone",
        {"command": kept("guard.sh"), "scope": "explicit", "source": "gone.json"},
        [],
        ("", ""),
    ),
    ("nothing that can be read", {"command": 7, "source": [], "identity": {}}, [], ("", "")),
]


@pytest.mark.parametrize(
    ("run", "notes", "found"), [pytest.param(*row[1:], id=row[0]) for row in ROWS]
)
def test_a_command_is_found_where_it_stands(
    run: dict[str, Any], notes: list[dict[str, Any]], found: tuple[str, str], project: Path
) -> None:
    """The surest first: in the record, the note, the file, and there only if it is the same one."""
    if run.get("source") == "FILE":
        run = run | {"source": f"{project}/.claude/settings.json"}
    one = told(project, run, notes)

    assert (one["ran"], one["found"]) == found
    assert one["run"] == "e.1"


def test_the_note_is_the_newest_before_the_run(project: Path) -> None:
    """Of that hook."""
    notes = [
        {"identity": "ab", "who": "ada"},
        {"identity": "ab", "who": "bob"},
        {"identity": "cd", "who": "eve"},
    ]

    assert (told(project, {"identity": "ab"}, notes)["note"] or {})["who"] == "bob"


def test_without_an_approval_there_is_no_note(project: Path) -> None:
    """Nobody's word is taken for it."""
    assert told(project, {"identity": "ef"}, NOTED)["note"] is None
    assert [
        spec.id
        for spec in list_declared_here(str(project / ".claude"), {"HOME": str(project.parent)})
    ] == [ID]
