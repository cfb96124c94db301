"""Hook lookup: which hooks a text names, and what a person sees before an approval."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.engine.engine import Engine
from hookline.engine.hook_lookup import describe_run, find_by_command, find_hooks
from hookline.errors import TrustError
from tests.unit.engine.workspaces import URL, Workspace

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    """A workspace with two hooks on one script, and an address."""
    return Workspace(tmp_path)


def test_an_address_is_shown_as_it_is_asked(place: Workspace) -> None:
    """With its method; a command as it is."""
    assert [describe_run(spec) for spec in place.engine().hooks] == [
        str(place.guard),
        str(place.guard),
        f"POST {URL}",
    ]


def test_a_model_is_shown_with_all_that_it_is_asked(place: Workspace) -> None:
    """And its address and its key: a person can only approve what is shown."""
    entry = {
        "provider": "acme",
        "model": "m",
        "base_url": "https://llm.example/v1",
        "token_key": "ACME_KEY",
    }
    hook = {"type": "model", "model": "small", "prompt": "Is it safe?\nSay why."}
    tree = {"models": {"small": entry}, "agents": {"root": {"hooks": {"turn_start": [hook]}}}}
    (spec,) = Engine.from_config(tree, dialect="docker-agent", environ=place.environ).hooks

    assert (
        describe_run(spec)
        == "model acme/m at https://llm.example/v1 with the key in $ACME_KEY: Is it safe?\nSay why."
    )


# -- meaning ---------------------------------------------------------------------------------------

DECLARED = [
    ("the command", "{ws}/hooks/guard.sh", 2),
    ("the address", URL, 1),
    ("a relative spelling", "hooks/guard.sh", 0),
    ("a spelling with dots", "{ws}/hooks/../hooks/guard.sh", 0),
    ("blanks around it", " {ws}/hooks/guard.sh", 0),
    ("an argument more", "{ws}/hooks/guard.sh -x", 0),
    ("its folder", "{ws}/hooks", 0),
    ("another address", URL + "/", 0),
    ("an id", "config/shell_hooks.yaml#on_stop.policy.example-sdtbsv", 0),
]


@pytest.mark.parametrize(
    ("command", "count"), [row[1:] for row in DECLARED], ids=[row[0] for row in DECLARED]
)
def test_a_command_is_meant_exactly_as_it_is_declared(
    command: str, count: int, place: Workspace
) -> None:
    """A person approves the exact text; no other spelling is the same command."""
    specs = place.engine().hooks

    if count:
        assert len(find_by_command(specs, command.format(ws=place.root))) == count
        return
    with pytest.raises(TrustError) as caught:
        find_by_command(specs, command.format(ws=place.root))
    assert caught.value.name == "trust.unmatched"


def test_a_relative_command_is_meant_as_its_file_has_it(place: Workspace) -> None:
    """Also from another folder, and by the absolute path that runs."""
    place.declare({"event": "on_stop", "command": "python3 ../hooks/guard.sh 'a b'"})
    specs = place.engine().hooks

    assert (
        find_by_command(specs, "python3 ../hooks/guard.sh 'a b'")
        == find_by_command(specs, f"python3 {place.guard} 'a b'")
        == list(specs)
    )
    assert find_by_command(specs, f"python3 {place.guard} 'a b'", "on_stop") == list(specs)
    for other in (
        "python3 hooks/guard.sh 'a b'",
        "python3 ../hooks/guard.sh a b",
        "python3 ./../hooks/guard.sh 'a b'",
    ):
        with pytest.raises(TrustError):
            find_by_command(specs, other)


def test_a_command_with_an_address_in_it_is_meant_by_its_words(place: Workspace) -> None:
    """Its name hides the secret part of the address."""
    command = "python3 ../hooks/guard.sh https://tok@h.example/?k=1"
    place.declare({"event": "on_stop", "command": command})

    assert [spec.name for spec in find_by_command(place.engine().hooks, command)] == [
        "python3 ../hooks/guard.sh https://***@h.example/?k=***"
    ]


def test_a_name_is_no_command(place: Workspace, tmp_path: Path) -> None:
    """The author of a hook chooses its name, which may lie."""
    file = tmp_path / "hooks.yaml"
    file.write_text(
        "hooks: {stop: [{type: command, name: /usr/bin/true, command: /usr/bin/evil}]}",
        encoding="utf-8",
    )
    engine = Engine.load(file, dialect="docker-agent", environ=place.environ)

    with pytest.raises(TrustError):
        find_by_command(engine.hooks, "/usr/bin/true")
    assert find_hooks(engine, "/usr/bin/true") == list(
        engine.hooks
    )  # a person sees what it runs before it is approved


@pytest.mark.parametrize(
    ("word", "count"),
    [
        ("config/shell_hooks.yaml#on_stop.policy.example-sdtbsv", 1),
        ("shell_hooks.yaml#on_stop.policy.example-sdtbsv", 1),
        ("on_stop.policy.example-sdtbsv", 1),
        ("{ws}/hooks/guard.sh", 2),
        ("hooks/guard.sh", 2),
        ("config/shell_hooks.yaml", 3),
        (URL, 1),
        (f"POST {URL}", 1),
    ],
)
def test_a_person_may_say_it_in_several_ways(
    word: str, count: int, place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By an id, a command, an address, a name, or a file that declares it or is run."""
    monkeypatch.chdir(place.root)

    assert len(find_hooks(place.engine(), word.format(ws=place.root))) == count


def test_what_means_nothing_is_said(place: Workspace) -> None:
    """The message names the event, if the user named one."""
    with pytest.raises(
        TrustError, match="no hook is declared with the id, command, name or file `x` on `on_stop`"
    ):
        find_hooks(place.engine(), "x", "on_stop")


def test_a_command_that_means_two_things_is_refused(place: Workspace) -> None:
    """An approval of one must not be an approval of the other.

    Each can be named as it is shown, or by its id.
    """
    place.write("a b.sh", "no")
    one, other = f"{place.root}/hooks/a b.sh", f"'{place.root}/hooks/a b.sh'"
    place.declare(
        {"event": "pre_tool_call", "command": one}, {"event": "on_stop", "command": other}
    )
    engine = place.engine()

    for meaning in (lambda: find_by_command(engine.hooks, one), lambda: find_hooks(engine, one)):
        with pytest.raises(TrustError) as caught:
            meaning()
        assert (
            caught.value.name,
            all(spec.id in caught.value.message for spec in engine.hooks),
        ) == ("trust.ambiguous", True)
    assert [
        len(find_by_command(engine.hooks, other)),
        len(find_by_command(engine.hooks, one, "pre_tool_call")),
    ] == [1, 1]
    assert [len(find_hooks(engine, spec.id)) for spec in engine.hooks] == [1, 1]
