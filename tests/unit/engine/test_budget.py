"""How often a session may ask language models, in all of its processes together."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hookline import Engine, Sessions
from hookline.model.verdict import Stance
from tests.unit.handlers.asking import at, chat
from tests.unit.handlers.serving import saying, serving

if TYPE_CHECKING:
    from pathlib import Path

    from hookline.model.verdict import Decision

HOOK = {
    "type": "model",
    "model": "openai/m",
    "schema": "pre_tool_use_decision",
    "prompt": "Is {{ .ToolName }} safe?",
}
ALLOWS = saying(chat('{"decision": "allow", "reason": "ok"}'))
USED_UP = "this session has had its {} model calls (`HOOKLINE_MODEL_CALLS` says how many)"


def tree(*hooks: dict[str, Any]) -> dict[str, Any]:
    return {"hooks": {"pre_tool_use": [{"hooks": list(hooks)}]}}


def an_engine(folder: Path | None, environ: dict[str, str], *hooks: dict[str, Any]) -> Engine:
    """One process, with these hooks."""
    engine = Engine(
        environ=environ, sessions=Sessions(folder / "s") if folder is not None else None
    )
    engine.add_source(tree(*(hooks or (HOOK,))), dialect="docker-agent")
    assert engine.problems == ()
    return engine


def call(engine: Engine, session: str) -> Decision:
    """A tool is about to be used.

    What counts in this process is shared by all tests, so that each has a session of its own.
    """
    payload = {
        "session_id": session,
        "cwd": "/",
        "hook_event_name": "pre_tool_use",
        "tool_name": "shell",
        "tool_input": {"cmd": "ls"},
    }
    return engine.fire("pre_tool_use", payload, dialect="docker-agent")


def test_a_budget_is_of_the_session_and_not_of_the_process(tmp_path: Path) -> None:
    """Two engines stand for two processes; another session has its own."""
    with serving(ALLOWS) as service:
        engines = [an_engine(tmp_path, at(service, HOOKLINE_MODEL_CALLS="3")) for _ in range(2)]
        decisions = [call(engine, "b1") for _ in range(2) for engine in engines]
        other = call(engines[0], "b2")

    assert [decision.stance for decision in decisions] == [Stance.ALLOW] * 3 + [Stance.DENY]
    assert USED_UP.format(3) in decisions[-1].reason
    assert (other.stance, len(service.sent)) == (Stance.ALLOW, 4)


@pytest.mark.process
def test_a_budget_outlives_the_process_that_answers_one_event(tmp_path: Path) -> None:
    """A host starts `hookline answer` again for each event; the second one asks no model."""
    file = tmp_path / "hooks.yaml"
    file.write_text(json.dumps(tree(HOOK)), encoding="utf-8")
    with serving(ALLOWS) as service:
        environ = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(tmp_path),
            "PYTHONPATH": ":".join(filter(None, sys.path)),
            **at(service, HOOKLINE_MODEL_CALLS="1"),
        }
        replies = [answered(file, environ) for _ in range(2)]

    assert [reply["permission_decision"] for reply in replies] == ["allow", "deny"]
    assert USED_UP.format(1) in replies[1]["permission_decision_reason"]
    assert len(service.sent) == 1


def answered(file: Path, environ: dict[str, str]) -> dict[str, Any]:
    """The reply to a host about one event."""
    payload = {
        "session_id": "s1",
        "cwd": "/",
        "hook_event_name": "pre_tool_use",
        "tool_name": "shell",
        "tool_input": {"cmd": "ls"},
    }
    command = [sys.executable, "-m", "hookline", "answer", "docker-agent", "-c", file]
    done = subprocess.run(
        command,
        input=json.dumps(payload),
        env=environ,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)["hook_specific_output"]
    return said


def test_each_model_of_an_event_is_a_call(tmp_path: Path) -> None:
    """Only the calls beyond the budget fail.

    What asks no model is none of it, and each outcome reaches its own hook.
    """
    hooks = [{**HOOK, "name": name, "prompt": name} for name in ("a", "b")]
    told: list[str] = []
    with serving(ALLOWS) as service:
        engine = an_engine(
            tmp_path,
            at(service, HOOKLINE_MODEL_CALLS="1"),
            hooks[0],
            {"type": "command", "command": "exit 0"},
            hooks[1],
        )

        @engine.on("tool.before")
        def python(_: object) -> None:
            told.append("told")

        decision = call(engine, "b3")

    assert decision.stance is Stance.DENY
    assert [bool(verdict.fault) for verdict in decision.verdicts] == [False, False, True, False]
    assert [json.loads(sent.body)["messages"][-1]["content"] for sent in service.sent] == ["a"]
    assert told == ["told"]


def test_a_session_that_cannot_be_written_has_no_limit(tmp_path: Path) -> None:
    """A full disk refuses no call; the user gets a notice."""
    (tmp_path / "s").write_text("no folder", encoding="utf-8")
    with serving(ALLOWS) as service:
        engine = an_engine(tmp_path, at(service, HOOKLINE_MODEL_CALLS="1"))
        decisions = [call(engine, "s") for _ in range(2)]

    assert [decision.stance for decision in decisions] == [Stance.ALLOW, Stance.ALLOW]
    assert [problem.name for problem in engine.runtime.sessions.problems] == ["session.unusable"]


def test_without_files_the_process_counts_alone(tmp_path: Path) -> None:
    """In memory."""
    with serving(ALLOWS) as service:
        engine = an_engine(None, at(service, HOOKLINE_MODEL_CALLS="2"))
        decisions = [call(engine, "s") for _ in range(3)]

    assert [decision.stance for decision in decisions] == [Stance.ALLOW, Stance.ALLOW, Stance.DENY]
    assert USED_UP.format(2) in decisions[-1].reason


def test_an_invalid_number_is_reported(tmp_path: Path) -> None:
    """It uses up no budget."""
    with serving(ALLOWS) as service:
        wrong = call(an_engine(tmp_path, at(service, HOOKLINE_MODEL_CALLS="many")), "b4")
        right = call(an_engine(tmp_path, at(service, HOOKLINE_MODEL_CALLS="1")), "b4")

    assert "`HOOKLINE_MODEL_CALLS=many` is no number of calls" in wrong.reason
    assert right.stance is Stance.ALLOW


def test_a_hook_that_was_refused_its_call_may_still_run_once(tmp_path: Path) -> None:
    """It has not run yet, so a later process may run it."""
    with serving(ALLOWS) as service:
        hook = {"type": "prompt", "prompt": "Is it safe?", "model": "openai/m", "once": True}

        def fire(calls: str) -> Decision:
            engine = Engine(
                environ=at(service, HOOKLINE_MODEL_CALLS=calls), sessions=Sessions(tmp_path / "s")
            )
            engine.add_source({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}, dialect="claude-code")
            return engine.fire(
                "PreToolUse",
                {"session_id": "b5", "tool_name": "Bash", "tool_input": {"command": "ls"}},
                dialect="claude-code",
            )

        refused = fire("0")
        fire("5")

    assert "has had its 0 model calls" in (refused.verdicts[0].fault or "")
    assert len(service.sent) == 1
