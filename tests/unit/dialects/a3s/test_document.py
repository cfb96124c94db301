"""Every example of the document, in Python, does what its text says."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from hookline.a3s import (
    GenerateEndEvent,
    GenerateStartEvent,
    Hook,
    HookEngine,
    HookEvent,
    HookEventType,
    HookMatcher,
    HookResponse,
    HookResult,
    PostToolUseEvent,
    PreToolUseEvent,
)


def tool_use(tool: str, session_id: str = "session-123", **args: Any) -> PreToolUseEvent:
    """A tool about to run."""
    return PreToolUseEvent(
        session_id=session_id, tool=tool, args=args, working_directory="/workspace", recent_tools=[]
    )


def tool_done(tool: str = "Bash", **args: Any) -> PostToolUseEvent:
    """A tool that ran."""
    result = {"success": True, "output": "ok", "exit_code": 0, "duration_ms": 12}
    return PostToolUseEvent(session_id="session-123", tool=tool, args=args, result=result)


def fire(engine: HookEngine, event: Any) -> HookResult:
    """Fire an event on a loop of its own."""
    return asyncio.run(engine.fire(event))


def test_block_dangerous_commands() -> None:
    """The hook blocks a recursive force deletion with the handler's reason, and nothing else."""
    engine = HookEngine.new()
    engine.register(
        Hook.new("block-rm-rf", HookEventType.PreToolUse)
        .with_matcher(HookMatcher.command(r"rm\s+-rf"))
        .with_config({"priority": 1})
    )
    engine.register_handler(
        "block-rm-rf",
        {
            "handle": lambda _: {
                "action": "Block",
                "reason": "Recursive force deletion is not allowed",
            }
        },
    )

    blocked = fire(engine, tool_use("Bash", command="cd /tmp && rm  -rf /"))

    assert (blocked.action, blocked.reason) == ("Block", "Recursive force deletion is not allowed")
    assert blocked.is_block()
    assert fire(engine, tool_use("Bash", command="rm file")).is_continue()
    assert fire(engine, tool_use("Write", command="rm -rf /")).is_continue()


def test_restrict_file_access() -> None:
    """Validation: a write outside the workspace is blocked, and the reason names the path."""
    engine = HookEngine.new()
    engine.register(
        Hook.new("restrict-writes", HookEventType.PreToolUse).with_matcher(
            HookMatcher.tool("Write")
        )
    )

    class RestrictWrites:
        def handle(self, event: HookEvent) -> dict[str, Any]:
            path = event.payload.args.file_path
            if not path.startswith("/workspace/"):
                return {
                    "action": "Block",
                    "reason": f"Write access denied: {path} is outside workspace",
                }
            return {"action": "Continue"}

    engine.register_handler("restrict-writes", RestrictWrites())

    assert (
        fire(engine, tool_use("Write", file_path="/etc/passwd")).reason
        == "Write access denied: /etc/passwd is outside workspace"
    )
    assert fire(engine, tool_use("Write", file_path="/workspace/a.py")).is_continue()
    assert fire(engine, tool_use("Read", file_path="/etc/passwd")).is_continue()


@pytest.mark.parametrize(("given", "timeout"), [({}, 30000), ({"timeout": 5}, 5)])
def test_modify_tool_arguments(given: dict[str, Any], timeout: int) -> None:
    """Transformation: every Bash command gets a timeout, unless it has one."""
    engine = HookEngine.new()
    engine.register(
        Hook.new("add-timeout", HookEventType.PreToolUse).with_matcher(HookMatcher.tool("Bash"))
    )

    def handle(event: HookEvent) -> dict[str, Any]:
        args = event.payload.args
        return {"action": "Continue", "modified": {**args, "timeout": args.timeout or 30000}}

    engine.register_handler("add-timeout", handle)

    result = fire(engine, tool_use("Bash", command="make", **given))

    assert result.action == "Continue"
    assert result.modified == {"command": "make", "timeout": timeout}


