"""Helpers of the builtins' tests: ask one as the engine does, and read what it told the model."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from hookline.core.dispatch import Run
from hookline.handlers.table import perform_all
from hookline.model.event import Event
from hookline.model.spec import Builtin, HookSpec, Origin

if TYPE_CHECKING:
    from pathlib import Path

    from hookline.model.verdict import Outcome

PATH = os.environ["PATH"]


def session(cwd: Path | str = "") -> Event:
    return Event(kind="session.start", native_name="session_start", cwd=str(cwd))


def turn(cwd: Path | str = "") -> Event:
    return Event(kind="turn.start", native_name="turn_start", cwd=str(cwd))


def asked(
    name: str,
    event: Event,
    *args: str,
    timeout: float = 30.0,
    environ: dict[str, str] | None = None,
    origin: Origin = Origin(),  # noqa: B008 - frozen
    **handler: Any,
) -> Outcome:
    """The outcome of a builtin.

    `environ` is all that it inherits beside the path, `handler` what its hook declares.
    """
    builtin = Builtin(name=name, args=args, expand="dotenv", **handler)
    spec = HookSpec(
        id="h",
        dialect="docker-agent",
        kind=event.kind,
        native_event=event.native_name,
        handler=builtin,
        timeout=timeout,
        origin=origin,
    )
    (outcome,) = perform_all(
        [Run(spec=spec, event=event)], environ={"PATH": PATH, **(environ or {})}
    )
    return outcome


def output(name: str, event: Event, *args: str, **options: Any) -> dict[str, Any] | None:
    """The output object of a builtin that did not fail; None without output."""
    outcome = asked(name, event, *args, **options)
    assert (outcome.exit_code, outcome.failure) == (0, None), outcome
    said: dict[str, Any] | None = json.loads(outcome.stdout) if outcome.stdout else None
    return said


def told(name: str, event: Event, *args: str, **options: Any) -> str | None:
    """The context that a builtin adds; None where it says nothing."""
    said = output(name, event, *args, **options)
    return None if said is None else said["hook_specific_output"]["additional_context"]
