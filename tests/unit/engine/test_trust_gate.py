"""Does every hook of an engine go through its gate, whoever drives it and wherever the hook comes from?"""

from __future__ import annotations

import asyncio
import json
import os

import pytest

from hookline.core.failure import UNASKED
from hookline.engine.engine import Engine
from hookline.engine.trust_gate import LazyGate, gate
from hookline.errors import ConfigError
from hookline.model.verdict import Decision, Stance
from hookline.trust import approve, survey, turn
from tests.unit.trust.support import World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process

DENIES = """#!/bin/sh
echo "{0}" >> "$TRACE"
echo '{{"hookSpecificOutput": {{"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "{0}"}}}}'
"""
CLONED = "a hook of this project (`.claude/settings.json`, PreToolUse)"
MORE = "(`hookline list` tells more)"
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
        self.guard = self.denying(self.project / "guard.sh", "project")

    def declare(self, at: Path, command: str, **fields: object) -> None:
        """Declare one hook in a folder's settings."""
        hook = {"type": "command", "command": command, **fields}
        (at / ".claude").mkdir(exist_ok=True)
        (at / ".claude/settings.json").write_text(
            json.dumps({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}), encoding="utf-8"
        )

    def denying(self, path: Path, says: str) -> Path:
        path.write_text(DENIES.format(says), encoding="utf-8")
        path.chmod(0o755)
        return path

    def engine(self, **settings: str) -> Engine:
        return Engine.discover(
            self.project, environ=self.environ, gate=gate(self.project, self.environ, **settings)
        )

    def fire(self, engine: Engine) -> Decision:
        return engine.fire(
            "PreToolUse", {**PAYLOAD, "cwd": str(self.project)}, dialect="claude-code"
        )


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A clone in a project folder."""
    return Place(tmp_path)


def test_a_clones_hook_is_listed_and_inert_until_it_is_approved(place: Place) -> None:
    """It is said on a gate; an approval counts from the next event on, and a change ends it."""
    engine = place.engine()
    (spec,) = engine.hooks
    before = place.fire(engine)

    assert (before.stance, before.for_user, place.ran()) == (
        Stance.SILENT,
        (f"{CLONED} had no say: it is not approved {MORE}",),
        [],
    )
    assert [verdict.fault for verdict in before.verdicts] == ["not approved"]

    approve(place.engine().gate, [spec])  # type: ignore[arg-type]  # a gate as it was made
    assert (place.fire(engine).reason, place.ran()) == ("project", ["project"])

    place.denying(place.guard, "other")
    changed = place.fire(engine)
    assert (changed.stance, changed.for_user) == (
        Stance.SILENT,
        (f"{CLONED} had no say: changed since it was approved {MORE}",),
    )
    assert place.ran() == ["project"]


def test_the_asynchronous_driver_goes_through_the_gate_too(place: Place) -> None:
    """And so does what nobody waits for."""
    engine = place.engine()

    assert (
        asyncio.run(engine.fire_async("PreToolUse", PAYLOAD, dialect="claude-code")).for_user != ()
    )
    place.declare(place.project, "./guard.sh", **{"async": True})
    with place.engine() as detaching:
        assert "not approved" in (place.fire(detaching).verdicts[0].fault or "")
        approve(detaching.gate, detaching.hooks)  # type: ignore[arg-type]  # as above
        place.fire(detaching)
    assert place.ran() == ["project"]


def test_a_clones_hook_replaces_no_other(place: Place) -> None:
    """Not one with the same command, not before it is approved, and not afterwards."""
    own = place.denying(place.home / "own.sh", "own")
    place.declare(place.home, str(own))
    place.declare(place.project, str(own))
    engine = place.engine()

    assert (place.fire(engine).reason, place.ran()) == ("own", ["own"])

    approve(engine.gate, [spec for spec in engine.hooks if spec.origin.scope == "project"])  # type: ignore[arg-type]  # as above
    place.fire(engine)
    assert place.ran().count("own") >= 2


def test_a_clones_settings_switch_off_nobodys_hooks(place: Place) -> None:
    """Approved or not."""
    own = place.denying(place.home / "own.sh", "own")
    place.declare(place.home, str(own))
    (place.project / ".claude/settings.json").write_text(
        '{"disableAllHooks": true}', encoding="utf-8"
    )

    assert place.fire(place.engine()).reason == "own"


def test_a_policy_may_refuse_what_an_unapproved_guard_was_to_look_at(place: Place) -> None:
    """In words of our own: none of the clone's."""
    decision = place.fire(place.engine(project_unknown="deny"))

    assert (decision.stance, decision.reason) == (
        Stance.DENY,
        f"{CLONED} may not run: it is not approved {MORE}",
    )


