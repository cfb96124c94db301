"""Hooks are asked over HTTP: decisions, a host's own words, and a problem for everything else."""

from __future__ import annotations

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest
from jsonschema import Draft202012Validator

import hookline
from hookline.engine.engine import Engine
from hookline.remote.admission import Admission
from hookline.server.metrics import Meter
from hookline.server.request_bodies import LARGEST
from hookline.server.responses import WHOLE
from tests.unit.server.support import CALL, DOCUMENT, PATIENCE, claude, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.unit.server.support import Answer, Served

TREE = {
    "hooks": {
        "PreToolUse": [
            {
                "matcher": "Bash",
                "hooks": [{"type": "command", "command": "echo 'no shell' >&2; exit 2"}],
            }
        ],
        "TaskCompleted": [
            {"hooks": [{"type": "command", "command": "echo 'tests fail' >&2; exit 2"}]}
        ],
        "WorktreeCreate": [{"hooks": [{"type": "command", "command": "echo /trees/one"}]}],
        "PostToolUse": [{"hooks": [{"type": "command", "command": "exit 3"}]}],
        "Stop": [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": 'echo \'{"decision": "block", "reason": "go on"}\'',
                    }
                ]
            }
        ],
    }
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with hooks of Claude Code, which counts what it decides."""
    meter = Meter()
    engine = Engine.from_config(TREE, dialect="claude-code", observe=meter.observe)
    with served(engine, tmp_path_factory.mktemp("service"), meter=meter) as running:
        yield running


def event(name: str, /, **fields: Any) -> dict[str, Any]:
    """A payload of Claude Code."""
    return {"hook_event_name": name, "session_id": "s", "cwd": "/", **fields}


def holds_to(schema: str, answer: Answer) -> None:
    """The document is what the OpenAPI document says of it."""
    errors = Draft202012Validator(DOCUMENT["components"]["schemas"][schema]).iter_errors(
        answer.document
    )

    assert [error.message for error in errors] == []


# -- fire ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["tcp", "unix"])
@pytest.mark.parametrize(
    "body",
    [
        {"event": "tool.before", "payload": {"tool": "Bash", "input": {"command": "ls"}}},
        {"event": "PreToolUse", "payload": CALL},
        {"event": "PreToolUse", "dialect": "claude-code", "payload": CALL},
    ],
    ids=["canonical", "native", "named"],
)
def test_an_event_is_decided(body: dict[str, Any], place: str, server: Served) -> None:
    """Canonical or native, over TCP and over a unix socket."""
    answer = getattr(server, place).ask("POST", "/v1/fire", body)

    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    assert (answer.document["stance"], answer.document["reason"]) == ("deny", "no shell")
    holds_to("decision", answer)


@pytest.mark.parametrize("path", ["/v1/fire", "/v1/answer/claude-code"])
def test_a_request_of_a_model_hook_runs_no_hook(path: str, server: Served) -> None:
    """A request with the mark of a hook's model call would ask the same hook again."""
    body = (
        {"event": "tool.before", "payload": {"tool": "Bash", "input": {"command": "ls"}}}
        if path == "/v1/fire"
        else CALL
    )
    answer = server.tcp.ask("POST", path, body, Hookline_Judging="1")

    assert (answer.status, answer.document["code"]) == (508, "HKL5011")
    assert "508" in DOCUMENT["paths"][path.replace("claude-code", "{dialect}")]["post"]["responses"]
    holds_to("problem", answer)


def test_silence_is_a_decision_too(server: Served) -> None:
    """No hook ran."""
    answer = server.unix.fire("session.end")

    assert (answer.status, answer.document["stance"], answer.document["verdicts"]) == (
        200,
        "silent",
        [],
    )


PROBLEMS = [
    ({"event": "tool.befor"}, 422, "HKL4002"),
    ({"event": "PreToolUze", "dialect": "claude-code"}, 422, "HKL4002"),
    ({"event": "stop", "dialect": "clod"}, 422, "HKL1006"),
    ({"event": "PreToolUse", "payload": {"tool_name": 7}}, 400, "HKL4001"),
    ({"event": 7}, 400, "HKL4001"),
    ([], 400, "HKL4001"),
    (b"ls", 400, "HKL4001"),
    (b'"' + b"x" * (32 << 20) + b'"', 413, "HKL5006"),
]


