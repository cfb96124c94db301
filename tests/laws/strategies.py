"""Strategies for JSON values, verdicts, rules, events, outcomes, dialects, configurations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from hookline.core.dialect import FoldRule
from hookline.engine.catalog import NAMES, make_dialect
from hookline.model.event import (
    Compaction,
    Event,
    Generation,
    Lifecycle,
    Message,
    Prompt,
    Rewrite,
    Stop,
    ToolCall,
)
from hookline.model.kinds import NAMES as KINDS
from hookline.model.verdict import Failure, Outcome, Stance, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookline.core.dialect import Dialect, EventRow

ROOT = Path(__file__).parents[2]
# A slow machine is no fault of the code.
LAW = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
FEWER = settings(LAW, max_examples=LAW.max_examples // 4)
TARGETS = ("input", "text", "messages", "output", "summary")
POWERS = (
    "allow",
    "ask",
    "deny",
    "halt",
    *TARGETS,
    "context",
    "note",
    "retry",
    "env",
    "watch",
    "title",
)


def dialects() -> Iterator[Dialect]:
    """Every dialect, in every profile that changes what it reads or writes."""
    yield from (make_dialect(name) for name in NAMES if name != "hookline")
    yield make_dialect("docker-agent", {"profile": "d1"})
    yield make_dialect("docker-agent", {"exact": True})
    yield make_dialect("agenthooks", {"approver": True})


DIALECTS = tuple(dialects())


def label(dialect: Dialect) -> str:
    """A dialect's name in the list of tests."""
    return dialect.table.name


# -- JSON ------------------------------------------------------------------------------------------

texts = st.text(max_size=12)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
# What `json.dumps(allow_nan=False)` can say.
finite_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def objects_of(*keys: str) -> st.SearchStrategy[dict[str, Any]]:
    """Objects that use these keys far more often than chance would, with values of any shape."""
    known = st.sampled_from(keys) if keys else texts
    return st.dictionaries(known | texts, json_values, max_size=6)


# -- verdicts --------------------------------------------------------------------------------------

rewrites = st.builds(
    lambda target, value, merge: Rewrite(target=target, value=value, merge=merge),
    st.sampled_from((*TARGETS, "nonsense")),
    st.dictionaries(texts, scalars, max_size=3) | texts | st.lists(texts, max_size=2),
    st.booleans(),
)
effects = st.dictionaries(
    st.sampled_from(("env", "watch", "title", "route")),
    texts | st.lists(texts, max_size=2) | st.dictionaries(texts, texts, max_size=2),
    max_size=3,
)
verdicts = st.builds(
    Verdict,
    hook_id=st.sampled_from(("a", "b", "c", "d")),
    stance=st.sampled_from(Stance),
    reason=st.sampled_from(("", "one", "two")),
    evidence=st.none() | texts | st.dictionaries(texts, scalars, max_size=2),
    rewrite=st.none() | rewrites,
    for_agent=st.sampled_from(("", "context")),
    for_user=st.sampled_from(("", "note")),
    retry_after=st.none() | st.floats(0, 10),
    effects=effects,
    unsupported=st.sampled_from(((), ("teleport",))),
    ends=st.booleans(),
    fault=st.sampled_from((None, "broken")),
    shadow=st.booleans(),
)
rules = st.builds(
    FoldRule,
    joins_reasons=st.booleans(),
    drops_rewrite_when_denied=st.booleans(),
    firsts=st.frozensets(st.sampled_from(TARGETS)),
    exclusive=st.dictionaries(
        st.sampled_from(("route", "title")), st.just("they clash"), max_size=2
    ),
)
powers = st.frozensets(st.sampled_from(POWERS))

# -- events and outcomes ---------------------------------------------------------------------------

bodies = st.one_of(
    st.builds(
        lambda i, r: ToolCall(tool="bash", input=i, result=r),
        st.none() | st.dictionaries(texts, scalars, max_size=3),
        scalars,
    ),
    st.builds(lambda text: Prompt(prompt=text), texts),
    st.builds(lambda response: Generation(messages=[], response=response), texts),
    st.builds(lambda text: Message(text=text), scalars),
    st.builds(lambda summary: Compaction(summary=summary), scalars),
    st.just(Stop()),
    st.builds(lambda facts: Lifecycle(facts=facts), st.dictionaries(texts, scalars, max_size=3)),
)
events = st.builds(
    lambda kind, body: Event(kind=kind, body=body),
    st.sampled_from((*KINDS, "x.host.unheard")),
    bodies,
)
printed = st.one_of(
    texts,
    json_values.map(json.dumps),
    st.just("{not json"),
    st.just("\ufeff{}"),
    st.just("{} {}"),
    st.just("[" * 5000),
)


def outcomes(*keys: str) -> st.SearchStrategy[Outcome]:
    """Whatever a process may leave behind.

    Its output often is an object of these keys, nested in each other.
    """
    flat = objects_of(*keys)
    nested = st.builds(
        lambda outer, inner, key: {**outer, key: inner}, flat, flat, st.sampled_from(keys or ("x",))
    )
    return st.builds(
        Outcome,
        exit_code=st.sampled_from((None, 0, 0, 0, 1, 2, 127, -9, 255)),
        stdout=printed | flat.map(json.dumps) | nested.map(json.dumps),
        stderr=texts,
        failure=st.sampled_from((None, None, None, *Failure)),
        detail=texts,
        truncated=st.booleans(),
        leftovers=st.booleans(),
    )


# -- what a dialect's host sends -------------------------------------------------------------------


def least_payload(dialect: Dialect, row: EventRow) -> dict[str, Any]:
    """A payload with the fields that the row's body and the dialect require."""
    samples = {
        "@native": row.native,
        "@session_id": "s1",
        "@cwd": "/w",
        "tool": "bash",
        "prompt": "hello",
        "input": {"command": "ls"},
    }
    return {
        field.native: samples[field.fact]
        for field in (*dialect.table.base, *row.fields)
        if field.fact in samples
    }


def configurations(dialect: str) -> list[Path]:
    """The real configurations of a dialect under `examples/`."""
    found = {
        "docker-agent": ROOT.glob("examples/docker-agent/*.yaml"),
        "claude-code": ROOT.glob("examples/claude-code/.claude/settings.json"),
        "agenthooks": ROOT.glob("examples/agenthooks/*/HOOK.md"),
    }
    return sorted(found.get(dialect, ()))
