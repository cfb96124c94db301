"""One agent of a file: its names, texts, limits and commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.host.support import list_problems, load, read

if TYPE_CHECKING:
    from pathlib import Path


def agent(text: str) -> str:
    """An agent file whose root agent has these lines."""
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    return f"agents:\n  root:\n    model: openai/a\n{lines}  helper: {{model: openai/b}}\n"


def test_an_agent_delegates(tmp_path: Path) -> None:
    """To agents of its own file."""
    text = (
        "sub_agents: [helper]\nhandoffs: [helper]\nforce_handoff: helper\n"
        "routing: {allowed_agents: [helper]}"
    )
    root = read(tmp_path, agent(text)).root

    assert (root.sub_agents, root.handoffs, root.force_handoff) == (
        ("helper",),
        ("helper",),
        "helper",
    )
    assert root.routes == ("helper",)


def test_instructions_are_texts_and_files(tmp_path: Path) -> None:
    """Several are joined by a blank line."""
    assert read(tmp_path, agent("instruction: [a, b]")).root.instruction == "a\n\nb"
    found = read(tmp_path, agent("instruction_file: [x.md, y.md]"), x_md="one", y_md="two")
    assert found.root.instruction == "one\n\ntwo"


def test_fallbacks_and_limits(tmp_path: Path) -> None:
    """A retry count of -1 is none, of 0 the default."""
    text = "fallback: {models: [openai/c], retries: -1, cooldown: 2m}\nmax_iterations: 7"
    root = read(tmp_path, agent(text)).root

    assert [model.model for model in root.fallbacks] == ["c"]
    assert (root.fallback_retries, root.cooldown, root.max_iterations) == (0, 120.0, 7)
    zero = read(tmp_path, agent("fallback: {models: [openai/c], retries: 0}")).root
    assert zero.fallback_retries == 2


def test_commands(tmp_path: Path) -> None:
    """An agent's own command replaces that of a group."""
    text = agent("use_commands: [team]\ncommands:\n  - fix: fix it\n  - {go: {instruction: run}}")
    root = read(tmp_path, text + "commands:\n  team: {fix: never, look: see}\n").root

    assert {each.name: each.instruction for each in root.commands} == {
        "fix": "fix it",
        "look": "see",
        "go": "run",
    }


@pytest.mark.parametrize(
    ("text", "problem", "hint"),
    [
        ("sub_agents: [agentcatalog/pirate]", "unknown agent", "fetches no agents"),
        ("force_handoff: helpr", "unknown agent `helpr`", "did you mean `helper`?"),
        ("harness: {type: codex}", "cannot follow `harness`", "starts no other agent"),
        ("code_mode_tools: true", "ignores `code_mode_tools`", "directly"),
        ("budgets: [day]", "unknown budget `day`", "under `budgets`"),
        ("use_commands: [x]", "unknown group of commands `x`", "under `commands`"),
        ("compaction_threshold: 2", "is no part of a window", "90 %"),
        ("max_iterations: -1", "`max_iterations: -1` is no count", ""),
        ("instruction: x\ninstruction_file: y", "no effect beside", "one of them"),
        ("instruction_file: ../x", "outside of the folder", "below the folder"),
        ("instruction_file: none.md", "cannot read", ""),
        ("safety: safe", "`safety: safe` is not known", "restricted"),
        ("fallback: {retries: -2}", "`retries: -2` is no count", "-1 is none"),
        ("use_toolsets: [x]", "unknown toolset `x`", "under `toolsets`"),
        ("commands: {a: {url: x}}", "ignores `url` of a command", ""),
    ],
)
def test_problems_of_an_agent(tmp_path: Path, text: str, problem: str, hint: str) -> None:
    """Each says what is wrong and what to do."""
    found = list_problems(load(tmp_path, agent(text)))

    assert any(problem in message and hint in given for _, message, given in found)


def test_a_key_that_is_off_is_not_reported(tmp_path: Path) -> None:
    """What is not asked for is not ignored."""
    assert load(tmp_path, agent("code_mode_tools: false\nskills: []")).problems == ()
