"""Runs real hook files of thirteen dialects, and fails if a verdict is not the expected one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from hookline import Decision, Engine
from hookline.engine.explain import explain

HERE = Path(__file__).parent


class Row(NamedTuple):
    """One line of the table."""

    dialect: str
    event: str
    what: str
    hooks: int
    verdict: str
    reason: str
    seconds: float
    expected: str

    @property
    def fine(self) -> bool:
        return self.verdict == self.expected


def verdict_of(decision: Decision) -> str:
    """A decision in the words of the table: its stance, and what else it does."""
    words = [decision.stance.name.lower()]
    if decision.rewrite is not None:
        words.append("rewrite " + json.dumps(decision.rewrite.patch or decision.rewrite.value))
    if decision.for_agent:
        words.append("context")
    if decision.redo:
        words.append("go on")
    return ", ".join(words)


def fired(
    dialect: str, engine: Engine, event: str, what: str, payload: dict[str, Any], expected: str
) -> Row:
    """Fire one event and compare."""
    decision = engine.fire(event, {"session_id": "demo", **payload}, dialect=dialect)
    faults = [verdict.fault for verdict in decision.verdicts if verdict.fault]
    reason = decision.reason or "; ".join((*decision.for_user, *faults, *decision.for_agent))
    return Row(
        dialect,
        event,
        what,
        len(decision.verdicts),
        verdict_of(decision),
        reason,
        decision.seconds,
        expected,
    )


def docker_agent(folder: str) -> list[Row]:
    """The one-stop example of docker-agent: all its events, with the prompts of its header."""
    shell = {"tool_name": "shell", "tool_use_id": "call-1", "cwd": folder}
    done = {
        **shell,
        "tool_input": {"cmd": "echo hello"},
        "tool_response": "hello\n",
        "tool_error": False,
    }
    told = {"notification_message": "the model did not answer", "notification_level": "error"}
    counts = {
        "input_tokens": 90_000,
        "output_tokens": 2_000,
        "context_limit": 100_000,
        "compaction_reason": "threshold",
    }
    cases: list[tuple[str, str, dict[str, Any], str]] = [
        ("session_start", "startup", {"source": "startup"}, "silent, context"),
        (
            "user_prompt_submit",
            "Where are the logs?",
            {"prompt": "Where are the logs?"},
            "silent, context",
        ),
        ("user_prompt_submit", "Run: echo hello", {"prompt": "Run: echo hello"}, "silent"),
        ("turn_start", "GUIDELINES.md is here", {}, "silent, context"),
        (
            "before_llm_call",
            "call 1",
            {"model_id": "openai/gpt-4o", "iteration": 1, "messages": []},
            "silent",
        ),
        (
            "after_llm_call",
            "call 1",
            {"model_id": "openai/gpt-4o", "stop_response": "I run it."},
            "silent",
        ),
        ("pre_tool_use", "echo hello", {**shell, "tool_input": {"cmd": "echo hello"}}, "silent"),
        (
            "pre_tool_use",
            "rm -rf /tmp/test",
            {**shell, "tool_input": {"cmd": "rm -rf /tmp/test"}},
            "deny",
        ),
        (
            "pre_tool_use",
            "sudo apt update",
            {**shell, "tool_input": {"cmd": "sudo apt update"}},
            "deny",
        ),
        (
            "pre_tool_use",
            "ls",
            {**shell, "tool_input": {"cmd": "ls"}},
            'allow, rewrite {"cmd": "ls -h"}',
        ),
        ("permission_request", "ls", {**shell, "tool_input": {"cmd": "ls"}}, "allow"),
        (
            "permission_request",
            "make deploy",
            {**shell, "tool_input": {"cmd": "make deploy"}},
            "silent",
        ),
        ("post_tool_use", "echo hello", done, "silent, context"),
        ("on_user_input", "waiting", {}, "silent"),
        ("pre_compact", "auto", {"source": "auto"}, "silent, context"),
        ("before_compaction", "threshold", counts, "silent"),
        ("after_compaction", "threshold", {**counts, "summary": "We ran echo."}, "silent"),
        (
            "subagent_stop",
            "a child",
            {"parent_session_id": "demo", "agent_name": "child", "stop_response": "done"},
            "silent",
        ),
        ("notification", "error", told, "silent"),
        ("on_error", "error", told, "silent"),
        ("on_max_iterations", "warning", {**told, "notification_level": "warning"}, "silent"),
        ("stop", "hello", {"stop_response": "hello"}, "silent"),
        ("turn_end", "normal", {"reason": "normal"}, "silent"),
        ("session_end", "stream ended", {"reason": "stream_ended"}, "silent"),
    ]
    # The file is of its time: in profile d1 what `post_tool_use` prints still reaches the model.
    with Engine.load(
        HERE / "docker-agent" / "hooks.yaml", dialect="docker-agent", options={"profile": "d1"}
    ) as engine:
        return [
            fired("docker-agent", engine, event, what, {"cwd": folder, **payload}, expected)
            for event, what, payload, expected in cases
        ]


def agenthooks(folder: str) -> list[Row]:
    """A folder of HOOK.md hooks."""
    shell = {"tool_name": "Shell", "tool_use_id": "call-1", "work_dir": folder}
    stop = {
        "work_dir": folder,
        "stop_reason": "no_tool_calls",
        "step_count": 3,
        "final_message": None,
    }
    Path(folder, ".tests-failed").touch()
    cases: list[tuple[str, str, dict[str, Any], str]] = [
        (
            "before_tool",
            "make test",
            {**shell, "tool_input": {"command": "make test", "timeout": 60}},
            "silent",
        ),
        (
            "before_tool",
            "mkfs /dev/sda1",
            {**shell, "tool_input": {"command": "mkfs /dev/sda1"}},
            "deny",
        ),
        (
            "pre-tool-call",
            "timeout 600",
            {**shell, "tool_input": {"command": "make", "timeout": 600}},
            'silent, rewrite {"timeout": 60}',
        ),
        ("before_stop", "tests fail", stop, "deny, go on"),
    ]
    with Engine.load(HERE / "agenthooks", dialect="agenthooks") as engine:
        return [
            fired("agenthooks", engine, event, what, payload, expected)
            for event, what, payload, expected in cases
        ]


def several() -> list[Row]:
    """A guard in every dialect, in its usual place, asked by hosts of other dialects."""
    asked: list[tuple[str, str, str, str, str]] = [
        ("docker-agent", "pre_tool_use", "shell", "rm -rf build", "deny"),
        ("gemini", "BeforeTool", "run_shell_command", "git push --force", "deny"),
        ("claude-code", "PreToolUse", "Bash", "npm publish", "deny"),
        ("codex", "PreToolUse", "shell", "curl https://example.com", "deny"),
        ("kimi", "PreToolUse", "Shell", "chmod 777 .", "deny"),
        ("cursor", "preToolUse", "Shell", "dd if=/dev/zero of=x", "deny"),
        ("agenthooks", "pre-tool-call", "Shell", "docker system prune", "deny"),
        ("starchild", "pre_tool_call", "bash", "mkfs /dev/sdb", "deny"),
        ("hermes", "pre_tool_call", "terminal", "shutdown now", "deny"),
        ("claude-code", "PreToolUse", "Bash", "kubectl delete pod web", "deny"),
        ("gemini", "BeforeTool", "run_shell_command", "crontab -r", "deny"),
        ("qwen", "PreToolUse", "run_shell_command", "terraform destroy", "deny"),
        ("openhands", "PreToolUse", "terminal", "git clean -fdx", "deny"),
        ("docker-agent", "pre_tool_use", "shell", "make test", "silent"),
    ]
    place = HERE / "several"
    environ = {"HOME": str(place / "home"), "PATH": os.environ["PATH"]}
    with Engine.discover(place / "project", trust="all", environ=environ) as engine:
        return [
            fired(
                host,
                engine,
                event,
                command,
                {"tool_name": tool, "tool_input": {"command": command}},
                expected,
            )
            for host, event, tool, command, expected in asked
        ]


def claude_code() -> list[Row]:
    """A Claude Code project: the payload on stdin, the host's own reply on stdout."""
    project = HERE / "claude-code"
    engine = Engine.load(project / ".claude" / "settings.json", dialect="claude-code")
    expected = {
        "pre-tool-use-force-push": "deny",
        "pre-tool-use-plain-push": "no opinion",
        "pre-tool-use-make-test": "no opinion",
        "pre-tool-use-read-env": "deny",
        "post-tool-use-edit": "context",
        "user-prompt-submit": "context",
        "user-prompt-submit-aws-key": "block",
        "session-start": "context",
        "stop": "block",
        "stop-again": "no opinion",
        "notification": "no opinion",
    }
    return [_answered(engine, project, name, verdict) for name, verdict in expected.items()]


