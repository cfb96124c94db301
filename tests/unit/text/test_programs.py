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
        ("ruby x.rb", "copy", "ruby", "x.rb"),
        ("deno run -A x.ts", "copy", "deno", "x.ts"),
        ("uv run x.py", "copy", "uv", "x.py"),
        ("uv run python x.py", "python", "python", "x.py"),
        ("env -u A B=1 - python3 x.py", "python", "python3", "x.py"),
        ("timeout -k 1 5 nice -n 3 bash x.sh", "shell", "bash", "x.sh"),
        ("env", "", "env", None),
        ("env -- A=1 python3 x.py", "python", "python3", "x.py"),
        ("time -f %e ./x", "", "./x", None),
        ("flock -w 3 lock bash x.sh", "shell", "bash", "x.sh"),
        ("taskset 1 ./x", "", "./x", None),
        ("busybox sh x.sh", "shell", "sh", "x.sh"),
        ("find . -name x", "", "find", None),
        ("timeout 5", "", "timeout", None),
        ("node --eval=code x.js", "node", "node", None),
    ],
)
def test_the_script_of_an_interpreter_is_found(line: str, family: str, program: str, script: str | None) -> None:
    """Behind options, their values, and programs that run their arguments."""
    words = line.split()
    found = reading(words)

    assert (found.family.name, words[found.program_at], words[found.at] if found.at is not None else None) == (family, program, script)


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


@pytest.mark.parametrize("line", ["python3 --version", "node -v", "bash x.sh", "python3 -c 1", "cat"])
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
        "env -C /y ./x",
        "env --chdir=/y ./x",
        "flock l -c ./x",
        "find . -exec ./x ;",
        "run-parts x",
    ],
)
def test_what_only_the_program_knows_is_said(line: str) -> None:
    """Instead of a guess."""
    assert reading(line.split()).unknown
