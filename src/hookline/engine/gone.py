"""Gone: approved hooks of a project that its files declare no more: which these are, what is said of them, and how they are forgotten."""

from __future__ import annotations

import os

from hookline.engine.shelf import all_hooks
from hookline.engine.sources import Discovery
from hookline.engine.unsaid import NOT_ASKED
from hookline.errors import HookError
from hookline.model.kinds import kind
from hookline.model.spec import CLONED
from hookline.model.verdict import Lowered
from hookline.paths import real_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.core.registry import Registry
    from hookline.engine.engine import Engine
    from hookline.engine.library import Library
    from hookline.model.event import Event
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision
    from hookline.trust.approval import Approval
    from hookline.trust.gate import Gate

_MORE = "`hookline list` tells more"


class Declared:
    """What the files of a library's project declare now, for a gate that asks; found out again once they were read anew."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._seen: tuple[Registry, tuple[HookSpec, ...]] | None = None

    def hooks(self) -> tuple[HookSpec, ...]:
        """The hooks that a clone brought; also those that were left out since, or gave way to others."""
        registry, seen = self._library.registry, self._seen
        if seen is None or seen[0] is not registry:
            seen = self._seen = (
                registry,
                tuple(spec for spec in all_hooks(self._library) if spec.origin.scope in CLONED),
            )
        return seen[1]

    def seeks(self, root: str, dialect: str) -> bool:
        """Whether all files of a dialect in a project were looked for: not where files were named, or are left to their host."""
        shelf = self._library.shelf
        dropped = any((dialect, scope) in shelf.dropped for scope in CLONED)
        found = any(
            isinstance(way, Discovery) and way.dialect in ("", dialect) for way in shelf.ways
        )
        return found and not dropped and real_path(self._library.cwd) == root


# -- at an event -------------------------------------------------------------------------------------------------------


def missed(engine: Engine, event: Event, decision: Decision) -> Decision:
    """The decision; at a gate of a project of which approved hooks are gone, with a word on these, once in a session.

    In a note for the user, where the event has room for one; else in `lowered`.
    """
    if engine.gate is None or not kind(event.kind).guarded:
        return decision
    row = engine.host(event.dialect).table.row(event.native_name)
    noted = row is None or "note" in row.powers_on(event.tool)
    for place in engine.gate.missing(
        event.session_id, frozenset(verdict.hook_id for verdict in decision.verdicts)
    ):
        words = f"an approved hook of this project ({place}) is gone, or is not declared as it was approved ({_MORE})"
        if noted:
            decision = decision.replace(for_user=(*decision.for_user, words))
        else:
            decision = decision.replace(
                lowered=(*decision.lowered, Lowered(effect=NOT_ASKED, reason=words))
            )
    return decision


# -- by hand -----------------------------------------------------------------------------------------------------------


def gone(engine: Engine) -> list[Approval]:
    """The approvals whose hooks are declared no more, and which nothing took the place of; none where approvals do not count, or cannot be read."""
    if engine.gate is None:
        return []
    from hookline.engine.steering import gate_for  # noqa: PLC0415 - an event needs none of it

    try:
        gate = gate_for(engine)
        left = _left(gate, engine)
        rows = gate.store.approvals() if left else ()
    except HookError:  # whoever looks at the hooks is told of it
        return []
    found = {each.print.identity: each for each in rows if each.print.identity in left}
    return sorted(found.values(), key=lambda each: (each.file, each.event, each.command))


def _left(gate: Gate, engine: Engine) -> frozenset[str]:
    gone = gate.vanished.unplaced(gate.known(), frozenset(spec.id for spec in all_hooks(engine)))
    return frozenset(identity for each in gone.values() for identity in each)


def gone_problems(engine: Engine) -> Iterator[Problem]:
    """What is said of each."""
    import shlex  # noqa: PLC0415 - an event needs none of it

    from hookline.model.problem import Origin, Problem  # noqa: PLC0415 - as above

    for each in gone(engine):
        message = f"an approved hook is no longer declared: {each.event} `{each.command}`"
        hint = f"if that is meant: hookline revoke {shlex.quote(each.command)} forgets it"
        yield Problem(
            name="check.gone",
            message=message,
            hint=hint,
            severity="warning",
            origin=Origin(file=each.file),
        )


def gone_meant(engine: Engine, what: str, event: str = "") -> list[Approval]:
    """Those that a person means by an id, a command or a file."""
    meant = (
        each
        for each in gone(engine)
        if what in (each.hook, each.command) or os.path.abspath(what) == each.file
    )
    return [each for each in meant if event in ("", each.event)]


def forget(engine: Engine, approvals: list[Approval], *, who: str, how: str) -> None:
    """Forget approvals of hooks that are gone: who declares one anew has it approved anew.

    Raises:
        TrustError: the store cannot be written.
    """
    from hookline.engine.steering import gate_for  # noqa: PLC0415 - an event needs none of it
    from hookline.trust.desk import records_of  # noqa: PLC0415 - as above

    if not approvals:
        return
    gate = gate_for(engine)
    notes = records_of(gate, approvals, "forgotten", who=who, how=how)
    gate.store.forget([each.print.identity for each in approvals], notes=notes)
