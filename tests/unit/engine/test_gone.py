"""Does no approved guard of a project vanish without a word, and does nothing else get one?"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import pytest

from hookline.cli.answer import answer_main
from hookline.engine.approval_service import Declared, find_removed, forget, gone, removed_problems
from hookline.engine.engine import Engine
from hookline.engine.trust_gate import LazyGate, _is_there, gate
from hookline.trust import approve
from hookline.trust.store import store_path
from tests.unit.trust.support import World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

pytestmark = pytest.mark.process
DENIES = """#!/bin/sh
echo no >&2
exit 2
"""
GONE = "is gone, or is not declared as it was approved"
MORE = "(`hookline list` tells more)"
AT = "a hook of this project (`.claude/settings.json`, PreToolUse)"


class Clone(World):
    """A project with two guards, whose host asks by `hookline answer`."""

    def __init__(
        self, folder: Path, patch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]
    ) -> None:
        super().__init__(folder)
        self.patch, self.capture = patch, capture
        self.file = self.project / ".claude/settings.json"
        (self.project / ".git").mkdir()
        self.file.parent.mkdir()
        for name in ("one.sh", "two.sh", "new.sh"):
            self.script("x", path=self.project / name)
            (self.project / name).write_text(DENIES, encoding="utf-8")
        for name in (
            "XDG_CONFIG_HOME",
            "CLAUDE_CONFIG_DIR",
            "CLAUDE_PROJECT_DIR",
            "HOOKLINE",
            "HOOKLINE_FIRING",
        ):
            patch.delenv(name, raising=False)
        for name in ("HOME", "XDG_STATE_HOME"):
            patch.setenv(name, self.environ[name])
        self.declare("./one.sh")

    def declare(
        self, *commands: str, matcher: str = "Bash", event: str = "PreToolUse", **fields: Any
    ) -> None:
        hooks = [{"type": "command", "command": command, **fields} for command in commands]
        self.file.write_text(
            json.dumps({"hooks": {event: [{"matcher": matcher, "hooks": hooks}]}}), encoding="utf-8"
        )

    def approve(self) -> None:
        engine = self.engine()
        approve(engine.gate, engine.hooks)  # type: ignore[arg-type]  # a gate as it was made

    def engine(self) -> Engine:
        return Engine.discover(
            self.project, environ=self.environ, gate=gate(self.project, self.environ)
        )

    def answer(
        self, *words: str, session: str = "s", tool: str = "Bash", event: str = "PreToolUse"
    ) -> dict[str, Any]:
        """What the host gets, as an object; of hosts' own words the note and what is decided."""
        call = {
            "hook_event_name": event,
            "session_id": session,
            "cwd": str(self.project),
            "tool_name": tool,
            "tool_input": {"command": "ls"},
        }
        self.patch.setattr(
            sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(call).encode()), encoding="utf-8")
        )
        assert answer_main(["claude-code", *words]) == 0
        out = self.capture.readouterr().out
        said = json.loads(out) if out else {}
        return {
            "note": said.get("systemMessage", ""),
            "decided": said.get("hookSpecificOutput", {}).get("permissionDecision", ""),
        }


@pytest.fixture
def clone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Clone:
    """Nothing of it is approved yet."""
    return Clone(tmp_path, monkeypatch, capsys)


# -- what a host is told -----------------------------------------------------------------------------------------------