def test_audit_trail() -> None:
    """Logging: an asynchronous hook with priority 1000 writes one line for each tool that ran."""
    engine = HookEngine.new()
    lines: list[str] = []
    engine.register(
        Hook.new("audit-log", HookEventType.PostToolUse).with_config(
            {"async_execution": True, "priority": 1000}
        )
    )

    def handle(event: HookEvent) -> dict[str, Any]:
        payload = event.payload
        tool, args, result = payload.tool, payload.args, payload.result
        lines.append(
            json.dumps(
                {
                    "session": payload.session_id,
                    "tool": tool,
                    "args": args,
                    "success": result.success,
                    "duration_ms": result.duration_ms,
                }
            )
        )
        return {"action": "Continue"}

    engine.register_handler("audit-log", {"handle": handle})

    result = fire(engine, tool_done(command="ls"))
    engine.close()

    assert result.is_continue()
    assert [json.loads(line) for line in lines] == [
        {
            "session": "session-123",
            "tool": "Bash",
            "args": {"command": "ls"},
            "success": True,
            "duration_ms": 12,
        }
    ]


def test_token_budget() -> None:
    """Cost control: usage is counted by session, and exceeding it is warned of."""
    engine = HookEngine.new()
    tokens: dict[str, int] = {}
    warnings: list[str] = []
    engine.register(Hook.new("token-budget", HookEventType.GenerateEnd))

    def handle(event: HookEvent) -> dict[str, Any]:
        session_id, usage = event.payload.session_id, event.payload.usage
        updated = tokens.get(session_id, 0) + usage.total_tokens
        tokens[session_id] = updated
        if updated > 100000:
            warnings.append(f"Session {session_id} exceeded 100k tokens")
        return {"action": "Continue"}

    engine.register_handler("token-budget", {"handle": handle})
    usage = {"prompt_tokens": 40000, "completion_tokens": 20000, "total_tokens": 60000}

    for _ in range(2):
        end = GenerateEndEvent(
            session_id="s", prompt="p", response_text="r", tool_calls=[], usage=usage, duration_ms=1
        )
        assert fire(engine, end).is_continue()

    assert tokens == {"s": 120000}
    assert warnings == ["Session s exceeded 100k tokens"]


def test_rate_limit_handling() -> None:
    """Retry logic: a rate-limited session is told to wait five seconds.

    The runtime waits, and then goes on.
    """
    engine = HookEngine.new()
    limited = {"s": 2}
    waits: list[float] = []
    engine.register(Hook.new("rate-limit-retry", HookEventType.GenerateStart))

    def handle(event: HookEvent) -> dict[str, Any]:
        if limited[event.payload.session_id] > 0:
            return {"action": "Retry", "retry_delay_ms": 5000}
        return {"action": "Continue"}

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        limited["s"] -= 1

    engine.register_handler("rate-limit-retry", {"handle": handle})
    start = GenerateStartEvent(
        session_id="s", prompt="p", model_provider="acme", model_name="m", available_tools=[]
    )

    assert fire(engine, start).to_dict() == {
        "action": "Retry",
        "retry_delay_ms": 5000,
        "hook_id": "rate-limit-retry",
    }
    assert asyncio.run(engine.fire_with_retries(start, sleep=sleep)).is_continue()
    assert waits == [5.0, 5.0]


def test_priority() -> None:
    """The security check (priority 10) runs first, the audit log (priority 1000) last.

    Definitions may be plain objects.
    """
    engine = HookEngine.new()
    ran: list[str] = []
    engine.register({"id": "audit-log", "event_type": "pre_tool_use", "config": {"priority": 1000}})
    engine.register(
        {"id": "security-check", "event_type": "pre_tool_use", "config": {"priority": 10}}
    )
    for hook_id in ("audit-log", "security-check"):
        engine.register_handler(hook_id, {"handle": lambda _, hook_id=hook_id: ran.append(hook_id)})

    assert fire(engine, tool_use("Bash")).is_continue()
    assert ran == ["security-check", "audit-log"]