@pytest.mark.parametrize(("body", "status", "code"), PROBLEMS, ids=lambda value: str(value)[:40])
def test_what_cannot_be_fired_is_a_problem(
    body: Any, status: int, code: str, server: Served
) -> None:
    """It has a status, and a code that `hookline explain` knows."""
    answer = server.tcp.ask("POST", "/v1/fire", body)

    assert (answer.status, answer.document["code"], answer.document["status"]) == (
        status,
        code,
        status,
    )
    assert answer.headers["content-type"] == "application/problem+json"
    assert str(status) in DOCUMENT["paths"]["/v1/fire"]["post"]["responses"]
    holds_to("problem", answer)


@pytest.mark.parametrize(
    "body",
    [b"ls", {"event": "nowhere"}, {"event": "stop", "payload": {"deep": [[["ü\ud800"]]]}}],
    ids=str,
)
def test_a_server_goes_on_after_a_problem(body: Any, server: Served) -> None:
    """The server decides the next event as usual."""
    server.unix.ask("POST", "/v1/fire", body)

    assert (
        server.unix.fire("tool.before", {"tool": "Bash", "input": {}}).document["stance"] == "deny"
    )


# -- answer ----------------------------------------------------------------------------------------


def test_a_host_is_answered_in_its_own_words(server: Served) -> None:
    """The body is what an HTTP hook of Claude Code answers (docs/formats/claude-code.md 4)."""
    answer = server.tcp.ask("POST", "/v1/answer/claude-code", CALL)
    said = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "no shell",
    }

    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    assert answer.document == {"hookSpecificOutput": said}
    assert answer.headers["hookline-exit-code"] == "0"
    assert "hookline-stderr" not in answer.headers


def test_no_opinion_is_an_empty_body(server: Served) -> None:
    """An empty body is success (docs/formats/claude-code.md 4)."""
    answer = server.tcp.ask("POST", "/v1/answer/claude-code", CALL | {"tool_name": "Read"})

    assert (answer.status, answer.body) == (200, b"")


def test_a_stop_gate_says_so_in_the_body(server: Served) -> None:
    """The reason is the next instruction."""
    assert server.tcp.ask("POST", "/v1/answer/claude-code", event("Stop")).document == {
        "decision": "block",
        "reason": "go on",
    }


def test_a_worktree_is_named_in_the_object(server: Served) -> None:
    """A command hook prints the path instead (docs/formats/claude-code.md 7)."""
    payload = event("WorktreeCreate", name="one")

    assert (
        server.tcp.ask("POST", "/v1/answer/claude-code", payload).document["hookSpecificOutput"][
            "worktreePath"
        ]
        == "/trees/one"
    )
    assert (
        server.tcp.ask("POST", "/v1/answer/claude-code", payload, Accept=WHOLE).document["stdout"]
        == "/trees/one\n"
    )


def test_a_refusal_that_no_body_can_say_is_no_success(server: Served) -> None:
    """The host shows it to the user; a relay for a command gets the whole reply."""
    payload = event("TaskCompleted", task_id="1", task_subject="s")
    refused = server.tcp.ask("POST", "/v1/answer/claude-code", payload)
    whole = server.tcp.ask("POST", "/v1/answer/claude-code", payload, Accept=WHOLE)

    assert (refused.status, refused.document["code"], refused.document["detail"]) == (
        403,
        "HKL5008",
        "tests fail",
    )
    assert (refused.headers["hookline-exit-code"], unquote(refused.headers["hookline-stderr"])) == (
        "2",
        "tests fail\n",
    )
    assert (whole.status, whole.headers["content-type"]) == (200, WHOLE)
    assert (whole.document["exit_code"], whole.document["stderr"]) == (2, "tests fail\n")
    holds_to("reply", whole)


def test_what_a_host_has_no_word_for_is_told_beside(server: Served) -> None:
    """A hook failed on an event that goes on without it."""
    answer = server.tcp.ask(
        "POST",
        "/v1/answer/claude-code",
        event("PostToolUse", tool_name="Bash", tool_input={}, tool_response={}),
    )
    told = unquote(answer.headers.get("hookline-stderr", "")) + answer.body.decode()

    assert answer.status == 200
    assert "exit" in told
    assert "3" in told


