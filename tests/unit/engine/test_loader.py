"""Loading: files, folders, trees and functions on one engine, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import hookline
from hookline import ConfigError, Engine, Event, Stance, ToolCall
from hookline.model.spec import Broken, Command

if TYPE_CHECKING:
    from typing import Any

HOOK = {"type": "command", "command": "true"}
DOCKER = {"hooks": {"pre_tool_use": [{"hooks": [HOOK]}]}}
CLAUDE = {"hooks": {"PreToolUse": [{"hooks": [HOOK]}]}}
YAML = "hooks:\n  pre_tool_use:\n    - hooks:\n        - type: command\n          command: 'true'\n"
CALL = Event(kind="tool.before", session_id="s1", body=ToolCall(tool="shell", input={"cmd": "ls"}))


def write(path: Path, text: str = YAML) -> Path:
    """A file with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def ids(engine: Engine) -> list[str]:
    """The ids of an engine's hooks, in the order in which they run."""
    return [spec.id for spec in engine.hooks]


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, Any]:
    """A home and a project with a hook in each, as arguments of `discover`."""
    write(tmp_path / "home/.config/cagent/hooks.d/user.yaml")
    write(
        tmp_path / "project/.claude/settings.json",
        '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}',
    )
    return {
        "cwd": tmp_path / "project",
        "environ": {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"},
    }


# -- discover --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trust", "trusted"),
    [
        ("user", {"user": True, "project": False}),
        ("all", {"user": True, "project": True}),
        ("none", {"user": False, "project": False}),
    ],
)
def test_what_is_discovered_is_trusted_as_far_as_one_says(
    machine: dict[str, Any], trust: str, trusted: dict[str, bool]
) -> None:
    """Everything is listed; a project's hooks run only if all is trusted."""
    engine = Engine.discover(**machine, trust=trust)

    assert {
        spec.origin.scope: spec.trusted for spec in engine.hooks if spec.origin.scope != "managed"
    } == trusted


def test_a_projects_hooks_do_not_run_and_the_user_reads_so(machine: dict[str, Any]) -> None:
    """Hookline starts no process, and the decision and the user's notes say so."""
    engine = Engine.discover(**machine, dialect="claude-code")
    decision = engine.fire(
        "PreToolUse", {"tool_name": "Bash", "tool_input": {}}, dialect="claude-code"
    )
    (verdict,) = [
        verdict
        for verdict in decision.verdicts
        if verdict.hook_id.startswith(".claude/settings.json")
    ]

    assert verdict.fault is not None
    assert verdict.fault.startswith("not approved")
    assert verdict.exit_code is None
    assert any("because it is not approved" in note for note in decision.for_user)


def test_one_dialect_can_be_discovered(machine: dict[str, Any]) -> None:
    """The files of others are not read."""
    assert {spec.dialect for spec in Engine.discover(**machine, dialect="docker-agent").hooks} == {
        "docker-agent"
    }


def test_one_broken_file_does_not_stop_the_others(machine: dict[str, Any]) -> None:
    """It is a problem, and stands in the list as hooks that are missed.

    The other files' hooks are there.
    """
    broken = write(machine["cwd"] / ".claude/settings.local.json", "{nonsense")
    engine = Engine.discover(**machine)
    handlers = {type(spec.handler) for spec in engine.hooks if spec.origin.file == str(broken)}

    assert [problem.origin.file for problem in engine.problems] == [str(broken)]
    assert handlers == {Broken}
    assert {Path(spec.origin.file).name for spec in engine.hooks} == {
        "user.yaml",
        "settings.json",
        "settings.local.json",
    }


@pytest.mark.parametrize("content", [b"\xff\xfe", b"\x00" * 10, b"[" * 5000, b""])
def test_whatever_is_in_a_file_is_a_problem_and_no_exception(
    machine: dict[str, Any], content: bytes
) -> None:
    """Discovering never raises for what is in a file."""
    Path(machine["cwd"], ".claude/settings.json").write_bytes(content)
    Path(machine["environ"]["HOME"], ".config/cagent/hooks.d/user.yaml").write_bytes(content)
    engine = Engine.discover(**machine)

    assert len({problem.origin.file for problem in engine.problems}) >= 1


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"trust": "everyone"}, "unknown trust `everyone` (one of all, user, approved, none)"),
        ({"mode": "lenient"}, "unknown mode `lenient` (one of fidelity, strict)"),
        ({"dialect": "claude_code"}, "did you mean `claude-code`?"),
    ],
)
def test_a_misspelled_setting_is_an_error(
    machine: dict[str, Any], settings: dict[str, str], words: str
) -> None:
    """Otherwise it would be the mildest setting."""
    with pytest.raises(ConfigError) as caught:
        Engine.discover(**machine, **settings)
    assert words in str(caught.value)


