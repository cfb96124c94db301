"""Events, and the keys of an answer, from tables."""

from __future__ import annotations

from hookline.dialects.kit.event_table import read_events, read_keys
from hookline.model.event import Prompt, ToolCall
from hookline.model.verdict import Stance

NAMES = {"Call": "tool.before", "Ask": "prompt.submit"}
KEYS = read_keys("""
newInput object input
newText  text   text
why      text
""")
TABLE = """
event | may  | how
Call  | deny | longest=5 words=REFUSES
      | note | not-parallel known=a,b
    TOOL tool_input=input!{}
    id
Ask   | halt text |
"""


def test_rows_may_be_continued() -> None:
    """A row goes on below an empty cell, and its payload on indented lines."""
    words = {"TOOL": "tool_name=tool", "REFUSES": "no:DENY"}
    row = read_events(TABLE, "x", NAMES, words=words)["Call"]

    assert row.powers == {"deny", "note"}
    assert (row.longest, row.known, row.words) == (5.0, ("a", "b"), {"no": Stance.DENY})
    assert (row.parallel, row.body, row.subject) == (False, ToolCall, "tool")
    assert [field.native for field in row.fields] == ["tool_name", "tool_input", "id"]


def test_an_event_reads_the_keys_whose_powers_it_has() -> None:
    """Where a row names its keys, it has the powers of those as well."""
    rows = read_events(f"{TABLE}Named | | reads=why,newText=output\n", "x", NAMES, keys=KEYS)

    assert rows["Call"].reads == {}
    assert rows["Ask"].reads == {"newText": "text"}
    assert rows["Named"].reads == {"why": "", "newText": "output"}
    assert rows["Named"].powers == {"output"}
    assert rows["Named"].kind == "x.x.Named"


def test_what_an_event_can_do_says_what_a_block_means() -> None:
    """A denial blocks, and a halt is what the table says that it is."""
    rows = read_events(TABLE, "x", NAMES, halts="stops")

    assert (rows["Call"].blocks, rows["Call"].stops) == (Stance.DENY, Stance.SILENT)
    assert (rows["Ask"].blocks, rows["Ask"].stops) == (Stance.SILENT, Stance.HALT)
    assert read_events(TABLE, "x", NAMES)["Ask"].blocks is Stance.HALT
    assert rows["Ask"].body is Prompt


def test_what_a_block_means_is_a_power() -> None:
    """A row states it in one place only."""
    row = read_events("event | how\nCall | blocks=HALT", "x", NAMES)["Call"]

    assert row.powers == {"halt"}
