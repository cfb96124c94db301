"""Through the engine: real programs, their environment, and the limit of sending the agent back."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

import hookline

if TYPE_CHECKING:
    from pathlib import Path

SAYS = (
    'import json, os, sys; print(json.dumps({"add_warning": json.dumps({"env": '
    'sorted(os.environ), "cwd": os.getcwd(), "in": json.load(sys.stdin)})}))'
)
BLOCKS = 'import sys; sys.stderr.write("run the tests"); sys.exit(2)'


def engine(tmp_path: Path, event: str, script: str, **settings: Any) -> hookline.Engine:
    """An engine with one script beside its shell_hooks.yaml, named by a relative path."""
    (tmp_path / "guard.py").write_text(script)
    config = tmp_path / "shell_hooks.yaml"
    config.write_text(
        f"hooks:\n  - event: {event}\n    command: {sys.executable} guard.py\n    env: [PASSED]\n"
    )
    return hookline.Engine.load(config, **settings)


@pytest.mark.process
def test_a_hook_runs_with_a_small_environment_in_the_folder_of_the_event(tmp_path: Path) -> None:
    """The file is known by its name; what is not named in `env` stays away."""
    environ = {"PATH": "/usr/bin:/bin", "HOME": "/home/ann", "PASSED": "1", "SECRET_TOKEN": "x"}
    made = engine(tmp_path, "on_stop", SAYS, environ=environ)
    decision = made.fire("on_stop", {"session_id": "s", "cwd": str(tmp_path), "response": "Done."})
    told = json.loads(decision.for_user[0])

    assert "SECRET_TOKEN" not in told["env"]
    assert {"PATH", "HOME", "PASSED"} <= set(told["env"])
    assert told["cwd"] == str(tmp_path)
    assert (
        told["in"]["event"],
        told["in"]["stop_hook_active"],
        told["in"]["stop_block_limit"],
    ) == ("on_stop", False, 3)


@pytest.mark.process
@pytest.mark.parametrize("event", ["on_stop", "on_completion_claim"])
def test_the_agent_is_sent_back_three_times(tmp_path: Path, event: str) -> None:
    """Then it may stop, with a notice to the user.

    The next turn begins at 0, and the same goal does not.
    """
    made = engine(tmp_path, event, BLOCKS)
    fired = [made.fire(event, {"session_id": "s"}, dialect="starchild") for _ in range(4)]

    assert [decision.redo for decision in fired] == [True, True, True, False]
    assert fired[0].reason == "run the tests"
    assert "the limit" in fired[3].for_user[-1]
    made.fire("on_user_message", {"session_id": "s", "message": "go on"}, dialect="starchild")
    again = made.fire(event, {"session_id": "s"}, dialect="starchild")
    assert again.redo is (event == "on_stop")
    assert made.fire(event, {"session_id": "s", "goal": "ship"}, dialect="starchild").redo


@pytest.mark.process
def test_a_variable_that_is_not_set_is_left_out(tmp_path: Path) -> None:
    """Instead of being empty; one that is empty stays so."""
    script = tmp_path / "tell.sh"
    script.write_text(
        '#!/bin/sh\necho "{\\"decision\\": \\"block\\", \\"reason\\": '
        '\\"${A+a}${B+b}${LC_ALL+c}.\\"}"\n'
    )
    script.chmod(0o755)
    hook = {"event": "pre_tool_call", "command": str(script), "env": ["A", "B"]}
    environ = {"PATH": "/usr/bin:/bin", "B": ""}
    made = hookline.Engine.from_config({"hooks": [hook]}, dialect="starchild", environ=environ)
    payload = {"session_id": "s", "tool_name": "bash", "tool_input": {}}

    assert made.fire("pre_tool_call", payload, dialect="starchild").reason == "b."


@pytest.mark.process
def test_a_missing_program_is_reported(tmp_path: Path) -> None:
    """The failure has its name, and the hook its own."""
    config = tmp_path / "shell_hooks.yaml"
    config.write_text("hooks:\n  - event: pre_tool_call\n    command: ./gone.py --all\n")
    made = hookline.Engine.load(config)
    decision = made.fire(
        "pre_tool_call", {"tool_name": "bash", "tool_input": {}}, dialect="starchild"
    )

    assert (decision.verdicts[0].fault or "").startswith("spawn_error: could not be started: ")
    assert decision.for_user[0].startswith("hook `./gone.py --all` failed: spawn_error: ")


@pytest.mark.process
@pytest.mark.parametrize(
    ("declared", "key", "host", "event", "payload", "kept"),
    [
        ("on_user_message", "message", "starchild", "on_user_message", {"message": "old"}, True),
        ("on_user_message", "message", "copilot", "userPromptSubmitted", {"prompt": "old"}, False),
        ("on_user_message", "message", "claude-code", "UserPromptSubmit", {"prompt": "old"}, False),
        ("post_llm_call", "response", "starchild", "post_llm_call", {"model": "m"}, True),
        ("post_llm_call", "response", "gemini", "AfterModel",
         {"llm_request": {}, "llm_response": {"text": "old"}}, True),
        ("post_llm_call", "response", "docker-agent", "after_llm_call", {"stop_response": "old"},
         False),
    ],
)  # fmt: skip
def test_a_text_is_replaced_where_the_host_allows_it(
    tmp_path: Path, declared: str, key: str, host: str, event: str, payload: Any, *, kept: bool
) -> None:
    """If the host cannot replace the text, `lowered` names the loss and the hook."""
    made = engine(tmp_path, declared, f'print(\'{{"{key}": "new"}}\')')
    decision = made.fire(event, {"session_id": "s", "cwd": str(tmp_path), **payload}, dialect=host)

    assert (decision.rewrite is not None) is kept
    lost = [(each.effect, each.hook) for each in decision.lowered]
    assert lost == ([] if kept else [("text", made.hooks[0].id)])
    if decision.rewrite is not None:
        assert decision.rewrite.value == "new"