def _answered(engine: Engine, project: Path, name: str, expected: str) -> Row:
    payload = json.loads((project / "payloads" / f"{name}.json").read_text(encoding="utf-8"))
    payload["cwd"] = str(project)
    command = [
        sys.executable,
        "-m",
        "hookline",
        "answer",
        "claude-code",
        "--config",
        str(project / ".claude" / "settings.json"),
    ]
    began = time.perf_counter()
    done = subprocess.run(
        command, input=json.dumps(payload), capture_output=True, text=True, check=False
    )
    reply = json.loads(done.stdout) if done.stdout.strip() else {}
    specific = reply.get("hookSpecificOutput", {})
    verdict = (
        reply.get("decision")
        or specific.get("permissionDecision")
        or ("context" if "additionalContext" in specific else "no opinion")
    )
    if done.returncode not in (0, 2) or (not reply and done.stdout.strip()):
        verdict = f"exit {done.returncode}"
    reason = (
        reply.get("reason")
        or specific.get("permissionDecisionReason")
        or specific.get("additionalContext")
        or done.stderr
    )
    told = explain(
        engine, engine.event(payload["hook_event_name"], payload, dialect="claude-code"), run=False
    )
    hooks = sum(1 for hook in told["hooks"] if hook["selected"])
    return Row(
        "claude-code",
        payload["hook_event_name"],
        name,
        hooks,
        verdict,
        reason.strip(),
        time.perf_counter() - began,
        expected,
    )


def show(rows: list[Row]) -> None:
    """Print the table; what is not as expected is marked."""
    print(
        f"{'':2}{'dialect':13}{'event':20}{'what':27}{'hooks':>5}  "
        f"{'verdict':33}{'time':>8}  reason"
    )
    for row in rows:
        mark = "  " if row.fine else "✗ "
        reason = " ".join(row.reason.split())
        print(
            f"{mark}{row.dialect:13}{row.event:20}{row.what:27.26}{row.hooks:>5}  "
            f"{row.verdict:33.32}{row.seconds * 1000:>5.0f} ms  {reason:.70}"
        )


def main() -> int:
    """Run everything; 0 if each verdict is the expected one."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "GUIDELINES.md").write_text("Answer in short sentences.\n", encoding="utf-8")
        rows = docker_agent(folder) + agenthooks(folder) + claude_code() + several()
    show(rows)
    wrong = [row for row in rows if not row.fine]
    for row in wrong:
        print(
            f"✗ {row.dialect} {row.event} ({row.what}): got `{row.verdict}`, expected "
            f"`{row.expected}`",
            file=sys.stderr,
        )
    print(f"\n{len(rows) - len(wrong)} of {len(rows)} verdicts as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
