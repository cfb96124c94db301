"""Definitions: hooks of a3s as a Registry carries them, and back, through the dialect's own loader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hookline.core.dialect import Source
from hookline.errors import ConfigError
from hookline.model.frozen import Frozen
from hookline.remote.proto import bridge_pb2 as pb

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hookline.a3s import Hook
    from hookline.dialects.a3s import A3S
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec
    from hookline.remote.bounds import Bounds

_LONGEST_ID = 200
_FAIL_MODES = {pb.FAIL_OPEN: "open", pb.FAIL_CLOSED: "closed"}
_MODES = {mode: number for number, mode in _FAIL_MODES.items()}
_MATCHER = ("tool", "path_pattern", "command_pattern", "session_id", "skill")


class Enrolled(Frozen):
    """A Registry that was read. A hook that was rejected, but whose event is known, is among `specs` as a broken one."""

    specs: tuple[HookSpec, ...]
    rejected: tuple[tuple[str, str], ...]
    warnings: tuple[Problem, ...]


def sent(hook: Hook) -> pb.HookSpec:
    """A definition as it is sent."""
    config, matcher = hook.config, hook.matcher
    return pb.HookSpec(
        id=hook.id,
        event_type=str(hook.event_type),
        matcher=pb.Matcher(**matcher.to_dict()) if matcher is not None else None,
        priority=config.priority,
        timeout_ms=config.timeout_ms,
        observe_only=config.async_execution,
        max_retries=config.max_retries,
        fail_mode=_MODES.get(config.fail_mode or "", pb.FAIL_DEFAULT),
    )


def enrolled(hooks: Iterable[pb.HookSpec], dialect: A3S, bounds: Bounds) -> Enrolled:
    """The hooks of a Registry, each as the dialect's loader reads it.

    Raises:
        ConfigError: the set as a whole cannot be taken.
    """
    found = list(hooks)
    _check(found, bounds)
    specs: list[HookSpec] = []
    rejected: list[tuple[str, str]] = []
    warnings: list[Problem] = []
    for hook in found:
        loaded = dialect.load(Source(tree=_definition(hook), scope="process"))
        specs += loaded.specs
        errors = [problem for problem in loaded.problems if problem.severity == "error"]
        rejected += [(hook.id, f"{errors[0].message} ({errors[0].hint})" if errors[0].hint else errors[0].message)] if errors else []
        warnings += [problem for problem in loaded.problems if problem.severity != "error"]
    return Enrolled(specs=tuple(specs), rejected=tuple(rejected), warnings=tuple(warnings))


def _check(hooks: list[pb.HookSpec], bounds: Bounds) -> None:
    if len(hooks) > bounds.hooks:
        raise ConfigError(f"{len(hooks)} hooks, and {bounds.hooks} are the most", name="remote.bounds")
    ids = [hook.id for hook in hooks]
    odd = next((each for each in ids if not each.isprintable() or len(each) > _LONGEST_ID), None)
    if odd is not None:
        raise ConfigError(f"the id {odd!r:.80} is not printable, or longer than {_LONGEST_ID} characters", name="value.range")
    twice = next((each for each in ids if ids.count(each) > 1), None) if len(set(ids)) < len(ids) else None
    if twice is not None:
        raise ConfigError(f"`{twice}` stands twice", name="hook.duplicate")


def _definition(hook: pb.HookSpec) -> dict[str, Any]:
    """A definition as its author would have written it, so that what is wrong with it is said in the same words."""
    config: dict[str, Any] = {"priority": hook.priority, "async_execution": hook.observe_only}
    if hook.timeout_ms:
        config["timeout_ms"] = hook.timeout_ms
    if hook.max_retries:
        config["max_retries"] = hook.max_retries
    if hook.fail_mode != pb.FAIL_DEFAULT:
        config["fail_mode"] = _FAIL_MODES.get(hook.fail_mode, str(hook.fail_mode))
    definition: dict[str, Any] = {"id": hook.id, "event_type": hook.event_type, "config": config}
    matcher = {field: getattr(hook.matcher, field) for field in _MATCHER if hook.matcher.HasField(field)}
    return definition | ({"matcher": matcher} if matcher else {})
