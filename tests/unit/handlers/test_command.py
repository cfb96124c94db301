"""Commands: which program runs for a declared command, where, and in which environment."""

from __future__ import annotations

import sys

import pytest

from hookline.errors import HandlerError
from hookline.handlers.command import COOKIE, FIRING, build_program
from hookline.handlers.recursion_guard import extend_variable
from hookline.model.event import Event, Lifecycle, ToolCall
from hookline.model.spec import Command, HookSpec
from hookline.trust.owner import digest_definition
from tests.unit.handlers.support import executable, run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

EVENT = Event(kind="tool.before", cwd="/srv/project", session_id="s-1")
HOSTILE = "/tmp/$(touch pwned); `id` & 'x' \"y\""


def made(command: Command, event: Event = EVENT, **environ: str):
    return build_program(command, event, "{}\n", timeout=5.0, cookie="cookie", environ=environ)


def text(script: str, *shells: str, **fields: Any) -> Command:
    """A command that is a text for one of these shells."""
    return Command(**{"script": script, "shell": shells, **fields})


@pytest.fixture
def shells(tmp_path: Path) -> Path:
    """A folder with a bash, a pwsh, a file that may not be run, and a folder that is called sh."""
    executable(tmp_path / "bash", "")
    executable(tmp_path / "pwsh", "")
    executable(tmp_path / "zsh", "", mode=0o644)
    (tmp_path / "sh").mkdir()
    return tmp_path


def test_words_are_a_program_without_a_shell():
    """Words are the program and its arguments, and no character is special."""
    words = ("prog", "$HOME", "a b", "*")

    assert made(Command(argv=words), HOME="/home/x").argv == words


def test_what_is_passed_on_is_passed_on():
    """Payload, time limit, cookie and the fate of leftovers are as given."""
    what = build_program(
        Command(argv=("x",), kill_leftovers=True),
        EVENT,
        '"\u00e9"\n',
        timeout=7.5,
        cookie="c",
        environ={},
    )

    assert (what.stdin, what.timeout, what.cookie, what.kill_leftovers) == (
        b'"\xc3\xa9"\n',
        7.5,
        "c",
        True,
    )


def test_the_variables_of_a_host_are_set_and_give_way_to_the_hooks_own():
    """They are filled in like the hook's own variables, and are no part of what is approved."""
    event = EVENT.replace(body=ToolCall(tool="Bash"), kind="tool.before")
    command = Command(
        argv=("x",),
        env={"OWN": "hook", "TOOL": "${event.tool}"},
        host_env={"OWN": "host", "SESSION": "${event.session_id}"},
    )

    env = made(command, event, OWN="outside").env

    assert (env["OWN"], env["SESSION"], env["TOOL"]) == ("hook", "s-1", "Bash")
    spec = HookSpec(id="x", dialect="d", kind="stop", native_event="stop", handler=command)
    without = spec.replace(handler=command.replace(host_env={}))
    assert digest_definition(spec) == digest_definition(without)


def test_python_stands_for_our_interpreter():
    """`{python}` is the interpreter that runs hookline, as the program only."""
    assert made(Command(argv=("{python}", "a{python}", "{python}"))).argv == (
        sys.executable,
        "a{python}",
        "{python}",
    )
    assert made(Command(argv=("a{python}",))).argv == ("a{python}",)


def test_a_shell_can_stand_for_the_program(shells):
    """`{shell}` is the bash of this machine, or its sh, as the program only."""
    assert made(Command(argv=("{shell}", "{shell}")), PATH=str(shells)).argv == (
        f"{shells}/bash",
        "{shell}",
    )
    with pytest.raises(HandlerError, match="none of the shells `bash`, `sh`"):
        made(Command(argv=("{shell}",)), PATH="/none")


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (("bash", "sh"), "bash"),
        (("sh", "bash"), "bash"),
        (("zsh", "bash"), "bash"),
        (("fish", "pwsh"), "pwsh"),
        (("$SHELL", "bash"), "bash"),
    ],
)
def test_the_first_shell_that_can_be_run_is_taken(wanted, found, shells):
    """Shells are tried in order; what is missing, a folder or not executable is passed over."""
    assert (
        made(text("x", *wanted), PATH=f"/no/such/folder::{shells}").argv[0] == f"{shells}/{found}"
    )


def test_a_shell_may_be_a_path(shells):
    """A path is taken as it is, and passed over where nothing can be run there."""
    wanted = (f"{shells}/zsh", f"{shells}/bash")

    assert made(text("x", *wanted), PATH="/none").argv == (f"{shells}/bash", "-c", "x")


