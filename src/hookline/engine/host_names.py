"""Host names: warnings about HTTP hooks whose address does not resolve now, or resolves to an address that must not be called.

Only commands that look at hooks ask the network for this. A call of the hook checks its address
again (docs/formats/starchild.md 8).
"""

from __future__ import annotations

import socket
from threading import Thread
from time import monotonic
from urllib.parse import urlsplit

from hookline.errors import HandlerError
from hookline.handlers.checked_connection import resolve_addresses
from hookline.model.handler import Http
from hookline.model.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.engine.engine import Engine
    from hookline.handlers.checked_connection import Resolve
    from hookline.model.spec import HookSpec

SECONDS = 2.0  # for all names together
_MOST = 32  # names that are looked up


def find_unresolved(
    engine: Engine, *, seconds: float = SECONDS, resolve: Resolve = socket.getaddrinfo
) -> tuple[Problem, ...]:
    """Return a warning for each HTTP hook whose host name cannot be resolved, of the formats that ask for it.

    Args:
        engine: its hooks are looked at.
        seconds: how long all names together may take; a name that takes longer counts as one that
            does not resolve.
        resolve: what `socket.getaddrinfo` does.
    """
    hooks = {
        entry.spec.id: entry.spec
        for entry in engine.registry.entries()
        if entry.dialect.table.resolves_names
    }
    asked: dict[tuple[str, bool], list[HookSpec]] = {}
    for spec in hooks.values():
        handler = spec.handler
        if isinstance(handler, Http) and (host := _parse_host(handler.url)):
            asked.setdefault((host, handler.allow_local), []).append(spec)
    names = list(asked)[:_MOST]
    faults = _look_up(names, seconds, resolve)
    return tuple(
        Problem(
            name="handler.url",
            message=f"`{spec.id}` calls an address that cannot be called now: {faults[name]}",
            hint="until that changes, each call of this hook fails",
            severity="warning",
            origin=spec.origin,
            hook=spec.id,
        )
        for name in names
        if name in faults
        for spec in asked[name]
    )


def _parse_host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _look_up(
    names: list[tuple[str, bool]], seconds: float, resolve: Resolve
) -> Mapping[tuple[str, bool], str]:
    """Return why names cannot be called; all of them are looked up at once."""
    done: dict[tuple[str, bool], str] = {}

    def look_up(name: tuple[str, bool]) -> None:
        host, allow_local = name
        try:
            resolve_addresses(host, 0, allow_local=allow_local, resolve=resolve)
            done[name] = ""
        except HandlerError as error:
            done[name] = str(error)

    # A resolver cannot be interrupted, so its thread must not keep the process alive.
    threads = [Thread(target=look_up, args=(name,), daemon=True) for name in names]
    for thread in threads:
        thread.start()
    until = monotonic() + seconds
    for thread in threads:
        thread.join(max(0.0, until - monotonic()))
    late = {name: f"`{name[0]}` does not resolve within {seconds:g} s" for name in names}
    return {name: fault for name, fault in (late | dict(done)).items() if fault}
