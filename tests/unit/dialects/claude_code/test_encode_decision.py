"""A decision on its way to Claude Code and back: what is said is what is read."""

from __future__ import annotations

from typing import Any

import pytest

from hookline.core.dialect import FoldRule, Source
from hookline.core.fit import fit
from hookline.core.fold import fold
from hookline.dialects.claude_code import ClaudeCode
from hookline.dialects.claude_code.table import TABLE
from hookline.model.event import Event, Rewrite
from hookline.model.verdict import Decision, Outcome, Reply, Stance, Verdict

DIALECT = ClaudeCode()
EFFECTS = {
    "title": "T",
    "watch": ["/w/a"],
    "initial_message": "go",
    "reload_skills": True,
    "hide_prompt": True,
    "classifier_context": "c",
    "content": {"action": "accept", "content": {"a": 1}},
    "terminal_sequence": "\x07",
}
REWRITES = {"input": {"command": "pwd"}, "output": "new", "text": "new"}
STANCES = {"allow": Stance.ALLOW, "ask": Stance.ASK, "deny": Stance.DENY, "halt": Stance.HALT}


def happening(native: str) -> Event:
    """An event of that name."""
    return DIALECT.decode_event(
        {
            "hook_event_name": native,
            "tool_name": "Bash",
            "tool_input": {"command": "ls"},
            "prompt": "p",
            "delta": "d",
        }
    )


def verdicts(native: str) -> dict[str, Verdict]:
    """One verdict for each thing that a hook can say on an event."""
    row = TABLE.row(native)
    assert row is not None
    said: dict[str, Verdict] = {}
    for power in sorted(row.powers):
        if power in STANCES:
            said[power] = Verdict(stance=STANCES[power], reason="why")
        elif power in REWRITES:
            stance = Stance.ALLOW if native == "PermissionRequest" else Stance.SILENT
            said[power] = Verdict(
                stance=stance, rewrite=Rewrite(target=power, value=REWRITES[power])
            )
        elif power in EFFECTS:
            said[power] = Verdict(effects={power: EFFECTS[power]})
    said["note"] = Verdict(for_user="mind this")
    said["deny and note"] = Verdict(stance=Stance.DENY, reason="why", for_user="mind this")
    said["context"] = Verdict(for_agent="one\ntwo")
    said["retry"] = Verdict(retry_after=0.0)
    said["defer"] = Verdict(stance=Stance.ASK, reason="later", effects={"defer": True})
    said["grant"] = Verdict(stance=Stance.ALLOW, effects={"grant": [{"type": "setMode"}]})
    said["path"] = Verdict(effects={"path": "/w/t"})
    return said


def decided(native: str, verdict: Verdict) -> Decision:
    """The decision that one verdict becomes, as far as the event can express it."""
    row = TABLE.row(native)
    assert row is not None
    return fit(fold([verdict], FoldRule(), happening(native)), row.powers)


def heard(native: str, reply: Reply) -> Verdict:
    """What a hook meant that would have printed the reply."""
    tree = {
        "hooks": {
            native: [{"hooks": [{"type": "command", "command": "hookline answer claude-code"}]}]
        }
    }
    spec = DIALECT.load(Source(tree=tree)).specs[0]
    outcome = Outcome(exit_code=reply.exit_code, stdout=reply.stdout, stderr=reply.stderr)
    return DIALECT.decode_outcome(outcome, spec, happening(native))


def meaning(decision: Decision) -> dict[str, Any]:
    """All that a decision asks of its host."""
    return {
        "stance": decision.stance,
        "reason": decision.reason,
        "rewrite": decision.rewrite and (decision.rewrite.target, decision.rewrite.value),
        "for_agent": decision.for_agent,
        "for_user": decision.for_user,
        "retry_after": decision.retry_after,
        "effects": dict(decision.effects),
    }


CASES = [(native, name) for native in TABLE.rows for name in verdicts(native)]


@pytest.mark.parametrize(("native", "name"), CASES)
def test_what_is_said_is_what_is_read(native: str, name: str) -> None:
    """`decode_outcome(encode_decision(d))` is `d`, for every event and all that it can express."""
    decision = decided(native, verdicts(native)[name])
    again = heard(native, DIALECT.encode_decision(decision, happening(native)))

    assert again.fault is None
    assert again.unsupported == ()
    assert meaning(decided(native, again)) == meaning(decision)


@pytest.mark.parametrize("native", [*TABLE.rows, "FromTheFuture"])
def test_silence_is_the_hosts_exact_no_op(native: str) -> None:
    """Exit 0 and not a byte."""
    assert (
        DIALECT.encode_decision(fold([], FoldRule(), happening(native)), happening(native))
        == Reply()
    )


def test_an_unknown_event_can_still_leave_a_note() -> None:
    """A newer host surely understands a note."""
    decision = Decision(
        kind="x.claude-code.New", dialect="claude-code", native_event="New", for_user=("mind",)
    )

    assert DIALECT.encode_decision(decision, happening("New")) == Reply(
        stdout='{"systemMessage": "mind"}\n'
    )


def test_an_event_without_a_native_name_is_answered_by_its_kind() -> None:
    """An event that a program made has a kind only."""
    event = Event(kind="stop")
    decision = Decision(
        kind="stop", dialect="claude-code", native_event="stop", stance=Stance.DENY, reason="go on"
    )

    assert (
        DIALECT.encode_decision(decision, event).stdout
        == '{"decision": "block", "reason": "go on"}\n'
    )


def test_an_input_without_an_allow_is_reported() -> None:
    """`PermissionRequest` has no field for it, so the user gets a notice."""
    decision = decided(
        "PermissionRequest", Verdict(rewrite=Rewrite(target="input", value={"command": "pwd"}))
    )

    assert (
        "`updatedInput` cannot be carried out"
        in DIALECT.encode_decision(decision, happening("PermissionRequest")).stdout
    )


def test_the_input_of_a_denied_call_is_not_sent() -> None:
    """There is no call to change."""
    verdict = Verdict(
        stance=Stance.DENY, reason="why", rewrite=Rewrite(target="input", value={"command": "pwd"})
    )

    assert (
        "updatedInput"
        not in DIALECT.encode_decision(
            decided("PreToolUse", verdict), happening("PreToolUse")
        ).stdout
    )


def test_a_note_beside_a_path_goes_to_stderr() -> None:
    """The last line of stdout is the path, so stdout has no room for JSON."""
    reply = DIALECT.encode_decision(
        decided("WorktreeCreate", Verdict(for_user="slow", effects={"path": "/w/t"})),
        happening("WorktreeCreate"),
    )

    assert reply == Reply(stdout="/w/t\n", stderr="slow\n")