def test_a_guard_that_was_edited_is_told_of_at_every_event(clone: Clone) -> None:
    """And so is the second one, in the same session: what is told of one hides no other."""
    clone.declare("./one.sh", "./two.sh")
    clone.approve()
    assert clone.answer()["decided"] == "deny"

    (clone.project / "one.sh").write_text(DENIES + "#", encoding="utf-8")
    assert [clone.answer() for _ in range(2)] == [
        {"note": f"{AT} had no say: changed since it was approved {MORE}", "decided": "deny"}
    ] * 2

    (clone.project / "two.sh").write_text(DENIES + "#", encoding="utf-8")
    assert [clone.answer() for _ in range(2)] == [
        {"note": f"{AT} had no say: changed since it was approved {MORE}", "decided": ""}
    ] * 2


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"commands": ("./one.sh ",)}, "changed since it was approved"),
        ({"commands": ("./one.sh", "./new.sh")}, "it is not approved"),
        ({"commands": ("./new.sh", "./one.sh"), "timeout": 7}, "it is not approved"),
    ],
    ids=["a blank", "another beside it", "another before it"],
)
def test_an_edit_of_a_definition_is_a_change_and_a_new_hook_is_none(
    clone: Clone, fields: dict[str, Any], told: str
) -> None:
    """One has failed, by which strict mode asks; the other has no say, and what was approved goes on."""
    clone.approve()
    clone.declare(*fields.pop("commands"), **fields)
    edited = told.startswith("changed")

    assert clone.answer() == {
        "note": f"{AT} had no say: {told} {MORE}",
        "decided": "" if edited else "deny",
    }
    assert clone.answer("--mode", "strict", session="t")["decided"] == ("ask" if edited else "deny")


@pytest.mark.parametrize("change", ["narrowed", "removed", "another event", "the file is gone"])
def test_a_guard_that_is_gone_is_told_of_once_a_session(clone: Clone, change: str) -> None:
    """At any gate of its project; nothing is refused for it."""
    clone.approve()
    {
        "narrowed": lambda: clone.declare("./one.sh", matcher="Edit"),
        "removed": lambda: clone.file.write_text("{}", encoding="utf-8"),
        "another event": lambda: clone.declare("./one.sh", event="PostToolUse"),
        "the file is gone": clone.file.unlink,
    }[change]()
    told = f"an approved hook of this project (`.claude/settings.json`, PreToolUse) {GONE} {MORE}"

    assert [clone.answer(*words) for words in ((), (), ("--mode", "strict"))] == [
        {"note": told, "decided": ""},
        *[{"note": "", "decided": ""}] * 2,
    ]
    assert clone.answer(session="t", tool="Read")["note"] == told


@pytest.mark.parametrize(
    "change", ["nothing", "reordered", "written otherwise", "another limit", "one more"]
)
def test_what_a_pull_does_to_a_file_disarms_and_tells_nothing(clone: Clone, change: str) -> None:
    """While the hooks that were approved are all there."""
    clone.declare("./one.sh", "./two.sh")
    clone.approve()
    {
        "nothing": bool,
        "reordered": lambda: clone.declare("./two.sh", "./one.sh"),
        "written otherwise": lambda: clone.file.write_text(
            json.dumps(json.loads(clone.file.read_text(encoding="utf-8")), indent=3),
            encoding="utf-8",
        ),
        "another limit": lambda: clone.declare("./one.sh", "./two.sh", timeout=9),
        "one more": lambda: clone.declare("./one.sh", "./two.sh", "./new.sh"),
    }[change]()
    said = clone.answer()

    assert (said["decided"], GONE in said["note"]) == ("deny", False)
    assert list(removed_problems(clone.engine())) == []


def test_another_project_and_files_that_somebody_names_miss_nothing(
    clone: Clone, tmp_path: Path
) -> None:
    """Approvals are of one project, and who names a file has looked for no others."""
    clone.approve()
    clone.file.unlink()
    (tmp_path / "x.json").write_text('{"hooks": {}}', encoding="utf-8")

    assert clone.answer("-c", str(tmp_path / "x.json"))["note"] == ""
    clone.project = tmp_path / "other"
    (clone.project / ".git").mkdir(parents=True)
    assert clone.answer()["note"] == ""


