"""Plays: the dispatcher on a stage of its own, with scripted outcomes instead of processes.

The stage is a dialect whose outcomes carry the verdict itself, so that a play says what hooks do
and nothing about wires.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from hookline.core.dialect import EventRow, Loaded, Table
from hookline.core.dispatch import Run, dispatch
from hookline.core.failure import make_failed_verdict
from hookline.core.plan import plan
from hookline.core.registry import Registry
from hookline.model.event import Event, Rewrite, ToolCall
from hookline.model.spec import Command, HookSpec, Origin
from hookline.model.verdict import Failure, Outcome, Reply, Stance, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

    from hookline.core.dialect import Dialect, Source
    from hookline.model.event import Json
    from hookline.model.verdict import Decision

    Line: TypeAlias = Verdict | Outcome | Callable[[Event], Verdict | Outcome]

ALL_POWERS = frozenset(
    {
        "allow",
        "ask",
        "deny",
        "halt",
        "input",
        "output",
        "summary",
        "text",
        "messages",
        "context",
        "note",
        "retry",
    }
)
# What every play is about, unless it says otherwise: a call of a shell.
CALL = Event(
    kind="tool.before",
    dialect="stage",
    native_name="before",
    session_id="s1",
    cwd="/w",
    body=ToolCall(tool="bash", input={"command": "ls", "depth": 1}),
)


def row(native: str = "before", kind: str = "tool.before", **columns: Any) -> EventRow:
    """A row on which everything may be said, and hooks run one after the other."""
    return EventRow(
        **{
            "native": native,
            "kind": kind,
            "body": ToolCall,
            "powers": ALL_POWERS,
            "parallel": False,
            "blocks": Stance.DENY,
            **columns,
        }
    )


class Stage:
    """A dialect for plays.

    Its hooks are sent the event's kind and input; their outcomes carry a verdict as the answer.
    """

    def __init__(self, *rows: EventRow, name: str = "stage", **columns: Any) -> None:
        self.table = Table(
            name=name, rows={each.native: each for each in rows or (row(),)}, **columns
        )

    def load(self, source: Source) -> Loaded:  # noqa: ARG002 - the protocol's
        return Loaded()

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        return Loaded(specs=specs)

    # The protocol's.
    def decode_event(self, payload: Json, native: str = "") -> Event:  # noqa: ARG002
        return CALL.replace(native_name=native, dialect=self.table.name)

    def encode_event(self, event: Event, spec: HookSpec) -> str:  # noqa: ARG002 - the protocol's
        return json.dumps({"kind": event.kind, "input": event.input}, allow_nan=False) + "\n"

    def decode_outcome(self, outcome: Outcome, spec: HookSpec, event: Event) -> Verdict:  # noqa: ARG002 - the protocol's
        if outcome.failure is not None or outcome.stdout:
            return make_failed_verdict(
                spec, outcome, "" if outcome.failure else "stdout cannot be read"
            )
        said = outcome.answer if outcome.answer is not None else Verdict()
        return said.replace(hook_id=spec.id, shadow=spec.shadow)

    # The protocol's.
    def encode_decision(self, decision: Decision, event: Event) -> Reply:  # noqa: ARG002
        return Reply()


STAGE = Stage()


def hook(
    hook_id: str,
    /,
    *,
    scope: str = "explicit",
    stage: Dialect = STAGE,
    native: str = "before",
    **fields: Any,
) -> HookSpec:
    """A hook of a stage; its script is its id."""
    kind = fields.pop("kind", None) or next(
        each.kind for each in stage.table.rows.values() if each.native == native
    )
    given = {"handler": Command(script=hook_id), "origin": Origin(scope=scope), **fields}
    return HookSpec(id=hook_id, dialect=stage.table.name, kind=kind, native_event=native, **given)


class Play:
    """What happened: the batches, what each hook saw, which hooks were started, the decision."""

    def __init__(self, decision: Decision, batches: list[list[Run]], started: list[Run]) -> None:
        self.decision = decision
        self.batches = [[run.spec.id for run in batch] for batch in batches]
        self.asked = [name for batch in self.batches for name in batch]
        self.started = [run.spec.id for run in started]
        self.order = self.asked + self.started
        self.seen: dict[str, list[Event]] = {}
        for run in [run for batch in batches for run in batch] + started:
            self.seen.setdefault(run.spec.id, []).append(run.event)

    def verdict(self, name: str) -> Verdict:
        """The one verdict of a hook."""
        (verdict,) = [verdict for verdict in self.decision.verdicts if verdict.hook_id == name]
        return verdict


def play(
    cast: Sequence[HookSpec] | Mapping[Dialect, Sequence[HookSpec]],
    script: Mapping[str, Line],
    *,
    event: Event = CALL,
    stage: Dialect = STAGE,
    reexamine: bool = False,
    clock: Callable[[], float] = lambda: 0.0,
) -> Play:
    """Raise an event on a stage. The cast are hooks of that stage, or hooks by their own stages.

    Who has no line is silent.
    """
    registry = Registry()
    for whose, specs in (cast if isinstance(cast, Mapping) else {stage: cast}).items():
        registry = registry.with_([spec.replace(strict=reexamine) for spec in specs], whose)
    asking = dispatch(plan(registry, event, stage), event, clock)
    batches: list[list[Run]] = []
    started: list[Run] = []
    try:
        runs = next(asking)
        while True:
            if runs[0].detached:
                started.extend(runs)
            else:
                batches.append(list(runs))
            runs = asking.send(
                tuple(_spoken(script.get(run.spec.id, Verdict()), run) for run in runs)
            )
    except StopIteration as stop:
        return Play(stop.value, batches, started)


def _spoken(line: Line, run: Run) -> Outcome:
    if run.detached:
        return Outcome()
    said = line(run.event) if callable(line) else line
    return said if isinstance(said, Outcome) else Outcome(exit_code=0, answer=said)


# -- lines -----------------------------------------------------------------------------------------

DENIES = Verdict(stance=Stance.DENY, reason="no")
ASKS = Verdict(stance=Stance.ASK, reason="sure?")
ALLOWS = Verdict(stance=Stance.ALLOW, reason="fine")
TIMED_OUT = Outcome(failure=Failure.TIMED_OUT)
GARBAGE = Outcome(exit_code=0, stdout="{not json")


def patches(**patch: Any) -> Verdict:
    """A verdict that changes some keys of the input."""
    return Verdict(rewrite=Rewrite(target="input", value=patch, merge=True))


def replaces(target: str, value: Json) -> Verdict:
    """A verdict that replaces a whole target."""
    return Verdict(rewrite=Rewrite(target=target, value=value))