@pytest.mark.parametrize("value", ["{shells}/bash", "bash"])
def test_the_user_s_shell_comes_from_the_environment(value, shells):
    """`$SHELL` in a list of shells is the one that the environment names."""
    environ = {"SHELL": value.format(shells=shells), "PATH": str(shells)}

    assert made(text("x", "$SHELL", "pwsh"), **environ).argv[0] == f"{shells}/bash"


@pytest.mark.parametrize("value", ["", "{shells}/missing", "{shells}/sh"])
def test_a_user_s_shell_that_cannot_be_run_is_passed_over(value, shells):
    """An empty, missing or invalid `$SHELL` is no failure if another shell is there."""
    environ = {"SHELL": value.format(shells=shells), "PATH": str(shells)}

    assert made(text("x", "$SHELL", "bash"), **environ).argv[0] == f"{shells}/bash"


def test_no_shell_at_all_is_an_error_that_names_them(shells):
    """Where none of the shells can be run, the error tells which were looked for."""
    with pytest.raises(HandlerError, match="none of the shells `sh`, `zsh`"):
        made(text("x", "sh", "zsh"), PATH=str(shells))


def test_powershell_has_options_of_its_own(shells):
    """PowerShell is started without profile and questions."""
    expected = (f"{shells}/pwsh", "-NoProfile", "-NonInteractive", "-Command", "x")

    assert made(text("x", "pwsh"), PATH=str(shells)).argv == expected


@pytest.mark.parametrize(
    ("working_dir", "expected"),
    [
        ("", "/srv/project"),
        ("hooks", "/srv/project/hooks"),
        ("/abs", "/abs"),
        ("~", "/home/me"),
        ("~/hooks", "/home/me/hooks"),
        ("~other/hooks", "/srv/project/~other/hooks"),
        ("$BASE/x", "/base/x"),
        ("${BASE}/x", "/base/x"),
        ("${env.BASE}/x", "/base/x"),
        ("$BASES/x", "/x"),
        ("${MISSING}x", "/srv/project/x"),
        ("a/${NESTED}", "/srv/project/a/$BASE"),
        ("a/${env.NESTED}", "/srv/project/a/$BASE"),
    ],
)
def test_a_working_directory_is_expanded(working_dir, expected):
    """It takes `~`, `$X`, `${X}`, `${env.X}`; a relative one begins at the event's folder."""
    command = Command(argv=("x",), working_dir=working_dir, expand="dotenv")

    assert made(command, HOME="/home/me", BASE="/base", NESTED="$BASE").cwd == expected


def test_a_working_directory_is_literal_where_nothing_is_to_be_expanded():
    """Without `expand` a dollar is a dollar."""
    assert (
        made(Command(argv=("x",), working_dir="~/$X"), HOME="/home/me").cwd == "/srv/project/~/$X"
    )


def test_an_event_without_a_folder_runs_where_we_are():
    """No folder in the event and none declared: the program inherits ours."""
    assert made(Command(argv=("x",)), Event(kind="tool.before")).cwd is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("${env.WORD}", "secret"),
        ("a${env.WORD}b", "asecretb"),
        ("${env.MISSING}", ""),
        ("$WORD ${WORD}", "$WORD ${WORD}"),
        ("${event.cwd}", "/srv/project"),
    ],
)
def test_values_of_the_environment_are_expanded_in_one_form_only(value, expected):
    """In `env` only `${env.X}` and the event's marks are filled in.

    `$X` and `${X}` stay as they are.
    """
    assert (
        made(Command(argv=("x",), env={"V": value}, expand="dotenv"), WORD="secret").env["V"]
        == expected
    )


def test_values_are_literal_where_nothing_is_to_be_expanded():
    """Without `expand`, `${env.X}` is text; the event's marks are filled in all the same."""
    env = made(
        Command(argv=("x",), env={"V": "${env.WORD}", "S": "${event.session_id}"}), WORD="secret"
    ).env

    assert (env["V"], env["S"]) == ("${env.WORD}", "s-1")


def test_the_environment_is_inherited_but_for_what_is_dropped():
    """Matching names are left out, by case; the hook's own variables are added."""
    command = Command(argv=("x",), drop_env=("AWS_*", "WORD"), env={"WORD": "mine"})
    env = made(command, AWS_KEY="1", aws_key="2", WORD="theirs", HOME="/h").env

    assert env == {
        "aws_key": "2",
        "HOME": "/h",
        "WORD": "mine",
        COOKIE: "cookie",
        FIRING: extend_variable({"HOME": "/h"}, "tool.before", ""),
    }


