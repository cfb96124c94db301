"""Desk: what a person does about trust: see how hooks stand, approve, revoke, switch; the same for CLI, chat and HTTP."""

from __future__ import annotations

from hookline.core.dispatch import Run
from hookline.errors import TrustError
from hookline.model.event import Event
from hookline.model.handler import InProcess
from hookline.trust.policy import MISSING, REVOKED, TRUSTED, named
from hookline.trust.standing import Standing, shown
from hookline.trust.told import record_of, user_of
from hookline.wire.disable_flags import is_disable_flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from hookline.model.spec import HookSpec
    from hookline.trust.approval import Approval
    from hookline.trust.gate import Gate
    from hookline.trust.snapshot import Known

_WHY_NOT_ASKED = {
    "managed": "only root can have written it",
    "explicit": "somebody named its file",
    "process": "a function of the program itself",
}


def survey(gate: Gate, specs: Iterable[HookSpec]) -> list[Standing]:
    """How each hook stands now, as it would for an event in the project's folder.

    Raises:
        TrustError: the store cannot be read.
    """
    return surveyed(gate, specs, gate.known())


def surveyed(
    gate: Gate, specs: Iterable[HookSpec], known: Known | None, fault: str = ""
) -> list[Standing]:
    """How each hook stands by what the store knows; None: it cannot be read, for `fault`."""
    return [
        _standing(gate, spec) or gate.standing(_run(gate, spec), known, fault)
        for spec in specs
        if not is_disable_flag(spec)
    ]


def _standing(gate: Gate, spec: HookSpec) -> Standing | None:
    """The standing of a hook that needs no approval."""
    scope = spec.origin.scope
    if type(spec.handler) is InProcess:
        return Standing(spec=spec, state=TRUSTED, reason=_WHY_NOT_ASKED["process"])
    if gate.is_managed(spec):
        standing = gate.of_policy(_run(gate, spec))
        return standing if standing.exposed else standing.replace(reason=_WHY_NOT_ASKED["managed"])
    if named(scope):
        return Standing(spec=spec, state=TRUSTED, reason=_WHY_NOT_ASKED.get(scope, ""))
    return None


def _run(gate: Gate, spec: HookSpec) -> Run:
    return Run(
        spec=spec,
        event=Event(
            kind=spec.kind, dialect=spec.dialect, native_name=spec.native_event, cwd=gate.root
        ),
    )


def chosen(
    specs: Iterable[HookSpec], *, command: str = "", event: str = "", hook: str = ""
) -> list[HookSpec]:
    """The declared hooks that somebody means by a command (or address), an event and an id; each narrows, "" is any.

    Raises:
        TrustError: `trust.unmatched`, no declared hook is meant.
    """
    found = [
        spec
        for spec in specs
        if not is_disable_flag(spec)
        and (not command or command in (shown(spec), _joined(spec)))
        and (not event or event in (spec.native_event, spec.kind))
        and (not hook or hook in (spec.id, spec.name))
    ]
    if not found:
        meant = ", ".join(
            f"{what} `{text}`"
            for what, text in (("command", command), ("event", event), ("hook", hook))
            if text
        )
        raise TrustError(
            f"no hook is declared with {meant}",
            name="trust.unmatched",
            hint="approval lets a declared hook run; it declares none",
        )
    return found


def _joined(spec: HookSpec) -> str:
    return " ".join(getattr(spec.handler, "argv", ()))


