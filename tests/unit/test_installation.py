"""The command that installs an extra, for each way by which hookline was installed."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.metadata import PathDistribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from hookline.installation import find_own_source, find_source, install_command

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/hookline"
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "hookline"
version = "0.1.0"
optional-dependencies = {server = ["starlette>=1.0"], model = ["jinja2"]}
[tool.hatch.build.targets.wheel]
only-include = ["hookline"]
"""
METADATA = """\
Metadata-Version: 2.4
Name: hookline
Version: 0.1.0
Requires-Dist: typer>=0.29
Requires-Dist: starlette>=1.0; extra == 'server'
Requires-Dist: jinja2; extra == "model"
"""


def installed(folder: Path, origin: dict[str, Any] | None) -> PathDistribution:
    """Hookline as an installer records it, with where it came from."""
    info = folder / "hookline-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(METADATA)
    if origin is not None:
        (info / "direct_url.json").write_text(json.dumps(origin))
    return PathDistribution(info)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project of that name, in a folder whose name needs quotes."""
    folder = tmp_path / "my source"
    (folder / "hookline").mkdir(parents=True)
    (folder / "hookline/__init__.py").touch()
    (folder / "pyproject.toml").write_text(PROJECT)
    return folder


def assert_pip_accepts(words: list[str]) -> None:
    """Let pip resolve what a command names, without a network."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--dry-run", "--no-deps", "--no-index",
         "--no-build-isolation", "--ignore-installed", "--disable-pip-version-check", *words],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, "does not provide" in done.stderr) == (0, False), done.stderr
    assert "Would install hookline-0.1.0" in done.stdout


@pytest.mark.process
def test_a_folder_and_a_repository_are_named_as_pip_reads_them(
    tmp_path: Path, project: Path
) -> None:
    """Also a path with a blank, and the commit that was installed."""
    git = ["git", "-C", str(project), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*git, *words], check=True)
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    vcs = {"vcs": "git", "commit_id": commit.stdout.strip()}
    folder = find_source(
        "server", "/site/hookline", installed(tmp_path, {"url": project.as_uri(), "dir_info": {}})
    )
    (tmp_path / "other").mkdir()
    repository = find_source(
        "model",
        "/site/hookline",
        installed(tmp_path / "other", {"url": project.as_uri(), "vcs_info": vcs}),
    )

    assert folder == [f"{project}[server]"]
    assert repository == [
        f"hookline[model] @ git+file://localhost{quote(str(project))}@{commit.stdout.strip()}"
    ]
    assert_pip_accepts(folder)
    assert_pip_accepts(repository)


@pytest.mark.parametrize(
    ("origin", "named"),
    [
        (None, ["hookline[server]==0.1.0"]),
        (
            {"url": "https://a.example/hookline.zip", "subdirectory": "py", "archive_info": {}},
            ["hookline[server] @ https://a.example/hookline.zip#subdirectory=py"],
        ),
        ({"url": "file:///gone/hookline-0.1.0-py3-none-any.whl"}, ["starlette>=1.0"]),
    ],
)
def test_what_is_named_for_other_sources(
    origin: dict[str, Any] | None, named: list[str], tmp_path: Path
) -> None:
    """An index, an address, and a file that is gone: then what the extra needs."""
    assert find_source("server", "/site/hookline", installed(tmp_path, origin)) == named


def test_a_package_that_was_not_installed_has_its_name() -> None:
    """A copy on the path of Python."""
    assert find_source("server", "/site/hookline", None) == ["hookline[server]"]


@pytest.mark.process
def test_a_checkout_stays_editable() -> None:
    """The command of each extra names this Python, and pip accepts it."""
    named: list[str] = []
    for extra in DECLARED["optional-dependencies"]:
        words = shlex.split(install_command(extra=extra))
        assert words == [sys.executable, "-m", "pip", "install", "-e", f"{ROOT}[{extra}]"]
        named += words[4:]
    assert_pip_accepts(named)


def test_the_source_itself_is_named_without_an_extra(tmp_path: Path) -> None:
    """Also if it is gone: nothing else is known of it."""
    gone = {"url": "file:///gone/hookline-0.1.0-py3-none-any.whl"}

    assert find_own_source() == f"-e {ROOT}"
    assert find_source("", "/site/hookline", installed(tmp_path, gone)) == [
        "/gone/hookline-0.1.0-py3-none-any.whl"
    ]


def test_an_environment_without_pip_is_filled_by_uv(monkeypatch: pytest.MonkeyPatch) -> None:
    """Environments that uv makes have none."""
    monkeypatch.setitem(sys.modules, "pip", None)

    assert find_spec("pip") is None
    assert install_command("a b") == f"uv pip install --python {sys.executable} 'a b'"


def test_each_message_asks_here_for_its_command() -> None:
    """No message words the command itself, and each names an extra that exists."""
    texts = [path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")]
    texts.append((SOURCE / "cli/codes.json").read_text(encoding="utf-8"))
    asked = r"""(?:install_command\(extra=|make_missing_error\("[\w ]+", )["']([\w-]+)"""
    named = re.findall(asked, "".join(texts))

    assert [text for text in texts if "pip install" in text] == []
    assert set(named) == set(DECLARED["optional-dependencies"])
