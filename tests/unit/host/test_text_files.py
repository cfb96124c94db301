"""The text files of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.errors import ConfigError
from hookline.host.text_files import read_text_file

if TYPE_CHECKING:
    from pathlib import Path


def test_a_text_is_read(tmp_path: Path) -> None:
    """As UTF-8."""
    (tmp_path / "a").write_text("ü", encoding="utf-8")

    assert read_text_file(str(tmp_path / "a")) == "ü"


@pytest.mark.parametrize(
    ("data", "name"),
    [(None, "config.missing"), (b"\xff", "config.unreadable"), (b"x" * (1 << 20) + b"x", "large")],
)
def test_a_file_that_is_no_text(tmp_path: Path, data: bytes | None, name: str) -> None:
    """The error names the file."""
    path = tmp_path / "a"
    if data is not None:
        path.write_bytes(data)

    with pytest.raises(ConfigError, match="a`") as caught:
        read_text_file(str(path))
    assert name in caught.value.name
