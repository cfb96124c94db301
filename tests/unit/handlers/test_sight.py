"""What would a hook run, and does it behave as ever when that is run from what was seen?"""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from hookline.handlers.sight import look
from hookline.model.handler import Command, Http
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
    "x.mjs": "import fs from 'fs'; console.log(process.argv.slice(2), fs.readFileSync(0, 'utf8'));\n",
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
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not on this machine")


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
        pytest.param(Command(argv=("node", "./x.mjs", "k")), marks=_needs("node")),
        pytest.param(Command(argv=("./x.pl", "-a")), marks=_needs("perl")),
        pytest.param(Command(argv=("perl", "data.pl")), marks=_needs("perl")),
        text("python3 ./x.py a"),
        text('"$HOME/../project"/x.sh "a b" | cat'),
        text("cat | ./x.py --z || true"),
        text("cd lib && ../x.sh a"),
        text(". ./sibling.sh hi"),
        text("exec bash ./x.sh 3"),
        text('bash -c "./x.sh in"'),
        text('./x.sh "$(echo 1)" && echo ok'),
    ],
    ids=lambda handler: handler.script or " ".join(handler.argv),
)
def test_a_hook_that_is_run_from_what_was_seen_behaves_as_ever(world: World, handler: Command) -> None:
    """Its name, its folder, its siblings, its arguments and its input are the same; its files need not be there any more."""
    run = world.run(hook(handler=handler))
    sight = look(run, world.environ)
    plain = world.perform(run)
    assert sight.sealed is not None
    for name in FILES:
        if name.startswith(("x.", "odd", "long", "data")):
            (world.project / name).write_text("exit 1\n", encoding="utf-8")
    sealed = world.perform(run.replace(spec=run.spec.replace(handler=handler.replace(sealed=sight.sealed))))

    assert (sealed.exit_code, sealed.stdout, sealed.stderr) == (plain.exit_code, plain.stdout, plain.stderr)
    assert plain.stdout or plain.exit_code


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler is on this machine")
def test_a_binary_runs_from_memory_under_its_own_name(world: World) -> None:
    """What lies at its path by then is not looked at."""
    source = world.folder / "b.c"
    source.write_text("#include <stdio.h>\nint main(int c, char **v) { puts(v[0]); return 0; }\n", encoding="utf-8")
    subprocess.run([shutil.which("cc") or "", "-o", str(world.project / "b"), str(source)], check=True)
    run = world.run(hook("./b"))
    sight = look(run, world.environ)
    assert sight.sealed is not None
    shutil.copy("/bin/false", world.project / "b")
    outcome = world.perform(run.replace(spec=run.spec.replace(handler=Command(argv=("./b",), sealed=sight.sealed))))

    assert (outcome.exit_code, outcome.stdout) == (0, "./b\n")


@pytest.mark.parametrize(
    ("handler", "files", "unseen", "missing"),
    [
        (text("jq -c ."), {}, (), ()),
        (text("$NONE/x.sh"), {}, ("what a program does that only the shell can name",), ()),
        (text("test -x ./opt && ./opt"), {}, ("`./opt` was not found",), ()),
        (text("cd $(pwd) && ./x.sh"), {}, ("`./x.sh`: from which folder is only known when it runs",), ()),
        (text("cat <<E | ./x.sh\nE"), {}, ("what the shell text runs: it cannot be read for sure",), ()),
        (text('python3 "$NONE"'), {}, ("what `python3` runs is only known when it runs",), ()),
        (text('eval "./x.sh"'), {}, ("what a program does that only the shell can name",), ()),
        (text(". sibling.sh"), {}, ("what `. sibling.sh` reads",), ()),
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
    found = {os.path.relpath(file.real, world.project): file.role for file in sight.files if file.role != "interpreter"}

    assert (found, sight.open, sight.missing) == (files, unseen, missing)


def test_what_is_no_command_has_nothing_to_be_seen(world: World) -> None:
    """Its definition is all of it."""
    assert look(world.run(hook(handler=Http(url="https://x/"))), world.environ).files == ()


def test_a_file_that_may_not_be_executed_is_not_made_to_run(world: World) -> None:
    """It fails as it would have."""
    (world.project / "x.sh").chmod(0o644)

    assert look(world.run(hook("./x.sh")), world.environ).sealed is None
