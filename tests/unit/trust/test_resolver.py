"""Resolver: which files a command runs and loads, and what else it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.trust.inspection import Inspection, StartedCommand
from hookline.trust.inspector import inspect_command

if TYPE_CHECKING:
    from pathlib import Path

FAR = 4e9  # seconds: long after every file of a test


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files; one whose text begins with `#!` is executable."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if text.startswith("#!") else 0o644)


def look(folder: Path, text: str = "", argv: tuple[str, ...] = (), **more: object) -> Inspection:
    """Inspect a command that is started in a project."""
    variables = {"CLAUDE_PROJECT_DIR": str(folder), "HOME": str(folder.parent / "home")}
    given = {"cwd": str(folder), "root": str(folder), "variables": variables, **more}
    command = StartedCommand(text=text, argv=argv, **given)  # type: ignore[arg-type]
    return inspect_command(command, clock=lambda: FAR)


def keys(inspection: Inspection) -> list[str]:
    return [file.key for file in inspection.files]


S = "#!/bin/sh\n"


@pytest.mark.parametrize(
    ("text", "covered"),
    [
        ("./x.sh", "x.sh"),
        ("bash x.sh a b", "x.sh"),
        ("bash -o pipefail plain", "plain"),
        ("bash -lc './x.sh && ./y.sh'", "x.sh y.sh"),
        ("env A=1 ./x.sh", "x.sh"),
        ("env -i A=1 timeout 5s ./x.sh", "x.sh"),
        ("exec ./x.sh", "x.sh"),
        ('cd "$CLAUDE_PROJECT_DIR" && ./x.sh', "x.sh"),
        ("cd lib && ./z.sh", "lib/z.sh"),
        ('"$CLAUDE_PROJECT_DIR"/lib/z.sh', "lib/z.sh"),
        ("${CLAUDE_PROJECT_DIR}/lib/z.sh", "lib/z.sh"),
        ("${OTHER:-$CLAUDE_PROJECT_DIR}/lib/z.sh", "lib/z.sh"),
        ('D="$CLAUDE_PROJECT_DIR/lib"; "$D/z.sh"', "lib/z.sh"),
        ('"$(pwd)/x.sh"', "x.sh"),
        ("source x.sh", "x.sh"),
        (". ./plain", "plain"),
        ("bash < x.sh", "x.sh"),
        ("cat x.sh | bash", "x.sh"),
        ("bash <(cat x.sh)", "x.sh"),
        ('bash -c "$(cat x.sh)"', "x.sh"),
        ('eval "./x.sh"', "x.sh"),
        ("trap './x.sh' EXIT", "x.sh"),
        ("[ -f x.sh ] && ./y.sh", "y.sh"),
        ("if ./x.sh; then ./y.sh; fi", "x.sh y.sh"),
        ("./x.sh | ./y.sh > out.sh", "x.sh y.sh"),
        ("f() { ./x.sh; }; f", "x.sh"),
        ("find . -name '*.py' -exec ./x.sh {} +", "x.sh"),
        ("./x.sh --with=y.sh", "x.sh y.sh"),
        ("lib/run.cmd inner", "lib/inner lib/run.cmd"),
        ("uv run tool.py", "other.py tool.py"),
        ("python3 -W ignore tool.py", "other.py tool.py"),
        ("python3 -m pkg", "pkg/__init__.py pkg/__main__.py"),
        ("python3 -c 'import other'", "other.py"),
        ("ls plain-python && python3 plain-python", "other.py plain-python"),
        ("python3 pkg", "pkg/__main__.py"),
        ("node x.mjs dep.js", "dep.js x.mjs"),
        ("./bin/python tool.py", "bin/python other.py tool.py"),
        ("powershell -File tool.ps1", "tool.ps1"),
        ("eslint --fix dep.js", ""),
        ("npx eslint --fix dep.js", ""),
        ("python3 -m pytest other.py", ""),
        ("cat x.sh", "x.sh"),
        ("grep -q x x.sh && echo y.sh", "x.sh"),
        ("make data.txt", ""),
        ("jq . data.txt < data.txt", ""),
        ("echo 'unfinished", ""),
    ],
)
def test_a_command_text_names_its_files(tmp_path: Path, text: str, covered: str) -> None:
    """Words and redirections that lead to code are covered; words that are data are not."""
    root = tmp_path / "project"
    write(
        root,
        {
            "x.sh": S, "y.sh": S, "lib/z.sh": S, "plain": "true\n", "bin/python": S, "tool.ps1": "",
            "data.txt": "data", "lib/run.cmd": S, "lib/inner": S,
            "tool.py": "import other\n", "other.py": "", "pkg/__init__.py": "",
            "plain-python": "import other\n",
            "pkg/__main__.py": "",
            "x.mjs": "import './dep.js'\n", "dep.js": "",
        },
    )  # fmt: skip
    (root / "plain-python").chmod(0o755)

    assert keys(look(root, text)) == covered.split()


@pytest.mark.parametrize(
    "line",
    [
        '. "$(dirname "$0")/b.sh"',
        'source "${BASH_SOURCE%/*}/b.sh"',
        '. "${0%/*}"/b.sh',
        'D="$(cd -- "$(dirname "${BASH_SOURCE[0]}")" >/dev/null 2>&1 && pwd -P)"\n"$D/b.sh"',
        'S=$(readlink -f "$0"); D=`dirname $S`\nD=$(dirname "$S"); exec bash "$D"/b.sh "$@"',
        'D="${ROOT:-$(cd "$(dirname "$0")/.." && pwd)}"\nif true; then "$D"/hooks/b.sh; fi',
        'exec "${0:A:h}/b.sh"',
        '"$(git rev-parse --show-toplevel)/hooks/b.sh"',
        'cd "$(dirname "$0")" || exit 1\n./b.sh',
        "bash hooks/b.sh",
        'cat "$1" | jq .\nrun() {\n  local x=1\n  bash -c "./hooks/b.sh $x"\n}\nrun',
    ],
)
def test_a_script_is_read_as_the_command_is(tmp_path: Path, line: str) -> None:
    """So wrappers and `source` need no rule of their own.

    Also where the hook names a link to the script.
    """
    write(tmp_path, {"hooks/a.sh": f"{S}{line}\n", "hooks/b.sh": S, ".git/HEAD": ""})
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/link").symlink_to("../hooks/a.sh")

    assert keys(look(tmp_path, "hooks/a.sh")) == ["hooks/a.sh", "hooks/b.sh"]
    assert "hooks/b.sh" in keys(look(tmp_path, "bin/link"))


@pytest.mark.parametrize(
    ("files", "covered"),
    [
        ({"hooks/a.py": "import b", "hooks/b.py": ""}, "hooks/b.py"),
        ({"hooks/a.py": "from lib import b", "lib/b.py": "import c", "hooks/c.py": ""},
         "hooks/c.py lib/b.py"),
        ({"hooks/a.py": "import p.q.r", "p/__init__.py": "", "p/q/r.py": "from . import s",
          "p/q/s.py": ""}, "p/__init__.py p/q/r.py p/q/s.py"),
        ({"hooks/a.py": "import p.q", "p/q.py": "from ..p.t import u", "p/t.py": ""},
         "p/q.py p/t.py"),
        ({"hooks/a.py": "pass", "hooks/json.py": "", "json.py": ""}, "hooks/json.py"),
        ({"hooks/a.py": "pass", "hooks/locale.pyc": "\0"}, "hooks/locale.pyc"),
        ({"hooks/a.py": "import b", "hooks/b.abi3.so": "\0"}, "hooks/b.abi3.so"),
        ({"hooks/a.py": "import b", "venv/b.py": "", "hooks/b/data.json": ""}, ""),
    ],
)  # fmt: skip
def test_python_loads_what_it_imports(tmp_path: Path, files: dict[str, str], covered: str) -> None:
    """From the script's folder up to the root, and files named as standard modules beside it."""
    write(tmp_path, files)

    found = look(tmp_path, "python3 hooks/a.py")

    assert keys(found) == sorted(["hooks/a.py", *covered.split()])
    assert found.imports_covered_python == any(
        "import b" in text or "import p" in text for text in files.values() if covered
    )


