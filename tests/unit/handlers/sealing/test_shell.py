"""Does a shell's script as a text do what it does from its file, and which one would notice?"""

from __future__ import annotations

import pytest

from hookline.handlers.sealing.shell import notices
from hookline.handlers.sight.contents import contents
from tests.unit.handlers.sealing.running import Script, both, needs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from hookline.handlers.sight.contents import Contents

SCRIPTS = {
    "its name and its words": 'echo "$0 $# $* $(dirname "$0")"; shift; echo "$1"\n',
    "errors": "echo a\n\nnosuch\ncd /none || exit 9\n",
    "errors in a function": "f() {\n nosuch\n}\nf\n",
    "an unset variable": "set -u\nf() {\n echo $nope\n}\nf\n",
    "what must be there": 'f() { : "${nope:?missing}"; }\nf\n',
    "what cannot be read": "echo a\nif true; fi\n",
    "what comes late": "echo a\nexit 3\nif then garbage (((\n",
    "who runs it": "(return 0 2>/dev/null) && echo sourced || echo run\nreturn 3\necho after\n",
    "traps": "trap 'echo x $?' EXIT\ncd /; exit 4\n",
    "its input": 'read x; echo "$x"; cat\n',
    "documents": 'cat <<E\n$0\nE\ncat <<"E"\nx\nE\n',
    "options": 'set -e; case $- in *e*) echo e;; esac; while getopts "ab:" o; do echo "$o"; done\n',
    "tracing": "set -x\nf() { echo 1; }\nf\n",
    "no end of line": "echo a # x",
    "nothing": "",
}


def read(folder: Path, name: str, text: str) -> Contents:
    """A script that was read."""
    (folder / name).write_text(text, encoding="utf-8")
    found = contents(str(folder / name))
    assert found is not None
    return found


@pytest.mark.process
@needs("dash")
@pytest.mark.parametrize("before", [["dash"], ["dash", "-e"], ["dash", "-u", "--"]], ids=str)
@pytest.mark.parametrize("text", SCRIPTS.values(), ids=SCRIPTS)
def test_it_does_what_it_does_from_its_file(tmp_path: Path, text: str, before: list[str]) -> None:
    """Output, errors and exit code, with another file in its place."""
    plain, sealed = both(Script(tmp_path, "x.sh", text), "shell", before, ["a", "-b"])

    assert sealed == plain


@pytest.mark.parametrize(
    ("shell", "text", "is_noticed"),
    [
        (
            "bash",
            'cd "${BASH_SOURCE[0]%/*}" && echo "$BASH_SOURCE ${BASH_SOURCE:-} ${FUNCNAME[0]}"',
            False,
        ),
        ("bash", 'echo "${BASH_SOURCE[1]}"', True),
        ("bash", 'echo "${#BASH_SOURCE[@]}"', True),
        ("bash", 'echo "${BASH_SOURCE[$i]}"', True),
        ("bash", 'echo "${FUNCNAME[1]}"', True),
        ("bash", 'echo "${FUNCNAME[@]}"', True),
        ("bash", "f() { caller 0; }", True),
        ("bash", 'at=$(caller) || echo "${BASH_LINENO[0]}"', True),
        ("bash", "echo the caller; mycaller", False),
        ("bash", ". ./lib.sh", True),
        ("bash", 'source "$(dirname "$0")/lib.sh"', True),
        ("bash", "if true; then . ./lib.sh; fi", True),
        ("bash", ". ./plain.sh", False),
        ("bash", "#" * 100_001 + "\necho $BASH_SOURCE", True),
        ("sh", "#" * 100_001 + "\necho $0", False),
        ("sh", "#" * 100_001 + "\n( return 0 ) && echo sourced", True),
        ("sh", "(return 0) && echo sourced", False),
        ("zsh", "echo ${(%):-%x}", True),
        ("bash", "date +%N", False),
    ],
)
def test_a_text_is_no_caller(shell: str, text: str, is_noticed: bool, tmp_path: Path) -> None:
    """A script may ask for its own name; what asks who called, itself or by a file beside it, would notice."""
    read(tmp_path, "lib.sh", 'echo "${BASH_SOURCE[1]}"')
    read(tmp_path, "plain.sh", 'echo "${BASH_SOURCE[0]}"')

    assert notices(shell, read(tmp_path, "x.sh", text)) is is_noticed


def test_what_shows_what_is_run_shows_nothing_of_ours(tmp_path: Path) -> None:
    """Where the script's text has to be another one."""
    plain = Script(tmp_path, "x.sh", "echo $0\n")
    asking = Script(tmp_path, "y.sh", "echo $BASH_SOURCE\n")

    for options in (["-x"], ["-ev"], ["-o", "xtrace"]):
        assert plain.sealed("shell", ["bash", *options]) is not None
        assert asking.sealed("shell", ["bash", *options]) is None
    assert asking.sealed("shell", ["bash"]) is not None
