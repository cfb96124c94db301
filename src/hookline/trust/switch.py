"""Switch: hooks off everywhere, in one project or one by one, told by the store and by the environment; managed ones do not listen."""

from __future__ import annotations

from hookline.paths import real_path
from hookline.trust.whereabouts import upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.model.spec import HookSpec
    from hookline.trust.snapshot import Known

VARIABLES = MASTER, SKIPPED = "HOOKLINE", "HOOKLINE_SKIP"
_OFF = frozenset({"0", "off", "false", "no"})


def off_by(
    spec: HookSpec, known: Known | None, root: str, environ: Mapping[str, str], cwd: str = ""
) -> str:
    """What switches a hook off, in words; empty where nothing does. Off anywhere is off: in the project, and where the event is."""
    if (said := environ.get(MASTER, "").lower()) in _OFF:
        return f"{MASTER}={said}"
    for name in filter(None, map(str.strip, environ.get(SKIPPED, "").split(","))):
        if name in (spec.id, spec.name):
            return f"{SKIPPED} names `{name}`"  # as it was typed, and not as the hook's file has it
    if known is not None and known.off:
        if "" in known.off:
            return "`hookline off`"
        off = off_at(known, root) or (off_at(known, real_path(cwd)) if cwd else "")
        if off:
            return "`hookline off` in this project" if off == root else f"`hookline off` in `{off}`"
    return ""


def off_by_name(
    spec: HookSpec,
    known: Known | None,
    root: str,
    identity: Callable[[HookSpec], str],
    cwd: str = "",
) -> str:
    """What switches this one hook off, in words; empty where nothing does. `identity`: a hook as it is declared."""
    if known is None or not known.hooks_off:
        return ""
    declared = identity(spec)
    if ("", declared) in known.hooks_off:
        return "`hookline off` names it, in every project"
    folders = (*upwards(root), *(upwards(real_path(cwd)) if cwd else ()))
    return (
        "`hookline off` names it"
        if any((folder, declared) in known.hooks_off for folder in folders)
        else ""
    )


def off_at(known: Known, folder: str) -> str:
    """The nearest folder, this one or one that it lies in, in which hooks are off; empty where there is none."""
    return next((each for each in upwards(folder) if each in known.off), "")


def switches(known: Known, root: str, environ: Mapping[str, str]) -> dict[str, bool]:
    """Which switches are on: `everywhere`, `project` and `environment`; hooks run where all of them are."""
    return {
        "everywhere": "" not in known.off,
        "project": not off_at(known, root),
        "environment": environ.get(MASTER, "").lower() not in _OFF,
    }
