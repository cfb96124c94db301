"""What would a hook run, and does it behave as ever when that is run from what was seen?"""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import sys

import pytest

from hookline.handlers.sight import contents
from hookline.handlers.sight.look import look
from hookline.model.handler import Command, Http
from hookline.trust.fingerprint import covers, fingerprint
from tests.unit.trust.support import World, hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process

PYTHON = """#!/usr/bin/env python3
from __future__ import annotations
import os, sys, sibling
print(__name__, os.path.realpath(__file__), sys.argv, sys.path[0], sibling.SAYS, sys.stdin.read())
"""
SHELL = """#!/bin/bash
set -eu
where() { dirname "${BASH_SOURCE[0]}"; }
echo "$0 $(where) $# $* $(cat)"
. "$(dirname "$0")/sibling.sh"
if [[ "${BASH_SOURCE[0]}" == "$0" ]]; then echo "main $LINENO"; fi
"""
NODE = """#!/usr/bin/env node
const says = require('./sibling.js');
console.log(__filename, __dirname, require.main === module, process.argv.slice(1), says, require('fs').readFileSync(0, 'utf8'));
"""
PERL = """#!/usr/bin/perl -w
use strict; use FindBin;
print "$0 $FindBin::Bin @ARGV ", __FILE__, " ", __LINE__, " ", <STDIN>;
"""
FILES = {
    "x.py": PYTHON,
    "sibling.py": "SAYS = 'python'\n",
    "x.sh": SHELL,
    "sibling.sh": "echo sibling\n",
    "x.js": NODE,
    "sibling.js": "module.exports = 'node';\n",
    "x.pl": PERL,
    "data.pl": "print <DATA>;\n__DATA__\nrest\n",
    "odd.sh": "#!/bin/sh -e\nfalse\necho never\n",
    "long.sh": f"#!/bin/sh\n{'# ' + 'x' * 200 + chr(10)!s}" * 1 + "#\n" * 60000 + "echo long\n",
}


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A project with scripts in several languages, and siblings for them."""
    made = World(tmp_path)
    for name, text in FILES.items():
        path = made.project / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
    (made.project / "lib").mkdir()
    return made


def _needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(
        shutil.which(program) is None, reason=f"{program} is not on this machine"
    )


def text(script: str) -> Command:
    """A command for bash."""
    return Command(script=script, shell=("bash",))  # noqa: S604 - a shell that a hook names


@pytest.mark.parametrize(
    "handler",
    [
        Command(argv=("./x.py", "a", "-b")),
        Command(argv=("python3", "x.py", "-b")),
        Command(argv=("python3", "-u", "--", "x.py")),
        Command(argv=("./x.sh", "a", "-b")),
        Command(argv=("bash", "-u", "./x.sh", "q")),
        Command(argv=("./odd.sh",)),
        Command(argv=("./long.sh",)),
        Command(argv=("env", "A=1", "./x.sh")),
        pytest.param(Command(argv=("timeout", "5", "./x.py")), marks=_needs("timeout")),
        pytest.param(Command(argv=("./x.js", "-a", "b")), marks=_needs("node")),
        text("python3 ./x.py a"),
        text('"$HOME/../project"/x.sh "a b" | cat'),
        text("cat | ./x.py --z || true"),
        text("cd lib && ../x.sh a"),
        text(". ./sibling.sh hi"),
        text("exec bash ./x.sh 3"),
        text('bash -c "./x.sh in"'),
        text('./x.sh "$(echo 1)" && echo ok'),
        text("{ time -p ./x.sh; } 2>/dev/null"),
        text("trap './x.sh late' EXIT; true"),
        text("bash -c -- './x.sh in'"),
        text("env A=1 ./x.sh && true"),
        text("sh -s a < odd.sh || echo no"),
        text("PATH=$HOME/../project:$PATH x.py q"),
        pytest.param(text("flock ../lock ./x.sh q"), marks=_needs("flock")),
    ],
    ids=lambda handler: handler.script or " ".join(handler.argv),
)
def test_a_hook_that_is_run_from_what_was_seen_behaves_as_ever(
    world: World, handler: Command
) -> None:
    """Its name, its folder, its siblings, its arguments and its input are the same; its files need not be there any more."""
    run = world.run(hook(handler=handler))
    sight = look(run, world.environ)
    plain = world.perform(run)
    assert sight.sealed is not None
    for name in FILES:
        if name.startswith(("x.", "odd", "long", "data")):
            (world.project / name).write_text("exit 1\n", encoding="utf-8")
    sealed = world.perform(
        run.replace(spec=run.spec.replace(handler=handler.replace(sealed=sight.sealed)))
    )

    assert (sealed.exit_code, sealed.stdout, sealed.stderr) == (
        plain.exit_code,
        plain.stdout,
        plain.stderr,
    )
    assert plain.stdout or plain.exit_code


BASH = "#!/bin/bash\nset -u\n"
MODULE = {"m/package.json": '{"type": "module"}', "m/lib.js": "export const says = 'lib';\n"}
# Scripts that would notice if they were run from anywhere else: command line -> files, the first of which is the script.
IN_PLACE = [
    ("bash", "bash -x ./s.sh 1", {"s.sh": f'{BASH}f() {{ echo "${{BASH_SOURCE[1]}} $1"; }}\nf "$1"\n'}),
    ("node", "node -r ./pre.cjs s.mjs", {"s.mjs": "console.log(globalThis.pre)\n", "pre.cjs": "globalThis.pre = 1;\n"}),
    ("perl", "perl -S ./s.pl", {"s.pl": "print qq($0 @ARGV)"}),
    ("ruby", "ruby s.rb", {"s.rb": "require_relative 'lib'; puts says\n", "lib.rb": "def says = 'lib'\n"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("program", "line", "files"),
    IN_PLACE,
    ids=[f"{line} {at}" for at, (_, line, _) in enumerate(IN_PLACE)],
)
@pytest.mark.parametrize("form", ["words", "text"])
def test_a_script_that_would_notice_runs_from_its_place_and_is_looked_at_again(
    world: World, program: str, line: str, files: dict[str, str], form: str
) -> None:
    """It does what it does without us, and an approval says so."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not on this machine")
    for name, content in files.items():
        path = world.project / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
        path.chmod(0o755)
    handler = Command(argv=tuple(line.split())) if form == "words" else text(line)
    run = world.run(hook(handler=handler))
    sight = look(run, world.environ)
    plain = world.perform(run)
    sealed = world.perform(
        run.replace(spec=run.spec.replace(handler=handler.replace(sealed=sight.sealed)))
    )

    assert (sealed.exit_code, sealed.stdout, sealed.stderr) == (
        plain.exit_code,
        plain.stdout,
        plain.stderr,
    )
    assert plain.exit_code == 0
    assert plain.stdout
    assert sight.watched
    script = os.path.realpath(world.project / next(iter(files)))
    assert any(
        script in told and told.endswith("(run from its place, and looked at again after the run)")
        for told in covers(sight)
    )


