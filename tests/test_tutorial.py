"""The tutorial is typed, from the installation on, and prints what it shows."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

import pytest

from tests.test_how_to import assert_page_holds, files

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[1]
# A new environment has the libraries of this one, pip among them, so that nothing needs a network.
PYTHON = """\
#!/bin/sh
[ "$1 $2" = "-m venv" ] || exec "{python}" "$@"
"{python}" -m venv --without-pip "$3"
printf '%s\\n' {libraries} > "$(echo "$3"/lib/python3*/site-packages)/libraries.pth"
printf '#!/bin/sh\\nexec "%s/python" -m pip "$@"\\n' "$PWD/$3/bin" > "$3/bin/pip"
chmod +x "$3/bin/pip"
"""
PIP = """\
[install]
no-deps = true
no-index = true
no-build-isolation = false
"""


def test_the_tutorial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command, in one shell in a new home that has a checkout."""
    checkout = tmp_path / "hookline"
    checkout.mkdir()
    shutil.copytree(ROOT / "src", checkout / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, checkout)
    (tmp_path / ".config/pip").mkdir(parents=True)
    (tmp_path / ".config/pip/pip.conf").write_text(PIP, encoding="ascii")
    python = tmp_path / "programs" / "python3"
    python.parent.mkdir()
    libraries = shlex.join(path for path in sys.path if path.endswith("site-packages"))
    python.write_text(PYTHON.format(python=sys.executable, libraries=libraries), encoding="utf-8")
    python.chmod(0o755)
    monkeypatch.setenv("PATH", f"{python.parent}:/usr/bin:/bin")
    files("../tutorial.md", tmp_path)

    assert_page_holds("../tutorial.md", tmp_path, source=Path("/nowhere"))
