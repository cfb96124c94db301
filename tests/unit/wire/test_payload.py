"""Payloads by the rows of a table: in, out, and what is wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.core.dialect import ABSENT, EventRow, Field, Table
from hookline.errors import CodecError
from hookline.model.event import Event, Lifecycle, Prompt, ToolCall
from hookline.wire.payload import decode, encode, encode_wire_text, unknown_event_error

if TYPE_CHECKING:
    from typing import Any

ROW = EventRow(
    native="PreTool",
    kind="tool.before",
    body=ToolCall,
    fields=(
        Field(native="toolName", fact="tool"),
        Field(native="toolInput", fact="input", default={}),
        Field(native="duration", fact="duration", default=ABSENT),
        Field(native="flag", fact="flag", default=False),
        Field(native="echo", fact="@raw", default=ABSENT),
    ),
)
TABLE = Table(
    name="host",
    rows={"PreTool": ROW, "Ask": EventRow(native="Ask", kind="prompt.submit", body=Prompt,
                                          fields=(Field(native="text", fact="prompt"),))},
    base=(Field(native="session", fact="@session_id", default=""),
          Field(native="dir", fact="@cwd", default=""), Field(native="event", fact="@native")),
    aliases={"pre-tool": "PreTool"},
)  # fmt: skip
NAMES = {"native": "event", "session_id": "session", "cwd": "dir"}
SENT = {
    "event": "PreTool",
    "session": "s1",
    "dir": "/w",
    "toolName": "bash",
    "toolInput": {"a": 1},
    "new": [1],
    "echo": "x",
}


def decoded(payload: Any, native: str = "") -> Event:
    """A payload as an event of the table's dialect."""
    return decode(payload, TABLE, native, NAMES)


def test_a_payload_becomes_an_event() -> None:
    """Known fields go into the body, the base into the event, and everything stays in `raw`."""
    assert decoded(SENT) == Event(
        kind="tool.before",
        dialect="host",
        native_name="PreTool",
        session_id="s1",
        cwd="/w",
        body=ToolCall(tool="bash", input={"a": 1}),
        raw=SENT,
    )


def test_facts_that_a_body_lacks_are_kept_by_name() -> None:
    """What the canonical event carries beyond its body's attributes is among its facts."""
    assert decoded({**SENT, "duration": 3}).body.value("duration") == 3


def test_the_caller_may_name_the_event() -> None:
    """Some hosts name it outside the payload; the caller's name wins."""
    assert decoded({"text": "hi"}, "Ask").kind == "prompt.submit"
    assert decoded({**SENT, "text": "hi"}, "Ask").native_name == "Ask"


def test_an_alias_is_kept_verbatim() -> None:
    """The event is decoded by its row, and remembers what the host called it."""
    event = decoded({**SENT, "event": "pre-tool"})

    assert (event.kind, event.native_name) == ("tool.before", "pre-tool")


def test_an_unknown_event_passes_with_all_that_it_carries() -> None:
    """Hooks observe a newer host's event under a name with its host."""
    event = decoded({"event": "Dream", "x": 1})

    assert event.kind == "x.host.Dream"
    assert event.body == Lifecycle(facts={"event": "Dream", "x": 1})


def test_null_is_as_good_as_absent() -> None:
    """A host that sends null for an input has none.

    Where a body cannot do without, it is an error.
    """
    assert decoded({**SENT, "toolInput": None}) == decoded(SENT).replace(
        body=ToolCall(tool="bash"), raw={**SENT, "toolInput": None}
    )
    with pytest.raises(CodecError):
        decoded({**SENT, "toolName": None})


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        ([], "must be a JSON object (it is a list)"),
        ("x", "must be a JSON object (it is text)"),
        (None, "must be a JSON object (it is missing or null)"),
        (3, "must be a JSON object (it is a number)"),
        ({}, "names no event: `event` is missing"),
        ({"event": ""}, "names no event"),
        ({"event": 3}, "`event` of a host payload must be text (it is a number)"),
        (
            {"event": "PreTool"},
            "`toolName` of a host `PreTool` payload must be text (it is missing or null)",
        ),
        ({"event": "PreTool", "toolName": ["bash"]}, "must be text (it is a list)"),
        (
            {"event": "PreTool", "toolName": "x", "session": True},
            "`session` of a host payload must be text (it is a boolean)",
        ),
        (
            {"event": "PreTool", "toolName": "x", "dir": {}},
            "`dir` of a host payload must be text (it is an object)",
        ),
        ({"event": "Ask", "text": 3}, "the prompt of a host `Ask` payload must be text"),
        ({"event": "Ask", 3: "x"}, "keys of a host payload must be texts"),
    ],
)
def test_a_payload_that_cannot_be_understood_is_a_codec_error(payload: Any, words: str) -> None:
    """The message names the field and what it is instead."""
    with pytest.raises(CodecError) as caught:
        decoded(payload)
    assert words in str(caught.value)


