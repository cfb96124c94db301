"""How do hooks stand, whom does a word mean, and what is approved when somebody says yes?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hookline.engine.engine import Engine
from hookline.engine.steering import (
    approve_as_seen,
    approve_declared,
    called,
    commanded,
    footings,
    gate_for,
    meant,
    revoke_declared,
    self_approve_problem,
    turn_all,
    waiting,
    what_is_off,
)
from hookline.errors import ConfigError, TrustError
from tests.unit.engine.workspaces import URL, Workspace


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    """A workspace with two hooks on one script, and an address."""
    return Workspace(tmp_path)


def stands(engine: Engine) -> list[tuple[str, bool]]:
    """Each hook's state, and whether it runs."""
    return [(footing.standing.state, footing.runs) for footing in footings(engine).values()]


# -- looking -----------------------------------------------------------------------------------------------------------


def test_a_hook_stands_as_it_would_at_its_next_event(place: Workspace) -> None:
    """Approved it runs; changed, revoked or switched off it does not."""
    engine = place.engine()
    assert stands(engine) == [("unknown", False)] * 3

    approve_declared(engine, engine.hooks, who="", how="test")
    assert stands(engine) == [("trusted", True)] * 3

    place.write("guard.sh", "other")
    assert stands(engine) == [("changed", False)] * 2 + [("trusted", True)]

    revoke_declared(engine, commanded(engine.hooks, URL), who="", how="test")
    assert stands(engine)[2] == ("revoked", False)

    approve_declared(engine, engine.hooks, who="", how="test")
    turn_all(engine, on=False, who="", how="test")
    off = footings(engine)
    assert [(footing.standing.state, footing.runs, footing.off) for footing in off.values()] == [
        ("trusted", False, "`hookline off` in this project")
    ] * 3


def test_what_waits_for_a_person_is_counted(place: Workspace) -> None:
    """What nobody approved, or approved as it was; not what somebody refused."""
    engine = place.engine()
    assert waiting(engine) == 3

    approve_declared(engine, engine.hooks, who="", how="test")
    assert waiting(engine) == 0

    place.write("guard.sh", "other")
    revoke_declared(engine, commanded(engine.hooks, URL), who="", how="test")
    assert waiting(engine) == 2


def test_where_approvals_cannot_be_read_nothing_stands_as_approved(place: Workspace) -> None:
    """And why is said."""
    engine = place.engine()
    store = Path(gate_for(engine).store.path)
    store.parent.mkdir(parents=True)
    store.write_bytes(b"no database at all, but long enough to be looked at")
    store.chmod(0o600)

    stand = list(footings(engine).values())

    assert [(footing.standing.state, footing.runs) for footing in stand] == [("unknown", False)] * 3
    assert "cannot be read" in stand[0].standing.reason


def test_an_engine_without_a_gate_is_looked_at_by_the_usual_one(place: Workspace) -> None:
    """Of the person whose environment it has."""
    engine = Engine.discover(place.root, environ=place.environ)

    assert gate_for(engine).root == str(place.root)
    assert gate_for(engine).store.path.startswith(str(place.home))


def test_an_address_is_shown_as_it_is_asked(place: Workspace) -> None:
    """With its method; a command as it is."""
    assert [called(spec) for spec in place.engine().hooks] == [str(place.guard), str(place.guard), f"POST {URL}"]


def test_a_model_is_shown_with_all_that_it_is_asked(place: Workspace) -> None:
    """And where, and with which key: nobody can approve what is not seen."""
    entry = {"provider": "acme", "model": "m", "base_url": "https://llm.example/v1", "token_key": "ACME_KEY"}
    hook = {"type": "model", "model": "small", "prompt": "Is it safe?\nSay why."}
    tree = {"models": {"small": entry}, "agents": {"root": {"hooks": {"turn_start": [hook]}}}}
    (spec,) = Engine.from_config(tree, dialect="docker-agent", environ=place.environ).hooks

    assert called(spec) == "model acme/m at https://llm.example/v1 with the key in $ACME_KEY: Is it safe?\nSay why."


# -- meaning -----------------------------------------------------------------------------------------------------------

