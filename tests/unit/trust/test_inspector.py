"""Inspector: sees every change of a file, before a hook runs and after."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookline.trust.inspection import Inspection, StartedCommand, find_changes
from hookline.trust.inspector import inspect_command

if TYPE_CHECKING:
    from collections.abc import Callable

S = "#!/bin/sh\n"
FAR = 4e9  # seconds: long after every file of a test


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "lib").mkdir(parents=True)
    for name, text in {"a.sh": f"{S}. lib/b.sh\n", "lib/b.sh": S, "data.txt": "1"}.items():
        (root / name).write_text(text)
        (root / name).chmod(0o755)
    (root / "data.txt").chmod(0o644)
    return root


def started(root: Path, text: str = "./a.sh data.txt", **more: object) -> StartedCommand:
    places = {"cwd": str(root), "root": str(root)}
    return StartedCommand(text=text, **places, **more)  # type: ignore[arg-type]


def far() -> float:
    return FAR


def edit(path: Path) -> None:
    path.write_text(f"{S}evil\n")


def edit_and_restore_times(path: Path) -> None:
    before = path.stat()
    path.write_text(path.read_text().replace("sh", "zz"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def swap_and_back(path: Path) -> None:
    other = path.with_suffix(".other")
    path.rename(other)
    path.write_text("evil")
    other.rename(path)


def replace(path: Path) -> None:
    other = path.with_suffix(".other")
    other.write_text(f"{S}evil\n")
    other.chmod(0o755)
    other.rename(path)


def link_elsewhere(path: Path) -> None:
    other = path.with_suffix(".other")
    other.write_text(f"{S}evil\n")
    path.unlink()
    path.symlink_to(other)


def make_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


EDITS: list[Callable[[Path], None]] = [
    edit,
    edit_and_restore_times,
    replace,
    link_elsewhere,
    make_fifo,
    Path.unlink,
]


@pytest.mark.parametrize("name", ["a.sh", "lib/b.sh"])
@pytest.mark.parametrize(
    "change", [*EDITS, lambda path: path.chmod(0o644), lambda path: path.chmod(0o757)]
)
@pytest.mark.parametrize("clock", [far, time.time])
def test_a_change_is_seen_before_and_after(
    project: Path, name: str, change: Callable[[Path], None], clock: Callable[[], float]
) -> None:
    """Also one within the grain of the file system's clock, and one of the bits that count."""
    inspector = partial(inspect_command, clock=clock)
    before = inspector(started(project))
    assert find_changes(before) == []

    change(project / name)

    assert find_changes(before) == [name]
    assert inspector(started(project)).digest != before.digest


@pytest.mark.parametrize(
    "change", [swap_and_back, os.utime, lambda path: path.write_bytes(path.read_bytes())]
)
def test_a_touch_counts_after_a_run_but_not_before_one(
    project: Path, change: Callable[[Path], None]
) -> None:
    """During a run the bytes could have changed; before it only these bytes run."""
    inspector = partial(inspect_command, clock=far)
    before = inspector(started(project))

    change(project / "lib/b.sh")

    assert find_changes(before) == ["lib/b.sh"]
    assert inspector(started(project)).digest == before.digest


def test_a_new_entry_counts_before_a_run_but_not_after_one(project: Path) -> None:
    """It counts only if the command would run it."""
    inspector = partial(inspect_command, clock=far)
    before = inspector(started(project, "./a.sh new.sh"))
    (project / "other.sh").write_text(S)
    assert inspector(started(project, "./a.sh new.sh")).files == before.files

    (project / "new.sh").write_text(S)

    assert find_changes(before) == []
    assert len(inspector(started(project, "./a.sh new.sh")).files) == 3


def test_data_that_becomes_code_is_covered_then(project: Path) -> None:
    """A file that a word names is looked at again when it changes."""
    inspector = partial(inspect_command, clock=far)
    assert len(inspector(started(project)).files) == 2

    (project / "data.txt").chmod(0o755)

    assert len(inspector(started(project)).files) == 3


