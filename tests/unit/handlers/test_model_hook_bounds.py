"""Model hooks: the bounds of asking, whom a question may reach, and questions of a batch."""

from __future__ import annotations

import builtins
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hookline.engine.engine import Engine
from hookline.handlers.model_hook import MOST_AT_ONCE, CallCounter, ask_model
from hookline.handlers.process_spec import Cancel
from hookline.handlers.table import perform_all
from hookline.model.spec import Command, Model
from hookline.model.verdict import Failure
from tests.unit.handlers.asking import ask, at, chat, model, run
from tests.unit.handlers.serving import (
    PATIENCE,
    Asked,
    resolving,
    saying,
    serving,
)

if TYPE_CHECKING:
    from hookline.model.verdict import Decision

ROOT = Path(__file__).parents[3]

# -- bounds ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environ", "asked", "detail"),
    [
        ({}, model(), "the variable `OPENAI_API_KEY`, which holds the key of openai, is not set"),
        ({}, model("nobody/x"), "names no provider"),
        ({"OPENAI_API_KEY": "k"}, model(prompt="{{ .a | nope }}"), "no function `nope`"),
        (
            {"OPENAI_API_KEY": "k", "HOOKLINE_MODEL_CALLS": "many"},
            model(),
            "`HOOKLINE_MODEL_CALLS=many` is no number of calls",
        ),
    ],
)
def test_what_is_wrong_on_this_side_is_said_before_anybody_is_asked(
    environ: dict[str, str], asked: Model, detail: str
) -> None:
    """It is a failure to start."""
    outcome = ask(environ, asked)

    assert outcome.failure is Failure.NOT_STARTED
    assert detail in outcome.detail


def test_a_machine_without_the_library_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Instead of a traceback."""
    real = builtins.__import__

    def missing(name: str, *args: Any, **options: Any) -> Any:
        if name.startswith("pydantic_ai"):
            raise ImportError(name, name="pydantic_ai")
        return real(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", missing)
    monkeypatch.delitem(sys.modules, "hookline.handlers.model_client", raising=False)
    import hookline.handlers  # noqa: PLC0415 - the package keeps what it once imported

    monkeypatch.delattr(hookline.handlers, "model_client", raising=False)
    outcome = ask({"OPENAI_API_KEY": "k"})

    assert outcome.failure is Failure.NOT_STARTED
    assert (
        outcome.detail
        == "model hooks need `pydantic_ai`, which is not installed (pip install 'hookline[model]')"
    )


def test_a_session_has_so_many_calls() -> None:
    """Beyond them its hooks fail, and say so; another session has its own."""
    tally = CallCounter()
    with serving(saying(chat("x"))) as service:
        environ = at(service, HOOKLINE_MODEL_CALLS="2")
        outcomes = [ask(environ, counter=tally) for _ in range(4)]
        other = ask_model(
            model(), '{"session_id": "t"}', seconds=PATIENCE, environ=environ, counter=tally
        )

    assert [outcome.failure for outcome in outcomes] == [
        None,
        None,
        Failure.NOT_STARTED,
        Failure.NOT_STARTED,
    ]
    assert "this session has had its 2 model calls" in outcomes[-1].detail
    assert (other.failure, len(service.sent)) == (None, 3)


def test_sessions_are_forgotten_in_the_order_in_which_they_asked() -> None:
    """So that a server that lives long does not remember them all."""
    tally = CallCounter()
    for number in range(1100):
        tally.count(str(number), 1)
    tally.count("0", 1)

    with pytest.raises(Exception, match="has had its 1 model calls"):
        tally.count("1099", 1)


def test_a_long_prompt_is_cut_and_says_so() -> None:
    """At the hook's own bound; nothing of what its author wrote is missing."""
    with serving(saying(chat("x"))) as service:
        ask_model(
            model(prompt="{{ .ToolName }}" + "y" * 45, most_prompt=50), '{"tool_name": "shell and more"}',
            seconds=PATIENCE, environ=at(service), counter=CallCounter(),
        )  # fmt: skip
    prompt = json.loads(service.sent[0].body)["messages"][-1]["content"]

    assert prompt.startswith(
        "shell…[9 characters cut off]" + "y" * 45 + "\n\n[What was quoted of the event is longer"
    )


