"""Results of Codex's hooks: the exit code, and at exit 0 one object (docs/formats/codex.md 5)."""

from __future__ import annotations

from hookline.core.failure import make_failed_verdict, show_failure
from hookline.dialects.codex.table import HALT, KEYS, TABLE
from hookline.dialects.kit.answer import TOP, Answer, AnswerFormat, find_text_fault
from hookline.wire.hookoutput import UnreadableError, parse_object, select_typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Outcome, Verdict

_SPECIFIC: Mapping[str, type] = {key: known.type for key, known in KEYS.items()}
_REQUEST: Mapping[str, type] = {"behavior": str, "message": str, "interrupt": bool}
# What Codex does not take beside a behavior -> the effect that is lost with it.
_REFUSED_EXTRAS: Mapping[str, str] = {
    "updatedInput": "input",
    "updatedPermissions": "grant",
    "interrupt": "halt",
}
_PERMISSION = ("permissionDecision", "permissionDecisionReason", "updatedInput")
_PERMISSIONS = ("allow", "deny", "ask")
# A key, or a key with its value; what must stand beside it, "" for nothing; and the fault if that
# is missing.
_ALLOW, _DENY = "permissionDecision: allow", "permissionDecision: deny"
_RULES = (
    ("updatedInput", _ALLOW, f"`updatedInput` needs `{_ALLOW}`"),
    (
        "permissionDecisionReason",
        "permissionDecision",
        "`permissionDecisionReason` needs a `permissionDecision`",
    ),
    (_ALLOW, "updatedInput", f"`PreToolUse` does not accept `{_ALLOW}` by itself"),
    (_DENY, "permissionDecisionReason", f"`{_DENY}` needs a reason"),
    ("decision: approve", "", "`PreToolUse` does not accept `decision: approve`"),
    ("decision: block", "reason", "`decision: block` needs a reason"),
    ("reason", "decision", "a `reason` needs a `decision`"),
)
_BLOCKS = 2


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """Return what a hook means. Codex shows a failure on every event.

    Exit 2 blocks, with stderr as the reason, where the event can block; JSON beside it is not read.
    """
    answer = Answer(_FORMAT, outcome, spec, row, event)
    text, stderr = outcome.stdout.strip(), outcome.stderr.strip()
    fault = ""
    if outcome.failure is not None or (
        outcome.exit_code and (outcome.exit_code != _BLOCKS or not row.can_block)
    ):
        return _fail(answer)
    if outcome.exit_code:
        fault = "" if stderr else "exited with status 2, but wrote no reason to stderr"
        answer.claim(row.blocks, stderr, "deny")
    elif row.unread:
        lost = f"stdout: Codex reads no output of `{row.native}`"
        answer.unsupported += [lost] if text.startswith("{") else []
    elif text.startswith(("{", "[")):
        try:
            _read(answer, parse_object(text))
        except UnreadableError as error:
            fault = str(error)
    elif text and row.only_json:
        fault = f"its stdout is no JSON, as `{row.native}` wants it"
    else:
        fault = find_text_fault(text, outcome, spec)
        answer.context = text if row.plain_context else ""
    return _fail(answer, fault) if fault else answer.verdict()


def _fail(answer: Answer, fault: str = "") -> Verdict:
    verdict = make_failed_verdict(answer.spec, answer.outcome, fault)
    verdict = show_failure(verdict, answer.spec)
    return verdict.replace(for_user="\n".join(filter(None, (*answer.notes, verdict.for_user))))


