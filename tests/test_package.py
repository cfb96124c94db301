"""The sdist and the wheel are whole: built, installed and used as a user does."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tarfile
import venv
import zipfile
from email.parser import Parser
from pathlib import Path
from typing import NamedTuple

import pytest

import hookline

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[1]
RM = {"tool_name": "shell", "tool_input": {"cmd": "sudo rm -rf /"}}


class Built(NamedTuple):
    """The wheel, which was built from the sdist, and the Python that it is installed in."""

    wheel: Path
    python: Path


def run(*words: str | Path, cwd: Path, sent: str = "") -> subprocess.CompletedProcess[str]:
    """Run a program in a folder, without this checkout on its path."""
    environ = {"HOME": str(cwd), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    return subprocess.run(
        words, cwd=cwd, env=environ, input=sent, capture_output=True, text=True, check=False,
        timeout=120,
    )  # fmt: skip


def pip(python: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Let pip install without a network, and without touching what the tests run in."""
    plain = (
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
        "--ignore-installed",
        "--no-compile",
    )
    done = run(python, "-m", "pip", "install", *plain, *words, cwd=python.parent)
    assert (done.returncode, "does not provide" in done.stderr) == (0, False), done.stderr
    return done


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The sdist of this checkout, the wheel made from it, and a new environment with that.

    The environment sees the libraries of this one.
    """
    folder = tmp_path_factory.mktemp("package")
    hatch = (sys.executable, "-m", "hatchling", "build")
    done = run(*hatch, "-t", "sdist", "-d", folder, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")
    (source,) = folder.glob("hookline-*/")
    done = run(*hatch, "-t", "wheel", "-d", folder, cwd=source)
    assert done.returncode == 0, done.stderr
    venv.create(folder / "venv", symlinks=True)
    (site,) = (folder / "venv").glob("lib/*/site-packages")
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    (site / "libraries.pth").write_text("\n".join(libraries))
    (wheel,) = folder.glob("*.whl")
    pip(folder / "venv/bin/python", wheel)
    return Built(wheel, folder / "venv/bin/python")


def test_the_wheel_has_each_file_of_the_package(built: Built) -> None:
    """Tables, schemas and types too; and nothing else."""
    source = ROOT / "src"
    files = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    with zipfile.ZipFile(built.wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}

    assert packed == files
    assert {"hookline/py.typed", "hookline/model/events.json"} < packed


def test_the_metadata_is_whole(built: Built) -> None:
    """What an index and `pip show` present, without addresses that do not exist."""
    with zipfile.ZipFile(built.wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("/METADATA")]
        metadata = Parser().parsestr(archive.read(name).decode("utf-8"))
        licenses = [name for name in archive.namelist() if name.endswith("licenses/LICENSE")]

    assert metadata["Version"] == hookline.__version__
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert "Typing :: Typed" in metadata.get_all("Classifier", [])
    assert set(metadata.get_all("Provides-Extra", [])) == {
        "agent",
        "claude-agent-sdk",
        "grpc",
        "langchain",
        "model",
        "openai-agents",
        "otel",
        "powershell",
        "pydantic-ai",
        "secrets",
        "server",
    }
    assert all(metadata[key] for key in ("Summary", "Keywords", "Requires-Python"))
    assert licenses
    assert "Project-URL" not in metadata


def test_the_installed_program_decides(built: Built, tmp_path: Path) -> None:
    """It says its version, and a guard refuses."""
    program = built.python.parent / "hookline"
    config = ROOT / "examples/docker-agent/hooks.yaml"
    version = run(program, "--version", cwd=tmp_path)
    fired = run(
        program, "fire", "pre_tool_use", "-c", config, "--json", cwd=tmp_path, sent=json.dumps(RM)
    )

    assert version.stdout == f"hookline {hookline.__version__}\n"
    assert (fired.returncode, json.loads(fired.stdout)["stance"]) == (1, "deny"), fired.stderr


def test_a_hint_installs_from_the_wheel(built: Built, tmp_path: Path) -> None:
    """The command that the installed hookline shows is one that pip accepts."""
    code = "from hookline.installation import install_command as c; print(c(extra='otel'))"
    shown = shlex.split(run(built.python, "-c", code, cwd=tmp_path).stdout)

    assert shown == [str(built.python), "-m", "pip", "install", f"{built.wheel}[otel]"]
    assert (
        f"Would install hookline-{hookline.__version__}"
        in pip(built.python, "--dry-run", shown[-1]).stdout
    )
