"""Names of hooks in the journal: no argument of a command is in them if payloads are hashed."""

from __future__ import annotations

from typing import Any

import pytest

import hookline
from hookline.journal.records import (
    PayloadPolicy,
    name_hook,
    run_record,
    to_canonical_json,
)
from hookline.model.spec import Broken
from hookline.model.verdict import Verdict
from hookline.text.digest import sha256
from tests.unit.journal.support import AT


def specs(*scripts: str, **keys: Any) -> list[hookline.HookSpec]:
    """Hooks on `stop` with these commands."""
    entries = [{"type": "command", "command": each, **keys} for each in scripts]
    return list(
        hookline.Engine.from_config({"hooks": {"stop": entries}}, dialect="docker-agent").hooks
    )


def record_of(spec: hookline.HookSpec | None, policy: PayloadPolicy) -> dict[str, Any]:
    """The record of a run of a hook."""
    return run_record(Verdict(), spec, run_id="r", event_id="e", at=AT, policy=policy)


def test_of_a_command_there_is_the_hash() -> None:
    """Where payloads are hashed; a hook without a name gets that of its scripts."""
    command = "KEY=hunter2hunter2 uv run --script hooks/guard.py; rm x"
    record = record_of(specs(command)[0], PayloadPolicy(environ={}))

    assert (record["name"], record["handler"]) == ("guard.py", "command")
    assert record["command"] == {
        "sha256": sha256(to_canonical_json(command).encode()),
        "bytes": len(to_canonical_json(command)),
    }


@pytest.mark.parametrize(
    ("command", "name", "kept"),
    [
        ("./check.sh x", "no force push", "no force push"),
        ("./check.sh x", "key=hunter2hunter2", "check.sh"),
        ("./a1b2c3d4e5f6.py login hunter2", "login hunter2", ""),
        ("login hunter", "login hunter", ""),
    ],
)
def test_a_named_hook_keeps_its_name(command: str, name: str, kept: str) -> None:
    """Unless it could be what it runs."""
    assert name_hook(specs(command, name=name)[0], PayloadPolicy()) == kept


@pytest.mark.parametrize(
    ("how", "value"),
    [("masked", "x --password [masked 14]"), ("full", "x --password hunter2hunter2")],
)
def test_a_command_is_kept_as_payloads_are(how: str, value: str) -> None:
    """Masked or whole; and a name that is made of it, too."""
    told = record_of(specs("x --password hunter2hunter2")[0], PayloadPolicy(how=how, environ={}))

    assert (told["command"]["value"], told["name"]) == (value, value)


def test_what_cannot_be_loaded_is_not_called_by_what_it_would_run() -> None:
    """There is nothing to compare its name with."""
    broken = specs("x")[0].replace(name="login hunter", handler=Broken(reason="no"))

    assert name_hook(broken, PayloadPolicy()) == ""


def test_an_unknown_hook_has_no_name() -> None:
    """Nor a command."""
    record = record_of(None, PayloadPolicy())

    assert (record["name"], record["source"], record["command"]) == ("", "", None)
