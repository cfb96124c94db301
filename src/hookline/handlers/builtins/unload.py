"""`unload`: asks the local engine of the previous agent's models to free its memory."""

from __future__ import annotations

import json
import time
from urllib.parse import urlsplit

from hookline.errors import HandlerError
from hookline.handlers.builtins.call import Report
from hookline.handlers.http import LARGEST, send_request
from hookline.model.verdict import RemoteHandlerError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.handlers.builtins.call import BuiltinCall

_SECONDS = 10.0
_MODEL_RUNNER = "dmr"  # Docker Model Runner; its provider's name
_HEADERS = {"Content-Type": "application/json", "Accept": "application/json"}


def unload(asked: BuiltinCall) -> Report | None:
    """Handle `on_agent_switch`. What has no local engine is skipped; nothing fails."""
    models = asked.event.body.value("from_agent_models")
    given = [each for each in models if isinstance(each, dict)] if isinstance(models, list) else []
    requests = {_find_address(each): each for each in given if _find_address(each)}
    if not requests:
        return Report(text="unload: the previous agent has no local engine that can unload")
    until = time.monotonic() + min(_SECONDS, asked.timeout)
    faults = []
    for address, model in requests.items():
        if fault := _ask(address, str(model.get("model", "")), until - time.monotonic()):
            faults.append(f"`{model.get('model')}` stays loaded: {fault}")
    return Report(text=f"unload: {'; '.join(faults)}") if faults else None


def _find_address(model: Mapping[str, Any]) -> str:
    """Return the address that unloads a model; empty if its engine has none."""
    base, named = model.get("base_url") or "", model.get("unload_api") or ""
    if not isinstance(base, str) or not isinstance(named, str):
        return ""
    if "://" in named:
        return named
    if not base or not (named or model.get("provider") == _MODEL_RUNNER):
        return ""
    try:
        url = urlsplit(base)
    except ValueError:
        return base  # the call refuses it, and says why
    if not named:
        path = url.path.rstrip("/").removesuffix("/v1")
        return f"{url.scheme}://{url.netloc}{path}/_unload"
    return f"{url.scheme}://{url.netloc}/{named.lstrip('/')}"


def _ask(address: str, model: str, seconds: float) -> str:
    """Ask an engine to unload a model; return why that failed, or nothing."""
    if seconds <= 0:
        return "there was no time left"
    # Docker Model Runner reads `models`, Ollama the other two.
    body = {"models": [model], "model": model, "keep_alive": 0}
    try:
        send_request(
            address,
            "POST",
            json.dumps(body).encode(),
            _HEADERS,
            seconds=seconds,
            largest=LARGEST,
            opened=lambda _: None,
            allow_local=True,
            only_local=True,
        )
    except RemoteHandlerError as error:
        return error.detail or error.failure.name.lower()
    except (HandlerError, ValueError) as error:
        return str(error)
    return ""
