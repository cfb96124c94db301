"""What does a source text refer to?"""

from __future__ import annotations

import pytest

from hookline.text.source_references import (
    DATA_PROGRAMS,
    LAUNCHERS,
    MAX_SOURCE,
    STARTS,
    TOOLS,
    UNKNOWN,
    UNSURE,
    find_interpreter,
    find_language,
    find_script,
    read_source,
)


@pytest.mark.parametrize(
    ("text", "references"),
    [
        ("./x.sh a  b", [("alone", "./x.sh", "a", "b")]),
        ("'./x y.sh' a\\ b $'c'", [("alone", "./x y.sh", "a b", "c")]),
        ("$A/${B}/${C:-d}", [("alone", "\0A\0/\0B\0/\0C\0")]),
        ('"$A b" ~/c', [("alone", "\0A\0 b", "\0HOME\0/c")]),
        ("${A#x} *.sh $(x)", [("alone", UNKNOWN, UNKNOWN, UNKNOWN), ("run", "x")]),
        ('"$(dirname "$0")"/x', [("alone", f"{UNKNOWN}/x"), ("run", "dirname", "\0000\0")]),
        ("X=a Y=$X; x", [("set", "X", "a"), ("set", "Y", "\0X\0"), ("run", "x")]),
        ("A=(a $b)", [("set", "A", UNKNOWN)]),
        ("export X=a", [("set", "X", "a")]),
        ("x < a.sh 2>&1 > b", [("alone", "x", "a.sh")]),
        ("sh <<< y", [("alone", "sh")]),
        ("x <<E\ny\nE", [("alone", "x")]),
        ("python3 <<-'E' x\ny\nE\nz", [("run", "python3", "x"), ("run", "z")]),
        ("f() { x; }", [("run", "x")]),
        ("for i in a b; do x; done", [("run", "x")]),
        ("x | bash", [("run", "x"), ("run", "bash")]),
        ('bash -c "$(x)"', [("alone", "bash", "-c", UNKNOWN), ("run", "x")]),
        (". <(x)", [("alone", ".", ""), ("run", "x")]),
        ("x | jq # it's", [("run", "x"), ("run", "jq")]),
        ("if $x", [UNSURE]),
        ("", []),
    ],
)  # fmt: skip
def test_a_shell_text_refers_to_its_words(text: str, references: list[tuple[str, ...]]) -> None:
    """With the quotes taken off, and variables left for the resolver."""
    assert list(read_source("shell", text.encode())) == references


@pytest.mark.parametrize(
    ("text", "references"),
    [
        ("import a, b.c as d", [("import", "0", "a"), ("import", "0", "b.c")]),
        ("from . import a", [("import", "1", "", "a")]),
        ("def f():\n    from ..a import b, c", [("import", "2", "a", "b", "c")]),
        ("import sys\nsys.path.append('lib')", [("import", "0", "sys")]),
        ("os.system('x')\nexec(y)", [STARTS]),
        ("'\\d'", []),
        ("import", [UNSURE]),
        ("x = \0", [UNSURE]),
        ("(" * 100_000, [UNSURE]),
    ],
)
def test_a_python_text_refers_to_its_imports(text: str, references: list[tuple[str, ...]]) -> None:
    """Also those within functions, and folders that it adds to its path."""
    assert list(read_source("python", text.encode())) == references


def test_a_text_that_is_too_long_is_not_parsed() -> None:
    """It could hold an event up."""
    assert read_source("shell", b"x" * (MAX_SOURCE + 1)) == (UNSURE,)


@pytest.mark.parametrize(
    ("word", "language"),
    [
        ("bash", "shell"),
        ("/usr/bin/zsh", "shell"),
        ("python3.12", "python"),
        ("python.exe", "python"),
        ("node22", "other"),
        ("ruby3.2", "other"),
        ("jq", ""),
        ("x.sh", ""),
        ("", ""),
    ],
)
def test_an_interpreter_is_known_by_its_name(word: str, language: str) -> None:
    """Without its folder and version."""
    assert find_interpreter(word) == language


@pytest.mark.parametrize(
    ("path", "first_line", "language"),
    [
        ("/a/x.sh", "", "shell"),
        ("/a/x.PY", "", "python"),
        ("/a/x.py", "#!/usr/bin/env -S uv run --script", "python"),
        ("/a/x.sh", "#! /usr/bin/env node", "other"),
        ("/a/x", "#!/opt/own", "other"),
        ("/a.sh/x", "", ""),
        ("/a/x.json", "", ""),
    ],
)
def test_a_file_is_in_the_language_of_its_first_line(
    path: str, first_line: str, language: str
) -> None:
    """The suffix counts where there is no such line."""
    assert find_language(path, first_line) == language


def test_a_suffix_is_enough_to_be_code() -> None:
    """Data has none of them."""
    assert find_language("guard.ps1") == "other"
    assert find_language("settings.json") == ""


def test_a_program_is_in_one_table() -> None:
    """A linter, a tool, and what starts the program behind it are treated each in its own way."""
    assert not DATA_PROGRAMS & TOOLS
    assert not LAUNCHERS & (DATA_PROGRAMS | TOOLS)
    assert not any(find_interpreter(name) for name in DATA_PROGRAMS | TOOLS | LAUNCHERS)


@pytest.mark.parametrize(
    ("program", "words", "script"),
    [
        ("bash", ["guard.sh"], "guard.sh"),
        ("bash", ["-e", "guard.sh"], "guard.sh"),
        ("python3", ["-u", "guard.py", "x.py"], "guard.py"),
        ("ksh", ["guard.ksh"], "guard.ksh"),
        (".", ["guard.sh"], "guard.sh"),
        ("bash", ["-c", "guard.sh"], ""),
        ("python3", ["-m", "guard.py"], ""),
        ("bash", ["-o", "pipefail", "guard.sh"], ""),
        ("cat", ["guard.sh"], ""),
    ],
)
def test_the_script_of_an_interpreter_stands_behind_its_options(
    program: str, words: list[str], script: str
) -> None:
    """Code and modules are no scripts."""
    assert find_script(program, words) == script
