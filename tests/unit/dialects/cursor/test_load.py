"""Loading: total for any tree, and where a command of each kind of file starts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookline.core.dialect import Source
from hookline.dialects.cursor import Cursor
from hookline.dialects.cursor.load import FORMAT
from hookline.dialects.cursor.table import TABLE
from hookline.errors import ConfigError
from hookline.model.spec import Broken, Command

leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
trees = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
)
hooks = st.dictionaries(
    st.sampled_from([*FORMAT.common.split(), "prompt", "hooks"]),
    trees | st.sampled_from(["command", "prompt", "(", "*", "Shell"]),
    max_size=6,
)
events = st.dictionaries(
    st.sampled_from([*TABLE.rows, "preTool"]),
    st.lists(hooks | trees, max_size=3) | trees,
    max_size=4,
)
files = (
    st.fixed_dictionaries({}, optional={"version": leaves, "hooks": events | trees, "stop": trees})
    | trees
)
STOP = {"version": 1, "hooks": {"stop": [{"command": "./h.sh"}]}}


@given(tree=files, mode=st.sampled_from(["fidelity", "strict"]))
@settings(deadline=None)
def test_any_tree_loads(tree: Any, mode: str) -> None:
    """Whatever a person wrote is hooks and problems; a hook that cannot run says why."""
    try:
        loaded = Cursor().load(Source(tree=tree, mode=mode))
    except ConfigError:
        return
    ids = [spec.id for spec in loaded.specs]
    assert len(set(ids)) == len(ids)
    for spec in loaded.specs:
        assert spec.timeout > 0
        assert isinstance(spec.handler, Command) or (
            isinstance(spec.handler, Broken) and spec.handler.reason
        )
    assert all(str(problem) for problem in loaded.problems)


def command(scope: str, **names: str) -> Command:
    """The command of a hook in a file of this scope, of which the host knows these names."""
    (spec,) = Cursor().load(Source(tree=STOP, file="hooks.json", scope=scope, names=names)).specs
    assert isinstance(spec.handler, Command)
    return spec.handler


@pytest.mark.parametrize(
    ("scope", "names", "starts", "project"),
    [
        ("project", {"folder": "/srv/app/.cursor", "home": "/home/me"}, "/srv/app", "/srv/app"),
        (
            "user",
            {"folder": "/home/me/.cursor", "home": "/home/me"},
            "/home/me/.cursor",
            "${event.project}",
        ),
        (
            "managed",
            {"folder": "/etc/cursor", "home": "/home/me"},
            "/etc/cursor",
            "${event.project}",
        ),
        ("explicit", {"folder": "/srv/app/.cursor", "home": "/home/me"}, "/srv/app", "/srv/app"),
        (
            "explicit",
            {"folder": "/home/me/.cursor", "home": "/home/me"},
            "/home/me/.cursor",
            "${event.project}",
        ),
        ("explicit", {"folder": "/tmp", "home": "/home/me"}, "", "${event.project}"),
        ("explicit", {}, "", "${event.project}"),
    ],
)
def test_a_command_starts_where_its_file_belongs(
    scope: str, names: dict[str, str], starts: str, project: str
) -> None:
    """A project's in the project, any other beside its file.

    Variables name the project and the version (docs/formats/cursor.md 4).
    """
    made = command(scope, **names)

    assert made.working_dir == starts
    assert made.env == {
        "CURSOR_PROJECT_DIR": project,
        "CLAUDE_PROJECT_DIR": project,
        "CURSOR_VERSION": "${event.facts.cursor_version}",
    }


def test_what_a_strict_hook_leaves_running_dies_with_it() -> None:
    """In fidelity mode it may go on."""
    modes = [
        Cursor().load(Source(tree=STOP, mode=mode)).specs[0].handler
        for mode in ("fidelity", "strict")
    ]

    assert [made.kill_leftovers for made in modes if isinstance(made, Command)] == [False, True]
