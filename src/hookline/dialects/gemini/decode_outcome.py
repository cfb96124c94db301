"""Results of Gemini CLI's hooks: one object, or the exit code (docs/formats/gemini.md 4)."""

from __future__ import annotations

from hookline.core.failure import describe_failure, make_failed_verdict, show_failure
from hookline.dialects.gemini.table import KEYS, MODES
from hookline.dialects.kit.answer import Answer, AnswerFormat, find_object, find_text_fault
from hookline.model.event import Event, Rewrite
from hookline.model.verdict import Outcome, Stance, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.spec import HookSpec

_WARNS = 1


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """Return what a hook means.

    The host looks for an object on stdout or, where that is empty, on stderr, whatever the exit
    code. A decision of the object stands against any exit code; in strict mode none lifts a
    refusal, or makes a failure a yes.
    """
    if outcome.failure is not None:
        return _fail(outcome, spec)
    answer = Answer(_FORMAT, outcome, spec, row, event)
    stderr = outcome.stderr.strip()
    text = outcome.stdout.strip() or stderr
    given = find_object(text)
    if given is None and not outcome.exit_code:
        # Text on stdout is for the user, text on stderr is a log.
        answer.notes += [text] if outcome.stdout.strip() else []
        fault = find_text_fault(text, outcome, spec)
        return _fail(outcome, spec, fault) if fault else answer.verdict()
    if given is not None:
        answer.read(given)
        text = "" if text == stderr else stderr
    if not outcome.exit_code or (answer.decided and not spec.strict):
        return answer.verdict()
    if outcome.exit_code == _WARNS:
        return _warn(answer, text, answered=given is not None)
    failure = describe_failure(outcome) if given is None else ""
    words = answer.reason or text or failure
    answer.claim(row.blocks, words, "deny")
    if not row.can_block and words:
        answer.notes.append(words)
    return answer.verdict()


def _fail(outcome: Outcome, spec: HookSpec, fault: str = "", note: str = "") -> Verdict:
    """Return what `on_failure` says.

    The host shows a failure that blocks nothing on every event.
    """
    verdict = show_failure(make_failed_verdict(spec, outcome, fault), spec)
    return verdict.replace(for_user=note) if note and verdict.stance is Stance.SILENT else verdict


def _warn(answer: Answer, text: str, *, answered: bool) -> Verdict:
    """Return what exit 1 means: the host goes on, and shows the text.

    Of an object it takes what that asks for beside a decision.
    """
    if answer.claims and answer.stance >= answer.spec.on_failure:
        return answer.verdict()
    warning = f"Warning: {text}" if text else ""
    if not answered or answer.spec.on_failure is not Stance.SILENT:
        return _fail(answer.outcome, answer.spec, note=warning)
    answer.notes += [warning] if warning else []
    return answer.verdict(fault=describe_failure(answer.outcome))


# -- keys that Gemini CLI reads in its own way -----------------------------------------------------


def _lose(answer: Answer, key: str, why: str) -> None:
    answer.unsupported.append(f"{KEYS[key].power}: `{key}` {why}")


def _read_request(answer: Answer, request: Mapping[str, Any], _given: Mapping[str, Any]) -> None:
    """Take in a part of a request: its messages are a rewrite, everything else is an effect."""
    beside = {key: value for key, value in request.items() if key != "messages"}
    if beside:
        answer.effects["request"] = beside
    messages = request.get("messages")
    if isinstance(messages, list):
        answer.rewrite = Rewrite(target="messages", value=messages)
    elif messages is not None:
        _lose(answer, "llm_request", "has messages that are no list")


def _read_response(answer: Answer, response: Mapping[str, Any], _given: Mapping[str, Any]) -> None:
    """Take in a reply: in the model's place, or instead of its own.

    Without a candidate that says something, none.
    """
    if not _has_parts(response):
        _lose(answer, "llm_response", "has no candidate with `content.parts`")
    elif answer.row.reads["llm_response"] == "text":
        answer.rewrite = Rewrite(target="text", value=response)
    else:
        answer.effects["return"] = response


def _has_parts(response: Mapping[str, Any]) -> bool:
    """Return whether the first candidate of a reply holds anything."""
    try:
        parts = response["candidates"][0]["content"]["parts"]
    except (LookupError, TypeError):
        return False
    return isinstance(parts, list) and bool(parts)


def _read_tools(answer: Answer, chosen: Mapping[str, Any], _given: Mapping[str, Any]) -> None:
    """Take in which tools the model may call; a part that the host cannot take is left out."""
    parts = ("mode", "allowedFunctionNames")
    tools = {key: chosen[key] for key in parts if chosen.get(key) is not None}
    if tools.get("mode", MODES[0]) not in MODES:
        _lose(answer, "toolConfig", f"has a mode that is none of {', '.join(MODES)}")
        del tools["mode"]
    names = tools.get("allowedFunctionNames", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        _lose(answer, "toolConfig", "has `allowedFunctionNames` that are no list of texts")
        del tools["allowedFunctionNames"]
    if tools:
        answer.effects["tools"] = tools


def _read_tail_call(answer: Answer, call: Mapping[str, Any], _given: Mapping[str, Any]) -> None:
    """Take in another tool, whose result takes the place of this one's."""
    name, args = call.get("name"), call.get("args", {})
    if isinstance(name, str) and name and isinstance(args, dict):
        answer.effects["tail_call"] = {"name": name, "args": args}
    else:
        why = "needs the `name` of a tool, and its `args` as an object"
        _lose(answer, "tailToolCallRequest", why)


_FORMAT = AnswerFormat(
    keys=KEYS,
    escapes=True,
    merges=True,
    readers={
        "llm_request": _read_request,
        "llm_response": _read_response,
        "toolConfig": _read_tools,
        "tailToolCallRequest": _read_tail_call,
    },
)
