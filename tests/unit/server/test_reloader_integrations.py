"""A server does not ask itself in the name of a host whose files call it."""

from __future__ import annotations

import pytest

from hookline.engine.engine import Engine
from hookline.server.reloader import exclude_calls, find_integrations

URL = "http://127.0.0.1:8465/v1/answer/"


def claude(*hooks: dict[str, object], allow_local: bool = True) -> Engine:
    """An engine with these hooks of Claude Code."""
    tree = {"hooks": {"PreToolUse": [{"hooks": list(hooks)}]}}
    return Engine.from_config(tree, dialect="claude-code", allow_local=allow_local)


OTHER = {"type": "command", "command": "true"}
ROWS = [
    ({"type": "http", "url": URL + "claude-code"}, True, 1),
    ({"type": "http", "url": URL + "kimi"}, False, 2),
    ({"type": "http", "url": "http://127.0.0.1:1/other"}, False, 2),
    ({"type": "command", "command": "hookline answer claude-code"}, True, 2),
    ({"type": "command", "command": "hookline", "args": ["answer", "claude-code"]}, True, 2),
    ({"type": "command", "command": "hookline answer codex"}, False, 2),
]


@pytest.mark.parametrize("allow_local", [True, False])
@pytest.mark.parametrize(
    ("hook", "calls", "left"),
    ROWS,
    ids=lambda value: (
        str(value.get("url", value.get("command"))) if isinstance(value, dict) else "-"
    ),
)
def test_a_host_that_calls_us_is_known(
    hook: dict[str, object], *, calls: bool, left: int, allow_local: bool
) -> None:
    """By command or by HTTP, also where local addresses are not called.

    Only a call by HTTP could come round to us for ever.
    """
    engine = claude(hook, OTHER, allow_local=allow_local)

    assert find_integrations(engine) == ({"claude-code": False} if calls else {})
    assert len(exclude_calls(engine).hooks) == left
