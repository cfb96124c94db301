"""What becomes of a hook: the effect of each state, the two settings for it, and the switches that are off."""

from __future__ import annotations

from hookline.model.frozen import Frozen
from hookline.model.spec import CLONED, MANAGED, USER
from hookline.paths import is_below, real_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from hookline.model.spec import HookSpec
    from hookline.trust.store import Switch

NEW, APPROVED, CHANGED, REMOVED, REVOKED = STATES = (
    "new", "approved", "changed", "removed", "revoked",
)  # fmt: skip
# The columns of the table (docs/explanation/trust.md 4).
PROJECT, OWN = "project", "own"
# record: the first use is the approval. warn: run, with a notice. skip: do not run. ask, deny:
# do not run; before an action, the host asks or refuses.
RECORD, RUN, WARN, SKIP, ASK, DENY = EFFECTS = ("record", "run", "warn", "skip", "ask", "deny")


class Policy(Frozen):
    """What a person chose. `changed`: the effect on a project's changed hook.

    `own`: `first_use`, or `ask` as for a project's.
    """

    changed: str = ASK
    own: str = "first_use"

    def find_effect(self, column: str, state: str, *, can_run: bool = True) -> str:
        """Return what becomes of a hook. `can_run`: whether what it starts is there."""
        if state == APPROVED:
            return RUN
        if state == REVOKED:
            return SKIP
        if column == OWN and self.own != ASK and can_run:
            return RECORD if state == NEW else WARN
        if state == NEW and column == PROJECT:
            return SKIP
        return SKIP if self.changed == RUN and not can_run else self.changed


# What holds where the settings cannot be read.
STRICTEST = Policy(changed=DENY, own=ASK)


def read_policy(settings: Mapping[str, Any]) -> Policy:
    """Return the policy of the table `[trust]` of the settings, which were checked when they were read."""
    return Policy(**{name: settings[name] for name in Policy.__fields__ if name in settings})


def is_named(scope: str) -> bool:
    """Whether hooks of a scope need no approval because the user named their file or function."""
    return scope not in CLONED and scope not in (USER, MANAGED)


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
