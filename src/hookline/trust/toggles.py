"""Switches: hooks off everywhere, in one project or one by one, by the store or the environment."""

from __future__ import annotations

from hookline.paths import is_below, real_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hookline.model.spec import HookSpec
    from hookline.trust.store import Switch

VARIABLES = MASTER, SKIPPED = "HOOKLINE", "HOOKLINE_SKIP"
_OFF = frozenset({"0", "off", "false", "no"})


def explain_environment(spec: HookSpec, environ: Mapping[str, str]) -> str:
    """Return which variable switches a hook off, in words; "" if none does."""
    if (value := environ.get(MASTER, "").lower()) in _OFF:
        return f"{MASTER}={value}"
    for name in filter(None, map(str.strip, environ.get(SKIPPED, "").split(","))):
        if name in (spec.id, spec.name):
            return f"{SKIPPED} names `{name}`"
    return ""


def explain_switch(
    switches: Sequence[Switch], root: str, cwd: str, definition: Callable[[], str]
) -> str:
    """Return which `hookline off` switches a hook off, in words; "" if none does.

    Args:
        switches: all that are off.
        root: the folder of the project.
        cwd: the folder that the event is about.
        definition: the digest of the hook's definition.
    """
    folders = (root, real_path(cwd)) if cwd and switches else (root,)
    for each in switches:
        if each.root and not any(is_below(folder, each.root) for folder in folders):
            continue
        if each.definition and each.definition != definition():
            continue
        where = (
            " in every project" * bool(each.definition)
            if not each.root
            else " in this project"
            if each.root == root
            else f" in `{each.root}`"
        )
        what = "`hookline off` names it" if each.definition else "`hookline off`"
        return what + where
    return ""


def find_off(switches: Sequence[Switch], folder: str) -> str:
    """Return the folder, this one or one around it, in which all hooks are off; "" if none is."""
    roots = (each.root for each in switches if each.root and not each.definition)
    return next((root for root in roots if is_below(folder, root)), "")


def list_switches(
    switches: Sequence[Switch], root: str, environ: Mapping[str, str]
) -> dict[str, bool]:
    """Return which of `everywhere`, `project` and `environment` are on; hooks run if all are."""
    everywhere = any(not each.root and not each.definition for each in switches)
    return {
        "everywhere": not everywhere,
        "project": not find_off(switches, root),
        "environment": environ.get(MASTER, "").lower() not in _OFF,
    }
