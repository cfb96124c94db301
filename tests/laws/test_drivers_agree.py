"""The synchronous and the asynchronous driver make the same decision of the same hooks."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

import hookline
from hookline import Engine, Event, Limits, Stance, ToolCall, Verdict
from hookline.core.dispatch import dispatch
from hookline.core.plan import plan
from hookline.engine.drive import Driver
from tests.laws.strategies import FEWER, texts

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hookline.core.dispatch import Run

EVENT = Event(
    kind="tool.before",
    session_id="s1",
    cwd="/w",
    body=ToolCall(tool="bash", input={"command": "ls"}),
)


def _raise(error: BaseException) -> None:
    raise error


def _start_nothing(run: Run) -> None:
    raise AssertionError(run)


# What a hook may do, by the sentence that describes it.
BEHAVIOURS: dict[str, Callable[[Event], Any]] = {
    "says nothing": lambda _: None,
    "allows": lambda _: hookline.allow("fine"),
    "asks": lambda _: hookline.ask("sure?"),
    "denies": lambda _: hookline.deny("no", evidence={"rule": 1}),
    "halts": lambda _: hookline.halt("enough"),
    "patches": lambda event: hookline.rewrite({"command": event.command + " -l"}),
    "replaces": lambda _: hookline.rewrite({"command": "true"}, replace=True),
    "rewrites what is not there": lambda _: hookline.rewrite(text="x"),
    "adds context": lambda event: hookline.context(f"it is {event.command}"),
    "notes": lambda _: hookline.note("look"),
    "wants a retry": lambda _: hookline.retry(1.5, "later"),
    "ends the round": lambda _: Verdict(stance=Stance.DENY, reason="end", ends=True),
    "raises": lambda _: _raise(ValueError("boom")),
    "raises the end of a generator": lambda _: _raise(StopIteration("boom")),
    "returns garbage": lambda _: {"decision": "deny"},
    "returns a garbled verdict": lambda _: Verdict(stance=None),
}
hooks = st.lists(
    st.fixed_dictionaries({
        "behaviour": st.sampled_from(sorted(BEHAVIOURS)),
        "is_async": st.booleans(),
        "rank": st.integers(-2, 2),
        "shadow": st.booleans(),
        "on_failure": st.sampled_from((Stance.SILENT, Stance.ASK, Stance.DENY)),
        "command": st.sampled_from((None, "ls", "-l", "nothing")),
    }),
    max_size=5,
)  # fmt: skip


def an_async(behaviour: Callable[[Event], Any]) -> Callable[[Event], Any]:
    """The same behaviour as a coroutine that gives way once."""

    async def hook(event: Event) -> Any:
        await asyncio.sleep(0)
        return behaviour(event)

    return hook


def an_engine(declared: list[dict[str, Any]]) -> Engine:
    """An engine with these hooks in this process."""
    engine = Engine(environ={})
    for at, hook in enumerate(declared):
        behaviour = BEHAVIOURS[hook["behaviour"]]
        settings = {key: hook[key] for key in ("rank", "shadow", "on_failure", "command")}
        engine.on("tool.before", name=f"{at} {hook['behaviour']}", **settings)(
            an_async(behaviour) if hook["is_async"] else behaviour
        )
    return engine


def told(decision: hookline.Decision) -> dict[str, Any]:
    """The decision document without the times."""
    document = decision.to_dict()
    document["seconds"] = 0
    for verdict in document["verdicts"]:
        verdict["seconds"] = 0
    return json.loads(json.dumps(document))


@FEWER
@given(hooks)
def test_both_drivers_make_one_decision(declared: list[dict[str, Any]]) -> None:
    """Whatever hooks in this process do, `fire` and `fire_async` tell the same."""
    fired = an_engine(declared).fire(EVENT)
    awaited = asyncio.run(an_engine(declared).fire_async(EVENT))

    assert told(fired) == told(awaited)


@FEWER
@given(hooks)
def test_the_short_way_is_the_long_way(declared: list[dict[str, Any]]) -> None:
    """The engine's shortcut decides as the dispatcher would."""
    engine = an_engine(declared)
    dispatched = dispatch(plan(engine.registry, EVENT, engine.host("hookline")), EVENT)

    assert told(an_engine(declared).fire(EVENT)) == told(
        Driver(Limits(), {}, _start_nothing).drive(dispatched, None)
    )


@FEWER
@given(hooks)
def test_being_a_coroutine_changes_no_decision(declared: list[dict[str, Any]]) -> None:
    """A plain and an asynchronous hook give the same decision, StopIteration aside."""
    kept = [hook for hook in declared if hook["behaviour"] != "raises the end of a generator"]
    plain = [{**hook, "is_async": False} for hook in kept]
    coroutines = [{**hook, "is_async": True} for hook in kept]

    assert told(an_engine(plain).fire(EVENT)) == told(an_engine(coroutines).fire(EVENT))


@FEWER
@given(hooks, st.lists(texts, max_size=3))
def test_many_at_once_do_not_mix(declared: list[dict[str, Any]], sessions: list[str]) -> None:
    """Concurrent events of several sessions on one engine each get their own decision."""
    events = [
        EVENT.replace(
            session_id=f"{at} {session}", body=ToolCall(tool="bash", input={"command": session})
        )
        for at, session in enumerate(sessions)
    ]
    engine = an_engine(declared)

    async def all_of_them() -> list[hookline.Decision]:
        return await asyncio.gather(*(engine.fire_async(event) for event in events))

    assert [told(an_engine(declared).fire(event)) for event in events] == [
        told(decision) for decision in asyncio.run(all_of_them())
    ]
