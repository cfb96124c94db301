"""Every run of a batch becomes an outcome at its place, whichever handler performs it."""

from __future__ import annotations

import pytest

from hookline.core.dispatch import Run
from hookline.handlers.process import Cancel
from hookline.handlers.table import perform_all
from hookline.model.event import Event
from hookline.model.spec import Builtin, Command, HookSpec
from hookline.model.verdict import Failure

ENVIRON = {"PATH": "/usr/bin:/bin", "HOME": "/nowhere"}


def text(script: str, shell: str) -> Command:
    """A command that is a text for a shell."""
    # The shells that a hook names, not a flag.
    return Command(script=script, shell=(shell,))  # noqa: S604


def made(handler: Builtin | Command, **event: str) -> Run:
    spec = HookSpec(
        id="h",
        dialect="docker-agent",
        kind="turn.start",
        native_event="turn_start",
        handler=handler,
        timeout=20.0,
    )
    return Run(spec=spec, event=Event(**{"kind": "turn.start", **event}), payload="{}\n")


@pytest.mark.process
def test_outcomes_are_in_the_order_of_the_runs(tmp_path):
    """Commands, builtins, what has no shell and what is missing keep their places."""
    runs = [
        made(text("echo one", "sh"), cwd=str(tmp_path)),
        made(Builtin(name="add_date")),
        made(text("x", "no-such-shell")),
        made(Builtin(name="no_such_builtin")),
        made(text("cat; echo two >&2; exit 2", "sh"), cwd=str(tmp_path)),
        made(Command(argv=("no-such-program",))),
    ]
    outcomes = perform_all(runs, environ=ENVIRON)

    assert [(outcome.exit_code, outcome.failure) for outcome in outcomes] == [
        (0, None),
        (0, None),
        (None, Failure.NOT_STARTED),
        (None, Failure.NOT_STARTED),
        (2, None),
        (None, Failure.NOT_STARTED),
    ]
    assert outcomes[0].stdout == "one\n"
    assert outcomes[1].stdout.startswith('{"hook_specific_output"')
    assert outcomes[2].detail == "none of the shells `no-such-shell` is on this machine"
    assert outcomes[3].detail == "no builtin hook registered as `no_such_builtin`"
    assert (outcomes[4].stdout, outcomes[4].stderr) == ("{}\n", "two\n")


@pytest.mark.process
def test_commands_have_cookies_of_their_own(tmp_path):
    """No two commands of a batch share a cookie."""
    command = text("echo $HOOKLINE_RUN", "sh")
    cookies = {
        outcome.stdout
        for outcome in perform_all([made(command, cwd=str(tmp_path))] * 3, environ=ENVIRON)
    }

    assert len(cookies) == 3
    assert all(len(cookie.strip()) == 24 for cookie in cookies)


@pytest.mark.process
def test_a_batch_can_be_cancelled(tmp_path):
    """The switch reaches the commands of a batch."""
    cancel = Cancel()
    cancel.set()
    (outcome,) = perform_all([made(text("sleep 60", "sh"))], cancel=cancel, environ=ENVIRON)
    cancel.close()

    assert outcome.failure is Failure.CANCELLED


@pytest.mark.process
def test_the_environment_is_ours_unless_another_is_given(monkeypatch, tmp_path):
    """Without an environment, hooks inherit the process's own, as it is now."""
    monkeypatch.setenv("SET_NOW", "yes")
    (outcome,) = perform_all([made(text("echo $SET_NOW", "sh"), cwd=str(tmp_path))])

    assert outcome.stdout == "yes\n"


def test_nothing_to_perform_is_no_outcome():
    """An empty batch has no outcomes."""
    assert perform_all([]) == []