def approve(
    gate: Gate, specs: Sequence[HookSpec], *, who: str = "", how: str = "command line"
) -> list[Standing]:
    """Approve hooks as they are now, all of them or none; returns those that needed it, as they stand afterwards.

    Raises:
        TrustError: `trust.exposed`, others may write what is to be approved; `trust.missing`, what it runs is not there; or
            the store cannot be read or written.
    """
    before = [standing for standing in survey(gate, specs) if standing.group]
    for standing in before:
        if standing.exposed:
            raise TrustError(
                standing.exposed, name="trust.exposed", hint="chmod go-w, then look at it again"
            )
        if standing.sight.missing:
            raise TrustError(
                standing.sight.missing[0],
                name="trust.missing",
                hint="there is nothing to approve yet",
            )
    gone = gone_before(gate, [standing.spec for standing in before])
    gate.store.approve(
        [gate.approval(standing, who=who, how=how) for standing in before],
        replaces=[each.print.identity for each in gone],
        notes=[
            *(gate.record("approved", standing, who=who, how=how) for standing in before),
            *records_of(gate, gone, "replaced", who=who, how=how),
        ],
    )
    return [standing.replace(state=TRUSTED, reason="") for standing in before]


def gone_before(gate: Gate, specs: Iterable[HookSpec]) -> list[Approval]:
    """The approvals of hooks that are gone, in whose place these are to be approved.

    Raises:
        TrustError: the store cannot be read.
    """
    return gate.vanished.replaced(specs, gate.known(), gate.store.approvals())


def records_of(
    gate: Gate, approvals: Iterable[Approval], what: str, *, who: str, how: str
) -> list[dict[str, Any]]:
    """What a journal is told of approvals whose hooks are not declared any more."""
    return [record_of(each, what, who=who or user_of(gate.environ), how=how) for each in approvals]


def revoke(
    gate: Gate, specs: Sequence[HookSpec], *, who: str = "", how: str = "command line"
) -> list[Standing]:
    """Take the approval of hooks back; a hook of the user's own is not approved by its next use, either.

    Raises:
        TrustError: the store cannot be read or written.
    """
    before = [standing for standing in survey(gate, specs) if standing.group]
    notes = [gate.record("revoked", standing, who=who, how=how) for standing in before]
    gate.store.revoke(
        [(standing.print.identity, shown(standing.spec)) for standing in before], who, notes=notes
    )
    missing = {standing.spec.id for standing in before if standing.state == MISSING}
    return [
        standing if standing.spec.id in missing else standing.replace(state=REVOKED, reason="")
        for standing in before
    ]


def turn(gate: Gate, *, on: bool, everywhere: bool = False, who: str = "", how: str = "") -> None:
    """Turn hooks on or off, in the project of the gate or everywhere; a running engine sees it at its next event.

    Raises:
        TrustError: the store cannot be written.
    """
    root = "" if everywhere else gate.root
    gate.store.turn(root, who, on=on, how=how)


def turn_hooks(
    gate: Gate,
    specs: Sequence[HookSpec],
    *,
    on: bool,
    everywhere: bool = False,
    who: str = "",
    how: str = "",
) -> None:
    """Turn single hooks on or off, in the project of the gate or everywhere, all of them or none.

    A hook is meant as it is declared: what another one becomes that takes its place in the file is not switched off with it.

    Raises:
        TrustError: `trust.not-switched`, no switch reaches one of them; or the store cannot be written.
    """
    for spec in specs:
        if type(spec.handler) is InProcess or gate.is_managed(spec):
            scope = "process" if type(spec.handler) is InProcess else "managed"
            hint = (
                f"only root can take it out of `{spec.origin.file}`"
                if scope == "managed"
                else "the program can take it out"
            )
            raise TrustError(
                f"no switch reaches `{spec.id}`: {_WHY_NOT_ASKED[scope]}",
                name="trust.not-switched",
                hint=hint,
            )
    root = "" if everywhere else gate.root
    notes = [
        {"what": "on" if on else "off", "hook": spec.id, "event": spec.native_event, "command": shown(spec), "file": spec.origin.file,
         "root": root, "identity": gate.identity(spec), "who": who, "how": how}
        for spec in specs
    ]  # fmt: skip
    gate.store.turn_hooks(
        root, [(gate.identity(spec), shown(spec)) for spec in specs], who, on=on, notes=notes
    )
