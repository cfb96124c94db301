"""`hookline approve` and `hookline revoke`: what is shown, who is asked, what follows."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hookline.cli.app import app_main
from hookline.journal.search import Query, Search
from tests.unit.cli.support import Terminal, asked
from tests.unit.cli.test_schema import check

if TYPE_CHECKING:
    from tests.unit.cli.support import Desk

IDS = (
    "config/shell_hooks.yaml#pre_tool_call.guard.sh-qgmhbd",
    "config/shell_hooks.yaml#on_stop.guard.sh-rmhmmn",
)


@pytest.fixture(autouse=True)
def user(monkeypatch: pytest.MonkeyPatch) -> None:
    """An approval names its user."""
    monkeypatch.setenv("USER", "ada")


@pytest.fixture
def place(desk: Desk) -> Desk:
    """A desk in a project with two hooks on one script."""
    write(desk, "echo a")
    hooks = [{"event": event, "command": "../guard.sh"} for event in ("pre_tool_call", "on_stop")]
    desk.file("config/shell_hooks.yaml", json.dumps({"hooks": hooks}))
    return desk


def write(desk: Desk, line: str) -> None:
    """The script."""
    desk.file("guard.sh", f"#!/bin/sh\n{line}\n")
    (desk.folder / "guard.sh").chmod(0o755)


def states(desk: Desk) -> list[str]:
    """How the hooks stand."""
    return [hook["standing"] for hook in desk.type("list", "--json").document["hooks"]]


def notes(desk: Desk) -> list[tuple[str, str, str]]:
    """What the journal has of approvals."""
    folder = desk.folder.parent / "home/.local/state/hookline/journal"
    if not folder.exists():
        return []
    search = Search(str(folder))
    return [
        (note["did"], note["who"], note["how"]) for note in search.events(Query(event="approval"))
    ]


# -- asking ----------------------------------------------------------------------------------------


def test_a_person_sees_what_would_run_and_says_yes(place: Desk) -> None:
    """The declaring file, the event, the command, the files with their digests, the state."""
    told = asked(place, "approve", "guard.sh", typed="y\n")

    assert told.code == 0
    assert "config/shell_hooks.yaml (project)\n" in told.err
    assert "\nguard.sh (2 lines)\n  #!/bin/sh\n  echo a\n" in told.err
    assert f"    runs   {place.folder}/guard.sh\n" in told.err
    assert "    files  guard.sh sha256:" in told.err
    assert "    new: you have not approved it\n" in told.err
    assert told.err.endswith("approve these 2 hooks? [y/N] ")
    assert [line.split()[:2] for line in told.out.splitlines()] == [
        ["approved", each] for each in IDS
    ]
    assert states(place) == ["approved", "approved"]
    assert notes(place) == [("approved", "ada", "command line, a person said yes")] * 2


@pytest.mark.parametrize("typed", ["n\n", "\n", "", "yess\n", "approve\n"])
def test_whatever_is_no_yes_is_a_no(typed: str, place: Desk) -> None:
    """The end of the input is a no, too."""
    told = asked(place, "approve", "guard.sh", "--event", "on_stop", typed=typed)

    assert (told.code, told.out.split()[:2]) == (1, ["declined", IDS[1]])
    assert states(place) == ["new", "new"]
    assert notes(place) == []


def test_without_a_word_each_hook_is_asked_about(place: Desk) -> None:
    """One hook after the other; each answer counts for one."""
    told = asked(place, "approve", typed="n\ny\n")

    assert told.code == 1
    assert [line.split()[:2] for line in told.out.splitlines()] == [
        ["declined", IDS[0]],
        ["approved", IDS[1]],
    ]
    assert states(place) == ["new", "approved"]


@pytest.mark.parametrize(
    "words", [("approve", "--all", "--yes"), ("approve", "--all", "--dry-run")]
)
def test_what_is_wrong_with_a_hook_is_told_beside_its_approval(
    words: tuple[str, ...], place: Desk
) -> None:
    """The findings are those of `hookline doctor`."""
    (place.folder / "guard.sh").chmod(0o777)
    told = place.type(*words)

    assert told.code == 0
    assert told.out.count("HKL7019") == len(IDS)
    assert f"guard.sh` (chmod go-w {place.folder}/guard.sh)" in told.out
    seen = ("approve", "guard.sh", "--dry-run")
    assert [
        each["code"] for each in place.type(*seen, "--json").document["hooks"][0]["findings"]
    ] == ["HKL7019"]
    (place.folder / "guard.sh").chmod(0o755)
    assert "HKL7019" not in place.type(*seen).out


@pytest.mark.parametrize(
    "words", [("guard.sh",), ("--all",), ()], ids=["named", "all", "nothing named"]
)
def test_without_a_user_at_the_terminal_nothing_is_approved(
    words: tuple[str, ...], place: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a terminal, and in a pipeline that has one."""
    away = place.type("approve", *words)
    monkeypatch.setenv("CI", "true")
    pipeline = asked(place, "approve", *words, typed="y\n")

    for told in (away, pipeline):
        assert (told.code, told.out) == (2, "")
        assert (
            told.err
            == "hookline approve: HKL3018 there is no terminal to ask on (look at the hooks with "
            "--dry-run, then add --yes)\n"
        )
    assert states(place) == ["new", "new"]