def _read(answer: Answer, given: dict[str, Any]) -> None:
    """Take in an output object.

    Raises:
        UnreadableError: a key or a word that the event does not know, a value of another type, or
            one that Codex does not accept here.
    """
    row = answer.row
    top = _check(given, row.accepts, TOP, f"an answer to `{row.native}`")
    specific: dict[str, Any] = {}
    if "hookSpecificOutput" in top:
        where = f"`hookSpecificOutput` of `{row.native}`"
        specific = _check(top["hookSpecificOutput"], row.reads, _SPECIFIC, where)
        if specific.get("hookEventName") not in TABLE.rows:
            raise UnreadableError(
                "`hookSpecificOutput` needs `hookEventName`, the name of an event"
            )
        # A refused key that stands beside `continue: false` is not looked at.
        top["hookSpecificOutput"] = {
            key: value for key, value in specific.items() if key not in row.refused
        }
    if "decision" in top and top["decision"] not in row.words:
        raise UnreadableError(f"unknown decision `{top['decision']}`")
    word = specific.get("permissionDecision")
    if word not in (None, *_PERMISSIONS):
        raise UnreadableError(f"unknown permission decision `{word}`")
    if "decision" in specific:
        known = (*_REQUEST, *_REFUSED_EXTRAS)
        request = _check(specific["decision"], known, _REQUEST, "`decision`")
        if request.get("behavior") not in ("allow", "deny"):
            raise UnreadableError("`decision.behavior` must be `allow` or `deny`")
    if top.get("continue") is not False or row.stops is not HALT:
        refusal = next(_list_refusals(row, top, specific), "")
        if refusal:
            answer.notes += [top["systemMessage"]] if top.get("systemMessage") else []
            raise UnreadableError(refusal)
    answer.read(top)
    if word and top.get("decision") == "block":
        why = "beside a `permissionDecision` the top-level `decision` is not read"
        answer.unsupported.append(f"deny: {why}")


def _list_refusals(
    row: EventRow, top: Mapping[str, Any], specific: Mapping[str, Any]
) -> Iterator[str]:
    """Yield what Codex does not accept in an answer that it can read."""
    given = {**specific, **top}
    for key in sorted(row.refused & given.keys()):
        # `continue: true` and `suppressOutput: false` ask for nothing.
        if given[key] is not (key == "continue"):
            yield f"`{row.native}` does not accept `{key}`"
    if "decision" in specific:
        allows = specific["decision"]["behavior"] == "allow"
        yield from (why for _, why in _list_extras(specific["decision"]) if allows)
        return
    # Beside a `permissionDecision` Codex does not look at the top.
    read = specific if any(key in specific for key in _PERMISSION) else top
    present = {key for key, value in read.items() if not isinstance(value, str) or value.strip()}
    present |= {f"{key}: {value}" for key, value in read.items() if isinstance(value, str)}
    for key, needed, why in _RULES:
        if key in present and needed not in present and not (key == "reason" and row.bare_reason):
            yield why


def _list_extras(request: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each effect that a request's decision asks for in vain, and why."""
    for key, effect in _REFUSED_EXTRAS.items():
        if request.get(key) not in (None, False):
            yield effect, f"`PermissionRequest` does not accept `{key}`"


def _read_request(answer: Answer, request: Mapping[str, Any], _given: Mapping[str, Any]) -> None:
    """Take in the decision object of `PermissionRequest`.

    A denial counts although it has what Codex does not accept.
    """
    word = request["behavior"]
    answer.unsupported += [f"{effect}: {why}" for effect, why in _list_extras(request)]
    answer.decide(word, answer.row.verdicts, (request.get("message") or "").strip())


def _check(
    given: Mapping[str, Any], known: Collection[str], types: Mapping[str, type], where: str
) -> dict[str, Any]:
    """Return the entries that are not null, each of its type.

    Raises:
        UnreadableError: an unknown key, a value of another type, or null where true or false must
            stand.
    """
    for key, value in given.items():
        if key not in known:
            raise UnreadableError(f"{where} has no `{key}`")
        if value is None and types.get(key) is bool:
            raise UnreadableError(f"`{key}` must be true or false")
    return select_typed(given, types)


_FORMAT = AnswerFormat(
    keys=KEYS,
    checked=True,
    permission_first=True,
    readers={"decision": _read_request},
)
