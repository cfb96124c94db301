"""An empty home and project, with hookline installed, in which one agent host runs offline."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
from contextlib import contextmanager
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from tests.hosts.own_hooks import find_gate_event

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tests.hosts.table import Host

_SOURCE = Path(__file__).parents[2] / "src"
_SECONDS = 90
# Nothing answers at this address, so what a host asks of the internet fails at once.
_OFFLINE = "http://127.0.0.1:9"


class CommandFailedError(Exception):
    """A command of hookline that failed."""


class Machine:
    """A home, a project and a virtual environment of hookline, all below one folder.

    `programs`: folders of the host's programs. `url`: where the model service is.
    """

    def __init__(self, root: Path, host: Host, programs: Sequence[Path], url: str) -> None:
        self.host = host
        self.home, self.project, self.environment = root / "home", root / "work", root / "env"
        self.python = self.environment / "bin/python"
        for folder in (self.home, self.project):
            folder.mkdir()
        self._token = ""  # of `hookline serve`
        self._values = {"url": url, "home": str(self.home), "project": str(self.project)}
        own = self.home / ".local/bin"
        self._path = os.pathsep.join(
            map(str, (own, *programs, "/usr/local/bin", "/usr/bin", "/bin"))
        )
        self._install_environment()
        program = {".local/bin/hookline": f'#!/bin/sh\nexec {self.python} -I -m hookline "$@"\n'}
        self.write_files(program)
        self.write_files({name: self.fill(text) for name, text in host.files.items()})

    def _install_environment(self) -> None:
        """Make an environment with this source, and with the libraries of this interpreter."""
        venv.create(self.environment, symlinks=True)
        libraries = [path for path in sys.path if path.endswith("-packages")]
        self._link = self._packages() / "hookline.pth"
        self._link.write_text("\n".join([str(_SOURCE), *libraries]) + "\n", encoding="utf-8")

    def _packages(self) -> Path:
        return next(self.environment.glob("lib/python3*/site-packages"))

    def fill(self, text: str, **more: str) -> str:
        """Return a text with the paths of this machine in it."""
        return Template(text).safe_substitute(self._values, **more)

    def write_files(self, files: Mapping[str, str]) -> None:
        """Write files of the home; programs of hooks can be executed."""
        for name, text in files.items():
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            path.chmod(0o755 if path.parent.name in ("scripts", "bin") else 0o644)

    @property
    def entries(self) -> Path:
        """The file in which the host has its entries."""
        return Path(self.host.facts.find_file({"HOME": str(self.home)}))

    @property
    def gate_file(self) -> Path:
        """The file with the entry that refuses calls."""
        event = find_gate_event(self.host.facts)
        return self.entries / event if self.entries.is_dir() else self.entries

    def read_entries(self) -> bytes | None:
        """Return the content of the file with the entries, or of those in a folder of scripts.

        None if there is none.
        """
        if self.entries.is_dir():
            return b"".join(path.read_bytes() for path in sorted(self.entries.iterdir())) or None
        return self.entries.read_bytes() if self.entries.exists() else None

    def find_sessions(self, pattern: str) -> list[Path]:
        """Return the files of the host's sessions."""
        folder = self.host.facts.find_folder({"HOME": str(self.home)})
        return list(Path(folder).glob(pattern))

    # -- hookline ------------------------------------------------------------------------------

    def install(self, *words: str) -> None:
        """Wire hookline into the host."""
        self._hookline("install", self.host.name, "--yes", *words)

    def run_command(self, text: str) -> None:
        """Run a command of hookline, as its user types it."""
        self._hookline(*self.fill(text, host=self.host.name).split())

    @contextmanager
    def serve(self) -> Iterator[str]:
        """Run `hookline serve`, at the address that is the value, until the block ends."""
        words = [str(self.python), "-u", "-I", "-m", "hookline", "serve", "--http", "127.0.0.1:0"]
        with subprocess.Popen(
            words,
            cwd=self.project,
            env=self._environ(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as server:
            try:
                assert server.stdout is not None
                url = server.stdout.readline().strip()
                if not url:
                    raise CommandFailedError("`hookline serve` did not start")
                self._token = (self.home / ".local/state/hookline/serve.token").read_text("ascii")
                yield url
            finally:
                server.terminate()

    def uninstall(self) -> None:
        """Take hookline out of the host."""
        self._hookline("uninstall", self.host.name, "--yes")

    def _hookline(self, *words: str) -> None:
        done = self._run([str(self.python), "-I", "-m", "hookline", *words])
        if done.returncode:
            last = (done.stdout + done.stderr).strip().rpartition("\n")[2]
            raise CommandFailedError(f"`hookline {' '.join(words)}`: {last}")

    def damage(self, what: str) -> None:
        """Damage hookline, or the user's file for it."""
        if what == "removed":
            self._link.unlink()
        elif what == "no interpreter":
            shutil.rmtree(self.environment)
        elif what == "broken":
            package = self._packages() / "hookline"
            package.mkdir()
            (package / "__init__.py").write_text("this is no program\n", encoding="utf-8")
        elif what == "misconfigured":
            self.write_files({".config/cagent/hooks.d/guards.yaml": "pre_tool_use: [\n"})

    # -- the host ------------------------------------------------------------------------------

    def start_host(self, prompt: str) -> subprocess.CompletedProcess[str]:
        """Run the host with a prompt until it ends."""
        words = [self.fill(word, prompt=prompt) for word in self.host.start.split()]
        return self._run([self.host.facts.programs[0], *words])

    def read_version(self) -> str:
        """Return what the host says about its version."""
        done = self._run([self.host.facts.programs[0], "--version"])
        found = re.search(r"\d+(\.\d+)+", done.stdout + done.stderr)
        return found[0] if found else ""

    def _run(self, words: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            cwd=self.project,
            env=self._environ(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )

    def _environ(self) -> dict[str, str]:
        proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "https_proxy"), _OFFLINE)
        return {
            "PATH": self._path,
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "NO_PROXY": "127.0.0.1,localhost",
            **proxies,
            **({"HOOKLINE_TOKEN": self._token} if self._token else {}),
            **{name: self.fill(value) for name, value in self.host.environ.items()},
        }
