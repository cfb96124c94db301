"""Policy of a machine: hooks in `/etc` that only root can write, and a user's attacks on them.

Each command has a mount namespace of its own, in which the machine's `/etc` is a folder of the
test's.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.support import ROOT

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process
INSIDE = 'mount --bind "$1" /etc && shift && exec "$@"'
CALL = {
    "hook_event_name": "PreToolUse",
    "session_id": "s",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
}


def guard(word: str) -> dict[str, object]:
    """Hooks of Claude Code that refuse every tool with a word."""
    return {
        "hooks": {
            "PreToolUse": [{"hooks": [{"type": "command", "command": f"echo {word} >&2; exit 2"}]}]
        }
    }


class Machine:
    """A machine with a policy, and a user who works in a project."""

    def __init__(self, folder: Path, unshare: list[str]) -> None:
        self.etc, self.home, self.project = (
            folder / "etc",
            folder / "home",
            folder / "home" / "project",
        )
        self.unshare = unshare
        for each in (self.etc, self.project):
            each.mkdir(parents=True)
        self.environ = {
            "HOME": str(self.home),
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "PYTHONPATH": str(ROOT / "src"),
        }
        self.policy = self.write(
            self.etc / "claude-code" / "managed-settings.json", guard("policy")
        )

    @staticmethod
    def write(path: Path, tree: object) -> Path:
        """A file of settings that only its owner can write."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(tree if isinstance(tree, str) else json.dumps(tree), encoding="utf-8")
        path.chmod(0o644)
        path.parent.chmod(0o755)
        return path

    def types(
        self, *words: str, sent: object = None, **environ: str
    ) -> subprocess.CompletedProcess[str]:
        """What a command of hookline printed, and how it ended."""
        command = [
            *self.unshare,
            "sh",
            "-c",
            INSIDE,
            "sh",
            str(self.etc),
            sys.executable,
            "-m",
            "hookline",
            *words,
        ]
        return subprocess.run(
            command,
            input=json.dumps(sent),
            capture_output=True,
            text=True,
            cwd=self.project,
            env=self.environ | environ,
            check=False,
        )

    def answer(self, **environ: str) -> subprocess.CompletedProcess[str]:
        """What Claude Code is answered before a tool is called."""
        return self.types(
            "answer", "claude-code", sent={**CALL, "cwd": str(self.project)}, **environ
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Its root is who runs the tests, in a namespace of users of its own if need be."""
    unshare = (
        ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]
    )
    allowed = subprocess.run(
        [*unshare, "sh", "-c", INSIDE, "sh", str(tmp_path), "true"],
        capture_output=True,
        text=True,
        check=False,
    )
    if allowed.returncode:
        pytest.skip(f"no private mount namespace: {allowed.stderr.strip()}")
    return Machine(tmp_path, unshare)


def refused(answered: subprocess.CompletedProcess[str]) -> bool:
    """Whether the call was refused by the policy."""
    said = json.loads(answered.stdout or "{}").get("hookSpecificOutput", {})
    return said.get("permissionDecision") == "deny" and "policy" in said["permissionDecisionReason"]


def test_a_policy_needs_no_approval(machine: Machine) -> None:
    """Root wrote it, and `list` says so."""
    listed = json.loads(machine.types("list", "--json").stdout)

    assert refused(machine.answer())
    assert [(hook["scope"], hook["standing"]) for hook in listed["hooks"]] == [
        ("managed", "approved")
    ]


def test_the_list_calls_a_policy_managed(machine: Machine) -> None:
    """It needs no approval."""
    lines = machine.types("list").stdout.splitlines()

    assert lines[0].endswith("managed-settings.json (managed, claude-code)")
    assert lines[1].startswith("  managed  ")
    assert lines[-1] == "1 hook: 1 managed"


def test_a_script_of_policy_that_others_may_write_is_a_finding(machine: Machine) -> None:
    """The policy file makes the hook managed; the doctor names the script."""
    script = machine.write(
        machine.etc / "hookline/guard.sh", "#!/bin/sh\necho policy >&2; exit 2\n"
    )
    script.chmod(0o757)
    hooks = [{"hooks": [{"type": "command", "command": "/etc/hookline/guard.sh"}]}]
    machine.write(machine.policy, {"hooks": {"PreToolUse": hooks}})

    assert refused(machine.answer())
    (hook,) = json.loads(machine.types("doctor", "--json").stdout)["hooks"]
    assert "HKL7019" in [each["code"] for each in hook["findings"]]


def test_a_policy_that_others_may_write_is_a_hook_of_the_user(machine: Machine) -> None:
    """Its first use records it, and a switch disables it."""
    machine.policy.chmod(0o666)

    assert refused(machine.answer())
    (hook,) = json.loads(machine.types("list", "--json").stdout)["hooks"]
    assert (hook["managed"], hook["standing"]) == (False, "approved")
    machine.types("off")
    assert not refused(machine.answer())


@pytest.mark.parametrize(
    "environ",
    [{"HOOKLINE": "0"}, {"HOOKLINE_SKIP": "its id"}, {"HOOKLINE_FIRING": "tool.before"}],
    ids=lambda each: next(iter(each)),
)
def test_no_variable_switches_a_policy_off(machine: Machine, environ: dict[str, str]) -> None:
    """No variable does, not even HOOKLINE_SKIP with the hook's id."""
    listed = json.loads(machine.types("list", "--json").stdout)
    environ = {
        name: listed["hooks"][0]["hook"] if name == "HOOKLINE_SKIP" else value
        for name, value in environ.items()
    }

    assert refused(machine.answer(**environ))


@pytest.mark.parametrize("words", [("off",), ("off", "--global")], ids=" ".join)
def test_no_switch_switches_a_policy_off(machine: Machine, words: tuple[str, ...]) -> None:
    """Neither the project's switch nor the global one. The user's own hook is off."""
    own = {"type": "command", "command": f"echo ran >> '{machine.home}/ran'"}
    machine.write(
        machine.home / ".claude" / "settings.json", {"hooks": {"PreToolUse": [{"hooks": [own]}]}}
    )
    before = machine.answer()
    machine.types(*words)
    after = machine.answer()

    assert (refused(before), refused(after)) == (True, True)
    assert (machine.home / "ran").read_text(encoding="utf-8") == "ran\n"


@pytest.mark.parametrize(
    ("file", "tree"),
    [
        (".claude/settings.json", {"disableAllHooks": True}),
        ("project/.claude/settings.json", {"disableAllHooks": True}),
        (
            "project/.claude/settings.local.json",
            {"disableAllHooks": True, "allowManagedHooksOnly": False},
        ),
        (".claude/settings.json", "{"),
        ("project/.claude/settings.json", "["),
        (
            "project/.claude/settings.json",
            {
                "hooks": {
                    "Stop": [
                        {"hooks": [{"type": "command", "command": "hookline answer claude-code"}]}
                    ]
                }
            },
        ),
        (".config/hookline/settings.toml", "[trust]\nx = 1\n"),
        (".config/hookline/settings.toml", "[journal"),
    ],
)
def test_no_file_of_the_users_or_of_a_clone_switches_a_policy_off(
    machine: Machine, file: str, tree: object
) -> None:
    """The file may be valid or not."""
    machine.write(machine.home / file, tree)

    assert refused(machine.answer())


def test_an_approval_of_a_policy_cannot_be_taken_back(machine: Machine) -> None:
    """A policy has no approval."""
    identity = json.loads(machine.types("list", "--json").stdout)["hooks"][0]["hook"]
    revoked = machine.types("revoke", identity)

    assert revoked.returncode != 0
    assert refused(machine.answer())


def test_what_others_can_write_is_no_policy(machine: Machine) -> None:
    """It counts as a hook of the user, and a switch disables it."""
    machine.policy.chmod(0o666)
    machine.types("off", "--global")

    assert not refused(machine.answer())
