"""Addresses are read in one line each, and a socket is nobody else's."""

from __future__ import annotations

import fcntl
import os
import socket
import stat
from typing import TYPE_CHECKING

import pytest

from hookline import ConfigError
from hookline.remote.addresses import listen_unix, parse_address, remove_socket, reserve_path

if TYPE_CHECKING:
    from pathlib import Path

READ = [
    ("unix:/run/x.sock", "unix", "unix:/run/x.sock", True),
    ("127.0.0.1:4088", "tcp", "127.0.0.1:4088", False),
    ("localhost:0", "tcp", "127.0.0.1:0", False),
    ("[::1]:4088", "tcp", "[::1]:4088", False),
]


@pytest.mark.parametrize(("text", "way", "target", "proven"), READ, ids=[row[0] for row in READ])
def test_an_address_is_read(text: str, way: str, target: str, proven: object) -> None:
    """As gRPC spells it, and whether it is this user's alone."""
    place = parse_address(text)

    assert (place.way, place.target, place.proven) == (way, target, proven)


def test_an_address_of_vsock_is_read() -> None:
    """Which gRPC does not dial itself."""
    assert (parse_address("vsock:host:4088").cid, parse_address("vsock:host:4088").port) == (
        2,
        4088,
    )


WRONG = [
    "",
    "4088",
    "unix:",
    "unix:" + "x" * 200,
    "unix:/a\0b",
    "example.org:80",
    "10.0.0.1:80",
    "0.0.0.0:80",
    "127.0.0.1:99999",
    "dns:///x:1",
]


@pytest.mark.parametrize("text", WRONG, ids=lambda text: repr(text[:20]))
def test_what_is_no_address_of_this_machine_is_refused(text: str) -> None:
    """A name may be anybody's tomorrow, and another machine is reached otherwise."""
    with pytest.raises(ConfigError) as caught:
        parse_address(text)
    assert caught.value.name == "remote.address"


def test_a_socket_is_for_its_user_only(tmp_path: Path) -> None:
    """From the moment that it is there."""
    path = str(tmp_path / "s")
    with listen_unix(path):
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600


def test_a_socket_that_nobody_listens_on_is_replaced(tmp_path: Path) -> None:
    """It is what a process leaves behind that was killed."""
    path = str(tmp_path / "s")
    listen_unix(path).close()

    with listen_unix(path):
        pass


def test_a_socket_that_somebody_listens_on_is_left_alone(tmp_path: Path) -> None:
    """Two bridges at one address would be none."""
    path = str(tmp_path / "s")
    with listen_unix(path), pytest.raises(ConfigError, match="another server listens there"):
        listen_unix(path)


def test_a_file_is_left_alone(tmp_path: Path) -> None:
    """It is not a socket, and somebody's."""
    path = tmp_path / "s"
    path.write_text("mine", encoding="utf-8")

    with pytest.raises(ConfigError, match="is not a socket"):
        listen_unix(str(path))
    assert path.read_text(encoding="utf-8") == "mine"


def test_a_folder_that_is_missing_is_told(tmp_path: Path) -> None:
    """Nothing is made in its place."""
    with (
        pytest.raises(ConfigError, match="no such file"),
        reserve_path(str(tmp_path / "missing" / "s")),
    ):
        pass


def test_a_folder_that_somebody_else_holds_is_waited_for(tmp_path: Path) -> None:
    """He is making a socket there; when he is done it is ours."""
    path, slept = str(tmp_path / "s"), []
    with reserve_path(path):
        holder = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(holder, fcntl.LOCK_EX)

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            os.close(holder)

    with reserve_path(path, sleep=sleep):
        pass
    assert len(slept) == 3


def test_a_folder_that_somebody_else_keeps_is_told(tmp_path: Path) -> None:
    """After one second: a lock without an end is no reason to hang in silence."""
    slept: list[float] = []
    holder = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(holder, fcntl.LOCK_EX)
        with (
            pytest.raises(ConfigError, match="is locked by another process") as caught,
            reserve_path(str(tmp_path / "s"), sleep=slept.append),
        ):
            pass
    finally:
        os.close(holder)
    assert (caught.value.name, caught.value.hint) == (
        "remote.address",
        "end the process that holds the lock, or name a path in another folder",
    )
    assert 0.5 < sum(slept) <= 1.0


def test_only_our_own_socket_is_removed(tmp_path: Path) -> None:
    """Somebody else may have taken its place."""
    path = str(tmp_path / "s")
    listen_unix(path).close()
    made = os.lstat(path)
    os.unlink(path)
    with socket.socket(socket.AF_UNIX) as other, socket.socket(socket.AF_UNIX):
        (tmp_path / "between").touch()  # so that the file has another number
        other.bind(path)
        remove_socket(path, made)
        assert os.path.exists(path) or os.lstat(tmp_path / "between")
    remove_socket(path, os.lstat(path))
    assert not os.path.exists(path)