def test_off_is_silent_but_for_a_word(place: Place) -> None:
    """A session is told once; each decision has it for whoever looks."""
    engine = place.engine()
    turn(engine.gate, on=False)  # type: ignore[arg-type]  # as above
    first, second = place.fire(engine), place.fire(engine)

    assert [(each.stance, each.for_user) for each in (first, second)] == [
        (Stance.SILENT, ("hooks are switched off: `hookline off` in this project",)),
        (Stance.SILENT, ()),
    ]
    assert second.verdicts[0].fault == "switched off: `hookline off` in this project"


def test_pythons_own_hooks_go_through_no_gate(place: Place) -> None:
    """They are the program's that made the engine."""
    engine = place.engine()
    turn(engine.gate, on=False)  # type: ignore[arg-type]  # as above
    engine.on("tool.before")(print)

    assert [verdict.fault for verdict in place.fire(engine).verdicts] == [
        "switched off: `hookline off` in this project",
        None,
    ]


def test_without_a_gate_a_clones_hooks_stay_inert(place: Place) -> None:
    """However they were approved; the program that has none is told what it lacks."""
    approving = place.engine()
    approve(approving.gate, approving.hooks, who="ann", how="test")  # type: ignore[arg-type]  # as above
    decision = place.fire(Engine.discover(place.project, environ=place.environ))

    assert decision.verdicts[0].fault == f"not approved: {UNASKED}"
    assert decision.for_user == (
        f"a hook of this project had no say: it is not approved: {UNASKED}",
    )


def test_a_gate_that_is_made_late_is_the_same_gate(place: Place) -> None:
    """It is made when the first hook comes to it, and its settings are read then."""
    late = LazyGate(str(place.project), place.environ)
    engine = Engine.discover(place.project, environ=place.environ, gate=late)
    config = place.home / ".config/hookline"
    config.mkdir(parents=True)
    (config / "settings.toml").write_text('[trust]\nproject_unknown = "ask"\n', encoding="utf-8")

    assert place.fire(engine).stance is Stance.ASK
    assert [standing.state for standing in survey(late.gate, engine.hooks)] == ["unknown"]


def test_settings_that_make_no_sense_are_refused(place: Place) -> None:
    """Instead of a policy that nobody chose."""
    config = place.home / ".config/hookline"
    config.mkdir(parents=True)
    (config / "settings.toml").write_text('[trust]\nproject_unknown = "record"\n', encoding="utf-8")

    with pytest.raises(ConfigError, match="project_unknown"):
        gate(place.project, place.environ)


def test_a_new_definition_is_seen_after_a_reload(place: Place) -> None:
    """The hook that was approved is not this one."""
    engine = place.engine()
    approve(engine.gate, engine.hooks)  # type: ignore[arg-type]  # as above
    place.declare(place.project, '"$CLAUDE_PROJECT_DIR"/guard.sh --other')
    os.utime(place.project / ".claude/settings.json", ns=(0, 0))
    engine.reload()

    fault = "changed since it was approved: its definition is another than was approved"
    assert [place.fire(engine).verdicts[0].fault for _ in range(2)] == [fault, fault]


GUARD = """#!/bin/sh
echo '{"decision": "block", "reason": "no"}'
"""


