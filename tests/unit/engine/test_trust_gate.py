"""The gate around a dispatch: each hook goes through it, by each driver and from each file."""

from __future__ import annotations

import asyncio
import json
import os

import pytest

from hookline.core.failure import UNASKED
from hookline.engine.approval_service import approve, switch_hooks
from hookline.engine.engine import Engine
from hookline.engine.lazy_gate import LazyGate, note_approvals
from hookline.engine.trust_gate import make_gate
from hookline.errors import ConfigError
from hookline.journal.journal import Journal
from hookline.model.verdict import Decision, Stance
from tests.unit.journal.support import records
from tests.unit.trust.support import World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from hookline.model.spec import HookSpec
    from hookline.trust.gate import Gate

pytestmark = pytest.mark.process

DENIES = """#!/bin/sh
echo "{0}" >> "$TRACE"
echo '{{"hookSpecificOutput": {{"hookEventName": "PreToolUse",'
echo '"permissionDecision": "deny", "permissionDecisionReason": "{0}"}}}}'
"""
CLONED = "a hook of this project (`.claude/settings.json`, PreToolUse)"
REVIEW = "To review it: `hookline approve`"
PAYLOAD = {
    "session_id": "s",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
}


class Place(World):
    """A project whose clone brings a hook along, and a user who has one."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.declare(self.project, '"$CLAUDE_PROJECT_DIR"/guard.sh')
        self.guard = self.deny(self.project / "guard.sh", "project")

    def declare(self, at: Path, command: str, **fields: object) -> None:
        """Declare one hook in a folder's settings."""
        hook = {"type": "command", "command": command, **fields}
        (at / ".claude").mkdir(exist_ok=True)
        (at / ".claude/settings.json").write_text(
            json.dumps({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}), encoding="utf-8"
        )

    def deny(self, path: Path, says: str) -> Path:
        """Write a script that denies with a reason and leaves it in the trace."""
        path.write_text(DENIES.format(says), encoding="utf-8")
        path.chmod(0o755)
        return path

    def set(self, text: str) -> None:
        """Write the user's settings."""
        config = self.home / ".config/hookline"
        config.mkdir(parents=True)
        (config / "settings.toml").write_text(text, encoding="utf-8")

    def engine(self, **options: Any) -> Engine:
        """Return an engine of the project with the user's gate."""
        given = make_gate(self.project, self.environ, **options)
        return Engine.discover(self.project, environ=self.environ, gate=given)

    def fire(self, engine: Engine) -> Decision:
        """Fire the event before a tool."""
        payload = {**PAYLOAD, "cwd": str(self.project)}
        return engine.fire("PreToolUse", payload, dialect="claude-code")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A clone in a project folder."""
    return Place(tmp_path)


def gate_in(engine: Engine) -> Gate:
    """Return the gate of an engine."""
    given = engine.runtime.gate
    assert given is not None
    return given.get()


def approve_all(engine: Engine, specs: tuple[HookSpec, ...] = ()) -> None:
    """Approve hooks of an engine."""
    approve(gate_in(engine), gate_in(engine).find_states(specs or engine.hooks))


def test_a_projects_hook_runs_once_it_is_approved(place: Place) -> None:
    """The approval counts from the next event on, and a changed guard asks."""
    engine = place.engine()
    before = place.fire(engine)
    skipped = f"hookline skipped {CLONED} because you have not approved it. {REVIEW}"
    assert (before.stance, before.for_user, place.ran()) == (Stance.SILENT, (skipped,), [])

    approve_all(place.engine())
    assert (place.fire(engine).reason, place.ran()) == ("project", ["project"])

    place.deny(place.guard, "other")
    changed = place.fire(engine)
    reason = f"hookline skipped {CLONED} because `guard.sh` changed. {REVIEW}"
    assert (changed.stance, changed.reason) == (Stance.ASK, reason)
    assert place.ran() == ["project"]


def test_the_asynchronous_driver_and_the_background_go_through_the_gate(place: Place) -> None:
    """As each other way to run a hook."""
    engine = place.engine()
    assert asyncio.run(engine.fire_async("PreToolUse", PAYLOAD, dialect="claude-code")).for_user

    place.declare(place.project, "./guard.sh", **{"async": True})
    with place.engine() as detaching:
        assert "not approved" in (place.fire(detaching).verdicts[0].fault or "")
        approve_all(detaching)
        place.fire(detaching)
    assert place.ran() == ["project"]


def test_a_projects_hook_replaces_no_other(place: Place) -> None:
    """Not one with the same command, neither before it is approved nor afterwards."""
    own = place.deny(place.home / "own.sh", "own")
    place.declare(place.home, str(own))
    place.declare(place.project, str(own))
    engine = place.engine()
    assert (place.fire(engine).reason, place.ran()) == ("own", ["own"])

    approve_all(engine, tuple(each for each in engine.hooks if each.origin.scope == "project"))
    place.fire(engine)
    assert place.ran().count("own") >= 2


def test_a_projects_settings_switch_off_no_hook_of_the_user(place: Place) -> None:
    """Approved or not."""
    own = place.deny(place.home / "own.sh", "own")
    place.declare(place.home, str(own))
    settings = place.project / ".claude/settings.json"
    settings.write_text('{"disableAllHooks": true}', encoding="utf-8")

    assert place.fire(place.engine()).reason == "own"


def test_a_switched_off_hook_is_noted_once_a_session(place: Place) -> None:
    """Each decision says it for who looks. A Python hook of the program runs."""
    engine = place.engine()
    switch_hooks(gate_in(engine), None, on=False)
    engine.on("tool.before")(print)
    first, second = place.fire(engine), place.fire(engine)
    off = "switched off: `hookline off` in this project"

    assert first.for_user == (f"hookline skipped {CLONED}, which is {off}",)
    assert (first.stance, second.stance, second.for_user) == (Stance.SILENT, Stance.SILENT, ())
    assert [each.fault for each in second.verdicts] == [off, None]


def test_without_a_gate_a_projects_hooks_do_not_run(place: Place) -> None:
    """Approved or not; the error names the missing argument."""
    approve_all(place.engine())
    decision = place.fire(Engine.discover(place.project, environ=place.environ))

    assert decision.verdicts[0].fault == f"not approved: {UNASKED}"
    assert decision.for_user == (
        f"hookline skipped a hook of this project because it is not approved: {UNASKED}",
    )


# -- a gate that is made late ----------------------------------------------------------------------


def test_a_lazy_gate_reads_the_settings_at_its_first_hook(place: Place) -> None:
    """And decides as a gate that was made at once."""
    lazy = LazyGate(str(place.project), place.environ)
    engine = Engine.discover(place.project, environ=place.environ, gate=lazy)
    place.set('[trust]\nchanged = "deny"\n')
    approve_all(engine)
    place.deny(place.guard, "other")

    assert place.fire(engine).stance is Stance.DENY
    assert [each.state for each in lazy.get().find_states(engine.hooks)] == ["changed"]


@pytest.mark.parametrize("text", ['[trust]\nchanged = "record"\n', "[trust]\nown_new = 1\n", "["])
def test_wrong_settings_mean_the_strictest_rules(place: Place, text: str) -> None:
    """With a notice; who asks for a gate gets the error."""
    place.set(text)
    with pytest.raises(ConfigError):
        make_gate(place.project, place.environ)
    own = place.deny(place.home / "own.sh", "own")
    place.declare(place.home, str(own))
    (place.project / ".claude/settings.json").unlink()
    lazy = LazyGate(str(place.project), place.environ)
    decision = place.fire(Engine.discover(place.project, environ=place.environ, gate=lazy))

    assert (decision.stance, place.ran()) == (Stance.DENY, [])
    assert "you have not approved it" in decision.reason
    assert "settings.toml" in decision.reason
    assert "hooks go by the strictest rules" in decision.reason


def test_a_lazy_gate_misses_removed_guards(place: Place) -> None:
    """Whether a hook came to it before or not; and nothing where nothing was approved."""
    assert LazyGate(str(place.project), place.environ).get().find_removed() == []
    lazy = LazyGate(str(place.project), place.environ)
    approve_all(place.engine())
    (place.project / ".claude/settings.json").unlink()
    Engine.discover(place.project, environ=place.environ, gate=lazy)

    assert [each.event for each in lazy.get().find_removed()] == ["PreToolUse"]


def test_what_is_declared_is_found_anew_after_a_reload(place: Place) -> None:
    """The same object until then; a dialect that was dropped is not searched."""
    engine = place.engine()
    declared = engine.loader
    before = declared.list_hooks()

    assert declared.list_hooks() is before
    assert declared.is_searched("claude-code", "project")
    place.declare(place.project, "./other.sh")
    os.utime(place.project / ".claude/settings.json", ns=(0, 0))
    engine.reload()
    scripts = [spec.handler.script for spec in declared.list_hooks()]  # type: ignore[attr-defined]
    assert scripts == ["./other.sh"]
    engine.loader.drop_dialect("claude-code")
    assert not declared.is_searched("claude-code", "project")
    assert not Engine(environ=place.environ).loader.is_searched("claude-code", "project")


# -- what the hook file says now -------------------------------------------------------------------


def test_an_edited_definition_is_new_and_the_old_one_is_missed(place: Place) -> None:
    """Pairing them would be a guess that the editor steers (docs/explanation/trust.md 4)."""
    engine = place.engine()
    approve_all(engine)
    place.declare(place.project, '"$CLAUDE_PROJECT_DIR"/guard.sh --other')
    os.utime(place.project / ".claude/settings.json", ns=(0, 0))
    engine.reload()
    decision = place.fire(engine)

    assert decision.stance is Stance.SILENT
    assert decision.verdicts[0].fault == "not approved: you have not approved it"
    assert any("an approved guard is not declared any more" in text for text in decision.for_user)


GUARD = """#!/bin/sh
echo '{"decision": "block", "reason": "no"}'
"""


@pytest.mark.parametrize(
    "change", ["edited", "gone", "writable by all", "store writable by all", "store damaged"]
)
@pytest.mark.parametrize(
    "fields", [{"role": "guard", "on_error": "closed"}, {"role": "guard"}, {"on_error": "open"}]
)
def test_a_changed_guard_of_starchild_asks(
    place: Place, fields: dict[str, str], change: str
) -> None:
    """Whatever its own rule for failures is (docs/formats/starchild.md 6)."""
    guard = place.project / "guard2.sh"
    guard.write_text(GUARD, encoding="utf-8")
    guard.chmod(0o755)
    (place.project / "config").mkdir()
    declared = {"hooks": [{"event": "pre_tool_call", "command": str(guard), **fields}]}
    (place.project / "config/shell_hooks.yaml").write_text(json.dumps(declared), encoding="utf-8")
    (place.project / ".claude/settings.json").unlink()
    engine = place.engine()

    def ask() -> Decision:
        call = {
            "event": "pre_tool_call",
            "session_id": "s",
            "cwd": str(place.project),
            "tool_name": "bash",
            "tool_input": {"command": "bash"},
        }
        return engine.fire("pre_tool_call", call, dialect="starchild")

    assert ask().stance is Stance.SILENT
    approve_all(engine)
    assert (ask().stance, ask().reason) == (Stance.DENY, "no")
    (kept,) = (place.store / "approvals").glob("*/*.json")
    {
        "edited": lambda: guard.write_text(GUARD + "#", encoding="utf-8"),
        "gone": guard.unlink,
        "writable by all": lambda: guard.chmod(0o777),
        "store writable by all": lambda: kept.chmod(0o666),
        "store damaged": lambda: kept.write_bytes(b"no JSON"),
    }[change]()
    decision = ask()

    # Starchild has no prompt of its own, so that a question is a refusal there.
    assert decision.stance >= Stance.ASK
    assert REVIEW in decision.reason


# -- what the journal keeps of it ------------------------------------------------------------------


def _records(place: Place, folder: Path, **fields: object) -> list[dict[str, object]]:
    """Return the records of a hook that is new, is approved, runs, changes, and is skipped."""
    place.declare(place.project, '"$CLAUDE_PROJECT_DIR"/guard.sh', **fields)
    journal = Journal.open(str(folder / "j"), environ={})
    given = make_gate(place.project, place.environ, write_record=note_approvals(journal))
    with Engine.discover(
        place.project, environ=place.environ, gate=given, journal=journal
    ) as engine:
        place.fire(engine)
        approve_all(engine)
        place.fire(engine)
        engine.close()
        place.deny(place.guard, "changed")
        place.fire(engine)
    return [record for record in records(folder / "j") if record["type"] != "event"]


def test_a_run_and_its_approval_have_one_identity(place: Place, tmp_path: Path) -> None:
    """And the digest of the files tells whether what ran is what was approved."""
    new, note, ran, changed = _records(place, tmp_path)

    assert note["identity"]
    starts = {str(each["identity"])[: len(str(note["identity"]))] for each in (new, ran, changed)}
    assert starts == {note["identity"]}
    assert [
        str(run["content"]).startswith(str(note["content"])) for run in (new, ran, changed)
    ] == [True, True, False]


def test_the_end_of_a_detached_hook_has_the_identity_of_its_start(
    place: Place, tmp_path: Path
) -> None:
    """No gate is asked about it again."""
    found = {
        str(record.get("phase", record["type"])): record
        for record in _records(place, tmp_path, **{"async": True})
        if record.get("phase") != "done"
    }

    assert found["finished"]["identity"] == found["started"]["identity"]
    assert str(found["started"]["identity"]).startswith(str(found["note"]["identity"]))
    assert found["finished"]["content"] == found["started"]["content"]
    assert "stdout" in found["finished"]