DECLARED = [
    ("the command", "{ws}/hooks/guard.sh", 2),
    ("the address", URL, 1),
    ("a relative spelling", "hooks/guard.sh", 0),
    ("a spelling with dots", "{ws}/hooks/../hooks/guard.sh", 0),
    ("blanks around it", " {ws}/hooks/guard.sh", 0),
    ("an argument more", "{ws}/hooks/guard.sh -x", 0),
    ("its folder", "{ws}/hooks", 0),
    ("another address", URL + "/", 0),
    ("an id", "shell_hooks.yaml#on_stop.2", 0),
]


@pytest.mark.parametrize(("command", "count"), [row[1:] for row in DECLARED], ids=[row[0] for row in DECLARED])
def test_a_command_is_meant_exactly_as_it_is_declared(command: str, count: int, place: Workspace) -> None:
    """What is approved is what somebody can read; no other way to spell it is meant."""
    specs = place.engine().hooks

    if count:
        assert len(commanded(specs, command.format(ws=place.root))) == count
        return
    with pytest.raises(TrustError) as caught:
        commanded(specs, command.format(ws=place.root))
    assert caught.value.name == "trust.unmatched"


def test_a_relative_command_is_meant_as_its_file_has_it(place: Workspace) -> None:
    """Also where it is run from elsewhere; and as the whole path that it is run by."""
    place.declare({"event": "on_stop", "command": "python3 ../hooks/guard.sh 'a b'"})
    specs = place.engine().hooks

    assert commanded(specs, "python3 ../hooks/guard.sh 'a b'") == commanded(specs, f"python3 {place.guard} 'a b'") == list(specs)
    assert commanded(specs, f"python3 {place.guard} 'a b'", "on_stop") == list(specs)
    for other in ("python3 hooks/guard.sh 'a b'", "python3 ../hooks/guard.sh a b", "python3 ./../hooks/guard.sh 'a b'"):
        with pytest.raises(TrustError):
            commanded(specs, other)


def test_a_command_with_an_address_in_it_is_meant_by_its_words(place: Workspace) -> None:
    """Though its name hides what is secret in the address."""
    command = "python3 ../hooks/guard.sh https://tok@h.example/?k=1"
    place.declare({"event": "on_stop", "command": command})

    assert [spec.name for spec in commanded(place.engine().hooks, command)] == ["python3 ../hooks/guard.sh https://***@h.example/?k=***"]


def test_a_name_is_no_command(place: Workspace, tmp_path: Path) -> None:
    """Whoever writes a hook gives it its name, and may lie."""
    file = tmp_path / "hooks.yaml"
    file.write_text("hooks: {stop: [{type: command, name: /usr/bin/true, command: /usr/bin/evil}]}", encoding="utf-8")
    engine = Engine.load(file, dialect="docker-agent", environ=place.environ)

    with pytest.raises(TrustError):
        commanded(engine.hooks, "/usr/bin/true")
    assert meant(engine, "/usr/bin/true") == list(engine.hooks)  # a person sees what it runs before it is approved


