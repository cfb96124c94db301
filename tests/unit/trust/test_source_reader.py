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
        ("${A#x} *.sh $(x)", [("run", UNKNOWN, UNKNOWN, UNKNOWN), ("run", "x")]),
        ('"$(dirname "$0")"/x', [("run", f"{UNKNOWN}/x"), ("run", "dirname", "\0000\0")]),
        ("X=a Y=$X; x", [("set", "X", "a"), ("set", "Y", "\0X\0"), ("run", "x")]),
        ("export X=a", [ALONE, ("set", "X", "a")]),
        ("x < a.sh 2>&1 > b", [ALONE, ("run", "x", "a.sh")]),
        ("x <<< y", [ALONE, ("run", "x", "y")]),
        ("x <<E\ny\nE", [ALONE, ("run", "x")]),
        ("python3 <<-'E' x\ny\nE\nz", [("body", "python", "y"), ("run", "python3", "x"), ("run", "z")]),
        ("f() { x; }", [("function", "f"), ("run", "f"), ("run", "x")]),
        ("for i in a b; do x; done", [("set", "i", "a"), ("set", "i", "b"), ("run", "x")]),
        ("x | bash", [("fed",), ("run", "x"), ("run", "bash")]),
        ("x | jq # it's", [("run", "x"), ("run", "jq")]),
        ("if $x", [("run", "\0x\0")]),
        ("x 'y", [UNSURE, ("run", "x", "y")]),
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
