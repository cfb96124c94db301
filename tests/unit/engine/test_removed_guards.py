"""Removed guards: each action reports an approved guard that no file declares any more."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from hookline.engine.engine import Engine
from tests.unit.engine.notice_world import Clone

if TYPE_CHECKING:
    from pathlib import Path


AT = "a hook of this project (`.claude/settings.json`, PreToolUse)"


REVIEW = "To review it: `hookline approve`"


MISSED = (
    "hookline: an approved guard is not declared any more: `./one.sh`."
    " To review what changed: `hookline approve`"
)


@pytest.fixture
def clone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Clone:
    """A project in which no hook is approved."""
    return Clone(tmp_path, monkeypatch, capfd)


@pytest.mark.process
def test_a_changed_guard_asks_at_each_action_and_another_one_decides(clone: Clone) -> None:
    """The second one denies until both changed."""
    clone.declare("./one.sh", "./two.sh")
    clone.approve()
    assert clone.answer() == ("", "deny")

    clone.write_guard("one.sh", "#")
    assert clone.answer()[1] == "deny"
    clone.write_guard("two.sh", "#")
    assert [clone.answer()[1] for _ in range(2)] == ["ask", "ask"]


@pytest.mark.process
@pytest.mark.parametrize(
    "commands", [("./one.sh", "./new.sh"), ("./new.sh", "./one.sh")], ids=["after", "before"]
)
def test_a_new_hook_beside_an_approved_guard_changes_nothing(
    clone: Clone, commands: tuple[str, ...]
) -> None:
    """One notice a session, in strict mode too."""
    clone.approve()
    clone.declare(*commands)
    skipped = f"hookline skipped {AT} because you have not approved it. {REVIEW}"

    assert clone.answer() == (skipped, "deny")
    assert clone.answer() == ("", "deny")
    assert clone.answer("--mode", "strict", session="t") == (skipped, "deny")


@pytest.mark.process
@pytest.mark.parametrize(
    "change", ["narrowed", "edited", "another event", "another limit", "emptied", "deleted"]
)
def test_a_removed_guard_is_missed_at_each_action_of_its_kind(clone: Clone, change: str) -> None:
    """In strict mode the call waits for a person (docs/explanation/trust.md 4)."""
    clone.approve()
    {
        "narrowed": lambda: clone.declare("./one.sh", matcher="Edit"),
        "edited": lambda: clone.declare("./one.sh "),
        "another event": lambda: clone.declare("./one.sh", event="PostToolUse"),
        "another limit": lambda: clone.declare("./one.sh", timeout=7),
        "emptied": lambda: clone.file.write_text("{}", encoding="utf-8"),
        "deleted": clone.file.unlink,
    }[change]()

    for tool in ("Bash", "Bash", "Read"):
        note, decided = clone.answer(tool=tool)
        assert (MISSED.removeprefix("hookline: ") in note, decided) == (True, "")
    assert clone.answer("--mode", "strict")[1] == "ask"


@pytest.mark.process
@pytest.mark.parametrize("change", ["nothing", "reordered", "written otherwise", "one more"])
def test_what_a_pull_usually_does_removes_no_guard(clone: Clone, change: str) -> None:
    """While the approved hooks are all declared."""
    clone.declare("./one.sh", "./two.sh")
    clone.approve()
    {
        "nothing": bool,
        "reordered": lambda: clone.declare("./two.sh", "./one.sh"),
        "written otherwise": lambda: clone.file.write_text(
            json.dumps(json.loads(clone.file.read_text(encoding="utf-8")), indent=3),
            encoding="utf-8",
        ),
        "one more": lambda: clone.declare("./one.sh", "./two.sh", "./new.sh"),
    }[change]()
    note, decided = clone.answer()

    assert (decided, "not declared any more" in note) == ("deny", False)


@pytest.mark.process
def test_another_project_and_named_files_miss_no_guard(clone: Clone, tmp_path: Path) -> None:
    """An approval is of one project; named files have no removed guards."""
    clone.approve()
    clone.file.unlink()
    (tmp_path / "x.json").write_text('{"hooks": {}}', encoding="utf-8")

    assert clone.answer("-c", str(tmp_path / "x.json")) == ("", "")
    clone.project = tmp_path / "other"
    (clone.project / ".git").mkdir(parents=True)
    assert clone.answer() == ("", "")


@pytest.mark.process
def test_where_nothing_was_approved_nothing_of_trust_is_loaded(clone: Clone) -> None:
    """An event without hooks stays fast."""
    clone.file.unlink()
    code = (
        "import sys; from hookline.cli.answer import answer_main; answer_main(['claude-code']);"
        " print([name for name in sys.modules"
        " if name in ('hookline.trust.gate', 'hookline.trust.resolver')])"
    )
    call = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(clone.project),
            "tool_name": "Bash", "tool_input": {}}  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(call),
        env=clone.environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert done.stdout == "[]\n"


def test_an_engine_without_a_gate_misses_no_guard(clone: Clone) -> None:
    """No approval counts there."""
    clone.approve()
    clone.file.unlink()
    engine = Engine.discover(clone.project, environ=clone.environ)
    call = {"tool_name": "Bash", "tool_input": {}, "cwd": str(clone.project), "session_id": "s"}

    assert engine.fire("PreToolUse", call, dialect="claude-code").for_user == ()