@pytest.mark.parametrize(
    ("files", "text", "unseen"),
    [
        ({}, "make lint", ["make"]),
        ({}, "cat x | jq . && git status", []),
        ({}, 'bash "$UNKNOWN/x.sh"', ["$(...)/x.sh"]),
        ({}, '"$(tool)"', ["$(...)"]),
        ({"a.py": "import requests, json"}, "python3 a.py", ["Python module requests"]),
        ({"a.py": "import subprocess\nsubprocess.run(x)"}, "python3 a.py", ["what a.py starts"]),
        ({"a.py": "import ("}, "python3 a.py", ["parts of a.py that hookline cannot read"]),
        ({}, "python3 - <<'EOF'\nimport a\nEOF", ["what `python3` reads from its input"]),
        ({"a.sh": "#!/bin/sh\n"}, "cat a.sh | bash", ["what `bash` reads from its input"]),
        ({"a.mjs": "import './b.mjs'"}, "node a.mjs", ["what a.mjs loads"]),
        ({"a.rb": ""}, "ruby a.rb", ["what a.rb loads"]),
        ({".venv/bin/tool": S}, ".venv/bin/tool", [".venv/bin/tool"]),
        ({"node_modules/.bin/x": S}, "./node_modules/.bin/x", ["node_modules/.bin/x"]),
    ],
)  # fmt: skip
def test_what_is_not_covered_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], text: str,
    unseen: list[str]
) -> None:  # fmt: skip
    """Programs, packages, and what only a run can tell."""
    write(
        tmp_path,
        {
            f"bin/{name}": S
            for name in ("make", "cat", "jq", "git", "bash", "python3", "node", "ruby")
        },
    )
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    write(tmp_path / "project", files)

    found = look(tmp_path / "project", text)

    assert list(found.unseen) == unseen


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("no-such-program x", "no-such-program"),
        ("no-such-program there.sh", "no-such-program"),
        ('"$(no-such-program)" there.sh', ""),
        ("./gone.sh", "./gone.sh"),
        ("sh gone.sh", "gone.sh"),
        ("sh -e gone.sh", "gone.sh"),
        (". ./gone.sh", "./gone.sh"),
        ("sh -c 'no-such-program'", ""),
        ("[ -f gone.sh ] && ./gone.sh", ""),
        ("if true; then ./gone.sh; fi", ""),
        ("sh there.sh gone.sh", ""),
        ("env X=1 no-such-program", ""),
    ],
)
def test_a_command_of_one_program_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, missing: str
) -> None:
    """A text of several commands may know what to do without one."""
    write(tmp_path, {"bin/sh": S, "bin/node": S, "bin/env": S})
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    write(tmp_path / "project", {"there.sh": S})

    reason = f"`{missing}` was not found" if missing else ""
    assert look(tmp_path / "project", text).missing_program == reason


