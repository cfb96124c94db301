"""In-process dispatch: 1 to 1000 hooks of which one matches, beside a dictionary and peers.

Run it as `python -m bench.dispatch`. Every hook waits for a tool of its own and for `rm -rf` in the
command. Nothing here leaves its thread, so what is counted is the thread's own time: another tenant
of the machine costs precision, not truth.
"""

from __future__ import annotations

import asyncio
import importlib.util
import itertools
import os
import re
import sys
from dataclasses import dataclass
from functools import partial
from time import thread_time
from typing import TYPE_CHECKING, Any

import hookline
from bench import measure
from bench.measure import Case, Goal, Report, finish, options, rounds_of, wait_for_quiet

if TYPE_CHECKING:
    from collections.abc import Callable

    Sample = Callable[[int], float]
    Build = Callable[[asyncio.AbstractEventLoop, int], Sample]

SIZES = (1, 10, 100, 1000)
KIND, TOOL, PATTERN = "tool.before", "shell", r"rm\s+-rf"
INPUT = {"command": "cd build && rm -rf out"}
EVENT = hookline.Event(
    kind=KIND,
    session_id="s",
    cwd="/tmp",  # noqa: S108 - only a name
    body=hookline.ToolCall(tool=TOOL, input=INPUT),
)
ASYNC_FLOOR, SYNC_FLOOR = "dict lookup + awaited call", "dict lookup + call"
_MATCHES = re.compile(PATTERN).search

calls = partial(measure.calls, clock=thread_time)
awaits = partial(measure.awaits, clock=thread_time)


async def quiet(_event: hookline.Event) -> None:
    """A hook without an opinion."""


async def denying(_event: hookline.Event) -> hookline.Verdict:
    return hookline.deny("recursive delete")


def quiet_sync(_event: hookline.Event) -> None:
    """The same, not asynchronous."""


def tools(size: int, last: str = TOOL) -> list[str]:
    """As many tools as hooks; the event's own is the last."""
    return [*(f"tool_{at}" for at in range(size - 1)), last]


# -- the floors ------------------------------------------------------------------------------------


def floors(loop: asyncio.AbstractEventLoop) -> list[Case]:
    """The floors: a dictionary lookup and a call."""
    handlers = {KIND: quiet}
    plain = {KIND: quiet_sync}

    async def bare(event: hookline.Event) -> None:
        return await handlers[event.kind](event)

    def bare_sync(event: hookline.Event) -> None:
        return plain[event.kind](event)

    return [
        Case(name=ASYNC_FLOOR, sample=awaits(loop, bare, EVENT), heading="floors"),
        Case(name=SYNC_FLOOR, sample=calls(bare_sync, EVENT), heading="floors"),
    ]


# -- hookline --------------------------------------------------------------------------------------


def engine_with(
    size: int, call: Callable[..., Any], *, last: str = TOOL, pattern: str | None = PATTERN
) -> hookline.Engine:
    """An engine with so many hooks, each for a tool of its own, of which the last one matches.

    With an expression or without.
    """
    engine = hookline.Engine(cwd="/tmp")  # noqa: S108 - never opened
    for tool in tools(size, last):
        engine.on(KIND, tool=tool, command=pattern, name=f"on {tool}")(call)
    return engine


def crowded(size: int) -> hookline.Engine:
    """An engine with so many hooks for one tool.

    Only the expression of the last hook is found in the command.
    """
    engine = hookline.Engine(cwd="/tmp")  # noqa: S108 - never opened
    for at in range(size):
        engine.on(
            KIND, tool=TOOL, command=PATTERN if at == size - 1 else f"never {at}", name=f"hook {at}"
        )(quiet)
    return engine


