"""Scripted models: a file of steps that answer instead of a language model, for demos and tests."""

from __future__ import annotations

import os

from hookline.errors import ConfigError, HookError
from hookline.host.amounts import read_amounts
from hookline.model.frozen import Frozen
from hookline.model.spec import Origin, Problem
from hookline.wire.fields import Node, describe_value, to_problem
from hookline.wire.parsers import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

DEMO = "demo"  # the script that hookline brings along
OVERFLOW, RATE_LIMIT, HTTP = "overflow", "rate_limit", "http"
_STATUSES = {OVERFLOW: 400, RATE_LIMIT: 429}
_MESSAGES = {
    OVERFLOW: "the conversation is longer than the context window of the model",
    RATE_LIMIT: "too many requests",
}
_TOP = ("version", "steps", "scripts")
_SCRIPT = ("agent", "match", "steps")
_STEP = ("text", "tool_calls", "error", "usage")
_CALL = ("name", "arguments", "id")
_USAGE = ("input_tokens", "output_tokens", "cache_read_tokens")
_LOWEST_STATUS, _HIGHEST_STATUS = 400, 599


class ScriptEndError(HookError):
    """A model was called more often than its script has steps for."""

    name = "script.ended"


class ScriptedCall(Frozen):
    """A tool call that a step makes. `arguments`: an object, or a text to send as it is."""

    name: str
    arguments: Mapping[str, Any] | str
    call_id: str = ""


class ScriptedUsage(Frozen):
    """The tokens that a step reports."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0


class ScriptedError(Frozen):
    """A failure of the provider: `kind` is `overflow`, `rate_limit` or `http`."""

    kind: str
    status: int
    message: str


class Step(Frozen):
    """One answer of the model: a text and tool calls, or an error."""

    text: str = ""
    tool_calls: tuple[ScriptedCall, ...] = ()
    error: ScriptedError | None = None
    usage: ScriptedUsage | None = None
    origin: Origin = Origin()


class Block(Frozen):
    """Steps in order. `agent`: only for that one; `match`: only if the last prompt contains it."""

    steps: tuple[Step, ...]
    agent: str = ""
    match: str = ""
    origin: Origin = Origin()


class Script(Frozen):
    """A scripted model."""

    path: str
    blocks: tuple[Block, ...]


class ScriptState(Frozen):
    """How far a run is: the steps used of each block, and the number of tool calls so far."""

    used: tuple[int, ...] = ()
    calls: int = 0


START = ScriptState()


def find_script(name: str, folder: str = "") -> str:
    """Return the path of a script: `demo` is that of hookline, any other is relative to a folder.

    `./demo` names a file in the folder.
    """
    if name == DEMO:
        return os.path.join(os.path.dirname(__file__), "demo.yaml")
    return os.path.join(folder, name)


def next_step(
    script: Script, state: ScriptState, messages: Sequence[Mapping[str, Any]], agent: str = ""
) -> tuple[Step, ScriptState]:
    """Return the answer to a conversation, and the state after it.

    It is the next step of the first block that has one left, is for this agent, and whose `match`
    the last user message contains.

    Args:
        script: the scripted model.
        state: that of the run so far; `START` at first.
        messages: each with `role` and `content`, oldest first.
        agent: the name of the agent that asks.

    Raises:
        ScriptEndError: no block has a step left.
    """
    prompt = _find_prompt(messages)
    used = state.used or (0,) * len(script.blocks)
    fitting = [
        at
        for at, block in enumerate(script.blocks)
        if block.agent in {"", agent} and block.match in prompt
    ]
    for at in fitting:
        block = script.blocks[at]
        if used[at] < len(block.steps):
            step, calls = _number_calls(block.steps[used[at]], state.calls)
            counts = (*used[:at], used[at] + 1, *used[at + 1 :])
            return step, ScriptState(used=counts, calls=calls)
    raise _explain_end(script, fitting, prompt, agent)


def _number_calls(step: Step, count: int) -> tuple[Step, int]:
    """Return the step with an id for each tool call, and the number of calls so far."""
    calls = []
    for call in step.tool_calls:
        count += 1
        calls.append(call if call.call_id else call.replace(call_id=f"call_{count}"))
    return step.replace(tool_calls=tuple(calls)), count


def _find_prompt(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of the last message of the user; empty without one."""
    for message in reversed(messages):
        if message.get("role") == "user":
            content = message.get("content")
            if isinstance(content, str):
                return content
            parts = content if isinstance(content, list | tuple) else ()
            texts = (part.get("text") for part in parts if isinstance(part, dict))
            return "\n".join(text for text in texts if isinstance(text, str))
    return ""


def _explain_end(script: Script, fitting: list[int], prompt: str, agent: str) -> ScriptEndError:
    who = f"the agent `{agent}`" if agent else "the agent"
    if not fitting:
        return ScriptEndError(
            f"{script.path}: no steps for {who} match the prompt `{prompt:.80}`",
            hint="add a script whose `match` is a part of it, or one without `match`",
        )
    last = script.blocks[fitting[-1]]
    count = sum(len(script.blocks[at].steps) for at in fitting)
    place = last.origin.place or script.path
    return ScriptEndError(
        f"{place}: {who} called the model again, and all {count} steps of the script are used",
        hint="add a step; the last one must have a `text` and no `tool_calls` to end the turn",
    )


