"""Guards in `hookline.yaml`: options, events, exceptions, and what is wrong with them."""

import pytest

import hookline


@pytest.fixture
def make_engine(tmp_path):
    project = tmp_path / "src" / "shop"
    project.mkdir(parents=True)

    def make(**file):
        return hookline.Engine.from_config(
            {"version": 1, **file},
            dialect="hookline",
            trust="all",
            cwd=project,
            environ={"HOME": str(tmp_path)},
            clock=lambda: 1_790_000_000.0,  # 2026-09-21
        )

    return make


def ask(engine, command):
    payload = {"session_id": "s1", "cwd": engine.cwd, "tool": "shell"}
    return engine.fire("tool.before", {**payload, "input": {"command": command}})


def test_a_guard_without_an_event_judges_its_own_events(make_engine):
    """`use: commands` without `on` refuses what destroys data, and says how to allow it."""
    engine = make_engine(hooks=[{"use": "commands"}])
    decision = ask(engine, "rm -rf ~")
    assert decision.stance is hookline.Stance.DENY
    assert "removes a home folder (fs.root)" in decision.reason
    assert "hookline guard allow fs.root" in decision.reason
    assert decision.labels == ("fs.root",)
    assert ask(engine, "rm -rf build").stance is hookline.Stance.SILENT


def test_python_adds_a_guard_in_one_line():
    """`add_guard` takes the name and the options, and tells what is wrong with them."""
    engine = hookline.Engine().add_guard("commands", profile="strict")
    assert ask(engine, "git reset --hard").stance is hookline.Stance.DENY
    with pytest.raises(hookline.ConfigError, match="no builtin is called"):
        engine.add_guard("comands")
    with pytest.raises(hookline.ConfigError, match="not known"):
        engine.add_guard("commands", profile="lax")


def test_an_option_chooses_the_profile(make_engine):
    """`with: {profile: strict}` refuses more than the default."""
    engine = make_engine(hooks=[{"use": "commands", "with": {"profile": "strict"}}])
    assert ask(engine, "git reset --hard").stance is hookline.Stance.DENY


EXCEPTION = {"rule": "git.discard", "reason": "scratch work", "until": "2026-12-31"}


@pytest.mark.parametrize(
    ("change", "stance"),
    [
        ({}, "silent"),
        ({"until": "2026-09-20"}, "deny"),
        ({"until": "2026-09-21T23:00:00Z"}, "silent"),
        ({"command": "git reset --hard"}, "silent"),
        ({"command": "git reset *"}, "silent"),
        ({"command": "git clean *"}, "deny"),
        ({"path": "/home/ada/*"}, "deny"),  # the finding has no path
        ({"project": "~/src/shop"}, "silent"),
        ({"project": "~/src/other"}, "deny"),
        ({"rule": "fs.local"}, "deny"),
    ],
)
def test_an_exception_allows_one_rule_where_it_says(make_engine, change, stance):
    """An exception counts until its day, for its rule, command, paths and project."""
    engine = make_engine(
        hooks=[{"use": "commands", "with": {"profile": "strict"}}],
        exceptions=[EXCEPTION | change],
    )
    decision = ask(engine, "git reset --hard")
    assert decision.stance.word == stance
    allowed = any("allowed by an exception for" in text for text in decision.for_user)
    assert allowed == (stance == "silent")


def test_an_exception_that_has_ended_is_told(make_engine):
    """The user reads when it ended, and how to allow it again."""
    engine = make_engine(
        hooks=[{"use": "commands", "with": {"profile": "strict"}}],
        exceptions=[EXCEPTION | {"until": "2026-09-20"}],
    )
    (note,) = ask(engine, "git reset --hard").for_user
    assert "the exception for git.discard (scratch work) ended on 2026-09-20" in note


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ({"hooks": [{"use": "command"}]}, "no builtin is called `command`"),
        ({"hooks": [{"use": "commands", "on": "stop"}]}, "does nothing on `stop`"),
        ({"hooks": [{"use": "commands", "with": {"profil": "x"}}]}, "`profil`"),
        ({"hooks": [{"use": "commands", "with": {"profile": "x"}}]}, "`profile: x` is not known"),
        ({"hooks": [{"use": "commands", "args": ["x"]}]}, "a guard has no `args`"),
        ({"hooks": [{"use": "add_date", "on": "turn.start", "with": {}}]}, "has no options"),
        ({"exceptions": {}}, "`exceptions` must be a list"),
        ({"exceptions": [{"rule": "fs.root", "until": "2026-12-31"}]}, "needs `reason`"),
        ({"exceptions": [EXCEPTION | {"rule": "fs.rot"}]}, "no guard has a rule `fs.rot`"),
        ({"exceptions": [EXCEPTION | {"until": "soon"}]}, "no day and no moment"),
        ({"exceptions": [EXCEPTION | {"rules": "x"}]}, "`rules`"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(make_engine, file, message):
    """A mistake in a guard or an exception is a problem of the file."""
    engine = make_engine(**file)
    assert any(message in problem.message for problem in engine.problems), engine.problems
