"""What several settings files become together: `hooksConfig` switches all hooks off, or some by their names (docs/formats/gemini.md 1)."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.dialects.gemini.table import NAME
from hookline.model.problem import Problem
from hookline.model.spec import MANAGED, nearness
from hookline.text.suggestions import did_you_mean
from hookline.wire.disable_flags import (
    drop_flags,
    is_from_unapproved_project,
    make_disable_flag,
    remove_hooks,
    report_disabled_hooks,
    select_project_flags,
    select_trusted_flags,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hookline.core.dialect import Source
    from hookline.model.spec import HookSpec
    from hookline.wire.fields import Node

FLAGS = "hooksConfig"
FLAG_KEYS = ("enabled", "disabled", "notifications")
# To look for names like one is slow; after so many that nobody knows, the list is of another machine's hooks.
_MOST_GUESSES = 20


def read_flags(root: Node, source: Source) -> Iterator[HookSpec]:
    """A file's `hooksConfig`."""
    if root.value.get(FLAGS) is None:
        return
    node = root.child(FLAGS)
    if not node.is_mapping(f"`{FLAGS}`"):
        return
    node.check_known_keys(FLAG_KEYS, f"`{FLAGS}`", severity="warning")
    node.flag("notifications")  # whether the host shows that hooks run; nothing here does
    enabled = node.flag("enabled", default=True)
    facts = {"disabled": node.texts("disabled")} | (
        {"enabled": enabled} if node.value.get("enabled") is not None else {}
    )
    yield make_disable_flag(source, NAME, FLAGS, node.origin(), facts)


def combine(specs: tuple[HookSpec, ...]) -> Loaded:
    """The hooks that are left when the switches of all files are applied; those of policy listen to policy only."""
    hooks, problems = drop_flags(specs), list[Problem]()
    for said, reached in (
        (select_trusted_flags(specs), lambda _: True),
        (select_project_flags(specs), is_from_unapproved_project),
    ):
        gone, told = _applied([spec for spec in hooks if reached(spec)], said)
        hooks = remove_hooks(hooks, gone)
        problems += told
    return Loaded(specs=tuple(hooks), problems=tuple(problems))


def _applied(hooks: list[HookSpec], said: list[HookSpec]) -> tuple[list[HookSpec], list[Problem]]:
    """Which of these hooks such switches switch off, and a word about them."""
    counts = _counting(said)
    if counts is not None and not counts.facts["enabled"]:
        gone = [spec for spec in hooks if _reaches(counts, spec)]
        return gone, report_disabled_hooks(
            counts.origin, f"`{FLAGS}.enabled`", gone, at_home=is_from_unapproved_project(counts)
        )
    by_policy = {
        name for each in said if each.origin.scope == MANAGED for name in each.facts["disabled"]
    }
    by_anybody = {name for each in said for name in each.facts["disabled"]}
    gone = [
        spec
        for spec in hooks
        if spec.facts.get("called") in (by_policy if spec.origin.scope == MANAGED else by_anybody)
    ]
    return gone, list(_told(said, hooks))


def _reaches(thrown: HookSpec, spec: HookSpec) -> bool:
    return thrown.origin.scope == MANAGED or spec.origin.scope != MANAGED


def _told(said: list[HookSpec], hooks: list[HookSpec]) -> Iterator[Problem]:
    """What each name in `disabled` switches off, told once; and which of them nearly is a hook's."""
    called: dict[str, list[HookSpec]] = {}
    for spec in hooks:
        called.setdefault(spec.facts.get("called", ""), []).append(spec)
    told: set[str] = set()
    unknown = 0
    # What policy says reaches every hook of a name, and so it goes first.
    for each in sorted(said, key=lambda spec: spec.origin.scope != MANAGED):
        for name in each.facts["disabled"]:
            if name in told:
                continue
            told.add(name)
            unknown += name not in called
            gone = [spec for spec in called.get(name, ()) if _reaches(each, spec)]
            yield from report_disabled_hooks(
                each.origin,
                f"`{name}` of `{FLAGS}.disabled`",
                gone,
                at_home=is_from_unapproved_project(each),
            )
            if name not in called and unknown <= _MOST_GUESSES:
                yield from _unheard(each, name, called)


def _counting(said: list[HookSpec]) -> HookSpec | None:
    """The `enabled` that counts: policy's before anybody's, else that of the nearest file; of equals the last."""
    given = [spec for spec in said if "enabled" in spec.facts]
    return max(reversed(given), key=lambda spec: nearness(spec.origin.scope), default=None)


def _unheard(thrown: HookSpec, name: str, called: Iterable[str]) -> tuple[Problem, ...]:
    """A name that is nearly a hook's; any other may be that of a hook which is not loaded here."""
    hint = did_you_mean(name, called)
    message = f"`{FLAGS}.disabled` names `{name}`, and no hook is called that"
    return (
        (
            Problem(
                name="value.choice",
                message=message,
                hint=hint,
                severity="warning",
                origin=thrown.origin,
            ),
        )
        if hint
        else ()
    )
