"""Which files of a project does uv run before the script that it is told to run?"""

from __future__ import annotations

import os
import shutil
import sys

import pytest

from hookline.handlers.sight.around import files_around
from hookline.handlers.sight.contents import contents
from hookline.model.handler import Command
from hookline.model.outcome import Failure, Outcome
from hookline.trust import approve
from hookline.trust.gate import Pass
from tests.unit.trust.support import World, hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

BLOCK = "# /// script\n# dependencies = [{}]\n# ///\n"
PROJECT = {"pyproject.toml": '[project]\nname = "c"\n'}
OWN = {"pyproject.toml": '[project]\nname = "c"\n[tool.uv]\nfind-links = ["./wheels"]\n'}
VENV = {
    ".venv/pyvenv.cfg": "home = /usr/bin\n",
    ".venv/bin/python": "",
    ".venv/lib/x.pth": "import x\n",
}
SETTINGS = {"uv.toml": 'find-links = ["./wheels"]\n'}


def write(folder: Path, files: dict[str, str]) -> None:
    """Files in a folder."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")


@pytest.mark.parametrize(
    ("files", "options", "script", "found"),
    [
        (PROJECT, "", "", ["pyproject.toml"]),
        (PROJECT | VENV, "--offline -q", "", ["pyproject.toml"]),
        (VENV, "", "", [".venv/pyvenv.cfg", ".venv/bin/python"]),
        (PROJECT | VENV, "--no-project", "", [".venv/pyvenv.cfg", ".venv/bin/python"]),
        (PROJECT | VENV, "--no-project --isolated", "", []),
        (OWN, "--no-project", "", ["pyproject.toml"]),
        (OWN, "--no-project --no-config", "", []),
        (SETTINGS, "", "", ["uv.toml"]),
        (SETTINGS, "--no-config", "", []),
        ({".python-version": "3.12\n"}, "", "", []),
        ({".python-version": "# of ours\n3.12.1\n\n"}, "", "", []),
        ({".python-version": "./evil\n"}, "", "", [".python-version"]),
        ({".python-version": "3.12\nevil\n"}, "", "", [".python-version"]),
        ({".python-version": "./evil\n"}, "-p 3.12", "", []),
        ({".python-version": "./evil\n"}, "--no-config", "", []),
        (PROJECT | VENV | SETTINGS, "--script", BLOCK.format(""), []),
        (PROJECT | VENV, "", BLOCK.format('"rich"'), []),
        (OWN | VENV, "", BLOCK.format('"rich"'), ["pyproject.toml"]),
        (SETTINGS, "", BLOCK.format('"rich"'), ["uv.toml"]),
        (SETTINGS, "--with rich", BLOCK.format(""), ["uv.toml"]),
        ({"pyproject.toml": "no [toml"}, "--no-project", "", ["pyproject.toml"]),
        ({"pyproject.toml": "tool = 1"}, "--no-project", "", ["pyproject.toml"]),
        ({"README.md": ""}, "", "", []),
        (PROJECT, "--project ../own", "", []),
    ],
)
def test_what_leads_uv_is_found(
    tmp_path: Path, files: dict[str, str], options: str, script: str, found: list[str]
) -> None:
    """And nothing that it does not look at: a script that says itself what it needs is led by where packages are found, at most."""
    project = tmp_path / "p"
    write(project, files)
    write(tmp_path, {"guard.py": script, "own/pyproject.toml": ""})
    told = files_around(
        options.split(), contents(str(tmp_path / "guard.py")), str(project), [str(project)]
    )

    assert [os.path.relpath(path, project) for _, path in told] == found


def test_it_is_looked_for_as_far_as_the_project_reaches(tmp_path: Path) -> None:
    """What lies around that is the user's own."""
    write(
        tmp_path, PROJECT | {f"p/{name}": text for name, text in PROJECT.items()} | {"p/a/b/x": ""}
    )

    def found(folder: str, *projects: str) -> list[str]:
        return [
            os.path.relpath(path, tmp_path)
            for _, path in files_around(
                [], None, str(tmp_path / folder), [str(tmp_path / each) for each in projects]
            )
        ]

    assert found("p/a/b", "p") == ["p/pyproject.toml"]
    assert found("p/a/b", "p/a") == []
    assert found(".", "p") == []


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A user with a script that uv runs, in a project with a `pyproject.toml`."""
    made = World(tmp_path)
    (made.folder / "bin").mkdir()
    uv = made.script("uv", path=made.folder / "bin/uv")
    uv.write_text('#!/bin/sh\necho uv >> "$TRACE"\n', encoding="utf-8")
    write(
        made.home,
        {
            "guard.py": "",
            "block.py": BLOCK.format(""),
            "line.py": "#!/usr/bin/env -S uv run\n",
            "own/pyproject.toml": "",
        },
    )
    (made.home / "line.py").chmod(0o755)
    made.environ["PATH"] = f"{made.folder}/bin:{made.environ['PATH']}"
    return made


def of_user(line: str, scope: str = "user") -> object:
    """A hook of the user's own."""
    return hook(handler=Command(script=line, shell=("bash",)), scope=scope)  # noqa: S604 - a shell that a hook names


