"""Builtins in an engine: in the format of docker-agent and in hookline's own, for several hosts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from hookline import Engine, Sessions
from hookline.handlers.builtins.snapshot import list_snapshots
from hookline.model.verdict import Stance
from tests.unit.handlers.builtins.test_git import HERMETIC, git

if TYPE_CHECKING:
    from pathlib import Path

    from hookline.model.verdict import Decision

KEY = "ghp_" + "0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R"
LONG = "a line of a file\n" * 40


def an_engine(tmp_path: Path, tree: dict[str, Any], dialect: str) -> Engine:
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        **HERMETIC,
    }
    engine = Engine(environ=environ, sessions=Sessions(tmp_path / "sessions"))
    engine.add_source(tree, dialect=dialect)
    assert engine.problems == ()
    return engine


def used(tmp_path: Path, name: str, *events: str, **keys: Any) -> Engine:
    """An engine with a builtin of docker-agent's format on some events."""
    hook = {"type": "builtin", "command": name, **keys}
    tree: dict[str, Any] = {}
    for event in events:
        is_grouped = event.startswith(("tool_", "pre_tool", "post_tool"))
        tree[event] = [{"hooks": [hook]}] if is_grouped else [hook]
    return an_engine(tmp_path, {"hooks": tree}, "docker-agent")


def own(tmp_path: Path, name: str, **keys: Any) -> Engine:
    """An engine with a builtin of `hookline.yaml`, on its usual events."""
    return an_engine(tmp_path, {"version": 1, "hooks": [{"use": name, **keys}]}, "hookline")


def fire(engine: Engine, event: str, **fields: Any) -> Decision:
    return engine.fire(event, {"session_id": "s", "cwd": "/", **fields}, dialect="docker-agent")


def result(engine: Engine, text: str, call: str, **fields: Any) -> Decision:
    """The decision on the result of a tool that read a file."""
    given = {
        "tool_name": "read_file",
        "tool_use_id": call,
        "tool_input": {"path": "a"},
        "tool_response": text,
        "tool_category": "filesystem",
        "tool_read_only": True,
        "tool_error": False,
        **fields,
    }
    return fire(engine, "tool_response_transform", **given)


def rewritten(decision: Decision) -> Any:
    return decision.rewrite.value if decision.rewrite else None


# -- elide_repeated_tool_results -------------------------------------------------------------------


