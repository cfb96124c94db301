"""Which texts for a shell stand within the words of programs that are no launchers?"""

from __future__ import annotations

import shlex

import pytest

from hookline.text.embedded import UNKNOWN, texts, values


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("awk 'BEGIN { system(\"./x\") }'", ["./x"]),
        ("sed '1e ./x' f", ["./x"]),
        ("sed -n '$!e sh x' f", ["sh x"]),
        ("sed -e p -e '/a b/e ./x' f", ["./x"]),
        ("sed 's/a/b/;1e ./x' f", ["./x"]),
        ("sed 's/.*/x/e' f", [UNKNOWN]),
        ("sed e f", [UNKNOWN]),
        ("sed 's/1e x/y/' f", []),
        ("sed -n -e p -e '/e x/d' f", []),
        ("sed 's|a;e b|c|g' f", []),
        ("sed -i.bak 's/a/b/' expected", []),
        ("sed '/^end/d' f", []),
        ("git -c alias.q='!./x' q", ["./x"]),
        ("git -c alias.q=log q", []),
        ("git -c core.fsmonitor=./x status", ["./x"]),
        ("git -c Core.SshCommand='ssh -i k' fetch", ["ssh -i k"]),
        ("git -c pager.log=./x log", ["./x"]),
        ("git -c user.name=x -c color.ui=never commit", []),
        ("tar -I ./x -cf a b", ["./x"]),
        ("tar --use-compress-program='zstd -T0' -cf a b", ["zstd -T0"]),
        ("tar cf a b --checkpoint=1 --checkpoint-action=exec=./x", ["./x"]),
        ("split --filter='sh x' f", ["sh x"]),
        ("sort --compress-program=./x f", ["./x"]),
        ("rsync -e ./x a b", ["./x"]),
        ("grep -e ./x f", []),
    ],
)
def test_a_text_is_found_where_its_program_takes_one(line: str, found: list[str]) -> None:
    """And nowhere else."""
    assert [*texts(shlex.split(line), 0)] == found


def test_a_value_is_told_as_programs_take_it() -> None:
    """As the next word, behind a `=`, or glued to a letter; at the end of a line there is none."""
    assert values(["-r", "a", "--require=b", "-rc", "x", "-r"], ("-r", "--require")) == [
        "a",
        "b",
        "c",
    ]
    assert values([], ("-r",)) == []