OWN_SCRIPTS = ["uv run ~/guard.py", "timeout 5 uv run -q ~/guard.py", "~/line.py"]
LED = [
    "uv run python3 ~/guard.py",
    "timeout 5 uv run -q python3 ~/guard.py",
    "uv run python3 -c 1",
    "uv run sh ~/x.sh",
]
RUN = OWN_SCRIPTS + LED


@pytest.mark.process
@pytest.mark.parametrize("line", OWN_SCRIPTS)
@pytest.mark.parametrize("files", [PROJECT, VENV, SETTINGS, {".python-version": "./evil"}])
def test_a_script_that_lies_elsewhere_runs_with_a_word(
    world: World, line: str, files: dict[str, str]
) -> None:
    """Uv looks for a project around the script; an older one looked around the working folder."""
    write(world.project, files)
    given = world.gate().admit(world.run(of_user(line)))

    assert isinstance(given, Pass)
    assert f"what `uv` runs because of `{world.project / next(iter(files))}`" in given.note


@pytest.mark.process
@pytest.mark.parametrize("line", LED)
@pytest.mark.parametrize("files", [PROJECT, VENV, SETTINGS, {".python-version": "./evil"}])
def test_a_users_hook_runs_nothing_of_a_clone_by_uv(
    world: World, line: str, files: dict[str, str]
) -> None:
    """Until somebody approved it there, with the file that leads uv."""
    write(world.home, {"x.sh": ""})
    write(world.project, files)
    spec, gate = of_user(line), world.gate()
    given = gate.admit(world.run(spec))
    approve(gate, [spec])
    approved = gate.admit(world.run(spec))

    assert isinstance(given, Outcome)
    assert given.failure is Failure.UNTRUSTED
    assert str(world.project / next(iter(files))) in given.detail
    assert isinstance(approved, Pass)


@pytest.mark.process
@pytest.mark.parametrize(
    ("line", "files"),
    [
        *((line, {}) for line in RUN),
        *((line, {".python-version": "3.12\n", "README.md": ""}) for line in RUN),
        ("uv run ~/block.py", PROJECT | VENV),
        ("uv run --script ~/block.py", PROJECT | VENV),
        ("uv run --no-project --no-config ~/guard.py", PROJECT),
        ("uv run --directory ~/own guard.py", PROJECT | VENV),
        ("uv run --project ~/own ~/guard.py", PROJECT | VENV),
        ("uv --version", PROJECT),
        ("uv pip list", PROJECT),
    ],
)
def test_a_users_own_script_runs_quietly_elsewhere(
    world: World, line: str, files: dict[str, str]
) -> None:
    """Where there is nothing of a project, and where uv is told, or the script says, that it needs nothing of one."""
    write(world.home, {"x.sh": ""})
    write(world.project, files)
    given = world.gate().admit(world.run(of_user(line)))

    assert isinstance(given, Pass)
    assert given.standing is not None
    assert [
        given.standing.group,
        *(
            file.real
            for file in given.standing.sight.files
            if file.real.startswith(str(world.project))
        ),
    ] == ["user"]


@pytest.mark.process
@pytest.mark.parametrize(
    "line",
    [
        "uv run ruff check .",
        "uv run pytest -q",
        "uvx ruff check .",
        "uvx python3 ~/guard.py",
        "uv tool run ruff",
    ],
)
def test_a_tool_of_the_projects_runs_with_a_word(world: World, line: str) -> None:
    """As one that `npx` finds: it is only told."""
    write(world.project, PROJECT | VENV)
    given = world.gate().admit(world.run(of_user(line)))

    assert isinstance(given, Pass)
    assert "not all can be seen" in given.note


@pytest.mark.process
def test_a_clones_own_hook_stays_approved_when_its_dependencies_change(world: World) -> None:
    """What its environment holds was never covered."""
    write(world.project, PROJECT | {"hook.py": ""})
    spec, gate = of_user("uv run ./hook.py", "project"), world.gate()
    approve(gate, [spec])
    write(world.project, {"pyproject.toml": '[project]\nname = "c"\ndependencies = ["rich"]\n'})

    assert isinstance(gate.admit(world.run(spec)), Pass)


@pytest.mark.process
@pytest.mark.skipif(shutil.which("uv") is None, reason="uv is not on this machine")
def test_a_backend_of_a_clone_does_not_run(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor what its environment loads: uv itself is not started."""
    real = os.path.dirname(shutil.which("uv") or "")
    write(
        world.project,
        {
            "pyproject.toml": '[project]\nname="c"\nversion="1"\n[build-system]\nrequires=[]\nbuild-backend="bk"\nbackend-path=["."]\n'
        },
    )
    write(world.project, {"bk.py": f"open({str(world.trace)!r}, 'a').write('evil')\n"})
    write(world.home, {"guard.py": "print('guard')\n"})
    offline = {
        "UV_OFFLINE": "1",
        "UV_PYTHON": sys.executable,
        "UV_CACHE_DIR": str(world.folder / "cache"),
    }
    world.environ.update(offline, PATH=f"{real}:{world.environ['PATH']}")
    gate, run = world.gate(), world.run(of_user("uv run python ~/guard.py"))
    given, ran = gate.admit(run), world.ran()
    world.perform(run)

    assert isinstance(given, Outcome)
    assert (ran, "evil" in "".join(world.ran())) == ([], True)  # without a gate it does
