"""Is a file of a clone that a launcher certainly runs seen as such, and does a hook behave as ever behind one?"""

from __future__ import annotations

import os
import shutil
import sys

import pytest

from hookline.handlers.sight.look import look
from hookline.model.handler import Command
from hookline.model.outcome import Failure, Outcome
from hookline.trust.gate import Pass
from tests.unit.trust.support import World, hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process

PLACES = """import os, sys
print(os.path.realpath(__file__), sys.argv, sys.path[0], sys.stdin.read() if not sys.stdin.isatty() else "")
"""
FILES = {
    "x.sh": '#!/bin/sh\necho "$0" "$#" "$@"; test -t 0 || cat\n',
    "x.py": f"#!/usr/bin/env python3\n{PLACES}",
    "x.ts": "console.log(1)\n",
    "x.mk": "x:\n",
    "x.exp": "exit\n",
    "parts/a": "#!/bin/sh\npwd\n",
    "data.txt": "true\n",
}


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A project with files that could be run, and a user's path with nothing on it that is not the system's."""
    made = World(tmp_path)
    (made.project / "parts").mkdir()
    (made.folder / "bin").mkdir()
    for name, content in FILES.items():
        path = made.project / name
        path.write_text(content, encoding="utf-8")
        path.chmod(0o644 if name == "data.txt" else 0o755)
    made.environ["PATH"] = f"{made.folder}/bin:{made.environ['PATH']}"
    return made


def text(script: str) -> Command:
    """A command for bash."""
    return Command(script=script, shell=("bash",))  # noqa: S604 - a shell that a hook names


def looked(world: World, line: str) -> tuple[dict[str, str], bool, bool]:
    """The files of the project by their role, whether bytes are handed over, and whether it is looked at again."""
    name = line.split(maxsplit=1)[0].rpartition("/")[2]
    if shutil.which(name) is None:
        world.script("a", path=world.folder / "bin" / name)
    sight = look(world.run(hook(handler=text(line))), world.environ)
    files = {
        os.path.relpath(file.real, world.project): file.role
        for file in sight.files
        if file.real.startswith(f"{world.project}/")
    }
    return files, sight.sealed is not None, sight.watched


# What hands on its words and its open files: what it runs is run as it was read.
HELD = [
    ("setarch x86_64 sh ./x.sh", {"x.sh": "script"}),
    ("setarch -R ./x.sh", {"x.sh": "program"}),
    ("linux32 sh ./x.sh", {"x.sh": "script"}),
    ("i386 sh ./x.sh", {"x.sh": "script"}),
    ("env -S 'sh ./x.sh'", {"x.sh": "script"}),
    ("timeout 5 env -S 'nice ./x.sh'", {"x.sh": "program"}),
    ("env -C parts sh ./a", {"parts/a": "script"}),
    ("env -C parts env --chdir .. sh ./x.sh", {"x.sh": "script"}),
    ("flock ../lock sh ./x.sh", {"x.sh": "script"}),
    ("flock ../lock -c 'sh ./x.sh'", {"x.sh": "script"}),
    ("script -c 'sh ./x.sh'", {"x.sh": "script"}),
    ("script -qc ./x.sh /dev/null", {"x.sh": "program"}),
    ("unshare -r sh ./x.sh", {"x.sh": "script"}),
    ("setpriv --nnp sh ./x.sh", {"x.sh": "script"}),
    ("chrt -o 0 sh ./x.sh", {"x.sh": "script"}),
    ("prlimit --nofile=99 sh ./x.sh", {"x.sh": "script"}),
    ("choom -n 5 -- sh ./x.sh", {"x.sh": "script"}),
    ("strace -f -o /dev/null sh ./x.sh", {"x.sh": "script"}),
    ("dbus-run-session -- sh ./x.sh", {"x.sh": "script"}),
    ("busybox sh ./x.sh", {"x.sh": "script"}),
    ("toybox timeout 5 ./x.sh", {"x.sh": "program"}),
    ("uv run python3 ./x.py", {"x.py": "script"}),
    ("/lib64/ld-linux-x86-64.so.2 /bin/sh ./x.sh", {"x.sh": "script"}),
    ("rbash ./x.sh", {"x.sh": "script"}),
    ("mksh ./x.sh", {"x.sh": "script"}),
]
# What may close them, puts its words elsewhere, or runs them later: what it runs is run from where it lies.
IN_PLACE = [
    ("xargs sh ./x.sh", {"x.sh": "script"}),
    ("xargs -n1 bash ./x.sh", {"x.sh": "script"}),
    ("xargs -I{} ./x.sh {} b", {"x.sh": "program"}),
    ("xargs -I{} sh -c './x.sh {}'", {"x.sh": "program"}),
    ("xargs timeout 5 sh ./x.sh", {"x.sh": "script"}),
    ('xargs sh ./x.sh "$Y"', {"x.sh": "script"}),
    ("find . -exec sh ./x.sh {} \\;", {"x.sh": "script"}),
    ("find . -exec ./x.sh {} +", {"x.sh": "program"}),
    ('find "$Y" *.md -exec sh ./x.sh {} \\;', {"x.sh": "script"}),
    ("find . -exec sh -c './x.sh \"{}\"' \\;", {"x.sh": "program"}),
    ("find . -exec true {} \\; -exec ./x.sh \\;", {"x.sh": "program"}),
    ("script -q --command=./x.sh /dev/null", {"x.sh": "program"}),
    ("""awk 'BEGIN{system("sh ./x.sh")}'""", {"x.sh": "script"}),
    ("""awk '{system("./x.sh " $1)}'""", {"x.sh": "program"}),
    ("""awk '{"./x.sh" | getline; print}'""", {"x.sh": "program"}),
    ("awk -f ./data.txt", {"data.txt": "script"}),
    ("awk -fdata.txt", {"data.txt": "script"}),
    ("sed --file=data.txt", {"data.txt": "script"}),
    ("make -f ./x.mk", {"x.mk": "script"}),
    ("at -f ./x.sh now", {"x.sh": "script"}),
    ("watch sh ./x.sh", {"x.sh": "script"}),
    ("parallel sh ./x.sh", {"x.sh": "script"}),
    ("parallel sh ./x.sh {} ::: 1 2", {"x.sh": "script"}),
    ("su -c 'sh ./x.sh' y", {"x.sh": "script"}),
    ("runuser -u y -- sh ./x.sh", {"x.sh": "script"}),
    ("runuser y -c ./x.sh", {"x.sh": "program"}),
    ("sudo -u y sh ./x.sh", {"x.sh": "script"}),
    ("doas sh ./x.sh", {"x.sh": "script"}),
    ("ltrace sh ./x.sh", {"x.sh": "script"}),
    ("gdb -batch -ex run --args sh ./x.sh", {"x.sh": "script"}),
    ("perf stat sh ./x.sh", {"x.sh": "script"}),
    ("catchsegv ./x.sh", {"x.sh": "program"}),
    ("xvfb-run -a sh ./x.sh", {"x.sh": "script"}),
    ("systemd-run --user --scope sh ./x.sh", {"x.sh": "script"}),
    ("npx tsx ./x.ts", {"x.ts": "script"}),
    ("npm exec -- tsx ./x.ts", {"x.ts": "script"}),
    ("direnv exec . sh ./x.sh", {"x.sh": "script"}),
    ("mise exec python@3 -- python3 ./x.py", {"x.py": "script"}),
    ("poetry run python ./x.py", {"x.py": "script"}),
    ("poetry run ./x.sh", {"x.sh": "program"}),
    ("pipx run ./x.py", {"x.py": "script"}),
    ("conda run -n y python ./x.py", {"x.py": "script"}),
    ("nix-shell --run ./x.sh", {"x.sh": "program"}),
    ("sudo bash -c '. ./x.sh'", {"x.sh": "sourced"}),
    ("sudo sh -c 'sh < ./x.sh'", {"x.sh": "script"}),
    ("expect -f ./x.exp", {"x.exp": "script"}),
    ("bash --rcfile data.txt -i -c true", {"data.txt": "script"}),
    ("bash --init-file=./data.txt -i", {"data.txt": "script"}),
    ("bash -c 'mapfile -C ./x.sh -c 1 a'", {"x.sh": "program"}),
    ("readarray -C./x.sh -c 1 a", {"x.sh": "program"}),
    ("bash -c 'hash -p ./x.sh f; f'", {"x.sh": "program"}),
    ("alias q='sh ./x.sh'; q a", {"x.sh": "script"}),
    ("sed '1e sh data.txt' x", {"data.txt": "script"}),
    ("split --filter='sh data.txt' x", {"data.txt": "script"}),
    ("sg root ./x.sh", {"x.sh": "program"}),
    ("sg root -c 'sh data.txt'", {"data.txt": "script"}),
    ("dpkg-architecture -c sh data.txt", {"data.txt": "script"}),
    ("git -c alias.q='!./x.sh' q", {"x.sh": "program"}),
    ("git -c core.fsmonitor=./x.sh status", {"x.sh": "program"}),
    ("GIT_SSH_COMMAND='sh data.txt' git fetch", {"data.txt": "script"}),
    ("export PAGER='sh data.txt'; git log", {"data.txt": "script"}),
    ("tar -I ./x.sh -cf a b", {"x.sh": "program"}),
    ("tar cf a b --checkpoint-action=exec='sh data.txt'", {"data.txt": "script"}),
]
# What is not certain stays what it was: a word that names a file, or nothing.
OPEN = [
    ("xargs --new-option 1 sh ./x.sh", {"x.sh": "named"}),
    ("xargs sh", {}),
    ("xargs sh -c", {}),
    ("xargs -I% sh %", {}),
    ("xargs -I% sh ./%.sh", {}),
    ("xargs sh ./*.sh", {}),
    ('xargs sh "$Y/x.sh"', {}),
    ('xargs "$Y" ./x.sh', {"x.sh": "named"}),
    ("find . -exec sh {} \\;", {}),
    ("find . -exec $Y ./x.sh \\;", {"x.sh": "named"}),
    ("find . -execdir sh ./x.sh \\;", {"x.sh": "named"}),
    ("find . -ok sh ./x.sh \\;", {"x.sh": "named"}),
    ("su -l y -c ./x.sh", {"x.sh": "named"}),
    ("sudo -i sh ./x.sh", {"x.sh": "named"}),
    ("sudo -Z sh ./x.sh", {"x.sh": "named"}),
    ('sudo sh "$Y"', {}),
    ("systemd-run sh ./x.sh", {"x.sh": "named"}),
    ("cd $Y && xargs sh ./x.sh", {"x.sh": "named"}),
    ("watch sh $Y", {}),
    ("chroot / sh ./x.sh", {"x.sh": "named"}),
    ("nsenter -t 1 sh ./x.sh", {"x.sh": "named"}),
    ("docker run y sh ./x.sh", {"x.sh": "named"}),
    ("poetry run guard ./x.sh", {"x.sh": "named"}),
    ("npx eslint ./x.ts", {"x.ts": "named"}),
    ("npm run x", {}),
    ("git -c core.hooksPath=./parts status", {}),
    ("""awk '{system(./x.sh)}'""", {"x.sh": "named"}),
    ("""awk '{system("./x" $1 ".sh")}'""", {}),
    ("env -S 'sh $Y'", {}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "files", "sealed", "watched"),
    [
        *((*row, True, False) for row in HELD),
        *((*row, None, True) for row in IN_PLACE),
        *((*row, None, None) for row in OPEN),
    ],
)
def test_what_a_launcher_runs_is_what_it_is_alone(
    world: World, line: str, files: dict[str, str], *, sealed: bool | None, watched: bool | None
) -> None:
    """Where its words say so for certain."""
    found, is_sealed, is_watched = looked(world, line)

    assert found == files
    assert sealed in (None, is_sealed)
    assert watched in (None, is_watched)


@pytest.mark.parametrize(
    "line",
    [
        "pytest", "cargo run", "go test ./...", "eslint .", "jest", "vitest run", "composer test", "dotnet run", "bazel test //...", "ninja",
        "cmake --build .", "rye run x", "rails test", "mypy .", "prettier --check .", "mix test", "gulp", "node --run lint", "node --test x.js",
        "prove -e sh data.txt", "pydoc3 mod", "newgrp root < data.txt", "git -c core.hooksPath=parts commit", "git --exec-path=. y",
        "GIT_CONFIG_GLOBAL=./gc git q", "LESSOPEN='|./x.sh %s' less x", "sed 's/.*/x/e' x", "uvx ruff check .",
    ],
)  # fmt: skip
def test_what_runs_a_projects_code_by_its_own_rules_is_said(world: World, line: str) -> None:
    """A user's own runs, with a word, until somebody approves it; its first use is no approval."""
    looked(world, line)
    gate, spec = world.gate(), hook(handler=text(line), scope="user")
    given = gate.admit(world.run(spec))

    assert isinstance(given, Pass)
    assert given.standing is not None
    assert given.standing.sight.open
    assert gate.store.known().approvals == {}


