"""Definitions: converts a3s hooks to and from the messages of a Registry, through the dialect's own loader."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from hookline.core.dialect import Source
from hookline.dialects.a3s.table import TABLE
from hookline.errors import ConfigError
from hookline.handlers.exceptions import RemoteHandlerError
from hookline.model.frozen import Frozen
from hookline.model.handler import Broken, InProcess
from hookline.model.outcome import Failure
from hookline.model.verdict import Stance
from hookline.remote.proto import bridge_pb2 as pb

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from hookline.a3s import Hook
    from hookline.dialects.a3s import A3S
    from hookline.model.event import Event
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec
    from hookline.remote.limits import Bounds

_LONGEST_ID = 200
_FEW = 32  # hooks without a pattern that are read in a moment
_FAIL_MODES = {pb.FAIL_OPEN: "open", pb.FAIL_CLOSED: "closed"}
_MODES = {mode: number for number, mode in _FAIL_MODES.items()}
_MATCHER = ("tool", "path_pattern", "command_pattern", "session_id", "skill")


class ReadHooks(Frozen):
    """The hooks of a Registry. A rejected hook with a known event is among `specs` as a broken one."""

    specs: tuple[HookSpec, ...]
    rejected: tuple[tuple[str, str], ...]
    warnings: tuple[Problem, ...]


def to_message(hook: Hook) -> pb.HookSpec:
    """Return a definition as a message."""
    config, matcher = hook.config, hook.matcher
    return pb.HookSpec(
        id=hook.id,
        event_type=str(hook.event_type),
        matcher=pb.Matcher(**matcher) if matcher is not None else None,
        priority=config.priority,
        timeout_ms=config.timeout_ms,
        observe_only=config.async_execution,
        max_retries=config.max_retries,
        fail_mode=_MODES.get(config.fail_mode or "", pb.FAIL_DEFAULT),
    )


def explain_bad_id(hook_id: str) -> str:
    """Return why a hook cannot have this id; empty if it can."""
    fits = hook_id.isprintable() and len(hook_id) <= _LONGEST_ID
    return (
        ""
        if fits
        else f"the id {hook_id!r:.80} is not printable, or longer than {_LONGEST_ID} characters"
    )


def is_quick_to_read(hooks: Collection[pb.HookSpec]) -> bool:
    """Return whether a set can be read at once, because few patterns must be compiled."""
    return len(hooks) <= _FEW and not _length(hooks)


def _length(hooks: Iterable[pb.HookSpec]) -> int:
    matchers = (hook.matcher for hook in hooks)
    return sum(
        len(each.path_pattern) + len(each.command_pattern) + len(each.skill) for each in matchers
    )


def read_hooks(hooks: Iterable[pb.HookSpec], dialect: A3S, bounds: Bounds) -> ReadHooks:
    """Read the hooks of a Registry with the dialect's loader.

    Raises:
        ConfigError: the whole set is refused.
    """
    found = list(hooks)
    _check(found, bounds)
    specs: list[HookSpec] = []
    rejected: list[tuple[str, str]] = []
    warnings: list[Problem] = []
    names = {hook.id for hook in found}
    seen: set[str] = set()
    for hook in found:
        odd = explain_bad_id(hook.id) or (f"`{hook.id}` stands twice" if hook.id in seen else "")
        name = _find_free_name(hook.id, names) if odd else hook.id
        names.add(name)
        seen.add(hook.id)
        loaded = dialect.load(Source(tree=_to_definition(hook) | {"id": name}, scope="process"))
        specs += (
            [spec.replace(handler=Broken(reason=odd)) for spec in loaded.specs]
            if odd
            else loaded.specs
        )
        errors = [problem for problem in loaded.problems if problem.severity == "error"]
        words = odd or "".join(
            f"{error.message} ({error.hint})" if error.hint else error.message
            for error in errors[:1]
        )
        rejected += [(hook.id, words)] if words else []
        warnings += [problem for problem in loaded.problems if problem.severity != "error"]
    return ReadHooks(specs=tuple(specs), rejected=tuple(rejected), warnings=tuple(warnings))


def make_placeholders(instance: str, dialect: A3S) -> list[HookSpec]:
    """Return a failing hook for each gate of an expected instance, until it has sent its hooks."""

    def absent(_: Event) -> None:
        raise RemoteHandlerError(
            Failure.UNREACHABLE,
            f"the handlers `{instance}` are expected, but have not sent their hooks yet",
        )

    gates = [event for event, row in TABLE.rows.items() if row.fails is Stance.DENY]
    tree = [{"id": f"{instance}:{event}", "event_type": event} for event in gates]
    loaded = dialect.load(Source(tree={"hooks": tree}, scope="process"))
    return [
        spec.replace(handler=InProcess(call=absent, name=spec.id, read_by_dialect=True))
        for spec in loaded.specs
    ]


def _check(hooks: list[pb.HookSpec], bounds: Bounds) -> None:
    if len(hooks) > bounds.hooks:
        raise ConfigError(
            f"{len(hooks)} hooks, and {bounds.hooks} are the most", name="remote.bounds"
        )
    if (length := _length(hooks)) > bounds.patterns:
        raise ConfigError(
            f"{length:,} characters of patterns, and {bounds.patterns:,} are the most",
            name="remote.bounds",
        )


def _find_free_name(wanted: str, names: Collection[str]) -> str:
    """Return a free name for a hook that cannot have its own, so that it takes part as a broken one."""
    shown = "".join(sign if sign.isprintable() else "?" for sign in wanted[:_LONGEST_ID]) or "hook"
    return next(name for at in count(2) if (name := f"{shown} ({at})") not in names)


def _to_definition(hook: pb.HookSpec) -> dict[str, Any]:
    """Return a definition as its author would have written it, so that faults are reported in the same words."""
    config: dict[str, Any] = {"priority": hook.priority, "async_execution": hook.observe_only}
    if hook.timeout_ms:
        config["timeout_ms"] = hook.timeout_ms
    if hook.max_retries:
        config["max_retries"] = hook.max_retries
    if hook.fail_mode != pb.FAIL_DEFAULT:
        config["fail_mode"] = _FAIL_MODES.get(hook.fail_mode, str(hook.fail_mode))
    definition: dict[str, Any] = {"id": hook.id, "event_type": hook.event_type, "config": config}
    matcher = {
        field: getattr(hook.matcher, field) for field in _MATCHER if hook.matcher.HasField(field)
    }
    return definition | ({"matcher": matcher} if matcher else {})
