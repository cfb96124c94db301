"""Flavours of regular expressions, compared with the engines themselves."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
import warnings

import pytest

from hookline.errors import ConfigError
from hookline.text.re2_regex import MatchTimeoutError
from hookline.text.regex import accepts, compile_regex

COMMON = (
    "a",
    "b",
    "Bash",
    ".",
    "-",
    "_",
    "#",
    " ",
    "é",
    "\n",
    r"\d",
    r"\.",
    r"\-",
    "[ab]",
    "[^ab]",
    "[a-c]",
    "[-a]",
    "(",
    "(?:",
    "(?=",
    "(?!",
    "(?<=",
    "(?<!",
    "(?>",
    "(?i)",
    "(?P<n>",
    "(?(1)",
    ")",
    ")",
    ")",
    "*",
    "+",
    "?",
    "++",
    "{2}",
    "{1,2}",
    "{2,1}",
    "{,2}",
    "{",
    "}",
    "]",
    "|",
    "^",
    "$",
    r"\1",
    r"\x41",
    r"\A",
    r"\Z",
    r"\Q",
)
OF_JAVASCRIPT = (
    "[]",
    "[^]",
    r"[\w-]",
    r"[\w-a]",
    r"[a-\d]",
    "[[:alpha:]]",
    "[z-a]",
    r"[\b]",
    r"[\]]",
    r"[\1]",
    r"[\c]",
    r"[*-\-]",
    r"\w",
    r"\s",
    r"\b",
    r"\B",
    r"\z",
    r"\pL",
    r"\x",
    r"\u0041",
    r"\u",
    r"\cA",
    r"\c",
    r"\0",
    r"\2",
    r"\8",
    r"\k",
    r"\k<n>",
    "(?<n>",
    "(?#",
)
OF_PYTHON = ("[]a]", "(?P=n)", "(?x)", "(?#a)", "{e}", r"\pL", r"[\]]")
TEXTS = [
    "",
    "a",
    "b",
    "ab",
    "Bash",
    "aa",
    "bb",
    "abab",
    "A",
    "a\n",
    "Bash\n",
    "mcp__",
    "k",
    "n",
    "8",
    "aZ",
    "1",
    "\x01",
    "-",
    "]",
    "[",
    "{",
    "a{,2}",
    "a{e}",
    "a-b",
    "#",
    " ",
    "\\",
    "\x08",
    "alpha",
    "AA",
]
NODE = """
const {sources, texts} = JSON.parse(require("fs").readFileSync(0));
const tried = sources.map(source => {
  try {
    const regex = new RegExp(source);
    return texts.map(text => regex.test(text));
  } catch { return null; }
});
console.log(JSON.stringify(tried));
"""


def _corpus(*pieces: str) -> list[str]:
    drawn = random.Random(20)  # noqa: S311 - the same expressions in each run
    return ["".join(drawn.choices(pieces, k=drawn.randint(1, 6))) for _ in range(6000)]


def _found(source: str, flavour: str) -> list[bool] | None:
    try:
        regex = compile_regex(source, flavour)
        return [regex.has_match_in(text) for text in TEXTS]
    except (ConfigError, MatchTimeoutError):
        return None


@pytest.mark.process
@pytest.mark.skipif(shutil.which("node") is None, reason="node runs JavaScript's own engine")
def test_javascript_is_what_node_does() -> None:
    """Each expression compiles here exactly if it does there, and finds the same."""
    sources = _corpus(*COMMON, *OF_JAVASCRIPT)
    done = subprocess.run(
        [str(shutil.which("node")), "-e", NODE],
        input=json.dumps({"sources": sources, "texts": TEXTS}),
        capture_output=True,
        text=True,
        check=True,
    )
    theirs = dict(zip(sources, json.loads(done.stdout), strict=True))
    ours = {source: _found(source, "javascript") for source in sources}

    assert {source: found for source, found in ours.items() if found != theirs[source]} == {}
    assert sum(found is not None for found in theirs.values()) > len(theirs) // 5


def test_python_is_what_re_does() -> None:
    r"""Equal, but `$` before a last newline and non-ASCII letters in `\w` differ in RE2."""
    sources = _corpus(*COMMON, *OF_PYTHON)
    theirs: dict[str, list[bool] | None] = {}
    for source in sources:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                regex = re.compile(source)
            except (re.error, OverflowError):
                theirs[source] = None
                continue
        theirs[source] = [regex.search(text) is not None for text in TEXTS]
    ours = {source: _found(source, "python") for source in sources}
    differing = {
        source: [
            text
            for text, a, b in zip(TEXTS, ours[source] or (), found or (), strict=False)
            if a != b
        ]
        for source, found in theirs.items()
        if ours[source] != found
    }

    assert {source for source in differing if "$" not in source or (ours[source] is None)} == set()
    assert {text for texts in differing.values() for text in texts} <= {"a\n", "Bash\n"}


@pytest.mark.parametrize(
    ("source", "flavour", "accepted"),
    [
        ("(?=a)" + "b" * 2000, "javascript", True),
        ("(?i)a", "javascript", False),
        ("a++", "python", True),
    ],
)
def test_what_the_engine_accepts_is_not_what_hookline_can_run(
    source: str,
    flavour: str,
    accepted: bool,
) -> None:
    """Its host accepts an expression that is too large for hookline."""
    assert accepts(source, flavour) is accepted


@pytest.mark.process
@pytest.mark.parametrize(("source", "loaded"), [("^mcp__own.*", False), ("mcp__(?!.*x)", True)])
def test_the_second_engine_is_loaded_only_for_a_matcher_that_needs_it(
    source: str,
    loaded: bool,
) -> None:
    """`hookline answer` starts for each tool call, and the package takes 20 ms to load."""
    code = (
        "import sys; from hookline.text.regex import compile_regex; compile_regex(sys.argv[1], "
        "'javascript'); print('regex' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}", source],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.strip() == str(loaded)