QUIET = [
    "ruff check --fix .", "black --check .", "gofmt -l .", "rustfmt --check src/main.rs", "shellcheck data.txt", "shfmt -d .", "isort .",
    "jq -r .tool_input.command", "yq .a x.yaml", "rg -n TODO .", "fd -e py", "tsc --noEmit", "pyright", "clang-format -i a.c", "yamllint .",
    "git status --porcelain", "git -c color.ui=never -c user.name=x diff --stat", "git log -1 --format=%H", "GIT_CONFIG_GLOBAL=/dev/null git status",
    "git -c core.hooksPath=/dev/null commit -m x",
    "GIT_PAGER=cat git log -1", "GIT_EDITOR=true git status", "sed -n '1,5p' data.txt", "sed -i.bak -e 's/a/e b/' ./data.txt", "sed '/^end/,$d' ./data.txt",
    "tar -czf ../a.tgz .", "tar -I 'gzip -9' -cf ../a.tgz .", "split -n 2 ./data.txt", "sort -u ./data.txt", "curl -s https://example.com",
    "notify-send done", "gh pr list", "node -e 'console.log(require(\"fs\").readFileSync(0, \"utf8\").length)'", "node ../home/hook.js -r x.sh",
    "perl -MJSON::PP -ne 'print if /x/'", "ruby -rjson -e 'p 1'", "hash -r", "mapfile -t a", "alias l='ls -l'", "bash ../home/hook.sh --rcfile x.sh",
    "alias ll='ls -l'; ll", "ld --version", "cat ./x.sh",
]  # fmt: skip


