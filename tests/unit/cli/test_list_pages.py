"""Pages: what `list` and `show` print for people."""

from __future__ import annotations

from typing import Any

import pytest

import hookline
from hookline.cli.events import make_kind_document, render_kind
from hookline.cli.hook_documents import (
    list_in_order,
    make_hook_document,
    make_hooks_document,
)
from hookline.cli.hook_page import render_hook
from hookline.cli.list_command import render_hooks
from hookline.cli.output import Paint, escape_document
from hookline.model.kinds import NAMES
from tests.unit.cli.support import ROOT

PLAIN = Paint(on=False)


def engine(hooks: dict[str, Any]) -> hookline.Engine:
    """An engine with these hooks."""
    return hookline.Engine.from_config({"hooks": hooks}, dialect="docker-agent")


def listed(made: hookline.Engine) -> list[str]:
    """The lines of a list of all hooks."""
    return [*render_hooks(make_hooks_document(made, lambda _: True), PLAIN)]


def test_a_hook_is_one_line_below_its_file() -> None:
    """With its state, its id, its matcher and what it runs; counts and remedies stand below."""
    one = {"type": "command", "command": "one\ntwo"}
    file, good, broken, blank, counts, remedy = listed(engine({"stop": [one, {"type": "x"}]}))

    assert file == "no file (explicit, docker-agent)"
    assert good == "  approved  stop.one-dstjpm    one …"
    assert broken.startswith("  broken    stop.x-cssqvr      unsupported hook type `x`")
    assert (blank, counts) == ("", "2 hooks: 1 approved, 1 broken")
    assert remedy.startswith("broken:     hookline cannot load it")


@pytest.mark.parametrize("columns", [40, 80])
def test_a_list_fits_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last cells are cut; an id never is."""
    monkeypatch.setenv("COLUMNS", str(columns))
    group = {"matcher": "shell|read_file|write_file", "hooks": [
        {"type": "command", "command": "/a/long/path/to/a/program --with many options " * 3},
    ]}  # fmt: skip
    lines = listed(engine({"pre_tool_use": [group]}))

    assert max(map(len, lines)) <= columns
    assert "pre_tool_use.program-nbkmfd" in lines[1]
    assert ("program" in lines[1].partition("...")[2]) == (columns == 80)


def test_hooks_with_a_folder_each_are_one_group(monkeypatch: pytest.MonkeyPatch) -> None:
    """Below the folder that holds them all."""
    monkeypatch.chdir(ROOT)
    made = hookline.Engine.load("examples/agenthooks", dialect="agenthooks", trust="all")
    lines = listed(made)

    assert lines[0] == "examples/agenthooks (explicit, agenthooks)"
    assert "  (in the background)" in next(line for line in lines if "format-reminder" in line)
    assert lines[-1] == "4 hooks: 4 approved"


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
    assert "  when          the tool is `shell`" in lines
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
    runs = [hook["runs"] for hook in make_hooks_document(made, lambda _: True)["hooks"]]
    pages = [
        [
            " ".join(line.split())
            for line in render_hook(escape_document(make_hook_document(made, spec)), PLAIN)
        ]
        for spec in list_in_order(made)
    ]

    assert made.problems == ()
    assert "model acme/m at `https://llm.example`: Is it safe? …" in runs
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
    runs = [hook["runs"] for hook in make_hooks_document(made, lambda _: True)["hooks"]]
    page = "\n".join(render_hook(make_hook_document(made, next(list_in_order(made))), PLAIN))

    assert (
        "model $HOOKLINE_MODEL, or $ANTHROPIC_DEFAULT_HAIKU_MODEL, or "
        "claude-haiku-5-5: Are we done?" in runs
    )
    assert (
        "  asks          the model $HOOKLINE_MODEL, or $ANTHROPIC_DEFAULT_HAIKU_MODEL, or "
        "claude-haiku-5-5\n" in page
    )
    assert "  key           in $ANTHROPIC_API_KEY\n" in page


def test_an_event_says_what_a_hook_may_do() -> None:
    """Then a row for each host; a denial at a stop gate sends the agent back."""
    page = [*render_kind()(make_kind_document("stop", ["a#b"]), PLAIN)]

    assert page[:2] == [
        "stop, a gate: a hook may refuse",
        "  a hook may    send the agent back to work; end the run; add text for the model",
    ]
    assert "  codex         Stop                 yes      is skipped     none" in page
    assert page[-2:] == [
        "  hooks here    a#b",
        "All about one host: --dialect HOST",
    ]


def test_many_hooks_of_an_event_are_counted() -> None:
    """With the command that lists them."""
    page = [*render_kind()(make_kind_document("stop", [*"abcde"]), PLAIN)]

    assert "  hooks here    5, to see them: hookline list --event stop" in page


@pytest.mark.parametrize("name", ["tool.before", "stop", "prompt.submit"])
def test_an_event_is_one_screen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 80 columns and 24 lines."""
    monkeypatch.setenv("COLUMNS", "80")
    page = [*render_kind()(make_kind_document(name, []), PLAIN)]

    assert len(page) <= 24
    assert max(map(len, page)) <= 80


def test_an_event_of_one_dialect_has_every_fact() -> None:
    """What a failure means, what plain output is, and the fields of its payload."""
    page = "\n".join(render_kind("codex")(make_kind_document("tool.before", []), PLAIN))

    assert "PreToolUse of codex" in page
    assert "  a failure     is reported and refuses nothing (fail open)" in page
    assert "tool_use_id" in page


def test_an_event_that_no_dialect_here_has_says_where_it_is() -> None:
    """Its names in other products stand instead of the table."""
    kinds = [kinds_name for kinds_name in NAMES if not make_kind_document(kinds_name, ())["rows"]]
    pages = ["\n".join(render_kind()(make_kind_document(each, ()), PLAIN)) for each in kinds]

    assert pages
    assert all("  elsewhere     " in page for page in pages if "(" in page)
