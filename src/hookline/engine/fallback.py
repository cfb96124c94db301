"""The reply to a host if hookline could make no decision.

Before an action the answer is a refusal. Everywhere else it is the host's no-op, with a notice to
the user.
"""

from __future__ import annotations

import re

from hookline.core.fold import make_silent_decision
from hookline.engine.catalog import make_dialect
from hookline.errors import CodecError, HookError
from hookline.model import kinds
from hookline.model.event import Event
from hookline.model.frozen import Frozen
from hookline.model.verdict import Reply, Stance
from hookline.wire.json_reader import read_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import Dialect

# The event keys of all dialects, for a host that hookline does not know.
_EVENT_KEYS = ("hook_event_name", "event", "event_type", "hookName")
_REFUSED = 2  # the exit code by which every dialect whose hooks are commands refuses


class Fallback(Frozen):
    """A fallback reply. `refuses`: it refuses an action; otherwise it decides nothing."""

    reply: Reply
    refuses: bool


def find_fallback(
    dialect_name: str,
    sent: bytes,
    message: str,
    *,
    event: str = "",
    strict: bool = False,
    acts: bool | None = None,
) -> Fallback:
    """Return the reply to an event that hookline could not decide. It never raises.

    Args:
        dialect_name: the host's dialect; it may be unknown.
        sent: the bytes that the host sent, readable or not.
        message: what went wrong, in one sentence for the user.
        event: the native name of the event, where the command line says it.
        strict: whether an event without a readable name counts as an action although no hook guards
            one.
        acts: whether a hook before an action is loaded; None if that is not known, which counts as
            yes.
    """
    try:
        dialect: Dialect | None = make_dialect(dialect_name)
    except (HookError, ImportError):
        dialect = None
    names = _list_kinds(dialect)
    keys = dialect.table.event_keys() if dialect is not None else _EVENT_KEYS
    native = event if event in names else _find_name(sent, keys, names)
    kind, text = names.get(native, ""), f"hookline: {message}"
    plain = Reply(stderr=f"{text}\n")
    if kind in kinds.ACTIONS:
        reply = _encode(dialect, native, stance=Stance.DENY, reason=text)
        is_refusal = bool(reply.stdout.strip() or reply.exit_code)
        return Fallback(
            reply=reply if is_refusal else plain.replace(exit_code=_REFUSED), refuses=True
        )
    if not kind and (strict or acts is not False) and not _mentions_stop(sent, names):
        return Fallback(reply=plain.replace(exit_code=_REFUSED), refuses=True)
    reply = _encode(dialect, native, for_user=(text,)) if _has_notes(dialect, native) else Reply()
    return Fallback(reply=plain if reply == Reply() or reply.exit_code else reply, refuses=False)


# -- which event it is -------------------------------------------------------------------------


def _list_kinds(dialect: Dialect | None) -> dict[str, str]:
    """Return the kind of each event by the names that a host has for it.

    For an unknown host, the names of all hosts count.
    """
    if dialect is None:
        return {name: kinds.find_by_native_name(name) for name in kinds.all_natives()}
    table = dialect.table
    own = {name: row.kind for name, row in table.rows.items()}
    return {alias: own[name] for alias, name in table.aliases.items()} | own


def name_event(dialect: Dialect, payload: Any, event: str) -> str:
    """Return the native name of the event, by `event` or else by the payload as it was read.

    It is empty where neither names one.
    """
    names = _list_kinds(dialect)
    given = [event, *_name_by_keys(payload, dialect.table.event_keys())]
    return next((name for name in given if name in names), "")


def _name_by_keys(payload: Any, keys: tuple[str, ...]) -> list[str]:
    return [str(payload.get(key)) for key in keys] if isinstance(payload, dict) else []


def _find_name(sent: bytes, keys: tuple[str, ...], names: Mapping[str, str]) -> str:
    """Return the event that a payload names; empty if it names none.

    A payload that is no JSON may name events anywhere, also in a tool's arguments: an action counts
    more than any other event.
    """
    try:
        tree = read_json(sent)
    except CodecError:
        named = rb'"(?:%s)"\s*:\s*"([^"\\]{1,200})"' % "|".join(map(re.escape, keys)).encode()
        found = [name.decode("utf-8", "replace") for name in re.findall(named, sent)]
    else:
        found = _name_by_keys(tree, keys)
    known = [name for name in found if name in names]
    actions = (name for name in known if names[name] in kinds.ACTIONS)
    return next(actions, known[0] if known else "")


def _mentions_stop(sent: bytes, names: Mapping[str, str]) -> bool:
    """Whether the bytes name an event at which a refusal sends the agent back to work."""
    stops = (name for name, kind in names.items() if kinds.kind(kind).redo)
    return any(f'"{name}"'.encode() in sent for name in stops)


# -- what the host is answered -----------------------------------------------------------------


def _has_notes(dialect: Dialect | None, native: str) -> bool:
    """Whether a reply to an event can carry a notice.

    Where stdout is a path, any text on it would be taken for one.
    """
    row = dialect.table.row(native) if dialect is not None else None
    return row is not None and "note" in row.powers and "path" not in row.powers


def _encode(dialect: Dialect | None, native: str, **fields: object) -> Reply:
    """Return a decision about an event of which only the name is known, in the host's words.

    It is empty where it has none.
    """
    row = dialect.table.row(native) if dialect is not None else None
    if dialect is None or row is None:
        return Reply()
    try:
        values: dict[str, Any] = {"tool": ""} if "tool" in row.body.__fields__ else {}
        event = Event(
            kind=row.kind, dialect=dialect.table.name, native_name=native, body=row.body(**values)
        )
        return dialect.encode_decision(make_silent_decision(event).replace(**fields), event)
    except Exception:  # noqa: BLE001 - the host gets an answer, whatever fails
        return Reply()