def test_async_execution() -> None:
    """An asynchronous hook always continues at once, whatever it answers."""
    engine = HookEngine.new()
    engine.register(
        {
            "id": "metrics-reporter",
            "event_type": "post_tool_use",
            "config": {"async_execution": True},
        }
    )
    engine.register_handler("metrics-reporter", {"handle": lambda _: {"action": "Block"}})

    assert fire(engine, tool_done()).is_continue()
    engine.close()


@pytest.mark.parametrize(
    ("matcher", "event", "selected"),
    [
        ({"tool": "Bash"}, tool_use("Bash"), True),
        ({"tool": "Bash"}, tool_use("Write"), False),
        ({"path_pattern": "*.rs"}, tool_use("Write", file_path="src/deep/main.rs"), True),
        ({"path_pattern": "*.rs"}, tool_use("Write", file_path="main.ts"), False),
        ({"path_pattern": "src/**/*.ts"}, tool_use("Write", file_path="src/a/b.ts"), True),
        ({"path_pattern": "src/**/*.ts"}, tool_use("Write", file_path="lib/b.ts"), False),
        ({"command_pattern": r"rm\s+-rf"}, tool_use("Bash", command="rm -rf x"), True),
        ({"command_pattern": r"^git\s+"}, tool_use("Bash", command="git status"), True),
        ({"command_pattern": r"^git\s+"}, tool_use("Bash", command="cd x; git status"), False),
        ({"session_id": "session-123"}, tool_use("Bash"), True),
        ({"session_id": "session-123"}, tool_use("Bash", session_id="session-124"), False),
        (
            {"tool": "Bash", "command_pattern": "rm", "session_id": "session-123"},
            tool_use("Bash", command="rm x"),
            True,
        ),
        (
            {"tool": "Bash", "command_pattern": "rm", "session_id": "session-123"},
            tool_use("Bash", command="ls"),
            False,
        ),
        ({}, tool_use("Anything"), True),
        (
            {"tool": "Bash", "command_pattern": r"^sudo\s+"},
            tool_use("Bash", command="sudo rm"),
            True,
        ),
    ],
)
def test_matchers(matcher: dict[str, str], event: PreToolUseEvent, *, selected: bool) -> None:
    """The matchers of the text select what it says, given as plain objects."""
    engine = HookEngine.new()
    engine.register(
        {"id": "hook", "event_type": "pre_tool_use", "matcher": matcher},
        lambda _: HookResponse.block("seen"),
    )

    assert fire(engine, event).is_block() is selected
    assert [hook.id for hook in engine.matching_hooks(event)] == (["hook"] if selected else [])


def test_handle_errors_gracefully() -> None:
    """A handler that catches its own error and continues does not block."""
    engine = HookEngine.new()
    engine.register(Hook.new("my-hook", HookEventType.PreToolUse))
    errors: list[str] = []

    def handle(event: HookEvent) -> dict[str, Any]:
        try:
            return {"action": "Block", "reason": event.payload.missing}
        except AttributeError as error:
            errors.append(f"Hook error: {error}")
            return {"action": "Continue"}

    engine.register_handler("my-hook", {"handle": handle})

    assert fire(engine, tool_use("Bash", command="ls")).is_continue()
    assert errors[0].startswith("Hook error: there is no `missing`, only session_id, tool, args")


def test_use_async_for_logging() -> None:
    """A logger that is asynchronous does not slow down the agent: it ends after the fire has."""
    engine = HookEngine.new()
    order: list[str] = []
    engine.register(
        Hook.new("logger", HookEventType.PostToolUse).with_config({"async_execution": True})
    )

    async def main() -> None:
        fired = asyncio.Event()

        async def handle(event: HookEvent) -> None:
            await fired.wait()
            order.append(f"logged {event.payload.tool}")

        engine.register_handler("logger", handle)
        await engine.fire(tool_done())
        order.append("fired")
        fired.set()
        await engine.aclose()

    asyncio.run(main())
    assert order == ["fired", "logged Bash"]
