"""Pages: what `list` and `show` print for people."""

from __future__ import annotations

from typing import Any

import pytest

import hookline
from hookline.cli.events import make_kind_document, render_kind
from hookline.cli.list_command import (
    list_in_order,
    make_hook_document,
    make_hooks_document,
    render_hook,
    render_hooks,
)
from hookline.cli.output import Paint, escape_document

PLAIN = Paint(on=False)


def engine(hooks: dict[str, Any]) -> hookline.Engine:
    """An engine with these hooks."""
    return hookline.Engine.from_config({"hooks": hooks}, dialect="docker-agent")


def test_a_list_is_grouped_by_event() -> None:
    """Three lines a hook: id and event, what it runs, approval and anything unusual."""
    one = {"type": "command", "command": "one\ntwo"}

    lines = list(
        render_hooks(
            make_hooks_document(
                engine({"stop": [one, {"type": "x"}], "turn_end": [one]}), lambda _: True
            ),
            PLAIN,
        )
    )

    assert lines[0] == "stop"
    assert lines[1:4] == ["  config#stop.0  stop", "    one …", "    python  approved"]
    assert lines[6].startswith("    python  approved, broken: unsupported hook type `x`")
    assert lines[7:9] == ["", "turn.end"]


def test_a_hook_has_a_line_for_each_field() -> None:
    """Times have their unit, and ranks their direction."""
    made = engine(
        {
            "pre_tool_use": [
                {"matcher": "shell", "hooks": [{"type": "command", "command": "x", "timeout": 7}]}
            ]
        }
    )

    lines = list(render_hook(make_hook_document(made, next(list_in_order(made))), PLAIN))

    assert "  event         pre_tool_use of docker-agent (tool.before)" in lines
    assert "  when          the tool is wholly matched by `shell`" in lines
    assert "  timeout       7 s" in lines
    assert "  on failure    it counts as a denial (fail closed)" in lines


@pytest.mark.parametrize(
    ("mode", "hook", "said", "seconds"),
    [
        (
            "fidelity",
            {"async": True, "timeout": 1},
            "3600 s, as of every hook in the background; its own of 1 s is not enforced",
            3600.0,
        ),
        (
            "fidelity",
            {"asyncRewake": True},
            "3600 s, as of every hook in the background; its own of 600 s is not enforced",
            3600.0,
        ),
        ("strict", {"async": True, "timeout": 1}, "1 s", 1.0),
        ("fidelity", {"timeout": 1}, "1 s", 1.0),
    ],
)
def test_a_time_limit_is_told_as_it_counts(
    mode: str, hook: dict[str, Any], said: str, seconds: float
) -> None:
    """Claude Code enforces none in the background (docs/formats/claude-code.md 4).

    Then it is ended with all others of these, and not when its file says.
    """
    made = hookline.Engine()
    tree = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", **hook}]}]}}
    made.add_source(tree, dialect="claude-code", mode=mode)
    document = make_hook_document(made, next(list_in_order(made)))

    assert f"  timeout       {said}" in list(render_hook(document, PLAIN))
    assert document["time_limit"] == seconds


def test_builtins_and_broken_hooks_say_what_they_run() -> None:
    """A broken hook runs nothing, and the page says why."""
    made = engine(
        {
            "turn_start": [
                {"type": "builtin", "command": "add_prompt_files", "args": ["A.md"]},
                {"type": "x"},
            ]
        }
    )
    pages = [
        "\n".join(render_hook(make_hook_document(made, spec), PLAIN))
        for spec in list_in_order(made)
    ]

    assert "  runs          builtin add_prompt_files A.md" in pages[0]
    assert "  runs          nothing: unsupported hook type `x`" in pages[1]


def test_a_model_hook_says_whom_it_asks_what_and_with_which_key() -> None:
    """The user approves the address, the variable of the key, and the prompt."""
    entry = {
        "provider": "acme",
        "model": "m",
        "base_url": "https://llm.example/v1",
        "token_key": "ACME_KEY",
    }
    hooks = [
        {"type": "model", "model": name, "prompt": "Is it safe?\nSay why."}
        for name in ("small", "google/g", "ollama/o")
    ]
    tree = {"models": {"small": entry}, "agents": {"root": {"hooks": {"turn_start": hooks}}}}
    made = hookline.Engine.from_config(tree, dialect="docker-agent")
    listed = [
        line.strip() for line in render_hooks(make_hooks_document(made, lambda _: True), PLAIN)
    ]
    pages = [
        [
            " ".join(line.split())
            for line in render_hook(escape_document(make_hook_document(made, spec)), PLAIN)
        ]
        for spec in list_in_order(made)
    ]

    assert made.problems == ()
    assert "model acme/m at `https://llm.example`: Is it safe? …" in listed
    assert pages[0][4:9] == [
        "asks the model acme/m",
        "Is it safe?",
        "Say why.",
        "address https://llm.example/v1",
        "key in $ACME_KEY",
    ]
    assert pages[1][7:9] == [
        "address the provider's own, or the one that the environment names",
        "key in $GOOGLE_API_KEY, else $GEMINI_API_KEY",
    ]
    assert pages[2][8] == "key none"


def test_a_prompt_hook_without_a_model_says_what_is_asked_then() -> None:
    """The list names the variable that a user can set, and the default model."""
    tree = {"hooks": {"Stop": [{"hooks": [{"type": "prompt", "prompt": "Are we done?"}]}]}}
    made = hookline.Engine.from_config(tree, dialect="claude-code")
    listed = [
        line.strip() for line in render_hooks(make_hooks_document(made, lambda _: True), PLAIN)
    ]
    page = "\n".join(render_hook(make_hook_document(made, next(list_in_order(made))), PLAIN))

    assert (
        "model $HOOKLINE_MODEL, or $ANTHROPIC_DEFAULT_HAIKU_MODEL, or "
        "claude-haiku-5-5: Are we done?" in listed
    )
    assert (
        "  asks          the model $HOOKLINE_MODEL, or $ANTHROPIC_DEFAULT_HAIKU_MODEL, or "
        "claude-haiku-5-5\n" in page
    )
    assert "  key           in $ANTHROPIC_API_KEY\n" in page


def test_an_event_says_what_a_hook_may_do() -> None:
    """The page also says that a denial at a stop gate sends the agent back."""
    page = "\n".join(render_kind(make_kind_document("stop", ["a#b"]), PLAIN))

    assert page.startswith(
        "stop, a gate: a hook may refuse\n  a hook may    send the agent back to work\n"
    )
    assert "Stop (codex)" in page
    assert page.endswith("  hooks here    a#b")
