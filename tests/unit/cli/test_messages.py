"""How messages name a hook, and what a denial says whose hook could not be loaded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import hookline
from hookline.core.failure import identify
from hookline.model.spec import Command, HookSpec, OneOf, Origin

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.cli.support import Desk

CALL = {"session_id": "s", "cwd": "/", "tool_name": "Bash", "tool_input": {"command": "ls"}}
SPEC = HookSpec(
    id=".claude/settings.json#PreToolUse.lint",
    dialect="claude-code",
    kind="tool.before",
    native_event="PreToolUse",
    handler=Command(script="guard.sh"),
    name="guard.sh",
)


@pytest.mark.parametrize(
    ("origin", "facts", "told"),
    [
        (Origin(file="settings.json", line=3), {}, "hook `guard.sh`"),
        (
            Origin(file="/h/.claude/settings.json", line=3),
            {},
            "hook `guard.sh` (/h/.claude/settings.json:3, PreToolUse, matcher `Bash|Write`)",
        ),
        (
            Origin(file="/h/plugins/cache/safety/1.2.0/hooks/hooks.json", line=3),
            {"plugin": "/h/plugins/cache/safety/1.2.0"},
            "hook `guard.sh` (plugin safety:3, PreToolUse, matcher `Bash|Write`)",
        ),
    ],
)
def test_a_hook_is_named_by_where_it_stands(
    origin: Origin, facts: dict[str, str], told: str
) -> None:
    """Its plugin or file, its line, its event and its matcher."""
    conditions = (OneOf(field="tool", names=frozenset({"Write", "Bash"})),)

    assert identify(SPEC.replace(origin=origin, facts=facts, conditions=conditions)) == told


def test_a_failure_names_the_hook_by_its_place(tmp_path: Path) -> None:
    """The user finds it among hooks of the same name."""
    path = tmp_path / "settings.json"
    hook = {"type": "command", "command": "exit 3"}
    path.write_text(
        json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}, indent=0),
        "utf-8",
    )
    engine = hookline.Engine.load(path, dialect="claude-code")
    (note,) = engine.fire("PreToolUse", CALL, dialect="claude-code").for_user

    assert note == (
        f"hook `exit 3` ({path}:7, PreToolUse, matcher `Bash`) failed: exited with status 3"
    )


@pytest.mark.process
@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            (
                '{"hooks": {"PreToolUse": [\n'
                '{"matcher": "(", "hooks": [{"type": "command", "command": "x"}]}]}}'
            ),
            2,
        ),
        ('{"hooks": {"PreToolUse": [\n{', 2),
    ],
    ids=["a hook", "a file"],
)
def test_a_denial_of_what_could_not_be_loaded_says_where_and_what_to_do(
    text: str, line: int, desk: Desk
) -> None:
    """It names the file, the line and the remedy, each once."""
    path = desk.folder / desk.file("settings.json", text)
    words = (
        "answer",
        "claude-code",
        "-c",
        str(path),
        "--dialect",
        "claude-code",
        "--mode",
        "strict",
    )
    said = desk.type(*words, stdin={"hook_event_name": "PreToolUse", **CALL})
    reason = json.loads(said.out)["hookSpecificOutput"]["permissionDecisionReason"]

    assert f"{path}:{line}" in reason
    assert reason.endswith(f"; correct it, and check it with `hookline validate {path}`")
    assert (said.out + said.err).count(f"{path}:{line}") == 1


@pytest.mark.process
@pytest.mark.parametrize(
    ("host", "name", "text", "line"),
    [
        (
            "claude-code",
            "settings.json",
            (
                '{"hooks": {"PreToolUse": [{"matcher": "Bash",\n "hooks": [\n'
                '{"type": "command", "command": "exit 3"}]}]}}'
            ),
            3,
        ),
        (
            "codex",
            "config.toml",
            (
                '[features]\nhooks = true\n[[hooks.PreToolUse]]\nmatcher = "Bash"\n'
                '[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "exit 3"\n'
            ),
            5,
        ),
    ],
)
def test_an_answer_names_the_line_of_a_failed_hook(
    host: str, name: str, text: str, line: int, desk: Desk
) -> None:
    """`answer` reads its files without line numbers, and finds the one that a message needs."""
    path = desk.folder / desk.file(name, text)
    words = ("answer", host, "-c", str(path), "--dialect", host, "--mode", "strict")
    said = desk.type(*words, stdin={"hook_event_name": "PreToolUse", **CALL})

    assert f"({path}:{line}, PreToolUse, matcher `Bash" in said.out + said.err
