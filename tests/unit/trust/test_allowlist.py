"""What becomes of the approvals that another program kept?"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
from typing import Any

import pytest

from hookline.errors import TrustError
from hookline.model.handler import Http
from hookline.trust import Imported, approve, import_allowlist, revoke, survey
from tests.unit.trust.support import World, hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A home and a project."""
    return World(tmp_path)


def taken(world: World, spec: Any, **entry: Any) -> tuple[str, str]:
    """What became of a list's entry for a hook, and how the hook stands afterwards."""
    path = world.folder / "allowlist.json"
    entry = {
        "event": "PreToolUse",
        "command": "./guard.sh",
        "approved_at": "2026-01-01T00:00:00Z",
        **entry,
    }
    path.write_text(json.dumps({"approvals": [entry]}), encoding="utf-8")
    (done,) = import_allowlist(world.gate(), str(path), [spec])
    (standing,) = survey(world.gate(), [spec])
    return done.result, standing.state


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_an_entry_counts_by_the_digest_of_the_script(world: World) -> None:
    """Another digest tells that the hook has changed."""
    digest = _sha256(world.script("a"))

    assert taken(world, hook("./guard.sh", "1"), command="./guard.sh 1", script_sha256=digest) == (
        "approved",
        "trusted",
    )
    assert taken(world, hook("./guard.sh", "2"), command="./guard.sh 2", sha256=digest.upper()) == (
        "approved",
        "trusted",
    )
    assert taken(world, hook("./guard.sh", "3"), command="./guard.sh 3", sha256="0" * 64) == (
        "changed",
        "changed",
    )


def test_a_time_approves_nothing(world: World) -> None:
    """Whoever edits a script can give it its former time back; only that it is another one tells something (docs/formats/starchild.md 6)."""
    path = world.script("a")
    modified = path.stat().st_mtime
    path.write_text("#!/bin/sh\nevil\n", encoding="utf-8")
    os.utime(path, (modified, modified))
    text = dt.datetime.fromtimestamp(modified, dt.UTC).isoformat()

    assert taken(
        world, hook("./guard.sh", "1"), command="./guard.sh 1", script_mtime_at_approval=modified
    ) == ("unverified", "unknown")
    assert taken(
        world, hook("./guard.sh", "2"), command="./guard.sh 2", script_mtime_at_approval=text
    ) == ("unverified", "unknown")
    assert taken(
        world,
        hook("./guard.sh", "3"),
        command="./guard.sh 3",
        script_mtime_at_approval=modified - 60,
    ) == ("changed", "changed")
    assert taken(
        world, hook("./guard.sh", "4"), command="./guard.sh 4", script_mtime_at_approval="soon"
    ) == ("changed", "changed")


def test_an_entry_that_says_nothing_of_the_script_is_asked_again(world: World) -> None:
    """An address has none."""
    world.script("a")

    assert taken(world, hook("./guard.sh")) == ("unverified", "unknown")
    assert taken(world, hook(handler=Http(url="https://x/")), command="https://x/") == (
        "approved",
        "trusted",
    )


def test_a_list_undoes_no_revocation(world: World) -> None:
    """Somebody took it back here, whatever another program remembers; it is told."""
    path, spec = world.script("a"), hook("./guard.sh")
    address = hook(handler=Http(url="https://x/"))
    revoke(world.gate(), [spec, address])

    assert taken(world, spec, script_sha256=_sha256(path)) == ("revoked", "revoked")
    assert taken(world, address, command="https://x/") == ("revoked", "revoked")


def test_an_entry_that_is_out_of_date_undoes_no_approval(world: World) -> None:
    """Nor does it undo a revocation."""
    world.script("a")
    approve(world.gate(), [hook("./guard.sh")])
    assert taken(world, hook("./guard.sh"), script_mtime_at_approval=5) == ("changed", "trusted")
    revoke(world.gate(), [hook("./guard.sh")])
    assert taken(world, hook("./guard.sh"), script_mtime_at_approval=5) == ("revoked", "revoked")


def test_an_entry_for_no_declared_hook_is_told(world: World) -> None:
    """It is not kept for later."""
    path = world.folder / "allowlist.json"
    path.write_text('[{"event": "Stop", "command": "x"}]', encoding="utf-8")

    assert import_allowlist(world.gate(), str(path), [hook("x")]) == [
        Imported(event="Stop", command="x", result="undeclared")
    ]


@pytest.mark.parametrize(
    "text",
    ["", "{}", '{"approvals": {}}', '[{"event": 1}]', '[{"event": "x"}]', "[" * 9999, "\xff"],
)
def test_what_is_no_such_list_is_refused_whole(world: World, text: str) -> None:
    """With what it should look like."""
    path = world.folder / "allowlist.json"
    path.write_text(text, encoding="latin-1")

    with pytest.raises(TrustError) as raised:
        import_allowlist(world.gate(), str(path), [])
    assert (raised.value.name, "approvals" in raised.value.hint) == ("trust.allowlist", True)
