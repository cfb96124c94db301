"""What several settings files become together: `hooksConfig` disables all hooks, or some by their names (docs/formats/gemini.md 1)."""

from __future__ import annotations

from hookline.dialects.gemini.table import NAME
from hookline.errors import did_you_mean
from hookline.model.spec import MANAGED, Problem
from hookline.wire.disable_flags import (
    ALL_OFF,
    apply_flags,
    drop_flags,
    find_all_off,
    make_disable_flag,
    select_project_flags,
    select_trusted_flags,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.core.dialect import Loaded, Source
    from hookline.model.spec import HookSpec
    from hookline.wire.fields import Node

FLAGS = "hooksConfig"
FLAG_KEYS = ("enabled", "disabled", "notifications")
# To look for similar names is slow; a list with more names than this is of another machine's hooks.
_MOST_GUESSES = 20


def read_flags(root: Node, source: Source) -> Iterator[HookSpec]:
    """Yield a file's `hooksConfig`."""
    if root.value.get(FLAGS) is None:
        return
    node = root.child(FLAGS)
    if not node.is_mapping(f"`{FLAGS}`"):
        return
    node.check_known_keys(FLAG_KEYS, f"`{FLAGS}`", severity="warning")
    node.flag("notifications")  # whether the host shows that hooks run; nothing here does
    facts: dict[str, object] = {"on": not node.flag("enabled", default=True)}
    if node.value.get("enabled") is not None:
        yield make_disable_flag(source, NAME, ALL_OFF, node.origin("enabled"), facts)
    if names := node.texts("disabled"):
        origin = node.origin("disabled")
        facts = {"names": dict.fromkeys(names)}
        yield make_disable_flag(source, NAME, "disabled", origin, facts)


def combine(specs: tuple[HookSpec, ...]) -> Loaded:
    """Return the hooks that are left.

    Only policy disables hooks of policy, so its lists go first.
    """
    flags = [*select_trusted_flags(specs), *select_project_flags(specs)]
    lists = [flag for flag in flags if flag.native_event == "disabled"]
    lists.sort(key=lambda flag: flag.origin.scope != MANAGED)
    loaded = apply_flags(specs, [*find_all_off(specs), *lists], _reaches)
    called = {spec.facts.get("called", "") for spec in drop_flags(specs)}
    return loaded.replace(problems=(*loaded.problems, *_find_similar(lists, called)))


def _reaches(flag: HookSpec, spec: HookSpec) -> bool:
    if spec.origin.scope == MANAGED != flag.origin.scope:
        return False
    return flag.native_event == ALL_OFF or spec.facts.get("called") in flag.facts["names"]


def _find_similar(lists: list[HookSpec], called: set[str]) -> Iterator[Problem]:
    """Yield a warning about each name that is nearly a hook's.

    Any other may be of a hook that is not loaded here.
    """
    unknown = {name: flag for flag in lists for name in flag.facts["names"] if name not in called}
    for name in [*unknown][:_MOST_GUESSES]:
        if hint := did_you_mean(name, called):
            why = f"`{FLAGS}.disabled` names `{name}`, and no hook is called that"
            problem = Problem(name="value.choice", message=why, hint=hint, severity="warning")
            yield problem.replace(origin=unknown[name].origin)
