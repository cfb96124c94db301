"""Does a program run as its own file, and can nobody write it meanwhile?"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hookline.handlers import spawn
from hookline.handlers.process_spec import Program
from hookline.handlers.sealing import lease
from hookline.handlers.sealing.lease import itself
from hookline.handlers.sealing.memory import ready
from hookline.handlers.sight.contents import stamp_of
from hookline.model.sight import Piece, Sealed
from hookline.text.digest import sha256

if sys.platform != "linux":
    pytest.skip("leases are of Linux", allow_module_level=True)

BYTES = b"verified" * 300_000


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A file as it was looked at."""
    path = tmp_path / "guard"
    path.write_bytes(BYTES)
    path.chmod(0o755)
    return path


def piece(path: Path, data: bytes = BYTES, **fields: str) -> Piece:
    """What was looked at of it."""
    return Piece(data=data, real=str(path), **fields)


def is_refused(path: Path) -> bool:
    """Whether nobody can open a file for writing now."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        return True
    return False


@pytest.mark.parametrize("is_held", [True, False], ids=["held", "too large to be held"])
def test_it_is_the_file_itself_and_nobody_writes_it(program: Path, *, is_held: bool) -> None:
    """Until what lasts is closed; what is handed over has no lease, which would outlive us in the program that inherits it."""
    import fcntl  # noqa: PLC0415 - not everywhere

    looked_at = (
        piece(program)
        if is_held
        else piece(program, b"", source=str(program), digest=sha256(BYTES))
    )
    with contextlib.ExitStack() as lasting:
        fd = itself(looked_at, lasting)
        assert fd is not None
        with open(fd, "rb") as file:
            assert os.path.samestat(os.fstat(fd), program.stat())
            assert (file.read(), fcntl.fcntl(fd, fcntl.F_GETLEASE)) == (BYTES, fcntl.F_UNLCK)
            assert is_refused(program)

    assert not is_refused(program)


def _rewritten(path: Path) -> None:
    path.write_bytes(BYTES[:-1] + b"X")


def _longer(path: Path) -> None:
    path.write_bytes(BYTES + b"X")


def _shorter(path: Path) -> None:
    path.write_bytes(BYTES[:-1])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _replaced(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(BYTES[:-1] + b"X")
    other.replace(path)


def _linked(path: Path) -> None:
    path.rename(path.with_name("other"))
    path.symlink_to("other")


def _gone(path: Path) -> None:
    path.unlink()


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


SPOILS = [_rewritten, _longer, _shorter, _empty, _replaced, _linked, _gone, _pipe, _folder]


@pytest.mark.parametrize("spoil", SPOILS, ids=lambda spoil: spoil.__name__.strip("_"))
@pytest.mark.parametrize("is_held", [True, False], ids=["held", "too large to be held"])
def test_another_file_is_not_it(program: Path, spoil, *, is_held: bool) -> None:
    """And nothing of it stays open, or out of reach of writers."""
    looked_at = (
        piece(program)
        if is_held
        else piece(program, b"", source=str(program), digest=sha256(BYTES))
    )
    spoil(program)
    before = os.listdir("/proc/self/fd")
    with contextlib.ExitStack() as lasting:
        assert itself(looked_at, lasting) is None
        assert os.listdir("/proc/self/fd") == before


def test_a_file_that_somebody_holds_open_for_writing_is_not_run(program: Path) -> None:
    """It could be another one a moment later; the verified bytes run from memory."""
    sealed = Sealed(
        argv=("x",), pieces=(piece(program),), executable=f"/proc/self/fd/{Sealed.mark(0)}"
    )
    with program.open("r+b"), contextlib.ExitStack() as closing, contextlib.ExitStack() as lasting:
        assert itself(piece(program), lasting) is None
        _, executable, (fd,) = ready(sealed, "/nowhere", closing, lasting)

        assert (executable, os.pread(fd, len(BYTES) + 1, 0)) == (f"/proc/self/fd/{fd}", BYTES)
        assert not os.path.samestat(os.fstat(fd), program.stat())


def test_a_file_whose_stamp_is_known_is_not_read_again(program: Path) -> None:
    """While nobody can write it, its times tell that it is the same; with others it is read."""
    known = piece(program, b"", source=str(program), digest="known by its stamp").replace(
        stamp=stamp_of(program.stat())
    )
    with contextlib.ExitStack() as lasting:
        fd = itself(known, lasting)
        assert fd is not None
        os.close(fd)
        assert itself(known.replace(stamp=(*known.stamp[:-1], 0)), lasting) is None


def test_runs_at_once_hold_the_same_file_each_for_itself(program: Path) -> None:
    """The first that ends lets nobody in."""
    first, second = contextlib.ExitStack(), contextlib.ExitStack()
    for each in (first, second):
        fd = itself(piece(program), each)
        assert fd is not None
        os.close(fd)
    first.close()
    assert is_refused(program)
    second.close()

    assert not is_refused(program)


def test_a_lease_that_was_taken_away_is_not_missed(program: Path) -> None:
    """The kernel does that where a writer waited for too long."""
    import fcntl  # noqa: PLC0415 - not everywhere

    with program.open("rb") as file, contextlib.ExitStack() as ours:
        assert lease.keep(file.fileno(), ours)
        fcntl.fcntl(file.fileno(), fcntl.F_SETLEASE, fcntl.F_UNLCK)
        ours.close()

        assert not is_refused(program)


def test_a_program_of_roots_is_run_as_it_is() -> None:
    """Nobody but root can write it, lease or not."""
    path = Path(os.path.realpath(shutil.which("readlink") or "/bin/sh"))
    with contextlib.ExitStack() as lasting:
        fd = itself(piece(path, path.read_bytes()), lasting)
        assert fd is not None
        assert os.path.samestat(os.fstat(fd), path.stat())
        os.close(fd)


def test_a_file_that_others_serve_is_not_held() -> None:
    """Its bytes may be others at each reading, whatever this kernel knows of writers."""
    with open("/proc/self/status", "rb") as served:
        assert not lease.is_local(served.fileno())
    with contextlib.ExitStack() as lasting:
        assert (
            itself(piece(Path("/proc/version"), Path("/proc/version").read_bytes()), lasting)
            is None
        )


def test_memory_is_a_file_system_of_this_machine() -> None:
    """Also one without a device."""
    folder = Path("/dev/shm")
    if not os.access(folder, os.W_OK) or os.major(folder.stat().st_dev):
        pytest.skip("there is none to be written to")
    path = folder / f"hookline-{os.getpid()}"
    path.write_bytes(BYTES)
    try:
        with contextlib.ExitStack() as lasting:
            fd = itself(piece(path), lasting)
            assert fd is not None
            os.close(fd)
    finally:
        path.unlink()


# -- run -----------------------------------------------------------------------------------------------------------------


def _copied(name: str, folder: Path) -> Path:
    """A program of this machine under another name; skipped where it is one of many in one file."""
    path = folder / "guard"
    shutil.copy(shutil.which(name) or pytest.skip(f"{name} is not on this machine"), path)
    if subprocess.run([path, "--version"], capture_output=True, check=False).returncode:
        pytest.skip(f"{name} goes by its name here")
    return path


@pytest.mark.process
@pytest.mark.parametrize("through", [(), ("sh", "-c")], ids=["alone", "from a shell"])
def test_what_runs_cannot_be_written(tmp_path: Path, through: tuple[str, ...]) -> None:
    """Nor before it is run by what was started first; afterwards it can."""
    path = _copied("cat", tmp_path)
    place = f"/proc/self/fd/{Sealed.mark(0)}"
    sealed = Sealed(
        argv=(*through, place) if through else ("guard",),
        pieces=(piece(path, path.read_bytes()),),
        executable="" if through else place,
    )
    started = Program(
        argv=(), stdin=b"", cwd=str(tmp_path), env=dict(os.environ), timeout=60.0, sealed=sealed
    )
    lasting = contextlib.ExitStack()
    popen, (stdin, stdout, stderr), _ = spawn.start(started, lambda _: None, lasting)
    refused = is_refused(path)
    for fd in (stdin, stdout, stderr):
        os.close(fd)
    code = popen.wait()
    lasting.close()

    assert (refused, is_refused(path), code) == (True, False, 0)


@pytest.mark.process
def test_many_threads_run_it_at_once(tmp_path: Path) -> None:
    """Each as the file that it is."""
    path = _copied("readlink", tmp_path)
    seen = piece(path, path.read_bytes())
    sealed = Sealed(
        argv=("guard", "/proc/self/exe"),
        pieces=(seen,),
        executable=f"/proc/self/fd/{Sealed.mark(0)}",
    )
    told: list[str] = []

    def run() -> None:
        for _ in range(5):
            with contextlib.ExitStack() as lasting, contextlib.ExitStack() as closing:
                argv, executable, passed = ready(sealed, "/nowhere", closing, lasting)
                done = subprocess.run(
                    argv,
                    executable=executable,
                    pass_fds=passed,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                told.append(done.stdout + done.stderr)

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert told == [f"{path}\n"] * 40
