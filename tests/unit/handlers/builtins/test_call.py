"""Builtins run here, with the directory and the environment that they declare."""

from __future__ import annotations

from hookline.core.dispatch import Run
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


def test_a_builtin_with_nothing_to_say_is_a_silent_success():
    """A builtin on another event than its own says nothing and does not fail."""
    (outcome,) = perform_all(
        [made(Builtin(name="add_date"), kind="session.start")], environ=ENVIRON
    )

    assert (outcome.exit_code, outcome.stdout, outcome.failure) == (0, "", None)


def test_a_fault_in_a_builtin_is_that_hook_s_failure():
    """A builtin that raises is an outcome that names the error; the rest of the batch goes on."""
    broken = made(Builtin(name="add_prompt_files", args=(3,)), cwd="/")  # type: ignore[arg-type]
    outcomes = perform_all([broken, made(Builtin(name="add_date"))], environ=ENVIRON)

    assert [outcome.failure for outcome in outcomes] == [Failure.RAISED, None]
    assert outcomes[0].detail.startswith("AttributeError: ")


def test_a_builtin_has_its_own_directory_and_environment(tmp_path):
    """`working_dir` and `env` of a builtin are seen by it, with what they refer to filled in."""
    for folder, text_ in (("inner", "Be brief."), ("home", "At home.")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "RULES.md").write_text(text_, encoding="utf-8")
    env = {"HOME": "${env.ELSEWHERE}/home"}
    handler = Builtin(
        name="add_prompt_files", args=("RULES.md",), env=env, expand="dotenv", working_dir="inner"
    )

    (outcome,) = perform_all(
        [made(handler, cwd=str(tmp_path))], environ={**ENVIRON, "ELSEWHERE": str(tmp_path)}
    )

    assert "Be brief." in outcome.stdout
    assert "At home." in outcome.stdout
