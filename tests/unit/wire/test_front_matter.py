"""Front matter ends where its second fence does, whatever the file goes on with."""

from __future__ import annotations

import pytest

from hookline.wire.front_matter import find_front_matter_end

FRONT = b"---\nname: x\n---\n"


@pytest.mark.parametrize(
    ("raw", "end"),
    [
        (FRONT + b"# Body\n", len(FRONT)),
        (b"---\n---\nbody", 8),
        (b"\xef\xbb\xbf--- \r\na: 1\r\n---\t\r\nbody", 21),
        (b"---\ra: 1\r---\rbody", 13),
        (b"---\na: '---'\nb: --- x\n ---\n---\nbody\n---\n", 31),
        (b"---\n----\n---x\n---\nbody", 18),
    ],
)
def test_it_ends_with_its_second_fence(raw: bytes, end: int) -> None:
    """A whole line of three hyphens, trailing blanks and any line end included."""
    assert find_front_matter_end(raw) == end


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"name: x\n",
        b"\n---\na: 1\n---\n",
        b"----\na: 1\n---\n",
        b"---\na: 1\n",
        b"---",
        b"---\na: 1\n---",
        b" ---\na\n---\n",
    ],
)
def test_without_two_fences_there_is_no_end(raw: bytes) -> None:
    """A last line that may go on in the next bytes is no fence yet, either."""
    assert find_front_matter_end(raw) == 0
