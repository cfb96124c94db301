"""What powers, failures and classes of events are called in pages."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# What a decision may carry, in the order in which hookline prints it.
POWERS: Mapping[str, str] = {
    "allow": "vouch for it, so that no person is asked",
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
