"""HTTP hooks of Claude Code's settings in an engine: requests, answers, and forbidden addresses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import hookline
from hookline.core.dialect import Source
from hookline.dialects.claude_code import ClaudeCode
from hookline.dialects.claude_code.load import covers_url
from hookline.model.spec import Broken, Http
from tests.unit.handlers.serving import Asked, saying, serving

if TYPE_CHECKING:
    from collections.abc import Callable

CALL = {
    "session_id": "s-5",
    "cwd": "/srv/shop",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
    "tool_use_id": "u-1",
}
LOCAL = {"allow_local": True}
DENY = {
    "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "frozen",
    }
}


def fired(
    answer: Callable[[Asked], None],
    *,
    environ: dict[str, str] | None = None,
    top: Any = (),
    **keys: Any,
) -> tuple[hookline.Decision, Any]:
    """The decision about a call with this reply to its one hook, and the request."""
    with serving(answer) as service:
        hooks = {
            "PreToolUse": [
                {"matcher": "Bash", "hooks": [{"type": "http", "url": service.url(), **keys}]}
            ]
        }
        engine = hookline.Engine.from_config(
            {"hooks": hooks, **dict(top)},
            dialect="claude-code",
            options=LOCAL,
            environ=environ or {},
        )
        assert engine.problems == ()
        return engine.fire("PreToolUse", CALL, dialect="claude-code"), service.sent


def test_the_payload_is_posted_and_the_answer_counts() -> None:
    """As a command is given it on stdin, and as what a command prints."""
    decision, (sent,) = fired(saying(DENY))

    assert (decision.stance, decision.reason) == (hookline.Stance.DENY, "frozen")
    assert (sent.method, sent.headers["content-type"]) == ("POST", "application/json")
    assert json.loads(sent.body) == {**CALL, "transcript_path": "", "hook_event_name": "PreToolUse"}


def test_a_header_holds_the_variables_that_the_hook_may_know() -> None:
    """In either spelling; others are empty (docs/formats/claude-code.md 4)."""
    headers = {"Authorization": "Bearer ${TOKEN}", "X-Team": "$TEAM", "X-Other": "a$SECRET."}
    environ = {"TOKEN": "t-1", "TEAM": "shop", "SECRET": "s3cret"}
    _, (sent,) = fired(saying(), headers=headers, allowedEnvVars=["TOKEN", "TEAM"], environ=environ)

    assert [sent.headers[name] for name in ("authorization", "x-team", "x-other")] == [
        "Bearer t-1",
        "shop",
        "a.",
    ]


def test_settings_may_allow_fewer_variables() -> None:
    """`httpHookAllowedEnvVars` of all files limits every hook (docs/formats/claude-code.md 1)."""
    top = {"httpHookAllowedEnvVars": ["TEAM"]}
    _, (sent,) = fired(
        saying(),
        headers={"X": "$TOKEN$TEAM"},
        allowedEnvVars=["TOKEN", "TEAM"],
        environ={"TOKEN": "t", "TEAM": "m"},
        top=top,
    )

    assert sent.headers["x"] == "m"


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (saying(), None),
        (saying(b" \n"), None),
        (saying(DENY, 500), "answered with an error: 500 Internal Server Error"),
        (
            saying(DENY, 302, Location="/"),
            "answered with an error: 302 Found, and redirects are not followed",
        ),
        (
            saying("denied"),
            "answered something that cannot be read: it is no JSON: expecting value at line 1",
        ),
        (saying("[1]"), "its answer is JSON, but no object"),
        (saying({"decision": 3}), "`decision` has a value of the wrong type"),
    ],
)
def test_only_a_success_with_json_decides(
    answer: Callable[[Asked], None], fault: str | None
) -> None:
    """An empty one is a success, and anything else an error that blocks nothing and is shown."""
    decision, _ = fired(answer)

    assert (decision.stance, decision.verdicts[0].fault) == (hookline.Stance.SILENT, fault)
    assert bool(decision.for_user) is (fault is not None)


def test_no_local_address_is_called_without_the_option() -> None:
    """The hook is broken, and nothing is sent."""
    with serving(saying(DENY)) as service:
        hooks = {"PreToolUse": [{"hooks": [{"type": "http", "url": service.url()}]}]}
        engine = hookline.Engine.from_config({"hooks": hooks}, dialect="claude-code")
        decision = engine.fire("PreToolUse", CALL, dialect="claude-code")

        assert ([problem.name for problem in engine.problems], decision.stance, service.sent) == (
            ["handler.url"],
            hookline.Stance.SILENT,
            [],
        )


def one(hook: dict[str, Any], event: str = "PreToolUse") -> Any:
    """The handler of a hook."""
    return ClaudeCode().load(Source(tree={"hooks": {event: [{"hooks": [hook]}]}})).specs[0].handler


def test_what_is_declared_is_what_is_called() -> None:
    """Address, headers and the names of variables."""
    hook = {
        "type": "http",
        "url": "https://policy.example/h",
        "headers": {"A": "$B", "N": 3},
        "allowedEnvVars": ["B"],
    }

    assert one(hook) == Http(
        url="https://policy.example/h", headers={"A": "$B", "N": "3"}, env=("B",)
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"url": 3},
        {},
        {"url": ""},
        {"headers": []},
        {"headers": {"A": []}},
        {"allowedEnvVars": "B"},
    ],
)
def test_what_is_wrong_breaks_the_hook(wrong: dict[str, Any]) -> None:
    """The error names the key."""
    hook = {"type": "http", "url": "https://policy.example/h", **wrong}
    hook = {key: value for key, value in hook.items() if wrong or key != "url"}

    assert isinstance(one(hook), Broken)


@pytest.mark.parametrize(
    ("pattern", "url", "covers"),
    [
        ("https://a.example/x", "https://a.example/x", True),
        ("https://a.example/x", "https://a.example/xy", False),
        ("https://a.example/*", "https://a.example/", True),
        ("https://*.example/*/z", "https://a.example/x/y/z", True),
        ("https://*.example/*/z", "https://a.example/z", False),
        ("*aa*aa", "xaaa", False),
        ("*", "https://anything/", True),
        ("", "https://anything/", False),
        ("https://a.example/*" * 20, "https://a.example/", False),
    ],
)
def test_a_pattern_of_addresses_has_stars(pattern: str, url: str, *, covers: bool) -> None:
    """Each stands for any text; nothing else means anything."""
    assert covers_url(pattern, url) is covers