def test_yes_approves_without_a_question(place: Desk) -> None:
    """The journal says that hookline asked no question, and whether there was a terminal."""
    assert place.type("approve", IDS[0], "--yes").code == 0
    assert asked(place, "approve", IDS[1], "--yes").code == 0

    assert [how for _, _, how in notes(place)] == [
        "command line, --yes, without a terminal",
        "command line, --yes",
    ]


def test_yes_to_everything_is_said_with_all(place: Desk) -> None:
    """Leaving out the hook does not approve all of them."""
    told = place.type("approve", "--yes")

    assert (told.code, told.err) == (
        2,
        "hookline approve: HKL1007 `--yes` without a hook (name one, or say --all)\n",
    )


# -- what there is to approve ----------------------------------------------------------------------


def test_a_dry_run_shows_and_does_nothing(place: Desk) -> None:
    """It asks no question, either."""
    told = place.type("approve", "--all", "--dry-run")

    assert (told.code, told.err, told.out.count("    new: you have not approved it")) == (
        0,
        "",
        2,
    )
    assert states(place) == ["new", "new"]


def test_what_changed_since_is_shown(place: Desk) -> None:
    """When and by whom it was approved, and which file differs."""
    place.type("approve", "guard.sh", "--yes")
    write(place, "echo b")
    told = place.type("approve", IDS[0], "--dry-run").out

    assert "    changed: `guard.sh` changed\n    approved on 2" in told
    assert " by ada (command line, --yes, without a terminal)\n" in told
    assert told.endswith(
        "\nguard.sh (changed since you approved it)\n"
        "  @@ -1,2 +1,2 @@\n   #!/bin/sh\n  -echo a\n  +echo b\n"
    )
    assert place.type("list").out.count("    `guard.sh` changed\n") == 2


def test_no_input_asks_no_question(place: Desk) -> None:
    """A terminal is of no use then."""
    told = asked(place, "approve", "guard.sh", "--no-input", typed="y\n")

    assert (told.code, "HKL3018" in told.err) == (2, True)


def test_what_is_approved_already_is_not_asked_about(place: Desk) -> None:
    """Nor is a hook that needs no approval."""
    place.type("approve", "guard.sh", "--yes")

    assert asked(place, "approve", "guard.sh").out.startswith(f"approved already  {IDS[0]}")
    assert asked(place, "approve", "--all").out == "nothing waits for an approval\n"
    named = asked(place, "approve", "-c", "config/shell_hooks.yaml", IDS[0])
    assert (named.code, named.out.startswith("approved already")) == (0, True)


def test_of_all_hooks_those_that_cannot_be_are_left_out(place: Desk) -> None:
    """A line names them. Naming such a hook is an error."""
    hooks = [
        {"event": "on_stop", "command": str(place.folder / name)}
        for name in ("guard.sh", "none.sh")
    ]
    place.file("config/shell_hooks.yaml", json.dumps({"hooks": hooks}))

    told = place.type("approve", "--all", "--yes")
    named = place.type("approve", str(place.folder / "none.sh"), "--yes")

    assert told.code == 1
    assert [line.split()[0] for line in told.out.splitlines()] == ["approved", "left"]
    assert "none.sh` was not found  " in told.out
    assert (named.code, "HKL3005" in named.err) == (2, True)


def test_a_word_that_means_nothing_is_said(place: Desk) -> None:
    """The error says where to look."""
    told = place.type("approve", "nothing")

    assert told.code == 2
    assert told.err.endswith(
        "HKL3011 no hook is declared with the id, command, name or file `nothing` (`hookline "
        "list` shows what is declared)\n"
    )


# -- revoking --------------------------------------------------------------------------------------


