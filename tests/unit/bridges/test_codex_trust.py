"""Codex' trust by a server that answers as `codex app-server` 0.169.0 does."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from hookline.bridges.codex_trust import list_codex_hooks, list_moved, restore_trust, trust_own
from hookline.bridges.entry import Call
from hookline.bridges.hosts import HOSTS
from hookline.bridges.install import apply_plan, plan_install, plan_uninstall
from hookline.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process
CODEX = HOSTS["codex"]
CALL = Call(words=("/new/python", "-I", "-m", "hookline"))
# The trust is in a file of JSON beside the hooks; what does not concern hooks is left out.
SERVER = r"""
import hashlib, json, os, re, sys

home = os.environ["CODEX_HOME"]
state_file, hooks_file = f"{home}/state.json", f"{home}/hooks.json"

def state():
    return json.load(open(state_file)) if os.path.exists(state_file) else {}

def hooks():
    known, found = state(), []
    for event, groups in json.load(open(hooks_file)).get("hooks", {}).items():
        name = re.sub(r"(?<!^)([A-Z])", r"_\1", event).lower()
        for at, group in enumerate(groups):
            for index, handler in enumerate(group["hooks"]):
                key = f"{hooks_file}:{name}:{at}:{index}"
                text = json.dumps(handler, sort_keys=True)
                digest = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
                noted = known.get(key, {}).get("trusted_hash")
                status = {digest: "trusted", None: "untrusted"}.get(noted, "modified")
                found.append({"key": key, "eventName": event, "sourcePath": hooks_file,
                    "command": handler["command"], "currentHash": digest, "trustStatus": status})
    return {"data": [{"cwd": "/", "hooks": found, "warnings": [], "errors": []}]}

def write(params):
    known = state()
    for edit in params["edits"]:
        if edit["value"] is None:
            known.pop(json.loads(edit["keyPath"].removeprefix("hooks.state.")), None)
        else:
            known |= edit["value"]
    json.dump(known, open(state_file, "w"))
    return {"status": "ok"}

print("a line of a log", flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    print(json.dumps({"method": "configWarning", "params": {}}), flush=True)
    match asked["method"]:
        case "initialize":
            answer = {"result": {"userAgent": asked["params"]["clientInfo"]["name"]}}
        case "hooks/list":
            answer = {"result": hooks()}
        case "config/batchWrite":
            answer = {"result": write(asked["params"])}
    print(json.dumps({"id": asked["id"], **answer}), flush=True)
"""


def make_codex(folder: Path, server: str) -> dict[str, str]:
    """Put a `codex` on a PATH that is a server of this source; return the environment."""
    (folder / "server.py").write_text(server)
    program = folder / "bin/codex"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I "{folder}/server.py" "$@"\n')
    program.chmod(0o755)
    (folder / "codex").mkdir()
    return {
        "HOME": str(folder),
        "PATH": str(program.parent),
        "CODEX_HOME": str(folder / "codex"),
        "XDG_STATE_HOME": str(folder / "state"),
    }


def write_foreign(folder: Path, *, first: bool) -> Path:
    """Write a file with a hook of another tool, before or after an old entry of hookline."""
    groups = [
        {"hooks": [{"type": "command", "command": "/old/python -m hookline answer codex"}]},
        {"hooks": [{"type": "command", "command": "lint"}]},
    ]
    path = folder / "codex/hooks.json"
    path.write_text(json.dumps({"hooks": {"PreToolUse": groups[::-1] if first else groups}}))
    return path


def test_only_own_entries_get_trust(tmp_path: Path) -> None:
    """Codex trusts hookline; whether it trusts another tool stays your decision."""
    environ = make_codex(tmp_path, SERVER)
    path = write_foreign(tmp_path, first=True)
    apply_plan(plan_install(CODEX, CALL, environ), environ)

    trust_own(CODEX, environ, str(tmp_path), str(path))

    hooks = list_codex_hooks(CODEX, environ, str(tmp_path))
    assert [each.command for each in hooks if not each.is_trusted] == ["lint"]
    assert len(hooks) == len(CODEX.events) + 1


def test_what_moves_up_is_trusted_again(tmp_path: Path) -> None:
    """An entry after hookline's keeps its trust, and hookline's is forgotten."""
    environ = make_codex(tmp_path, SERVER)
    path = write_foreign(tmp_path, first=False)
    apply_plan(plan_install(CODEX, CALL, environ), environ)
    before = list_codex_hooks(CODEX, environ, str(tmp_path))
    (tmp_path / "codex/state.json").write_text(
        json.dumps({each.key: {"trusted_hash": each.digest} for each in before})
    )
    before = list_codex_hooks(CODEX, environ, str(tmp_path))
    plan = plan_uninstall(CODEX, environ)
    apply_plan(plan, environ, removes=True)

    assert list_moved(CODEX, plan.changes[0].before, plan.changes[0].after) == ["lint"]
    assert restore_trust(CODEX, environ, str(tmp_path), before) == 1
    (hook,) = list_codex_hooks(CODEX, environ, str(tmp_path))
    assert hook.command == "lint"
    assert hook.is_trusted
    assert [*json.loads((tmp_path / "codex/state.json").read_text())] == [hook.key]
    assert path.exists()


def test_what_was_not_trusted_stays_so(tmp_path: Path) -> None:
    """An uninstallation widens nothing."""
    environ = make_codex(tmp_path, SERVER)
    write_foreign(tmp_path, first=False)
    before = list_codex_hooks(CODEX, environ, str(tmp_path))
    apply_plan(plan_uninstall(CODEX, environ), environ, removes=True)

    assert restore_trust(CODEX, environ, str(tmp_path), before) == 0


def test_an_installation_moves_nothing(tmp_path: Path) -> None:
    """It appends, and replaces in place."""
    environ = make_codex(tmp_path, SERVER)
    for first in (True, False):
        write_foreign(tmp_path, first=first)
        (change,) = plan_install(CODEX, CALL, environ).changes

        assert list_moved(CODEX, change.before, change.after) == []


@pytest.mark.parametrize(
    ("server", "why"),
    [
        ("", "no `app-server`"),
        ("raise SystemExit('unknown command')", "no `app-server`"),
        (SERVER.replace('{"result": hooks()}', '{"result": []}'), "another form"),
        (
            SERVER.replace('{"result": hooks()}', '{"error": {"message": "unknown method"}}'),
            "unknown method",
        ),
        (SERVER.replace("known |= edit", "0 and edit"), "did not accept"),
        (SERVER.replace('sourcePath": hooks_file', "sourcePath\": '/x'"), "does not read"),
    ],
)
def test_a_codex_without_this_is_an_error(tmp_path: Path, server: str, why: str) -> None:
    """The hint says what a person does instead."""
    environ = make_codex(tmp_path, server)
    path = write_foreign(tmp_path, first=True)

    with pytest.raises(ConfigError, match=why) as caught:
        trust_own(CODEX, environ, str(tmp_path), str(path))

    assert "codex" in caught.value.hint


def test_no_codex_is_an_error(tmp_path: Path) -> None:
    """The entries are there, and Codex does not run them."""
    with pytest.raises(ConfigError, match="no codex on the PATH") as caught:
        trust_own(CODEX, {"HOME": str(tmp_path), "PATH": ""}, str(tmp_path), "/x")

    assert "/hooks" in caught.value.hint
