"""Which word of a command line is run?"""

from __future__ import annotations

import pytest

from hookline.text.programs import by_itself, reading


@pytest.mark.parametrize(
    ("line", "family", "program", "script"),
    [
        ("./guard", "", "./guard", None),
        ("python3 x.py --flag", "python", "python3", "x.py"),
        ("/opt/venv/bin/python3.13 -u -W error x.py", "python", "/opt/venv/bin/python3.13", "x.py"),
        ("python3 -Xdev -- x.py", "python", "python3", "x.py"),
        ("python3 -c print(1) x.py", "python", "python3", None),
        ("python3 -Ic code", "python", "python3", None),
        ("python3 -", "python", "python3", None),
        ("bash -eu -o pipefail x.sh a", "shell", "bash", "x.sh"),
        ("bash -euo pipefail x.sh", "shell", "bash", "x.sh"),
        ("sh +x x.sh", "shell", "sh", "x.sh"),
        ("sh -s x.sh", "shell", "sh", None),
        ("node --require a.js --no-warnings x.js", "node", "node", "x.js"),
        ("node -e code x.js", "node", "node", None),
        ("perl -w -I lib x.pl", "perl", "perl", "x.pl"),
        ("perl -ne code", "perl", "perl", None),
        ("perl -MFoo::Bare -i.bare x.pl", "perl", "perl", "x.pl"),
        ("ruby x.rb", "copy", "ruby", "x.rb"),
        ("deno run -A x.ts", "copy", "deno", "x.ts"),
        ("uv run x.py", "uv", "uv", "x.py"),
        ("uv run python x.py", "python", "python", "x.py"),
        ("env -u A B=1 - python3 x.py", "python", "python3", "x.py"),
        ("timeout -k 1 5 nice -n 3 bash x.sh", "shell", "bash", "x.sh"),
        ("env", "", "env", None),
        ("env -- A=1 python3 x.py", "python", "python3", "x.py"),
        ("time -f %e ./x", "", "./x", None),
        ("flock -w 3 lock bash x.sh", "shell", "bash", "x.sh"),
        ("taskset 1 ./x", "", "./x", None),
        ("busybox sh x.sh", "shell", "sh", "x.sh"),
        ("env -iu A sh x.sh", "shell", "sh", "x.sh"),
        ("setarch x86_64 -R sh x.sh", "shell", "sh", "x.sh"),
        ("setarch -R ./x", "", "./x", None),
        ("linux32 -- sh x.sh", "shell", "sh", "x.sh"),
        ("uv run --with a -p 3.12 x.py", "uv", "uv", "x.py"),
        ("uv run --script x", "uv", "uv", "x"),
        ("uv pip install x.py", "", "uv", None),
        ("uvx --from a b x.py", "", "b", None),
        ("expect -f x.exp", "copy", "expect", "x.exp"),
        ("rbash -e x.sh", "shell", "rbash", "x.sh"),
        ("/lib64/ld-linux-x86-64.so.2 --argv0 a /bin/sh x.sh", "shell", "/bin/sh", "x.sh"),
        ("node --env-file-if-exists .env x.js", "node", "node", "x.js"),
        ("julia x.jl", "copy", "julia", "x.jl"),
        ("find . -name x", "", "find", None),
        ("timeout 5", "", "timeout", None),
        ("node --eval=code x.js", "node", "node", None),
    ],
)
def test_the_script_of_an_interpreter_is_found(
    line: str, family: str, program: str, script: str | None
) -> None:
    """Behind options, their values, and programs that run their arguments."""
    words = line.split()
    found = reading(words)

    assert (
        found.family.name,
        words[found.program_at],
        words[found.at] if found.at is not None else None,
    ) == (family, program, script)


def test_code_for_a_shell_is_found() -> None:
    """It is a text that may run something itself, behind all options; another language's is covered as it stands."""
    lines = (
        "bash -c ./x",
        "sh -ec ./x y",
        "bash -c -e ./x",
        "bash -c -- ./x",
        "bash -co pipefail ./x",
        "bash -c +o posix ./x",
        "python3 -c ./x",
    )

    assert [reading(line.split()).text_at for line in lines] == [2, 2, 3, 3, 3, 4, None]
    assert [reading(line.split()).is_code for line in lines] == [False] * 6 + [True]


@pytest.mark.parametrize("line", ["bash", "sh -s a", "python3 -", "python3", "node", "env A=1 sh"])
def test_an_interpreter_without_a_script_runs_what_it_is_given(line: str) -> None:
    """Whatever is in its standard input."""
    assert reading(line.split()).is_fed


@pytest.mark.parametrize(
    "line", ["python3 --version", "node -v", "bash x.sh", "python3 -c 1", "cat"]
)
def test_nothing_else_does(line: str) -> None:
    """Also not one that only tells of itself."""
    assert not reading(line.split()).is_fed


def test_the_programs_on_the_way_are_told() -> None:
    """Each may be something else than its name says; then it is what is run."""
    assert reading(["timeout", "5", "nice", "-n", "3", "bash", "x.sh"]).through == (0, 2)
    assert by_itself(2).program_at == 2


@pytest.mark.parametrize(
    "line",
    [
        "python3 -m guard",
        "npx guard",
        "make guard",
        "env -S python3 x.py",
        "sudo ./x",
        "env -vS ./x",
        "env --split=./x",
        "env -P /y ./x",
        "flock l --command=./x",
        "setarch x86_64",
        "unshare -R /y ./x",
        "setpriv --new-option 1 ./x",
        "find . -exec ./x ;",
        "run-parts x",
        "node --test x.js",
        "node --run=lint",
        "cargo run",
        "pytest x.py",
        "sg y ./x",
        "git --exec-path=. y",
    ],
)
def test_what_only_the_program_knows_is_said(line: str) -> None:
    """Instead of a guess."""
    assert reading(line.split()).unknown


def test_where_programs_go_on_the_way_is_told() -> None:
    """One from the other, as the words are run; and whether one of them finds the program itself."""
    found = reading(["env", "-C", "a", "timeout", "5", "env", "--chdir=b/c", "sh", "x.sh"])

    assert (found.folders, found.own) == (("a", "b/c"), False)
    assert reading(["uv", "run", "python", "x.py"]).own


@pytest.mark.parametrize(
    ("line", "around"),
    [
        ("uv run x.py", ((0, 2),)),
        ("timeout 5 uv run -q python x.py", ((2, 5),)),
        ("uvx --from a b", ((0, 3),)),
        ("uv pip list", ()),
        ("env sh x.sh", ()),
    ],
)
def test_who_runs_what_a_project_says_is_told(
    line: str, around: tuple[tuple[int, int], ...]
) -> None:
    """With the place of what it is told to run."""
    assert reading(line.split()).around == around


@pytest.mark.parametrize(
    ("line", "nothing"),
    [
        ("sh", True),
        ("timeout 5", True),
        ("sh x.sh", False),
        ("sh -c x", False),
        ("./x", False),
        ("python3 -c x", False),
        ("env sh", True),
    ],
)
def test_words_that_run_nothing_for_certain_say_so(line: str, *, nothing: bool) -> None:
    """What is run may stand behind them."""
    assert reading(line.split()).runs_nothing() is nothing


def test_no_line_is_too_deep_to_be_read() -> None:
    """Who hides a program behind thousands of others is told that it cannot be seen."""
    assert reading(["nohup"] * 5000 + ["sh", "x.sh"]).unknown
    assert reading(["xargs"] * 5000 + ["sh", "x.sh"]).unknown
