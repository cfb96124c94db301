"""Decorators: what `on` takes, and which events its filters select."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import pytest

from hookline import ConfigError, Engine, Event, Prompt, Stance, ToolCall

if TYPE_CHECKING:
    from typing import Any


def called(tool: str = "bash", **tool_input: Any) -> Event:
    """A call of a tool."""
    return Event(
        kind="tool.before", session_id="s1", cwd="/w", body=ToolCall(tool=tool, input=tool_input)
    )


def hears(event: Event, **filters: Any) -> bool:
    """Whether a function with these filters is called for an event."""
    heard: list[Event] = []
    engine = Engine(environ={})
    engine.on("tool.before", **filters)(heard.append)
    engine.fire(event)
    return bool(heard)


@pytest.mark.parametrize(
    ("filters", "event", "expected"),
    [
        ({}, called(), True),
        ({"tool": "bash"}, called(), True),
        ({"tool": "Bash"}, called(), False),
        ({"tool": "bas"}, called(), False),
        ({"tool": ["sh", "bash"]}, called(), True),
        ({"tool": ("sh",)}, called(), False),
        ({"tool": []}, called(), False),
        ({"command": r"rm\s+-rf"}, called(command="sudo rm  -rf /"), True),
        ({"command": r"rm\s+-rf"}, called(cmd="rm -rf /"), True),
        ({"command": r"rm\s+-rf"}, called(command="ls"), False),
        ({"command": "x"}, called(), False),
        ({"path": "*.env"}, called(file_path="/w/a.env"), True),
        ({"path": "*.env"}, called(file_path="sub/../a.env"), True),
        ({"path": "*.env"}, called(file_path="sub/a.env"), False),
        ({"path": "**/*.env"}, called(file_path="sub/a.env"), True),
        ({"path": ["*.py", "*.{env,key}"]}, called(path="a.key"), True),
        ({"path": "/etc/**"}, called(path="../etc/passwd"), True),
        ({"tool": "bash", "command": "ls"}, called(command="ls"), True),
        ({"tool": "sh", "command": "ls"}, called(command="ls"), False),
    ],
)
def test_filters_all_have_to_hold(filters: dict[str, Any], event: Event, *, expected: bool) -> None:
    """Tools are exact names, commands are searched, paths are normalised first."""
    assert hears(event, **filters) is expected


def test_only_events_of_the_kind_are_heard() -> None:
    """A function that listens to tools hears no prompts."""
    assert not hears(Event(kind="prompt.submit", body=Prompt(prompt="x")))


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("tool.befor", "did you mean `tool.before`?"),
        ("PreToolUse", "did you mean `tool.before`?"),
        ("pre_tool_use", "did you mean `tool.before`?"),
        ("zzzz", "canonical events are spelled `tool.before`"),
        ("", "canonical events"),
    ],
)
def test_an_unknown_event_is_an_error(kind: str, words: str) -> None:
    """A guard on a misspelled event would never be asked."""
    with pytest.raises(ConfigError) as caught:
        Engine().on(kind)(print)
    assert caught.value.name == "event.unknown"
    assert words in caught.value.hint


@pytest.mark.parametrize("command", ["(", "(?=x)", r"(a)\1", "[z-a]", "*"])
def test_an_invalid_expression_is_an_error(command: str) -> None:
    """The error comes at once, not with the first event."""
    with pytest.raises(ConfigError) as caught:
        Engine().on("tool.before", command=command)(print)
    assert caught.value.name == "matcher.regex"


class Callable:
    """An object that can be called."""

    def __call__(self, event: Event) -> None:
        """Say nothing."""


def a_function(event: Event) -> None:
    """Say nothing."""


@pytest.mark.parametrize(
    ("call", "hook_id"),
    [
        (a_function, "python#a_function"),
        (lambda _: None, "python#<lambda>"),
        (Callable(), "python#Callable"),
        (Callable().__call__, "python#Callable.__call__"),
        (functools.partial(a_function), "python#partial"),
    ],
)
def test_a_function_is_known_by_its_name(call: Any, hook_id: str) -> None:
    """Without the place where it was defined."""
    engine = Engine()
    engine.on("tool.before")(call)

    assert [spec.id for spec in engine.hooks] == [hook_id]


def test_a_name_may_be_given_and_is_made_unique() -> None:
    """Two hooks with one name are two hooks."""
    engine = Engine()
    for _ in range(3):
        engine.on("tool.before", name="guard")(print)

    assert [(spec.id, spec.name) for spec in engine.hooks] == [
        ("python#guard", "guard"),
        ("python#guard~2", "guard"),
        ("python#guard~3", "guard"),
    ]


def test_the_decorated_function_stays_what_it_was() -> None:
    """It can be called, tested, and decorated again."""
    engine = Engine()

    assert engine.on("tool.before")(engine.on("stop")(a_function)) is a_function
    assert len(engine.hooks) == 2


def test_settings_reach_the_hook() -> None:
    """Rank, time, failure, shadow and once, in the scope that comes last."""
    engine = Engine()
    engine.on("tool.before", rank=3, timeout=1.5, on_failure=Stance.DENY, shadow=True, once=True)(
        a_function
    )
    (spec,) = engine.hooks

    assert (spec.rank, spec.timeout, spec.on_failure, spec.shadow, spec.once) == (
        3,
        1.5,
        Stance.DENY,
        True,
        True,
    )
    assert (spec.origin.scope, spec.dialect, spec.trusted) == ("process", "hookline", True)


def test_a_hook_added_while_an_event_is_asked_about_waits_for_the_next() -> None:
    """A running dispatch keeps the registry that it began with."""
    engine = Engine(environ={})
    heard: list[str] = []

    @engine.on("tool.before")
    def first(event: Event) -> None:
        heard.append(event.tool)
        if len(heard) == 1:
            engine.on("tool.before")(lambda event: heard.append(f"new {event.tool}"))

    engine.fire(called())
    after_one = list(heard)
    engine.fire(called())

    assert after_one == ["bash"]
    assert heard == ["bash", "bash", "new bash"]
