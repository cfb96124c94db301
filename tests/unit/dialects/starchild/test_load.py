"""Loading: total for any tree and any text, and what a hook's program is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookline.core.dialect import Loaded, Source
from hookline.dialects.starchild import Starchild
from hookline.dialects.starchild.hermes import Hermes
from hookline.dialects.starchild.hermes.load import _KEYS as HERMES_KEYS
from hookline.dialects.starchild.load import _KEYS
from hookline.errors import ConfigError
from hookline.model.spec import Command, Http
from hookline.model.verdict import Stance
from hookline.trust.owner import digest_definition
from tests.unit.dialects.starchild.support import EVENTS, HERMES_EVENTS, one_hook, row_of

if TYPE_CHECKING:
    from hookline.core.dialect import Dialect

leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
keys = st.text(max_size=8) | st.booleans() | st.integers()
trees = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3)
)
words = st.sampled_from(
    [
        "http",
        "command",
        "guard",
        "closed",
        "ask",
        "(",
        "a.*",
        "./g.py",
        "python3 g.py",
        "'",
        "https://10.1/",
        "http://[",
        "https://policy.example/",
    ]
)
entries = st.dictionaries(
    st.sampled_from([*_KEYS, "evnt", True]), trees | words | st.sampled_from(EVENTS), max_size=6
)
lists = st.fixed_dictionaries(
    {}, optional={"hooks": st.lists(entries | trees, max_size=4) | trees, "hook": trees}
)
hermes_entries = st.dictionaries(st.sampled_from([*HERMES_KEYS, "env"]), trees | words, max_size=4)
mappings = st.dictionaries(
    st.sampled_from([*HERMES_EVENTS, "outbound", "pre_tool"]),
    st.lists(hermes_entries | trees, max_size=3) | trees,
)
hermes_files = st.fixed_dictionaries({}, optional={"hooks": mappings | trees, "model": trees})
texts = st.text(max_size=40) | st.text("hooks: event\n  -[]{}&*!|>'\"#%@`,?", max_size=60)


def check(loaded: Loaded, dialect: Dialect) -> None:
    """Hooks of known events with unique ids, each of them healthy or with a problem."""
    ids = [spec.id for spec in loaded.specs]
    assert len(set(ids)) == len(ids)
    for spec in loaded.specs:
        assert spec.kind == dialect.table.rows[spec.native_event].kind
        assert 0 < spec.timeout <= 300
        if not isinstance(spec.handler, Command | Http):
            assert spec.handler.reason  # type: ignore[union-attr]
    if any(not isinstance(spec.handler, Command | Http) for spec in loaded.specs):
        assert any(problem.severity == "error" for problem in loaded.problems)
    for problem in loaded.problems:
        assert str(problem)


@given(tree=lists | trees, mode=st.sampled_from(["fidelity", "strict"]))
@settings(deadline=None)
def test_any_tree_loads(tree: object, mode: str) -> None:
    """Whatever a person wrote is hooks and problems, never an exception."""
    dialect = Starchild()

    check(dialect.load(Source(tree=tree, mode=mode)), dialect)


@given(tree=hermes_files | trees, mode=st.sampled_from(["fidelity", "strict"]))
@settings(deadline=None)
def test_any_tree_loads_in_hermes(tree: object, mode: str) -> None:
    """So it is in the other dialect of the family."""
    dialect = Hermes()

    check(dialect.load(Source(tree=tree, mode=mode)), dialect)


@pytest.mark.parametrize("dialect", [Starchild(), Hermes()], ids=["starchild", "hermes"])
@given(text=texts)
@settings(deadline=None)
def test_any_text_loads(dialect: Dialect, text: str) -> None:
    """And so is any text, whether YAML or not."""
    check(dialect.load(Source(file="shell_hooks.yaml", text=text)), dialect)


@pytest.mark.parametrize("event", EVENTS)
def test_a_guard_fails_closed_wherever_its_event_blocks(event: str) -> None:
    """And in strict mode every hook does."""
    blocks = row_of(Starchild(), event).blocks

    assert one_hook(Starchild(), event, role="guard").on_failure is blocks
    assert one_hook(Starchild(), event, mode="strict").on_failure is blocks
    assert one_hook(Starchild(), event).on_failure is Stance.SILENT


def test_a_hook_inherits_no_more_than_it_is_given() -> None:
    """Everything is dropped; the page's few variables and those of `env` are filled in again."""
    handler = one_hook(Starchild(), "on_stop", env=["API_URL"]).handler

    assert isinstance(handler, Command)
    assert handler.drop_env == ("*",)
    assert {"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "API_URL"} <= set(handler.env)
    assert all(value == f"${{env.{name}}}" for name, value in handler.env.items())


def test_what_trust_needs_is_kept() -> None:
    """The script, the further files by their whole paths, and the extras of the entry."""
    keys = {
        "command": "python3 -u g.py",
        "files": ["rules.json", "/etc/x"],
        "role": "guard",
        "event": "pre_tool_call",
    }
    spec = (
        Starchild()
        .load(Source(file="/srv/config/shell_hooks.yaml", tree={"hooks": [keys]}))
        .specs[0]
    )

    assert spec.handler.argv == ("python3", "-u", "/srv/config/g.py")  # type: ignore[union-attr]
    assert spec.facts == {"role": "guard", "allow_result_rewrite": False}
    assert spec.files == ("/srv/config/rules.json", "/etc/x")
    assert spec.sworn == {"role": "guard", "files": ["rules.json", "/etc/x"]}


@pytest.mark.parametrize(
    "extra", [{"timeout": 5}, {"role": "guard"}, {"on_error": "closed"}, {"files": ["lib.sh"]}]
)
def test_the_whole_entry_is_approved(extra: dict[str, object]) -> None:
    """Its limit, its role and what its failure means, too (docs/formats/starchild.md 6)."""
    keys = {"command": "g", "event": "pre_tool_call"}
    one, other = (
        Starchild()
        .load(Source(file="/srv/config/shell_hooks.yaml", tree={"hooks": [entry]}))
        .specs[0]
        for entry in (keys, {**keys, **extra})
    )

    assert digest_definition(one) != digest_definition(other)


def test_the_folder_that_the_reader_of_the_file_knows_goes_first() -> None:
    """Because a file may have been named relative to somewhere else."""
    tree = {"hooks": [{"event": "on_stop", "command": "./g.py"}]}
    spec = (
        Starchild()
        .load(Source(file="config/shell_hooks.yaml", tree=tree, names={"folder": "/srv/config"}))
        .specs[0]
    )

    assert isinstance(spec.handler, Command)
    assert spec.handler.argv == ("/srv/config/g.py",)


def test_options_are_those_of_the_class() -> None:
    """Anything else is refused before a hook is read."""
    from hookline.engine.catalog import make_dialect  # noqa: PLC0415 - only here

    assert isinstance(make_dialect("starchild", {"approver": True, "allow_local": True}), Starchild)
    assert isinstance(make_dialect("hermes", {"approver": True}), Hermes)
    with pytest.raises(ConfigError):
        make_dialect("starchild", {"profile": "x"})
