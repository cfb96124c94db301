"""Loading: accepts any tree and any text, and sets up a hook's handler."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookline.core.dialect import Loaded, Source
from hookline.dialects.docker_agent import DockerAgent
from hookline.dialects.docker_agent.handlers import POST
from hookline.dialects.docker_agent.load import _GROUP_KEYS, _HOOK_KEYS
from hookline.errors import ConfigError
from hookline.handlers.builtins import find_builtin
from hookline.model.builtins import BUILTINS
from hookline.model.spec import Broken, Builtin, Command
from hookline.model.verdict import Stance
from tests.unit.dialects.docker_agent.support import EVENTS, config, one_hook, row_of

# Those that do something on each of their events.
ONES = sorted({*BUILTINS} - {"add_context", "safer_shell"})
OBSERVING = sorted({*BUILTINS} - {"max_iterations", "redact_secrets"})
leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
keys = st.text(max_size=8) | st.booleans() | st.integers()  # what PyYAML makes of `on:` and `1:`
trees = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3)
)
words = st.sampled_from(
    ["command", "builtin", "model", "warn", "ignore", "block", "shell|edit", "(", "*", "add_date"]
)
hooks = st.dictionaries(st.sampled_from([*_HOOK_KEYS, "async", True]), trees | words, max_size=6)
groups = st.dictionaries(
    st.sampled_from([*_GROUP_KEYS, "matchers"]),
    trees | words | st.lists(hooks | trees, max_size=3),
    max_size=3,
)
events = st.dictionaries(
    st.sampled_from([*EVENTS, "pre_tool"]),
    trees | st.lists(groups | hooks | trees, max_size=3),
    max_size=4,
)
agents = st.dictionaries(
    st.sampled_from(["root", "scout", ""]),
    st.fixed_dictionaries({}, optional={"hooks": events | trees}) | trees,
    max_size=2,
)
near_misses = events | st.fixed_dictionaries(
    {},
    optional={
        "agents": agents | trees,
        "hooks": events | trees,
        "settings": st.fixed_dictionaries({"hooks": events}) | trees,
    },
)


def check(loaded: Loaded, dialect: DockerAgent) -> None:
    """Hooks of known events with unique ids, each of them healthy or with a problem."""
    ids = [spec.id for spec in loaded.specs]
    assert len(set(ids)) == len(ids)
    for spec in loaded.specs:
        row = row_of(dialect, spec.native_event)
        assert spec.kind == row.kind
        assert spec.timeout > 0
        assert spec.on_failure >= row.fails
        if not isinstance(spec.handler, Command | Builtin):
            assert spec.handler.reason  # type: ignore[union-attr]
    if any(not isinstance(spec.handler, Command | Builtin) for spec in loaded.specs):
        assert any(problem.severity == "error" for problem in loaded.problems)
    for problem in loaded.problems:
        assert str(problem)


@given(tree=near_misses | trees, mode=st.sampled_from(["fidelity", "strict"]))
@settings(deadline=None)
def test_any_tree_loads(tree: object, mode: str) -> None:
    """Whatever a person wrote is hooks and problems, never an exception."""
    dialect = DockerAgent()

    check(dialect.load(Source(tree=tree, mode=mode)), dialect)


@given(text=st.text(max_size=40) | st.text("agents: hooks\n  -[]{}&*!|>'\"#%@`,?", max_size=60))
@settings(deadline=None)
def test_any_text_loads(text: str) -> None:
    """So is any text, whether YAML or not."""
    dialect = DockerAgent()

    check(dialect.load(Source(file="hooks.yaml", text=text)), dialect)


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("text", ["agents: [", "hooks: 5", "[]"])
def test_a_file_that_cannot_be_read_is_missed_on_every_event_that_blocks(
    text: str, event: str
) -> None:
    """One broken hook for each of them, in the place of the guards that it may have held."""
    dialect = DockerAgent()
    loaded = dialect.load(Source(file="hooks.yaml", text=text))

    assert len(loaded.problems) == 1
    assert (event in {spec.native_event for spec in loaded.specs}) == row_of(
        dialect, event
    ).can_block


def test_an_empty_file_holds_nothing() -> None:
    """A drop-in of comments is no fault, but is said to have no hooks."""
    loaded = DockerAgent().load(Source(file="10.yaml", text="# nothing yet\n"))

    assert loaded.specs == ()
    assert [problem.severity for problem in loaded.problems] == ["warning"]


def test_a_command_is_told_shell_environment_and_folder() -> None:
    """The shell is bash where there is one (X7).

    `env` and `working_dir` as written, to be filled in when the hook runs.
    """
    handler = one_hook(
        DockerAgent(),
        "stop",
        command="cat",
        env={"A": "${env.HOME}/x", "N": 1, "B": True},
        working_dir="~/w",
    ).handler

    assert isinstance(handler, Command)
    assert (handler.script, handler.shell, handler.argv) == ("cat", ("bash", "sh"), ())
    assert (handler.env, handler.working_dir, handler.expand) == (
        {"A": "${env.HOME}/x", "N": "1", "B": "true"},
        "~/w",
        "dotenv",
    )


def test_exact_takes_the_login_shell() -> None:
    """X7 in upstream's program."""
    handler = one_hook(DockerAgent(exact=True), "stop").handler

    assert isinstance(handler, Command)
    assert handler.shell == ("$SHELL", "sh")


