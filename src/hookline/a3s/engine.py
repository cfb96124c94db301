"""HookEngine: a3s's own API over hookline's engine."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque

from hookline.a3s.background import Background
from hookline.a3s.channel import EventChannel
from hookline.a3s.definitions import Hook, read_definition
from hookline.a3s.events import HookEvent
from hookline.a3s.handling import handler_of, in_process
from hookline.a3s.payloads import copied
from hookline.core.match import why_not
from hookline.core.plan import order
from hookline.core.registry import Registry
from hookline.dialects.a3s import A3S, NAME, result_of
from hookline.dialects.a3s.response import BLOCK
from hookline.dialects.a3s.result import HookResult
from hookline.dialects.a3s.table import row_of
from hookline.engine.engine import Engine
from hookline.model.handler import InProcess
from hookline.model.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from os import PathLike
    from typing import Any, Self, TypeAlias

    from hookline.a3s.definitions import Read
    from hookline.a3s.handling import HookHandler
    from hookline.a3s.payloads import Payload
    from hookline.engine.detached import Finished
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision

    Fired: TypeAlias = HookEvent | Payload | Mapping[str, Any] | str

# How often a Retry is followed where the hook does not say (a3s.md 6).
DEFAULT_RETRIES = 3
_REMEMBERED = 256


class HookEngine:
    """Hooks of a3s: definitions and handlers, by id, and the one way to fire events at them.

    `cwd`: the folder of events that name none. `invalid_regex`: "substring" searches an expression that does not compile as
    plain text, for migration. `observe` is told every event and its decision. `problems` is what was odd, the last 256.
    """

    def __init__(
        self,
        *,
        cwd: str | PathLike[str] | None = None,
        invalid_regex: str = "refuse",
        observe: Callable[[Event, Decision], None] | None = None,
    ) -> None:
        self._background = Background(self._finished)
        options = {"invalid_regex": invalid_regex}
        self._engine = Engine.from_config({"hooks": []}, dialect=NAME, options=options, cwd=cwd, observe=observe, detach=self._detach)
        self._dialect = A3S(invalid_regex=invalid_regex)
        self._definitions: dict[str, Read] = {}
        self._handlers: dict[str, Callable[[HookEvent], Any]] = {}
        self._lock = threading.RLock()
        self._changed = False
        self._unhandled: set[str] = set()
        self._channel: EventChannel | None = None
        self._problems: deque[Problem] = deque(maxlen=_REMEMBERED)

    @classmethod
    def new(cls) -> HookEngine:
        """An engine without hooks."""
        return cls()
