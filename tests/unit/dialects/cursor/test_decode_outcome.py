"""Reading: total for any output, and what a hook says to the events of other hosts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookline.dialects.cursor import Cursor
from hookline.dialects.cursor.table import KEYS, TABLE
from hookline.model.event import Event, Stop, ToolCall
from hookline.model.spec import Command, HookSpec
from hookline.model.verdict import Outcome, Stance, Verdict
from hookline.wire.hookoutput import to_json_line

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=6)
    | st.sampled_from(["allow", "ask", "deny"])
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2)
    ),
)
objects = st.dictionaries(st.sampled_from([*KEYS, "decision"]), values, max_size=5)


def hook(native: str, **fields: Any) -> HookSpec:
    """A hook of a native event."""
    return HookSpec(
        id="h",
        dialect="cursor",
        kind=TABLE.rows[native].kind,
        native_event=native,
        handler=Command(script="x"),
        **fields,
    )


def said(native: str, event: Event, stdout: dict[str, Any], **fields: Any) -> Verdict:
    """The verdict of a hook that printed this and exited with 0."""
    return Cursor().decode_outcome(
        Outcome(exit_code=0, stdout=to_json_line(stdout)), hook(native, **fields), event
    )


@given(
    native=st.sampled_from(list(TABLE.rows)),
    output=objects,
    exit_code=st.sampled_from([0, 0, 0, 1, 2]),
    closed=st.booleans(),
)
@settings(deadline=None)
def test_any_output_is_a_verdict_that_can_be_answered(
    native: str, output: dict[str, Any], exit_code: int, *, closed: bool
) -> None:
    """Nothing is claimed that the event does not know."""
    cursor, row = Cursor(), TABLE.row(native)
    assert row is not None
    event = cursor.decode_event({"tool_name": "Shell", "prompt": ""}, native)
    spec = hook(native, on_failure=Stance.DENY if closed else Stance.SILENT)
    verdict = cursor.decode_outcome(
        Outcome(exit_code=exit_code, stdout=to_json_line(output)), spec, event
    )

    assert verdict.hook_id == "h"
    if verdict.fault is None:
        powers = {Stance.SILENT: "", Stance.ALLOW: "allow", Stance.ASK: "ask", Stance.DENY: "deny"}
        assert powers[verdict.stance] in {"", *row.powers}
        assert set(verdict.effects) <= row.powers
        assert verdict.rewrite is None or verdict.rewrite.target in row.powers_on("Shell")


@pytest.mark.parametrize(
    ("tool", "rewritten"), [("MCP:q", True), ("mcp__s__q", True), ("Bash", False)]
)
def test_an_mcp_tool_is_known_by_its_name_in_any_host(tool: str, rewritten: bool) -> None:
    """By this host's prefix or that of Claude's family (docs/formats/comparison.md 12)."""
    event = Event(kind="tool.after", dialect="other", body=ToolCall(tool=tool))
    verdict = said("postToolUse", event, {"updated_mcp_tool_output": "x"})

    assert (verdict.rewrite is not None) is rewritten
    assert verdict.unsupported == (
        () if rewritten else ("output: only the output of an MCP tool can be rewritten",)
    )


def test_another_host_keeps_its_own_limit_of_follow_ups() -> None:
    """There the hook's own limit only ever lowers the count."""
    event = Event(kind="stop", dialect="other", body=Stop(facts={"stop_block_count": 4}))

    assert (
        said("stop", event, {"followup_message": "go on"}, facts={"loop_limit": 5}).redo_limit
    ) is None
    assert (
        said("stop", event, {"followup_message": "go on"}, facts={"loop_limit": 4}).stance
        is Stance.SILENT
    )
    assert (
        said(
            "stop",
            event.replace(dialect="cursor"),
            {"followup_message": "go on"},
            facts={"loop_limit": None},
        ).redo_limit
        == 0
    )


def test_a_hook_of_no_event_that_is_known_has_failed() -> None:
    """As a newer file may declare it."""
    spec = hook("stop").replace(native_event="beforeTeleport")

    assert (
        Cursor().decode_outcome(Outcome(exit_code=1), spec, Event(kind="stop")).fault
        == "exited with status 1"
    )
