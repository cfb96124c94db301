"""Fixtures of the handlers' tests: the process adopts no orphans and counts only its children."""

from __future__ import annotations

import pytest

from hookline.handlers.process_tree import become_subreaper
from tests.unit.handlers import support


@pytest.fixture(autouse=True)
def begins_alone(request: pytest.FixtureRequest) -> None:
    """A command line that another test ran in this process made it a subreaper."""
    if request.node.get_closest_marker("process") is None:
        return
    become_subreaper(adopt=False)
    support.EARLIER_CHILDREN.clear()
    support.EARLIER_CHILDREN.update(support.children())