@pytest.mark.parametrize(
    ("word", "count"),
    [
        ("shell_hooks.yaml#on_stop.2", 1),
        ("{ws}/hooks/guard.sh", 2),
        ("hooks/guard.sh", 2),
        ("config/shell_hooks.yaml", 3),
        (URL, 1),
        (f"POST {URL}", 1),
    ],
)
def test_a_person_may_say_it_in_several_ways(word: str, count: int, place: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """By an id, a command, an address, a name, or a file that declares it or is run."""
    monkeypatch.chdir(place.root)

    assert len(meant(place.engine(), word.format(ws=place.root))) == count


def test_what_means_nothing_is_said(place: Workspace) -> None:
    """With its event, if one was named."""
    with pytest.raises(TrustError, match="no hook is declared with the id, command, name or file `x` on `on_stop`"):
        meant(place.engine(), "x", "on_stop")


# -- doing -------------------------------------------------------------------------------------------------------------


def test_what_was_seen_is_what_is_approved(place: Workspace) -> None:
    """Whoever changes a script while its reader thinks gains nothing."""
    engine = place.engine()
    seen = [footing.standing for footing in footings(engine, engine.hooks).values()]
    place.write("guard.sh", "swapped")

    done = approve_as_seen(engine, seen, who="bob", how="asked")

    assert [footing.standing.state for footing in done.footings] == ["changed", "changed", "trusted"]
    assert (done.mounted, done.events) == (1, ["pre_tool_call", "on_user_message", "on_stop"])
    assert place.call(engine).reason == ""
    place.write("guard.sh", "no")
    assert place.call(engine).reason == "no"


def test_approving_turns_on_what_is_off_here_and_no_more(place: Workspace) -> None:
    """Hooks that somebody switched off everywhere stay off, which is said."""
    engine = place.engine()
    turn_all(engine, on=False, who="", how="test")
    assert approve_declared(engine, engine.hooks, who="", how="test").on is False
    assert approve_declared(engine, engine.hooks, who="", how="test", enable=True).mounted == 3

    turn_all(engine, on=False, everywhere=True, who="", how="test")
    done = approve_declared(engine, engine.hooks, who="", how="test", enable=True)

    assert (done.on, done.mounted) == (False, 0)
    assert what_is_off(done.switches) == [("hooks are switched off everywhere", "hookline on --global")]


def test_what_needs_no_approval_has_none_to_lose(place: Workspace) -> None:
    """A file that somebody named."""
    engine = Engine.load(place.yaml, dialect="starchild", environ=place.environ)

    with pytest.raises(TrustError, match="no approval to take back: somebody named its file") as caught:
        revoke_declared(engine, engine.hooks, who="", how="test")
    assert caught.value.code == "HKL3017"


def test_everything_is_in_the_journal(place: Workspace) -> None:
    """Who did it, and how; what nobody named is the user of the environment."""
    engine = place.engine()
    specs = commanded(engine.hooks, str(place.guard), "pre_tool_call")
    approve_declared(engine, specs, who="bob", how="chat")
    revoke_declared(engine, specs, who="", how="command line")
    turn_all(engine, on=False, everywhere=True, who="", how="command line")

    assert [(note["did"], note["who"], note["how"], note.get("command"), note["root"]) for note in place.noted()] == [
        ("approved", "bob", "chat", str(place.guard), str(place.root)),
        ("revoked", "ada", "command line", str(place.guard), str(place.root)),
        ("off", "ada", "command line", None, ""),
    ]


# -- the price of convenience ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "is_told"), [({}, False), ({"trust": {"self_approve": False}}, False), ({"trust": {"self_approve": True}}, True)]
)
def test_what_it_costs_to_ask_nobody_is_said(settings: dict[str, object], is_told: bool) -> None:  # noqa: FBT001 - a row
    """An agent could approve what it wrote."""
    problem = self_approve_problem(settings)

    assert (problem is not None) is is_told
    assert problem is None or (problem.code, problem.severity, "an agent" in problem.message) == ("HKL3016", "warning", True)


def test_the_setting_is_no_effect_of_the_policy(place: Workspace) -> None:
    """It stands in the same table; other words there are still refused."""
    path = place.home / ".config/hookline/settings.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[trust]\nself_approve = true\nproject_changed = 'deny'\n", encoding="utf-8")
    assert gate_for(place.engine()).policy.effect("project", "changed") == "deny"

    path.write_text("[trust]\nself_aprove = true\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="self_aprove"):
        gate_for(place.engine())


def test_a_command_that_means_two_things_is_refused(place: Workspace) -> None:
    """An approval of one must not be an approval of the other; each can be named as it is shown, or by its id."""
    place.write("a b.sh", "no")
    one, other = f"{place.root}/hooks/a b.sh", f"'{place.root}/hooks/a b.sh'"
    place.declare({"event": "pre_tool_call", "command": one}, {"event": "on_stop", "command": other})
    engine = place.engine()

    for meaning in (lambda: commanded(engine.hooks, one), lambda: meant(engine, one)):
        with pytest.raises(TrustError) as caught:
            meaning()
        assert (caught.value.name, all(spec.id in caught.value.message for spec in engine.hooks)) == ("trust.ambiguous", True)
    assert [len(commanded(engine.hooks, other)), len(commanded(engine.hooks, one, "pre_tool_call"))] == [1, 1]
    assert [len(meant(engine, spec.id)) for spec in engine.hooks] == [1, 1]
