"""Which files does a word name, and which of them could be run?"""

from __future__ import annotations

import os
import sys

import pytest

from hookline.handlers.sight import named
from hookline.handlers.sight.named import (
    MOST,
    among_systems,
    files_named,
    is_librarys,
    is_runnable,
    is_systems,
    module_files,
    modules_named,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A home with a project in it, which has files of several kinds."""
    (tmp_path / "p").mkdir()
    for name, text, mode in (
        ("x.sh", "", 0o644),
        ("bin", "", 0o755),
        ("line", "#!/bin/sh\n", 0o644),
        ("data.json", "{}", 0o644),
    ):
        (tmp_path / "p" / name).write_text(text, encoding="utf-8")
        (tmp_path / "p" / name).chmod(mode)
    (tmp_path / "a b.sh").write_text("", encoding="utf-8")
    return tmp_path / "p"


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("x.sh", []),
        ("bin", []),
        ("./x.sh", ["x.sh"]),
        ("./bin", ["bin"]),
        ("./line", ["line"]),
        ("data.json", []),
        ("none.sh", []),
        (".", []),
        ("--file=./x.sh", ["x.sh"]),
        ("-f./x.sh", ["x.sh"]),
        ("../a b.sh", ["a b.sh"]),
        ('BEGIN{system("./x.sh")}', ["x.sh"]),
        ("./x.sh:./bin,./line", ["x.sh", "bin", "line"]),
        ("~/p/x.sh", ["x.sh"]),
        ("a bin of mine", []),
        ("/bin/sh", []),
        ("x\0y", []),
    ],
)
def test_a_word_names_what_could_be_run(folder: Path, word: str, names: list[str]) -> None:
    """As a whole, behind a sign, in quotes; a word without a `/` is data, and the system's own is never told."""
    assert [
        os.path.basename(path) for path in files_named(word, [str(folder)], str(folder.parent))
    ] == names


def test_anything_is_told_where_anything_is_run(folder: Path) -> None:
    """What a shell reads needs no name that says so."""
    assert [*files_named("data.json", [str(folder)], "/", anything=True, bare=True)] == [
        f"{folder}/data.json"
    ]
    assert [*files_named("data.json", [str(folder)], "/", anything=True)] == []


def test_a_long_word_costs_no_more_than_a_bound(folder: Path) -> None:
    """What stands behind it is not looked for."""
    assert [*files_named("./none " * MOST + "./x.sh", [str(folder)], "/")] == []


def test_what_looks_as_if_it_could_be_run(folder: Path) -> None:
    """By its mode, its name, its first line; a folder or nothing does not."""
    assert [
        is_runnable(f"{folder}/{name}") for name in ("x.sh", "bin", "line", "data.json", "none")
    ] == [True, True, True, False, False]


def test_the_systems_own_is_what_only_root_may_write(folder: Path) -> None:
    """Where a system keeps its own."""
    assert [
        is_systems(os.path.realpath(path))
        for path in ("/bin/sh", f"{folder}/bin", "/usr/no-such-file")
    ] == [True, False, False]


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A system's own folders, of which everything is root's."""
    for name in (
        "bin/tool",
        "bin/script",
        "local/bin/python3",
        "local/bin/guard",
        "src/app/guard",
        "share/site/hooks/guard",
        "share/site/sub/x",
    ):
        path = tmp_path / "usr" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            "#!/bin/sh\n" if path.name in {"guard", "script"} else "\x7fELF", encoding="utf-8"
        )
    (tmp_path / "usr/share/site/.git").mkdir()
    monkeypatch.setattr(named, "_PACKAGED", (f"{tmp_path}/usr/bin/", f"{tmp_path}/usr/share/"))
    monkeypatch.setattr(
        named, "_SYSTEM", (f"{tmp_path}/usr/bin/", f"{tmp_path}/usr/share/", f"{tmp_path}/usr/")
    )
    monkeypatch.setattr(named, "_SOURCES", (f"{tmp_path}/usr/src/",))
    monkeypatch.setattr(named, "_is_roots", os.path.exists)
    return tmp_path / "usr"


@pytest.mark.parametrize(
    ("name", "folder", "own"),
    [
        ("bin/tool", "", True),
        ("bin/script", "", True),
        ("local/bin/python3", "", True),
        ("local/bin/guard", "", False),
        ("src/app/guard", "", False),
        ("share/site/hooks/guard", "", True),
        ("share/site/hooks/guard", "share/site", False),
        ("share/site/hooks/guard", "share/site/sub", False),
        ("local/bin/python3", "local/bin", False),
        ("bin/tool", "bin", True),
        ("bin/tool", ".", True),
        ("bin/tool", "share/site", True),
    ],
)
def test_who_owns_a_file_proves_nothing_in_a_project(
    system: Path, name: str, folder: str, *, own: bool
) -> None:
    """Where everything is root's, as in a container: there a script counts as the system's only where packages are."""
    projects = among_systems([str(system / folder)] if folder else [])

    assert is_systems(str(system / name), projects) is own


def test_what_lies_elsewhere_is_not_among_the_systems(tmp_path: Path) -> None:
    """Neither is a folder that a system's own lie in: who works there has not brought them along."""
    assert among_systems([str(tmp_path), "/", "/usr", "/usr/bin", "no/path", ""]) == ()
    assert [is_systems(path) for path in ("/dev/null", "/proc/self/status")] == [False, False]


def test_modules_in_the_working_folder_go_first(folder: Path) -> None:
    """Those that code names, and those of the names of Python's own; no others."""
    assert "json" in sys.stdlib_module_names
    for name in ("json.py", "mine.py", "other.py"):
        (folder / name).write_text("", encoding="utf-8")
    (folder / "pack").mkdir()
    (folder / "pack/__main__.py").write_text("", encoding="utf-8")

    assert [
        os.path.relpath(path, folder)
        for path in modules_named(["import mine", "pack"], str(folder))
    ] == [
        "json.py",
        "mine.py",
        "pack/__main__.py",
    ]
    assert [*modules_named(["x"], f"{folder}/none")] == []


def test_a_dotted_module_is_its_own_file_and_those_of_its_packages(folder: Path) -> None:
    """As `python -m` finds them; a package that can be run goes before a module of its name."""
    (folder / "pk/sub").mkdir(parents=True)
    for name in (
        "pk/__init__.py",
        "pk/c.py",
        "pk/sub.py",
        "pk/sub/__init__.py",
        "pk/sub/__main__.py",
        "one.py",
    ):
        (folder / name).write_text("", encoding="utf-8")

    def found(name: str) -> list[str]:
        return [os.path.relpath(path, folder) for path in module_files(name, str(folder))]

    assert found("one") == ["one.py"]
    assert found("pk.c") == ["pk/__init__.py", "pk/c.py"]
    assert found("pk.sub") == ["pk/__init__.py", "pk/sub/__init__.py", "pk/sub/__main__.py"]
    assert [found(name) for name in ("none", "", "../p", "pk.none")] == [
        [],
        [],
        [],
        ["pk/__init__.py"],
    ]
    assert [is_librarys(name) for name in ("json.tool", "mine")] == [True, False]
