"""Imports the approval lists of Starchild and Hermes, as far as they name what was approved.

Most entries know only a time of a script, which everyone who can write the script can set. So an
entry approves what is there now only by a digest, or where there is no script at all
(docs/formats/starchild.md 6; docs/formats/hermes.md).
"""

from __future__ import annotations

import json

from hookline.engine.hook_lookup import find_by_command
from hookline.errors import TrustError
from hookline.model.frozen import Frozen
from hookline.paths import read_start
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
_WORST = ("revoked", "unverified", "changed", "approved")


class Imported(Frozen):
    """The result of one entry.

    `result`: approved; changed (the script has another digest, or cannot run); unverified (the entry does not say what was approved, so nothing was taken over);
    revoked (the user took the approval back here, which stands); undeclared (no hook is declared
    with this event and command).
    """

    event: str
    command: str
    result: str
    hooks: tuple[str, ...] = ()


def import_allowlist(gate: Gate, path: str, specs: Sequence[HookSpec]) -> list[Imported]:
    """Import the approvals of a list; the list itself is only read.

    Raises:
        TrustError: `trust.allowlist`, it is no such list; or the store cannot be written.
    """
    done: list[Imported] = []
    for entry in _read_entries(path):
        event, command = str(entry["event"]), str(entry.get("command", entry.get("url")))
        try:
            meant = find_by_command(specs, command, event)
        except TrustError:
            done.append(Imported(event=event, command=command, result="undeclared"))
            continue
        states = [state for state in gate.find_states(meant) if state.column]
        results = {state.spec.id: _judge(state, entry) for state in states}
        how = f"imported from {path}"
        gate.store.approve(
            gate.to_approval(state, how=how)
            for state in states
            if results[state.spec.id] == "approved"
        )
        result = min(results.values(), key=_WORST.index, default="approved")
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
    digest = next((entry[key] for key in _DIGESTS if entry.get(key)), None)
    if digest is None:
        return "unverified"
    return "approved" if [file.sha256 for file in files] == [str(digest).lower()] else "changed"


def _read_entries(path: str) -> list[dict[str, Any]]:
    try:
        tree = json.loads(read_start(path, _LONGEST))
    except OSError as error:
        raise _make_error(path, (error.strerror or "unreadable").lower()) from None
    except (ValueError, RecursionError):
        raise _make_error(path, "it is no JSON") from None
    listed = tree.get("approvals") if isinstance(tree, dict) else tree
    if not isinstance(listed, list):
        raise _make_error(path, "it has no list of `approvals`")
    for at, entry in enumerate(listed):
        told = entry if isinstance(entry, dict) else {}
        if not isinstance(told.get("event"), str) or not told.get("command", told.get("url")):
            raise _make_error(path, f"entry {at} is no approval of an `event` and a `command`")
    return listed


def _make_error(path: str, why: str) -> TrustError:
    return TrustError(
        f"the allowlist `{path}` cannot be taken over: {why}",
        name="trust.allowlist",
        hint='{"approvals": [{"event": ..., "command": ..., "script_sha256": ...}]}',
    )
