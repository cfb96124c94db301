"""Host integrations: which hooks show that a host runs its hooks by itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hookline.config import places
from hookline.engine.approval_service import approve
from hookline.engine.doctor.checkup import run_checkup
from hookline.engine.engine import Engine
from hookline.engine.explain import explain
from hookline.engine.host_integrations import (
    leave_to_host,
    list_call_problems,
    list_integrated_hosts,
)
from hookline.engine.loader import list_hooks
from tests.unit.trust.support import World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from hookline.model.spec import HookSpec

OTHER = {"type": "command", "command": "true"}


def engine_of(command: str, **fields: Any) -> Engine:
    """An engine with this command hook of Claude Code."""
    tree = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command, **fields}]}]}}
    return Engine.from_config(tree, dialect="claude-code")


@pytest.mark.parametrize(
    "command",
    [
        "hookline answer claude-code",
        "/opt/bin/hookline answer claude-code --mode strict",
        '"$HOME/.local/bin/hookline" answer --trust user claude-code',
        "exec hookline answer --mode=strict --relay claude-code",
        "timeout 30 env A=1 hookline answer claude-code",
        "python3 -m hookline answer claude-code",
        "python -I -S -m hookline answer claude-code",
        "A=1 hookline answer claude-code || exit 0",
        "cd /tmp && hookline answer claude-code",
        "bash -c 'hookline answer claude-code'",
        "timeout 9 sh -c 'exec hookline answer claude-code || exit 0'",
        "uv run hookline answer claude-code",
        "uv run --project /opt/x --frozen hookline answer claude-code",
        "uv run --project /opt/x python -m hookline answer claude-code",
        "uv tool run hookline answer claude-code",
        "uvx --from /opt/x hookline answer claude-code",
        "pipx run hookline answer claude-code",
        "bash -c 'uv run -- hookline answer claude-code'",
        "hookline answer claude-code; exit $?",
        "if true; then hookline answer claude-code; fi",
        "(hookline answer claude-code)",
        "true &&hookline answer claude-code|tee log",
        "hookline answer claude-code>/dev/null",
        "hookline \\\n answer claude-code",
    ],
)
def test_a_command_that_answers_is_a_call(command: str) -> None:
    """It may be started in any way."""
    assert list_integrated_hosts(engine_of(command)) == {"claude-code": False}


@pytest.mark.parametrize(
    "command",
    [
        "hookline answer gemini",
        "hookline answer gemini --dialect claude-code",
        "hookline fire answer claude-code",
        "hookline-answer answer claude-code",
        "hookline",
    ],
)
def test_other_words_are_none(command: str) -> None:
    """Such as a call for another host."""
    assert list_integrated_hosts(engine_of(command)) == {}


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("python3 -m hookline answer claude-code", True),
        ("uv run /opt/bin/python -B -m hookline answer claude-code", True),
        ("python -m hookline answer claude-code || python -I -m hookline answer claude-code", True),
        ("python -I -m hookline answer claude-code", False),
        ("python3.12 -BP -m hookline answer claude-code", False),
        ("hookline answer claude-code", False),
    ],
)
def test_a_call_that_lets_a_clone_bring_modules_is_told(
    command: str, told: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names a form that does not."""
    monkeypatch.chdir(
        tmp_path
    )  # doctor runs it, and `uv run` would write the lock file of a project
    found = [
        problem
        for problem in list_call_problems(engine_of(command))
        if problem.name == "trust.open-start"
    ]

    assert [problem.hint for problem in found] == [
        "python -I -m hookline answer claude-code"
    ] * told
    assert [
        finding.name
        for finding in run_checkup(engine_of(command)).findings
        if finding.name == "trust.open-start"
    ] == ["trust.open-start"] * told


def test_arguments_call_too() -> None:
    """A hook without a shell."""
    assert list_integrated_hosts(engine_of("hookline", args=["answer", "claude-code"])) == {
        "claude-code": False
    }


def test_the_words_of_a_call_are_enough() -> None:
    """A host runs its own hooks, even if hookline takes another command for a call."""
    found = list_integrated_hosts(engine_of("echo hookline answer claude-code"))

    assert found == {"claude-code": False}


