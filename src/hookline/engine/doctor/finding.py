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
    spec: HookSpec, name: str, message: str, hint: str = "", *, path: str = ""
) -> Finding:
    """Return an error of a hook."""
    return Finding(
        name=name, message=message, hint=hint, origin=spec.origin, hook=spec.id, path=path
    )


def make_warning(spec: HookSpec, name: str, message: str, hint: str = "") -> Finding:
    """Return a warning about a hook."""
    return make_finding(spec, name, message, hint).replace(severity="warning")