def test_an_event_becomes_a_payload_in_the_order_of_the_table() -> None:
    """Base fields first, then the row's, then whatever else the host sent."""
    payload = encode(decoded(SENT), TABLE, ROW, "PreTool")

    assert list(payload.items()) == [
        ("session", "s1"), ("dir", "/w"), ("event", "PreTool"), ("toolName", "bash"),
        ("toolInput", {"a": 1}), ("flag", False),
        ("echo", "x"), ("new", [1]),
    ]  # fmt: skip


def test_what_the_event_says_now_goes_before_what_the_host_sent() -> None:
    """After a rewrite a hook gets the new input."""
    event = decoded(SENT).replace(body=ToolCall(tool="bash", input={"a": 2}))

    assert encode(event, TABLE, ROW, "PreTool")["toolInput"] == {"a": 2}


def test_an_event_of_another_dialect_brings_its_facts_and_none_of_its_wire() -> None:
    """Keys of another host mean nothing here."""
    event = Event(
        kind="tool.before",
        dialect="other",
        body=ToolCall(tool="bash"),
        raw={"toolInput": {"b": 1}, "new": 1, "echo": "x"},
    )

    assert encode(event, TABLE, ROW, "PreTool") == {
        "session": "", "dir": "", "event": "PreTool", "toolName": "bash", "toolInput": {},
        "flag": False,
    }  # fmt: skip


def test_a_hook_declared_for_nothing_in_the_table_is_sent_the_base() -> None:
    """It also gets the fields of its own host."""
    assert encode(decoded({"event": "Dream", "x": 1}), TABLE, None, "Dream") == {
        "session": "",
        "dir": "",
        "event": "Dream",
        "x": 1,
    }


def test_control_characters_are_spelled_so_that_echo_leaves_them_alone() -> None:
    """Newline, tab, return, backslash, quote, backspace, form feed (docs/architecture.md 4.8)."""
    assert (
        encode_wire_text({"a": '\n\t\r\\"\b\f'}, TABLE)
        == '{"a": "\\u000a\\u0009\\u000d\\u005c\\u0022\\u0008\\u000c"}\n'
    )


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ({}, '{"a": "é\\u000a", "b": 1}\n'),
        ({"compact": True}, '{"a":"é\\u000a","b":1}\n'),
        ({"ascii_only": True}, '{"a": "\\u00e9\\u000a", "b": 1}\n'),
        ({"echo_safe": False}, '{"a": "é\\n", "b": 1}\n'),
    ],
)
def test_the_table_says_how_text_looks(columns: dict[str, bool], text: str) -> None:
    """Blanks, letters beyond ASCII, and escapes are columns."""
    assert encode_wire_text({"a": "é\n", "b": 1}, TABLE.replace(**columns)) == text


def test_half_a_surrogate_pair_is_escaped() -> None:
    """What is no UTF-8 would break the decoder of the guard that reads it."""
    assert encode_wire_text({"a": "x\ud800y😀"}, TABLE) == '{"a": "x\\ud800y😀"}\n'


@pytest.mark.parametrize(
    ("native", "hint"),
    [("PreTol", "did you mean `PreTool`?"), ("pre_tool", "did you mean"), ("zzzz", "its events: ")],
)
def test_an_unknown_name_is_told_the_nearest(native: str, hint: str) -> None:
    """Without a near one it tells where the names are listed."""
    error = unknown_event_error(TABLE, native)

    assert error.name == "wire.event"
    assert hint in error.hint