class Home(World):
    """A user, a clone and a machine's policy, each with settings of Claude Code."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        super().__init__(folder)
        (folder / "bin").mkdir()
        self.environ["PATH"] += f":{self.script('hookline', path=folder / 'bin/hookline').parent}"
        self.policy = folder / "policy.json"
        own = tuple(row for row in places.PLACES if not row[2].startswith("/etc/"))
        patch.setattr(
            places,
            "PLACES",
            (("claude-code", "managed", str(self.policy)), *own),
        )
        for module in ("trust.state", "engine.sources"):
            patch.setattr(f"hookline.{module}.is_of_root", lambda path: path == str(self.policy))

    def declare(self, where: str, *commands: str) -> None:
        path = {"policy": self.policy, "user": self.home / ".claude/settings.json"}.get(
            where, self.project / ".claude/settings.json"
        )
        path.parent.mkdir(exist_ok=True)
        hooks = [{"hooks": [{"type": "command", "command": command}]} for command in commands]
        path.write_text(json.dumps({"hooks": {"PreToolUse": hooks}}), encoding="utf-8")

    def engine(self, trust: str = "user") -> Engine:
        return Engine.discover(self.project, trust=trust, environ=self.environ, gate=self.gate())

    def approve(self, *specs: HookSpec) -> None:
        """Approve hooks."""
        gate = self.gate()
        approve(gate, gate.find_states(specs))

    def left(self, engine: Engine) -> list[str]:
        return [spec.handler.script for spec in engine.hooks]  # type: ignore[union-attr]

    def project_hooks(self) -> list[HookSpec]:
        hooks = list_hooks(self.engine().snapshot)
        return [each for each in hooks if each.origin.scope == "project"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A guard of the policy and one of the user."""
    made = Home(tmp_path, monkeypatch)
    made.declare("policy", "true policy")
    made.declare("user", "true user")
    return made


CALL = "hookline answer claude-code"


def test_a_clone_without_approval_leaves_no_hook_to_the_host(home: Home) -> None:
    """The message says that it would; an approved clone does, without policy."""
    home.declare("clone", CALL)
    engine = home.engine()

    assert [problem.code for problem in leave_to_host(engine, "claude-code")] == ["HKL3021"]
    assert home.left(engine) == ["true policy", "true user"]

    home.approve(*home.project_hooks())
    approved = home.engine()
    assert leave_to_host(approved, "claude-code") == ()
    assert home.left(approved) == ["true policy"]


def test_an_approval_that_cannot_be_read_is_none(home: Home) -> None:
    """The hook counts as changed."""
    home.declare("clone", CALL)
    home.approve(*home.project_hooks())
    (kept,) = (home.store / "approvals").glob("*/*.json")
    kept.write_text("no JSON", encoding="utf-8")

    assert list_integrated_hosts(home.engine()) == {}


def test_a_users_call_leaves_all_but_policy_to_the_host(home: Home) -> None:
    """Also if another hook of that file is the call; a reload restores no hook."""
    home.declare("user", "true user", CALL)
    home.declare("clone", "true clone")
    engine = home.engine()

    assert leave_to_host(engine, "gemini") == ()
    assert leave_to_host(engine, "claude-code") == ()
    assert home.left(engine) == ["true policy"]

    engine.reload()
    assert home.left(engine) == ["true policy"]


def test_a_policys_call_leaves_the_policy_too(home: Home) -> None:
    """Its host runs it by itself."""
    home.declare("policy", "true policy", CALL)
    engine = home.engine()
    leave_to_host(engine, "claude-code")

    assert home.left(engine) == []


def test_trust_in_all_counts_as_an_approval(home: Home) -> None:
    """Without trust none is approved; the hooks of policy run all the same."""
    home.declare("clone", CALL)

    assert list_integrated_hosts(home.engine("all")) == {"claude-code": False}
    assert list_integrated_hosts(home.engine("none")) == {}


def test_what_is_left_to_a_host_can_be_seen(home: Home) -> None:
    """Doctor and explain tell how many, and because of which hook."""
    home.declare("user", "true user", CALL)
    engine = home.engine()
    (problem,) = list_call_problems(engine)
    document = explain(
        engine, engine.event("PreToolUse", {"tool_name": "Bash"}, dialect="claude-code"), run=False
    )

    assert (
        problem.message
        == "`~/.claude/settings.json#PreToolUse.hookline-cdhbsq` has hookline answer claude-code, "
        "which runs 1 other hook of its files by itself, so hookline does not run them"
    )
    assert problem.to_dict() in document["problems"]
    assert problem in run_checkup(engine).findings


def test_policy_runs_with_any_trust(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `--trust none`, too, if only root can have written it."""
    trusted = {spec.origin.scope: spec.trusted for spec in home.engine("none").hooks}

    assert trusted == {"managed": True, "user": False}

    monkeypatch.setattr("hookline.engine.sources.is_of_root", lambda _: False)
    assert not any(spec.trusted for spec in home.engine("none").hooks)
