"""Text that was decoded as UTF-8 although it is something else."""

from __future__ import annotations

import pytest

from hookline.core.output_faults import describe_encoding_fault


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"plain", ""),
        ('{"a": "\u00e9"}'.encode(), ""),
        ('{"a": 1}'.encode("utf-16"), "stdout is UTF-16, not UTF-8"),
        ('{"a": 1}'.encode("utf-16-be"), "stdout is UTF-16, not UTF-8"),
        (b'\0{"a": 1}', "stdout contains NUL bytes"),
    ],
)
def test_nul_bytes_show_another_encoding(data: bytes, fault: str) -> None:
    """Every second byte of ASCII text in UTF-16 is one."""
    assert describe_encoding_fault(data.decode("utf-8", "replace")) == fault
