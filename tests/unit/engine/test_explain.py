"""Explain: the hooks of an event, why each was asked or not, the order, and the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import hookline
from hookline.engine.explain import explain

if TYPE_CHECKING:
    from pathlib import Path

BASH = {"tool_name": "Bash", "tool_input": {"command": "git status"}}


def claude(hooks: dict[str, Any], **settings: Any) -> hookline.Engine:
    """An engine with Claude Code hooks."""
    return hookline.Engine.from_config({"hooks": hooks}, dialect="claude-code", **settings)


def group(matcher: str, *commands: str, **keys: Any) -> dict[str, Any]:
    """A matcher group of commands."""
    return {
        "matcher": matcher,
        "hooks": [{"type": "command", "command": command, **keys} for command in commands],
    }


def told(
    engine: hookline.Engine,
    native: str,
    payload: dict[str, Any],
    dialect: str = "claude-code",
    **how: Any,
) -> dict[str, Any]:
    """The explanation of a native event."""
    return explain(engine, engine.event(native, payload, dialect=dialect), **how)


def reasons(document: dict[str, Any]) -> list[tuple[bool, str]]:
    """For each hook: whether it was selected, and the reason if not."""
    return [(hook["selected"], hook["because"]) for hook in document["hooks"]]


def test_each_hook_is_selected_or_has_a_reason() -> None:
    """The event, the tool, the rule, the duplicate."""
    engine = claude(
        {
            "PreToolUse": [
                group("Bash", "true", "true"),
                group("Read", "other"),
                group("Bash", "third", **{"if": "Bash(git push *)"}),
            ],
            "Stop": [group("", "true")],
        }
    )

    document = told(engine, "PreToolUse", BASH, run=False)

    assert [selected for selected, _ in reasons(document)] == [True, False, False, False, False]
    assert [because for _, because in reasons(document)] == [
        "",
        f"`{document['hooks'][0]['hook']}` is equal to it, and runs in its place",
        "it runs only when the tool is `Read`; here it is `Bash`",
        "it runs only when the call is covered by the rule `Bash(git push *)`",
        "it is declared for `Stop`",
    ]


def test_without_a_run_nothing_is_started(tmp_path: Path) -> None:
    """No hook runs, and there is no decision."""
    engine = claude({"PreToolUse": [group("Bash", f"touch {tmp_path}/ran")]})

    document = told(engine, "PreToolUse", BASH, run=False)

    assert document["decision"] is None
    assert document["hooks"][0]["asked"] is None
    assert not (tmp_path / "ran").exists()


def test_the_run_is_that_of_fire() -> None:
    """The decision document equals that of `fire`, and each hook says whether it was asked."""
    engine = claude({"PreToolUse": [group("Bash", "echo no >&2; exit 2")]})

    document = told(engine, "PreToolUse", BASH)

    assert document["decision"]["stance"] == "deny"
    assert document["decision"]["verdicts"][0]["hook"] == document["hooks"][0]["hook"]
    assert document["hooks"][0]["asked"] is True


def test_the_order_of_hooks_is_explained() -> None:
    """In parallel, in sequence, and detached hooks at the end."""
    engine = claude(
        {
            "PostToolUse": [
                group("Bash", "true", "false || true"),
                {"hooks": [{"type": "command", "command": "sleep 0", "async": True}]},
            ]
        }
    )

    with engine:
        document = told(engine, "PostToolUse", BASH)

    assert [(hook["order"], hook["how"]) for hook in document["hooks"]] == [
        (1, "at once"),
        (2, "at once"),
        (3, "detached"),
    ]


def test_rank_decides_the_order() -> None:
    """Not the order of declaration."""
    engine = hookline.Engine()
    engine.on("tool.before", rank=2)(_first)
    engine.on("tool.before", rank=1)(_second)

    document = told(engine, "tool.before", {"tool": "bash"}, dialect="hookline")

    assert [(hook["hook"], hook["order"], hook["how"]) for hook in document["hooks"]] == [
        ("python#_first", 2, "in turn"),
        ("python#_second", 1, "in turn"),
    ]


def _first(event: hookline.Event) -> None:
    """Say nothing."""


def _second(event: hookline.Event) -> None:
    """Say nothing."""


def test_a_rewrite_may_select_and_deselect() -> None:
    """The explanation says where a rewrite changed the selection."""
    engine = hookline.Engine()
    engine.on("tool.before", name="rewriter")(lambda _: hookline.rewrite({"command": "ls"}))
    engine.on("tool.before", command="rm", name="was")(_first)
    engine.on("tool.before", command="ls", name="is")(_second)

    document = told(
        engine, "tool.before", {"tool": "bash", "input": {"command": "rm x"}}, dialect="hookline"
    )

    _, was, now = document["hooks"]
    assert (was["selected"], was["asked"]) == (True, False)
    assert was["because"] == "a hook before it rewrote the event, and its condition no longer holds"
    assert (now["selected"], now["asked"]) == (False, True)
    assert now["because"].startswith(
        "not as the event came (it runs only when the command matches `ls`; here it is `rm x`)"
    )


def test_a_hook_that_settles_the_matter_is_named(tmp_path: Path) -> None:
    """The later hooks were not asked."""
    sheet = "---\nname: {0}\ndescription: d\ntrigger: pre-tool-call\npriority: {1}\n---\n"
    engine = hookline.Engine()
    for name, priority in (("a", 2), ("b", 1)):
        engine.add_source(
            folder_of(tmp_path, name, sheet.format(name, priority), "exit 2"), dialect="agenthooks"
        )

    document = told(engine, "pre-tool-call", {"tool_name": "Bash"}, dialect="agenthooks")

    assert [hook["asked"] for hook in document["hooks"]] == [True, False]
    assert (
        document["hooks"][1]["because"] == "`agenthooks/a` had settled the matter before its turn"
    )


def folder_of(at: Path, name: str, sheet: str, script: str) -> str:
    """A folder with one Agent Hook."""
    folder = at / name
    (folder / "scripts").mkdir(parents=True)
    (folder / "HOOK.md").write_text(sheet, encoding="utf-8")
    entry = folder / "scripts" / "run"
    entry.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    entry.chmod(0o755)
    return str(folder)


def test_sources_are_told_with_their_trust_and_their_problems() -> None:
    """Also when a source cannot be read at all."""
    engine = claude({"PreToolUse": [group("Bash", "true")]}, trust="none").add_source(
        {"hooks": {"Stopp": []}}, dialect="claude-code", mode="strict"
    )

    document = told(engine, "PreToolUse", BASH)

    assert [
        (source["trusted"], source["mode"], source["hooks"], source["problems"])
        for source in document["sources"]
    ] == [
        (False, "fidelity", 1, 0),
        (True, "strict", 0, 1),
    ]
    assert [problem["code"] for problem in document["problems"]] == ["HKL1203"]
    assert document["hooks"][0]["trusted"] is False
    assert "not approved" in document["decision"]["verdicts"][0]["fault"]


def test_a_broken_hook_says_why() -> None:
    """It also counts in the decision."""
    engine = hookline.Engine.from_config(
        {"hooks": {"pre_tool_use": [{"matcher": "shell", "hooks": [{"type": "comand"}]}]}},
        dialect="docker-agent",
    )

    document = told(engine, "pre_tool_use", {"tool_name": "shell"}, dialect="docker-agent")

    assert "comand" in document["hooks"][0]["broken"]
    assert (document["hooks"][0]["selected"], document["decision"]["stance"]) == (True, "deny")


def test_a_replaced_hook_names_its_replacement(tmp_path: Path) -> None:
    """The problem of its dialect names the other hook."""
    sheet = "---\nname: guard\ndescription: d\ntrigger: pre-tool-call\n---\n"
    engine = hookline.Engine()
    for scope in ("user", "project"):
        engine.add_source(
            folder_of(tmp_path / scope, "guard", sheet, "exit 0"), dialect="agenthooks", scope=scope
        )

    document = told(engine, "pre-tool-call", {"tool_name": "Bash"}, dialect="agenthooks")

    assert [hook["selected"] for hook in document["hooks"]] == [False, True]
    assert document["hooks"][0]["because"].startswith(
        f"`guard` of the project level ({tmp_path}/project/guard/HOOK.md) replaces the one of the "
        f"user level"
    )


def test_explaining_does_not_spoil_the_next_fire() -> None:
    """A strict source is asked again after a rewrite, also when it was explained before."""
    engine = hookline.Engine()
    engine.add_source({"hooks": {}}, dialect="docker-agent", mode="strict")
    engine.on("tool.before", name="guard")(
        lambda event: hookline.deny("rm") if "rm" in event.command else None
    )
    engine.on("tool.before", name="rewriter")(lambda _: hookline.rewrite({"command": "rm x"}))
    payload = {"tool": "bash", "input": {"command": "ls"}}

    told(engine, "tool.before", payload, dialect="hookline", run=False)

    assert engine.fire("tool.before", payload, dialect="hookline").stance is hookline.Stance.DENY
