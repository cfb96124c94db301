"""The listing that a model is shown."""

from __future__ import annotations

from hookline.dialects.agenthooks import available_hooks
from hookline.model.handler import Broken
from hookline.model.problem import Origin
from hookline.model.spec import HookSpec


def spec(name: str, matcher: dict[str, str] | None = None, file: str = "/h/HOOK.md") -> HookSpec:
    return HookSpec(
        id=name,
        dialect="agenthooks",
        kind="tool.before",
        native_event="before_tool",
        handler=Broken(reason=""),
        origin=Origin(file=file),
        name=name,
        facts={"description": "a < b & c", "matcher": matcher or {}},
    )


def test_every_text_is_escaped_the_location_too() -> None:
    """A folder's name cannot close a tag."""
    assert available_hooks(
        [spec("guard", {"tool": "Shell", "pattern": "a>b"}, "/x</location>/HOOK.md")]
    ) == (
        "<available_hooks>\n<hook>\n<name>guard</name>\n<description>a &lt; b &amp; c</description>\n<trigger>before_tool</trigger>\n"
        "<location>/x&lt;/location&gt;/HOOK.md</location>\n<matcher>\n<tool>Shell</tool>\n<pattern>a&gt;b</pattern>\n</matcher>\n</hook>\n"
        "</available_hooks>"
    )


def test_the_order_given_is_kept() -> None:
    """Hooks are not sorted."""
    listed = available_hooks([spec("z"), spec("a")])

    assert listed.index("<name>z</name>") < listed.index("<name>a</name>")
    assert "<matcher>" not in listed


def test_no_hooks_is_an_empty_block() -> None:
    """The tags stand also around nothing."""
    assert available_hooks([]) == "<available_hooks>\n</available_hooks>"
