"""HTTP hooks of Claude Code (docs/formats/claude-code.md 4) and Copilot."""

from __future__ import annotations

from hookline.model.spec import Http
from hookline.text.urls import describe_url, explain_refused_url

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.wire.fields import Node

# Headers of the connection, which a hook cannot set.
UNSENT = frozenset({"host", "content-length", "transfer-encoding", "connection", "accept-encoding"})
# Only the person who runs hookline may open local addresses, never a file.
LOCAL_HINT = (
    "`-o allow_local=true` with `--config`, in Python `allow_local=True`, opens this machine and"
    " private networks"
)


def read_address(
    hook: Node, *, allow_local: bool, only_https: bool = False, local_hint: str = LOCAL_HINT
) -> str:
    """Return the address under `url`, and file its faults as problems.

    hookline checks the text of the address here, and what it resolves to at each call.

    `local_hint`: what opens local addresses.
    """
    url = hook.text("url", required=True)
    if isinstance(hook.value.get("url"), str):
        why = explain_refused_url(url, allow_local=allow_local)
        hint = local_hint if why and not explain_refused_url(url, allow_local=True) else ""
        if only_https and not why and not url.lower().startswith("https:"):
            why = "only https is called"
        if why:
            hook.complain(
                "handler.url", f"{describe_url(url)} cannot be called: {why}", "url", hint=hint
            )
    return url


def read_http_spec(
    hook: Node, *, allow_local: bool, only_https: bool = False, largest: int = 0
) -> Http:
    """Read the handler that `url`, `headers` and `allowedEnvVars` declare.

    File its faults as problems.

    `largest`: the most bytes of an answer, where the dialect limits them.
    """
    url = read_address(hook, allow_local=allow_local, only_https=only_https)
    headers = hook.mapping("headers")
    for name in headers:
        if name.lower() in UNSENT:
            message = f"the header `{name}` belongs to the connection, so this one is not sent"
            hook.complain("key.ignored", message, "headers", name, severity="warning")
    return Http(
        url=url,
        headers=headers,
        env=hook.texts("allowedEnvVars"),
        allow_local=allow_local,
        largest=largest,
    )
