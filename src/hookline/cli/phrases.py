"""Describes handlers and powers in English."""

from __future__ import annotations

from hookline.cli.pages import first_line
from hookline.model.handler import Broken, Builtin, Command, Http, InProcess, Model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Never as Unreachable

    from hookline.model.handler import Handler

# What a decision may carry, in the order in which hookline prints it.
POWERS: Mapping[str, str] = {
    "allow": "vouch for it, so that nobody is asked",
    "ask": "put it to a person",
    "defer": "leave it to the caller",
    "deny": "refuse it",
    "halt": "end the run",
    "input": "change the tool's input",
    "text": "change the text",
    "messages": "change what the model is sent",
    "output": "change the tool's result",
    "summary": "give the summary itself",
    "content": "give the answer itself",
    "return": "give the result itself, so that the real thing does not happen",
    "model": "choose the model",
    "tools": "choose the tools",
    "instructions": "change the instructions",
    "path": "choose the path",
    "context": "add text for the model",
    "instruction_context": "add instruction blocks for the model",
    "metadata": "leave evidence",
    "note": "tell the user something",
    "modified": "leave a change without a target",
    "retry": "have it run again",
    "max_retries": "say how often",
    "skip": "have it left out",
    "grant": "give a lasting permission",
    "env": "set environment variables",
    "watch": "have files watched",
    "title": "name the session",
    "log": "leave a line in the log",
    "hide_prompt": "keep a refused prompt from being shown",
    "terminal_sequence": "send the terminal a notice",
    "tail_call": "have another tool run instead",
    "transition": "send the work to another agent",
}
ON_FAILURE: Mapping[str, str] = {
    "silent": "is reported and refuses nothing (fail open)",
    "allow": "counts as an approval",
    "ask": "is put to a person",
    "deny": "counts as a denial (fail closed)",
    "halt": "ends the run (fail closed)",
}
CLASSES: Mapping[str, str] = {
    "gate": "a gate: a hook may refuse",
    "transform": "a transform: a hook may only rewrite",
    "context": "a source of context: a hook may only add text or environment",
    "observe": "to be observed: a hook may only look",
}


def describe_powers(names: Iterable[str], *, redo: bool = False) -> list[str]:
    """Describe powers, in a fixed order; at a stop gate a denial sends the agent back."""
    given = set(names)
    known = [
        POWERS[name] if not (redo and name == "deny") else "send the agent back to work"
        for name in POWERS
        if name in given
    ]
    return known + sorted(given - set(POWERS))


_MANY = 3  # names of one model


def describe_handler(given: Handler) -> str:
    """Describe a handler; of a command only the first line."""
    match given:
        case Command(argv=argv, script=script):
            return first_line(script.strip() or " ".join(argv))
        case Http(url=url, method=method):
            return f"{method} {url}"
        case Model(prompt=prompt):
            return f"model {describe_model(given)}: {first_line(prompt.strip())}"
        case Builtin(name=name, args=args):
            return " ".join(("builtin", name, *args))
        case InProcess(name=name):
            return f"python {name}"
        case Broken(reason=reason):
            return f"nothing: {reason}"
        case _ as unreachable:
            raise _unreachable(unreachable)


def describe_model(given: Model) -> str:
    """Describe the model that a hook asks: its names in order of preference, its address and its key variable."""
    from hookline.text.urls import describe_url  # noqa: PLC0415 - 3 ms, and few hooks ask models

    # The first is the variable that the user sets, the last the default.
    names = given.names if len(given.names) < _MANY else (given.names[0], given.names[-1])
    chosen = [f"at {describe_url(given.base_url)}"] if given.base_url else []
    chosen += [f"with the key in ${given.key}"] if given.key else []
    return " ".join((", or ".join(names), *chosen))


def _unreachable(given: Unreachable) -> AssertionError:
    return AssertionError(given)
