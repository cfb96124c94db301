"""Sockets are this machine's and this user's, unless an option says otherwise."""

from __future__ import annotations

import socket
import stat
from typing import TYPE_CHECKING

import pytest

from hookline.errors import ConfigError
from hookline.server.lifecycle import close_sockets, describe_socket, listen_http, listen_unix_path

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("address", ["127.0.0.1:0", "localhost:0", "0", ":0", "127.1.2.3:0"])
def test_an_address_of_this_machine_is_listened_on(address: str) -> None:
    """A port without a host means this machine."""
    with listen_http(address) as listening:
        assert describe_socket(listening).startswith("http://127.")
        socket.create_connection(listening.getsockname()).close()


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("0.0.0.0:0", "open to other machines"),
        ("[::]:0", "open to other machines"),
        ("192.0.2.1:80", "open to other machines"),
        ("example.org:80", "is not an address"),
        ("localhost", "is not an address"),
        ("127.0.0.1:70000", "is not an address"),
        ("127.0.0.1:x", "is not an address"),
        ("::1:80", "is not an address"),
        ("[127.0.0.1", "is not an address"),
        ("", "is not an address"),
    ],
)
def test_other_addresses_are_refused(address: str, why: str) -> None:
    """By name, because a name may have another address tomorrow.

    By address, where other machines could ask.
    """
    with pytest.raises(ConfigError, match=why) as error:
        listen_http(address)
    assert error.value.code == "HKL5002"


def test_other_machines_may_ask_with_allow_remote() -> None:
    """Without that option the address is refused."""
    with listen_http("0.0.0.0:0", allow_remote=True) as listening:
        assert describe_socket(listening).startswith("http://0.0.0.0:")


def test_a_port_that_is_taken_is_an_error() -> None:
    """The error says so."""
    with (
        listen_http("127.0.0.1:0") as listening,
        pytest.raises(ConfigError, match="another server listens there"),
    ):
        listen_http(f"127.0.0.1:{listening.getsockname()[1]}")


def test_a_unix_socket_is_its_users_alone(tmp_path: Path) -> None:
    """From its creation on. The file is gone when the server ends."""
    path = tmp_path / "s"
    listening = listen_unix_path(str(path))
    with close_sockets([listening]):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert describe_socket(listening) == f"unix:{path}"

    assert not path.exists()
    assert listening.fileno() == -1


def test_a_stale_socket_is_replaced(tmp_path: Path) -> None:
    """No process listens on it any more."""
    path = str(tmp_path / "s")
    listen_unix_path(path).close()
    with listen_unix_path(path), socket.socket(socket.AF_UNIX) as asked:
        asked.connect(path)


def test_a_socket_in_use_is_left_alone(tmp_path: Path) -> None:
    """The second server does not start, and the first one still answers."""
    path = str(tmp_path / "s")
    with listen_unix_path(path), socket.socket(socket.AF_UNIX) as asked:
        with pytest.raises(ConfigError, match="another server listens there") as error:
            listen_unix_path(path)
        assert error.value.code == "HKL5002"
        asked.connect(path)


def test_what_is_no_socket_is_left_alone(tmp_path: Path) -> None:
    """A mistyped path destroys no file."""
    path = tmp_path / "thesis.txt"
    path.write_text("text", encoding="utf-8")

    with pytest.raises(ConfigError, match="is not a socket"):
        listen_unix_path(str(path))
    assert path.read_text(encoding="utf-8") == "text"


@pytest.mark.parametrize("path", ["nowhere/s", "s" * 200])
def test_a_path_that_cannot_be_is_an_error(path: str, tmp_path: Path) -> None:
    """The folder is missing, or the name is too long for a socket."""
    with pytest.raises(ConfigError, match="cannot listen on"):
        listen_unix_path(str(tmp_path / path))


def test_a_file_that_is_not_ours_any_more_stays(tmp_path: Path) -> None:
    """Another server may have replaced it."""
    path = tmp_path / "s"
    with close_sockets([listen_unix_path(str(path))]):
        path.unlink()
        path.write_text("another's", encoding="utf-8")

    assert path.read_text(encoding="utf-8") == "another's"
