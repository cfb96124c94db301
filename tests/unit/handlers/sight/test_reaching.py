"""Is it told from the way to a file that another one was in its place meanwhile?"""

from __future__ import annotations

import os
import shutil
import tempfile

import pytest

from hookline.handlers.sight.reaching import way_to
from hookline.model.sight import Covered, Sight
from hookline.trust.comparison import was_led_elsewhere

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SHARED = "/dev/shm"  # another file system than the one for temporary files


@pytest.fixture(params=["", SHARED])
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """A folder with a script in it, and a link to that, on two file systems."""
    if request.param and not os.access(request.param, os.W_OK):
        pytest.skip("there is no other file system on this machine")
    made = tempfile.mkdtemp(dir=request.param or tmp_path)
    os.makedirs(f"{made}/p/s")
    _write(f"{made}/p/s/a.sh", "good")
    os.symlink("s/a.sh", f"{made}/p/link")
    yield f"{made}/p"
    shutil.rmtree(made)


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _led(path: str, act: Callable[[], None]) -> bool:
    """Whether it is told, once that was done."""

    def seen() -> Sight:
        return Sight(
            files=(
                Covered(role="script", path=path, real=os.path.realpath(path), way=way_to(path)),
            )
        )

    before = seen()
    act()
    return was_led_elsewhere(before, seen(), cloned=False)


def _swap(path: str) -> None:
    """Another one in its place, and the first one back, which is the same file as ever."""
    os.rename(path, f"{path}.bak")
    shutil.copytree(f"{path}.bak", path) if os.path.isdir(f"{path}.bak") else _write(path, "evil")
    os.rename(path, f"{path}.evil")
    os.rename(f"{path}.bak", path)


@pytest.mark.parametrize("what", ["s/a.sh", "s", ""])
def test_what_was_moved_and_put_back_is_told(folder: str, what: str) -> None:
    """The file, or a folder that it lies in: to move one changes its ctime."""
    path = os.path.normpath(os.path.join(folder, what))

    assert _led(f"{folder}/s/a.sh", lambda: _swap(path))


def test_a_link_that_led_elsewhere_is_told(folder: str) -> None:
    """Made anew, or put back."""

    def again() -> None:
        os.unlink(f"{folder}/link")
        os.symlink("s/a.sh", f"{folder}/link")

    assert _led(f"{folder}/link", lambda: _swap(f"{folder}/s/a.sh"))
    assert _led(f"{folder}/link", again)


def test_the_same_bytes_written_again_are_told(folder: str) -> None:
    """Others may have been there in between; so may they have been where only the mode was changed, or the times."""
    path = f"{folder}/s/a.sh"

    assert _led(path, lambda: _write(path, "good"))
    assert _led(path, lambda: os.chmod(path, 0o700))
    assert _led(path, lambda: os.utime(path))
    assert _led(path, lambda: os.unlink(path))


def test_what_is_made_beside_a_script_is_nobodys_fault(folder: str) -> None:
    """A log, a folder, a file that is written anew; nor is reading, or running, the script."""

    def act() -> None:
        _write(f"{folder}/s/a.log", "ran")
        os.makedirs(f"{folder}/s/__pycache__/x", exist_ok=True)
        _write(f"{folder}/out.tmp", "ran")
        os.rename(f"{folder}/out.tmp", f"{folder}/out")
        with open(f"{folder}/s/a.sh", encoding="utf-8") as file:
            file.read()

    assert not _led(f"{folder}/s/a.sh", act)
    assert not _led(f"{folder}/link", act)


def test_any_path_has_a_way(folder: str) -> None:
    """Also one that leads back, to nothing, or in a circle."""
    os.symlink("circle", f"{folder}/circle")

    assert way_to(f"{folder}/s/../s/./a.sh")[-1] == way_to(f"{folder}/link")[-1]
    assert [way_to(path)[-1] for path in (f"{folder}/none", f"{folder}/x\0")] == [(), ()]
    assert len(way_to(f"{folder}/circle")) > 1