@pytest.mark.parametrize(
    ("text", "problem"), [("./plain", "not executable"), ("bash plain", ""), ("./a.sh", "")]
)
def test_a_program_must_be_executable(project: Path, text: str, problem: str) -> None:
    """A script that an interpreter reads need not."""
    (project / "plain").write_text("true\n")

    assert inspect_command(started(project, text)).files[0].problem == problem


def test_no_file_holds_hookline_up(project: Path) -> None:
    """A FIFO, a device, a folder and a loop of links are no files that are read."""
    os.mkfifo(project / "fifo.sh")
    (project / "loop.sh").symlink_to("loop.sh")
    (project / "zero.sh").symlink_to("/dev/zero")
    text = "bash fifo.sh; bash < fifo.sh; . /dev/zero; ./loop.sh; ./zero.sh; bash lib"

    found = inspect_command(started(project, text, listed=("fifo.sh",)))

    assert [(file.key, file.problem) for file in found.files] == [("fifo.sh", "gone")]


def test_a_variable_that_is_used_belongs_to_the_inspection(project: Path) -> None:
    """Others may change."""
    inspector = partial(inspect_command, clock=far)
    text = "bash $D/b.sh"
    first = inspector(started(project, text, variables={"D": "lib", "E": "1"}))

    assert first.variables == {"D": "lib", "PATH": None}
    assert inspector(started(project, text, variables={"D": "none"})).files == ()


# -- the cache on disk -----------------------------------------------------------------------------


def cached(project: Path, folder: Path) -> Inspection:
    inspector = partial(inspect_command, folder=str(folder), clock=far)
    return inspector(started(project, "./a.sh \"$HOME\" && python3 -c 'import x'"))


def test_a_new_process_needs_neither_grammar_nor_parser(project: Path, tmp_path: Path) -> None:
    """With a cache on disk it costs stats."""
    found = cached(project, tmp_path / "cache")
    code = (
        "import sys; from hookline.trust.inspection import StartedCommand\n"
        "from hookline.trust.inspector import inspect_command\n"
        f"command = StartedCommand(text={started(project).text!r}, cwd={str(project)!r}, "
        f"root={str(project)!r})\n"
        f"command = command.replace(text='./a.sh \"$HOME\" && python3 -c \\'import x\\'')\n"
        f"print(inspect_command(command, {str(tmp_path / 'cache')!r}, lambda: {FAR}).digest)\n"
        "print(*{'ast', 'tree_sitter', 'hookline.trust.resolver', 'hookline.text.shell_syntax'} & "
        "set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == [found.digest]


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "\0", '{"format": 2}', '{"format": 1}', '{"format": 2, "files": 1}',
     "[" * 100_000],
)  # fmt: skip
def test_a_damaged_cache_is_ignored(project: Path, tmp_path: Path, content: str) -> None:
    """Whatever its files hold."""
    found = cached(project, tmp_path / "cache")
    for path in (tmp_path / "cache").iterdir():
        path.write_text(content)

    assert cached(project, tmp_path / "cache") == found


def test_a_cache_that_cannot_be_written_is_left_out(project: Path, tmp_path: Path) -> None:
    """A failed save gives no message."""
    (tmp_path / "file").write_text("")

    assert cached(project, tmp_path / "file").files
    assert cached(project, tmp_path / "file/below").files


# -- laws ------------------------------------------------------------------------------------------


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(data=st.data(), now=st.sampled_from([far, time.time]))
def test_every_change_of_bytes_is_seen(
    project: Path, data: st.DataObject, now: Callable[[], float]
) -> None:
    """Twice without a change is the same digest.

    With one it is another, and the file is reported.
    """
    (project / "a.sh").write_text(f"{S}. lib/b.sh\n")
    (project / "lib/b.sh").write_text(data.draw(st.text(max_size=20)))
    inspector = partial(inspect_command, clock=now)
    before = inspector(started(project))
    assert inspector(started(project)).digest == before.digest
    file = data.draw(st.sampled_from(before.files))
    old = Path(file.path).read_bytes()
    new = data.draw(st.binary(max_size=60).filter(lambda bytes_: bytes_ != old))

    Path(file.path).write_bytes(new)

    assert inspector(started(project)).digest != before.digest
    assert file.key in find_changes(before)