def test_a_program_is_started_without_a_shell(tmp_path: Path) -> None:
    """Then its words are words, and signs of a shell mean themselves."""
    write(tmp_path, {"a b.sh": S, "$x.sh": S})

    assert keys(look(tmp_path, argv=("./a b.sh", "$x.sh", "x;y"))) == ["$x.sh", "a b.sh"]


def test_listed_files_are_covered(tmp_path: Path) -> None:
    """Also data, and one that is gone."""
    write(tmp_path, {"rules.json": "{}", "node_modules/x.js": ""})

    found = look(tmp_path, "true", listed=("rules.json", "gone.json", "node_modules/x.js"))

    assert keys(found) == ["gone.json", "node_modules/x.js", "rules.json"]
    assert [file.problem for file in found.files] == ["gone", "", ""]


def test_a_file_outside_the_root_has_its_whole_path(tmp_path: Path) -> None:
    """Compiled programs there are the system's; scripts are covered."""
    write(tmp_path, {"home/x.sh": S, "home/tool": "#!"})
    (tmp_path / "home/tool").write_bytes(b"\x7fELF\0")
    root = tmp_path / "project"
    write(root, {"tool": "#!"})
    (root / "tool").write_bytes(b"\x7fELF\0")

    found = look(root, '"$HOME/x.sh" && ~/tool && ./tool')

    assert keys(found) == [str(tmp_path / "home/x.sh"), "tool"]
    assert found.unseen == [str(tmp_path / "home/tool")]


def test_too_many_files_and_bytes_are_named(tmp_path: Path) -> None:
    """They are named, and the rest is covered."""
    names = [f"m{number}.sh" for number in range(210)]
    write(
        tmp_path,
        dict.fromkeys(names, S) | {"all.sh": S + "".join(f". ./{name}\n" for name in names)},
    )
    write(tmp_path, {"large.sh": f"{S}# {'x' * (65 << 20)}\n", "one.sh": f"{S}. ./large.sh\n"})

    assert (len(look(tmp_path, "./all.sh").files), len(look(tmp_path, "./all.sh").unseen)) == (
        200,
        11,
    )
    assert look(tmp_path, "./one.sh").unseen == ["large.sh"]


@pytest.mark.parametrize(
    "text",
    ["bash -c \"$X\"; X='bash -c \"$X\"'", "X=$X$X; " * 50 + "./$X", "$(" * 500, "(" * 5000,
     "x | " * 5000 + "x", "`x " * 1000, "\0\1\2 ./x \udc80", "./\ud800 \ud800"],
)  # fmt: skip
def test_no_text_holds_hookline_up(tmp_path: Path, text: str) -> None:
    """Neither one that runs itself, nor one that grows, nor one that nests."""
    assert look(tmp_path, text).files == ()


def test_a_shielded_command_imports_nothing_from_the_working_folder(tmp_path: Path) -> None:
    """PYTHONSAFEPATH is set if all files were found and none is Python (trust.md 3)."""
    write(tmp_path, {"json.py": ""})

    assert keys(look(tmp_path, "python3 -c 'import json'")) == ["json.py"]
    assert keys(look(tmp_path, "python3 -c 'import json'", is_shielded=True)) == []
    assert keys(look(tmp_path, "python3 -c 'import other'", is_shielded=True)) == ["json.py"]