@pytest.mark.parametrize(
    ("outer", "kept"),
    [("outer", "outer,cookie"), ("", "cookie"), ("x" * 131055, "x" * 200 + ",cookie")],
    ids=["one", "none", "too long"],
)
def test_runs_inside_runs_are_told_apart_and_belong_together(outer, kept):
    """The cookies of the outer runs precede its own; the outermost are cut off."""
    assert made(Command(argv=("x",)), **{COOKIE: outer}).env[COOKIE] == kept


def test_only_a_holder_of_the_key_names_the_outer_runs(tmp_path):
    """The hook does not get what another process wrote."""
    home = {"HOME": str(tmp_path)}

    assert made(Command(argv=("x",)), **home, **{FIRING: "turn.start,stop:1:2:x:y"}).env[
        FIRING
    ] == extend_variable(home, "tool.before", "")


@pytest.mark.process
def test_what_a_shell_sets_for_itself_is_not_handed_on(tmp_path):
    """With `noexec` in it a guard would exit with 0 and no output.

    A hook that wants it sets it.
    """
    guard = executable(tmp_path / "guard", "#!/bin/bash\nexit 2\n")
    theirs = {
        "SHELLOPTS": "noexec",
        "BASHOPTS": "extglob",
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
    }
    env = made(Command(argv=(guard,), env={"BASHOPTS": "mine"}), EVENT, **theirs).env

    assert ("SHELLOPTS" in env, env["BASHOPTS"]) == (False, "mine")
    assert (
        run(made(Command(argv=(guard,)), EVENT.replace(cwd=str(tmp_path)), **theirs)).exit_code == 2
    )


def test_what_a_system_takes_is_handed_on_whole():
    """Long values too."""
    theirs = {f"V{at}": "x" * 1000 for at in range(50)} | {"LONG": "x" * 100_000}

    assert theirs.items() <= made(Command(argv=("x",)), **theirs).env.items()


@pytest.mark.parametrize("value", ["/plain/path-1.2", "a@b:c", "", "gr\u00fc\u00df"])
def test_harmless_values_are_spliced_into_shell_text(value):
    """A value that means itself wherever a shell meets it is filled in."""
    command = text("${ROOT}/run", "/bin/sh", substitute={"${ROOT}": value})

    assert made(command).argv[-1] == f"{value}/run"


@pytest.mark.parametrize("value", ["a b", "$(id)", "a;b", "a\nb", "*", "~", "a'b", "a\\b", HOSTILE])
def test_other_values_are_left_to_the_shell(value):
    """A value that a shell could misread becomes an argument, never a part of its text."""
    script = text("${ROOT}/run", "/bin/sh", substitute={"${ROOT}": value})
    words = Command(argv=("${ROOT}/run",), substitute={"${ROOT}": value})

    assert made(script).argv[-1] == "${ROOT}/run"
    assert made(words).argv == (f"{value}/run",)


@pytest.mark.process
def test_a_folder_s_name_never_becomes_a_command(tmp_path):
    """The folder's name reaches the script through the environment, and no shell reads it."""
    command = text(
        'printf %s "${ROOT}"',
        "sh",
        substitute={"${ROOT}": "${event.cwd}"},
        env={"ROOT": "${event.cwd}"},
        working_dir=str(tmp_path),
    )
    outcome = run(made(command, EVENT.replace(cwd=HOSTILE), PATH="/usr/bin:/bin"))

    assert outcome.stdout == HOSTILE
    assert list(tmp_path.iterdir()) == []


def test_a_value_is_never_searched_for_placeholders():
    """Placeholders are filled in at once, and a value that looks like one stays."""
    command = Command(argv=("$A-$AB-${event.cwd}",), substitute={"$A": "$AB", "$AB": "$A"})

    assert made(command).argv == ("$AB-$A-${event.cwd}",)


@pytest.mark.parametrize(
    ("value", "filled"),
    [
        ("${event.facts.version}", "2.4.1"),
        (
            "v${event.facts.version} in ${event.cwd} of ${event.session_id}",
            "v2.4.1 in /srv/project of s-1",
        ),
        ("${event.facts.count}${event.facts.none}", ""),
        ("${event.facts.odd}", "${event.cwd}"),
        ("${event.other}", "${event.other}"),
    ],
)
def test_a_variable_may_hold_a_fact_of_the_event(value: str, filled: str):
    """A text stays as it is, anything else is empty, and a fact is not expanded again."""
    event = EVENT.replace(
        body=Lifecycle(facts={"version": "2.4.1", "count": 3, "odd": "${event.cwd}"})
    )

    assert made(Command(argv=("x",), env={"A": value}), event).env["A"] == filled