# -- who is called ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "place",
    [
        "169.254.169.254",
        "fd00:ec2::254",
        "100.100.100.200",
        "169.254.1.1",
        "64:ff9b::a9fe:a9fe",
        "0.0.0.0",
    ],
)
def test_a_name_that_stands_for_what_nobody_may_call_is_not_dialled(place: str) -> None:
    """What counts is what the one look-up said; no socket is made, and no key is sent."""
    opened: list[Any] = []
    environ = {"OPENAI_BASE_URL": "https://meta.example/v1", "OPENAI_API_KEY": "k"}
    outcomes = [
        ask(
            environ,
            model(allow_local=allow_local),
            resolve=resolving(*places),
            opened=opened.append,
        )
        for allow_local, places in ((True, ("127.0.0.1", place)), (False, ("93.184.216.34", place)))
    ]

    assert ([outcome.failure for outcome in outcomes], opened) == ([Failure.UNREACHABLE] * 2, [])
    assert all(f"`meta.example` resolves to `{place}`" in outcome.detail for outcome in outcomes)


@pytest.mark.parametrize("place", ["127.0.0.1", "10.0.0.1", "::1", "fd00::1", "::ffff:127.0.0.1"])
@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"OPENAI_BASE_URL": "https://far.example/v1"},
        {"OPENAI_BASE_URL": "http://far.example/v1", "OPENAI_API_KEY": ""},
    ],
)
def test_a_public_name_leads_to_no_local_address(place: str, environ: dict[str, str]) -> None:
    """Whoever owns the name does not choose whom of this network we call.

    The author of the address may allow it.
    """
    opened: list[Any] = []

    def refuse(sock: Any) -> None:
        opened.append(sock)
        raise ConnectionAbortedError

    given = {"OPENAI_API_KEY": "k", **environ}
    outcome = ask(given, resolve=resolving("93.184.216.34", place), opened=refuse)

    assert (outcome.failure, opened) == (Failure.UNREACHABLE, [])
    assert "`-o allow_local=true`" in outcome.detail
    ask(given, model(allow_local=True), resolve=resolving(place), opened=refuse)
    assert len(opened) == bool(environ)


def test_who_is_called_is_who_was_looked_up() -> None:
    """Once, for the one connection; a second answer of its name's owner would come too late."""
    asked: list[str] = []
    with serving(saying(chat("x"))) as service:
        environ = {
            "OPENAI_BASE_URL": service.url("/v1", host="near.example"),
            "OPENAI_API_KEY": "k",
        }
        outcome = ask(environ, model(allow_local=True), resolve=resolving("127.0.0.1", asked=asked))

    assert (outcome.stdout, asked, len(service.sent)) == ("x", ["near.example"], 1)
    assert service.sent[0].headers["host"].startswith("near.example:")


@pytest.mark.parametrize(
    "places", [("93.184.216.34",), ("127.0.0.1", "93.184.216.34"), ("2606:2800:21f:cb07::1",)]
)
def test_a_key_goes_unencrypted_to_no_public_address(places: tuple[str, ...]) -> None:
    """Nobody is connected to; without a key, or with TLS, one is tried."""
    opened: list[Any] = []

    def refuse(sock: Any) -> None:
        opened.append(sock)
        raise ConnectionAbortedError

    plain = {"OPENAI_BASE_URL": "http://far.example/v1", "OPENAI_API_KEY": "k"}
    outcome = ask(plain, model(allow_local=True), resolve=resolving(*places), opened=refuse)

    assert (outcome.failure, opened) == (Failure.UNREACHABLE, [])
    assert "a key would be sent to it unencrypted" in outcome.detail
    for other in ({"OPENAI_API_KEY": ""}, {"OPENAI_BASE_URL": "https://far.example/v1"}):
        ask(plain | other, model(allow_local=True), resolve=resolving(*places), opened=refuse)
    assert len(opened) == 2


def test_a_look_up_that_hangs_is_not_waited_for() -> None:
    """By a batch; and its thread keeps no process from its end."""
    code = """
import socket, threading
from hookline.handlers.table import perform_all
from tests.unit.handlers.asking import model, run
socket.getaddrinfo = lambda *_, **__: threading.Event().wait()
from hookline.handlers import http, model_hook
model_hook.ask_model.__kwdefaults__["resolve"] = socket.getaddrinfo
environ = {"OPENAI_BASE_URL": "http://slow.example/v1", "OPENAI_API_KEY": "k"}
print(perform_all([run(model(), timeout=0.2)], environ=environ)[0].failure.name)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )

    assert (done.stdout, done.returncode) == ("TIMED_OUT\n", 0), done.stderr


@pytest.mark.parametrize("name", ["openai/gpt-4o-mini", "anthropic/claude-haiku-4-5"])
def test_all_loading_is_before_the_time_begins(name: str) -> None:
    """A first question loads no further client library."""
    code = f"""
