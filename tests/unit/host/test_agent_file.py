"""The agent file: what is read, what is refused with a place, and what is ignored with a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.errors import ConfigError
from hookline.host.agent_file import load_agent_file
from tests.unit.host.support import list_problems, load, read

if TYPE_CHECKING:
    from pathlib import Path

SMALL = "agents:\n  root:\n    model: openai/gpt-4o-mini\n"


@pytest.mark.parametrize(
    ("rule", "warns", "hint"),
    [
        ("shel:cmd=rm*", True, "`shell`"),
        ("fetch", True, ""),
        ("directory_tree", True, "find_files"),
        ("Shell", False, ""),
        ("*_file", False, ""),
        ("handoff", False, ""),
    ],
)
def test_a_rule_about_a_tool_that_does_not_exist(
    tmp_path: Path, rule: str, warns: bool, hint: str
) -> None:
    """It denies nothing, so hookline warns."""
    text = SMALL + f"permissions: {{deny: ['{rule}']}}\n"
    problems = load(tmp_path, text).problems

    assert [each.name for each in problems] == ["toolset.unknown"] * warns
    assert all(each.severity == "warning" and hint in each.hint for each in problems)


def test_a_small_file_has_the_defaults(tmp_path: Path) -> None:
    """One agent with a model is enough."""
    found = read(tmp_path, SMALL)

    assert found.root.name == "root"
    assert found.root.model.model_id == "openai/gpt-4o-mini"
    assert found.root.compaction_threshold is None
    assert found.root.max_consecutive_calls == 5
    assert found.root.redact_secrets
    assert found.host.profile == "d2"
    assert found.host.sandbox.kind == ""


def test_all_errors_are_listed_at_once(tmp_path: Path) -> None:
    """Each has its line and a hint, also those of the hooks, in the order of the file."""
    loaded = load(
        tmp_path,
        """\
agents:
  root:
    model: opnai/gpt-4o
    sub_agents: [reviewr]
    instructon: x
    toolsets:
      - type: filesytem
    hooks:
      pre_tool_us: []
  reviewer:
    model: openai/gpt-4o
permissions:
  deny: [':cmd=x']
budgt: {}
""",
    )

    assert loaded.agent_file is None
    assert [(line, message) for line, message, _ in list_problems(loaded)] == [
        (3, "unknown provider `opnai`"),
        (4, "unknown agent `reviewr`"),
        (5, "unknown key `instructon` in the agent `root`"),
        (7, "unknown toolset `filesytem`"),
        (9, "unknown event `pre_tool_us`"),
        (13, "the pattern `:cmd=x` names no tool"),
        (14, "unknown key `budgt` in an agent file"),
    ]
    hints = [hint for _, _, hint in list_problems(loaded)]
    assert hints[0] == "did you mean `openai`?"
    assert hints[1] == "did you mean `reviewer`?"
    assert hints[4] == "did you mean `pre_tool_use`?"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("- a\n", "an agent file must be a mapping, not a list"),
        ("agents: {}\n", "the file describes no agent"),
        ("agents: [a]\n", "`agents` must be a mapping, not a list"),
        ("models: {}\n", "the file describes no agent"),
        ("agents: {root: {}}\n", "the key `model` is missing"),
        ("agents: {root: x}\n", "the agent `root` must be a mapping, not the text `x`"),
        ("agents: [\n", "not YAML"),
        (SMALL + "version: '99'\n", "unknown version `99`"),
        (SMALL + "metadata: {autor: me}\n", "unknown key `autor` in `metadata`"),
        (SMALL + "runtime: {safety: strickt}\n", "`safety: strickt` is not known"),
        (SMALL + "budget: {max_time: soon}\n", "`max_time` is no duration: `soon`"),
        (SMALL + "budget: {max_tokens: -1}\n", "`max_tokens: -1` is no limit"),
        (SMALL + "hookline: {sandbox: {type: chroot}}\n", "`type: chroot` is not known"),
        (SMALL + "hooks: {}\n", "unknown key `hooks` in an agent file"),
    ],
)
def test_a_wrong_file_says_why(tmp_path: Path, text: str, problem: str) -> None:
    """A part that cannot be followed is always reported."""
    loaded = load(tmp_path, text)

    assert any(problem in message for _, message, _ in list_problems(loaded))


def test_a_missing_file_is_a_problem(tmp_path: Path) -> None:
    """It is not an exception."""
    (problem,) = load_agent_file(str(tmp_path / "none.yaml")).problems

    assert problem.name == "config.missing"


def test_hooks_with_errors_keep_the_file_from_running(tmp_path: Path) -> None:
    """The loader of the dialect checks them."""
    loaded = load(tmp_path, SMALL + "    hooks:\n      stop: [{type: comand, command: x}]\n")

    assert loaded.agent_file is None
    assert [each.origin.line for each in loaded.errors] == [5]


def test_the_root_agent_is_chosen(tmp_path: Path) -> None:
    """By name, else `root`, else the first one."""
    found = read(tmp_path, "agents:\n  first: {model: openai/a}\n  second: {model: openai/b}\n")

    assert found.root.name == "first"
    assert found.choose_agent().name == "first"
    assert found.choose_agent("second").model.model == "b"
    with pytest.raises(ConfigError, match="did you mean `second`") as caught:
        found.choose_agent("secnd")
    assert caught.value.name == "agent.unknown"


def test_hooks_may_call_this_machine(tmp_path: Path) -> None:
    """If the file says so; else the hint says how."""
    post = "{type: builtin, command: http_post, args: ['http://localhost:8000/x', '{}']}"
    text = SMALL + f"    hooks:\n      stop: [{post}]\n"

    [refused] = load(tmp_path, text).problems
    assert "`hookline: {allow_local: true}`" in refused.hint
    loaded = load(tmp_path, text + "hookline: {allow_local: true}\n")
    assert loaded.problems == ()
    assert loaded.agent_file is not None
    assert loaded.agent_file.host.allow_local


def test_settings_of_the_host(tmp_path: Path) -> None:
    """The key `hookline` comes before `runtime`."""
    found = read(
        tmp_path,
        SMALL
        + "runtime: {safety: balanced, sandbox: true}\n"
        + "hookline: {snapshot: true, profile: d1, sandbox: {network: true, writable: [/tmp]}}\n",
    )

    assert found.host.safety == "balanced"
    assert found.host.profile == "d1"
    assert found.host.snapshot
    assert found.host.sandbox.kind == "bubblewrap"
    assert found.host.sandbox.network
    assert found.host.sandbox.writable == ("/tmp",)
    plain = read(tmp_path, SMALL + "runtime: {sandbox: true}\n")
    assert plain.host.sandbox.kind == "bubblewrap"
    off = read(tmp_path, SMALL + "runtime: {sandbox: true}\nhookline: {sandbox: none}\n")
    assert off.host.sandbox.kind == ""


def test_budgets_and_permissions(tmp_path: Path) -> None:
    """A limit of 0 is none."""
    found = read(
        tmp_path,
        """\
agents:
  root: {model: openai/a, budgets: [day]}
budget: {max_cost: 2.5, max_tokens: 0, max_time: 1h30m}
budgets:
  day: {max_tokens: 1000}
permissions:
  allow: ["read_*"]
  ask: [fetch]
  deny: ["shell:cmd=rm*"]
""",
    )

    assert found.budget is not None
    assert (found.budget.cost, found.budget.tokens, found.budget.seconds) == (2.5, None, 5400.0)
    assert found.budgets["day"].tokens == 1000
    assert found.root.budgets == ("day",)
    assert [rule.text for rule in found.permissions.deny] == ["shell:cmd=rm*"]
