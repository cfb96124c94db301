"""Dialect resolution: which dialect an event's name belongs to, and with which options."""

from __future__ import annotations

import pytest

from hookline.engine.catalog import Dialects
from hookline.errors import CodecError, ConfigError

SHARED = "pre_tool_use"  # docker-agent and A3S have it, each in its own sense


def speaking(*names: str) -> Dialects:
    """The dialects of an engine that has hooks of these."""
    made = Dialects({})
    made.add_defaults(made.make(name) for name in names)
    return made


def test_a_dialect_is_made_once_for_each_set_of_options() -> None:
    """All users of these options share one object.

    Another option makes another one, which has it.
    """
    made = speaking()
    plain = made.make("docker-agent")
    other = made.make("docker-agent", {"exact": True})

    assert made.make("docker-agent", {}) is plain
    assert other is not plain
    assert (made.get_options(plain), made.get_options(other)) == ({}, {"exact": True})


def test_a_host_has_the_options_of_the_last_call() -> None:
    """Hooks alone never change the options."""
    made = speaking()
    named = made.make_host("docker-agent", {"exact": True})
    made.add_defaults([made.make("docker-agent")])

    assert made.host("docker-agent") is named
    assert made.own() is None
    assert made.host("hookline") is made.own()


@pytest.mark.parametrize(
    ("loaded", "event", "dialect"),
    [
        ((), "tool.before", "hookline"),
        (("claude-code",), "tool.before", "hookline"),
        (("claude-code",), "PreToolUse", "claude-code"),
        (("docker-agent",), SHARED, "docker-agent"),
        (("docker-agent", "claude-code"), SHARED, "docker-agent"),
    ],
)
def test_a_name_is_of_the_only_dialect_that_has_it(
    loaded: tuple[str, ...], event: str, dialect: str
) -> None:
    """Otherwise it is canonical."""
    assert speaking(*loaded).find_for_event(event).table.name == dialect


@pytest.mark.parametrize(
    ("loaded", "event", "words"),
    [
        ((), "PreToolUse", "which dialect's `PreToolUse`"),
        (("docker-agent", "a3s"), SHARED, "which dialect's `pre_tool_use`"),
        (("claude-code",), "PreToolUsage", "PreToolUsage"),
    ],
)
def test_a_name_of_none_or_of_several_is_an_error(
    loaded: tuple[str, ...], event: str, words: str
) -> None:
    """The error tells which dialect to name."""
    with pytest.raises(CodecError, match=words):
        speaking(*loaded).find_for_event(event)


def test_what_no_dialect_is_cannot_be_spoken() -> None:
    """The failed attempt leaves no state."""
    made = speaking()
    with pytest.raises(ConfigError):
        made.host("clode")

    assert made.own() is None


def test_who_speaks_like_another_shares_its_dialects() -> None:
    """With their options."""
    other = speaking()
    named = other.make_host("docker-agent", {"exact": True})
    made = speaking()
    made.copy_from(other)

    assert made.host("docker-agent") is named
    assert made.get_options(named) == {"exact": True}
