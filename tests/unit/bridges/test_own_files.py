"""Whole files for hosts that read a folder: JSON, YAML, scripts and plugins."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from ruamel.yaml import YAML

from hookline.bridges.entry import Call
from hookline.bridges.hosts import HOSTS
from hookline.bridges.own_files import is_own_file, make_files

if TYPE_CHECKING:
    from pathlib import Path

CALL = Call(words=("/opt/python", "-I", "-m", "hookline"))
NODE = shutil.which("node")


def make(host: str, file: str, call: Call = CALL) -> dict[str, str]:
    return make_files(HOSTS[host], file, call)


def test_a_file_of_data_holds_each_event() -> None:
    """It is what the host's own dialect has at that place."""
    docker = YAML(typ="safe").load(make("docker-agent", "/f.yaml")["/f.yaml"])

    assert docker["session_start"][0]["type"] == "command"
    assert "exit 2" in docker["pre_tool_use"][0]["hooks"][0]["command"]


@pytest.mark.parametrize(
    ("host", "file"),
    [
        ("docker-agent", "/f.yaml"),
        ("opencode", "/f.js"),
        ("pi", "/f.ts"),
        ("cline", "/hooks"),
    ],
)
def test_own_files_are_known_again(host: str, file: str) -> None:
    """Another tool's file is not ours, although it may have the same name."""
    assert all(is_own_file(text, HOSTS[host]) for text in make(host, file).values())
    assert not is_own_file("export default () => {}", HOSTS[host])


@pytest.mark.process
def test_a_script_of_cline_cancels_when_hookline_does_not_run(tmp_path: Path) -> None:
    """Before a tool only."""
    call = CALL.replace(words=("/nowhere/python",))
    printed = {}
    for path, text in make("cline", str(tmp_path), call).items():
        done = subprocess.run(["/bin/sh", "-c", text], capture_output=True, text=True, check=False)
        printed[os.path.basename(path)] = done.stdout

    assert json.loads(printed.pop("PreToolUse"))["cancel"] is True
    assert set(printed.values()) == {""}


