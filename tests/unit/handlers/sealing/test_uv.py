"""Does a script that uv runs do what it does from its file, in the environment that it asks for?"""

from __future__ import annotations

import os
import re
import sys

import pytest

from tests.unit.handlers.sealing.running import Ran, Script, both, needs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

CODE = """import os, sys, sibling
print(os.path.realpath(__file__), sys.argv, os.path.realpath(sys.path[0]), __name__, sibling.SAYS, sys.stdin.read())
print(sys.version_info[:2], 'site-packages' in str(sys.path))
def f():
    raise SystemExit(3)
f()
"""
BLOCK = '# /// script\n# requires-python = ">=3.9"\n# dependencies = []\n# ///\n'
LINE = "#!/usr/bin/env -S uv run --script\n"


def script(folder: Path, text: str, name: str = "x.py") -> Script:
    """A script beside a module."""
    (folder / "sibling.py").write_text("SAYS = 'sibling'\n", encoding="utf-8")
    return Script(folder, name, text)


@pytest.mark.process
@needs("uv")
@pytest.mark.parametrize(
    ("before", "text", "name"),
    [
        (["uv", "run"], BLOCK + CODE, "x.py"),
        (["uv", "run", "--script"], LINE + BLOCK + CODE, "guard"),
        (
            ["uv", "run", "-q", "-s"],
            LINE + "# /// script\n# requires-python = '>=3.9'\n# ///\n" + CODE,
            "x.py",
        ),
        (["uv", "run", "-q"], BLOCK + "import sys\nprint(__file__)\nsys.exit('why')\n", "x.py"),
    ],
)
def test_it_does_what_it_does_from_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: list[str], text: str, name: str
) -> None:
    """Its name, its words, its input, the modules beside it, its Python; with another file in its place, and nobody to ask."""
    for variable, value in (
        ("UV_OFFLINE", "1"),
        ("UV_PYTHON", sys.executable),
        ("UV_CACHE_DIR", str(tmp_path / "cache")),
    ):
        monkeypatch.setitem(os.environ, variable, value)
    made = script(tmp_path, text, name)
    plain, sealed = both(made, "uv", before, ["a", "--b"])
    again = (
        made.run(made_again)
        if (made_again := Script(tmp_path, name, text).sealed("uv", before))
        else None
    )

    assert _said(sealed) == _said(plain)
    assert again is not None
    assert again.told[0] == plain.told[0]
    assert f"{tmp_path}/{name}" in plain.told[1].replace("/./", "/")


def _said(ran: Ran) -> tuple[int, str, str]:
    """Less the lines of a traceback that are the loader's."""
    code, stdout, stderr = ran.told
    return (
        code,
        stdout,
        re.sub(r'  File "[^"]*/(?:fd/\d+|copies/[^"]*)", .*\n(?:    .*\n)*', "", stderr),
    )


@pytest.mark.parametrize(
    ("before", "text"),
    [
        (["uv", "run"], '# /// script\n# dependencies = ["requests"]\n# ///\n'),
        (["uv", "run"], '# /// script\n# dependencies = [\n#   "requests",\n# ]\n# ///\n'),
        (
            ["uv", "run"],
            '# /// script\n# dependencies = []\n# [tool.uv]\n# exclude-newer = "2026-01-01T00:00:00Z"\n# ///\n',
        ),
        (["uv", "run"], BLOCK + BLOCK),
        (["uv", "run"], "# /// script\n# dependencies = []\n"),
        (["uv", "run", "--script"], "print(1)\n"),
        (["uv", "run"], CODE),
        (["uv", "run", "-q", "--no-project", "--"], CODE),
        (["uv", "run", "--gui-script"], BLOCK),
    ],
)
def test_what_uv_would_look_up_by_the_path_runs_from_its_place(
    tmp_path: Path, before: list[str], text: str
) -> None:
    """An environment with dependencies is not made twice."""
    assert script(tmp_path, text).sealed("uv", before) is None


def test_a_block_is_the_whole_of_what_uv_sees(tmp_path: Path) -> None:
    """The same for every script of that name with that block, so that there is one environment for all of them."""
    first = script(tmp_path, BLOCK + "print(1)\n").sealed("uv", ["uv", "run"])
    second = script(tmp_path, BLOCK + "print(2)\n").sealed("uv", ["uv", "run"])
    assert first is not None
    assert second is not None

    assert first.pieces[0] == second.pieces[0]
    assert first.pieces[0].name == "x.py"
    assert first.pieces[0].data.startswith(BLOCK.encode())
    assert first.pieces[1] != second.pieces[1]
