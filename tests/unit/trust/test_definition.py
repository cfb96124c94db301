"""What is part of a definition, and what is not."""

from __future__ import annotations

from typing import Any

import pytest

from hookline.model.handler import Command
from hookline.model.problem import Origin
from hookline.model.verdict import Stance
from hookline.trust.definition import digest_definition
from tests.unit.trust.support import hook

SPEC = hook("./guard.sh")


@pytest.mark.parametrize(
    "change",
    [
        {"dialect": "codex"},
        {"native_event": "PostToolUse"},
        {"handler": Command(argv=("./other.sh",))},
        {"handler": Command(argv=("./guard.sh",), env={"A": "1"})},
        {"timeout": 0.001},
        {"detached": True},
        {"once": True},
        {"shadow": True},
        {"sworn": {"role": "guard"}},
        {"facts": {"fail_closed": True}},
        {"facts": {"on_error": "block"}},
    ],
)
def test_what_an_entry_does_is_part_of_it(change: dict[str, Any]) -> None:
    """A limit of 1 ms and `async` disarm a guard (docs/explanation/trust.md 2)."""
    assert digest_definition(SPEC.replace(**change)) != digest_definition(SPEC)


@pytest.mark.parametrize(
    "change",
    [
        {"id": "other"},
        {"name": "other"},
        {"rank": 5},
        {"strict": True},
        {"alike": True},
        {"on_failure": Stance.DENY},
        {"facts": {"fail_closed": False, "directory": "guard", "description": "denies"}},
        {"origin": Origin(file="/elsewhere", line=9, scope="project")},
        {"handler": Command(argv=("./guard.sh",), kill_leftovers=True, host_env={"A": "1"})},
    ],
)
def test_names_places_and_options_are_no_part_of_it(change: dict[str, Any]) -> None:
    """They ask for no new approval."""
    assert digest_definition(SPEC.replace(**change)) == digest_definition(SPEC)


def test_the_folder_of_the_owner_stands_for_itself() -> None:
    """A linked worktree, or a plugin of another version, has the same definition."""
    here, there = hook("/a/guard.sh", "/a"), hook("/b/c/guard.sh", "/b/c")

    assert digest_definition(here, ["/a"]) == digest_definition(there, ["/b/c"])
    assert digest_definition(here, ["/a"]) != digest_definition(there, ["/b"])
    assert digest_definition(here, ["/", ""]) == digest_definition(here)