def test_an_event_that_the_host_does_not_have_is_told(server: Served) -> None:
    """Nothing is refused, and the user sees that no guard ran."""
    answer = server.tcp.ask(
        "POST", "/v1/answer/claude-code", event("PreToolUze", tool_name="Bash", tool_input={})
    )

    assert answer.status == 200
    assert "unknown event `PreToolUze`" in answer.document["systemMessage"]


@pytest.mark.parametrize(
    ("dialect", "body", "status", "code"),
    [
        ("clod-code", CALL, 404, "HKL1006"),
        ("claude-code", {}, 422, "HKL4002"),
        ("claude-code", [], 400, "HKL4001"),
        ("claude-code", b"{", 400, "HKL4001"),
        ("claude-code", b'{"hook_event_name": "Stop"', 400, "HKL4001"),
    ],
)
def test_what_cannot_be_answered_is_a_problem(
    dialect: str, body: Any, status: int, code: str, server: Served
) -> None:
    """The host is unknown, or the payload is invalid."""
    answer = server.tcp.ask("POST", f"/v1/answer/{dialect}", body)

    assert (answer.status, answer.document["code"]) == (status, code)
    assert str(status) in DOCUMENT["paths"]["/v1/answer/{dialect}"]["post"]["responses"]
    holds_to("problem", answer)


BROKEN = b'{"session_id": "s", "hook_event_name": "%s", "tool_input": {'