@pytest.mark.parametrize(
    "change",
    ["edited", "removed", "exposed", "declared otherwise", "store exposed", "store damaged"],
)
@pytest.mark.parametrize(
    ("fields", "stance"),
    [
        ({"role": "guard", "on_error": "closed"}, Stance.DENY),
        ({"role": "guard"}, Stance.DENY),
        ({"on_error": "open"}, Stance.SILENT),
    ],
    ids=["closed", "guard", "open"],
)
def test_an_edit_switches_no_approved_guard_off(
    place: Place, fields: dict[str, str], stance: Stance, change: str
) -> None:
    """Its own rule for failures decides, and the user is told; what nobody approved decides nothing (docs/formats/starchild.md 6)."""
    guard = place.project / "guard2.sh"
    guard.write_text(GUARD, encoding="utf-8")
    guard.chmod(0o755)
    (place.project / "config").mkdir()
    declared = {"hooks": [{"event": "pre_tool_call", "command": str(guard), **fields}]}
    (place.project / "config/shell_hooks.yaml").write_text(json.dumps(declared), encoding="utf-8")
    (place.project / ".claude/settings.json").unlink()
    call = {
        "event": "pre_tool_call",
        "session_id": "s",
        "cwd": str(place.project),
        "tool_name": "bash",
        "tool_input": {"command": "bash"},
    }
    engine = place.engine()

    def asked() -> Decision:
        return engine.fire("pre_tool_call", call, dialect="starchild")

    assert asked().stance is Stance.SILENT
    approve(engine.gate, engine.hooks)  # type: ignore[arg-type]  # as above
    assert (asked().stance, asked().reason) == (Stance.DENY, "no")
    if change == "declared otherwise":
        declared["hooks"][0]["matcher"] = "b[a]sh"
        (place.project / "config/shell_hooks.yaml").write_text(
            json.dumps(declared), encoding="utf-8"
        )
        engine = place.engine()
    {
        "edited": lambda: guard.write_text(GUARD + "#", encoding="utf-8"),
        "removed": guard.unlink,
        "exposed": lambda: guard.chmod(0o777),
        "store exposed": lambda: place.database.chmod(0o666),
        "store damaged": lambda: place.database.write_bytes(b"no database" * 500),
    }.get(change, bool)()
    decision = asked()

    assert decision.stance is stance
    assert decision.reason != "no"
    assert (bool(decision.reason), bool(decision.for_user)) == (
        stance is Stance.DENY,
        stance is Stance.SILENT,
    )
    assert "guard2.sh" not in decision.reason + "".join(decision.for_user)


# -- what the journal tells of it ----------------------------------------------------------------------------------------


def _runs(place: Place, folder: Path, **fields: object) -> list[dict[str, object]]:
    """The records of a hook that is asked as a stranger, then approved, asked, changed, and asked again."""
    from hookline.engine.trust_gate import note_approvals  # noqa: PLC0415 - only here
    from hookline.journal.journal import Journal  # noqa: PLC0415 - as above
    from tests.unit.journal.support import records  # noqa: PLC0415 - as above

    place.declare(place.project, '"$CLAUDE_PROJECT_DIR"/guard.sh', **fields)
    journal = Journal.open(str(folder / "j"), environ={})
    given = gate(place.project, place.environ, tell=note_approvals(journal))
    with Engine.discover(
        place.project, environ=place.environ, gate=given, journal=journal
    ) as engine:
        place.fire(engine)
        approve(given, engine.hooks)
        place.fire(engine)
        engine.close()
        place.denying(place.guard, "changed")
        place.fire(engine)
    return [record for record in records(folder / "j") if record["type"] != "event"]


def test_a_run_and_its_approval_have_one_identity(place: Place, tmp_path: Path) -> None:
    """Whether it was let through or not; and what ran is what was approved, or it is seen that it is not."""
    stranger, note, ran, changed = _runs(place, tmp_path)

    assert note["identity"]
    assert {record["identity"] for record in (stranger, note, ran, changed)} == {note["identity"]}
    assert [
        str(run["content"]).startswith(str(note["content"])) for run in (stranger, ran, changed)
    ] == [True, True, False]


def test_the_end_of_a_detached_hook_has_the_identity_of_its_start(
    place: Place, tmp_path: Path
) -> None:
    """Nobody asks a gate about it any more."""
    found = {
        str(record.get("phase", record["type"])): record
        for record in _runs(place, tmp_path, **{"async": True})
        if record.get("phase") != "done"
    }

    assert (
        found["finished"]["identity"] == found["started"]["identity"] == found["note"]["identity"]
    )
    assert found["finished"]["content"] == found["started"]["content"]
    assert "stdout" in found["finished"]
