"""Makes hooks of decorated Python functions; their filters become conditions."""

from __future__ import annotations

from hookline.errors import ConfigError, did_you_mean
from hookline.model import kinds
from hookline.model.spec import Glob, HookSpec, InProcess, OneOf, Origin, Pattern
from hookline.model.verdict import Stance
from hookline.text.regex import compile_regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from hookline.model.spec import Condition


def make_own_hook(
    call: Callable[..., Any],
    kind: str,
    *,
    tool: str | Sequence[str] | None,
    command: str | None,
    path: str | Sequence[str] | None,
    name: str,
    rank: int,
    timeout: float,
    on_failure: Stance,
    shadow: bool,
    once: bool,
) -> HookSpec:
    """Return a hook that calls a function.

    Raises:
        ConfigError: no such canonical event, an expression that RE2 refuses, or a setting of the
            wrong type.
    """
    # An error at the first event would interrupt an agent.
    filters = (tool, command, path)
    texts = [
        each for some in filters for each in (some if isinstance(some, list | tuple) else [some])
    ]
    if not (
        isinstance(rank, int)
        and isinstance(timeout, int | float)
        and timeout > 0
        and isinstance(on_failure, Stance)
        and all(each is None or isinstance(each, str) for each in texts)
    ):
        message = (
            "a hook takes texts as `tool`, `command` and `path`, a whole number as `rank`,"
            " seconds above 0 as `timeout`, and a Stance as `on_failure`"
        )
        raise ConfigError(message, name="value.type")
    if kind not in kinds.NAMES and not kind.startswith("x."):
        hosts = kinds.find_by_native_name(kind)  # the commonest mistake: a host's name of the event
        near = f"did you mean `{hosts}`?" if hosts else did_you_mean(kind, kinds.NAMES)
        hint = near or "canonical events are spelled `tool.before`"
        raise ConfigError(f"unknown event `{kind}`", name="event.unknown", hint=hint)
    label = name or getattr(call, "__qualname__", type(call).__name__).rpartition("<locals>.")[2]
    return HookSpec(
        id=f"python#{label}",
        dialect="hookline",
        kind=kind,
        native_event=kind,
        handler=InProcess(call=call, name=label),
        conditions=tuple(_make_conditions(tool, command, path)),
        rank=rank,
        timeout=timeout,
        on_failure=on_failure,
        shadow=shadow,
        once=once,
        origin=Origin(scope="process"),
        name=label,
    )


def _make_conditions(
    tool: str | Sequence[str] | None, command: str | None, path: str | Sequence[str] | None
) -> list[Condition]:
    conditions: list[Condition] = []
    if tool is not None:
        conditions.append(
            OneOf(field="tool", names=frozenset({tool} if isinstance(tool, str) else tool))
        )
    if command is not None:
        conditions.append(Pattern(field="command", source=command, regex=compile_regex(command)))
    if path is not None:
        conditions.append(Glob(patterns=(path,) if isinstance(path, str) else tuple(path)))
    return conditions
