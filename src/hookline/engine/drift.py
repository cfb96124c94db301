"""Drift: what is another than when a hook was last approved, in words, as far as that was written down."""

from __future__ import annotations

import time

from hookline.trust.policy import CHANGED, TRUSTED
from hookline.trust.standing import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.trust.gate import Gate
    from hookline.trust.standing import Standing


def drift(gate: Gate, standing: Standing) -> list[str]:
    """What is another than when it was last approved, in words, as far as that was written down; empty where nothing is.

    Raises:
        TrustError: the approvals cannot be read.
    """
    spec, key = standing.spec, standing.print
    if standing.state == TRUSTED:
        return []
    known = [
        each
        for each in gate.store.approvals()
        if (each.file, each.event) == (spec.origin.file, spec.native_event)
    ]
    same = next((each for each in known if each.print.identity == key.identity), None)
    if same is not None:
        moved = [] if standing.writable else _moved(standing, same.covers, same.at)
        return (
            [f"approved on {_when(same.at)} by {same.who} ({same.how})", *moved]
            if standing.state == CHANGED
            else []
        )
    other = next(
        (each for each in known if each.hook == spec.id or each.command == shown(spec)), None
    )
    if other is None:
        return []
    ran = f" It ran `{other.command}`." if other.command != shown(spec) else ""
    return [
        f"approved on {_when(other.at)} by {other.who} ({other.how}), with another definition.{ran}"
    ]


def _moved(standing: Standing, covers: Sequence[str], at: float) -> list[str]:
    """The files that an approval covered and that are no longer run, those that are new, and those that were written since."""
    before = {
        _path(text) for text in covers if not text.startswith("not: ") and text != "definition"
    }
    files = {file.real: file for file in standing.sight.files}
    told = [f"no longer run: {path}" for path in sorted(before - set(files))]
    told += [f"not part of it: {path}" for path in files if path not in before]
    kept = [file for path, file in files.items() if path in before and file.role != "interpreter"]
    # Of one file, it is that one; of several, the time tells, which whoever changes a file can set.
    written = [file for file in kept if file.modified > at] or (
        kept if len(kept) == 1 and not told else []
    )
    told += [f"changed: {file.real}, written on {_when(file.modified)}" for file in written]
    return told or ["changed: one of its files, whose times do not tell which"]


def _path(text: str) -> str:
    """The path in what an approval says to cover: `script /a/b (by its place)`."""
    return text.partition(" ")[2].partition(" (by its place")[0]


def _when(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))
