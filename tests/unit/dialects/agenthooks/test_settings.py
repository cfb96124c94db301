"""Reading a `hooks.toml`: each error is a problem with a place, and the rest is still read."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookline.core.dialect import Source
from hookline.dialects.agenthooks import AgentHooks
from hookline.dialects.agenthooks.fields import Change, read_settings
from hookline.errors import ConfigError
from hookline.wire.fields import to_problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.spec import Problem

WHOLE = """\
[hooks]
enabled = true
debug = false

[hooks.defaults]
timeout = 5000
async = false

[[hooks.disable]]
name = "noisy"

[[hooks.override]]
name = "guard"
priority = 7
timeout = 900
async = true
metadata = { fail-mode = "closed", level = 3 }
"""


def source(text: str | None, **more: object) -> Source:
    return Source(**{"file": "/h/hooks.toml", "text": text, "scope": "user", **more})


def read(given: Source) -> tuple[list[Change] | None, list[Problem]]:
    """The changes that a file asks for, and its problems."""
    problems: list[Problem] = []
    try:
        return list(read_settings(given, problems).facts["changes"]), problems
    except ConfigError as error:
        return None, [to_problem(error, given.file, given.scope)]


def printed(text: str) -> list[str]:
    """The problems of a file as they are printed."""
    return [str(problem) for problem in read(source(text))[1]]


def test_every_key_is_read() -> None:
    """Switches, defaults, names that are off, and what counts in place of a hook's own options."""
    changes, problems = read(source(WHOLE))

    assert problems == []
    assert [(change.name, change.options) for change in changes or ()] == [
        ("", {"enabled": True}),
        ("", {"debug": False}),
        ("", {"timeout": 5000, "async": False}),
        ("noisy", {"enabled": False}),
        (
            "guard",
            {
                "priority": 7,
                "timeout": 900,
                "async": True,
                "metadata": {"fail-mode": "closed", "level": 3},
            },
        ),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "hooks = []\n",
            "/h/hooks.toml:1:1: HKL1004 `hooks.toml` must hold a table `hooks` ([hooks])",
        ),
        ("[hooks\n", "/h/hooks.toml:1:7: HKL1001 not TOML: "),
        ("[hooks]\n[hooks]\n", "/h/hooks.toml:2:7: HKL1001 not TOML: "),
    ],
)
def test_what_is_no_settings_file_says_nothing(text: str, problem: str) -> None:
    """It cannot be read at all."""
    assert read(source(text))[0] is None
    assert [each[: len(problem)] for each in printed(text)] == [problem]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "[hook]\nenabled = false\n",
            "1:2: HKL1830 unknown key `hook` in the settings (did you mean `hooks`?)",
        ),
        ("[hooks]\ndebug = 1\n", "2:1: HKL1401 `debug` must be true or false, not `1`"),
        (
            "[hooks]\ndefaults = 3\n",
            "2:1: HKL1401 `defaults` must be a mapping, not `3`",
        ),
        (
            "[hooks.defaults]\npriority = 3\n",
            (
                "2:1: HKL1830 unknown key `priority` in the defaults (known keys: timeout, async, "
                "async_)"
            ),
        ),
        (
            "[hooks.defaults]\nasync = 'maybe'\n",
            "2:1: HKL1607 `async` must be true or false, not the text `maybe`; it counts as false",
        ),
        (
            "[hooks]\ndisable = ['x']\n",
            "2:12: HKL1401 an entry of `disable` must be a mapping, not the text `x`",
        ),
        (
            "[hooks]\ndisable = 'x'\n",
            "2:1: HKL1401 `disable` must be a list of tables, not the text `x` ([[hooks.disable]])",
        ),
        (
            "[[hooks.override]]\npriority = 3\n",
            "1:1: HKL1811 an entry of `override` needs the `name` of a hook ",
        ),
        (
            "[[hooks.override]]\nname = 'g'\ntrigger = 'x'\n",
            "3:1: HKL1830 unknown key `trigger` in an entry of `override` ",
        ),
        (
            "[[hooks.override]]\nname = 'g'\ntimeout = 2.5\n",
            "3:1: HKL1826 `timeout` must be a whole number, not `2.5` ",
        ),
        (
            "[[hooks.override]]\nname = 'g'\nmatcher = 'Shell'\n",
            "3:1: HKL1504 `matcher` must be a mapping, not the text `Shell`",
        ),
        (
            "[[hooks.override]]\nname = 'g'\nmatcher = {tools = 'x'}\n",
            "3:12: HKL1505 unknown key `tools` in the matcher ",
        ),
        (
            "[[hooks.override]]\nname = 'g'\nmetadata = 'x'\n",
            "3:1: HKL1831 `metadata` must be a mapping, not the text `x`",
        ),
    ],
)
def test_a_mistake_is_named_where_it_stands(text: str, problem: str) -> None:
    """In words for the person who wrote it."""
    wanted = f"/h/hooks.toml:{problem}"

    assert [each[: len(wanted)] for each in printed(text)] == [wanted]


def test_problems_of_an_entry_name_its_hook() -> None:
    """Every diagnostic has the name of its hook (docs/formats/agenthooks.md 4)."""
    _, problems = read(source("[[hooks.override]]\nname = 'guard'\npriority = 2000\nx = 1\n"))

    assert [(problem.name, problem.hook) for problem in problems] == [
        ("field.unknown", "guard"),
        ("priority.range", "guard"),
    ]


def test_lint_is_strict_here_too() -> None:
    """An unknown key that load tolerates is an error."""
    assert [
        (problem.name, problem.severity)
        for problem in AgentHooks().lint(source("[hooks]\nx = 1\n"))
    ] == [("field.unknown", "error")]
    assert AgentHooks().lint(source(WHOLE)) == ()


def test_settings_are_a_hook_that_never_runs() -> None:
    """`combine` sees hooks only, and leaves it out again."""
    dialect = AgentHooks()
    loaded = dialect.load(source("[hooks]\ndebug = true\n"))

    assert [spec.id for spec in loaded.specs] == ["~/agenthooks/hooks.toml"]
    assert dialect.combine(loaded.specs).specs == ()


def test_a_tree_is_read_like_a_file() -> None:
    """It has no lines."""
    changes, _ = read(source(None, tree={"hooks": {"enabled": False}}))

    assert [change.options for change in changes or ()] == [{"enabled": False}]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "enabled",
                    "defaults",
                    "disable",
                    "override",
                    "name",
                    "timeout",
                    "async",
                    "matcher",
                    "tool",
                ]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@settings(deadline=None)  # the first example pays for the imports
@given(tree=st.dictionaries(st.sampled_from(["hooks", "x"]), VALUES))
def test_no_tree_makes_load_or_lint_raise(tree: dict[str, object]) -> None:
    """Whatever a person wrote, problems are values."""
    dialect = AgentHooks()
    loaded = dialect.load(source(None, tree=tree))

    assert isinstance(dialect.combine(loaded.specs).problems, tuple)
    assert isinstance(AgentHooks().lint(source(None, tree=tree)), tuple)