import sys
from hookline.handlers.model_hook import prepare
from tests.unit.handlers.asking import ask, at, chat, message, model
from tests.unit.handlers.serving import saying, serving
asked = model("{name}")
with serving(saying(message("x") if "{name}".startswith("anthropic") else chat("x"))) as service:
    prepare([asked], at(service))
    before = {{module.partition(".")[0] for module in sys.modules}}
    assert ask(at(service), asked).stdout == "x"
print(*sorted({{module.partition(".")[0] for module in sys.modules}} - before))
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )

    assert not {"openai", "anthropic", "pydantic_ai", "pydantic", "httpx2"} & set(
        done.stdout.split()
    )


# -- no way round ----------------------------------------------------------------------------------


def test_a_provider_that_asks_again_from_another_thread_ends() -> None:
    """In whatever session: each question leads to the next, until one gets no turn, and then all of them are answered."""
    asks = {
        "type": "model",
        "model": "openai/m",
        "prompt": "?",
        "schema": "pre_tool_use_decision",
        "timeout": 4,
    }
    said: list[Decision] = []

    def again(asked: Asked) -> None:
        said.append(
            engine.fire(
                "pre_tool_use",
                {"session_id": str(len(service.sent)), "tool_name": "shell"},
                dialect="docker-agent",
            )
        )
        asked.say(chat('{"decision": "deny", "reason": "a loop"}'))

    with serving(again) as service:
        tree = {"hooks": {"pre_tool_use": [{"hooks": [asks]}]}}
        engine = Engine.from_config(tree, dialect="docker-agent", environ=at(service))
        outermost = engine.fire(
            "pre_tool_use", {"session_id": "s", "tool_name": "shell"}, dialect="docker-agent"
        )

    assert len(service.sent) == len(said) == MOST_AT_ONCE
    assert outermost.reason == "a loop"
    assert f"this process has {MOST_AT_ONCE} questions to models under way" in said[0].reason
    assert {decision.reason for decision in said[1:]} == {"a loop"}


def test_a_question_waits_for_its_turn() -> None:
    """For a part of its time.

    Without one nobody is asked, and the session's calls are not counted.
    """
    turns, counted = threading.BoundedSemaphore(1), CallCounter()
    turns.acquire()
    with serving(saying(chat("x"))) as service:
        refused = ask(at(service), seconds=0.2, turns=turns, counter=counted)
        turns.release()
        asked = [
            ask(at(service, HOOKLINE_MODEL_CALLS="2"), turns=turns, counter=counted)
            for _ in range(2)
        ]

    assert (refused.failure, refused.stdout) == (Failure.NOT_STARTED, "")
    assert [outcome.stdout for outcome in asked] == ["x", "x"]
    assert len(service.sent) == 2
    assert turns.acquire(blocking=False)


# -- in a batch ------------------------------------------------------------------------------------


@pytest.mark.process
def test_models_are_asked_at_once_beside_commands() -> None:
    """Two questions that wait for each other both get their reply, in the order of the runs."""
    both = threading.Barrier(2)

    def together(asked: Asked) -> None:
        both.wait(PATIENCE)
        asked.say(chat("x"))

    with serving(together) as service:
        runs = [run(model()), run(Command(argv=("printf", "c"))), run(model())]
        outcomes = perform_all(runs, environ=at(service, PATH="/usr/bin:/bin"))

    assert [outcome.stdout for outcome in outcomes] == ["x", "c", "x"]


def test_a_cancellation_ends_the_wait_for_a_model() -> None:
    """And the connection, so that nobody pays for the rest of the reply."""
    cancel = Cancel()
    gone = threading.Event()

    def cancelled(asked: Asked) -> None:
        cancel.set()
        if asked.hung_up():
            gone.set()

    with serving(cancelled) as service:
        (outcome,) = perform_all(
            [run(model(), timeout=PATIENCE)], cancel=cancel, environ=at(service)
        )
        assert gone.wait(PATIENCE)
    cancel.close()

    assert outcome.failure is Failure.CANCELLED


def test_a_batch_does_not_wait_longer_than_its_hook() -> None:
    """As an HTTP hook's would not."""
    with serving(Asked.hang) as service:
        (outcome,) = perform_all([run(model(), timeout=0.3)], environ=at(service))

    assert outcome.failure is Failure.TIMED_OUT
