"""Is what an interpreter loads by a name seen, or kept out of a user's hook?"""

from __future__ import annotations

import os
import shutil
import sys

import pytest

from hookline.handlers.sight.look import look
from hookline.model.handler import Command
from tests.unit.trust.support import World, hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A project with modules of several languages, a user's scripts, and interpreters by their names."""
    made = World(tmp_path)
    for name in (
        "x.js",
        "x/index.js",
        "node_modules/evil/index.js",
        "Evil.pm",
        "x.rb",
        "x.lua",
        "json.py",
    ):
        (made.project / name).parent.mkdir(parents=True, exist_ok=True)
        (made.project / name).write_text("", encoding="utf-8")
    for name in ("hook.js", "hook.pl", "hook.rb", "hook.py"):
        (made.home / name).write_text("", encoding="utf-8")
    (made.folder / "bin").mkdir()
    for name in ("node", "perl", "ruby", "lua", "bun", "tsx"):
        if shutil.which(name) is None:
            made.script("a", path=made.folder / "bin" / name)
    (made.folder / "bin/python3").symlink_to(os.path.realpath(sys.executable))
    made.environ["PATH"] = f"{made.folder}/bin:{made.environ['PATH']}"
    return made


def seen(world: World, line: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """The files of the project by their role, and what is open."""
    handler = Command(script=line, shell=("bash",))  # noqa: S604 - a shell that a hook names
    sight = look(world.run(hook(handler=handler, scope="user")), world.environ, str(world.project))
    ours = [file for file in sight.files if file.real.startswith(f"{world.project}/")]
    return {os.path.relpath(file.real, world.project): file.role for file in ours}, sight.open


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("node -r ./x.js ~/hook.js", {"x.js": "script"}),
        ("node --require=./x.js ~/hook.js", {"x.js": "script"}),
        ("node --import ./x.js ~/hook.js", {"x.js": "script"}),
        ("node -r ./x ~/hook.js", {"x.js": "script", "x/index.js": "script"}),
        ("tsx --import=./x.js ~/hook.js", {"x.js": "script"}),
        ("bun --preload ./x.js ~/hook.js", {"x.js": "script"}),
        ("ruby -r./x.rb ~/hook.rb", {"x.rb": "script"}),
        ("node -e 'require(\"./x\")'", {"x.js": "named", "x/index.js": "named"}),
        ("node ~/hook.js -r ./x.js", {"x.js": "named"}),
    ],
)
def test_a_path_that_is_loaded_is_a_file(world: World, line: str, files: dict[str, str]) -> None:
    """Run for certain where an option says so; a script's own words are data."""
    assert seen(world, line)[0] == files


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("node -r evil ~/hook.js", "what `node` loads by the name `evil`"),
        ("node --import=evil ~/hook.js", "what `node` loads by the name `evil`"),
        ("node -e 'require(\"evil\")'", "what `node` loads by the name `evil`"),
        ("node -p 'require(\"evil\")'", "what `node` loads by the name `evil`"),
        ("node --input-type=module -e 'import \"evil\"'", "what `node` loads by the name `evil`"),
        (
            "node -e 'require(process.argv[1])' evil",
            "what `node` loads by a name that its code makes",
        ),
        ("node --env-file=.env ~/hook.js", "what `node` is told by `.env`"),
        ("perl -I. -MEvil -e 1", "what `perl` finds in `.`"),
        ("perl -I . -mEvil ~/hook.pl", "what `perl` finds in `.`"),
        ("perl -Mlib=. -MEvil ~/hook.pl", "what `perl` finds in `lib=.`"),
        ("ruby -I. -rx ~/hook.rb", "what `ruby` finds in `.`"),
        ("lua -lx -", "what `lua` loads by the name `x`"),
    ],
)
def test_a_name_that_a_project_may_answer_to_is_said(world: World, line: str, told: str) -> None:
    """Instead of a guess."""
    assert told in seen(world, line)[1]


@pytest.mark.parametrize(
    "line",
    [
        "node ~/hook.js", "node -r fs ~/hook.js", "node -r node:path -e 'require(\"os\")'", "perl -MJSON::PP -e 1", "perl -w -I. ~/hook.pl",
        "ruby -rjson -e 1", "python3 -c 'import json'",
    ],
)  # fmt: skip
def test_a_name_of_the_interpreters_own_is_quiet(world: World, line: str) -> None:
    """Nothing of the project answers to it."""
    assert seen(world, line) == ({}, ())


@pytest.mark.parametrize(
    "line",
    [
        "python3 < ~/code.py",
        "python3 - a < ~/code.py",
        "cat ~/code.py | python3",
        "echo 'import json' | python3 -",
    ],
)
def test_python_that_is_fed_imports_nothing_of_a_project(world: World, line: str) -> None:
    """The working folder is the first place for its imports, too."""
    (world.home / "code.py").write_text("import json\nprint(json.dumps(1))\n", encoding="utf-8")
    (world.project / "json.py").write_text("open('ran', 'w').write('json')\n", encoding="utf-8")
    handler = Command(script=line, shell=("bash",))  # noqa: S604 - a shell that a hook names
    run = world.run(hook(handler=handler, scope="user"))
    sight = look(run, world.environ, str(world.project))
    outcome = world.perform(
        run.replace(spec=run.spec.replace(handler=handler.replace(sealed=sight.sealed)))
    )

    assert (outcome.exit_code, (world.project / "ran").exists()) == (0, False), outcome.stderr
    assert {file.role for file in sight.files if file.real.endswith("/json.py")} == set()
