"""What an output object says, in Starchild's own keys and in Claude Code's, before anybody asks whether it counts here."""

from __future__ import annotations

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

UNKNOWN_DECISION = "unknown_decision_value"
BAD_TYPE = "bad_type"

# Key -> the type that it wants. `reason` and `stopReason` are not here: a wrong one is as good as none.
_OWN: Mapping[str, type] = {
    "tool_input": dict, "message": str, "notification": str, "response": str, "context": str, "systemMessage": str,
    "add_warning": str, "tag": str, "code": str, "continue": bool, "hookSpecificOutput": dict,
}  # fmt: skip
_SPECIFIC: Mapping[str, type] = {"additionalContext": str, "updatedInput": dict}
_FREE = ("decision", "reason", "stopReason", "suppressOutput", "tool_result", "evidence")
_FREE_SPECIFIC = ("hookEventName", "permissionDecision", "permissionDecisionReason")
REWRITES = ("message", "notification", "response")  # keys that replace a text
_NAMES: Mapping[type, str] = {dict: "an object", str: "text", bool: "true or false"}


class Output(Frozen):
    """What a hook asks for. `blocks` holds the reason of each of its blocks, `asks` that of its ask.

    `reason` is the first reason given, whatever it is for. `odd` lists what nobody can understand: a name, and why.
    """

    blocks: tuple[str, ...] = ()
    asks: str | None = None
    reason: str = ""
    patch: Mapping[str, Any] | None = None
    texts: Mapping[str, str] = {}
    result: Any = None
    context: str = ""
    note: str = ""
    evidence: Any = None
    odd: tuple[str, ...] = ()


def understood(given: Mapping[str, Any]) -> Output:
    """An output object, in both vocabularies at once (docs/formats/starchild.md 5.1, 5.2)."""
    own, odd = _typed(given, _OWN, _FREE)
    specific, inner = _typed(own.get("hookSpecificOutput", {}), _SPECIFIC, _FREE_SPECIFIC)
    odd += inner
    reasons = {key: _text(holder.get(key)) for holder, key in _reasons(own, specific)}
    blocks = (
        [reasons["reason"]]
        if _word(own, "decision", ("block", "approve", "allow"), odd) == "block"
        else []
    )
    permission = _word(specific, "permissionDecision", ("deny", "ask", "allow"), odd)
    blocks += [reasons["permissionDecisionReason"]] if permission == "deny" else []
    blocks += [reasons["stopReason"]] if own.get("continue") is False else []
    return Output(
        blocks=tuple(blocks),
        asks=reasons["permissionDecisionReason"] if permission == "ask" else None,
        reason=next(filter(None, reasons.values()), ""),
        patch={**specific.get("updatedInput", {}), **own.get("tool_input", {})} or None,
        texts={key: own[key] for key in REWRITES if key in own},
        result=own.get("tool_result"),
        context=_joined(own.get("context"), specific.get("additionalContext")),
        note=_joined(own.get("systemMessage"), own.get("add_warning")),
        evidence=_evidence(own),
        odd=tuple(odd),
    )


def _typed(
    given: Mapping[str, Any], wanted: Mapping[str, type], free: tuple[str, ...]
) -> tuple[dict[str, Any], list[str]]:
    """The entries that have the type of their key; and what is odd about the others. Null is as good as nothing."""
    good: dict[str, Any] = {}
    odd: list[str] = []
    for key, value in given.items():
        if key not in wanted and key not in free:
            odd.append(f"{key}: it is no key of the output")
        elif value is not None and key in wanted and not isinstance(value, wanted[key]):
            odd.append(f"{BAD_TYPE}: `{key}` must be {_NAMES[wanted[key]]}")
        elif value is not None:
            good[key] = value
    return good, odd


def _reasons(
    own: Mapping[str, Any], specific: Mapping[str, Any]
) -> tuple[tuple[Mapping[str, Any], str], ...]:
    return (own, "reason"), (specific, "permissionDecisionReason"), (own, "stopReason")


def _word(given: Mapping[str, Any], key: str, known: tuple[str, ...], odd: list[str]) -> str:
    """A decision word, exactly as spelled; another letter case is another word."""
    value = given.get(key)
    if value is None or value in known:
        return str(value or "")
    odd.append(
        f"{UNKNOWN_DECISION}: `{key}` is one of {', '.join(f'`{word}`' for word in known)}, not `{value!s:.40}`"
    )
    return ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) and value.strip() else ""


def _joined(*texts: str | None) -> str:
    return "\n".join(text for text in texts if text and text.strip())


def _evidence(own: Mapping[str, Any]) -> Any:
    """`evidence`, and beside it `tag` and `code` where they are given (docs/formats/starchild.md 5.3)."""
    given = {key: own[key] for key in ("evidence", "tag", "code") if key in own}
    return given.get("evidence") if set(given) <= {"evidence"} else given
