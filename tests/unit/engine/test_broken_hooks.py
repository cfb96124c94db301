"""Broken hooks as real processes: each is a failure, and none hides the denial of another hook."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

import hookline
from hookline.model.verdict import Stance

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process

EVENTS = {"docker-agent": "pre_tool_use", "claude-code": "PreToolUse"}
PAYLOAD = {"tool_name": "Bash", "tool_input": {"command": "ls"}}


def engine_with(dialect: str, *commands: str, mode: str = "fidelity") -> hookline.Engine:
    """An engine with these commands on the event before a tool call."""
    hooks = [{"type": "command", "command": command} for command in commands]
    return hookline.Engine.from_config(
        {"hooks": {EVENTS[dialect]: [{"hooks": hooks}]}}, dialect=dialect, mode=mode, cwd="/"
    )


def fired(
    dialect: str, *commands: str, payload: dict[str, Any] = PAYLOAD, mode: str = "fidelity"
) -> hookline.Decision:
    return engine_with(dialect, *commands, mode=mode).fire(
        EVENTS[dialect], payload, dialect=dialect
    )


@pytest.mark.parametrize(
    "garbage",
    [
        'echo Welcome!; echo \'{"decision": "block"}\'',
        "printf '{'",
        "printf '\\377\\376'",
        "kill -9 $$",
    ],
)
@pytest.mark.parametrize("dialect", EVENTS)
@pytest.mark.parametrize("blocks_first", [True, False])
def test_garbage_of_one_hook_hides_no_block_of_another(
    dialect: str, garbage: str, *, blocks_first: bool
) -> None:
    """In both orders the call is denied, with the reason of the hook that blocked."""
    commands = ["echo no >&2; exit 2", garbage]
    decision = fired(dialect, *(commands if blocks_first else reversed(commands)))

    assert decision.stance is Stance.DENY
    assert "no" in decision.reason.splitlines()


@pytest.mark.parametrize("output", ["null", "[]", "3", '"text"', "true"])
@pytest.mark.parametrize("dialect", EVENTS)
def test_json_that_is_no_object_says_nothing(dialect: str, output: str) -> None:
    """It is text, and text before a tool call is neither a yes nor a no, nor context."""
    decision = fired(dialect, f"printf '%s' '{output}'")

    assert (decision.stance, decision.for_agent, decision.rewrite) == (Stance.SILENT, (), None)


@pytest.mark.parametrize("output", ["null", "[]"])
def test_agent_hooks_call_json_that_is_no_object_a_fault(tmp_path: Path, output: str) -> None:
    """There the whole of stdout must be one object (docs/formats/agenthooks.md 8)."""
    assert run_sh(tmp_path, f"#!/bin/sh\nprintf '%s' '{output}'\n").verdicts[0].fault


def run_sh(folder: Path, script: str, *, mode: int = 0o755) -> hookline.Decision:
    """What a HOOK.md hook with this script decides about a tool call."""
    scripts = folder / "guard" / "scripts"
    scripts.mkdir(parents=True)
    (scripts.parent / "HOOK.md").write_text(
        "---\nname: guard\ndescription: Says no\ntrigger: pre-tool-call\n---\n", encoding="utf-8"
    )
    (scripts / "run").write_text(script, encoding="utf-8")
    (scripts / "run").chmod(mode)
    return hookline.Engine.load(folder, dialect="agenthooks", cwd="/").fire(
        "pre-tool-call", PAYLOAD, dialect="agenthooks"
    )


def test_a_missing_interpreter_is_a_fault_that_names_it(tmp_path: Path) -> None:
    """The guard did not run, and the decision says so."""
    decision = run_sh(tmp_path, "#!/no/such/interpreter\nexit 2\n")

    assert decision.stance is Stance.SILENT
    assert "interpreter" in str(decision.verdicts[0].fault)
    assert any("failed" in note for note in decision.for_user)


def test_a_script_without_its_x_bit_still_guards(tmp_path: Path) -> None:
    """Its first line names the interpreter (docs/formats/agenthooks.md 6)."""
    assert run_sh(tmp_path, "#!/bin/sh\nexit 2\n", mode=0o644).stance is Stance.DENY


def test_a_script_without_x_bit_and_interpreter_is_told_at_load(tmp_path: Path) -> None:
    """Each decision of its event names it too."""
    assert "not executable" in str(run_sh(tmp_path, "exit 2\n", mode=0o644).verdicts[0].fault)


@pytest.mark.parametrize(
    ("dialect", "stance"), [("docker-agent", Stance.DENY), ("claude-code", Stance.DENY)]
)
def test_a_payload_that_cannot_be_serialised_is_refused_before_anything_starts(
    tmp_path: Path, dialect: str, stance: Stance
) -> None:
    """JSON has no NaN: hookline starts no hook and refuses the call."""
    mark = tmp_path / "started"
    decision = fired(
        dialect, f"touch {mark}", payload={"tool_name": "Bash", "tool_input": {"x": math.nan}}
    )

    assert decision.stance is stance
    assert "serialised" in str(decision.verdicts[0].fault)
    assert not mark.exists()


def test_bad_utf_8_does_not_lose_a_denial() -> None:
    """Undecodable bytes are replaced, and the exit code stands."""
    decision = fired("claude-code", r"printf 'no\377' >&2; exit 2")

    assert (decision.stance, decision.reason) == (Stance.DENY, "no\ufffd")


@pytest.mark.parametrize("command", ["exit 1", "no_such_program", "kill -9 $$", "printf '{'"])
@pytest.mark.parametrize("dialect", EVENTS)
def test_in_strict_mode_no_broken_guard_says_yes(dialect: str, command: str) -> None:
    """Whatever the dialect's own failure rule is."""
    assert fired(dialect, command, mode="strict").stance >= Stance.ASK


@pytest.mark.parametrize("dialect", EVENTS)
def test_in_strict_mode_noise_before_a_denial_is_no_yes(dialect: str) -> None:
    """A guard with an unreadable answer does not permit the call."""
    assert (
        fired(
            dialect, 'echo Welcome; echo \'{"decision": "block", "reason": "no"}\'', mode="strict"
        ).stance
        >= Stance.ASK
    )
