"""Made-up events: each dialect has one for each of its events."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from hookline import Engine
from hookline.engine.catalog import NAMES, make_dialect
from hookline.engine.doctor.checkup import run_checkup
from hookline.engine.doctor.probe import HARMLESS, SESSION, make_event
from hookline.guards.table import GUARDS
from hookline.model.event import ToolCall
from hookline.model.spec import Command, HookSpec, OneOf

if TYPE_CHECKING:
    from pathlib import Path

# The hooks of a3s are functions, which are handed the event itself.
EVENTS = [
    (name, native) for name in NAMES if name != "a3s" for native in make_dialect(name).table.rows
]


def _spec(dialect: str, native: str, *conditions: OneOf) -> HookSpec:
    row = make_dialect(dialect).table.rows[native]
    return HookSpec(
        id="h",
        dialect=dialect,
        kind=row.kind,
        native_event=native,
        handler=Command(argv=("true",)),
        conditions=conditions,
    )


@pytest.mark.parametrize(("dialect", "native"), EVENTS)
def test_an_event_of_each_kind_can_be_sent(dialect: str, native: str) -> None:
    """It is JSON in the format of its dialect, and its session does not exist."""
    spec = _spec(dialect, native)
    table = make_dialect(dialect).table
    event = make_event(spec, make_dialect(dialect), "/srv/shop")
    payload = json.loads(make_dialect(dialect).encode_event(event, spec))

    assert event.kind == spec.kind
    assert isinstance(payload, dict)
    assert (SESSION in json.dumps(payload)) >= any(
        field.fact == "@session_id" for field in (*table.base, *table.rows[native].fields)
    )


@pytest.mark.parametrize(
    ("dialect", "native", "tool", "given"),
    [
        ("claude-code", "PreToolUse", "Bash", {"command": HARMLESS}),
        ("docker-agent", "pre_tool_use", "shell", {"cmd": HARMLESS}),
        ("starchild", "pre_tool_call", "bash", {"command": HARMLESS}),
    ],
)
def test_a_call_is_one_of_the_host(
    dialect: str, native: str, tool: str, given: dict[str, str]
) -> None:
    """The call has the shell's name and key of the hook's own host."""
    event = make_event(_spec(dialect, native), make_dialect(dialect), "/")

    assert (event.tool, event.input) == (tool, given)


def test_a_made_up_call_uses_the_tool_of_the_matcher() -> None:
    """The made-up event calls the tool that the matcher names."""
    event = make_event(
        _spec("claude-code", "PreToolUse", OneOf(field="tool", names=frozenset({"Write"}))),
        make_dialect("claude-code"),
        "/",
    )

    assert isinstance(event.body, ToolCall)
    assert event.tool == "Write"


def test_a_guard_is_asked_and_has_no_effect(tmp_path: Path) -> None:
    """It answers as in production, remembers, writes and sends nothing, and needs no warning."""
    hooks = [{"use": name} for name in GUARDS]
    engine = Engine.from_config(
        {"version": 1, "hooks": hooks},
        dialect="hookline",
        trust="all",
        cwd=tmp_path,
        environ={"HOME": str(tmp_path), "PATH": ""},
    )
    checkup = run_checkup(engine)

    assert checkup.all_findings == ()
    assert [each.spec.id for each in checkup.hooks if each.verdict is None] == []
    assert list(tmp_path.iterdir()) == []
