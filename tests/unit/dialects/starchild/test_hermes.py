"""Hermes' payloads: what can be said of any event, and what cannot."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookline.core.dialect import Source
from hookline.dialects.starchild.hermes import Hermes
from hookline.engine.catalog import make_dialect
from hookline.errors import CodecError
from hookline.model.event import Event, Rewrite, ToolCall
from tests.unit.dialects.starchild.support import HERMES_EVENTS, hermes_event, hermes_hook

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fork_server import ForkServer

leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
trees = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
)
payloads = (
    st.dictionaries(
        st.sampled_from(
            ["hook_event_name", "tool_name", "tool_input", "session_id", "cwd", "extra"]
        ),
        trees,
    )
    | trees
)


@given(payload=payloads, event_name=st.sampled_from(["", *HERMES_EVENTS]))
@settings(deadline=None)
def test_any_payload_is_an_event_or_refused(payload: object, event_name: str) -> None:
    """Never another exception."""
    try:
        event = Hermes().decode_event(payload, event_name)
    except CodecError:
        return
    assert event.raw == payload or event.raw is payload


@pytest.mark.parametrize("event_name", HERMES_EVENTS)
def test_what_cannot_be_serialised_becomes_text(event_name: str) -> None:
    """A host in the same process may hand over anything."""
    event = hermes_event(event_name)
    odd = {1: object, "when": float("nan"), "path": {"a", 1}}
    raw = {**event.raw, "extra": {**event.raw["extra"], "odd": odd}}
    sent = json.loads(Hermes().encode_event(event.replace(raw=raw), hermes_hook(event_name)))

    assert sent["extra"]["odd"] == {"1": str(object), "when": "NaN", "path": str({"a", 1})}
    assert list(sent) == [
        "hook_event_name",
        "tool_name",
        "tool_input",
        "session_id",
        "cwd",
        "profile",
        "extra",
    ]


def test_a_hook_is_sent_what_the_hook_before_it_rewrote() -> None:
    """Under the event's own name for it."""
    event = hermes_event("transform_terminal_output").apply_rewrite(
        Rewrite(target="output", value="***")
    )
    sent = json.loads(Hermes().encode_event(event, hermes_hook("transform_terminal_output")))

    assert sent["extra"]["output"] == "***"


def test_an_event_of_another_host_is_told_in_the_same_shape() -> None:
    """With what the event says, and nothing of the other host's own."""
    event = Event(
        kind="tool.before",
        dialect="elsewhere",
        body=ToolCall(tool="Bash", input={"command": "ls"}),
        raw={"x": 1},
    )
    sent = json.loads(Hermes().encode_event(event, hermes_hook("pre_tool_call")))

    assert sent == {
        "hook_event_name": "pre_tool_call", "tool_name": "Bash", "tool_input": {"command": "ls"},
        "session_id": "", "cwd": "", "profile": "default", "extra": {},
    }  # fmt: skip


@pytest.mark.parametrize("word", ["1", "true", "YES", "on"])
def test_the_variables_of_hermes_are_recognised(word: str) -> None:
    """In the words that Hermes takes; any other word is no."""
    environ = {"HERMES_SAFE_MODE": word, "HERMES_ACCEPT_HOOKS": "0"}
    made = make_dialect("hermes", {}, environ)
    loaded = made.load(Source(tree={"hooks": {"pre_tool_call": [{"command": "true"}]}}))

    assert loaded.problems == ()
    assert made.combine(loaded.specs).specs == ()


@pytest.mark.process
@pytest.mark.parametrize("switch", ["HERMES_ACCEPT_HOOKS", "hooks_auto_accept"])
def test_the_user_learns_once_a_session_that_a_switch_approves_nothing(
    switch: str, tmp_path: Path, fork_server: ForkServer
) -> None:
    """`hookline answer` prints a notice at the first event with a hook, and names the command."""
    home = tmp_path / "home" / ".hermes"
    home.mkdir(parents=True)
    accepts = "hooks_auto_accept: true\n" if switch == "hooks_auto_accept" else ""
    (home / "config.yaml").write_text(f"{accepts}hooks:\n  pre_tool_call:\n    - command: 'true'\n")
    variable = {switch: "1"} if switch.isupper() else {}
    environ = {"HOME": str(home.parent), "PATH": os.environ["PATH"], **variable}
    call = {"tool_name": "terminal", "tool_input": {}, "cwd": str(tmp_path)}

    def told(session: str, event: str = "pre_tool_call") -> int:
        payload = {"hook_event_name": event, "session_id": session, **call}
        done = fork_server.hookline(
            "answer", "hermes", folder=tmp_path, environ=environ, sent=json.dumps(payload)
        )
        assert done.returncode == 0
        assert "hookline approve" in done.stderr or switch not in done.stderr
        return done.stderr.count(switch)

    assert [told("a", "post_tool_call"), told("a"), told("a"), told("b")] == [0, 1, 0, 1]