# -- load, from_config, add_source -----------------------------------------------------------------


def test_a_file_is_loaded_in_the_dialect_that_it_tells(tmp_path: Path) -> None:
    """Naming it is the consent to run it."""
    engine = Engine.load(write(tmp_path / "hooks.yaml"))

    assert ids(engine) == [f"{tmp_path.name}/hooks.yaml#pre_tool_use.true-svdmtg"]
    assert (engine.hooks[0].trusted, engine.hooks[0].origin.scope, engine.hooks[0].origin.line) == (
        True,
        "explicit",
        4,
    )


def test_a_folder_is_loaded_file_by_file(tmp_path: Path) -> None:
    """In the dialect's order."""
    write(tmp_path / "b.yaml")
    write(tmp_path / "a.yaml")

    assert ids(Engine.load(str(tmp_path))) == [
        f"{tmp_path.name}/{name}.yaml#pre_tool_use.true-svdmtg" for name in "ab"
    ]


def test_a_tree_is_loaded_like_a_file() -> None:
    """It has no lines, but paths of keys."""
    (spec,) = Engine.from_config(DOCKER, dialect="docker-agent").hooks

    assert isinstance(spec.handler, Command)
    assert (spec.id, spec.origin.line, spec.origin.pointer) == (
        "config#pre_tool_use.true-svdmtg",
        0,
        "hooks.pre_tool_use.0.hooks.0",
    )


@pytest.mark.parametrize("way", ["options", "keywords"])
def test_a_dialect_takes_its_options(way: str) -> None:
    """As a mapping or as keywords of their own."""
    given: dict[str, Any] = (
        {"options": {"profile": "d1"}} if way == "options" else {"profile": "d1"}
    )
    engine = Engine.from_config(DOCKER, dialect="docker-agent", **given)

    assert engine.host("docker-agent").table.rows["pre_tool_use"].parallel


@pytest.mark.parametrize(
    ("settings", "name", "words"),
    [
        ({"dialect": "dockeragent"}, "config.dialect", "did you mean `docker-agent`?"),
        ({"dialect": "zzz"}, "config.dialect", "one of hookline"),
        (
            {"dialect": "docker-agent", "options": {"profil": "d1"}},
            "config.option",
            "did you mean `profile`?",
        ),
        (
            {"dialect": "docker-agent", "options": {"profile": "d9"}},
            "config.option",
            "one of d2, d1",
        ),
        ({"dialect": "docker-agent", "nonsense": 1}, "config.option", "has no option `nonsense`"),
        ({"dialect": "docker-agent", "trust": "some"}, "config.option", "unknown trust `some`"),
        ({"dialect": "docker-agent", "mode": "loose"}, "config.option", "unknown mode `loose`"),
    ],
)
def test_a_mistake_in_the_call_is_an_error(settings: dict[str, Any], name: str, words: str) -> None:
    """With the nearest of what there is."""
    with pytest.raises(ConfigError) as caught:
        Engine.from_config(DOCKER, **settings)
    assert caught.value.name == name
    assert words in str(caught.value)


def test_a_scope_that_does_not_exist_is_an_error() -> None:
    """It would have no place in the order of sources."""
    with pytest.raises(ConfigError, match="unknown scope `galaxy`"):
        Engine().add_source(DOCKER, dialect="docker-agent", scope="galaxy")


def test_a_tree_does_not_tell_its_dialect() -> None:
    """It has to be named."""
    with pytest.raises(ConfigError, match="name it with `dialect=`"):
        Engine().add_source(DOCKER)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """The user named it, so hookline reports it at once."""
    for name in ("hooks.yaml", "folder", "x.txt"):
        with pytest.raises(ConfigError) as caught:
            Engine.load(tmp_path / name)
        assert caught.value.name == "config.missing"


def test_what_is_in_a_named_file_is_a_problem_and_no_exception(tmp_path: Path) -> None:
    """The engine starts, and reports the missing hooks."""
    engine = Engine.load(write(tmp_path / "hooks.yaml", "{nonsense"))

    assert [problem.name for problem in engine.problems] == ["config.syntax"]
    assert {type(spec.handler) for spec in engine.hooks} == {Broken}


def test_sources_of_several_dialects_share_an_engine(tmp_path: Path) -> None:
    """Each keeps its own rules; the event of one host asks all of them."""
    engine = Engine.load(write(tmp_path / "hooks.yaml")).add_source(CLAUDE, dialect="claude-code")
    engine.on("tool.before", name="own")(lambda _: None)

    assert [spec.dialect for spec in engine.hooks] == ["docker-agent", "claude-code", "hookline"]