@pytest.mark.parametrize("line", QUIET)
def test_what_runs_nothing_of_a_project_is_quiet(world: World, line: str) -> None:
    """Its first use is its approval, and nobody is told anything."""
    for name in ("hook.js", "hook.sh"):
        (world.home / name).write_text("", encoding="utf-8")
    looked(world, line)
    standing = world.gate().standing(
        world.run(hook(handler=text(line), scope="user")), world.gate().known()
    )

    assert (standing.sight.open, standing.group, standing.state, standing.note) == (
        (),
        "user",
        "unknown",
        "",
    )


def test_a_line_that_nobody_writes_is_looked_at_all_the_same(world: World) -> None:
    """However many programs stand in it, and however often."""
    lines = (
        ["xargs", *["-n1", "xargs"] * 400],
        ["env"] * 3000,
        ["find", *["-exec", "find"] * 400],
        ["awk", 'system("\\"' * 9000],
    )
    for words in lines:
        sight = look(world.run(hook(*words, "./x.sh")), world.environ)

        assert "x.sh" in {os.path.basename(file.real) for file in sight.files} or sight.open


def test_a_file_of_a_clone_that_is_called_like_a_launcher_is_none(world: World) -> None:
    """Nobody knows what it runs."""
    for name in ("xargs", "npx", "env", "script"):
        world.script("a", path=world.project / name)
    lines = ("./xargs sh ./x.sh", "./npx tsx ./x.ts", "./env -S 'sh ./x.sh'", "./script -c ./x.sh")

    assert [looked(world, line)[0] for line in lines] == [
        {"xargs": "program", "x.sh": "named"},
        {"npx": "program", "x.ts": "named"},
        {"env": "program", "x.sh": "named"},
        {"script": "program", "x.sh": "named"},
    ]


