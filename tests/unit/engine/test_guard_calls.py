"""Guards that send something: what the answer of the receiver means."""

import pytest

import hookline
from hookline.core.dispatch import Run
from hookline.engine.guard_calls import call_guards
from hookline.engine.loader import list_hooks
from hookline.model.event import Event, Stop, ToolCall
from hookline.model.spec import Builtin, HookSpec, Http, Origin, describe_command
from hookline.model.verdict import Failure, Outcome

SPEC = HookSpec(
    id="hookline.yaml#notifier.stop",
    dialect="hookline",
    kind="stop",
    native_event="stop",
    handler=Builtin(name="notifier", options={"webhook": "https://example.com/x"}),
)


def ask(outcome):
    """What the guard's run is made of, and its outcome after that of the receiver."""
    event = Event(kind="stop", session_id="s1", body=Stop())

    def dispatch():
        (done,) = yield (Run(spec=SPEC, event=event, detached=True),)
        return done

    runtime = hookline.Engine.from_config({"version": 1}, dialect="hookline").runtime
    asked = call_guards(dispatch(), runtime)
    (run,) = next(asked)
    assert isinstance(run.spec.handler, Http)
    assert run.spec.timeout == 10
    assert not run.detached
    with pytest.raises(StopIteration) as ended:
        asked.send((outcome,))
    return ended.value.value


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome(exit_code=0, stdout='{"stance": "deny"}', seconds=1.0),
        Outcome(failure=Failure.UNREADABLE, detail="it is no JSON", seconds=1.0),
    ],
)
def test_the_receiver_has_no_say(outcome):
    """Slack answers `ok`, and no answer is a decision."""
    done = ask(outcome)
    assert done.failure is None
    assert done.stdout == ""
    assert done.answer.stance is hookline.Stance.SILENT
    assert done.seconds >= 1.0


def test_a_receiver_that_is_not_reached_is_a_failure():
    """The guard has not done what it is for."""
    failed = Outcome(failure=Failure.UNREACHABLE, detail="no route")
    assert ask(failed) == failed
    done = ask(Outcome(exit_code=2, stderr="no\n"))
    assert done.failure is Failure.REJECTED
    assert done.detail == "exit code 2: no"


def test_a_guard_of_a_project_writes_in_hooklines_folder_only(tmp_path):
    """The same option is fine in a file of the user."""
    hook = {"use": "tool_audit_log", "on": "tool.after", "with": {"file": "~/calls.jsonl"}}
    engine = hookline.Engine.from_config(
        {"version": 1, "hooks": [hook]},
        dialect="hookline",
        trust="all",
        environ={"HOME": str(tmp_path)},
    )
    (spec,) = list_hooks(engine.snapshot)
    event = Event(kind="tool.after", session_id="s1", body=ToolCall(tool="shell"))

    def dispatch(scope):
        (done,) = yield (Run(spec=spec.replace(origin=Origin(scope=scope)), event=event),)
        return done

    def run(scope):
        with pytest.raises(StopIteration) as ended:
            next(call_guards(dispatch(scope), engine.runtime))
        return ended.value.value

    assert "a project's file" in run("project").detail
    assert not (tmp_path / "calls.jsonl").exists()
    assert run("user").failure is None
    assert (tmp_path / "calls.jsonl").exists()


def test_an_approval_shows_the_options_of_a_guard():
    """A person sees where messages go before they approve that."""
    assert describe_command(SPEC.handler) == 'notifier {"webhook": "https://example.com/x"}'
    assert describe_command(Builtin(name="commands")) == "commands"