@pytest.fixture(params=["docker-agent", "hookline"])
def eliding(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    """An engine that elides repeated results, by a hook of either format."""
    name = "elide_repeated_tool_results"
    if request.param == "hookline":
        return own(tmp_path, name)
    events = ("tool_response_transform", "session_start", "after_compaction", "session_end")
    return used(tmp_path, name, *events)


def test_a_repeated_result_is_one_line(eliding: Engine) -> None:
    """The first one stays whole, and so does one that changed."""
    first, second = result(eliding, LONG, "1"), result(eliding, LONG, "2")
    changed, again = result(eliding, LONG + "x", "3"), result(eliding, LONG + "x", "4")

    assert (rewritten(first), rewritten(changed)) == (None, None)
    assert "byte-for-byte identical" in rewritten(second)
    assert rewritten(again) == rewritten(second)


def test_a_repeated_result_of_claude_code_keeps_its_shape(tmp_path: Path) -> None:
    """Its results are objects."""
    engine = own(tmp_path, "elide_repeated_tool_results")
    file = {"filePath": "/a", "content": LONG, "numLines": 1}

    def read(call: str) -> Any:
        given = {
            "session_id": "s", "cwd": "/", "hook_event_name": "PostToolUse", "tool_name": "Read",
            "tool_use_id": call, "tool_input": {"file_path": "/a"},
            "tool_response": {"type": "text", "file": file},
        }  # fmt: skip
        return rewritten(engine.fire("PostToolUse", given, dialect="claude-code"))

    assert read("1") is None
    again = read("2")
    assert "byte-for-byte identical" in again["file"]["content"]
    assert again["file"] | {"content": LONG} == file


@pytest.mark.parametrize("event", ["session_start", "after_compaction", "session_end"])
def test_what_the_model_may_have_lost_is_not_elided(eliding: Engine, event: str) -> None:
    """After a compaction, and in another run of the session."""
    result(eliding, LONG, "1")
    fire(eliding, event)

    assert rewritten(result(eliding, LONG, "2")) is None


@pytest.mark.parametrize(
    "fields",
    [
        {"tool_read_only": False},
        {"tool_error": True},
        {"tool_category": "mcp"},
        {"tool_input": {"path": "b"}},
        {"session_id": "other"},
        {"tool_use_id": "1"},
        {"tool_response": "short"},
        {"tool_response": "x" * 60_000},
    ],
)
def test_other_results_stay_whole(eliding: Engine, fields: dict[str, Any]) -> None:
    """Of tools that change things, errors, other arguments and sessions, short and long ones."""
    text = fields.get("tool_response", LONG)
    result(eliding, text, "1")

    assert rewritten(result(eliding, text, "2", **fields)) is None


def test_two_hooks_do_not_elide_what_is_new(tmp_path: Path) -> None:
    """The second hook of an event sees the call that the first one has just recorded."""
    hooks = [
        {"type": "builtin", "command": "elide_repeated_tool_results", "name": name}
        for name in ("a", "b")
    ]
    tree = {"hooks": {"tool_response_transform": [{"hooks": hooks}]}}
    engine = an_engine(tmp_path, tree, "docker-agent")

    assert rewritten(result(engine, LONG, "1")) is None


def test_a_process_knows_what_another_one_saw(tmp_path: Path) -> None:
    """A host may start hookline for each event."""
    for expected in (True, False):
        engine = used(tmp_path, "elide_repeated_tool_results", "tool_response_transform")
        assert (rewritten(result(engine, LONG, str(expected))) is None) is expected


# -- redact_secrets --------------------------------------------------------------------------------


def test_arguments_are_masked_by_changed_keys(tmp_path: Path) -> None:
    """With a note that names the builtin and the tool."""
    engine = used(tmp_path, "redact_secrets", "tool_input_transform")
    decision = fire(
        engine,
        "tool_input_transform",
        tool_name="post",
        tool_input={"auth": [{"key": KEY}], "path": "/"},
    )

    assert decision.rewrite is not None
    assert set(decision.rewrite.patch) == {"auth"}
    assert KEY not in str(decision.rewrite.value)
    assert "redact_secrets: masked" in decision.for_user[0]
    assert "`post`" in decision.for_user[0]


@pytest.mark.parametrize("is_own", [False, True])
def test_messages_and_results_are_masked(tmp_path: Path, is_own: bool) -> None:
    """All other messages stay as they are."""
    events = ("before_llm_call", "tool_response_transform")
    engine = (own if is_own else used)(tmp_path, "redact_secrets", *(() if is_own else events))
    messages = [{"role": "user", "content": "hello"}, {"role": "tool", "content": f"it is {KEY}"}]
    request = fire(engine, "before_llm_call", messages=messages, iteration=1)
    answer = result(engine, f"KEY={KEY}\n", "1")

    assert request.rewrite is not None
    assert request.rewrite.value[0] == messages[0]
    assert KEY not in str(request.rewrite.value) + str(rewritten(answer))
    assert request.for_user
    assert rewritten(result(engine, "KEY=none", "2")) is None


def test_redaction_works_for_a_host_of_another_format(tmp_path: Path) -> None:
    """Claude Code runs `hookline.yaml`."""
    engine = own(tmp_path, "redact_secrets", on="tool.before")
    given = {
        "session_id": "s",
        "cwd": "/",
        "hook_event_name": "PreToolUse",
        "tool_name": "WebFetch",
        "tool_input": {"url": "https://x.example", "prompt": f"use {KEY}"},
    }
    decision = engine.fire("PreToolUse", given, dialect="claude-code")

    assert decision.rewrite is not None
    assert KEY not in str(decision.rewrite.value)


def test_a_redaction_that_fails_follows_the_failure_rule(tmp_path: Path) -> None:
    """It is a guard: on `pre_tool_use` it denies."""
    deep: Any = KEY
    for _ in range(40):
        deep = [deep]
    engine = used(tmp_path, "redact_secrets", "pre_tool_use")
    decision = fire(engine, "pre_tool_use", tool_name="post", tool_input={"x": deep})

    assert decision.stance is Stance.DENY
    assert "did not read all of the arguments" in decision.reason


# -- reports ---------------------------------------------------------------------------------------


@pytest.mark.process
def test_what_is_missing_is_told_once_a_session(tmp_path: Path) -> None:
    """Outside of a repository nothing is denied, and one note says so."""
    engine = used(tmp_path, "snapshot", "turn_start", "pre_tool_use", "turn_end")
    call = {"tool_name": "shell", "tool_use_id": "1", "tool_input": {"cmd": "ls"}}
    decisions = [
        fire(engine, "turn_start", cwd=str(tmp_path)),
        fire(engine, "pre_tool_use", cwd=str(tmp_path), **call),
        fire(engine, "turn_end", cwd=str(tmp_path)),
        fire(engine, "turn_end", cwd=str(tmp_path), session_id="other"),
    ]

    assert [len(each.for_user) for each in decisions] == [1, 0, 0, 1]
    assert "in no work tree of Git" in decisions[0].for_user[0]
    assert {each.stance for each in decisions} == {Stance.SILENT}


@pytest.mark.process
def test_turns_of_a_host_without_turn_events_have_snapshots(tmp_path: Path) -> None:
    """In Claude Code a turn begins with a prompt and ends with a stop."""
    repo = tmp_path / "repo"
    repo.mkdir()
    git(repo, "init")
    engine = own(tmp_path, "snapshot")
    common = {"session_id": "s", "cwd": str(repo)}
    engine.fire("UserPromptSubmit", {**common, "prompt": "go"}, dialect="claude-code")
    (repo / "a.txt").write_text("new", encoding="utf-8")
    engine.fire("Stop", common, dialect="claude-code")
    environ = {"PATH": os.environ["PATH"], "XDG_DATA_HOME": str(tmp_path / "data"), **HERMETIC}

    assert [each.count for each in list_snapshots(str(repo), environ)] == [1]


# -- labels, templates, wrong events ---------------------------------------------------------------


def test_a_shell_command_is_labelled(tmp_path: Path) -> None:
    """On the lane that has metadata; nothing is refused."""
    hooks = {"preempt_yolo": True, "hooks": [{"type": "builtin", "command": "safer_shell"}]}
    engine = an_engine(tmp_path, {"hooks": {"pre_tool_use": [hooks]}}, "docker-agent")
    decision = fire(engine, "pre_tool_use", tool_name="shell", tool_input={"cmd": "rm -rf /"})

    assert decision.stance is Stance.SILENT
    assert decision.verdicts[0].evidence["safety_label"] == "destructive"


def test_a_label_is_evidence_in_our_own_format(tmp_path: Path) -> None:
    """For any host."""
    engine = own(tmp_path, "safer_shell")
    given = {"session_id": "s", "cwd": "/", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    decision = engine.fire("PreToolUse", given, dialect="claude-code")

    assert decision.verdicts[0].evidence["safety_label"] == "safe"


@pytest.mark.parametrize(
    ("args", "context", "note"),
    [
        (["{{ .prompt }}!", " ", "in {{ .cwd }}"], "go!\nin /", ""),
        (["a", "{{ .nope }}"], "", "add_context: render arg 2: there is no `nope`"),
    ],
)
def test_context_is_made_of_templates(
    tmp_path: Path, args: list[str], context: str, note: str
) -> None:
    """Blank ones are left out; a key that is not there is a failure, which denies nothing."""
    engine = used(tmp_path, "add_context", "user_prompt_submit", args=args)
    decision = fire(engine, "user_prompt_submit", prompt="go")

    assert "\n".join(decision.for_agent) == context
    assert note in "\n".join(decision.for_user)
    assert decision.stance is Stance.SILENT


def test_templates_of_our_own_format_read_its_payload(tmp_path: Path) -> None:
    """Which has canonical names."""
    engine = own(tmp_path, "add_context", on="prompt.submit", args=["{{ event }} {{ cwd }}"])

    assert fire(engine, "user_prompt_submit", prompt="go").for_agent == ("prompt.submit /",)
