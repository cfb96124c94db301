"""Sending: no payload holds a null, and every text survives a shell's `echo`."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookline.dialects.docker_agent import DockerAgent
from hookline.model.event import Event, ToolCall
from tests.unit.dialects.docker_agent.support import EVENTS, one_event, one_hook, row_of

texts = st.text(st.characters(codec="utf-8"), max_size=12) | st.sampled_from(
    ['"', "\\n", "\n\r\t", "\\\\", "\b\f\x00\x1b"]
)
values = (
    st.none()
    | st.booleans()
    | st.integers()
    | texts
    | st.lists(texts, max_size=2)
    | st.dictionaries(texts, texts, max_size=2)
)


def payloads(event: str) -> st.SearchStrategy[dict[str, object]]:
    """What a host may send for an event: some of its fields, with values of any type."""
    row = row_of(DockerAgent(), event)
    fields = {field.native: values for field in row.fields if field.fact not in ("tool", "prompt")}
    always = {"tool_name": texts} if row.subject else {}
    return st.fixed_dictionaries(
        always, optional=fields | {"agent_name": values, "session_id": texts, "further": values}
    )


@given(data=st.data(), event_name=st.sampled_from(EVENTS), exact=st.booleans())
@settings(deadline=None)
def test_a_payload_has_no_null_and_its_base_first(
    data: st.DataObject, event_name: str, exact: bool
) -> None:
    """Always a session, a folder and the event's name, in that order.

    Then only what has a value.
    """
    dialect = DockerAgent(exact=exact)
    event = dialect.decode_event(data.draw(payloads(event_name)), event_name)
    sent = json.loads(dialect.encode_event(event, one_hook(dialect, event_name)))

    assert list(sent)[:3] == ["session_id", "cwd", "hook_event_name"]
    assert sent["hook_event_name"] == event_name.partition(":")[0]
    assert None not in sent.values()
    assert isinstance(sent.get("tool_input", {}), dict)


@given(text=texts, key=texts)
@settings(deadline=None)
def test_a_payload_is_one_line_that_echo_leaves_alone(text: str, key: str) -> None:
    """Every backslash begins a Unicode escape, and the parsed object equals the original."""
    dialect = DockerAgent()
    event = dialect.decode_event({"tool_name": "shell", "tool_input": {key: text}}, "tool_guard")
    line = dialect.encode_event(event, one_hook(dialect, "tool_guard"))

    assert line.endswith("}\n")
    assert "\n" not in line[:-1]
    assert re.sub(r"\\u[0-9a-f]{4}", "", line).count("\\") == 0
    assert json.loads(line)["tool_input"] == {key: text}


def test_a_hook_of_another_dialects_event_is_sent_its_own_fields() -> None:
    """The canonical facts are sent in docker-agent's format, and no foreign field is."""
    dialect = DockerAgent()
    ours = one_event(dialect, "pre_tool_use")
    foreign = ours.replace(
        dialect="claude-code",
        native_name="PreToolUse",
        raw={"toolName": "Bash", "permission_mode": "plan"},
    )
    sent = json.loads(dialect.encode_event(foreign, one_hook(dialect, "pre_tool_use")))

    assert sent == {
        "session_id": "d-9",
        "cwd": "/srv/shop",
        "hook_event_name": "pre_tool_use",
        "tool_name": "shell",
        "tool_input": {"cmd": "ls", "cwd": "/"},
    }


@pytest.mark.parametrize(
    ("error", "sent"),
    [
        (None, False),
        (False, False),
        (True, True),
        ("exit status 1", True),
        ("", False),
        ({"code": 1}, True),
    ],
)
def test_a_tool_s_error_is_whether_there_was_one(error: object, sent: bool) -> None:
    """If the other host sends an error text, the hook still gets a boolean."""
    dialect = DockerAgent()
    foreign = Event(
        kind="tool.after",
        dialect="claude-code",
        native_name="PostToolUse",
        body=ToolCall(tool="shell", result="x", error=error),
    )
    told = json.loads(dialect.encode_event(foreign, one_hook(dialect, "post_tool_use")))[
        "tool_error"
    ]

    assert told is sent
