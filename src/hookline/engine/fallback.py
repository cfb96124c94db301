"""The reply to a host if hookline could make no decision.

Before an action the answer is a refusal. Everywhere else it is the host's no-op, with a notice to
the user.
"""

from __future__ import annotations

import re

from hookline.core.fold import make_silent_decision
from hookline.engine.catalog import make_dialect
from hookline.errors import HookError
from hookline.model import kinds
from hookline.model.event import Event
from hookline.model.frozen import Frozen
from hookline.model.reply import Reply
from hookline.model.verdict import Decision, Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from hookline.core.dialect import Dialect, EventRow

# The event keys of all dialects, for a host that hookline does not know.
_EVENT_KEYS = ("hook_event_name", "event", "event_type", "hookName")
_REFUSED = 2  # the exit code by which every dialect whose hooks are commands refuses
_TOKEN = rb'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]]'


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
    text = f"hookline: {message}\n"
    try:
        dialect: Dialect | None = make_dialect(dialect_name)
    except (HookError, ImportError):
        dialect = None
    if dialect is None:
        native, row, kind = "", None, _find_kind(sent, event)
    else:
        native = find_event(dialect, sent, event)
        row = dialect.table.row(native)
        kind = row.kind if row is not None else ""
    if kind in kinds.ACTIONS:
        reply = _refuse(dialect, row, native, message) or Reply(stderr=text, exit_code=_REFUSED)
        return Fallback(reply=reply, refuses=True)
    if not kind and (strict or acts is not False) and not _mentions_stop(dialect, sent):
        return Fallback(reply=Reply(stderr=text, exit_code=_REFUSED), refuses=True)
    reply = _notify(dialect, row, native, text.strip()) or Reply(stderr=text)
    return Fallback(reply=reply, refuses=False)


# -- which event it is -------------------------------------------------------------------------------------------------


def find_event(dialect: Dialect, sent: bytes, event: str) -> str:
    """Return the native name of the event, by `event` or else by the payload; empty where neither names one."""
    table = dialect.table
    if table.row(event) is not None:
        return event
    return _find_name(sent, table.event_keys(), lambda name: table.row(name) is not None)


def _find_kind(sent: bytes, event: str) -> str:
    """The kind of event that a host without a dialect means, by the names that other hosts use."""
    named = _find_name(sent, _EVENT_KEYS, lambda name: bool(kinds.find_by_native_name(name)))
    return kinds.find_by_native_name(event) or kinds.find_by_native_name(named)


def _find_name(sent: bytes, keys: tuple[str, ...], is_known: Callable[[str], bool]) -> str:
    """The event that the bytes name by a key of the outermost object; empty where they name none.

    A tool's arguments may hold the same key, so that only the outermost one counts.
    """
    named = rb'"(?:%s)"\s*:\s*"([^"\\]{1,200})"' % "|".join(map(re.escape, keys)).encode()
    found = {
        match.start(): match[1].decode("utf-8", "replace") for match in re.finditer(named, sent)
    }
    found = {at: name for at, name in found.items() if is_known(name)}
    outermost = _outermost_strings(sent, max(found)) if found else ()
    return next((found[at] for at in outermost if at in found), "")


def _outermost_strings(sent: bytes, last: int) -> Iterator[int]:
    """Where strings of the outermost object begin, as far as `last`."""
    depth = 0
    for token in re.finditer(_TOKEN, sent):
        if token.start() > last:
            return
        opening = token[0][:1]
        if opening == b'"':
            if depth == 1:
                yield token.start()
        else:
            depth += 1 if opening in b"{[" else -1


def _mentions_stop(dialect: Dialect | None, sent: bytes) -> bool:
    """Whether the bytes hold the name of an event at which a refusal sends the agent back to work."""
    if dialect is None:
        names = {
            native for native in kinds.all_natives() if _is_stop(kinds.find_by_native_name(native))
        }
    else:
        table = dialect.table
        names = {name for name, row in table.rows.items() if _is_stop(row.kind)}
        names |= {alias for alias, name in table.aliases.items() if name in names}
    return any(f'"{name}"'.encode() in sent for name in names)


def _is_stop(kind: str) -> bool:
    return kinds.kind(kind).redo


# -- what the host is answered -----------------------------------------------------------------------------------------


def _refuse(
    dialect: Dialect | None, row: EventRow | None, native: str, message: str
) -> Reply | None:
    """A denial in the host's words; None where the host has no words for it."""
    reason = f"hookline: {message}"
    reply = _encode(dialect, row, native, stance=Stance.DENY, reason=reason)
    return reply if reply is not None and (reply.stdout.strip() or reply.exit_code) else None


def _notify(dialect: Dialect | None, row: EventRow | None, native: str, text: str) -> Reply | None:
    """A reply that decides nothing and tells the user the text; None where the event has no word for that."""
    # Where stdout is a path, any text on it would be taken for one.
    if row is None or "note" not in row.powers or "path" in row.powers:
        return None
    reply = _encode(dialect, row, native, for_user=(text,))
    return reply if reply is not None and reply != Reply() and not reply.exit_code else None


def _encode(
    dialect: Dialect | None, row: EventRow | None, native: str, **fields: object
) -> Reply | None:
    """A decision about an event of which only the name is known, in the host's words."""
    if dialect is None or row is None:
        return None
    try:
        values: dict[str, Any] = {"tool": ""} if "tool" in row.body.__fields__ else {}
        event = Event(
            kind=row.kind, dialect=dialect.table.name, native_name=native, body=row.body(**values)
        )
        decision: Decision = make_silent_decision(event).replace(**fields)
        return dialect.encode_decision(decision, event)
    except Exception:  # noqa: BLE001 - an answer is owed to the host, whatever is wrong with the dialect
        return None