def test_what_is_revoked_does_not_run(place: Desk) -> None:
    """For one event, or for all; a dry run changes nothing."""
    place.type("approve", "guard.sh", "--yes")
    dry = place.type("revoke", "guard.sh", "-n")
    assert (dry.code, states(place)) == (0, ["approved", "approved"])

    told = place.type("revoke", str(place.folder / "guard.sh"), "--event", "on_stop")

    assert (told.code, told.out.split()[:2]) == (0, ["revoked", IDS[1]])
    assert states(place) == ["approved", "revoked"]
    assert place.type("show", IDS[1]).out.count("revoked: does not run\n") == 1
    assert notes(place)[-1] == ("revoked", "ada", "command line")


def test_what_is_declared_no_more_is_listed_and_forgotten(place: Desk) -> None:
    """A dry run forgets nothing. Declared again, the hook needs a new approval."""
    declared = (place.folder / "config/shell_hooks.yaml").read_text(encoding="utf-8")
    place.type("approve", "guard.sh", "--yes")
    place.file("config/shell_hooks.yaml", json.dumps({"hooks": json.loads(declared)["hooks"][1:]}))
    told, document = place.type("list"), place.type("list", "--json").document
    assert (
        told.code,
        told.err.count("HKL7022 an approved guard on pre_tool_call is not declared any more: `"),
    ) == (0, 1)
    assert [problem["code"] for problem in document["problems"]] == ["HKL1305", "HKL7022"]
    assert "HKL7022" in place.type("doctor").out

    dry = place.type("revoke", IDS[0], "-n", "--json")
    check(dry.document, "approval")
    done = place.type("revoke", IDS[0])

    assert (done.code, done.out.split()[:2]) == (0, ["forgotten", IDS[0]])
    assert notes(place)[-1] == ("forgotten", "ada", "command line")
    assert "HKL7022" not in place.type("list").err
    assert place.type("revoke", IDS[0]).code == 2
    place.file("config/shell_hooks.yaml", declared)
    assert states(place) == ["new", "approved"]


@pytest.fixture
def edited(place: Desk) -> Desk:
    """The approved guard has another definition now; the hook on `on_stop` is as it was."""
    place.type("approve", "guard.sh", "--yes")
    command = str(place.folder / "guard.sh")
    hooks = [
        {"event": "pre_tool_call", "command": command, "timeout": 1},
        {"event": "on_stop", "command": command},
    ]
    place.file("config/shell_hooks.yaml", json.dumps({"hooks": hooks}))
    return place


def removed(desk: Desk) -> int:
    """How many approved guards `list` misses."""
    return desk.type("list").err.count("HKL7022")


def test_an_edited_definition_is_new_and_removed(edited: Desk) -> None:
    """A dry run shows both; `--all --yes` approves what is new and forgets what is gone."""
    assert (states(edited), removed(edited)) == (["new", "approved"], 1)
    dry = edited.type("approve", "--all", "--dry-run").out
    assert dry.count("    new: you have not approved it\n") == 1
    assert dry.count("    removed: no file declares this guard any more\n") == 1

    told = edited.type("approve", "--all", "--yes", "--json")
    check(told.document, "approval")

    assert (told.code, [hook["did"] for hook in told.document["hooks"]]) == (
        0,
        ["approved", "forgotten"],
    )
    assert [did for did, _, _ in notes(edited)][-2:] == ["approved", "forgotten"]
    assert (states(edited), removed(edited)) == (["approved", "approved"], 0)
    assert edited.type("approve", "--all").out == "nothing waits for an approval\n"


@pytest.mark.parametrize(
    ("typed", "did", "note", "missed"),
    [
        ("f\n", "forgotten", "forgotten", 0),
        ("a\n", "may be absent", "may be absent", 0),
        ("n\n", "declined", "approved", 1),
        ("y\n", "declined", "approved", 1),
        ("", "declined", "approved", 1),
    ],
)
def test_a_removed_guard_is_forgotten_or_may_be_absent(
    typed: str, did: str, note: str, missed: int, edited: Desk
) -> None:
    """The question comes after those about hooks; no other answer ends the notices."""
    told = asked(edited, "approve", typed=f"y\n{typed}")

    assert told.code == missed
    assert told.err.endswith("may be absent, as on another branch (a)? [f/a/N] ")
    assert told.out.splitlines()[0].startswith("approved  ")
    assert told.out.splitlines()[1].startswith(f"{did}  {IDS[0]}  pre_tool_call  ")
    assert (removed(edited), notes(edited)[-1][0]) == (missed, note)


