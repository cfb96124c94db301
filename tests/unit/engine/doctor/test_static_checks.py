"""Static checks: what doctor can say of hooks without a run of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline import Engine
from hookline.engine.catalog import NAMES, make_dialect
from hookline.engine.doctor.probe import make_event
from hookline.engine.doctor.static_checks import check_files, check_policy, find_duplicates
from hookline.engine.trust_gate import inspect_once
from hookline.model.spec import Command, HookSpec, OneOf
from hookline.model.verdict import Stance

if TYPE_CHECKING:
    from pathlib import Path

_BASH = (OneOf(field="tool", names=frozenset({"Bash"})),)
_WRITE = (OneOf(field="tool", names=frozenset({"Write"})),)


def _hook(name: str, program: str = "/opt/a", **fields: object) -> HookSpec:
    given = {
        "kind": "tool.before",
        "native_event": "PreToolUse",
        "on_failure": Stance.DENY,
        "conditions": _BASH,
        **fields,
    }
    handler = Command(argv=(program,))
    named = {"id": name, "dialect": "claude-code", "handler": handler}
    return HookSpec(**named, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("hook", "told"),
    [
        (_hook("a", on_failure=Stance.SILENT), ["check.fails-open"]),
        (_hook("a", on_failure=Stance.ASK), []),
        (_hook("a", on_failure=Stance.SILENT, shadow=True), []),
        (_hook("a", on_failure=Stance.SILENT, detached=True), []),
        (_hook("a", on_failure=Stance.SILENT, kind="session.end", native_event="SessionEnd"), []),
        (
            _hook(
                "a", on_failure=Stance.SILENT, kind="prompt.submit", native_event="UserPromptSubmit"
            ),
            ["check.fails-open"],
        ),
        (_hook("a", on_failure=Stance.SILENT, kind="tool.after", native_event="PostToolUse"), []),
        (_hook("a", on_failure=Stance.SILENT, kind="stop", native_event="Stop"), []),
        (
            _hook("a", on_failure=Stance.SILENT, kind="subagent.stop", native_event="SubagentStop"),
            [],
        ),
    ],
)
def test_only_a_guard_fails_open(hook: HookSpec, told: list[str]) -> None:
    """An observer, or a hook of an event without a refusal, permits nothing by its failure.

    A stop gate's would loop.
    """
    assert [
        problem.name for problem in check_policy(hook, make_dialect("claude-code").table)
    ] == told


@pytest.mark.parametrize(
    ("dialect", "native", "hint"),
    [
        ("claude-code", "PreToolUse", 'say `"onFailure": "block"`'),
        ("cursor", "beforeShellExecution", 'say `"failClosed": true`'),
        ("docker-agent", "user_prompt_submit", "say `on_error: block`"),
        ("starchild", "pre_tool_call", "say `on_error: closed`"),
        ("hermes", "pre_tool_call", "say `fail_closed: true`"),
        ("agenthooks", "pre-tool-call", "say `metadata: {fail-mode: closed}`"),
        ("a3s", "pre_tool_use", 'say `"fail_mode": "closed"`'),
        ("codex", "PreToolUse", "its format has no word for it"),
        ("gemini", "BeforeTool", "its format has no word for it"),
        ("kimi", "PreToolUse", "its format has no word for it"),
    ],
)
def test_a_hint_names_the_word_of_its_dialect(dialect: str, native: str, hint: str) -> None:
    """The hint tells the author of the file what to write into it."""
    table = make_dialect(dialect).table
    row = table.rows[native]
    (told,) = check_policy(
        _hook("a", kind=row.kind, native_event=native, on_failure=Stance.SILENT).replace(
            dialect=dialect
        ),
        table,
    )

    assert told.hint.startswith(hint)


@pytest.mark.parametrize("dialect", NAMES)
def test_a_stop_gate_and_a_gate_without_a_denial_may_fail_open(dialect: str) -> None:
    """The check reports only events at which a denial stops an action."""
    table = make_dialect(dialect).table
    told = {
        native
        for native, row in table.rows.items()
        if list(
            check_policy(
                _hook("a", kind=row.kind, native_event=native, on_failure=Stance.SILENT), table
            )
        )
    }

    assert [
        native
        for native in told
        if table.rows[native].blocks is Stance.SILENT or table.rows[native].feedback
    ] == []
    assert [native for native in told if "stop" in table.rows[native].kind] == []


@pytest.mark.parametrize(
    ("second", "told"),
    [
        (_hook("b"), ["b"]),
        (_hook("b", "/opt/b"), []),
        (_hook("b", kind="tool.after"), []),
        (_hook("b", conditions=()), []),
    ],
)
def test_a_duplicate_does_the_same_at_the_same_moment(second: HookSpec, told: list[str]) -> None:
    """Hooks that differ in program, event or condition are no duplicates."""
    specs = [_hook("a"), second]
    assert [problem.hook for problem in find_duplicates(specs)] == told


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("#!/no/such/shell", "`/no/such/shell` was not found"),
        ("#!/usr/bin/env -S FOO=1 no-such-shell -x", "`no-such-shell` was not found"),
        ("#!/bin/sh\r", "the name ends with a carriage return"),
        ("#!/bin/sh", ""),
    ],
)
def test_a_script_needs_its_interpreter(tmp_path: Path, line: str, why: str) -> None:
    """Its `#!` line names a program that is there."""
    script = tmp_path / "guard.sh"
    script.write_bytes(f"{line}\nexit 0\n".encode())
    script.chmod(0o755)
    tree = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": str(script)}]}]}}
    engine = Engine.from_config(tree, dialect="claude-code")
    (entry,) = engine.registry.entries()
    event = make_event(entry.spec, entry.dialect, str(tmp_path))
    found = check_files(entry.spec, inspect_once(entry.spec, event, {}, str(tmp_path)))
    told = [each.message for each in found if each.name == "check.interpreter"]

    assert (len(told), why in "".join(told)) == (bool(why), True)
