"""The dialect on events of other hosts, and the host's no-op."""

from __future__ import annotations

import json

import pytest

from hookline.core.dialect import Source
from hookline.core.fit import fit
from hookline.core.fold import fold
from hookline.dialects.agenthooks import AgentHooks
from hookline.model.event import Event, Rewrite, Stop, ToolCall
from hookline.model.verdict import Decision, Reply, Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.spec import HookSpec

DIALECT = AgentHooks()


def spec(trigger: str) -> HookSpec:
    tree = {"name": "guard", "description": "d", "trigger": trigger}
    return DIALECT.load(Source(tree=tree)).specs[0]


def test_an_event_of_another_host_is_sent_complete() -> None:
    """Base fields are always there.

    What the host did not say is empty, its time too: the pure floor has no clock.
    """
    event = Event(
        kind="tool.before",
        dialect="claude-code",
        session_id="s",
        cwd="/w",
        body=ToolCall(tool="Bash", input={"command": "ls"}),
    )

    assert json.loads(DIALECT.encode_event(event, spec("before_tool"))) == {
        "event_type": "before_tool", "timestamp": "", "session_id": "s", "work_dir": "/w",
        "context": {},
        "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "",
    }  # fmt: skip


def test_a_time_among_the_facts_is_sent() -> None:
    """A host that has a clock puts the time there."""
    event = Event(
        kind="tool.before", body=ToolCall(tool="Bash", facts={"timestamp": "2031-01-01T00:00:00Z"})
    )

    assert (
        json.loads(DIALECT.encode_event(event, spec("before_tool")))["timestamp"]
        == "2031-01-01T00:00:00Z"
    )


def test_a_last_message_that_is_a_text_becomes_a_message() -> None:
    """The format wants role and content."""
    event = Event(
        kind="stop", dialect="claude-code", body=Stop(stop_hook_active=True, last_message="Done.")
    )
    sent = json.loads(DIALECT.encode_event(event, spec("pre-agent-turn-stop")))

    assert sent["final_message"] == {"role": "assistant", "content": "Done."}
    assert sent["stop_hook_active"] is True
    assert sent["stop_reason"] == "no_tool_calls"


@pytest.mark.parametrize("native", [*DIALECT.table.rows, *DIALECT.table.aliases])
def test_a_silent_decision_is_the_hosts_no_op(native: str) -> None:
    """No output and exit 0."""
    event = DIALECT.decode_event({"event_type": native, "tool_name": "Shell"})
    reply = DIALECT.encode_decision(fold([], DIALECT.table.fold, event), event)

    assert (reply.stdout, reply.stderr, reply.exit_code) == ("", "", 0)


def test_a_vouch_of_another_dialects_hook_cannot_be_said() -> None:
    """`allow` is what silence means, so it would vouch for nothing.

    The decision says that it is lost (docs/formats/agenthooks.md 8).
    """
    row = DIALECT.table.row("pre-tool-call")
    assert row is not None
    decision = Decision(
        kind="tool.before",
        dialect="agenthooks",
        native_event="pre-tool-call",
        stance=Stance.ALLOW,
        reason="fine",
    )
    fitted = fit(decision, row.powers)

    assert [entry.effect for entry in fitted.lowered] == ["allow"]
    assert DIALECT.encode_decision(fitted, Event(kind="tool.before")) == Reply()


def test_a_rewrite_is_sent_as_what_changed() -> None:
    """The host merges, so only the patch is sent; notes go to its log."""
    decision = Decision(
        kind="tool.before",
        dialect="agenthooks",
        native_event="pre-tool-call",
        rewrite=Rewrite(target="input", value={"a": 1, "b": 2}, patch={"b": 2}),
        for_agent=("one", "two"),
        for_user=("careful",),
    )
    reply = DIALECT.encode_decision(decision, Event(kind="tool.before"))

    assert json.loads(reply.stdout) == {
        "decision": "allow",
        "modified_input": {"b": 2},
        "additional_context": "one\ntwo",
        "log": "careful",
    }
