"""A problem of one hook, with the file that it is about."""

from __future__ import annotations

from hookline.model.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.spec import HookSpec


class Finding(Problem):
    """A problem of a hook; `path`: the file whose mode is wrong, if that is the problem."""

    path: str = ""


def make_finding(
    spec: HookSpec,
    name: str,
    message: str,
    *,
    hint: str = "",
    severity: str = "error",
    path: str = "",
) -> Finding:
    """Return a finding about a hook."""
    return Finding(
        name=name,
        message=message,
        hint=hint,
        severity=severity,
        origin=spec.origin,
        hook=spec.id,
        path=path,
    )
