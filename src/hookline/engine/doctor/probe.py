"""Asks one hook alone about a harmless event of its kind, without a host, a model or a tool."""

from __future__ import annotations

from time import perf_counter

from hookline.core.dispatch import Run, dispatch
from hookline.core.failure import judge_unrun
from hookline.core.interpretation import interpret
from hookline.core.plan import Group, Plan
from hookline.engine.guard_calls import try_guard
from hookline.handlers.table import call, perform_all
from hookline.model import tools
from hookline.model.event import (
    Body,
    Compaction,
    Event,
    Generation,
    Lifecycle,
    Message,
    Prompt,
    Stop,
    ToolCall,
)
from hookline.model.kinds import kind
from hookline.model.spec import HookSpec, InProcess, OneOf
from hookline.model.verdict import Outcome, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.core.dialect import Dialect
    from hookline.core.registry import Entry
    from hookline.engine.engine import Engine
    from hookline.trust.gate import Gate


SESSION = "hookline-doctor"
# A command that no guard should refuse.
HARMLESS = "true"
TEXT = "This is a test by hookline doctor."

_BODIES: Mapping[type[Body], Callable[[], Body]] = {
    Prompt: lambda: Prompt(prompt=TEXT),
    Generation: lambda: Generation(
        model="test/model", messages=[{"role": "user", "content": TEXT}], response=TEXT
    ),
    Message: lambda: Message(text=TEXT),
    Compaction: lambda: Compaction(trigger="manual"),
    Stop: lambda: Stop(last_message=TEXT),
}


def make_event(spec: HookSpec, dialect: Dialect, cwd: str) -> Event:
    """Return a harmless event of a hook's kind, as its own host would raise it.

    A hook that names tools gets the first of these; any other gets the host's shell tool.
    """
    row = dialect.table.row(spec.native_event) or dialect.table.row_of_kind(spec.kind)
    wanted = row.body if row else Lifecycle
    body = (
        _make_call(spec, dialect.table.name)
        if wanted is ToolCall
        else _BODIES.get(wanted, wanted)()
    )
    return Event(
        kind=spec.kind,
        dialect=dialect.table.name,
        native_name=row.native if row else "",
        session_id=SESSION,
        cwd=cwd,
        body=body,
    )


def _make_call(spec: HookSpec, dialect: str) -> ToolCall:
    named = sorted(
        name
        for each in spec.conditions
        if isinstance(each, OneOf) and each.field == "tool"
        for name in each.names
    )
    tool = (named or tools.list_names("shell", dialect) or ("shell",))[0]
    key = tools.input_names(tool, dialect, dialect).get("command", "command")
    is_shell = "shell" in tools.families(tool, dialect)
    done = spec.kind.endswith((".after", ".failed"))
    return ToolCall(
        tool=tool,
        input={key: HARMLESS} if is_shell else {},
        call_id="hookline-doctor-1",
        result="" if done else None,
    )


# Tells a hook that this is a test: the variable is set to 1.
VARIABLE = "HOOKLINE_DOCTOR"


def ask_hook(
    engine: Engine, entry: Entry, event: Event, gate: Gate | None, seconds: float
) -> tuple[Outcome | None, Verdict]:
    """Ask one hook about an event regardless of its conditions.

    All else is as in production: payload, process, limits, trust, reading. Only a guard neither
    remembers nor writes nor sends anything.

    Returns:
        Its outcome, None if it was not reached; and its verdict.
    """
    if gate is not None:
        stopped = gate.check_before(Run(spec=entry.spec, event=event))
        if isinstance(stopped, Outcome):
            return stopped, judge_unrun(entry.spec, stopped)
    # Its conditions stay, so that messages describe it as declared. Its predicates are what is
    # asked.
    spec = entry.spec.replace(detached=False, once=False, timeout=min(entry.spec.timeout, seconds))
    bare = entry.replace(spec=spec, tools=None, on_tool=(), content=())
    group = Group(dialect=entry.dialect, steps=(bare,), detached=(), parallel=False)
    powers = entry.row.powers if entry.row else kind(spec.kind).powers
    plan = Plan(groups=(group,), rule=entry.dialect.table.fold, powers=powers)
    try:
        runs = next(dispatch(plan, event, perf_counter))
    except StopIteration as unasked:
        return None, unasked.value.verdicts[0]
    guarded = try_guard(runs[0], engine.runtime)
    if guarded is not None:
        outcome = guarded
    elif isinstance(spec.handler, InProcess):
        outcome = call(runs[0])
    else:
        environ = {**engine.environ, VARIABLE: "1"}
        (outcome,) = perform_all(runs, limits=engine.runtime.limits, environ=environ)
    return outcome, interpret(bare, outcome, event)