def test_equal_ids_of_two_sources_are_told_apart() -> None:
    """An id names one hook."""
    engine = Engine.from_config(DOCKER, dialect="docker-agent").add_source(
        DOCKER, dialect="docker-agent"
    )

    assert ids(engine) == ["config#pre_tool_use.true-svdmtg", "config#pre_tool_use.true-svdmtg~2"]


def test_sources_run_in_the_order_of_their_scopes() -> None:
    """Whatever order they were added in."""
    engine = Engine()
    for scope in ("project", "managed", "user"):
        engine.add_source(DOCKER, dialect="docker-agent", scope=scope)

    assert [spec.origin.scope for spec in engine.hooks] == ["managed", "user", "project"]


def test_a_shadow_source_is_marked() -> None:
    """Every hook of it is a shadow, also those that cannot be read."""
    engine = Engine().add_source(DOCKER, dialect="docker-agent", shadow=True)
    engine.add_source([], dialect="docker-agent", shadow=True)  # type: ignore[arg-type]

    assert {spec.shadow for spec in engine.hooks} == {True}


def test_a_source_without_trust_does_not_run() -> None:
    """Its hooks fail, by their own rule."""
    decision = Engine.from_config(DOCKER, dialect="docker-agent", trust="none").fire(CALL)

    assert [verdict.fault is not None for verdict in decision.verdicts] == [True]


def test_strict_mode_of_one_source_reexamines_its_own_hooks() -> None:
    """Each source has its own mode: only strict hooks are asked again about a changed input."""
    guard = {
        "hooks": {
            "pre_tool_use": [
                {"hooks": [{"type": "command", "command": "grep -q rm && exit 2; exit 0"}]}
            ]
        }
    }
    engine = Engine().add_source(guard, dialect="docker-agent")
    engine.on("tool.before", name="rewriter", tool="shell", command="^ls$")(
        lambda _: hookline.rewrite({"cmd": "rm"})
    )
    call = CALL.replace(cwd="/")

    assert engine.fire(call).stance is hookline.Stance.SILENT
    assert (
        engine.add_source(guard, dialect="docker-agent", mode="strict", options={"profile": "d1"})
        .fire(call)
        .stance
        >= hookline.Stance.ASK
    )


def test_a_dialect_can_be_forgotten() -> None:
    """With every source of it, and none of another."""
    engine = Engine.from_config(DOCKER, dialect="docker-agent").add_source(
        CLAUDE, dialect="claude-code"
    )
    engine.loader.drop_dialect("docker-agent")

    assert [spec.dialect for spec in engine.hooks] == ["claude-code"]


def test_places_are_found_when_something_is_wrong(tmp_path: Path) -> None:
    """An engine that does not look for lines looks for them as soon as there is a fault to tell."""
    good = Engine.load(
        write(
            tmp_path / "settings.json",
            '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}',
        ),
        placed=False,
    )
    bad = Engine.load(
        write(
            tmp_path / "bad/settings.json",
            '{"hooks": {\n"Stopp": [{"hooks": [{"type": "command", "command": "x"}]}]}}',
        ),
        placed=False,
    )

    assert [spec.origin.line for spec in good.hooks] == [0]
    assert [problem.origin.line for problem in bad.problems] == [2]


def test_hooks_are_listed_in_the_order_in_which_they_run() -> None:
    """By event, and inside an event by rank."""
    engine = Engine()
    for name, rank in (("late", 2), ("early", 1)):
        engine.on("tool.before", name=name, rank=rank)(lambda _: None)

    assert ids(engine) == ["python#early", "python#late"]


def test_the_environment_of_an_engine_is_what_it_was_given(tmp_path: Path) -> None:
    """`discover` looks in its home, and a command hook sees no variable of the process."""
    script = write(
        tmp_path / "hooks.yaml",
        YAML.replace("'true'", "'echo \"${MARK-none} ${HOME-none}\" >&2; exit 2'"),
    )
    engine = Engine.load(script, environ={"MARK": "given", "PATH": "/usr/bin:/bin"})

    assert engine.fire(CALL).reason == "given none"


def test_a_decision_of_a_loaded_hook_names_it() -> None:
    """The verdict carries the id that the listing shows, and the exit code."""
    engine = Engine.from_config(
        {
            "hooks": {
                "pre_tool_use": [
                    {"matcher": "shell", "hooks": [{**HOOK, "command": "echo never >&2; exit 2"}]}
                ]
            }
        },
        dialect="docker-agent",
    )
    decision = engine.fire(
        "pre_tool_use", {"tool_name": "shell", "tool_input": {"cmd": "ls"}}, dialect="docker-agent"
    )

    assert (decision.stance, decision.reason) == (Stance.DENY, "never")
    assert [(verdict.hook_id, verdict.exit_code) for verdict in decision.verdicts] == [
        (ids(engine)[0], 2)
    ]
