"""What does a source text refer to?"""

from __future__ import annotations

import pytest

from hookline.trust.source_reader import MAX_SOURCE, UNKNOWN, read_source

ALONE, UNSURE = ("alone",), ("unsure",)


@pytest.mark.parametrize(
    ("text", "references"),
    [
        ("./x.sh a  b", [ALONE, ("run", "./x.sh", "a", "b")]),
        ("'./x y.sh' a\\ b $'c'", [ALONE, ("run", "./x y.sh", "a b", "c")]),
        ("$A/${B}/${C:-d}", [ALONE, ("run", "\0A\0/\0B\0/\0C\0")]),
        ('"$A b" ~/c', [ALONE, ("run", "\0A\0 b", "\0HOME\0/c")]),
        ("${A#x} *.sh $(x)", [ALONE, ("run", UNKNOWN, UNKNOWN, UNKNOWN), ("run", "x")]),
        ('"$(dirname "$0")"/x', [ALONE, ("run", f"{UNKNOWN}/x"), ("run", "dirname", "\0000\0")]),
        ("X=a Y=$X; x", [("set", "X", "a"), ("set", "Y", "\0X\0"), ("run", "x")]),
        ("A=(a $b)", [("set", "A", UNKNOWN)]),
        ("export X=a", [("set", "X", "a")]),
        ("x < a.sh 2>&1 > b", [ALONE, ("run", "x", "a.sh")]),
        ("sh <<< y", [ALONE, ("run", "sh"), ("body", "shell", "y")]),
        ("x <<E\ny\nE", [ALONE, ("run", "x"), ("body", "", "y\n")]),
        ("python3 <<-'E' x\ny\nE\nz", [("run", "python3", "x"), ("body", "python", "y\n"), ("run", "z")]),
        ("f() { x; }", [("function", "f"), ("run", "x")]),
        ("for i in a b; do x; done", [("run", "x")]),
        ("x | bash", [("run", "x"), ("run", "bash")]),
        ('bash -c "$(x)"', [ALONE, ("run", "bash", "-c", UNKNOWN), ("run", "x")]),
        (". <(x)", [ALONE, ("run", ".", ""), ("run", "x")]),
        ("x | jq # it's", [("run", "x"), ("run", "jq")]),
        ("if $x", [UNSURE, ("run", "\0x\0")]),
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
        ("import sys\nsys.path.append('lib')", [("import", "0", "sys"), ("folder", "lib")]),
        ("os.system('x')\nexec(y)", [("starts",)]),
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