def ours(loop: asyncio.AbstractEventLoop) -> list[Case]:
    """The cases of hookline itself."""
    named = [
        *(
            (f"fire_async, 1 of {size} by tool", engine_with(size, quiet, pattern=None).fire_async)
            for size in SIZES
        ),
        *((f"fire_async, 1 of {size}", engine_with(size, quiet).fire_async) for size in SIZES),
        ("fire_async, it denies", engine_with(1, denying).fire_async),
        ("fire_async, 0 of 1000", engine_with(1000, quiet, last="other").fire_async),
        (
            "fire_async, 0 of 1000, one by its expression",
            engine_with(1000, quiet, pattern="no such command").fire_async,
        ),
        # Never opened.
        ("fire_async, no hook at all", hookline.Engine(cwd="/tmp").fire_async),  # noqa: S108
        ("fire_async, 1000 expressions on one tool", crowded(1000).fire_async),
    ]
    cases = [
        Case(name=name, sample=awaits(loop, fire, EVENT), floor=ASYNC_FLOOR, heading="hookline")
        for name, fire in named
    ]
    cases.append(
        Case(
            name="fire_async, 1 of 1000, a new tool each time",
            sample=_ever_new(loop),
            floor=ASYNC_FLOOR,
            heading="hookline",
        )
    )
    cases += [
        Case(
            name=f"fire, 1 of {size}",
            sample=calls(engine_with(size, quiet_sync).fire, EVENT),
            floor=SYNC_FLOOR,
            heading="hookline",
        )
        for size in SIZES
    ]
    return cases


def _ever_new(loop: asyncio.AbstractEventLoop) -> Sample:
    """Tools whose names were never seen: what a cache of plans cannot help."""
    engine = engine_with(1000, quiet)
    numbers = itertools.count()

    async def fire() -> hookline.Decision:
        return await engine.fire_async(
            EVENT.replace(body=hookline.ToolCall(tool=f"mcp__{next(numbers)}", input=INPUT))
        )

    return awaits(loop, fire)


# -- peers -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """Another project's dispatcher: its module, its name for pip, and how to fire its hooks."""

    name: str
    module: str
    pip: str
    build: Build
    floor: str = ASYNC_FLOOR
    remark: str = ""


def pluggy_call(_loop: asyncio.AbstractEventLoop, size: int) -> Sample:
    import pluggy  # noqa: PLC0415 - a peer

    class Spec:
        @pluggy.HookspecMarker("bench")
        def before(self, event: hookline.Event) -> None: ...

    class Plugin:
        def __init__(self, tool: str) -> None:
            self.tool = tool

        @pluggy.HookimplMarker("bench")
        def before(self, event: hookline.Event) -> None:
            if event.body.tool == self.tool and _MATCHES(event.body.input["command"]):
                quiet_sync(event)

    manager = pluggy.PluginManager("bench")
    manager.add_hookspecs(Spec)
    for tool in tools(size):
        manager.register(Plugin(tool))
    return calls(partial(manager.hook.before, event=EVENT))


def blinker_call(_loop: asyncio.AbstractEventLoop, size: int) -> Sample:
    import blinker  # noqa: PLC0415 - a peer

    signal = blinker.Signal()

    def receiver(tool: str) -> Callable[..., None]:
        def receive(_sender: object, event: hookline.Event) -> None:
            if event.body.tool == tool and _MATCHES(event.body.input["command"]):
                quiet_sync(event)

        return receive

    for tool in tools(size):
        signal.connect(receiver(tool), weak=False)
    return calls(partial(signal.send, None, event=EVENT))


def blinker_indexed(_loop: asyncio.AbstractEventLoop, size: int) -> Sample:
    import blinker  # noqa: PLC0415 - a peer

    signal = blinker.Signal()

    def receiver() -> Callable[..., None]:
        def receive(_sender: object, event: hookline.Event) -> None:
            if _MATCHES(event.body.input["command"]):
                quiet_sync(event)

        return receive

    for tool in tools(size):
        signal.connect(receiver(), sender=tool, weak=False)
    return calls(partial(signal.send, TOOL, event=EVENT))