def test_who_approved_nothing_pays_nothing(clone: Clone) -> None:
    """No gate is made, and nothing of the store is loaded, at an event that no hook is for."""
    clone.file.unlink()
    code = (
        "import sys; from hookline.cli.answer import answer_main; answer_main(['claude-code']);"
        " print([name for name in sys.modules if name.startswith('hookline.trust')])"
    )
    call = {
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "cwd": str(clone.project),
        "tool_name": "Bash",
        "tool_input": {},
    }
    environ = {**clone.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(call),
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert (done.stdout, _is_there(environ)) == ("[]\n", False)
    assert (
        _is_there({"HOME": str(clone.home)})
        is _is_there({"XDG_STATE_HOME": "relative", "HOME": str(clone.home)})
        is False
    )


def test_where_a_store_would_be_is_where_it_is(clone: Clone) -> None:
    """The short way knows the same path."""
    for environ in (clone.environ, {"HOME": str(clone.home)}):
        path = store_path(environ)
        os.makedirs(os.path.dirname(path), mode=0o700)
        assert not _is_there(environ)
        with open(path, "wb"):
            assert _is_there(environ)


# -- what a person sees and does ---------------------------------------------------------------------------------------


def test_what_is_gone_can_be_seen_and_forgotten(clone: Clone) -> None:
    """By its command, its id or its file; its approval counts no more."""
    clone.approve()
    clone.file.unlink()
    engine = clone.engine()
    (problem,) = removed_problems(engine)

    assert (problem.name, problem.severity, problem.message) == (
        "check.gone",
        "warning",
        "an approved hook is no longer declared: PreToolUse `./one.sh`",
    )
    assert problem.hint == "if that is meant: hookline revoke ./one.sh forgets it"
    (row,) = gone(engine)
    assert [
        find_removed(engine, what) for what in ("./one.sh", row.hook, str(clone.file), "other")
    ] == [[row], [row], [row], []]
    assert find_removed(engine, "./one.sh", "Stop") == []

    forget(engine, [row], who="ada", how="test")
    assert (gone(engine), gone(clone.engine())) == ([], [])
    clone.declare("./one.sh")
    assert "because nobody approved them" in clone.answer()["note"]


def test_what_has_a_new_definition_is_not_gone(clone: Clone) -> None:
    """It stands as changed; once it is approved nothing is left over."""
    clone.approve()
    clone.declare("./one.sh -x")

    assert gone(clone.engine()) == []
    clone.approve()
    assert (gone(clone.engine()), clone.answer()) == ([], {"note": "", "decided": "deny"})
    clone.declare("./one.sh -x", "./new.sh")
    assert clone.answer()["note"] == f"{AT} had no say: it is not approved {MORE}"


def test_an_engine_without_a_gate_misses_nothing(clone: Clone) -> None:
    """No approval counts there."""
    assert gone(Engine.discover(clone.project, environ=clone.environ)) == []


def test_what_is_declared_is_found_out_once_and_anew_after_a_reload(clone: Clone) -> None:
    """Of a project's files alone, and only of those that were looked for."""
    engine = clone.engine()
    declared = Declared(engine)
    before = declared.hooks()
    root = os.path.realpath(clone.project)

    assert declared.hooks() is before
    assert [declared.seeks(root, dialect) for dialect in ("claude-code", "codex")] == [True, True]
    assert declared.seeks("/elsewhere", "claude-code") is False
    clone.declare("./two.sh")
    os.utime(clone.file, ns=(0, 0))
    engine.reload()
    assert [spec.handler.script for spec in declared.hooks()] == ["./two.sh"]
    engine.drop_dialect("claude-code")
    assert declared.seeks(root, "claude-code") is False


def test_a_gate_that_is_made_late_tells_the_same(clone: Clone) -> None:
    """Whether or not a hook came to it before."""
    clone.approve()
    clone.file.unlink()
    late = LazyGate(str(clone.project), clone.environ)
    Engine.discover(clone.project, environ=clone.environ, gate=late)

    assert [list(late.missing("s", ())) for _ in range(2)] == [
        ["`.claude/settings.json`, PreToolUse"],
        [],
    ]
    clone.database.chmod(0o666)
    unreadable = LazyGate(str(clone.project), clone.environ)
    Engine.discover(clone.project, environ=clone.environ, gate=unreadable)
    assert list(unreadable.missing("t", ())) == []
