"""The dispatcher returns a decision and never raises, for any output and end of a hook."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from hookline.core.dialect import Source
from hookline.core.dispatch import dispatch
from hookline.core.plan import plan
from hookline.core.registry import Registry
from hookline.engine.catalog import make_dialect
from hookline.model.verdict import Decision, Outcome, Reply, Stance
from tests.laws.strategies import LAW, outcomes

if TYPE_CHECKING:
    from hookline.core.dialect import Dialect
    from hookline.core.dispatch import Run

KEYS = (
    "continue", "stopReason", "systemMessage", "decision", "reason", "hookSpecificOutput",
    "hookEventName", "permissionDecision", "updatedInput", "additionalContext", "modified_input",
    "additional_context", "metadata",
)  # fmt: skip
HOOK = {"type": "command", "command": "true"}
# Two hooks a source on the call of a tool, in the words of each dialect.
SOURCES = {
    "docker-agent": [
        Source(tree={"hooks": {"pre_tool_use": [{"hooks": [HOOK, {**HOOK, "on_error": "block"}]}]}})
    ],
    "claude-code": [
        Source(tree={"hooks": {"PreToolUse": [{"hooks": [HOOK, {**HOOK, "timeout": 1}]}]}})
    ],
    "agenthooks": [
        Source(
            tree={"name": name, "description": "x", "trigger": "pre-tool-call"},
            file=f"/h/{name}/HOOK.md",
        )
        for name in ("one", "two")
    ],
}
PAYLOADS = {
    "docker-agent": ("pre_tool_use", {"tool_name": "shell", "tool_input": {"cmd": "ls"}}),
    "claude-code": ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}}),
    "agenthooks": ("pre-tool-call", {"tool_name": "bash", "tool_input": {"command": "ls"}}),
}
DIALECTS: dict[str, Dialect] = {name: make_dialect(name) for name in SOURCES}


def registry() -> Registry:
    """The hooks of all dialects on one registry."""
    known = Registry()
    for name, sources in SOURCES.items():
        dialect = DIALECTS[name]
        specs = [spec for source in sources for spec in dialect.load(source).specs]
        known = known.with_(dialect.combine(tuple(specs)).specs, dialect)
    return known


REGISTRY = registry()


class Stagehand:
    """Answers each run with the next outcome, round and round."""

    def __init__(self, said: list[Outcome]) -> None:
        self.said = said
        self.count = 0

    def __call__(self, run: Run) -> Outcome:
        self.count += 1
        return Outcome() if run.detached else self.said[self.count % len(self.said)]


def test_every_dialect_has_hooks_on_this_stage() -> None:
    """The fuzz target is not empty: hooks of every dialect take part in every host's event."""
    for name, dialect in DIALECTS.items():
        native, payload = PAYLOADS[name]
        drawn = plan(REGISTRY, dialect.decode_event(payload, native), dialect)

        assert {entry.spec.dialect for group in drawn.groups for entry in group.steps} == set(
            SOURCES
        )


@settings(LAW)
@given(
    host=st.sampled_from(sorted(SOURCES)),
    said=st.lists(outcomes(*KEYS), min_size=1, max_size=6),
    strict=st.booleans(),
)
def test_whatever_hooks_print_there_is_a_decision(
    host: str, said: list[Outcome], *, strict: bool
) -> None:
    """The dispatcher returns a decision and never raises, for any output and end of a hook."""
    dialect = DIALECTS[host]
    native, payload = PAYLOADS[host]
    event = dialect.decode_event(payload, native)
    perform = Stagehand(said)
    asking = dispatch(
        plan(Registry().with_((), dialect) if not said else REGISTRY, event, dialect), event
    )
    try:
        runs = next(asking)
        while True:
            runs = asking.send(tuple(perform(run) for run in runs))
    except StopIteration as stop:
        decision: Decision = stop.value
    reply = dialect.encode_decision(decision, event)

    assert isinstance(decision.stance, Stance)
    assert isinstance(reply, Reply)
    assert json.loads(json.dumps(decision.to_dict()))["schema"] == "hookline.decision/1"