# Scripts that ask where they are, and what is beside them.
ASKING = [
    ("node", "node ./s.mjs k", {"s.mjs": "import { says } from './lib.mjs'; console.log(says)\n", "lib.mjs": "export const says = 1;\n"}),
    ("node", "node m/s.js", {"m/s.js": "'use strict'; import { says } from './lib.js'; console.log(says)\n", **MODULE}),
    ("node", "node m/s.js", {"m/s.js": "const { says } = await import('./lib.js'); console.log(says)\n", **MODULE}),
    ("bash", "./s.sh 1", {"s.sh": f'{BASH}f() {{ echo "${{BASH_SOURCE[1]}} $1"; }}\nf "$1"\n'}),
    ("bash", "./s.sh", {"s.sh": f'{BASH}f() {{ echo "${{#BASH_SOURCE[@]}} ${{FUNCNAME[1]}}"; }}\nf\n'}),
    ("bash", "timeout 60 ./s.sh", {"s.sh": f"{BASH}f() {{ caller 0; }}\nf\n"}),
    ("bash", "./s.sh", {"s.sh": f'{BASH}. "$(dirname "$0")/lib/c.sh"\n', "lib/c.sh": 'echo "${BASH_SOURCE[1]}"\n'}),
    ("bash", "bin/s.sh", {"bin/s.sh": f'{BASH}source "${{BASH_SOURCE%/*}}/../lib/c.sh"\n', "lib/c.sh": 'echo "${BASH_SOURCE[1]}"\n'}),
    ("perl", "perl s.pl", {"s.pl": "use FindBin; use lib $FindBin::Bin; use Lib; print Lib::says(<DATA>);\n__DATA__\nrest\n",
                           "Lib.pm": "package Lib; sub says { return @_ } 1;\n"}),
    ("perl", "./s.pl -a", {"s.pl": "#!/usr/bin/env -S perl -w\nuse strict; sub main { print qq($0 @ARGV) } main() unless caller;\n"}),
    ("uv", "./s.py a", {"s.py": "#!/usr/bin/env -S uv run --quiet --script\n# /// script\n# dependencies = []\n# ///\n"
                                "import sys, sibling\nprint(__file__, sys.argv, sibling.SAYS)\n"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("program", "line", "files"),
    ASKING,
    ids=[f"{line} {at}" for at, (_, line, _) in enumerate(ASKING)],
)
@pytest.mark.parametrize("form", ["words", "text"])
def test_a_script_that_asks_where_it_is_is_told_as_ever(
    world: World, program: str, line: str, files: dict[str, str], form: str
) -> None:
    """It is the script that was seen, whatever lies there when it runs."""
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not on this machine")
    if (
        program == "bash"
        and subprocess.run([found, "-c", "((BASH_VERSINFO == 5))"], check=False).returncode
    ):
        pytest.skip("any other bash than 5 runs it from its place")
    for name, content in files.items():
        path = world.project / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
        path.chmod(0o755)
    handler = Command(argv=tuple(line.split())) if form == "words" else text(line)
    run = world.run(hook(handler=handler))
    sight = look(run, world.environ)
    plain = world.perform(run)
    (world.project / next(iter(files))).write_text("exit 1\n", encoding="utf-8")
    sealed = world.perform(
        run.replace(spec=run.spec.replace(handler=handler.replace(sealed=sight.sealed)))
    )

    assert (sealed.exit_code, sealed.stdout, sealed.stderr) == (
        plain.exit_code,
        plain.stdout,
        plain.stderr,
    )
    assert plain.exit_code == 0
    assert plain.stdout
    assert not sight.watched


BARE = 'D=$(dirname "$0"); . "$D/lib.sh"; says "$0" "$@"\n'  # as it is found in many plugins, behind a comment or a trick for Windows


@pytest.mark.parametrize(
    "line",
    [
        "./d/s.sh k",
        "cd d && ./s.sh",
        "env X=1 ./d/s.sh",
        "timeout 60 d/s.sh k; echo $?",
        "echo x | ./d/s.sh",
    ],
)
@pytest.mark.parametrize(
    "first",
    ["# says\n", "\n", "", ": << 'CMD'\n@echo off\nCMD\n"],
    ids=["comment", "blank", "none", "both"],
)
@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_script_without_a_first_line_keeps_its_name_and_its_folder(
    world: World, shell: str, first: str, line: str
) -> None:
    """A shell that is told to run one runs it itself, and so does the C library for programs that run their arguments."""
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not on this machine")
    (world.project / "d").mkdir()
    (world.project / "d/lib.sh").write_text(
        'says() { echo "${BASH_VERSION:+bash} $*"; }\n', encoding="utf-8"
    )
    (world.project / "d/s.sh").write_text(first + BARE, encoding="utf-8")
    (world.project / "d/s.sh").chmod(0o755)
    handler = Command(argv=(found, "-c", line))
    run = world.run(hook(handler=handler))
    sight = look(run, world.environ)
    plain = world.perform(run)
    (world.project / "d/s.sh").write_text("exit 1\n", encoding="utf-8")
    sealed = world.perform(
        run.replace(spec=run.spec.replace(handler=handler.replace(sealed=sight.sealed)))
    )

    assert (sealed.exit_code, sealed.stdout, sealed.stderr) == (
        plain.exit_code,
        plain.stdout,
        plain.stderr,
    )
    assert (plain.exit_code, "s.sh" in str(plain.stdout)) == (0, True)


@pytest.mark.parametrize(
    "line",
    [
        "chmod +x ./s.sh && ./s.sh",
        "chmod 755 s.sh; touch x; ./s.sh",
        "cat ./s.sh >/dev/null; sh s.sh",
    ],
)
def test_what_is_named_before_it_is_run_is_held_all_the_same(world: World, line: str) -> None:
    """Nothing of it runs from its place, so that nothing is looked at again: its times may change."""
    (world.project / "s.sh").write_text("#!/bin/sh\nexit 2\n", encoding="utf-8")
    (world.project / "s.sh").chmod(0o755)
    sight = look(world.run(hook(handler=text(line))), world.environ)

    assert (sight.watched, [file.way for file in sight.files if file.way]) == (False, [])
    assert sight.sealed is not None


def test_a_variable_that_bash_runs_a_file_by_is_minded(world: World) -> None:
    """Also where the hook's own text sets it: such a bash is given a text, as any shell."""
    (world.project / "first").write_text('echo "${BASH_SOURCE[0]} $0"\n', encoding="utf-8")
    (world.project / "s.sh").write_text("#!/bin/bash\necho $0\n", encoding="utf-8")
    for script in (
        "BASH_ENV=./first bash ./s.sh",
        "export BASH_ENV=./first; bash ./s.sh",
        "env BASH_ENV=./first bash ./s.sh",
    ):
        handler = text(script)
        run = world.run(hook(handler=handler))
        plain = world.perform(run)
        sealed = world.perform(
            run.replace(
                spec=run.spec.replace(
                    handler=handler.replace(sealed=look(run, world.environ).sealed)
                )
            )
        )

        assert (sealed.exit_code, sealed.stdout, sealed.stderr) == (plain.exit_code, plain.stdout, plain.stderr) == (
            0, "./first ./s.sh\n./s.sh\n", "",
        )  # fmt: skip


@pytest.mark.parametrize(
    ("program", "line", "script"),
    [
        (
            "bash",
            "./s.sh",
            '#!/bin/bash\nset -u\nf() { echo "${BASH_SOURCE[0]%/*} ${BASH_SOURCE:-} ${FUNCNAME[0]}"; }\nf\n',
        ),
        (
            "node",
            "node s.js",
            "import('./lib.mjs').then(m => console.log(m.says, __filename, require('./sibling.js')));\n",
        ),
        (
            "node",
            "node --no-warnings s.js",
            "const f = async () => { await 1; console.log(__filename); };\nf();\n",
        ),
    ],
)
def test_what_a_loader_serves_as_well_is_the_bytes_that_were_seen(
    world: World, program: str, line: str, script: str
) -> None:
    """Whatever lies at the path by then."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not on this machine")
    path = world.project / line.rsplit(maxsplit=1)[-1]
    (world.project / "lib.mjs").write_text("export const says = 1;\n", encoding="utf-8")
    path.write_text(script, encoding="utf-8")
    path.chmod(0o755)
    handler = Command(argv=tuple(line.split()))
    run = world.run(hook(handler=handler))
    sight = look(run, world.environ)
    plain = world.perform(run)
    path.write_text("exit 1\n", encoding="utf-8")
    sealed = world.perform(
        run.replace(spec=run.spec.replace(handler=handler.replace(sealed=sight.sealed)))
    )

    assert (
        (sealed.exit_code, sealed.stdout, sealed.stderr)
        == (plain.exit_code, plain.stdout, plain.stderr)
        != (1, "", "")
    )
    assert not sight.watched


OLD = [
    path
    for path in [
        shutil.which("python2") or "",
        *glob.glob(os.path.expanduser("~/.pyenv/versions/2.*/bin/python2.7")),
    ]
    if path
]


def test_a_script_for_an_old_python_runs_as_ever(world: World) -> None:
    """The loader is read by any Python."""
    runs = [
        path
        for path in OLD
        if subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0
    ]
    if not runs:
        pytest.skip("python2 is not on this machine")
    (world.project / "old.py").write_text(
        "import sys, sibling\nprint sibling.SAYS, __file__, sys.argv\n", encoding="utf-8"
    )
    handler = Command(argv=(runs[0], "old.py", "a"))
    run = world.run(hook(handler=handler))
    sealed = run.replace(
        spec=run.spec.replace(handler=handler.replace(sealed=look(run, world.environ).sealed))
    )

    outcome = world.perform(sealed)
    assert (outcome.exit_code, outcome.stdout) == (
        0,
        f"python {world.project}/old.py ['old.py', 'a']\n",
    ), outcome.stderr


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler is on this machine")
def test_a_binary_runs_from_memory_under_its_own_name(world: World) -> None:
    """What lies at its path by then is not looked at."""
    source = world.folder / "b.c"
    source.write_text(
        "#include <stdio.h>\nint main(int c, char **v) { puts(v[0]); return 0; }\n",
        encoding="utf-8",
    )
    subprocess.run(
        [shutil.which("cc") or "", "-o", str(world.project / "b"), str(source)], check=True
    )
    run = world.run(hook("./b"))
    sight = look(run, world.environ)
    assert sight.sealed is not None
    shutil.copy("/bin/false", world.project / "b")
    outcome = world.perform(
        run.replace(spec=run.spec.replace(handler=Command(argv=("./b",), sealed=sight.sealed)))
    )

    assert (outcome.exit_code, outcome.stdout) == (0, "./b\n")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it runs from a copy")
@pytest.mark.parametrize(
    ("script", "name"),
    [
        ("tools/wc", "wc"),
        ("timeout 60 tools/wc", "wc"),
        ('"$PROJECT"/tools/wc', "wc"),
        ("sleep 0; tools/wc", "wc"),
        ("tools/o\\'clock", ""),
    ],
)
def test_a_program_of_many_names_is_called_by_the_one_that_was_typed(
    world: World, script: str, name: str
) -> None:
    """By a link that ends with it, and leads to whatever is handed over; a name that no text can have is not used."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler is on this machine")
    source = world.folder / "b.c"
    source.write_text(
        "#include <stdio.h>\nint main(int c, char **v) { puts(v[0]); return 0; }\n",
        encoding="utf-8",
    )
    (world.project / "tools").mkdir()
    subprocess.run(
        [shutil.which("cc") or "", "-o", str(world.project / "tools/all"), str(source)], check=True
    )
    for link in ("wc", "o'clock"):
        (world.project / "tools" / link).symlink_to("all")
    world.environ["PROJECT"] = str(world.project)
    run = world.run(hook(handler=text(script)))
    sealed = look(run, world.environ).sealed
    assert sealed is not None
    outcome = world.perform(
        run.replace(spec=run.spec.replace(handler=run.spec.handler.replace(sealed=sealed)))
    )
    folder, _, called = outcome.stdout.strip().rpartition("/")

    if name:
        assert (called, os.readlink(outcome.stdout.strip())) == (
            name,
            f"/proc/self/fd/{os.path.basename(folder)}",
        )
    else:
        assert folder == "/proc/self/fd"


def a_reader(world: World) -> str:
    """A program of the project that tells what it is, by the path that the kernel knows; skipped where this machine's goes by its name."""
    path = world.project / "bin/guard"
    path.parent.mkdir()
    shutil.copy(shutil.which("readlink") or pytest.skip("readlink is not on this machine"), path)
    if (
        subprocess.run([path, "/proc/self/exe"], capture_output=True, text=True, check=False).stdout
        != f"{path}\n"
    ):
        pytest.skip("this readlink is one of many in one file")
    return str(path)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it runs from a copy")
@pytest.mark.parametrize(
    "handler",
    [
        Command(argv=("bin/guard", "/proc/self/exe")),
        Command(argv=("timeout", "60", "bin/guard", "/proc/self/exe")),
        text("bin/guard /proc/self/exe"),
        text('"$PROJECT"/bin/guard /proc/self/exe 2>/dev/null || true'),
        text('cd "$PROJECT" && exec env A=1 ./bin/guard /proc/self/exe'),
        text("if [ -x bin/guard ]; then date >/dev/null; cat | bin/guard /proc/self/exe | cat; fi"),
        text("sh -c 'bin/guard /proc/self/exe'"),
        text("nohup nice bin/guard /proc/self/exe"),
    ],
    ids=str,
)
def test_a_binary_is_its_own_file_and_finds_what_lies_beside_it(
    world: World, handler: Command
) -> None:
    """While nobody can write it. What took its place since the look is never run: then the verified bytes run from memory."""
    path = a_reader(world)
    world.environ["PROJECT"] = str(world.project)
    run = world.run(hook(handler=handler))
    sealed = look(run, world.environ).sealed
    assert sealed is not None
    run = run.replace(spec=run.spec.replace(handler=handler.replace(sealed=sealed)))
    outcomes = [world.perform(run)]
    for swap in (
        lambda: shutil.copy("/bin/false", path),
        lambda: os.replace(shutil.copy("/bin/false", f"{path}.new"), path),
    ):
        swap()
        outcomes.append(world.perform(run))
    first, *others = [(outcome.exit_code, outcome.stdout) for outcome in outcomes]

    assert first == (0, f"{path}\n"), outcomes[0].stderr
    assert [(code, path in said) for code, said in others] == [(0, False)] * 2


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it runs from a copy")
@pytest.mark.parametrize(
    "handler",
    [
        text("sleep 0; bin/guard /proc/self/exe"),
        text("flock lock bin/guard /proc/self/exe"),
        text("bin/guard /proc/self/exe; bin/guard /"),
    ],
    ids=str,
)
def test_a_binary_that_waits_for_others_runs_from_memory(world: World, handler: Command) -> None:
    """They may take long, and may write it: whoever writes is not kept waiting."""
    path = a_reader(world)
    run = world.run(hook(handler=handler))
    sealed = look(run, world.environ).sealed
    assert sealed is not None
    outcome = world.perform(
        run.replace(spec=run.spec.replace(handler=handler.replace(sealed=sealed)))
    )

    assert outcome.stdout
    assert path not in outcome.stdout


@pytest.mark.parametrize(
    ("handler", "files", "unseen", "missing"),
    [
        (text("jq -c ."), {}, (), ()),
        (text("$NONE/x.sh"), {}, ("what a program does that only the shell can name",), ()),
        (text("test -x ./opt && ./opt"), {}, ("`./opt` was not found",), ()),
        (text("cd $(pwd) && ./x.sh"), {}, ("`./x.sh`: from which folder is only known when it runs",), ()),
        (text("cat <<E | ./x.sh\nE"), {"x.sh": "program"}, ("what the shell text runs: it cannot be read for sure",), ()),
        (text('python3 "$NONE"'), {}, ("what `python3` runs is only known when it runs",), ()),
        (text('eval "./x.sh"'), {"x.sh": "program"}, ("what a program does that only the shell can name",), ()),
        (text(". sibling.sh"), {"sibling.sh": "sourced"}, ("what `. sibling.sh` reads",), ()),
        (Command(argv=("python3", "-m", "guard")), {}, ("the module after `-m` is found by `python3`",), ()),
        (Command(argv=("./none",)), {}, (), ("`./none` was not found",)),
        (Command(argv=("python3", "none.py")), {}, (), ("`none.py` was not found, or is no file that can be read",)),
        (Command(script="x", shell=("no-such-shell",)), {}, (), ("none of the shells `no-such-shell` is on this machine",)),  # noqa: S604 - as above
        (Command(argv=("./x.py",)), {"x.py": "program"}, (), ()),
        (Command(argv=("sh", "x.sh")), {"x.sh": "script"}, (), ()),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_seen_and_what_is_not_is_told(
    world: World, handler: Command, files: dict[str, str], unseen: object, missing: object
) -> None:
    """Interpreters apart, which are known by their place."""
    sight = look(world.run(hook(handler=handler)), world.environ)
    found = {
        os.path.relpath(file.real, world.project): file.role
        for file in sight.files
        if file.role != "interpreter"
    }

    assert (found, sight.open, sight.missing) == (files, unseen, missing)


def test_what_is_no_command_has_nothing_to_be_seen(world: World) -> None:
    """Its definition is all of it."""
    assert look(world.run(hook(handler=Http(url="https://x/"))), world.environ).files == ()


def test_a_file_that_may_not_be_executed_is_not_made_to_run(world: World) -> None:
    """It fails as it would have."""
    (world.project / "x.sh").chmod(0o644)

    assert look(world.run(hook("./x.sh")), world.environ).sealed is None


def covered(world: World, handler: Command, **fields: object) -> dict[str, str]:
    """The files of the project that a hook's approval is of, each with its role."""
    sight = look(world.run(hook(handler=handler, **fields)), world.environ)
    inside = [file for file in sight.files if file.real.startswith(f"{world.project}/")]
    return {os.path.relpath(file.real, world.project): file.role for file in inside}


@pytest.mark.parametrize(
    ("script", "files"),
    [
        ("command -p ./x.sh", {"x.sh": "program"}),
        ("command -v ./x.sh", {}),
        ("bash -c -e ./x.sh", {"x.sh": "program"}),
        ("bash -co pipefail ./x.sh", {"x.sh": "program"}),
        ("bash < x.sh", {"x.sh": "script"}),
        ("sh -s < x.sh", {"x.sh": "script"}),
        ("bash >/dev/null ./x.sh", {"x.sh": "script"}),
        ("cat x.sh | sh", {"x.sh": "fed"}),
        ("cat data.txt | sh", {"data.txt": "fed"}),
        ("cat ./data.txt | grep -q x && cat x.sh | sh", {"x.sh": "fed", "data.txt": "named"}),
        ("jq . | sh; exit 2", {}),
        ("cat data.txt", {}),
        ("cat x.sh | tee -a odd.sh | sh", {"x.sh": "fed"}),
        ("echo ./x.sh | sh", {"x.sh": "fed"}),
        ("{ bash; } < x.sh", {"x.sh": "fed"}),
        ("bash -c sh < x.sh", {"x.sh": "fed"}),
        ("source <(cat x.sh)", {"x.sh": "fed"}),
        ("echo ./x.sh | xargs sh", {"x.sh": "named"}),
        ("setarch -R ./x.sh", {"x.sh": "program"}),
        ("script -qc './x.sh a' /dev/null", {"x.sh": "program"}),
        ("run-parts ./parts", {"parts/a": "script"}),
        ("make -C parts -f a", {"parts/a": "script"}),
        ("awk -f data.txt", {"data.txt": "script"}),
        ('G=./x.sh; L=./odd.sh; $G "$L"', {"x.sh": "program", "odd.sh": "named"}),
        ('G=./data.txt; sh "${G}"', {"data.txt": "program"}),
        ("cat <<E | sh ./data.txt\n./2\nE", {"data.txt": "program", "2": "program"}),
        ("env -C parts ./a", {"parts/a": "program"}),
        ("env -vS './x.sh a'", {"x.sh": "program"}),
        ("env --split-string=./x.sh", {"x.sh": "program"}),
        ("BASH_ENV=./data.txt bash -c true", {"data.txt": "loaded"}),
        ("env BASH_ENV=./data.txt bash -c true", {"data.txt": "loaded"}),
        ("export BASH_ENV=./data.txt; bash -c true", {"data.txt": "loaded"}),
        ("PATH=parts:$PATH a", {"parts/a": "program"}),
        ("PATH=./parts:$PATH; a", {"parts/a": "program"}),
        ("""awk 'BEGIN{system("./x.sh")}'""", {"x.sh": "program"}),
        ("""perl -e 'do "./x.pl"'""", {"x.pl": "named"}),
        ("""python3 -c 'import sibling'""", {"sibling.py": "named"}),
        ("python3 -m sibling", {"sibling.py": "module"}),
        ("python3 -m pk.c", {"pk/__init__.py": "module", "pk/c.py": "module"}),
        ("exit 2", {}),
        ("return 2; set -- 2; export A=2; read 2; kill -s 2 3", {}),
        ("unset -f ./2; wait ./2; local x=./2", {"2": "named"}),
        ("git log; x.sh 2", {}),
        ("sh ./odd.sh 2 ./2", {"odd.sh": "script", "2": "named"}),
        ("ENV=2 ./odd.sh", {"odd.sh": "program"}),
        ("python3 -c 1 && rm -f x.sh", {}),
        ("alias l=./x.sh; true", {"x.sh": "named"}),
        ("./odd.sh --also=./x.sh", {"odd.sh": "program", "x.sh": "named"}),
        ("./odd.sh data.txt", {"odd.sh": "program"}),
    ],
)  # fmt: skip
def test_what_is_run_on_the_way_is_covered(
    world: World, script: str, files: dict[str, str]
) -> None:
    """By keywords, redirections, pipes, variables, options and programs that run their arguments; no file that is only read or written."""
    (world.project / "parts").mkdir()
    world.script("a", path=world.project / "parts/a")
    (world.project / "data.txt").write_text("true\n", encoding="utf-8")
    (world.project / "pk").mkdir()
    for name in ("pk/__init__.py", "pk/c.py"):
        (world.project / name).write_text("", encoding="utf-8")
    for name in ("2", "3", "log"):
        world.script("a", path=world.project / name)

    assert covered(world, text(script)) == files


@pytest.mark.parametrize(
    "script",
    [
        "python3 -c 'import types, re, mine; print(1)'",
        "python3 -m json.tool --help",
        "env python3 -m json.tool -h",
        "echo -h | xargs python3 -m json.tool",
        "find . -maxdepth 0 -exec python3 -m json.tool -h \\;",
    ],
)
@pytest.mark.parametrize("scope", ["user", "project"])
def test_a_users_python_code_imports_nothing_of_a_project(
    world: World, script: str, scope: str
) -> None:
    """A clone may hold modules of any name: with them it neither runs in the user's hook nor switches it off."""
    for name in ("types", "json", "re", "mine"):
        (world.project / f"{name}.py").write_text(
            "open('ran', 'w').write(__name__)\n", encoding="utf-8"
        )
    world.environ["PATH"] = f"{world.folder}/bin:{world.environ['PATH']}"
    (world.folder / "bin").mkdir()
    (world.folder / "bin/python3").symlink_to(os.path.realpath(sys.executable))
    handler = text(script)
    run = world.run(hook(handler=handler, scope=scope))
    sight = look(run, world.environ, str(world.project))
    found = {
        os.path.basename(file.real)
        for file in sight.files
        if file.real.startswith(f"{world.project}/")
    }
    if scope == "user":
        world.perform(
            run.replace(spec=run.spec.replace(handler=handler.replace(sealed=sight.sealed)))
        )

    assert bool(found) == (scope == "project")
    assert not (world.project / "ran").exists()


def test_what_is_named_is_seen_from_the_projects_folder_too(world: World) -> None:
    """A hook may go there."""
    (world.project / "sub").mkdir()
    run = world.run(hook(handler=text(f"{world.project}/odd.sh ./x.sh")))
    run = run.replace(event=run.event.replace(cwd=str(world.project / "sub")))
    named = [
        file.real
        for file in look(run, world.environ, str(world.project)).files
        if file.role == "named"
    ]

    assert named == [str(world.project / "x.sh")]


def test_what_the_users_path_leads_to_is_marked(world: World) -> None:
    """A program, its interpreter, and the interpreter of a script; not what a text adds to the path, nor what it names."""
    world.script("a", path=world.project / "bin")
    (world.project / "lib/own").symlink_to(world.project / "bin")
    world.environ["PATH"] = f"{world.project}/lib:{world.environ['PATH']}"

    def chosen(script: str) -> list[bool]:
        files = look(world.run(hook(handler=text(script))), world.environ).files
        return [file.chosen for file in files if file.real == str(world.project / "bin")]

    assert [chosen(each) for each in ("own", "lib/own", "PATH=.:$PATH bin")] == [
        [True],
        [False],
        [False],
    ]


@pytest.mark.parametrize("name", ["timeout", "env", "nice", "nohup", "setsid", "time", "flock"])
def test_a_file_with_the_name_of_a_wrapper_is_what_it_is(world: World, name: str) -> None:
    """Only the system's own run their arguments and are nothing themselves."""
    world.script("a", path=world.project / name)

    assert covered(world, Command(argv=(f"./{name}", "5", "/bin/true"))) == {name: "program"}
    assert covered(world, text(f"env ./{name} 5 ./x.sh")) == {name: "program", "x.sh": "named"}


def _same_size(path: Path) -> None:
    """Another content of the same length, with the same times."""
    found = path.stat()
    path.write_bytes(path.read_bytes().swapcase())
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))


@pytest.mark.parametrize("name", ["python3", "bash", "node"])
def test_a_script_with_the_name_of_an_interpreter_is_a_script(world: World, name: str) -> None:
    """It is read, and runs as it was read."""
    world.script("a", path=world.project / name)
    handler = Command(argv=(f"./{name}", "./x.sh"))
    files = covered(world, handler)
    sight = look(world.run(hook(handler=handler)), world.environ)
    assert sight.sealed is not None
    (world.project / name).write_text("exit 1\n", encoding="utf-8")
    outcome = world.perform(world.run(hook(handler=handler.replace(sealed=sight.sealed))))

    assert files == {name: "program", "x.sh": "named"}
    assert (outcome.exit_code, world.ran()) == (0, ["a"])


@pytest.mark.parametrize("large", [False, True])
def test_an_interpreter_that_came_along_is_known_by_its_bytes(
    world: World, monkeypatch: pytest.MonkeyPatch, *, large: bool
) -> None:
    """However large it is; the same bytes are the same, whatever their times."""
    monkeypatch.setattr("hookline.handlers.sight.covering._HASHED", 0 if large else 1 << 20)
    interpreter = world.script("a", path=world.project / "interp")
    script = world.project / "y"
    script.write_text(f"#!{interpreter}\n", encoding="utf-8")
    script.chmod(0o755)
    run = world.run(hook("./y"))

    def seen() -> set[tuple[str, str]]:
        return {(file.role, file.digest) for file in look(run, world.environ).files}

    before = seen()
    os.utime(interpreter)
    touched = seen()
    _same_size(interpreter)

    assert (touched == before, seen() == before) == (True, False)


def test_a_large_interpreter_of_the_users_is_known_by_what_cannot_be_set_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its inode and the time of its last change, which no program sets."""
    monkeypatch.setattr("hookline.handlers.sight.covering._HASHED", 0)
    interpreter = world.script("a", path=world.home / "interp")
    (world.project / "y").write_text(f"#!{interpreter}\n", encoding="utf-8")
    (world.project / "y").chmod(0o755)

    def mark() -> str:
        return next(
            file.digest
            for file in look(world.run(hook("./y")), world.environ).files
            if file.role == "interpreter"
        )

    before = mark()
    _same_size(interpreter)

    assert before.count(":") == 3
    assert mark() != before


@pytest.mark.parametrize(
    "script",
    [
        "make guard",
        "npx guard",
        "python3 -m nothing.here",
        "cat none | sh",
        "$X",
        "timeout 5 $X",
        "env -S 'a $b'",
        "LD_PRELOAD=$X ./x.sh",
        "eval x",
    ],
)
def test_what_cannot_be_seen_is_said(world: World, script: str) -> None:
    """So that a gate can tell."""
    assert look(world.run(hook(handler=text(script))), world.environ).open


@pytest.mark.parametrize(
    "script",
    [
        "time ./x.sh",
        "jq -c . < data.json",
        "cat x.sh",
        "find . -name x",
        "./x.sh > log",
        "command -v npx",
    ],
)
def test_what_can_be_seen_leaves_nothing_open(world: World, script: str) -> None:
    """A plain hook is approved by its first use."""
    assert look(world.run(hook(handler=text(script))), world.environ).open == ()


def test_a_file_that_a_hook_lists_is_covered(world: World) -> None:
    """One that is not there is told."""
    files = (str(world.project / "sibling.sh"), str(world.project / "none"))
    sight = look(world.run(hook("./x.sh", files=files)), world.environ)

    assert [file.role for file in sight.files if file.real == files[0]] == ["listed"]
    assert sight.open == (f"`{files[1]}`, which it lists, was not found",)


def test_a_carriage_return_is_a_part_of_the_interpreters_name(world: World) -> None:
    """As it is to the kernel, so that the hook runs here if it runs on its host."""
    (world.project / "x.sh").write_bytes(b"#!/bin/sh\r\ntrue\r\n")

    assert look(world.run(hook("./x.sh")), world.environ).missing == (
        "the interpreter of `./x.sh` was not found: its first line ends with a carriage return",
    )


@pytest.mark.parametrize(
    "handler",
    [Command(argv=("python3", "x.py")), Command(argv=("./x.sh",)), Command(argv=("sh", "x.sh"))],
    ids=str,
)
def test_what_is_too_large_to_hold_runs_from_a_copy_of_what_was_seen(
    world: World, monkeypatch: pytest.MonkeyPatch, handler: Command
) -> None:
    """Changed since, it does not run at all, except from a private copy that was made before."""
    monkeypatch.setattr(contents, "LARGEST", 10)
    path = world.script("seen", path=world.project / ("x.py" if "x.py" in handler.argv else "x.sh"))
    if path.suffix == ".py":
        path.write_text(
            "import os\nprint('seen', file=open(os.environ['TRACE'], 'a'))\n", encoding="utf-8"
        )
    run = world.run(hook(handler=handler))
    sealed = run.replace(
        spec=run.spec.replace(handler=handler.replace(sealed=look(run, world.environ).sealed))
    )
    world.perform(sealed)
    world.script("swapped", path=path.with_suffix(".new")).replace(path)
    kept = world.perform(sealed)
    shutil.rmtree(world.folder / "state", ignore_errors=True)
    without = world.perform(sealed)

    assert set(world.ran()) == {"seen"}
    assert kept.exit_code == 0 or "changed since it was looked at" in kept.detail
    assert "changed since it was looked at" in without.detail


# pyenv's are not on the path as such.
_FOUND = [
    *filter(None, map(shutil.which, ("python3.12", "python3.13"))),
    *glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python3")),
]
VERSIONS = [
    path
    for path in _FOUND
    if subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0
]


@pytest.mark.parametrize("python", [sys.executable, *VERSIONS])
@pytest.mark.parametrize("options", [(), ("-E",), ("-u", "-B")], ids=str)
def test_a_python_hook_imports_nothing_from_where_it_happens_to_run(
    world: World, python: str, options: tuple[str, ...]
) -> None:
    """A clone may hold modules of any name; the script's own folder is the first place for its imports, as ever."""
    for name in (
        "linecache",
        "os",
        "sys",
        "io",
        "encodings",
        "runpy",
        "tokenize",
        "zipimport",
        "importlib",
    ):
        (world.project / f"{name}.py").write_text(
            "open('ran', 'w').write(__name__)\n", encoding="utf-8"
        )
    (world.home / "beside.py").write_text("HERE = 1\n", encoding="utf-8")
    (world.home / "guard.py").write_text(
        "import sys, beside\nprint(sys.path[0], __file__, sys.argv)\n", encoding="utf-8"
    )
    handler = Command(argv=(python, *options, str(world.home / "guard.py"), "a"))
    run = world.run(hook(handler=handler))
    plain = world.perform(run)
    sealed = world.perform(
        run.replace(
            spec=run.spec.replace(handler=handler.replace(sealed=look(run, world.environ).sealed))
        )
    )

    assert (sealed.exit_code, sealed.stdout, sealed.stderr) == (
        plain.exit_code,
        plain.stdout,
        plain.stderr,
    )
    assert plain.stdout.startswith(f"{world.home} ")
    assert not (world.project / "ran").exists()


@pytest.mark.parametrize(
    ("program", "name", "code", "traps"),
    [
        (
            "node",
            "guard.js",
            "console.log(require('os').EOL.length)",
            ("fs.js", "path.js", "module.js", "os.js", "node_modules/fs.js"),
        ),
        (
            "perl",
            "guard.pl",
            "use strict; print 1",
            ("strict.pm", "utf8.pm", "IO.pm", "sitecustomize.pl"),
        ),
        ("bash", "guard.sh", "echo 1", ("bash", ".bashrc", ".bash_profile", "echo")),
    ],
)
def test_no_other_interpreter_loads_anything_from_there_either(
    world: World, program: str, name: str, code: str, traps: tuple[str, ...]
) -> None:
    """Whatever their loaders use is built in."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not on this machine")
    (world.project / "node_modules").mkdir()
    for trap in traps:
        (world.project / trap).write_text("exit 7; die; process.exit(7)\n", encoding="utf-8")
    (world.home / name).write_text(code, encoding="utf-8")
    handler = Command(argv=(program, str(world.home / name)))
    run = world.run(hook(handler=handler))
    sealed = world.perform(
        run.replace(
            spec=run.spec.replace(handler=handler.replace(sealed=look(run, world.environ).sealed))
        )
    )

    assert (sealed.exit_code, sealed.stdout.strip(), sealed.stderr) == (0, "1", "")


@pytest.mark.parametrize("name", ["x.py", "x.sh", "odd.sh", "data.pl"])
@pytest.mark.parametrize("shell", [False, True])
def test_a_mode_is_no_part_of_what_is_approved(name: str, world: World, shell: bool) -> None:
    """What a hook runs has the same fingerprint before and after its file is made executable; only then it is run from memory."""
    path = world.project / name
    spec = hook(handler=text(str(path)) if shell else Command(argv=(str(path),)))
    seen = []
    for mode in (0o644, 0o755):
        path.chmod(mode)
        seen.append(look(world.run(spec), world.environ))
    before, after = (fingerprint("the hook", sight) for sight in seen)

    assert before == after
    assert seen[0].missing == seen[1].missing
    assert [sight.sealed is not None for sight in seen] == [
        False,
        shell or name != "data.pl",
    ]  # that has no `#!` line, and a kernel no use for it
