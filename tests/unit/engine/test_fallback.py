"""The reply when hookline cannot decide: a refusal before an action, else a notice."""

from __future__ import annotations

import json

import pytest

from hookline.engine.catalog import NAMES, make_dialect
from hookline.engine.fallback import find_fallback
from hookline.model import kinds
from hookline.model.verdict import Reply

EVENTS = [(name, native) for name in NAMES for native in make_dialect(name).table.rows]
REFUSALS = {"deny", "block", "Block"}


def naming(dialect: str, native: str) -> bytes:
    """A payload that breaks off after it named an event."""
    key = make_dialect(dialect).table.event_keys()[0]
    return b'{"session_id": "s", "%s" : "%s", "x": [{' % (key.encode(), native.encode())


def is_refusal(reply: Reply) -> bool:
    """Whether a host takes a reply for a refusal."""
    if reply.exit_code:
        return True
    said = json.loads(reply.stdout) if reply.stdout else {}
    if said.get("cancel"):
        return True
    inner = (said, *(part for part in said.values() if isinstance(part, dict)))
    words = {str(value) for part in inner for value in part.values()}
    deeper = {
        str(p.get("behavior")) for part in inner for p in part.values() if isinstance(p, dict)
    }
    return bool(REFUSALS & (words | deeper))


@pytest.mark.parametrize(("dialect", "native"), EVENTS)
def test_only_what_comes_before_an_action_is_refused(dialect: str, native: str) -> None:
    """Tools, permissions and messages are refused; stops, prompts and compactions are not."""
    row = make_dialect(dialect).table.row(native)
    assert row is not None
    found = find_fallback(dialect, naming(dialect, native), "no payload", acts=True)

    assert found.refuses is (row.kind in kinds.ACTIONS)
    assert is_refusal(found.reply) is found.refuses
    assert "hookline: no payload" in found.reply.stdout + found.reply.stderr or (
        found.refuses and dialect == "cursor"  # its event for a tab's file has no message
    )


def test_the_actions_are_tools_permissions_and_messages() -> None:
    """The kinds that refuse are data, and each of them is a gate."""
    assert {
        "tool.before", "tool.permission.request", "shell.before", "file.read.before",
        "file.write.before",
        "mcp.before", "message.outbound",
    } == kinds.ACTIONS  # fmt: skip
    assert all(kinds.kind(name).is_gate for name in kinds.ACTIONS)


@pytest.mark.parametrize(
    ("sent", "acts", "strict", "refused"),
    [
        (b"", True, False, True),
        (b"", None, False, True),
        (b"", False, False, False),
        (b"", False, True, True),
        (b'{"tool_input": {}, "last": "Stop"', True, True, False),
        (b'{"hook_event_name": "New"', True, False, True),
        (b'{"hook_event_name": "UserPromptSubmit"', True, True, False),
    ],
)
def test_an_event_without_a_name_is_refused_if_a_hook_guards_an_action(
    sent: bytes, *, acts: bool | None, strict: bool, refused: bool
) -> None:
    """It is a notice if the bytes name a stop event, or if no hook guards an action."""
    found = find_fallback("claude-code", sent, "no payload", acts=acts, strict=strict)

    assert found.refuses is refused
    assert found.reply == Reply(stderr="hookline: no payload\n", exit_code=2 if refused else 0) or (
        b"UserPromptSubmit" in sent
    )


@pytest.mark.parametrize(
    "arguments", [b'{"hook_event_name": "Stop"}', b'[{"hook_event_name": "Stop"}]', b'"a\\"}{"']
)
def test_the_arguments_of_a_tool_do_not_name_the_event(arguments: bytes) -> None:
    """An action counts, whatever else a broken payload names."""
    sent = b'{"tool_input": %s, "hook_event_name": "PreToolUse", ' % arguments

    assert json.loads(find_fallback("claude-code", sent, "no").reply.stdout)[
        "hookSpecificOutput"
    ] == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "hookline: no",
    }


def test_the_command_line_names_the_event_better_than_the_payload() -> None:
    """A host with one entry for each event needs no event in its payload."""
    assert (
        '"deny"'
        in find_fallback("copilot", b"{", "no", event="preToolUse", acts=False).reply.stdout
    )
    assert find_fallback("copilot", b"{", "no", event="agentStop").reply.exit_code == 0


@pytest.mark.parametrize(
    ("sent", "refused"),
    [
        (b'{"hook_event_name": "PreToolUse"', True),
        (b'{"event": "pre_tool_call"', True),
        (b'{"hook_event_name": "Stop"', False),
        (b"{", True),
    ],
)
def test_a_host_that_is_unknown_is_refused_by_the_exit_code(sent: bytes, *, refused: bool) -> None:
    """Another host may have the same name for its event."""
    assert find_fallback("cloud-code", sent, "unknown dialect").reply == Reply(
        stderr="hookline: unknown dialect\n", exit_code=2 if refused else 0
    )


def test_no_text_is_printed_where_the_host_expects_a_path() -> None:
    """Claude Code takes the last line of stdout for the folder of the new worktree."""
    assert find_fallback(
        "claude-code", naming("claude-code", "WorktreeCreate"), "no"
    ).reply == Reply(stderr="hookline: no\n")
