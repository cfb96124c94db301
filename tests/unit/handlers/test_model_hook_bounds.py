"""Model hooks: their limits, the allowed addresses, and batches of questions."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from hookline.handlers.model_hook import ask_model
from hookline.handlers.process_spec import Cancel
from hookline.handlers.table import perform_all
from hookline.installation import install_command
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

ROOT = Path(__file__).parents[3]

# -- bounds ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environ", "asked", "detail"),
    [
        ({}, model(), "the variable `OPENAI_API_KEY`, which holds the key of openai, is not set"),
        ({}, model("nobody/x"), "names no provider"),
        ({"OPENAI_API_KEY": "k"}, model(prompt="{{ .a | nope }}"), "no function `nope`"),
    ],
)
def test_an_error_on_this_side_is_reported_before_a_call(
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
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    (outcome,) = perform_all([run(model())], environ={"OPENAI_API_KEY": "k"})

    assert outcome.failure is Failure.NOT_STARTED
    assert outcome.detail == (
        f"model hooks need `pydantic_ai`, which is not installed ({install_command(extra='model')})"
    )


def test_a_long_prompt_is_cut_and_says_so() -> None:
    """The hook's own limit counts, and the author's text is complete."""
    with serving(saying(chat("x"))) as service:
        ask_model(
            model(prompt="{{ .ToolName }}" + "y" * 45, most_prompt=50),
            '{"tool_name": "shell and more"}',
            seconds=PATIENCE, environ=at(service),
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
def test_a_name_of_a_forbidden_address_is_not_called(place: str) -> None:
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
    """The owner of a name does not choose which local address hookline calls.

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


def test_the_address_of_the_look_up_is_called() -> None:
    """One look-up for one connection; a later answer of the resolver has no effect."""
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
    """The handler does not connect; without a key, or with TLS, it tries."""
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
    """It also closes the connection, so that the rest of the reply costs nothing."""
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
