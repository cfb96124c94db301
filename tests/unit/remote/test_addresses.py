"""How an address is read from one line, and which socket files may be replaced."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from hookline import ConfigError
from hookline.remote.addresses import ANY_CID, listen_unix, parse_address

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
    """As gRPC spells it; the result says whether only this user can reach it."""
    place = parse_address(text)

    assert (place.way, place.target, place.proven) == (way, target, proven)


@pytest.mark.parametrize(
    ("address", "cid", "port"),
    [
        ("vsock:3:4088", 3, 4088),
        ("vsock:host:4088", 2, 4088),
        ("vsock:local:1", 1, 1),
        ("vsock:any:4088", ANY_CID, 4088),
        ("vsock:4294967295:4294967295", ANY_CID, ANY_CID),
        ("vsock:0:0", 0, 0),
    ],
)
def test_an_address_is_a_machine_and_a_port(address: str, cid: int, port: int) -> None:
    """The port is a number, or a service name that has one."""
    place = parse_address(address)

    assert (place.way, place.cid, place.port) == ("vsock", cid, port)


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
    "vsock:3",
    "vsock:guest:1",
    "vsock:-1:1",
    "vsock:3:-1",
    "vsock:4294967296:1",
    "vsock:3:4294967296",
    "vsock:\u0663:1",
    "vsock:3:1 ",
    "vsock:" + "9" * 5000 + ":1",
]


@pytest.mark.parametrize("text", WRONG, ids=lambda text: repr(text[:20]))
def test_what_is_no_address_of_this_machine_is_refused(text: str) -> None:
    """A name may have another address tomorrow; an address must be of this machine."""
    with pytest.raises(ConfigError) as caught:
        parse_address(text)
    assert caught.value.name == "remote.address"


def test_a_socket_is_for_its_user_only(tmp_path: Path) -> None:
    """Its mode is right from its creation on."""
    path = str(tmp_path / "s")
    with listen_unix(path):
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600


def test_a_stale_socket_is_replaced(tmp_path: Path) -> None:
    """A killed process leaves such a file behind."""
    path = str(tmp_path / "s")
    listen_unix(path).close()

    with listen_unix(path):
        pass


def test_a_socket_in_use_is_left_alone(tmp_path: Path) -> None:
    """Two bridges cannot share one address."""
    path = str(tmp_path / "s")
    with listen_unix(path), pytest.raises(ConfigError, match="another server listens there"):
        listen_unix(path)


def test_a_file_is_left_alone(tmp_path: Path) -> None:
    """A file that is no socket belongs to a user."""
    path = tmp_path / "s"
    path.write_text("mine", encoding="utf-8")

    with pytest.raises(ConfigError, match="not a socket"):
        listen_unix(str(path))
    assert path.read_text(encoding="utf-8") == "mine"


def test_a_folder_that_is_missing_is_told(tmp_path: Path) -> None:
    """Nothing is made in its place."""
    with pytest.raises(ConfigError, match="no such file"):
        listen_unix(str(tmp_path / "missing" / "s"))