def test_a_guard_that_may_be_absent_stays_approved(edited: Desk) -> None:
    """A branch that has the guard again needs no new approval."""
    asked(edited, "approve", typed="y\na\n")
    command = str(edited.folder / "guard.sh")
    hooks = [{"event": event, "command": command} for event in ("pre_tool_call", "on_stop")]
    edited.file("config/shell_hooks.yaml", json.dumps({"hooks": hooks}))

    assert states(edited) == ["approved", "approved"]


def test_what_was_read_for_the_summary_is_approved(
    place: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is written between the summary and the answer has no approval."""

    class Slow(Terminal):
        def readline(self, size: int | None = -1, /) -> str:
            write(place, "echo planted")
            return super().readline(-1 if size is None else size)

    monkeypatch.setattr(sys, "stdin", Slow("y\n"))
    assert app_main(["approve", "--all"]) == 0
    place.capfd.readouterr()

    assert states(place) == ["changed", "changed"]


def test_what_needs_no_approval_cannot_be_revoked(place: Desk) -> None:
    """The error says why."""
    told = place.type("revoke", "-c", "config/shell_hooks.yaml", IDS[0])

    assert (told.code, "HKL3017" in told.err, "it runs without one" in told.err) == (
        2,
        True,
        True,
    )


# -- the document ----------------------------------------------------------------------------------

COMMANDS: list[tuple[Any, ...]] = [
    ("approve", "--all", "--dry-run"),
    ("approve", "guard.sh", "--yes"),
    ("approve", "--all", "--yes"),
    ("revoke", "guard.sh"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_document_holds_to_its_schema(words: tuple[str, ...], place: Desk) -> None:
    """One document, with everything that a page shows."""
    told = place.type(*words, "--json")

    assert told.document["schema"] == "hookline.approval/1"
    check(told.document, "approval")


# -- what is left out ------------------------------------------------------------------------------


def test_what_was_revoked_is_left_out_and_that_is_said(place: Desk) -> None:
    """With --all and when asked one by one. Naming the hook approves it."""
    place.type("approve", "--all", "--yes")
    place.type("revoke", IDS[1])
    for words in (("approve", "--all", "--yes"), ("approve",)):
        told = place.type(*words)

        assert (told.code, told.out.splitlines()[-1]) == (
            1,
            "nothing else waits for an approval; 1 hook left out",
        )
        assert (
            f"left out: you revoked its approval; to let it run again: hookline "
            f"approve '{IDS[1]}'  {IDS[1]}  " in told.out
        )
    assert [
        hook["did"] for hook in place.type("approve", "--all", "--yes", "--json").document["hooks"]
    ] == ["left"]
    assert states(place) == ["approved", "revoked"]
    assert place.type("approve", IDS[1], "--yes").code == 0
    assert states(place) == ["approved", "approved"]


def test_what_is_not_there_is_left_out_and_that_is_said(desk: Desk) -> None:
    """Also for a command that a shell looks up. The other hooks are approved."""
    hooks = [
        {"type": "command", "command": command}
        for command in ("./none.sh", '"$CLAUDE_PROJECT_DIR"/none.sh a', "true")
    ]
    desk.file(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [{"hooks": hooks}]}}))
    told = desk.type("approve", "--all", "--yes")

    assert (told.code, [line.partition("  ")[0] for line in told.out.splitlines()]) == (
        1, ["approved", "left out: `./none.sh` was not found",
            f"left out: `{desk.folder}/none.sh` was not found"]
    )  # fmt: skip
    assert states(desk) == ["new", "new", "approved"]


def test_a_policy_hook_cannot_be_revoked_and_the_hint_holds(
    place: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hint names no switch, which would not help, but says that only root can."""
    monkeypatch.setattr("hookline.trust.state.States.is_managed", lambda _, spec: spec.id == IDS[0])
    told = place.type("revoke", IDS[0])

    assert (told.code, "hookline off" in told.err) == (2, False)
    assert f"(only root can take it out of `{place.folder}/config/shell_hooks.yaml`)" in told.err


def test_explain_says_how_a_hook_stands(place: Desk) -> None:
    """As `list` does, before and after the approval."""
    stand = []
    for words in (("list",), ("approve", "--all", "--yes")):
        place.type(*words)
        hooks = place.type(
            "explain", "pre_tool_call", "--dialect", "starchild", "--no-run", "--json"
        ).document["hooks"]
        stand.append([(hook["trusted"], hook["standing"]) for hook in hooks])

    assert stand == [[(False, "new")] * 2, [(True, "approved")] * 2]
