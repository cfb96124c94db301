"""HTTP hooks in an engine: the same payload, the same decision, and what a failed call means."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import TYPE_CHECKING, Any

import pytest

import hookline
from tests.unit.handlers.serving import Asked, saying, serving

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.unit.handlers.serving import Sent

LOCAL = {"STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL": "1"}
CALL = {
    "session_id": "s-5",
    "agent_id": "a-1",
    "cwd": "/srv/shop",
    "tool_name": "bash",
    "tool_input": {"command": "make release", "timeout": 60},
}
PAYLOADS: dict[str, dict[str, Any]] = {
    "pre_tool_call": CALL,
    "on_outbound_message": {
        "session_id": "s-5",
        "notification": "Build is green",
        "type": "telegram",
    },
    "pre_llm_call": {
        "session_id": "s-5",
        "system": "Be brief.",
        "last_user_message": "go on",
        "model": "m",
    },
    "on_stop": {"session_id": "s-5", "response": "Done.", "tool_names": []},
    "transform_tool_result": {"session_id": "s-5", "tool_name": "bash", "tool_result": "42 rows"},
}


def fired(
    answer: Callable[[Asked], None], event: str = "pre_tool_call", **keys: Any
) -> tuple[hookline.Decision, Any]:
    """The decision about an event with this reply to its one hook, and the request."""
    with serving(answer) as service:
        hook = {"event": event, "type": "http", "url": service.url(), **keys}
        engine = hookline.Engine.from_config({"hooks": [hook]}, dialect="starchild", environ=LOCAL)
        assert engine.problems == ()
        return engine.fire(event, PAYLOADS[event], dialect="starchild"), service.sent


def test_the_payload_is_that_of_a_command() -> None:
    """Byte for byte, in one line."""
    decision, sent = fired(saying())

    assert decision.stance is hookline.Stance.SILENT
    assert [(each.method, each.headers["content-type"]) for each in sent] == [
        ("POST", "application/json")
    ]
    assert sent[0].body == (
        b'{"event": "pre_tool_call", "session_id": "s-5", "agent_id": "a-1", "cwd": "/srv/shop", '
        b'"tool_name": "bash", '
        b'"tool_input": {"command": "make release", "timeout": 60}}\n'
    )


@pytest.mark.parametrize(
    ("event", "answer", "field", "value"),
    [
        ("pre_tool_call", {"decision": "block", "reason": "frozen"}, "reason", "frozen"),
        (
            "pre_tool_call",
            {
                "hookSpecificOutput": {
                    "permissionDecision": "deny",
                    "permissionDecisionReason": "no",
                }
            },
            "reason",
            "no",
        ),
        (
            "pre_tool_call",
            {"tool_input": {"timeout": 5, "new": 1}},
            "rewrite",
            {"command": "make release", "timeout": 5},
        ),
        ("pre_tool_call", {"systemMessage": "look"}, "for_user", ("look",)),
        ("on_outbound_message", {"notification": "masked"}, "rewrite", "masked"),
        ("on_stop", {"decision": "block", "reason": "run the tests"}, "redo", True),
        ("pre_llm_call", {"context": "Publish first."}, "for_agent", ("Publish first.",)),
        ("transform_tool_result", {"add_warning": "stale"}, "rewrite", "42 rows\n\nstale"),
    ],
)
def test_the_same_decision_comes_back(
    event: str, answer: dict[str, Any], field: str, value: Any
) -> None:
    """What a command prints, a service answers."""
    found = getattr(fired(saying(answer), event)[0], field)

    assert (found.value if field == "rewrite" else found) == value


FAILED = [
    (
        saying({"decision": "block"}, 500),
        "http_status: answered with an error: 500 Internal Server Error",
    ),
    (
        saying({}, 302, Location="/"),
        "http_status: answered with an error: 302 Found, and redirects are not followed",
    ),
    (
        saying("<p>"),
        (
            "non_json_response: answered something that cannot be read: it is no JSON: expecting "
            "value at line 1"
        ),
    ),
    (saying("[]"), "non_object_json: stdout is JSON, but no object"),
    (
        saying(" " * ((1 << 20) + 1)),
        "output_too_large: exceeded the output limit: more than 1,048,576 bytes",
    ),
    (lambda _: None, "unreachable: could not be reached: it hung up without an answer"),
    (Asked.hang, "timeout: timed out: after 1 s"),
]


@pytest.mark.parametrize(
    ("answer", "fault"),
    FAILED,
    ids=lambda value: value.partition(":")[0] if isinstance(value, str) else "",
)
@pytest.mark.parametrize(("on_error", "stance"), [("open", "silent"), ("closed", "deny")])
def test_a_call_that_fails_is_what_its_entry_says(
    answer: Callable[[Asked], None], fault: str, on_error: str, stance: str
) -> None:
    """Open by default, with a notice."""
    decision, _ = fired(answer, timeout=1, on_error=on_error)

    assert (decision.stance.name.lower(), decision.verdicts[0].fault) == (stance, fault)
    assert fault in (decision.reason or decision.for_user[0])


def test_a_rewrite_reaches_the_next_service() -> None:
    """In its turn, with the payload as rewritten."""
    with serving(saying({"notification": "one"})) as first, serving(saying({})) as second:
        hooks = [
            {"event": "on_outbound_message", "type": "http", "url": each.url()}
            for each in (first, second)
        ]
        engine = hookline.Engine.from_config({"hooks": hooks}, dialect="starchild", environ=LOCAL)
        engine.fire("on_outbound_message", PAYLOADS["on_outbound_message"], dialect="starchild")

        assert json.loads(second.sent[0].body)["notification"] == "one"


@pytest.mark.parametrize("event", ["on_stop", "on_completion_claim"])
def test_a_service_is_told_how_often_the_agent_was_sent_back(event: str) -> None:
    """Per session; tool calls meanwhile do not count.

    The next turn begins at 0, and the same goal does not.
    """
    with serving(saying({"decision": "block", "reason": "run the tests"})) as service:
        hook = {"event": event, "type": "http", "url": service.url()}
        engine = hookline.Engine.from_config({"hooks": [hook]}, dialect="starchild", environ=LOCAL)
        redone = []
        for _ in range(4):
            redone.append(engine.fire(event, {"session_id": "s"}, dialect="starchild").redo)
            engine.fire("pre_tool_call", CALL | {"session_id": "s"}, dialect="starchild")
        engine.fire(event, {"session_id": "another"}, dialect="starchild")
        engine.fire("on_user_message", {"session_id": "s", "message": "go on"}, dialect="starchild")
        engine.fire(event, {"session_id": "s"}, dialect="starchild")
        told = [json.loads(each.body) for each in service.sent]

    assert redone == [True, True, True, False]
    assert [(each["stop_block_count"], each["stop_block_limit"]) for each in told] == [
        (0, 3),
        (1, 3),
        (2, 3),
        (3, 3),
        (0, 3),
        (0 if event == "on_stop" else 3, 3),
    ]
    if event == "on_stop":
        assert [each["stop_hook_active"] for each in told] == [
            False,
            True,
            True,
            True,
            False,
            False,
        ]


def verified(sent: Sent, secret: str, now: float) -> bool:
    """Check a request as a Standard Webhooks receiver: the signature covers id, time and body."""
    key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    told = ".".join(
        (sent.headers["webhook-id"], sent.headers["webhook-timestamp"], sent.body.decode())
    )
    wanted = base64.b64encode(hmac.new(key, told.encode(), hashlib.sha256).digest()).decode()
    given = [each.partition(",") for each in sent.headers["webhook-signature"].split(" ")]
    fresh = abs(now - int(sent.headers["webhook-timestamp"])) < 300
    return fresh and any(
        version == "v1" and hmac.compare_digest(code, wanted) for version, _, code in given
    )


def test_a_receiver_knows_who_calls_by_the_key_in_the_environment() -> None:
    """Whose name the entry gives.

    Another key, body, id or moment, or one of long ago, is not taken for ours.
    """
    secret, other = ("whsec_" + base64.b64encode(key).decode() for key in (b"k" * 24, b"x" * 24))
    with serving(saying({"decision": "block", "reason": "heard"})) as service:
        hook = {"event": "on_stop", "type": "http", "url": service.url(), "secret_env": "KEY"}
        engine = hookline.Engine.from_config(
            {"hooks": [hook]}, dialect="starchild", environ={**LOCAL, "KEY": secret}
        )
        decision = engine.fire("on_stop", PAYLOADS["on_stop"], dialect="starchild")
        (sent,) = service.sent
        now = time.time()

    assert (decision.redo, verified(sent, secret, now)) == (True, True)
    assert not verified(sent, other, now)
    assert not verified(sent.replace(body=sent.body.replace(b"on_stop", b"on_step")), secret, now)
    assert not verified(
        sent.replace(headers={**sent.headers, "webhook-id": "msg_other"}), secret, now
    )
    assert not verified(
        sent.replace(headers={**sent.headers, "webhook-timestamp": str(int(now) + 1)}), secret, now
    )
    assert not verified(sent, secret, now + 3600)


@pytest.mark.parametrize("value", ["", "0", "yes", None])
def test_a_service_on_this_machine_needs_the_switch(value: str | None, tmp_path: Path) -> None:
    """Which is `1`, in the environment, or an option.

    Without it the entry is an error, and a notice names the missing guard.
    """
    environ = {} if value is None else {"STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL": value}
    with serving(saying({})) as service:
        config = tmp_path / "shell_hooks.yaml"
        config.write_text(
            f"hooks:\n  - event: on_stop\n    type: http\n    url: {service.url()}\n    role: "
            f"guard\n",
            encoding="utf-8",
        )
        shut = hookline.Engine.load(config, environ=environ)
        refused = shut.fire("on_stop", PAYLOADS["on_stop"], dialect="starchild")
        opened = hookline.Engine.load(config, environ=environ, allow_local=True)

        assert [problem.name for problem in shut.problems] == ["handler.url"]
        assert (refused.redo, service.sent) == (True, [])
        assert "its host is a loopback address" in refused.reason
        assert not opened.fire("on_stop", PAYLOADS["on_stop"], dialect="starchild").redo
        assert len(service.sent) == 1


def test_the_option_wins_over_the_switch() -> None:
    """`allow_local=False` of the program wins over the environment."""
    hook = {"event": "on_stop", "type": "http", "url": "http://127.0.0.1:1/"}
    engine = hookline.Engine.from_config(
        {"hooks": [hook]}, dialect="starchild", environ=LOCAL, allow_local=False
    )

    assert [problem.name for problem in engine.problems] == ["handler.url"]


def test_what_belongs_to_a_command_has_no_effect() -> None:
    """The problem says so; and a key itself does not belong into the file."""
    hooks = [
        {
            "event": "on_stop",
            "type": "http",
            "url": "https://policy.example/",
            "command": "guard",
            "env": ["A"],
        },
        {
            "event": "on_stop",
            "type": "http",
            "url": "https://policy.example/",
            "secret_env": "whsec_a b",
        },
        {"event": "on_stop", "command": "guard", "secret_env": "KEY"},
    ]
    engine = hookline.Engine.from_config({"hooks": hooks}, dialect="starchild")

    assert [problem.name for problem in engine.problems] == [
        "key.ignored",
        "key.ignored",
        "value.type",
        "key.ignored",
    ]
    assert engine.hooks[0].name == "POST https://policy.example/"
