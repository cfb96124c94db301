"""Which words does a shell text run, and where do they stand?"""

from __future__ import annotations

import pytest

from hookline.text import words
from hookline.text.words import commands

KNOWN = {"HOME": "/h", "P": "/p", "ODD": "/a b"}


def told(text: str) -> list[list[str | None]] | None:
    """The words of each command, as far as they are certain."""
    found = commands(text, KNOWN)
    return None if found is None else [[word.value for word in simple.words] for simple in found]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("python3 ~/x.py --flag", [["python3", "/h/x.py", "--flag"]]),
        ('"$ODD"/x.sh "a b" \'c d\'', [["/a b/x.sh", "a b", "c d"]]),
        ("${P}/x.sh $P", [["/p/x.sh", "/p"]]),
        ("$ODD/x.sh", [[None]]),
        ("$NONE/x.sh", [[None]]),
        ('"$NONE/x.sh"', [[None]]),
        ("'q w'/x.py", [["q w/x.py"]]),
        ("./a\\ b c", [["./a b", "c"]]),
        ("\n ./x \n", [["./x"]]),
        ("./x 2>/dev/null || ./y", [["./x"], ["./y"]]),
        ('cat | $P/x.sh "$(./z)"', [["cat"], ["/p/x.sh", None], ["./z"]]),
        ("cd /x && ./y", [["cd", "/x"], ["./y"]]),
        ("A=1 ./y", [["./y"]]),
        ("P=/q; $P/x", [[None]]),
        ("for P in 1 2; do $P/x; done", [[None]]),
        ("./x\n./y", [["./x"], ["./y"]]),
        ("./x *.py", [["./x", None]]),
        ("./x é", [["./x", None]]),
        ("if ./x; then ./y; fi", [["./x"], ["./y"]]),
        ("cat <<E\nx\nE", None),
        ("./x '", None),
    ],
)  # fmt: skip
def test_words_are_told_as_their_program_would_see_them(text: str, said: object) -> None:
    """What only the shell can tell is None; a text that cannot be read for sure is not read at all."""
    assert told(text) == said


def test_a_word_stands_where_it_stands() -> None:
    """In bytes, so that it can be replaced."""
    (first, second) = commands('é; "$P"/x.sh a', KNOWN) or ()
    word = second.words[0]

    assert 'é; "$P"/x.sh a'.encode()[word.start : word.end] == b'"$P"/x.sh'
    assert first.words[0].start == 0


def test_a_plain_command_needs_no_grammar(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which costs `answer` 20 ms."""
    monkeypatch.setattr(words, "_grammatical", None)

    assert told('python3 "$P/x.py" -a') == [["python3", "/p/x.py", "-a"]]