# -- reading ---------------------------------------------------------------------------------------


def read_script(text: str, path: str) -> tuple[Script | None, tuple[Problem, ...]]:
    """Return the script that a text describes, None if it has errors, and all problems.

    docs/formats/agent-file.md 6
    """
    problems: list[Problem] = []
    try:
        root = Node(parse(text, path), path, "explicit", problems)
    except ConfigError as error:
        return None, (to_problem(error, path, "explicit"),)
    blocks = tuple(_read_blocks(root))
    if not problems and not blocks:
        root.complain("key.missing", "the script has no steps", hint="add `steps:` with a list")
    return (None if problems else Script(path=path, blocks=blocks)), tuple(problems)


def _read_blocks(root: Node) -> Iterator[Block]:
    """Yield the blocks of a file; a list, and the key `steps`, are a block without conditions."""
    if isinstance(root.value, list):
        yield Block(steps=_read_steps(root), origin=root.origin())
        return
    if root.value is None or not root.is_mapping("a script"):
        return
    root.check_known_keys(_TOP, "a script")
    scripts = root.value.get("scripts")
    if scripts is not None and not isinstance(scripts, list):
        hint = "begin each script with `- `"
        root.complain("value.type", "`scripts` must be a list", "scripts", hint=hint)
        scripts = None
    for node in root.child("scripts").children() if scripts else ():
        if node.is_mapping("an entry of `scripts`"):
            node.check_known_keys(_SCRIPT, "an entry of `scripts`")
            steps = _read_list(node, "steps", required=True)
            yield Block(
                steps=_read_steps(steps) if steps else (),
                agent=node.text("agent"),
                match=node.text("match"),
                origin=node.origin(),
            )
    if (steps := _read_list(root, "steps")) is not None:
        yield Block(steps=_read_steps(steps), origin=root.origin("steps"))


def _read_list(node: Node, key: str, *, required: bool = False) -> Node | None:
    value = node.value.get(key)
    if isinstance(value, list) and (value or not required):
        return node.child(key)
    if value is not None or required:
        node.complain("value.type", f"`{key}` must be a list", hint="begin each entry with `- `")
    return None


def _read_steps(steps: Node) -> tuple[Step, ...]:
    return tuple(_read_step(node) for node in steps.children() if node.is_mapping("a step"))


def _read_step(node: Node) -> Step:
    node.check_known_keys(_STEP, "a step")
    text, error = node.text("text"), _read_error(node)
    calls: tuple[ScriptedCall, ...] = ()
    if (listed := _read_list(node, "tool_calls")) is not None:
        calls = tuple(
            _read_call(each) for each in listed.children() if each.is_mapping("a tool call")
        )
    if node.value.get("error") is not None and (text or calls):
        node.complain("key.misplaced", "a step with `error` answers nothing else", "error")
    elif not any(node.value.get(key) is not None for key in ("text", "tool_calls", "error")):
        why = "a step needs a `text`, `tool_calls` or an `error`"
        node.complain("key.missing", why)
    return Step(
        text=text, tool_calls=calls, error=error, usage=_read_usage(node), origin=node.origin()
    )


def _read_call(node: Node) -> ScriptedCall:
    node.check_known_keys(_CALL, "a tool call")
    arguments = node.value.get("arguments")
    if arguments is not None and not isinstance(arguments, dict | str):
        why = f"`arguments` must be a mapping or a text, not {describe_value(arguments)}"
        node.complain("value.type", why, "arguments")
        arguments = None
    return ScriptedCall(
        name=node.text("name", required=True),
        arguments={} if arguments is None else arguments,
        call_id=node.text("id"),
    )


def _read_error(node: Node) -> ScriptedError | None:
    value = node.value.get("error")
    if value is None:
        return None
    if isinstance(value, str):
        kind = node.choice("error", _STATUSES, OVERFLOW)
        return ScriptedError(kind=kind, status=_STATUSES[kind], message=_MESSAGES[kind])
    error = node.child("error")
    if not error.is_mapping("`error`"):
        return None
    error.check_known_keys(("status", "message"), "`error`")
    status = error.integer("status")
    if status is None or not _LOWEST_STATUS <= status <= _HIGHEST_STATUS:
        why = "an `error` needs the `status` of a failed HTTP request"
        error.complain("value.range", why, hint="a number from 400 to 599")
        return None
    message = error.text("message", f"the provider answered with the status {status}")
    return ScriptedError(kind=HTTP, status=status, message=message)


def _read_usage(node: Node) -> ScriptedUsage | None:
    counts = read_amounts(node, "usage", _USAGE, what="number of tokens", whole=True)
    return None if counts is None else ScriptedUsage(**counts)
