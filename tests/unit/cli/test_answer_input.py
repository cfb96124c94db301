"""Standard input: read to its end, or to the end of one JSON text."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from hookline.cli.answer import read_descriptor

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """Both ends of a pipe."""
    reader, writer = os.pipe()
    yield reader, writer
    os.close(reader)
    os.close(writer)


def test_a_complete_text_needs_no_end(pipe: tuple[int, int]) -> None:
    """The writer keeps its end of the pipe open."""
    os.write(pipe[1], b'{"a": "}"}\n')

    assert read_descriptor(pipe[0]) == b'{"a": "}"}\n'


def test_a_text_that_only_looks_complete_is_waited_for(pipe: tuple[int, int]) -> None:
    """The rest may come after any pause, however the first part ends."""
    looked = threading.Event()

    def is_complete(sent: bytes) -> bool:
        looked.set()
        return sent.endswith(b"}}")

    def write_rest() -> None:
        assert looked.wait(20)
        os.write(pipe[1], b"}")

    os.write(pipe[1], b'{"a": {}')
    rest = threading.Thread(target=write_rest)
    rest.start()

    assert read_descriptor(pipe[0], is_complete=is_complete) == b'{"a": {}}'
    rest.join()


def test_what_has_no_end_is_cut_off() -> None:
    """A device that never ends does not keep the host waiting."""
    device = os.open("/dev/zero", os.O_RDONLY)
    try:
        assert len(read_descriptor(device, 3 << 20)) == (3 << 20) + 1
    finally:
        os.close(device)


def test_an_empty_input_is_no_payload() -> None:
    """The input ends before any text."""
    device = os.open(os.devnull, os.O_RDONLY)
    try:
        assert read_descriptor(device) == b""
    finally:
        os.close(device)


def test_a_fifo_that_its_writer_left_is_at_its_end(tmp_path: object) -> None:
    """What was written before counts, complete or not."""
    path = f"{tmp_path}/fifo"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(path, os.O_WRONLY)
    os.set_blocking(reader, True)
    os.write(writer, b'{"a": ')
    os.close(writer)
    try:
        assert read_descriptor(reader) == b'{"a": '
    finally:
        os.close(reader)
