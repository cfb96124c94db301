"""Does a bash script from memory do what it does from its file, and is it the script that called?"""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from hookline.handlers.sealing import bash
from hookline.handlers.sealing.pieces import Pieces
from hookline.handlers.sight.contents import contents
from tests.unit.handlers.sealing.running import SWAPPED, Ran, Script, both, needs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.process, needs("bash")]


_BASH = shutil.which("bash")
_IS_NEW = (
    _BASH is not None
    and subprocess.run(
        [_BASH, "-c", "((BASH_VERSINFO == 5 && BASH_VERSINFO[1] >= 1 && BASH_VERSINFO[1] <= 3))"],
        check=False,
    ).returncode
    == 0
)
new = pytest.mark.skipif(not _IS_NEW, reason="this is for bash 5.1 to 5.3")
STACK = """st() { local i; for ((i = 0; i < ${#FUNCNAME[@]}; i++)); do echo "${FUNCNAME[$i]} ${BASH_SOURCE[$i]} ${BASH_LINENO[$i]}"; done
  local f=0; while caller $f; do f=$((f + 1)); done; }
"""
LIB = (
    STACK
    + 'lf() { st; "$@"; }\necho "${BASH_SOURCE[0]} ${BASH_SOURCE[1]} ${#BASH_SOURCE[@]}"\n(return 0) && echo sourced\nnosuch\nst\n'
)
SCRIPTS = {
    "all callers": STACK
    + 'f() { st; }\nf\nst\necho "${BASH_SOURCE[@]}|${#BASH_SOURCE[@]}|$BASH_SOURCE|${FUNCNAME[0]}|${BASH_SOURCE[-1]}"\n',
    "a file that it reads": '. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"\ng() { lf st; }\ng\nlf nosuch2\n',
    "traps": "set -eEuo pipefail\n"
    + STACK
    + "trap 'echo \"E $? $LINENO ${BASH_LINENO[*]} ${BASH_SOURCE[*]}\"; st' ERR\nf() {\n  false\n}\n\nf\n",
    "all traps": "trap 'echo d $LINENO' DEBUG; trap 'echo x $? $LINENO' EXIT; trap 'echo r' RETURN\nf() { :; }\n\nf; cd /; exit 4\n",
    "who runs it": '(return 0 2>/dev/null) && echo sourced || echo run\n[[ "$_" != "$0" ]]; if [[ "${BASH_SOURCE[0]}" == "$0" ]]; then echo "main $*"; exit 2; fi\n',
    "the first word": 'echo "$_" "$0" "$#" "$-" "$BASH_EXECUTION_STRING" "$SHLVL" "$?"\n',
    "errors in a function": "f() {\n nosuch\n echo $((1/0))\n}\nf\n",
    "an unset variable": "set -u\nf() {\n echo $nope\n}\nf\n",
    "an unset variable in a place": "set -u\nf() { echo ${BASH_SOURCE[3]-none}; echo ${BASH_SOURCE[3]}; }\nf\n",
    "what must be there": 'f() { : "${nope:?missing}"; }\nf\n',
    "no folder": "cd /none || exit 9\n",
    "where a function is": "f() { :; }; shopt -s extdebug; declare -F f\ndeclare -p BASH_SOURCE FUNCNAME BASH_LINENO BASH_ARGV0; type f\n",
    "variables": "compgen -v | grep BASH; env | grep -c '^BASH_SOURCE\\|^HOOKLINE_S'; shopt -p; set -o; alias; ls /proc/self/fd 2>/dev/null | wc -l\n",
    "arguments": 'echo "${BASH_ARGV[@]} ${BASH_ARGC[@]}"; while getopts "b:" o; do echo "$o"; done; shift; echo $#\n',
    "tracing": "PS4='+${BASH_SOURCE[0]}:$LINENO:${FUNCNAME[0]}: '\nset -x\nf() { echo 1; }\nf\n",
    "a part of it": '( f() { echo "${BASH_SOURCE[@]}"; nosuch; }; f )\nx=$(f() { caller; }; f); echo $x; bash -c \'echo "$BASH_SOURCE|$0"\'\n',
    "what comes late": "echo a\nexit 3\nif then garbage (((\n",
    "its input": 'read x; echo "$x"; cat\n',
    "documents": "cat <<E\n$LINENO $0\nE\necho $LINENO\n",
    "jobs": "sleep 0.01 & wait $!; echo $?; coproc cat; echo hi >&${COPROC[1]}; read y <&${COPROC[0]}; echo $y; kill -TERM $$\n",
    "carriage returns": "echo a\r\necho b\r\n",
    "no end of line": "echo a",
    "a name of its own": 'BASH_ARGV0=zz; echo "$0"; f() { nosuch; }; f\n',
    "more than a word holds": "# " + "x" * 200_000 + "\nf() {\n nosuch; caller; }\nf\n",
}
READING = {
    "itself": 'sed \'1,/^__DATA__/d\' "$0"; sed -n 1p "${BASH_SOURCE[0]}"; exit\n__DATA__\ndata (((\n',
    "itself again": '[ -n "$A" ] && { echo "again $0 $BASH_SOURCE"; exit; }\nA=1 exec "$0"\n',
}


def script(folder: Path, text: str, name: str = "x.sh") -> Script:
    """A script beside a library."""
    (folder / "lib.sh").write_text(LIB, encoding="utf-8")
    return Script(folder, name, text)


