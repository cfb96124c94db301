"""Only the user who runs hookline opens private networks to HTTP hooks; a file never does."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

import hookline
from hookline.core.dialect import Source
from hookline.dialects.starchild import SWITCHES
from hookline.engine.catalog import NAMES, make_dialect
from hookline.engine.sources import Given
from hookline.model.spec import SCOPES, Broken, Http
from hookline.text.urls import explain_refused_url

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

NEAR = "https://127.0.0.1:8443/hook"
METADATA = "https://169.254.169.254/hook"
VARIABLE = next(iter(SWITCHES))

# Dialect -> a file whose one hook calls an address, with further keys at every level that it has.
FILES: Mapping[str, Callable[[str, dict[str, Any]], dict[str, Any]]] = {
    "hookline": lambda url, keys: {
        "version": 1,
        "hooks": [{"on": "stop", "url": url, **keys}],
        **keys,
    },
    "claude-code": lambda url, keys: {
        "hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": url, **keys}], **keys}]},
        **keys,
    },
    "copilot": lambda url, keys: {
        "version": 1,
        "hooks": {"preToolUse": [{"type": "http", "url": url, **keys}]},
        **keys,
    },
    "qwen": lambda url, keys: {
        "hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": url, **keys}], **keys}]},
        **keys,
    },
    "starchild": lambda url, keys: {
        "hooks": [{"event": "on_stop", "type": "http", "url": url, **keys}],
        **keys,
    },
    "docker-agent": lambda url, keys: {
        "hooks": {
            "stop": [{"type": "builtin", "command": "http_post", "args": [url], **keys}],
            **keys,
        },
        **keys,
    },
}
# What an author might write to open it.
WISHES: list[dict[str, Any]] = [
    {},
    {"allow_local": True},
    {"allow-local": True},
    {"allowLocal": True},
    {"allow_loopback": True},
    {"options": {"allow_local": True}},
    {"env": {VARIABLE: "1"}},
    {"env": [VARIABLE]},
    {"environment": {VARIABLE: "1"}},
    {"allowedHttpHookUrls": ["*"]},
    {"allowedUrls": [NEAR]},
]


def handlers(
    dialect: str,
    url: str,
    keys: dict[str, Any] | None = None,
    *,
    scope: str = "explicit",
    **how: Any,
) -> list[Any]:
    """The handlers of that file."""
    source = Source(tree=FILES[dialect](url, keys or {}), scope=scope)
    engine = hookline.Engine(environ=how.pop("environ", {}))
    made = engine.loader.dialects.make_host(dialect, **how)
    engine.loader.load(Given(source=source, dialect=made))
    return [spec.handler for spec in engine.hooks]


def is_shut(handler: Any) -> bool:
    """Whether no call is made: the hook is broken, or `http_post` refuses the call."""
    return type(handler) is Broken or bool(
        explain_refused_url(handler.url, allow_local=handler.allow_local)
    )


def test_every_dialect_that_calls_is_here() -> None:
    """And each of them knows the option by the same name."""
    modules = {name: sys.modules[type(make_dialect(name)).__module__] for name in NAMES}
    assert {
        name for name in NAMES if "allow_local" in getattr(modules[name], "OPTIONS", ())
    } == set(FILES)


@pytest.mark.parametrize("scope", [scope for scope in SCOPES if scope != "process"])
@pytest.mark.parametrize("dialect", FILES)
def test_no_file_opens_it(dialect: str, scope: str) -> None:
    """No key of a file opens them, also in your own files (docs/explanation/security.md 3)."""
    for wish in WISHES:
        found = handlers(dialect, NEAR, wish, scope=scope)

        assert [handler for handler in found if not is_shut(handler)] == [], wish


@pytest.mark.parametrize("dialect", FILES)
def test_a_file_cannot_open_it_for_what_is_looked_up_later(dialect: str) -> None:
    """The guard checks the address of a name at the call."""
    for wish in WISHES[:-1]:
        found = [
            handler
            for handler in handlers(dialect, "https://policy.example/hook", wish, scope="project")
            if type(handler) is Http
        ]

        assert [handler.allow_local for handler in found] == [False] * len(found), wish


@pytest.mark.parametrize("dialect", FILES)
def test_the_option_opens_it(dialect: str) -> None:
    """The addresses of cloud credentials stay closed."""
    (opened,) = handlers(dialect, NEAR, options={"allow_local": True})
    (shut,) = handlers(dialect, METADATA, options={"allow_local": True})

    assert (type(opened), opened.allow_local, is_shut(shut)) == (Http, True, True)
    assert not is_shut(opened)


@pytest.mark.parametrize("dialect", FILES)
def test_the_environment_opens_it_where_the_dialect_says_so(dialect: str) -> None:
    """By starchild's variable, for starchild's hooks alone (docs/formats/starchild.md 8)."""
    (found,) = handlers(dialect, NEAR, environ={VARIABLE: "1"})

    assert is_shut(found) is (dialect != "starchild")


def test_a_project_that_brings_an_environment_along_does_not_open_it(tmp_path: Path) -> None:
    """`env` of its settings and a `.env` beside them do not set hookline's own environment."""
    (tmp_path / ".claude").mkdir()
    tree = FILES["claude-code"](NEAR, {}) | {"env": {VARIABLE: "1"}}
    (tmp_path / ".claude/settings.json").write_text(json.dumps(tree), encoding="utf-8")
    (tmp_path / ".env").write_text(f"{VARIABLE}=1\n", encoding="utf-8")
    (tmp_path / "config").mkdir()
    hooks = {"hooks": [{"event": "on_stop", "type": "http", "url": NEAR}]}
    (tmp_path / "config/shell_hooks.yaml").write_text(json.dumps(hooks), encoding="utf-8")
    home = tmp_path / "home"
    home.mkdir()
    engine = hookline.Engine.discover(tmp_path, trust="all", environ={"HOME": str(home)})

    assert [type(spec.handler) for spec in engine.hooks] == [Broken] * len(engine.hooks)
    assert {spec.dialect for spec in engine.hooks} >= {"claude-code"}
