"""The list of hooks for a model."""

from __future__ import annotations

from hookline.dialects.agenthooks import AgentHooks
from hookline.model.spec import Broken, Command, HookSpec, Leaves, Origin, Pattern
from hookline.text.regex import compile_regex

DIALECT = AgentHooks()


def spec(name: str, *, matches: bool = False, file: str = "/h/HOOK.md") -> HookSpec:
    tool = Pattern(field="tool", source="Shell", regex=compile_regex("Shell"))
    pattern = Leaves(source="a>b", regex=compile_regex("a>b"))
    return HookSpec(
        id=name,
        dialect="agenthooks",
        kind="tool.before",
        native_event="before_tool",
        handler=Command(argv=("/h/run",)),
        conditions=(tool, pattern) if matches else (),
        origin=Origin(file=file),
        name=name,
        facts={"description": "a < b & c"},
    )


def test_every_text_is_escaped_the_location_too() -> None:
    """A folder's name cannot close a tag."""
    assert DIALECT.available_hooks([spec("guard", matches=True, file="/x</location>/HOOK.md")]) == (
        "<available_hooks>\n<hook>\n<name>guard</name>\n<description>a &lt; b &amp; "
        "c</description>\n<trigger>before_tool</trigger>\n"
        "<location>/x&lt;/location&gt;/HOOK.md</location>\n<matcher>\n<tool>Shell</tool>\n"
        "<pattern>a&gt;b</pattern>\n</matcher>\n</hook>\n"
        "</available_hooks>"
    )


def test_the_order_given_is_kept() -> None:
    """Hooks are not sorted."""
    listed = DIALECT.available_hooks([spec("z"), spec("a")])

    assert listed.index("<name>z</name>") < listed.index("<name>a</name>")
    assert "<matcher>" not in listed


def test_no_hooks_is_an_empty_block() -> None:
    """The tags are there without hooks too."""
    assert DIALECT.available_hooks([]) == "<available_hooks>\n</available_hooks>"


def test_hooks_that_do_not_count_are_left_out() -> None:
    """A model learns nothing of a hook that is broken, not approved or only observed."""
    good = spec("a")
    others = (
        good.replace(handler=Broken(reason="")),
        good.replace(trusted=False),
        good.replace(shadow=True),
    )

    assert DIALECT.available_hooks(others) == DIALECT.available_hooks([])