@new
@pytest.mark.parametrize("first", ["#!/bin/bash\n", "\n"], ids=["line", "blank"])
@pytest.mark.parametrize("text", SCRIPTS.values(), ids=SCRIPTS)
def test_it_does_what_it_does_from_its_file(tmp_path: Path, text: str, first: str) -> None:
    """Output, errors with their lines, and exit code, with another file in its place."""
    plain, sealed = both(script(tmp_path, first + text), "shell", ["bash"], ["a", "-b"])

    assert sealed == plain


@new
@pytest.mark.parametrize("text", READING.values(), ids=READING)
def test_it_reads_what_lies_there(tmp_path: Path, text: str) -> None:
    """By the name that it has."""
    plain, sealed = both(script(tmp_path, "#!/bin/bash\n" + text), "shell", ["bash"], reads=True)

    assert sealed == plain


@new
@pytest.mark.parametrize(
    "before",
    [
        ["bash", "-eu"],
        ["bash", "-euo", "pipefail"],
        ["bash", "-O", "extglob", "+B"],
        ["bash", "--posix", "--"],
        ["/bin/bash", "-p"],
    ],
    ids=str,
)
def test_options_mean_what_they_mean(tmp_path: Path, before: list[str]) -> None:
    """Also under other names, and by its whole path."""
    for name in ("it's.sh", "a b;$x.sh", "-x=1.sh", "ü.sh"):
        made = script(
            tmp_path,
            '#!/bin/bash\nf() { echo "$0 ${BASH_SOURCE[*]} $- $SHELLOPTS $_"; caller; }\nf\nnosuch\necho $?\n',
            name,
        )
        plain, sealed = both(made, "shell", before, shown=str(made.path))

        assert sealed == plain


@new
def test_a_bare_name_is_found_as_ever(tmp_path: Path) -> None:
    """In the working folder."""
    plain, sealed = both(
        script(tmp_path, '#!/bin/bash\necho "$0 $BASH_SOURCE"\n'), "shell", ["bash"], shown="x.sh"
    )

    assert (sealed, plain.told[:2]) == (plain, (0, "x.sh x.sh\n"))


def by_bash(
    made: Script, before: list[str], env: dict[str, str] | None = None, program: str | None = None
) -> list[str] | None:
    """The words that run a script as one, if there are such."""
    read = contents(str(made.path))
    assert read is not None
    given = program or shutil.which("bash") or ""
    return bash.sealed([*before, "./x.sh"], read, Pieces(env or {}, lambda _: given))


@new
def test_what_bash_would_tell_of_it_is_run_in_another_way(tmp_path: Path) -> None:
    """Options that show what is run, variables that run something first, and what is read before any of it is run."""
    made = script(tmp_path, "#!/bin/bash\n:\n")

    assert by_bash(made, ["bash", "-e"]) is not None
    for options in (
        ["-x"],
        ["-ev"],
        ["-o", "xtrace"],
        ["-n"],
        ["-i"],
        ["-l"],
        ["-a"],
        ["-O", "extdebug"],
        ["-o"],
    ):
        assert by_bash(made, ["bash", *options]) is None
    for name in ("BASH_ENV", "SHELLOPTS", "BASHOPTS", "BASH_SOURCE"):
        assert by_bash(made, ["bash"], {name: ""}) is None
    assert by_bash(script(tmp_path, "f() { caller; }; f\n"), ["bash"]) is None


def test_a_bash_is_known_by_what_it_says_of_itself(tmp_path: Path) -> None:
    """An old one, one that is not known yet, and what is none, run a script in the way of any shell."""
    made = script(tmp_path, "#!/bin/bash\n:\n")
    for name, said, runs in (
        ("old", b"\0@(#)Bash version 3.2.57(1) release GNU\0", False),
        ("untried", b"\0@(#)Bash version 5.0.17(1) release GNU\0", False),
        ("new", b"\0@(#)Bash version 5.2.15(1) release GNU\0", True),
        ("newer", b"\0@(#)Bash version 5.31.1(1) release GNU\0", False),
        ("later", b"\0@(#)Bash version 10.1\0", False),
        ("none", b"#!/bin/sh\nexec dash\n", False),
        ("empty", b"", False),
    ):
        (tmp_path / name).write_bytes(said)
        assert (by_bash(made, ["bash"], program=str(tmp_path / name)) is not None) is runs, name
    assert by_bash(made, ["bash"], program=str(tmp_path / "nowhere")) is None


@new
def test_a_first_line_that_is_no_comment_runs_as_a_text(tmp_path: Path) -> None:
    """Where it asks for no caller."""
    plain, sealed = both(
        script(tmp_path, 'echo "$0 ${BASH_SOURCE[0]} $*"; exit 3\n'), "shell", ["bash"], ["a"]
    )

    assert (sealed, plain) == (plain, Ran(3, "./x.sh ./x.sh a\n"))
    assert script(tmp_path, "f() { caller; }; f\n").sealed("shell", ["bash"]) is None


@new
def test_no_variable_is_left_to_what_it_starts(tmp_path: Path) -> None:
    """Nor is the descriptor."""
    made = script(tmp_path, "#!/bin/bash\nenv | grep -c BASH_; ls -l /dev/fd/ | grep -c memfd\n")
    plain, sealed = both(made, "shell", ["bash"])

    assert (sealed, plain.told[1]) == (plain, "0\n0\n")
    assert made.path.read_text(encoding="utf-8") == SWAPPED
    assert "BASH_SOURCE" not in os.environ