def strands_call(loop: asyncio.AbstractEventLoop, size: int) -> Sample:
    from strands.hooks import BeforeToolCallEvent, HookRegistry  # noqa: PLC0415 - a peer

    registry = HookRegistry()

    def callback(tool: str) -> Callable[..., Any]:
        async def call(event: BeforeToolCallEvent) -> None:
            if event.tool_use["name"] == tool and _MATCHES(event.tool_use["input"]["command"]):
                await quiet(EVENT)

        return call

    for tool in tools(size):
        registry.add_callback(BeforeToolCallEvent, callback(tool))
    use = {"toolUseId": "1", "name": TOOL, "input": INPUT}
    raised = BeforeToolCallEvent(agent=None, selected_tool=None, tool_use=use, invocation_state={})
    return awaits(loop, registry.invoke_callbacks_async, raised)


def agent_hooks_call(loop: asyncio.AbstractEventLoop, size: int) -> Sample:
    import agent_hooks  # noqa: PLC0415 - a peer

    class Interceptor:
        def __init__(self, tool: str) -> None:
            self.tool = tool

        def intercept(self, context: dict[str, Any], /) -> agent_hooks.Verdict:
            call = context["tool_call"]
            if call["name"] == self.tool and _MATCHES(call["args"]["command"]):
                quiet_sync(EVENT)
            return agent_hooks.ALLOW

    emitter = agent_hooks.InterceptionEmitter()
    for tool in tools(size):
        emitter.register(Interceptor(tool))
    emitter.set_max_records(1)
    context = agent_hooks.AgentContextBuilder(
        agent_id="a", framework="bench", session_id="s"
    ).pre_tool_call(call_id="1", name=TOOL, args=INPUT)
    return awaits(loop, emitter.emit, context)


