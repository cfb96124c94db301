"""Integrations: hosts whose own files start or call hookline, so that hookline does not call itself for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookline.engine.host_integrations import list_integrated_hosts as engine_callers
from hookline.model.spec import Broken, Http

if TYPE_CHECKING:
    from hookline.engine.engine import Engine
    from hookline.model.spec import HookSpec


def is_call_of_server(spec: HookSpec) -> bool:
    """Return whether a hook asks a decision server to answer its own host."""
    handler = spec.handler
    return isinstance(handler, Http | Broken) and f"/v1/answer/{spec.dialect}" in handler.url


def find_integrations(engine: Engine) -> dict[str, bool]:
    """Return the dialects whose hosts run their other hooks themselves, because one of their hooks calls hookline.

    The value says whether a policy hook calls it, which leaves policy hooks to the host too.
    """
    return engine_callers(engine, is_call_of_server)


def exclude_calls(engine: Engine) -> Engine:
    """Make an engine leave out the hooks that would call a decision server again, now and later."""
    engine.loader.keep_out(is_call_of_server)
    return engine
