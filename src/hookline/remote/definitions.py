"""Definitions: converts a3s hooks to and from the messages of a Registry, through the dialect's own loader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hookline.core.dialect import Source
from hookline.dialects.a3s.table import TABLE
from hookline.errors import ConfigError
from hookline.model.frozen import Frozen
from hookline.model.spec import Broken, InProcess
from hookline.model.verdict import Failure, RemoteHandlerError, Stance
from hookline.remote.proto import bridge_pb2 as pb

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from hookline.a3s import Hook
    from hookline.dialects.a3s import A3S
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec
    from hookline.remote.limits import Bounds

_LONGEST_ID = 200
_FAIL_MODES = {pb.FAIL_OPEN: "open", pb.FAIL_CLOSED: "closed"}
_MODES = {mode: number for number, mode in _FAIL_MODES.items()}
_MATCHER = ("tool", "path_pattern", "command_pattern", "session_id", "skill")


class ReadHooks(Frozen):
    """The hooks of a Registry, and why some were rejected.

    A rejected one with a known event is among `specs` as a broken one.
    """

    specs: tuple[HookSpec, ...]
    rejected: Mapping[str, str]


def to_message(hook: Hook) -> pb.HookSpec:
    """Return a definition as a message.

    Raises:
        ConfigError: the message or an engine cannot carry it.
    """
    config, matcher = hook.config, hook.matcher
    if why := _explain_bad_id(hook.id):
        raise ConfigError(why, name="value.range")
    try:
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
    except (ValueError, TypeError) as error:
        raise ConfigError(
            f"`{hook.id}` cannot be sent: {ascii(error)[:300]}", name="value.range"
        ) from None


def _explain_bad_id(hook_id: str) -> str:
    """Return why a hook cannot have this id; empty if it can."""
    if hook_id.isprintable() and len(hook_id) <= _LONGEST_ID:
        return ""
    return f"the id {hook_id!r:.80} is not printable, or longer than {_LONGEST_ID} characters"


def read_hooks(hooks: Collection[pb.HookSpec], dialect: A3S, bounds: Bounds) -> ReadHooks:
    """Read the hooks of a Registry with the dialect's loader.

    Raises:
        ConfigError: the whole set is refused.
    """
    _check_size(hooks, bounds)
    specs: list[HookSpec] = []
    rejected: dict[str, str] = {}
    seen: set[str] = set()
    for number, hook in enumerate(hooks, 1):
        wrong = _explain_bad_id(hook.id) or (f"`{hook.id}` stands twice" if hook.id in seen else "")
        seen.add(hook.id)
        definition = _to_definition(hook)
        if wrong:  # it takes part as a broken hook, so that its gate is closed
            definition["id"] = f"hook {number} of {len(hooks)}"
        loaded = dialect.load(Source(tree=definition, scope="process"))
        broken = Broken(reason=wrong)
        specs += [spec.replace(handler=broken) if wrong else spec for spec in loaded.specs]
        errors = [each for each in loaded.problems if each.severity == "error"]
        for error in errors[:1]:
            rejected[hook.id] = f"{error.message} ({error.hint})" if error.hint else error.message
        if wrong:
            rejected[hook.id] = wrong
    return ReadHooks(specs=tuple(specs), rejected=rejected)


def _check_size(hooks: Collection[pb.HookSpec], bounds: Bounds) -> None:
    matchers = [hook.matcher for hook in hooks]
    length = sum(
        len(each.path_pattern) + len(each.command_pattern) + len(each.skill) for each in matchers
    )
    for found, most, what in (
        (len(hooks), bounds.hooks, "hooks"),
        (length, bounds.patterns, "characters of patterns"),
    ):
        if found > most:
            raise ConfigError(f"{found:,} {what}, and {most:,} are the most", name="remote.bounds")


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


def make_placeholders(instance: str, dialect: A3S) -> list[HookSpec]:
    """Return a failing hook for each gate of an expected instance, until it has sent its hooks."""

    def absent(_: Event) -> None:
        why = f"the handlers `{instance}` are expected, but have not sent their hooks yet"
        raise RemoteHandlerError(Failure.UNREACHABLE, why)

    gates = [event for event, row in TABLE.rows.items() if row.fails is Stance.DENY]
    tree = [{"id": f"{instance}:{event}", "event_type": event} for event in gates]
    return [
        spec.replace(handler=InProcess(call=absent, name=spec.id, read_by_dialect=True))
        for spec in dialect.load(Source(tree={"hooks": tree}, scope="process")).specs
    ]