def openhands_call(_loop: asyncio.AbstractEventLoop, size: int) -> Sample:
    # Its import would print a banner, and fetch a price list from the network.
    os.environ |= {"OPENHANDS_SUPPRESS_BANNER": "1", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    # A peer.
    from openhands.sdk.hooks.config import HookConfig, HookDefinition, HookMatcher  # noqa: PLC0415
    from openhands.sdk.hooks.types import HookEventType  # noqa: PLC0415 - a peer

    matchers = [
        HookMatcher(matcher=f"{tool}(_x)?", hooks=[HookDefinition(command="true")])
        for tool in tools(size)
    ]
    config = HookConfig(pre_tool_use=matchers)
    return calls(config.get_hooks_for_event, HookEventType.PRE_TOOL_USE, TOOL)


def kimi_call(loop: asyncio.AbstractEventLoop, size: int) -> Sample:
    from kimi_cli.hooks import engine as kimi  # noqa: PLC0415 - a peer
    from kimi_cli.hooks.config import HookDef  # noqa: PLC0415 - a peer

    async def run_nothing(*_given: object, **_named: object) -> kimi.HookResult:
        return kimi.HookResult(action="allow")

    kimi.run_hook = run_nothing
    hooks = [
        HookDef(event="PreToolUse", command=f"true {tool}", matcher=f"^{tool}$")
        for tool in tools(size)
    ]
    trigger = kimi.HookEngine(hooks).trigger
    return awaits(loop, partial(trigger, "PreToolUse", matcher_value=TOOL, input_data=INPUT))


PEERS = (
    Peer(
        name="pluggy",
        module="pluggy",
        pip="pluggy",
        build=pluggy_call,
        floor=SYNC_FLOOR,
        remark="each plugin filters itself",
    ),
    Peer(
        name="blinker",
        module="blinker",
        pip="blinker",
        build=blinker_call,
        floor=SYNC_FLOOR,
        remark="each receiver filters itself",
    ),
    Peer(
        name="blinker, sender=tool",
        module="blinker",
        pip="blinker",
        build=blinker_indexed,
        floor=SYNC_FLOOR,
        remark="indexed",
    ),
    Peer(
        name="strands",
        module="strands",
        pip="strands-agents",
        build=strands_call,
        remark="event built beforehand",
    ),
    Peer(
        name="agent-hooks",
        module="agent_hooks",
        pip="agent-hooks-sdk",
        build=agent_hooks_call,
        remark="first_deny",
    ),
    Peer(
        name="openhands",
        module="openhands",
        pip="openhands-sdk",
        build=openhands_call,
        floor=SYNC_FLOOR,
        remark="matching only, regex",
    ),
    Peer(
        name="kimi-cli",
        module="kimi_cli",
        pip="kimi-cli",
        build=kimi_call,
        remark="runner stubbed, matches the tool only",
    ),
)


def peers(loop: asyncio.AbstractEventLoop, notes: list[str]) -> list[Case]:
    """The cases of the peers that are here; for the others a note says how to get them."""
    cases: list[Case] = []
    for peer in PEERS:
        if importlib.util.find_spec(peer.module) is None:
            notes.append(f"{peer.name}: not installed (pip install {peer.pip})")
            continue
        heading = f"{peer.name} ({peer.remark})"
        try:
            cases += [
                Case(
                    name=f"{peer.name}, 1 of {size}",
                    sample=peer.build(loop, size),
                    floor=peer.floor,
                    heading=heading,
                )
                for size in SIZES
            ]
        except Exception as error:  # noqa: BLE001 - another version of a peer must not end our own benchmark
            notes.append(
                f"{peer.name}: this version cannot be measured ({type(error).__name__}: {error})"
            )
    return cases


# -- the run ---------------------------------------------------------------------------------------


def goals(present: set[str]) -> tuple[Goal, ...]:
    """What is to be reached, as far as what the goals compare is here."""
    one, thousand = "fire_async, 1 of 1", "fire_async, 1 of 1000"
    by_tool, thousand_by_tool = f"{one} by tool", f"{thousand} by tool"
    wanted = (
        Goal(text="1: one hook matches", case=by_tool, against=ASYNC_FLOOR, target=15, bound=25),
        Goal(
            text="1: one hook matches, also by an expression (RE2)",
            case=one,
            against=ASYNC_FLOOR,
            target=25,
            bound=35,
        ),
        Goal(
            text="2: no hook matches",
            case="fire_async, 0 of 1000",
            against=ASYNC_FLOOR,
            target=6,
            bound=10,
        ),
        Goal(
            text="3: 1000 hooks against 1",
            case=thousand_by_tool,
            against=by_tool,
            target=1.2,
            bound=2,
        ),
        Goal(
            text="3: 1000 hooks against 1, also by an expression",
            case=thousand,
            against=one,
            target=1.2,
            bound=2,
        ),
        Goal(
            text="4: against strands, N=1", case=one, against="strands, 1 of 1", target=1, bound=1
        ),
        Goal(
            text="4: against blinker indexed, N=1000",
            case=thousand,
            against="blinker, sender=tool, 1 of 1000",
            target=1.5,
            bound=1.5,
        ),
    )
    return tuple(goal for goal in wanted if {goal.case, goal.against} <= present)


def main() -> int:
    """Measure, print, and return the exit code."""
    made = options("In-process dispatch of hookline and of its peers.", rounds=15)
    made.add_argument("--no-peers", action="store_true", help="hookline and the floors only")
    given = made.parse_args()
    busy = wait_for_quiet(given.wait)
    notes: list[str] = []
    loop = asyncio.new_event_loop()
    cases = floors(loop) + ours(loop) + ([] if given.no_peers else peers(loop, notes))
    results = rounds_of(cases, rounds=given.rounds, batch=0.03)
    loop.close()
    return finish(
        Report(name="dispatch", unit="us", results=results, goals=goals(set(results)), notes=notes),
        given,
        busy,
    )


if __name__ == "__main__":
    sys.exit(main())