@pytest.mark.parametrize(
    "body", [BROKEN % b"PreToolUse", json.dumps(CALL | {"tool_name": 7}).encode()]
)
def test_an_event_before_an_action_that_cannot_be_decided_is_refused(
    body: bytes, server: Served
) -> None:
    """Hosts take any other status for consent, so the refusal has status 200."""
    answer = server.tcp.ask("POST", "/v1/answer/claude-code", body)
    whole = server.tcp.ask("POST", "/v1/answer/claude-code", body, Accept=WHOLE)

    assert (answer.status, answer.headers["hookline-problem"]) == (200, "HKL4001")
    assert answer.document["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert (whole.status, whole.document["stdout"].encode()) == (200, answer.body)
    holds_to("reply", whole)


@pytest.mark.parametrize(("event", "code"), [(b"", 2), (b"Stop", 0), (b"UserPromptSubmit", 0)])
def test_every_other_event_that_cannot_be_decided_is_a_problem_with_a_reply(
    event: bytes, code: int, server: Served
) -> None:
    """The problem holds what a command hook would print and end with.

    The user reads it where the host has notices.
    """
    answer = server.tcp.ask("POST", "/v1/answer/claude-code", BROKEN % event)

    assert (answer.status, answer.document["reply"]["exit_code"]) == (400, code)
    assert ("systemMessage" in answer.document) is (code == 0)
    holds_to("problem", answer)


def test_a_busy_server_refuses_before_an_action(tmp_path: Path) -> None:
    """The reply of a busy server is the host's denial, and the code says why."""
    with served(claude("exit 0"), tmp_path, turns=Admission(0, patience=0.0)) as busy:
        answer = busy.unix.ask("POST", "/v1/answer/claude-code", CALL)

    assert (answer.status, answer.headers["retry-after"]) == (200, "1")
    assert answer.document["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_a_body_that_is_too_large_is_refused_before_an_action(server: Served) -> None:
    """As far as it was read, it names its event."""
    body = BROKEN % b"PreToolUse" + b" " * LARGEST
    answer = server.tcp.ask("POST", "/v1/answer/claude-code", body)

    assert answer.document["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_a_host_whose_files_call_us_is_answered_without_them(tmp_path: Path) -> None:
    """Such a host runs their other hooks by itself; every other host has them asked."""
    with served(claude("exit 2"), tmp_path, own={"claude-code": Engine(environ={})}) as server:
        assert server.unix.ask("POST", "/v1/answer/claude-code", CALL).body == b""
        assert (
            server.unix.fire("PreToolUse", CALL, dialect="claude-code").document["stance"]
            == "silent"
        )
        assert (
            server.unix.fire("tool.before", {"tool": "Bash", "input": {}}).document["stance"]
            == "deny"
        )


# -- the others ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/v1/fire", 405),
        ("POST", "/v1/health", 405),
        ("POST", "/v1/answer/", 404),
        ("GET", "/v1/health/", 404),
    ],
)
def test_what_is_not_there_is_a_problem(
    method: str, path: str, status: int, server: Served
) -> None:
    """The server never redirects."""
    answer = server.tcp.ask(method, path)

    assert (answer.status, answer.document["code"]) == (status, "HKL5005")
    assert status != 405 or answer.headers["allow"]
    holds_to("problem", answer)


def test_the_contract_is_served(server: Served) -> None:
    """The server serves the document that the tests check."""
    assert server.tcp.ask("GET", "/v1/openapi.json").document == DOCUMENT


def test_decisions_are_counted(server: Served) -> None:
    """The counts include decisions of other tests."""
    server.tcp.fire("PreToolUse", CALL)
    answer = server.tcp.ask("GET", "/v1/metrics")

    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert (
        'hookline_fires_total{dialect="claude-code",kind="tool.before",stance="deny"}'
        in answer.body.decode()
    )
    assert "hookline_hooks 5" in answer.body.decode()


def test_a_fault_of_ours_is_told_and_never_shown(tmp_path: Path) -> None:
    """The client gets a problem without a traceback; the server prints one line."""

    def observe(*_: object) -> None:
        raise RuntimeError("a secret")

    with served(Engine(environ={}, observe=observe), tmp_path) as server:
        answer = server.unix.fire("stop")
        assert (answer.status, answer.document["code"], answer.document["detail"]) == (
            500,
            "HKL9001",
            "internal error",
        )
        assert b"secret" not in answer.body
        assert server.told == ["HKL9001 internal error: RuntimeError: a secret"]
        assert server.service.turns.running == 0


# -- many at once, and slow ones -------------------------------------------------------------------


def test_fifty_clients_are_answered_at_once(tmp_path: Path) -> None:
    """Their hook returns only when all fifty are being asked about."""
    engine = Engine(environ={})
    there: list[str] = []
    complete = asyncio.Event()

    @engine.on("tool.before", timeout=PATIENCE, on_failure=hookline.Stance.HALT)
    async def meet(asked: hookline.Event) -> hookline.Verdict:
        there.append(asked.session_id)
        if len(there) == 50:
            complete.set()
        await complete.wait()
        return hookline.deny(asked.session_id)

    with served(engine, tmp_path) as server, ThreadPoolExecutor(50) as pool:
        places = [server.tcp if number % 2 else server.unix for number in range(50)]
        calls = [{"session_id": f"s{number}", "tool": "x", "input": {}} for number in range(50)]
        answers = list(pool.map(lambda place, call: place.fire("tool.before", call), places, calls))

    assert [answer.document["reason"] for answer in answers] == [
        f"s{number}" for number in range(50)
    ]
    assert sorted(there) == sorted(f"s{number}" for number in range(50))


def test_one_too_many_is_told_to_come_again(tmp_path: Path) -> None:
    """Health and metrics still answer meanwhile."""
    engine = Engine(environ={})
    begun = threading.Event()
    go_on = asyncio.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    @engine.on("stop", timeout=PATIENCE)
    async def wait(_: hookline.Event) -> None:
        loops.append(asyncio.get_running_loop())
        begun.set()
        await go_on.wait()

    with (
        served(engine, tmp_path, turns=Admission(1, patience=0.0)) as server,
        ThreadPoolExecutor(1) as pool,
    ):
        first = pool.submit(server.unix.fire, "stop")
        assert begun.wait(PATIENCE)
        second = server.unix.fire("stop")
        metrics = server.unix.ask("GET", "/v1/metrics")
        loops[0].call_soon_threadsafe(go_on.set)

        assert (second.status, second.document["code"], second.headers["retry-after"]) == (
            503,
            "HKL5007",
            "1",
        )
        assert "hookline_fires_running 1" in metrics.body.decode()
        assert first.result(PATIENCE).status == 200
        assert server.unix.fire("stop").status == 200


def test_a_hook_that_takes_too_long_has_timed_out(tmp_path: Path) -> None:
    """The answer comes in time and is what a failure means: in strict mode a person decides."""
    with served(claude("sleep 1000", mode="strict"), tmp_path, seconds=0.2) as server:
        answer = server.unix.fire("PreToolUse", CALL)

    assert (answer.status, answer.document["stance"]) == (200, "ask")
    assert "timed out" in answer.document["verdicts"][0]["fault"]
