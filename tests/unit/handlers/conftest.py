"""Each test of processes begins in a process that adopts no orphans."""

from __future__ import annotations

import pytest

from hookline.handlers.orphans import become_subreaper


@pytest.fixture(autouse=True)
def adopts_no_orphans() -> None:
    """A command line that another test ran in this process made it a subreaper."""
    become_subreaper(adopt=False)
