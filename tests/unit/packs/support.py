"""A home, a folder with a pack, and an index of wheels that are written by hand."""

from __future__ import annotations

import io
import os
import sys
import tarfile
import zipfile
from typing import TYPE_CHECKING, Any

from hookline.engine.engine import Engine
from hookline.packs.plan import apply, plan_add

if TYPE_CHECKING:
    from pathlib import Path

HOOKS = """\
version: 1
hooks:
  - name: guard
    on: tool.before
    run: ./guard.sh --strict
"""
GUARD = "#!/bin/sh\ncat > /dev/null\necho 'no' >&2\nexit 2\n"
CALL = {"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}
# Writes down that it ran, which nothing of a pack may do before an approval.
TRACE = "import os\nopen(os.environ.get('TRACE', os.devnull), 'a').write('ran\\n')\n"
MODULE_HOOKS = """\
version: 1
hooks:
  - name: module
    on: tool.before
    run: [python, -m, my_guards.guard]
  - name: script
    on: tool.before
    run: my-guard --strict
"""
ENTRY = "[hookline.packs]\nany = my_guards\n[console_scripts]\nmy-guard = my_guards.guard:main\n"


class World:
    """As above."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home, self.index, self.pack = folder / "home", folder / "index", folder / "my-pack"
        for each in (self.home, self.index, self.pack, folder / "project"):
            each.mkdir()
        self.environ = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.index),
            "PIP_NO_CACHE_DIR": "1",
            "TRACE": str(folder / "trace"),
        }
        (self.pack / "hookline.yaml").write_text(HOOKS, encoding="utf-8")
        self.write_guard(GUARD)

    @property
    def config(self) -> Path:
        """The user's file."""
        return self.home / ".config/hookline/hookline.yaml"

    @property
    def versions(self) -> list[str]:
        """The versions of packs that are on the disk."""
        folder = self.home / ".local/share/hookline/pack-versions"
        return sorted(path.name for path in folder.glob("*/*"))

    def write_guard(self, text: str) -> None:
        """Write the program of the pack."""
        (self.pack / "guard.sh").write_text(text, encoding="utf-8")
        (self.pack / "guard.sh").chmod(0o755)

    def has_run(self) -> bool:
        """Whether code of a pack ran."""
        return (self.folder / "trace").exists()

    def add(self, source: str = "") -> None:
        """Install a pack; by default the folder."""
        apply(plan_add(source or str(self.pack), self.environ), self.environ)

    def engine(self, **settings: Any) -> Engine:
        """Return an engine that has the pack."""
        how = {"trust": "approved", **settings}
        return Engine.discover(self.folder / "project", environ=self.environ, **how)

    def offer(self, version: str = "1.0", *, requires: str = "", **files: str) -> Path:
        """Put a package with a pack into the index."""
        own = {
            "my_guards/__init__.py": TRACE,
            "my_guards/guard.py": f"{TRACE}def main(): pass\n",
            "my_guards/hookline.yaml": MODULE_HOOKS,
            "my_guards.pth": "import os; open(os.environ.get('TRACE', os.devnull), 'a')\n",
        }
        return self.wheel("my-guards", version, own | files, requires=requires)

    def wheel(
        self, name: str, version: str, files: dict[str, str], *, entry: str = ENTRY, requires: str
    ) -> Path:
        """Put a wheel into the index."""
        module = name.replace("-", "_")
        info = f"{module}-{version}.dist-info"
        needs = f"Requires-Dist: {requires}\n" if requires else ""
        head = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        wheel = "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        every = files | {f"{info}/METADATA": head + needs, f"{info}/WHEEL": wheel}
        every |= {f"{info}/entry_points.txt": entry} if entry else {}
        every[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*every, f"{info}/RECORD"])
        path = self.index / f"{module}-{version}-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as archive:
            for each, text in every.items():
                archive.writestr(each, text)
        return path

    def source(self, name: str) -> Path:
        """Write a package without a wheel, whose build would leave a trace."""
        files = {
            "pyproject.toml": (
                "[build-system]\nrequires = []\nbuild-backend = 'backend'\nbackend-path = ['.']\n"
            ),
            "backend.py": TRACE,
            "PKG-INFO": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        }
        path = self.folder / f"{name}-1.0.tar.gz"
        with tarfile.open(path, "w:gz") as archive:
            for each, text in files.items():
                entry = tarfile.TarInfo(f"{name}-1.0/{each}")
                entry.size = len(text)
                archive.addfile(entry, io.BytesIO(text.encode()))
        return path


def list_modules() -> set[str]:
    """Return the names of the modules of packs that this process has imported."""
    return {name for name in sys.modules if name.startswith(("my_guards", "helper_of_pack"))}
