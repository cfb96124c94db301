"""`hookline on` and `hookline off`: which hooks still run, and what is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.cli.support import SUDO
from tests.unit.cli.test_schema import check

if TYPE_CHECKING:
    from tests.unit.cli.support import Desk

GUARD = (
    '{"hooks": {"PreToolUse": [{"hooks": ['
    '{"type": "command", "command": "echo no >&2; exit 2"}]}]}}'
)
ID = "~/.claude/settings.json#PreToolUse.echo-gkfnst"  # the first one of `TWO`
CALL = SUDO | {"hook_event_name": "PreToolUse", "tool_name": "Bash"}


@pytest.fixture
def place(desk: Desk) -> Desk:
    """A desk whose person has a guard."""
    desk.file("../home/.claude/settings.json", GUARD)
    return desk


def stance(place: Desk) -> str:
    """What the guard says."""
    said: str = place.type(
        "fire", "PreToolUse", "--dialect", "claude-code", "--json", stdin=CALL
    ).document["stance"]
    return said


ROWS: list[tuple[list[tuple[str, ...]], str, list[str]]] = [
    ([], "deny", []),
    ([("off",)], "silent", ["hooks are switched off in this project (hookline on)"]),
    ([("off",), ("on",)], "deny", []),
    ([("off", "--global")], "silent", ["hooks are switched off everywhere (hookline on --global)"]),
    (
        [("off", "--global"), ("on",)],
        "silent",
        ["hooks are switched off everywhere (hookline on --global)"],
    ),
    ([("off", "--global"), ("on", "--global")], "deny", []),
    ([("off", "-n")], "deny", []),
]


@pytest.mark.parametrize(
    ("typed", "said", "why"),
    ROWS,
    ids=[", then ".join(" ".join(words) for words in row[0]) or "nothing" for row in ROWS],
)
def test_off_anywhere_is_off(
    typed: list[tuple[str, ...]], said: str, why: list[str], place: Desk
) -> None:
    """A dry run changes nothing, and tells how it is."""
    for words in typed:
        told = place.type(*words)
        assert told.code == (1 if words[0] == "on" and why else 0)

    now = place.type("on", "--dry-run").out.splitlines()

    assert stance(place) == said
    assert now == [
        f"hooks are {'off' if why else 'on'} in `{place.folder}`",
        *(f"  {line}" for line in why),
    ]


def test_a_variable_is_stronger_than_the_command(
    place: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer says so."""
    monkeypatch.setenv("HOOKLINE", "0")

    told = place.type("on")

    assert (told.code, told.out) == (
        1, (f"hooks are off in `{place.folder}`\n"
            f"  the variable HOOKLINE switches hooks off (unset HOOKLINE)\n")
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("off",), "hooks are off in `{here}`"),
        (("on",), "hooks are on in `{here}`"),
        (("off", "--global"), "hooks are off everywhere"),
        (("on", "--global"), "hooks are on everywhere"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_the_answer_names_what_was_switched(
    words: tuple[str, ...], answer: str, place: Desk
) -> None:
    """The folder, or everywhere."""
    assert place.type(*words).out.splitlines()[0] == answer.format(here=place.folder)


def test_a_file_that_switches_hooks_off_is_turned_on(place: Desk) -> None:
    """Told by `list`, `explain` and `doctor`.

    Where it cannot be written, that is said, and hooks are not on.
    """
    place.file("config/shell_hooks.yaml", "hooks:\n  - {event: on_stop, command: /bin/true}\n")
    place.file("config/agent.yaml", "shell_hooks:\n  enabled: false\n")
    beside = place.folder / "config/agent.yaml"
    why = f"`shell_hooks.enabled` is not true in `{beside}:2`"
    hook = place.type("list", "--json", "--event", "on_stop").document["hooks"][0]
    assert (hook["state"], hook["why"]) == ("off", why)
    told = place.type(
        "explain", "on_stop", "--host", "starchild", stdin={"session_id": "s", "response": "x"}
    )
    assert f"it is switched off: {why}" in told.out
    assert (
        f"{beside}:2:3: HKL1608 `shell_hooks.enabled` is not true, which switches 1 hook off "
        f"(write `true`, or: hookline on)" in told.err
    )
    assert f"HKL1608 warning: it is switched off: {why} (hookline on)" in place.type("doctor").out
    assert f"off ({why})" in place.type("on", "--dry-run").out

    assert place.type("on").code == 0
    assert beside.read_text(encoding="utf-8") == "shell_hooks:\n  enabled: true\n"
    assert place.type("list", "--json", "--event", "on_stop").document["hooks"][0]["state"] == "new"

    beside.unlink()
    place.file("config/other.yaml", "shell_hooks:\n  enabled: false\n")
    beside.symlink_to("other.yaml")
    left = place.type("on")
    assert (
        left.code,
        f"`{beside}` is left as it is: it is a link, or no plain file" in left.err,
    ) == (1, True)


def test_a_list_says_what_is_off(place: Desk) -> None:
    """Each hook has its reason."""
    place.type("off")
    (hook,) = place.type("list", "--json").document["hooks"]

    assert (hook["state"], hook["why"]) == ("off", "`hookline off` in this project")
    assert "    `hookline off` in this project\n" in place.type("list").out


@pytest.mark.parametrize(
    "words",
    [("on",), ("off",), ("off", "--global"), ("on", "--dry-run"), ("off", "echo no >&2; exit 2")],
    ids=" ".join,
)
def test_the_document_holds_to_its_schema(words: tuple[str, ...], place: Desk) -> None:
    """One document."""
    document: dict[str, Any] = place.type(*words, "--json").document

    assert document["schema"] == "hookline.switches/1"
    assert document["root"] == ("" if "--global" in words else str(place.folder))
    check(document, "switches")


def test_a_command_in_a_sub_folder_is_of_the_project(
    place: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A project that is a repository, or has files of its own; off there is off in all of it."""
    (place.folder / ".git").mkdir()
    (place.folder / "sub/deep").mkdir(parents=True)
    monkeypatch.chdir(place.folder / "sub/deep")

    assert place.type("off", "--json").document["root"] == str(place.folder)
    assert place.type("off", "-C", "..", "--json").document["root"] == str(place.folder)
    assert stance(place) == "silent"
    monkeypatch.chdir(place.folder)
    assert place.type("on", "--json").document["on"]


def test_what_is_off_above_stays_off_and_is_told(
    place: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer says how to turn it on."""
    place.type("off")
    (place.folder / "inner/.git").mkdir(parents=True)
    monkeypatch.chdir(place.folder / "inner")
    told = place.type("on")

    assert told.out == (
        f"hooks are off in `{place.folder}/inner`\n"
        f"  hooks are switched off in `{place.folder}`, in which this project lies (hookline on "
        f"-C {place.folder})\n"
    )
    assert told.code == 1
    assert stance(place) == "silent"


# -- single hooks ----------------------------------------------------------------------------------

TWO = """{"hooks": {"PreToolUse": [{"hooks": [
  {"type": "command", "command": "echo first >&2; exit 2"},
  {"type": "command", "command": "echo second >&2; exit 2"}]}]}}"""


@pytest.fixture
def pair(desk: Desk) -> Desk:
    """A desk whose person has two guards."""
    desk.file("../home/.claude/settings.json", TWO)
    return desk


def reason(place: Desk) -> str:
    """The reasons of the guards that run."""
    said: str = place.type(
        "fire", "PreToolUse", "--dialect", "claude-code", "--json", stdin=CALL
    ).document["reason"]
    return said


def test_one_hook_is_switched_and_the_others_stay(pair: Desk) -> None:
    """It takes effect at once, and lasts until it is switched on."""
    told = pair.type("off", ID)
    assert (told.code, told.out) == (
        0,
        (
            f"off (`hookline off` names it in this project)  {ID}  PreToolUse  echo "
            f"first >&2; exit 2\n"
        ),
    )
    assert reason(pair) == "second"

    assert pair.type("on", ID).code == 0
    assert reason(pair) == "first"


def test_one_hook_is_on_again_and_all_are_off(pair: Desk) -> None:
    """The answer comes first, and then why it has no effect yet."""
    pair.type("off")
    told = pair.type("on", ID)

    assert [line.split()[0] for line in told.out.splitlines()[:2]] == ["off", "hooks"]
    assert "hooks are switched off in this project (hookline on)" in told.out


def test_a_hook_that_is_off_is_shown_as_off(pair: Desk) -> None:
    """In `list`, `show`, the switches, and `doctor`, which does not run it."""
    reason(pair)
    pair.type("off", ID)

    listed = pair.type("list", "--json").document["hooks"]
    assert [(hook["state"], hook["why"]) for hook in listed] == [
        ("off", "`hookline off` names it in this project"), ("ready", "")
    ]  # fmt: skip
    assert "off: `hookline off` names it" in pair.type("show", ID).out
    assert f"off (`hookline off` names it in this project)  {ID}" in pair.type("on", "-n").out
    first, second = pair.type("doctor", "--json").document["hooks"]
    assert (first["asked"], second["asked"]) == (False, True)
    assert ("HKL7001", "it is switched off: `hookline off` names it in this project") in [
        (each["code"], each["message"]) for each in first["findings"]
    ]


def test_off_everywhere_is_not_on_here(pair: Desk) -> None:
    """The answer says so, with its own exit code."""
    pair.type("off", "--global", ID)
    told = pair.type("on", ID)

    assert (told.code, "off (`hookline off` names it in every project)" in told.out) == (1, True)
    assert reason(pair) == "second"
    assert pair.type("on", "--global", ID).code == 0
    assert reason(pair) == "first"


def test_a_hook_is_off_as_it_is_declared_and_not_by_its_place(pair: Desk) -> None:
    """A hook that takes its place in the file is on."""
    pair.type("off", ID)
    pair.file("../home/.claude/settings.json", GUARD)

    assert stance(pair) == "deny"


def test_another_project_is_another_place(pair: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hook that is off here is on there."""
    pair.type("off", ID)
    (pair.folder.parent / "there").mkdir()
    monkeypatch.chdir(pair.folder.parent / "there")

    assert reason(pair) == "first"


def test_policy_is_not_switched(pair: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer says that only root can remove it."""
    monkeypatch.setattr("hookline.trust.state.States.is_managed", lambda _, spec: spec.id == ID)
    told = pair.type("off", ID)

    assert (
        told.code,
        "HKL3022 no switch reaches" in told.err,
        "only root can take it out of" in told.err,
    ) == (2, True, True)
    assert reason(pair) == "first"


def test_a_word_that_means_no_hook_switches_nothing(pair: Desk) -> None:
    """It does not switch all hooks, either."""
    assert pair.type("off", "nothing").code == 2
    assert reason(pair) == "first"


@pytest.mark.parametrize(
    "words",
    [
        ["approve", "--all", "--yes"],
        ["revoke", "x"],
        ["on"],
        ["off", "--global"],
        ["doctor", "--fix"],
        ["chat", "--yes", "/hooks approve x"],
        ["chat", "/hooks off"],
    ],
    ids=" ".join,
)
def test_an_agent_widens_no_trust(words: list[str], desk: Desk) -> None:
    """No command does it, and the user gets a notice."""
    desk.monkeypatch.setenv("CLAUDECODE", "1")
    told = desk.type(*words)

    assert told.code == 2
    assert "HKL3025" in told.err
    assert "say to the user: please run `hookline " in told.err


@pytest.mark.parametrize("words", [["approve", "--all", "-n"], ["on", "-n"], ["chat", "/hooks"]])
def test_an_agent_may_look(words: list[str], desk: Desk) -> None:
    """A command that widens no trust needs no user."""
    desk.monkeypatch.setenv("CODEX_CI", "1")

    assert desk.type(*words).code == 0
