"""Imports the approval lists of Starchild and Hermes, as far as their entries name what was approved.

Most of them know only a time of a script, which everyone who can write the script can set. So an
entry approves what is there now only by a digest, or where there is no script at all; a time can
only tell that something changed (docs/formats/starchild.md 6; docs/formats/hermes.md).
"""

from __future__ import annotations

import datetime as dt
import json
import os

from hookline.errors import TrustError
from hookline.model.frozen import Frozen
from hookline.trust.commands import choose_hooks, find_states
from hookline.trust.policy import REVOKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hookline.model.spec import HookSpec
    from hookline.trust.gate import Gate
    from hookline.trust.state import HookState

_LONGEST = 4 << 20  # bytes
_DIGESTS = ("script_sha256", "sha256")
_TIMES = ("script_mtime_at_approval", "script_mtime", "mtime")


class Imported(Frozen):
    """The result of one entry.

    `result`: approved; changed (the script's digest or time is another, so that it must be approved
    again); unverified (the entry does not say what was approved, so nothing was taken over);
    revoked (the user took the approval back here, which stands); undeclared (no hook is declared
    with this event and command).
    """

    event: str
    command: str
    result: str
    hooks: tuple[str, ...] = ()


def import_allowlist(
    gate: Gate, path: str, specs: Sequence[HookSpec], *, who: str = ""
) -> list[Imported]:
    """Import the approvals of a list; the list itself is only read.

    Raises:
        TrustError: `trust.allowlist`, it is no such list; or the store cannot be written.
    """
    done: list[Imported] = []
    for event, command, entry in _entries(path):
        try:
            meant = choose_hooks(specs, command=command, event=event)
        except TrustError:
            done.append(Imported(event=event, command=command, result="undeclared"))
            continue
        states = [state for state in find_states(gate, meant) if state.column]
        results = {state.spec.id: _judge(state, entry) for state in states}
        how = f"imported from {path}"
        gate.store.approve([gate.to_approval(state, who=who, how=how)
                            for state in states if results[state.spec.id] == "approved"])  # fmt: skip
        worst = ("revoked", "unverified", "changed")
        result = next((each for each in worst if each in results.values()), "approved")
        done.append(Imported(event=event, command=command, result=result, hooks=tuple(results)))
    return done


def _judge(state: HookState, entry: Mapping[str, Any]) -> str:
    if state.state == REVOKED:
        return "revoked"
    if not state.can_run:
        return "changed"
    files = state.inspection.files
    if not files:
        # An address has nothing that could change.
        return "unverified" if getattr(state.spec.handler, "script", "") else "approved"
    if digest := _first(entry, _DIGESTS):
        return "approved" if [file.sha256 for file in files] == [str(digest).lower()] else "changed"
    modified = _first(entry, _TIMES)
    is_same = modified is None or all(_same_time(_modified(file.path), modified) for file in files)
    return "unverified" if is_same else "changed"


def _modified(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def _first(entry: Mapping[str, Any], keys: Sequence[str]) -> Any:
    return next((entry[key] for key in keys if entry.get(key) is not None), None)


def _same_time(seconds: float, told: Any) -> bool:
    """Whether a file has a time: seconds since 1970, or a text in ISO 8601, as exact as it was written."""
    if isinstance(told, str):
        try:
            when = dt.datetime.fromisoformat(told)
        except ValueError:
            return False
        when = when if when.tzinfo else when.replace(tzinfo=dt.UTC)
        return abs(when.timestamp() - seconds) < (1e-5 if "." in told else 1)
    if isinstance(told, bool) or not isinstance(told, int | float):
        return False
    return abs(told - seconds) < (1 if told == int(told) else 1e-5)


def _entries(path: str) -> list[tuple[str, str, Mapping[str, Any]]]:
    """Event and command of every entry, and the entry."""
    try:
        with open(path, "rb") as file:
            read = file.read(_LONGEST + 1)
        tree = json.loads(read) if len(read) <= _LONGEST else None
    except OSError as error:
        raise _bad(path, (error.strerror or "unreadable").lower()) from None
    except (ValueError, RecursionError):
        raise _bad(path, "it is no JSON") from None
    listed = tree.get("approvals") if isinstance(tree, dict) else tree
    if not isinstance(listed, list):
        raise _bad(path, "it has no list of `approvals`")
    entries: list[tuple[str, str, Mapping[str, Any]]] = []
    for at, entry in enumerate(listed):
        if not isinstance(entry, dict) or not isinstance(entry.get("event"), str):
            raise _bad(path, f"entry {at} is no approval of an `event` and a `command`")
        command = entry.get("command", entry.get("url"))
        if not isinstance(command, str) or not command:
            raise _bad(path, f"entry {at} has no `command`")
        entries.append((entry["event"], command, entry))
    return entries


def _bad(path: str, why: str) -> TrustError:
    return TrustError(
        f"the allowlist `{path}` cannot be taken over: {why}",
        name="trust.allowlist",
        hint='{"approvals": [{"event": ..., "command": ..., "script_sha256": ...}]}',
    )
