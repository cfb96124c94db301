"""The table of the dialect as a whole."""

from __future__ import annotations

import pytest

from hookline.dialects.copilot.table import CONTRACTS, TABLE, runtime_names
from hookline.model import kinds
from hookline.model.verdict import Stance

# Powers that single events have beyond their canonical kind.
BEYOND = {"postToolUse": {"result_type"}, "subagentStop": {"response"}, "notification": {"context"}}
DENYING = {"preToolUse", "permissionRequest", "agentStop", "subagentStop"}


def test_there_is_a_row_for_each_of_the_14_events() -> None:
    """The events are those of the shared data, under the same canonical names."""
    assert len(TABLE.rows) == 14
    assert {native: row.kind for native, row in TABLE.rows.items()} == dict(
        kinds.native_names("copilot")
    )


def test_every_spelling_is_the_same_event() -> None:
    """All but one event have a PascalCase key, by which the table finds the same row."""
    assert len(TABLE.aliases) == 13
    assert "userPromptTransformed" not in TABLE.aliases.values()
    for spelling, native in TABLE.aliases.items():
        assert TABLE.row(spelling) is TABLE.rows[native]
        assert TABLE.selects(spelling) == TABLE.selects(native) == (native,)


def test_vscode_s_events_have_the_same_kinds() -> None:
    """A PascalCase key that VS Code has means here what it means there."""
    assert {name: CONTRACTS[name].kind for name in kinds.native_names("vscode")} == dict(
        kinds.native_names("vscode")
    )


@pytest.mark.parametrize("native", TABLE.rows)
def test_powers_stay_within_the_kind_but_where_the_host_does_more(native: str) -> None:
    """Whatever goes beyond the vocabulary is listed here."""
    row = TABLE.rows[native]

    assert row.powers - kinds.kind(row.kind).powers - {"note"} == BEYOND.get(native, set())
    assert (row.blocks is Stance.DENY) == (native in DENYING)
    assert (row.fails is Stance.DENY) == (native == "preToolUse")
    assert not row.parallel


@pytest.mark.parametrize("native", CONTRACTS)
def test_a_payload_has_session_folder_and_time(native: str) -> None:
    """In either spelling, and never twice under one name."""
    row = CONTRACTS[native]
    assert row is not None
    fields = [field.native for field in row.fields]

    assert len(fields) == len(set(fields))
    assert {"session_id" if row.snake else "sessionId", "timestamp", "cwd"} <= set(fields)
    assert all(name == name.lower() for name in fields) or not row.snake


@pytest.mark.parametrize(
    ("tool", "runtime"),
    [
        ("Bash", ("bash", "powershell")),
        ("bash", ()),
        ("Edit", ("edit", "str_replace_editor", "apply_patch")),
        ("Task", ("task",)),
        ("x", ()),
    ],
)
def test_claude_s_name_of_a_tool_stands_for_all_of_the_runtime_s(
    tool: str, runtime: tuple[str, ...]
) -> None:
    """A name of the runtime stands for no other."""
    assert runtime_names(tool) == runtime
