"""What every adapter must do: the same hooks and the same scripted model for all frameworks."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import hookline
from hookline import Engine, Event, Stance, Verdict

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    # Of the model: a text; calls of tools, `shell` or `delegate`, with command or task; an error.
    Turn = str | list[tuple[str, str]] | Exception
    Ask = Callable[[str], Awaitable[bool]]

OWN = "own tools"  # what only one framework has, checked by its driver
PROMPT = "begin the work"
CONTEXT = "the word is plum"
REASON = "not that, says a hook"
AGAIN = "look once more, says a hook"
WATCHED = (
    "prompt.submit", "tool.before", "tool.after", "tool.failure", "stop", "subagent.start",
    "subagent.stop",
)  # fmt: skip


def echo(*words: str) -> list[tuple[str, str]]:
    """Calls of the shell, each of which prints a word."""
    return [("shell", f"echo {word}") for word in words]


@dataclass
class Played:
    """What happened: the final text, the words that the tool printed, and what the model read."""

    output: str = ""
    ran: list[str] = field(default_factory=list)
    read: list[str] = field(default_factory=list)  # each request as text
    stopped: str = ""  # why a hook ended the run
    cancel: Callable[[], object] = bool  # cancels the run

    async def wait(self) -> str:
        """The command `cancel`: cancel the run, and work on."""
        self.cancel()
        await asyncio.Event().wait()
        return "done in spite of it"


@dataclass(frozen=True)
class Play:
    """Hooks, a script, and what must come of it.

    `told` and `hidden`: what the model reads somewhere, and nowhere. `events`: those that are
    fired, of `WATCHED`. `asks`: what the person answers. `later`: a caller approves what the run
    ended with, and resumes it. `stopped`: why the run ends by an error. `unordered`: the events
    come in any order.
    """

    name: str
    hooks: Callable[[Engine], object]
    turns: tuple[Turn, ...]
    ran: tuple[str, ...]
    events: tuple[str, ...]
    told: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    asks: bool | None = None
    output: str = "done"
    stopped: str = ""
    later: bool = False
    unordered: bool = False


def _replace_output(event: Event) -> Verdict:
    result = event.body.value("result")
    # Claude Code takes a result of the tool's own shape only.
    new = result | {"stdout": "***"} if isinstance(result, dict) else "***"
    return hookline.rewrite(output=new)


def _fail(_: Event) -> None:
    raise ValueError("this guard is broken")


def send_back_once(event: Event) -> Verdict | None:
    """Refuse the first stop of a turn."""
    return None if event.body.value("stop_hook_active") else hookline.deny(AGAIN)


def _refuse_once() -> Callable[[Engine], object]:
    verdicts: list[Any] = []

    def register(engine: Engine) -> None:
        verdicts[:] = [hookline.deny(REASON), None]
        engine.on("model.response")(lambda _: verdicts.pop(0))

    return register


def _on(kind: str, verdict: Any, **options: Any) -> Callable[[Engine], object]:
    def register(engine: Engine) -> None:
        call = verdict if callable(verdict) else lambda _: verdict
        engine.on(kind, **options)(call)

    return register


CALLED = ("prompt.submit", "tool.before", "tool.after", "stop")
REFUSED = ("prompt.submit", "tool.before", "stop")
SAID = ("prompt.submit", "stop")
ONE = (echo("one"), "done")
CANCELLED = "cancelled"

ELSE = [{"role": "user", "content": "something else"}]
ASK = _on("tool.before", hookline.ask("may it?"))
DENY = _on("tool.before", hookline.deny(REASON), tool=("shell", "Bash"))
DENY_TWO = _on("tool.before", hookline.deny(REASON), command="echo two")
HELP: tuple[Turn, ...] = ([("delegate", "help")], echo("one"), "half", "done")
NESTED = (
    "prompt.submit", "tool.before", "subagent.start", "tool.before", "tool.after", "subagent.stop",
    "tool.after", "stop",
)  # fmt: skip

PLAYS = (
    Play("observe", lambda _: None, ONE, ("one",), CALLED, told=("one",)),
    Play("block", DENY, ONE, (), REFUSED, told=(REASON,)),
    Play("rewrite input", _on("tool.before", hookline.rewrite({"command": "echo two"})), ONE,
         ("two",), CALLED, told=("two",)),
    Play("rewrite output", _on("tool.after", _replace_output), (echo("first-word"), "done"),
         ("first-word",), CALLED, told=("***",), hidden=("\nfirst-word",)),
    Play("answer for the tool", _on("tool.before", Verdict(effects={"return": "***"})), ONE, (),
         REFUSED, told=("***",)),
    Play("inject at prompt", _on("prompt.submit", hookline.context(CONTEXT)), ONE, ("one",), CALLED,
         told=(CONTEXT,)),
    Play("inject before tool", _on("tool.before", hookline.context(CONTEXT)), ONE, ("one",), CALLED,
         told=(CONTEXT, "one")),
    Play("inject after tool", _on("tool.after", hookline.context(CONTEXT)), ONE, ("one",), CALLED,
         told=(CONTEXT, "one")),
    Play("ask, denied", ASK, ONE, (), REFUSED, asks=False),
    Play("ask, granted", ASK, ONE, ("one",), CALLED, asks=True, told=("one",)),
    Play("ask, no person", ASK, ONE, (), REFUSED),
    Play("ask, later", ASK, ONE, ("one",), CALLED, told=("one",), later=True),
    Play("redo at stop", _on("stop", send_back_once), ("half", "done"), (),
         ("prompt.submit", "stop", "stop"), told=(AGAIN,)),
    Play("failing guard", _on("tool.before", _fail, on_failure=Stance.DENY), ONE, (), REFUSED,
         told=("this guard is broken",)),
    Play("failing observer", _on("tool.after", _fail), ONE, ("one",), CALLED, told=("one",)),
    Play("failing tool", lambda _: None, ([("shell", "exit 3")], "done"), (),
         ("prompt.submit", "tool.before", "tool.failure", "stop")),
    Play("parallel calls", DENY_TWO, (echo("one", "two"), "done"), ("one",),
         (*CALLED, "tool.before"), told=("one", REASON), unordered=True),
    Play("cancelled run", lambda _: None, ([("shell", "cancel")], "done"), (), CALLED[:2],
         output="", stopped=CANCELLED),
    Play("halt", _on("tool.after", hookline.halt(REASON)), ONE, ("one",), CALLED[:-1],
         output="", stopped=REASON),
    Play("refuse prompt", _on("prompt.submit", hookline.deny(REASON)), ONE, (), CALLED[:1],
         hidden=(PROMPT,), output="", stopped=REASON),
    Play("rewrite prompt", _on("prompt.submit", hookline.rewrite(text="something else")),
         ("done",), (), SAID, told=("something else",), hidden=(PROMPT,)),
    Play("refuse request", _on("model.request", hookline.deny(REASON)), ONE, (), CALLED[:1],
         output="", stopped=REASON),
    Play("rewrite messages", _on("model.request", hookline.rewrite(messages=ELSE)), ("done",), (),
         SAID, told=("something else",), hidden=(PROMPT,)),
    Play("answer for the model", _on("model.request", Verdict(effects={"return": "done"})), (), (),
         SAID),
    Play("repeat request", _on("model.error", hookline.retry(0)), (OSError("down"), "done"), (),
         SAID),
    Play("refuse response", _refuse_once(), ("raw", "done"), (), SAID, told=(REASON,)),
    Play("rewrite response", _on("model.response", hookline.rewrite(text="done")), ("raw",), (),
         SAID),
    Play("sub-agent", lambda _: None, HELP, ("one",), NESTED, told=("half",)),
    Play("inject at sub-agent", _on("subagent.start", hookline.context(CONTEXT)), HELP, ("one",),
         NESTED, told=(CONTEXT,)),
    Play("redo sub-agent", _on("subagent.stop", send_back_once),
         ([("delegate", "help")], "half", "whole", "done"), (),
         ("prompt.submit", "tool.before", "subagent.start", "subagent.stop", "subagent.stop",
          "tool.after", "stop"), told=(AGAIN, "whole")),
    Play("refuse sub-agent", _on("subagent.start", hookline.deny(REASON)),
         ([("delegate", "help")], "done"), (),
         ("prompt.submit", "tool.before", "subagent.start", "tool.failure", "stop"),
         told=(REASON,)),
)  # fmt: skip


def watch(engine: Engine, seen: list[str]) -> None:
    """Write down the events that an engine is asked about."""
    for kind in WATCHED:
        engine.on(kind)(lambda event: seen.append(event.kind))


def find_faults(play: Play, played: Played, seen: list[str]) -> list[str]:
    """Return what did not come of a play as it must."""
    read = "\n".join(played.read)
    put = sorted if play.unordered else list
    faults = [
        f"{name}: {got!r}, not {wanted!r}"
        for name, got, wanted in (
            ("output", played.output, play.output),
            ("stopped", played.stopped, play.stopped),
            ("ran", tuple(played.ran), play.ran),
            ("events", put(seen), put(play.events)),
        )
        if got != wanted
    ]
    faults += [f"the model did not read {text!r}" for text in play.told if text not in read]
    return faults + [f"the model read {text!r}" for text in play.hidden if text in read]