@pytest.mark.parametrize(("line", "files"), [*HELD, *IN_PLACE])
def test_a_users_hook_runs_nothing_of_a_clone_that_nobody_approved(
    world: World, line: str, files: dict[str, str]
) -> None:
    """Whatever it is run by."""
    assert files
    looked(world, line)  # so that its program is there
    given = world.gate().admit(world.run(hook(handler=text(line), scope="user")))

    assert isinstance(given, Outcome)
    assert given.failure is Failure.UNTRUSTED


@pytest.mark.parametrize(
    "line",
    [
        "grep -r x ./parts | xargs wc -l",
        "find . -name '*.py' -exec python3 -m py_compile {} +",
        "find . -name '*.sh' -exec bash -n {} \\;",
        "jq -r .tool_input.file_path | xargs prettier --write",
        'jq . | { read f; npx prettier "$f"; }',
        "npx prettier --check ./x.ts",
        "awk '{print $1}' ./x.sh",
        "sed -n 1p ./x.sh",
        "git diff --name-only | xargs eslint",
        "git diff --name-only -z | xargs -0 -r -n1 shellcheck",
        "env FOO=bar node ../home/hook.js",
        "timeout 5 python3 ../home/hook.py",
        "flock ../lock python3 ../home/hook.py ./x.sh",
        "sudo -n true",
        "make lint",
        "npm run lint",
        "poetry run ruff check .",
        "uvx ruff check ./x.py",
        "xargs -I{} sh -c 'test -f {} && cat {}'",
        "find . -type f -exec grep -l x {} + | xargs -r sed -n 1p",
        """awk '{ print | "sort" }' ./x.sh""",
    ],
)
def test_a_users_own_guard_runs_as_before(world: World, line: str) -> None:
    """It only looks at what is there, or runs what is the user's."""
    for name in ("hook.js", "hook.py"):
        (world.home / name).write_text("", encoding="utf-8")
    looked(world, line)

    assert isinstance(world.gate().admit(world.run(hook(handler=text(line), scope="user"))), Pass)


