"""Installs the agent hosts at pinned versions, from npm and PyPI, into a cache of the user."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.hosts.table import Host

NODE = "22.23.3"  # for the hosts of npm, whatever the machine has
_SECONDS = 300
_MACHINES = {"x86_64": "x64", "aarch64": "arm64"}


class NotInstalledError(Exception):
    """A host that cannot be had on this machine; the text says why."""


def cache_folder() -> Path:
    """Return the folder of all that is installed."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return Path(cache if os.path.isabs(cache) else "~/.cache").expanduser() / "agent-hosts"


def install_host(host: Host) -> Path:
    """Return the folder with the host's program; install it if the cache does not have it.

    Raises:
        NotInstalledError: no registry, or no interpreter that the host accepts.
    """
    return install_package(host.package)


def install_package(package: str) -> Path:
    """Return the folder with the programs of `NAME==VERSION` of PyPI or `NAME@VERSION` of npm.

    Raises:
        NotInstalledError: no registry, or no interpreter that the package accepts.
    """
    return _install(package, _install_by_pip if "==" in package else _install_by_npm)


def is_installed(package: str) -> bool:
    """Whether the cache has the package."""
    return (_folder(package) / ".ready").exists()


def install_node() -> Path:
    """Return the folder with the `node` that the hosts of npm run on.

    Raises:
        NotInstalledError: no registry, or no such node for this machine.
    """
    machine = _MACHINES.get(platform.machine(), platform.machine())
    name = f"node-{sys.platform}-{machine}"
    return _install(f"{name}@{NODE}", _install_by_npm).parent / name / "bin"


def _folder(package: str) -> Path:
    return cache_folder() / package.replace("/", "+")


def _install(package: str, install: Callable[[str, Path], Path]) -> Path:
    folder = _folder(package)
    ready = folder / ".ready"
    if ready.exists():
        return folder / ready.read_text(encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    programs = install(package, folder)
    ready.write_text(programs.relative_to(folder).as_posix(), encoding="utf-8")
    return programs


def _install_by_npm(package: str, folder: Path) -> Path:
    _run("npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", package)
    return folder / "node_modules/.bin"


def _install_by_pip(package: str, folder: Path) -> Path:
    """Install with uv, which finds or fetches an interpreter that is new enough."""
    known = map(str, Path("~/.pyenv/versions").expanduser().glob("*/bin"))
    path = os.pathsep.join((os.environ.get("PATH", ""), *known))
    _run("uv", "venv", "--quiet", "--python", ">=3.12", str(folder / "env"), PATH=path)
    _run("uv", "pip", "install", "--quiet", "--python", str(folder / "env"), package)
    return folder / "env/bin"


def _run(program: str, *words: str, **environ: str) -> None:
    found = shutil.which(program, path=f"{Path(sys.executable).parent}:{os.environ.get('PATH')}")
    if found is None:
        raise NotInstalledError(f"`{program}` is not installed")
    try:
        done = subprocess.run(
            [found, *words],
            env=os.environ | environ,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise NotInstalledError(f"`{program}` took longer than {_SECONDS} s") from None
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if not line.startswith("warning")]
        raise NotInstalledError(f"`{program}` failed: {' '.join(lines)[:300]}")