def test_strict_mode_ends_what_a_hook_leaves_behind() -> None:
    """In fidelity a background process may live on, as with upstream.

    In strict mode it dies with its hook.
    """
    loaded = DockerAgent().load(
        Source(tree=config("stop", {"type": "command", "command": "x &"}), mode="strict")
    )
    handler = loaded.specs[0].handler

    assert isinstance(handler, Command)
    assert handler.kill_leftovers


def builtin(event: str, name: str, *args: str) -> Loaded:
    """What a builtin hook on an event loads as."""
    return DockerAgent().load(
        Source(tree=config(event, {"type": "builtin", "command": f" {name} ", "args": list(args)}))
    )


@pytest.mark.parametrize("name", ONES)
def test_a_builtin_is_known_by_name(name: str) -> None:
    """A builtin of hookline loads on its own event without a problem, with its arguments."""
    loaded = builtin(BUILTINS[name].events[0], name, "5")

    assert loaded.problems == ()
    assert loaded.specs[0].handler == Builtin(
        name=name, args=("5",), expand="dotenv", in_folder=True
    )


def test_what_loads_is_what_runs() -> None:
    """The builtins that load are those that the handlers have."""
    assert {name for name in (*BUILTINS, POST) if find_builtin(name) is None} == set()
    assert find_builtin("add_dates") is None


@pytest.mark.parametrize("name", ONES)
def test_a_builtin_on_another_event_is_said_to_do_nothing(name: str) -> None:
    """It is no error, but the user gets a warning."""
    loaded = builtin("on_user_input", name, "5")

    assert [(problem.name, problem.severity) for problem in loaded.problems] == [
        ("hook.never-runs", "warning")
    ]
    assert f"the builtin `{name}` does nothing on `on_user_input`" in str(loaded.problems[0])
    assert isinstance(loaded.specs[0].handler, Builtin)


@pytest.mark.parametrize("name", ["max_iterations", "add_prompt_files"])
def test_a_builtin_without_its_arguments_is_said_to_do_nothing(name: str) -> None:
    """A cap without a limit, and files without names, do nothing."""
    loaded = builtin(BUILTINS[name].events[0], name)

    assert [(problem.name, problem.severity) for problem in loaded.problems] == [
        ("hook.never-runs", "warning")
    ]


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("name", OBSERVING)
def test_a_builtin_that_observes_denies_nothing_by_failing(name: str, event: str) -> None:
    """Also where the failure of any other hook denies."""
    (spec,) = builtin(event, name, "{{ .cwd }}").specs

    assert spec.on_failure is Stance.SILENT


def test_a_template_that_is_none_is_an_error() -> None:
    """With its place."""
    loaded = builtin("turn_start", "add_context", "{{ .cwd")

    assert [problem.name for problem in loaded.problems] == ["handler.template"]
    assert isinstance(loaded.specs[0].handler, Broken)


def test_an_unknown_profile_is_refused() -> None:
    """With the profiles that there are."""
    with pytest.raises(ConfigError, match="unknown `profile: d3`"):
        DockerAgent(profile="d3")


@pytest.mark.parametrize("type_", ["", None, 5])
def test_a_hook_without_a_type_is_broken_with_a_reason(type_: object) -> None:
    """Every broken hook says why, with its place among the problems."""
    hook = {"type": type_, "command": "true"}
    loaded = DockerAgent().load(Source(tree={"hooks": {"pre_tool_use": [{"hooks": [hook]}]}}))
    assert all(getattr(spec.handler, "reason", "x") for spec in loaded.specs)
    assert any(problem.severity == "error" for problem in loaded.problems)
