"""Allowlist: the JSON lists in which Starchild and Hermes keep approvals, taken over once, as far as they say what was approved.

A time is all that most of them know of a script, and anybody who can write the script can set that. So an entry approves what is
there now only by a digest, or where there is no script at all; a time can only tell that something changed (docs/formats/starchild.md 6; docs/formats/hermes.md).
"""

from __future__ import annotations

import datetime as dt
import json

from hookline.errors import TrustError
from hookline.model.frozen import Frozen
from hookline.trust.desk import chosen, gone_before, records_of, survey
from hookline.trust.policy import REVOKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hookline.model.spec import HookSpec
    from hookline.trust.approval import Approval
    from hookline.trust.gate import Gate
    from hookline.trust.standing import Standing

_LONGEST = 4 << 20  # bytes
_DIGESTS = ("script_sha256", "sha256")
_TIMES = ("script_mtime_at_approval", "script_mtime", "mtime")
_NEVER = "-"  # a content that no file has


class Imported(Frozen):
    """What became of one entry.

    `result`: approved; changed (the script's digest or time is another, so that it must be approved again); unverified (the entry
    does not say what was approved, so nothing was taken over); revoked (somebody took the approval back here, which stands);
    undeclared (no hook is declared with this event and command).
    """

    event: str
    command: str
    result: str
    hooks: tuple[str, ...] = ()


def import_allowlist(
    gate: Gate, path: str, specs: Sequence[HookSpec], *, who: str = ""
) -> list[Imported]:
    """Take over the approvals of a list; the list itself is only read.

    Raises:
        TrustError: `trust.allowlist`, it cannot be read or is no such list; or the store cannot be read or written.
    """
    done: list[Imported] = []
    approvals: list[tuple[Approval, dict[str, Any]]] = []
    for event, command, entry in _entries(path):
        try:
            meant = chosen(specs, command=command, event=event)
        except TrustError:
            done.append(Imported(event=event, command=command, result="undeclared"))
            continue
        standings = [standing for standing in survey(gate, meant) if standing.group]
        results = [_result(standing, entry) for standing in standings]
        for standing, result in zip(standings, results, strict=True):
            approval = gate.approval(standing, who=who, how=f"imported from {path}")
            if result == "changed":
                approval = approval.replace(print=standing.print.replace(content=_NEVER))
            if result in ("approved", "changed"):
                approvals.append(
                    (approval, gate.record(f"imported {result}", standing, who=who, how=path))
                )
        result = next(
            (each for each in ("revoked", "unverified", "changed") if each in results), "approved"
        )
        done.append(
            Imported(
                event=event,
                command=command,
                result=result,
                hooks=tuple(each.spec.id for each in standings),
            )
        )
    # An entry that is out of date must not undo an approval that is not.
    never = [pair for pair in approvals if pair[0].print.content == _NEVER]
    gate.store.approve(
        [each for each, _ in never], first_use=True, notes=[note for _, note in never]
    )
    taken = [pair for pair in approvals if pair not in never]
    identities = {each.print.identity for each, _ in taken}
    gone = gone_before(gate, [spec for spec in specs if gate.identity(spec) in identities])
    gate.store.approve(
        [each for each, _ in taken],
        keep_revoked=True,
        replaces=[each.print.identity for each in gone],
        notes=[
            *(note for _, note in taken),
            *records_of(gate, gone, "replaced", who=who, how=f"imported from {path}"),
        ],
    )
    return done


def _result(standing: Standing, entry: Mapping[str, Any]) -> str:
    if standing.state == REVOKED:
        return "revoked"
    if standing.exposed or standing.sight.missing:
        return "changed"
    scripts = [file for file in standing.sight.files if file.role in ("script", "program")]
    if not scripts:
        return (
            "approved" if not standing.sight.files else "unverified"
        )  # an address has nothing that could change
    if digest := _first(entry, _DIGESTS):
        return (
            "approved" if [file.digest for file in scripts] == [str(digest).lower()] else "changed"
        )
    modified = _first(entry, _TIMES)
    told = modified is not None and not all(_same_time(file.modified, modified) for file in scripts)
    return "changed" if told else "unverified"


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
