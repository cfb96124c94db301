"""Loads Gemini CLI's settings, and an extension's `hooks.json` (docs/formats/gemini.md 1)."""

from __future__ import annotations

from hookline.dialects.gemini.table import NAME, TABLE, TICKS_PER_SECOND
from hookline.dialects.kit.load import FileFormat, TimeLimit, load_file
from hookline.dialects.kit.matcher import MatcherFormat
from hookline.errors import did_you_mean
from hookline.model.spec import MANAGED, HookSpec, Problem
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
    from hookline.wire.fields import Node

_FLAGS = "hooksConfig"
_FLAG_KEYS = ("enabled", "disabled", "notifications")
# To look for similar names is slow; a list with more names than this is of another machine's hooks.
_MOST_GUESSES = 20


def load(source: Source) -> Loaded:
    """Return the hooks of a source; those of an extension know its folder and the workspace."""
    if source.names.get("plugin_root"):
        source = source.replace(names={**source.names, "workspace": "${event.cwd}"})
    return load_file(source, FORMAT)


def _read_flags(root: Node, source: Source) -> Iterator[HookSpec]:
    """Yield a file's `hooksConfig`, and report those of its keys that stand among the events."""
    hooks = root.value.get("hooks") or {}
    for key in [key for key in _FLAG_KEYS if key in hooks]:
        why, hint = f"the host does not read `{key}` among the events", f"put it below `{_FLAGS}`"
        root.child("hooks").complain("key.misplaced", why, key, hint=hint)
    if root.value.get(_FLAGS) is None:
        return
    node = root.child(_FLAGS)
    if not node.is_mapping(f"`{_FLAGS}`"):
        return
    node.check_known_keys(_FLAG_KEYS, f"`{_FLAGS}`", severity="warning")
    node.flag("notifications")  # whether the host shows that hooks run; nothing here does
    facts: dict[str, object] = {"on": not node.flag("enabled", default=True)}
    if node.value.get("enabled") is not None:
        yield make_disable_flag(source, NAME, ALL_OFF, node.origin("enabled"), facts)
    if names := node.texts("disabled"):
        origin = node.origin("disabled")
        facts = {"names": dict.fromkeys(names)}
        yield make_disable_flag(source, NAME, "disabled", origin, facts)


FORMAT = FileFormat(
    table=TABLE,
    comments=True,
    group_keys=("matcher", "sequential", "hooks"),
    beside=_FLAG_KEYS,
    matcher=MatcherFormat(strips=True, refused="name"),
    types={"command": "command"},
    common="type name timeout description env",
    needs={"runtime": "a function inside the host"},
    limits={"": TimeLimit(per_second=TICKS_PER_SECOND)},
    shells={"": ("bash", "sh")},
    # One is for scripts that were written for Claude Code, the last two are for extensions.
    variables="""
        GEMINI_PROJECT_DIR=!${event.project} GEMINI_SESSION_ID=!${event.session_id}
        GEMINI_CWD=!${event.cwd} CLAUDE_PROJECT_DIR=!${event.project}
        extensionPath=plugin_root workspacePath=workspace
    """,
    # The separator of a path is for files that serve every system.
    substituted="""
        ${/}=!/ ${pathSeparator}=!/
        ${extensionPath}=plugin_root ${workspacePath}=workspace
    """,
    identity=True,  # wherever the hook was declared
    flags=_read_flags,
)


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
            why = f"`{_FLAGS}.disabled` names `{name}`, and no hook is called that"
            problem = Problem.warning("value.choice", why, hint, origin=unknown[name].origin)
            yield problem
