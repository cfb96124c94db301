"""What do programs run of their own words, and where does it stand?"""

from __future__ import annotations

import pytest

from hookline.text.launched import filed, is_acting, launches, unfolded
from hookline.text.shell_words import parse_commands


def words(line: str) -> list[str]:
    """The words of a line for a shell."""
    return [word.value or "\0" for word in (parse_commands(line, {}) or ())[0].words]


def told(line: str) -> list[str]:
    """What is run, each as one text: words with what stands for others, or a shell's text in quotes."""
    given = words(line)
    found = launches(given)
    return [
        " ".join(given[each.at : each.end]) if each.text is None else f'"{each.text}"'
        for each in found
    ]


@pytest.mark.parametrize(
    ("line", "run"),
    [
        ("xargs sh x", ["sh x"]),
        ("xargs -0 -n1 -P 4 sh x", ["sh x"]),
        ("xargs -0rn 1 sh x", ["sh x"]),
        ("xargs --max-args 1 --null sh x", ["sh x"]),
        ("xargs --max-a=1 sh x", ["sh x"]),
        ("xargs -I % sh % x", ["sh % x"]),
        ("xargs", []),
        ("xargs --new-option 1 sh x", []),
        ("xargs -Z sh x", []),
        ("find . -name x -exec sh x {} ;", ["sh x {}"]),
        ("find . -name x -exec sh x {} \\;", ["sh x {}"]),
        ("find . -name x -exec sh x {} ';' -exec ./y {} +", ["sh x {}", "./y {}"]),
        ("find . -name x", []),
        ("find . -ok sh x ';'", []),
        ("find . -exec find . -exec x ';' -exec y ';'", ["find . -exec x", "y"]),
        ("script -qc 'sh x' /dev/null", ['"sh x"']),
        ("script f --command 'sh x'", ['"sh x"']),
        ("script -q /dev/null sh x", ["sh x"]),
        ("script -q /dev/null", []),
        ("flock -w 3 l -c 'sh x'", ['"sh x"']),
        ("su -c 'sh x' y", ['"sh x"']),
        ("su y --command='sh x'", ['"sh x"']),
        ("su - y -c 'sh x'", ['"sh x"']),
        ("su y", []),
        ("runuser -u y -- sh x", ["sh x"]),
        ("runuser y -c 'sh x'", ['"sh x"']),
        ("sudo -nu y A=1 sh x", ["sh x"]),
        ("sudo -l", []),
        ("sudo -i", []),
        ("doas -u y sh x", ["sh x"]),
        ("watch -n 1 sh x", ['"sh x"']),
        ("watch -x sh x", []),
        ("parallel -j 2 sh x", ['"sh x $?"']),
        ("parallel sh x {} '{.}' ::: a b", ['"sh x $? $?"']),
        ("gdb -batch -ex run --args sh x", ["sh x"]),
        ("gdb -p 1", []),
        ("perf stat -e a sh x", ["sh x"]),
        ("perf report", []),
        ("systemd-run --user -d sh x", ["sh x"]),
        ("npx -y tsx x", ["tsx x"]),
        ("npx -c 'tsx x'", ['"tsx x"']),
        ("npm exec -- tsx x", ["tsx x"]),
        ("npm run x", []),
        ("npm install", []),
        ("poetry run python x", ["python x"]),
        ("poetry -C y run python x", []),
        ("conda run -n y --no-capture-output python x", ["python x"]),
        ("direnv exec . sh x", ["sh x"]),
        ("mise exec python@3 -- python3 x", ["python3 x"]),
        ("mise x -c 'sh x'", ['"sh x"']),
        ("mise exec python@3", []),
        ("nix develop .#y -c sh x", ["sh x"]),
        ("nix-shell -p a b --run 'sh x'", ['"sh x"']),
        ("docker run y sh x", []),
        ("""awk 'BEGIN { system("sh x") }'""", ['"sh x"']),
        ("""awk '{ system("sh x " $1) }' f""", ['"sh x $?"']),
        ("""awk '{ system("sh \\"x\\"") }'""", ['"sh "x""']),
        ("""awk '{ "./x" | getline; print | "./y" }'""", ['"./x"', '"./y"']),
        ("""awk '{ system(cmd) }'""", []),
        ("""awk '{ print "x" || "y" }'""", []),
        ("sh x", []),
        ("cat x", []),
    ],
)
def test_what_a_launcher_runs_is_found(line: str, run: list[str]) -> None:
    """Behind options that are known; by one that is not, nothing is told."""
    assert told(line) == run


@pytest.mark.parametrize(
    ("line", "moved", "more", "blank", "folders"),
    [
        ("xargs sh", False, True, "", ()),
        ("xargs -I@ sh", False, False, "@", ()),
        ("xargs -i sh", False, False, "{}", ()),
        ("find . -execdir sh x ';'", True, False, "{}", ()),
        ("find . -exec sh x", False, True, "{}", ()),
        ("su -l y -c x", True, False, "", ()),
        ("sudo -D /y sh x", False, False, "", ("/y",)),
        ("systemd-run sh x", True, False, "", ()),
        ("systemd-run --scope sh x", False, False, "", ()),
        ("systemd-run --working-directory=/y sh x", False, False, "", ("/y",)),
        ("env -C a -C b sh x", False, False, "", ("a", "b")),
    ],
)
def test_what_is_not_known_of_it_is_told(
    line: str, *, moved: bool, more: bool, blank: str, folders: tuple[str, ...]
) -> None:
    """The folder, words that come behind, and what stands for them."""
    (found,) = launches(words(line))

    assert (found.moved, found.more, found.blank, found.folders) == (moved, more, blank, folders)


@pytest.mark.parametrize(
    ("line", "whole"),
    [
        ("env -S 'sh x' y", "env sh x y"),
        ("env -S'sh x'", "env sh x"),
        ("env -u A -vS 'A=1 sh x' y", "env -u A -v A=1 sh x y"),
        ("env --split-string='sh \"a b\"'", "env sh a b"),
        ("timeout 5 env -S 'nice sh x'", "timeout 5 env nice sh x"),
        ("env -S '-S sh' x", "env sh x"),
        ("env -S 'sh $X'", "env -S sh $X"),
        ("env -S 'sh \\x'", "env -S sh \\x"),
        ("env -S 'sh \"x'", 'env -S sh "x'),
        ("env sh -S x", "env sh -S x"),
        ("env -- -S x", "env -- -S x"),
        ("sh x", "sh x"),
    ],
)
def test_a_line_in_one_word_is_told_word_by_word(line: str, whole: str) -> None:
    """Where it needs no `env` to be read."""
    assert " ".join(unfolded(words(line))) == whole


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("awk -f x y", ["x"]),
        ("awk -fx", ["x"]),
        ("gawk --file=x -i y", ["x", "y"]),
        ("make -sf x", ["x"]),
        ("make --makefile x y", ["x"]),
        ("sed -n -e y", []),
        ("gdb -ex run -x y", ["y"]),
        ("at -f x now", ["x"]),
        ("cut -f x", []),
        ("awk -f", []),
    ],
)
def test_the_files_that_an_option_has_run_are_told(line: str, files: list[str]) -> None:
    """However it is written."""
    assert filed(words(line)) == files


def test_a_search_that_acts_is_known() -> None:
    """It runs something, or asks whether it may."""
    lines = ("find . -exec x ;", "find . -okdir x ;", "find . -name x", "xargs -exec")

    assert [is_acting(line.split()) for line in lines] == [True, True, False, False]
