"""Callers: hosts whose own files start or call hookline, so that it does not ask itself in their name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookline.engine.callers import callers as engine_callers
from hookline.model.handler import Broken, Http

if TYPE_CHECKING:
    from hookline.engine.engine import Engine
    from hookline.model.spec import HookSpec


def calls_by_http(spec: HookSpec) -> bool:
    """Whether a hook asks a decision server to answer its own host, be it this one or another."""
    handler = spec.handler
    return isinstance(handler, Http | Broken) and f"/v1/answer/{spec.dialect}" in handler.url


def callers(engine: Engine) -> dict[str, bool]:
    """The dialects whose hosts run their other hooks by themselves, because their files have one that calls us, by a command or by HTTP.

    Whether it is policy that calls tells whether policy is left to the host, too.
    """
    return engine_callers(engine, calls_by_http)


def without_calls(engine: Engine) -> Engine:
    """The engine, which from now on leaves out its hooks that would ask a decision server again, also those that come later."""
    engine.keep_out(calls_by_http)
    return engine
