"""Samples of the published format: its files, its script, its payloads and its answers."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

import pytest

import hookline
from hookline.model.spec import Command, Http

if TYPE_CHECKING:
    from pathlib import Path

# "Config file format" and "Two hook transports"; only the indentation was restored.
COMMAND = """\
hooks:
  - event: pre_tool_call
    matcher: "rm -rf|dd if=|mkfs"         # optional regex; script only \
spawns on a match (perf gate)
    command: ./extensions/shell_hooks/examples/block_secrets.py
    timeout: 10                           # seconds, default 20, max 120
"""
HTTP = """\
hooks:
  - event: pre_tool_call
    type: http                  # omit type -> "command" (default)
    url: https://my-guard.example.com/hook
    timeout: 10
"""
# "Minimal block example (pre_tool_call, any language)".
SCRIPT = (
    r"""#!/usr/bin/env bash
payload="$(cat)"
python3 - "$payload" <<'PY'
import json, sys, re
ev = json.loads(sys.argv[1])
cmd = (ev.get("tool_input") or {}).get("command", "")
if re.search(r"rm\s+-rf\s+/|dd\s+if=|mkfs", cmd):
    print(json.dumps({"decision": "block", """
    r""""reason": f"This command is irreversible and would erase data, """
    r"""so I've blocked it: {cmd}"}))
else:
    print("{}")  # continue
PY
"""
)
# The dry run: "should BLOCK" and "should ALLOW".
BLOCKED = '{"event":"pre_tool_call","tool_name":"bash","tool_input":{"command":"rm -rf /"}}'
ALLOWED = '{"event":"pre_tool_call","tool_name":"bash","tool_input":{"command":"ls -la"}}'


def loaded(folder: Path, text: str) -> hookline.Engine:
    """A workspace with this `config/shell_hooks.yaml`."""
    path = folder / "config" / "shell_hooks.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return hookline.Engine.load(path)


def answering(folder: Path, answer: str, event: str = "pre_tool_call") -> hookline.Engine:
    """A workspace with a hook that prints an answer."""
    command = shlex.join(["/bin/sh", "-c", f"printf '%s' {shlex.quote(answer)}"])
    return loaded(folder, json.dumps({"hooks": [{"event": event, "command": command}]}))


def test_the_command_entry_loads(tmp_path: Path) -> None:
    """Its relative path is taken from the folder of the file, and that is said."""
    engine = loaded(tmp_path, COMMAND)
    (hook,) = engine.hooks

    assert isinstance(hook.handler, Command)
    assert hook.handler.argv == (
        f"{tmp_path}/config/extensions/shell_hooks/examples/block_secrets.py",
    )
    assert hook.timeout == 10
    assert [problem.name for problem in engine.problems] == ["handler.relative-path"]


def test_the_http_entry_loads(tmp_path: Path) -> None:
    """The same payload and answers, another transport."""
    (hook,) = loaded(tmp_path, HTTP).hooks

    assert isinstance(hook.handler, Http)
    assert (hook.handler.url, hook.timeout) == ("https://my-guard.example.com/hook", 10)


@pytest.mark.process
@pytest.mark.parametrize(("payload", "stance", "reason"), [
    (BLOCKED, hookline.Stance.DENY,
     "This command is irreversible and would erase data, so I've blocked it: rm -rf /"),
    (ALLOWED, hookline.Stance.SILENT, ""),
])  # fmt: skip
def test_the_minimal_block_example_runs(
    payload: str, stance: hookline.Stance, reason: str, tmp_path: Path
) -> None:
    """The script as it is printed, with the payloads of the dry run."""
    script = tmp_path / "guard.sh"
    script.write_text(SCRIPT, encoding="utf-8")
    script.chmod(0o755)
    engine = loaded(tmp_path, f"hooks:\n  - event: pre_tool_call\n    command: {script}\n")

    decision = engine.fire("pre_tool_call", json.loads(payload), dialect="starchild")

    assert [verdict.fault for verdict in decision.verdicts] == [None]
    assert (decision.stance, decision.reason) == (stance, reason)


# "Output protocol": event, what is printed, and what it comes to.
PROTOCOL: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("pre_tool_call", '{"decision": "block", "reason": "..."}', {},
     {"stance": "deny", "reason": "..."}),
    ("pre_tool_call", '{"tool_input": {"command": "ls"}}', {},
     {"stance": "silent", "rewrite": {"input": {"command": "ls"}, "patch": {"command": "ls"}}}),
    ("on_outbound_message", '{"notification": "..."}', {"notification": "hi"},
     {"rewrite": {"text": "..."}}),
    ("pre_llm_call", '{"context": "..."}', {}, {"for_agent": ["..."]}),
    ("pre_tool_call", '{"systemMessage": "..."}', {}, {"stance": "silent", "for_user": ["..."]}),
    ("pre_tool_call", '{"add_warning": "..."}', {}, {"stance": "silent", "for_user": ["..."]}),
    ("pre_tool_call", "", {}, {"stance": "silent", "rewrite": None, "for_user": [],
                               "for_agent": []}),
    ("on_stop", '{"decision": "block", "reason": "cite it"}', {}, {"stance": "deny", "redo": True}),
    ("on_completion_claim", '{"decision": "block", "reason": "cite it"}', {},
     {"stance": "deny", "redo": True}),
]  # fmt: skip


@pytest.mark.process
@pytest.mark.parametrize(("event", "answer", "payload", "expected"), PROTOCOL)
def test_each_answer_of_the_protocol_does_what_the_text_says(
    event: str, answer: str, payload: dict[str, Any], expected: dict[str, Any], tmp_path: Path
) -> None:
    """On the real engine."""
    call = (
        {"tool_name": "bash", "tool_input": {"command": "rm x"}} if event == "pre_tool_call" else {}
    )

    decision = (
        answering(tmp_path, answer, event)
        .fire(event, {"session_id": "s", **call, **payload}, dialect="starchild")
        .to_dict()
    )

    assert {key: decision[key] for key in expected} == expected