@pytest.mark.parametrize(
    ("argv", "missing"),
    [
        ("sh none.sh", True),
        ("timeout 5 sh none.sh", True),
        ("env -C parts sh ../none.sh", True),
        ("env A=1 ./none", True),
        ("busybox sh none.sh", False),
        ("xargs sh none.sh", False),
    ],
)
def test_what_is_not_there_is_missed_as_if_it_stood_alone(
    world: World, argv: str, *, missing: bool
) -> None:
    """Where nothing else than that can be run."""
    looked(world, argv)
    sight = look(world.run(hook(*argv.split())), world.environ)
    told = [
        what for what in (*sight.missing, *sight.open) if "none" in what and "was not found" in what
    ]

    assert (bool(sight.missing), len(told)) == (missing, 1)


def _needs(line: str) -> object:
    program = line.split(maxsplit=1)[0]
    return pytest.param(
        line,
        marks=pytest.mark.skipif(
            shutil.which(program) is None, reason=f"{program} is not on this machine"
        ),
    )


@pytest.mark.parametrize(
    "line",
    [
        _needs(line)
        for line in (
            "setarch -R ./x.py a",
            "env -S './x.py a' b",
            "env -S 'python3 ./x.py'",
            "env -C parts ../x.py a",
            "env -C parts python3 ../x.py a",
            "flock ../lock -c './x.py a; ./x.sh \"b c\"'",
            "script -qec './x.py a' /dev/null",
            "setpriv --nnp ./x.py a",
            "prlimit --nofile=200 ./x.py a",
            "choom -n 5 -- ./x.py a",
        )
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="these programs are Linux's")
def test_what_is_run_from_what_was_seen_behaves_as_ever(world: World, line: str) -> None:
    """Its name, its folder, its arguments and its input are the same; its files need not be there any more."""
    handler = text(line)
    run = world.run(hook(handler=handler))
    sight = look(run, world.environ)
    plain = world.perform(run)
    for name in ("x.py", "x.sh"):
        (world.project / name).write_text("exit 1\n", encoding="utf-8")
    sealed = world.perform(
        run.replace(spec=run.spec.replace(handler=handler.replace(sealed=sight.sealed)))
    )

    assert sight.sealed is not None
    assert (sealed.exit_code, sealed.stdout, sealed.stderr) == (
        plain.exit_code,
        plain.stdout,
        plain.stderr,
    )
    assert plain.exit_code or "x.py" in plain.stdout


def test_what_is_run_from_its_place_is_looked_at_again(world: World) -> None:
    """What was changed while it ran is told."""
    world.script("seen", path=world.project / "x.sh")
    gate = world.gate()
    run = world.run(
        hook(
            handler=text("echo a | xargs sh ./x.sh"),
            scope="user",
            file=str(world.home / "settings.json"),
        )
    )
    standing = gate.standing(run, gate.known())
    gate.store.approve([gate.approval(standing, who="ada", how="cli")])
    given = gate.admit(run)
    assert isinstance(given, Pass)
    outcome = gate.settled(given, world.perform(given.run))
    world.script("swapped", path=world.project / "x.sh")
    changed = gate.settled(given, world.perform(given.run))

    assert (outcome.exit_code, outcome.failure, changed.failure) == (0, None, Failure.CHANGED)
