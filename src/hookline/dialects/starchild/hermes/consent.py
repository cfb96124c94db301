"""Consent: Hermes' own switches for user code, and what hookline makes of them (docs/formats/hermes.md 6)."""

from __future__ import annotations

from hookline.model.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Loaded
    from hookline.model.spec import HookSpec


def switched_off(specs: tuple[HookSpec, ...]) -> Problem:
    """The problem that names the variable by which none of these hooks runs."""
    return Problem(
        name="hook.off",
        message="`HERMES_SAFE_MODE` is set, which switches every hook of Hermes off",
        hint="unset HERMES_SAFE_MODE",
        severity="warning",
        origin=specs[0].origin,
        hooks=tuple(spec.id for spec in specs),
    )


def accept(loaded: Loaded) -> Loaded:
    """The same hooks as Hermes runs them where a switch accepts them all: without an approval."""
    return loaded.replace(specs=tuple(spec.replace(trusted=True) for spec in loaded.specs))


def approves_nothing(switch: str, specs: tuple[HookSpec, ...]) -> Problem:
    """The problem that says that a switch of Hermes approves no hook here."""
    return Problem(
        name="key.ignored",
        message=f"`{switch}` approves no hook in hookline",
        hint="review and approve the hooks yourself: hookline approve",
        severity="warning",
        origin=specs[0].origin,
        tells_user=True,
    )
