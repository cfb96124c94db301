"""Naming: by what a hook is found in the journal, and that no argument of what it runs is among it where payloads are hashed."""

from __future__ import annotations

import json
from typing import Any

import pytest

import hookline
from hookline.journal.records import (
    PayloadPolicy,
    definition_hash,
    describe_hook,
    handler_kind,
    to_canonical_json,
)
from hookline.model.spec import Broken
from hookline.text.digest import sha256


def specs(*scripts: str, **keys: Any) -> list[hookline.HookSpec]:
    """Hooks on `stop` with these commands."""
    entries = [{"type": "command", "command": each, **keys} for each in scripts]
    return list(
        hookline.Engine.from_config({"hooks": {"stop": entries}}, dialect="docker-agent").hooks
    )


def test_a_fingerprint_is_that_of_the_definition() -> None:
    """The same in every process; another one for whatever changes what it does."""
    (one,), (same,), (other,), (slow,) = (
        specs("true"),
        specs("true"),
        specs("false"),
        specs("true", timeout=3),
    )
    own = [hookline.Engine(), hookline.Engine()]
    for engine in own:
        engine.on("stop")(test_an_unknown_hook_has_no_name)

    assert definition_hash(one) == definition_hash(same)
    assert len({definition_hash(one), definition_hash(other), definition_hash(slow)}) == 3
    assert definition_hash(own[0].hooks[0]) == definition_hash(own[1].hooks[0])
    assert handler_kind(one) == "command"


NAMES = [
    ("python3 .claude/hooks/guard.py --token abc", "guard.py"),
    ('"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh', "guard.sh"),
    ("KEY=hunter2hunter2 uv run --script hooks/guard.py; rm x", "guard.py"),
    ("echo SECRETINCMD1; curl https://tok@h/x.py", "x.py"),
    ("./a1b2c3d4e5f6.py login hunter2", ""),
]


@pytest.mark.parametrize(("command", "name"), NAMES)
def test_a_hook_that_nobody_named_is_called_by_its_scripts(command: str, name: str) -> None:
    """Where payloads are hashed; of its command there is the hash."""
    told = describe_hook(specs(command)[0], PayloadPolicy(environ={}))

    assert told["name"] == name
    assert told["command"] == {
        "sha256": sha256(to_canonical_json(command).encode()),
        "bytes": len(to_canonical_json(command)),
    }


@pytest.mark.parametrize(
    ("command", "name", "kept"),
    [
        ("./check.sh x", "no force push", "no force push"),
        ("./check.sh x", "key=hunter2hunter2", "check.sh"),
        ("login hunter", "login hunter", ""),
    ],
)
def test_a_hook_that_somebody_named_has_that_name(command: str, name: str, kept: str) -> None:
    """Unless it could be what it runs."""
    assert describe_hook(specs(command, name=name)[0], PayloadPolicy())["name"] == kept


@pytest.mark.parametrize(
    ("how", "value"),
    [("masked", "x --password [masked 14]"), ("full", "x --password hunter2hunter2")],
)
def test_a_command_is_kept_as_payloads_are(how: str, value: str) -> None:
    """Masked or whole; and a name that is made of it, too."""
    told = describe_hook(
        specs("x --password hunter2hunter2")[0], PayloadPolicy(how=how, environ={})
    )

    assert (told["command"]["value"], told["name"]) == (value, value)


def test_what_cannot_be_loaded_is_not_called_by_what_it_would_run() -> None:
    """There is nothing to compare its name with."""
    broken = specs("x")[0].replace(name="login hunter", handler=Broken(reason="no"))

    assert describe_hook(broken, PayloadPolicy())["name"] == ""


def test_an_unknown_hook_has_no_name() -> None:
    """And every other field of one."""
    told: dict[str, Any] = describe_hook(None, PayloadPolicy())

    assert json.loads(json.dumps(told)) == dict.fromkeys(told, "") | {"command": None}