DRIVER = """
const sent = []
const promptAsync = async ({ path, body }) => sent.push([path.id, body.agent, body.parts[0].text])
const client = { session: { promptAsync } }
const plugin = await (await import(process.argv[2])).Hookline({ client, directory: "/" })
const raise = (type, properties) => plugin.event({ event: { type, properties } })
const output = { args: { command: "ls" }, output: "done" }
const system = []
try {
  const prompt = { message: { agent: "plan" }, parts: [{ type: "text", text: "go" }] }
  await plugin["chat.message"]({ sessionID: "s" }, prompt)
  await plugin["tool.execute.before"]({ sessionID: "s", tool: "bash", callID: "c" }, output)
  await plugin["tool.execute.after"]({ sessionID: "s", tool: "bash", callID: "c" }, output)
  await plugin["experimental.chat.system.transform"]({ sessionID: "s" }, { system })
  await raise("session.created", { info: { id: "child", parentID: "s" } })
  await raise("session.idle", { sessionID: "child" })
  await raise("session.idle", { sessionID: "s" })
  await plugin["chat.message"]({ sessionID: "s" }, prompt)
  await raise("session.error", { sessionID: "s" })
  await raise("session.idle", { sessionID: "s" })
  console.log(JSON.stringify({ ...output, system, sent }))
} catch (error) { console.log(error.message) }
"""
PI_DRIVER = """
const on = {}
const sent = []
const pi = {
  on: (event, handler) => (on[event] = handler),
  sendUserMessage: (text) => sent.push(text),
}
const context = {
  cwd: "/", sessionManager: { getSessionId: () => "s" }, ui: { notify: (text) => sent.push(text) },
}
const part = { type: "text", text: "done" }
;(await import(process.argv[2])).default(pi)
try {
  await on.session_start({ reason: "startup" }, context)
  const input = await on.input({ text: "go", source: "rpc" }, context)
  const start = on.before_agent_start()
  const call = { toolName: "bash", toolCallId: "c", input: { command: "ls" }, content: [part] }
  const refused = await on.tool_call(call, context)
  const result = await on.tool_result(call, context)
  await on.agent_end({}, context)
  console.log(JSON.stringify({ input, start, refused, args: call.input, result, sent }))
} catch (error) { console.log(error.message) }
"""
PI_ANSWERS = {
    "silent": ("pass", '{"args":{"command":"ls"},"sent":[]}'),
    "denied": (
        "say(permissionDecision='deny', permissionDecisionReason='no rm')",
        '"refused":{"block":true,"reason":"no rm"}',
    ),
    "rewritten": ("say(updatedInput={'command': 'ls -a'})", '"args":{"command":"ls -a"}'),
    "noted": (
        "say(additionalContext=event)",
        '{"type":"text","text":"PreToolUse\\nPostToolUse"}]}',
    ),
    "noted at the start": (
        "say(additionalContext=event)",
        '"start":{"message":{"customType":"hookline","content":"SessionStart\\nUserPromptSubmit"',
    ),
    "prompt blocked": (
        'event == \'UserPromptSubmit\' and print(\'{"decision": "block", "reason": "no"}\')',
        '{"input":{"action":"handled"}',
    ),
    "sent back": (
        'event == \'Stop\' and print(\'{"decision": "block", "reason": "go on"}\')',
        '"sent":["go on"]',
    ),
    "broken elsewhere": ("event == 'PreToolUse' or sys.exit(1)", '"sent":[]'),
    "broken before a tool": ("event == 'PreToolUse' and sys.exit(1)", "hookline did not run"),
}
ANSWERS = {
    "silent": ("pass", '"done"'),
    "denied": ("say(permissionDecision='deny', permissionDecisionReason='no rm')", "no rm"),
    "asked": ("say(permissionDecision='ask')", "refused by a hook"),
    "rewritten": ("say(updatedInput={'command': 'ls -a'})", '"ls -a"'),
    "noted": ("say(additionalContext='mind the gap')", "mind the gap"),
    "noted at the start": (
        "say(additionalContext=event)",
        '"system":["SessionStart","UserPromptSubmit","PreToolUse"]',
    ),
    "broken elsewhere": ("event == 'PreToolUse' or sys.exit(1)", '"done"'),
    "sent back, once, and not when it was interrupted": (
        'event == \'Stop\' and print(\'{"decision": "block", "reason": "go on"}\')',
        '"sent":[["s","plan","go on"]]}',
    ),
    "exit 2": ("sys.stderr.write('not here'); sys.exit(2)", "not here"),
    "broken": ("sys.exit(1)", "hookline did not run"),
    "no JSON": ("print('hello')", "did not answer with JSON"),
}


@pytest.mark.process
@pytest.mark.skipif(NODE is None, reason="plugins of opencode run on Node.js")
@pytest.mark.parametrize(("body", "expected"), ANSWERS.values(), ids=ANSWERS)
def test_a_plugin_of_opencode_does_what_hookline_says(
    body: str, expected: str, tmp_path: Path
) -> None:
    """The host's calls, made by a script; a program plays hookline."""
    assert expected in drive("opencode", DRIVER, body, tmp_path)


@pytest.mark.process
@pytest.mark.skipif(NODE is None, reason="plugins of pi run on Node.js")
@pytest.mark.parametrize(("body", "expected"), PI_ANSWERS.values(), ids=PI_ANSWERS)
def test_a_plugin_of_pi_does_what_hookline_says(body: str, expected: str, tmp_path: Path) -> None:
    """As above; its types are taken out, because an older Node.js reads no TypeScript."""
    assert expected in drive("pi", PI_DRIVER, body, tmp_path)


def drive(host: str, driver: str, body: str, folder: Path) -> str:
    """Return what a driver prints that loads the plugin of a host."""
    program = folder / "hookline.py"
    program.write_text(
        "import json, sys\ndef say(**said): print(json.dumps({'hookSpecificOutput': said}))\n"
        f"event = json.load(sys.stdin)['hook_event_name']\n{body}\n"
    )
    call = CALL.replace(words=(sys.executable, "-S", str(program)))
    ((_, text),) = make(host, "/f.js" if host == "opencode" else "/f.ts", call).items()
    (folder / "plugin.mjs").write_text(re.sub(r": (?:any|string)\b", "", text))
    (folder / "driver.mjs").write_text(driver)
    command = [str(NODE), str(folder / "driver.mjs"), str(folder / "plugin.mjs")]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
