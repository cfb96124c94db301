"""What becomes of the approvals that Starchild and Hermes kept."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from hookline.engine.allowlist import import_allowlist
from hookline.engine.approval_service import revoke
from hookline.errors import TrustError
from hookline.model.spec import Http
from tests.unit.trust.conftest import world
from tests.unit.trust.support import World, hook

if TYPE_CHECKING:
    from pathlib import Path

    from hookline.model.spec import HookSpec


__all__ = ["world"]


def taken(world: World, spec: HookSpec, **entry: Any) -> tuple[str, str]:
    """Return what became of a list's entry for a hook, and the hook's state afterwards."""
    path = world.folder / "allowlist.json"
    entry = {"event": "PreToolUse", "command": "./guard.sh", **entry}
    path.write_text(json.dumps({"approvals": [entry]}), encoding="utf-8")
    (done,) = import_allowlist(world.gate(), str(path), [spec])
    return done.result, world.state(spec).state


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_an_entry_counts_by_the_digest_of_the_script(world: World) -> None:
    """Another digest tells that the hook has changed."""
    digest = _sha256(world.script("a"))
    one, two, three = (hook("./guard.sh", number) for number in "123")

    assert taken(world, one, command="./guard.sh 1", script_sha256=digest) == ("approved",) * 2
    assert taken(world, two, command="./guard.sh 2", sha256=digest.upper()) == ("approved",) * 2
    assert taken(world, three, command="./guard.sh 3", sha256="0" * 64) == ("changed", "new")


def test_a_time_approves_nothing(world: World) -> None:
    """Everyone who can write a script can set its time."""
    world.script("a")

    assert taken(world, hook("./guard.sh"), script_mtime=5) == ("unverified", "new")


def test_an_address_has_nothing_that_could_change(world: World) -> None:
    """Its entry is enough."""
    spec = hook(handler=Http(url="https://a.example"))

    assert taken(world, spec, command="https://a.example") == ("approved", "approved")


def test_what_was_revoked_stays_so(world: World) -> None:
    """And what is not declared is said."""
    digest = _sha256(world.script("a"))
    spec = hook("./guard.sh")
    revoke(world.gate(), [spec])

    assert taken(world, spec, sha256=digest) == ("revoked", "revoked")
    assert taken(world, spec, command="./other.sh")[0] == "undeclared"


@pytest.mark.parametrize(
    "text", ["", "[", "{}", '{"approvals": [1]}', '[{"event": "PreToolUse"}]', "[" * 100_000]
)
def test_what_is_no_list_is_refused(world: World, text: str) -> None:
    """With an example of one."""
    path = world.folder / "allowlist.json"
    path.write_text(text)
    with pytest.raises(TrustError) as caught:
        import_allowlist(world.gate(), str(path), [])

    assert caught.value.name == "trust.allowlist"
    with pytest.raises(TrustError):
        import_allowlist(world.gate(), str(world.folder / "none"), [])
