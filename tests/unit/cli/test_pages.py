"""Pages: what `list` and `show` print for people."""

from __future__ import annotations

from typing import Any

import hookline
from hookline.cli.events import kind_document
from hookline.cli.hooks import hook_document, hooks_document, in_order
from hookline.cli.pages import hook_page, hooks_page, kind_page
from hookline.cli.paint import Paint

PLAIN = Paint(on=False)


def engine(hooks: dict[str, Any]) -> hookline.Engine:
    """An engine with these hooks."""
    return hookline.Engine.from_config({"hooks": hooks}, dialect="docker-agent")


def test_a_list_is_grouped_by_event() -> None:
    """Three lines a hook: which and when, what it runs, where it stands and what is unusual about it."""
    one = {"type": "command", "command": "one\ntwo"}

    lines = list(hooks_page(hooks_document(engine({"stop": [one, {"type": "x"}], "turn_end": [one]}), lambda _: True), PLAIN))

    assert lines[0] == "stop"
    assert lines[1:4] == ["  config#stop.0  stop", "    one …", "    python  trusted"]
    assert lines[6].startswith("    python  trusted, broken: unsupported hook type `x`")
    assert lines[7:9] == ["", "turn.end"]


def test_a_hook_has_a_line_for_each_field() -> None:
    """Times with their unit, ranks with their direction."""
    made = engine({"pre_tool_use": [{"matcher": "shell", "hooks": [{"type": "command", "command": "x", "timeout": 7}]}]})

    lines = list(hook_page(hook_document(made, next(in_order(made))), PLAIN))

    assert "  event         pre_tool_use of docker-agent (tool.before)" in lines
    assert "  when          the tool is wholly matched by `shell`" in lines
    assert "  timeout       7 s" in lines
    assert "  on failure    it counts as a denial (fail closed)" in lines


def test_builtins_and_broken_hooks_say_what_they_run() -> None:
    """Nothing, and why."""
    made = engine({"turn_start": [{"type": "builtin", "command": "add_prompt_files", "args": ["A.md"]}, {"type": "x"}]})
    pages = ["\n".join(hook_page(hook_document(made, spec), PLAIN)) for spec in in_order(made)]

    assert "  runs          builtin add_prompt_files A.md" in pages[0]
    assert "  runs          nothing, because it is broken: unsupported hook type `x`" in pages[1]


def test_an_event_says_what_a_hook_may_do() -> None:
    """In words; at a stop gate a denial sends the agent back."""
    page = "\n".join(kind_page(kind_document("stop", ["a#b"]), PLAIN))

    assert page.startswith("stop, a gate: a hook may refuse\n  a hook may    send the agent back to work\n")
    assert "Stop (codex)" in page
    assert page.endswith("  hooks here    a#b")
