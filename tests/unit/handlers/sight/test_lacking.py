"""Is what is certain to fail called missing, and nothing else?"""

from __future__ import annotations

import shutil

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
    """A project with a script of Node and a folder."""
    made = World(tmp_path)
    (made.project / "x.js").write_text("", encoding="utf-8")
    (made.project / "lib").mkdir()
    return made


def text(script: str) -> Command:
    """A command for bash."""
    return Command(script=script, shell=("bash",))  # noqa: S604 - a shell that a hook names


NOT_FOUND = "was not found"
NOT_READ = "was not found, or is no file that can be read"


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("./none.sh", f"`./none.sh` {NOT_FOUND}"),
        ('"$PROJECT"/none.sh arg', f"`{{project}}/none.sh` {NOT_FOUND}"),
        ("./none.sh --x 2>/dev/null", f"`./none.sh` {NOT_FOUND}"),
        ("./none.sh >/dev/null 2>&1", f"`./none.sh` {NOT_FOUND}"),
        ("exec ./none.sh", f"`./none.sh` {NOT_FOUND}"),
        ("python3 ./none.py", f"`./none.py` {NOT_READ}"),
        ("python3 -u none.py a", f"`none.py` {NOT_READ}"),
        ("bash ./none.sh", f"`./none.sh` {NOT_READ}"),
        ("env A=1 ./none.sh", f"`./none.sh` {NOT_FOUND}"),
        ("timeout 5 python3 ./none.py", f"`./none.py` {NOT_READ}"),
        ("no-such-program --x", f"`no-such-program` {NOT_FOUND}"),
        ("no-such-uv run x.py", f"`no-such-uv` {NOT_FOUND}"),
        ("no-such/uv run x.py", f"`no-such/uv` {NOT_FOUND}"),
    ],
)  # fmt: skip
def test_a_text_that_is_certain_to_fail_lacks_what_it_runs(
    world: World, script: str, told: str
) -> None:
    """One command, and nothing beside it that could make the file, or be meant instead."""
    world.environ["PROJECT"] = str(world.project)

    assert look(world.run(hook(handler=text(script))), world.environ).missing == (
        told.format(project=world.project),
    )


@pytest.mark.parametrize(
    "script",
    [
        "test -x ./none.sh && ./none.sh",
        "./none.sh || true",
        "! ./none.sh",
        "./none.sh > ./none.sh",
        "A=1 ./none.sh",
        "(./none.sh)",
        "f() { ./none.sh; }",
        "case x in y) ./none.sh;; esac",
        "./none.sh &",
        "./none.sh # for later",
        "./none*.sh",
        "no-such-program; true",
        "$NONE/x.sh",
        "fc -l",
        "bash -c ./none.sh",
        "node ./x",  # x.js
        "node ./lib",  # a folder may have an index
        "python3 ./lib",
        "bash on-path.sh",
        "bun lint",
        "deno run -A npm:none",
        "deno run --config ./deno.json ./none.ts",
        "python3 -m none",
        "command -v ./none.sh",
        "command no-such-program",
        "time ./none.sh",
    ],
)
def test_what_may_be_something_else_is_not_called_missing(world: World, script: str) -> None:
    """Then it runs, and fails by itself if it does."""
    for name in ("on-path.sh", "bun", "deno"):
        world.script("found", path=world.folder / name)
    world.environ["PATH"] += f":{world.folder}"

    assert look(world.run(hook(handler=text(script))), world.environ).missing == ()


@pytest.mark.parametrize(
    ("environ", "script", "is_missing"),
    [
        ({}, "no-such-program", True),
        ({"BASH_ENV": "/etc/profile"}, "no-such-program", False),
        ({"BASH_ENV": "/etc/profile"}, "./none.sh", False),
        ({"BASH_FUNC_no-such-program%%": "() { :; }"}, "no-such-program", False),
        ({"BASH_FUNC_other%%": "() { :; }"}, "./none.sh", True),
    ],
    ids=str,
)
def test_what_a_shell_is_told_before_its_text_may_make_it(
    world: World, environ: dict[str, str], script: str, *, is_missing: bool
) -> None:
    """A file that it reads first, and functions that it inherits."""
    world.environ |= environ

    assert bool(look(world.run(hook(handler=text(script))), world.environ).missing) == is_missing


@pytest.mark.parametrize(
    ("shell", "is_missing"),
    [(("bash", "-c"), True), (("bash", "-lc"), False), (("bash", "--rcfile", "x", "-c"), False)],
)
def test_a_shell_that_reads_files_first_may_find_it(
    world: World, shell: tuple[str, ...], *, is_missing: bool
) -> None:
    """A profile sets a path."""
    handler = Command(argv=(*shell, "no-such-program"))

    assert bool(look(world.run(hook(handler=handler)), world.environ).missing) == is_missing


def test_uv_itself_is_needed_by_what_it_runs(world: World) -> None:
    """A path without it leads nowhere, whatever it would have found."""
    world.environ["PATH"] = str(world.folder)
    bash = shutil.which("bash") or ""

    for handler in (Command(argv=("uv", "run", "x.py")), Command(argv=(bash, "-c", "uv run x.py"))):
        assert look(world.run(hook(handler=handler)), world.environ).missing == (
            "`uv` was not found",
        )
