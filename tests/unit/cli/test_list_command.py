"""`hookline list` and `hookline show`."""

from __future__ import annotations

import pytest

from tests.unit.cli.support import AGENTHOOKS, DOCKER, Desk


@pytest.mark.parametrize(
    ("words", "count"),
    [
        ((), 22),
        (("--event", "pre_tool_use"), 2),
        (("--event", "tool.before"), 2),
        (("--source", "docker-agent"), 22),
        (("--source", "hooks.yaml", "--event", "stop"), 1),
        (("--source", "explicit"), 22),
        (("--source", "managed"), 0),
    ],
)
def test_a_list_can_be_narrowed(words: tuple[str, ...], count: int, desk: Desk) -> None:
    """By event and by source."""
    assert len(desk.type("list", "-c", DOCKER, *words, "--json").document["hooks"]) == count


def test_problems_are_told_beside_the_hooks(desk: Desk) -> None:
    """On standard error, a line each.

    A bad file never hides the good ones, and without it the list is not whole.
    """
    told = desk.type("list", "-c", desk.file("bad.yaml", "hooks: ["), "-c", DOCKER)

    assert told.code == 2
    assert told.err.startswith("bad.yaml:1:9: HKL1001 not YAML")
    assert "root.stop." in told.out


def test_a_file_that_cannot_be_read_is_told_once(desk: Desk) -> None:
    """In one row, with the number of events that it takes part in.

    The document has each of them.
    """
    bad = desk.file("bad.json", "{")
    told = desk.type("list", "-c", bad, "--dialect", "claude-code")
    hooks = desk.type("list", "-c", bad, "--dialect", "claude-code", "--json").document["hooks"]

    text = f"a failed hook of each of {len(hooks)} events: bad.json:1:2: not JSON"
    assert f"  broken  bad.json    {text}" in told.out
    assert "\n1 hook: 1 broken\n" in told.out
    assert told.code == 2


def test_an_entry_that_is_wrong_is_in_the_list(desk: Desk) -> None:
    """The list is complete, so the exit code is 0."""
    assert (
        desk.type("list", "-c", desk.file("hooks.yaml", "hooks: {stop: [{type: comand}]}")).code
        == 0
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("-c", DOCKER, "--source", "managed"), "none of the 22 hooks here fits"),
        (("-c", "{}", "--dialect", "claude-code"), "no hooks in `{}`"),
        ((), ".claude/settings.json"),
    ],
)
def test_an_empty_list_says_where_hookline_looked(
    words: tuple[str, ...], told: str, desk: Desk
) -> None:
    """In the files that were named, or in the places of every dialect."""
    typed = desk.type("list", *words)

    assert (typed.code, typed.out) == (0, "")
    assert told in typed.err


def test_a_file_cannot_command_the_terminal(desk: Desk) -> None:
    """Escapes in a hook's command, its keys and its faults are shown, not obeyed."""
    name = desk.file(
        "evil.yaml", 'hooks: {stop: [{type: command, command: "\\e[2J\\a"}], "\\e]0;x\\a": []}\n'
    )

    told = desk.type("list", "-c", name)

    assert "\\x1b[2J\\x07" in told.out
    assert "\x1b" not in told.out + told.err


SUMMARIZE = "hooks.yaml#root.post_tool_use.summarize-shell-output"


def test_a_hook_is_shown_by_id_and_by_name(desk: Desk) -> None:
    """The page is the same."""
    by_id = desk.type(
        "show", "-c", DOCKER, "docker-agent/hooks.yaml#root.post_tool_use.summarize-shell-output"
    )

    assert by_id.code == 0
    assert by_id.out == desk.type("show", "-c", DOCKER, "summarize shell output").out


def test_a_name_that_several_hooks_have_is_not_enough(desk: Desk) -> None:
    """The error lists their ids."""
    told = desk.type("show", "-c", DOCKER, "-c", DOCKER, "summarize shell output")

    assert told.code == 2
    assert (
        f"several hooks are called `summarize shell output`: `docker-agent/{SUMMARIZE}`" in told.err
    )


def test_the_times_of_a_hook_are_in_seconds(desk: Desk) -> None:
    """For every dialect, whatever unit its files use."""
    assert (
        desk.type("show", "-c", AGENTHOOKS, "tighten-timeout", "--json").document["timeout"] == 5.0
    )


def test_an_event_is_shown_with_its_hooks(desk: Desk) -> None:
    """In firing order."""
    document = desk.type("show", "PreToolUse", "-c", DOCKER, "--json").document

    assert document["kind"] == "tool.before"
    assert document["hooks"] == [
        "docker-agent/hooks.yaml#root.pre_tool_use.kvbpbk",
        "docker-agent/hooks.yaml#root.pre_tool_use.ccbgbv",
    ]


SETTINGS = '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}'


def _torn(desk: Desk) -> None:
    store = desk.folder.parent / "home/.local/state/hookline/approvals"
    store.mkdir(parents=True)
    store.chmod(0o777)


@pytest.mark.parametrize(
    "words",
    [("list",), ("show", "settings.json#PreToolUse.true-svdmtg")],
    ids=lambda words: words[0],
)
def test_approvals_that_cannot_be_read_are_told(words: tuple[str, ...], desk: Desk) -> None:
    """With an exit code of trouble.

    Hooks count as changed, never as new; what was named needs no approval.
    """
    desk.file("../home/.claude/settings.json", SETTINGS)
    _torn(desk)
    told = desk.type(*words)
    document = desk.type("list", "--json").document
    named = desk.type(
        "list", "-c", desk.file("named.json", SETTINGS), "--dialect", "claude-code", "--json"
    ).document

    assert told.code == 2
    assert told.err.startswith(f"hookline {words[0]}: HKL3006 others may write `")
    assert ("changed: runs, others may write `" in told.out) == (words[0] == "show")
    assert "changed" in told.out
    assert [(hook["state"], hook["standing"]) for hook in document["hooks"]] == [
        ("ready", "changed")
    ]
    assert [problem["code"] for problem in document["problems"]] == ["HKL3006"]
    assert [(hook["state"], hook["standing"]) for hook in named["hooks"]] == [("ready", "approved")]


@pytest.mark.parametrize(
    ("do", "word", "said"),
    [
        ((), "new", "new:        hookline does not run it before you approve it."),
        (("approve", "--all", "--yes"), "approved", "1 hook: 1 approved\n"),
        (("revoke", ".claude/settings.json"), "revoked", "revoked:    you revoked its approval"),
        (("off", ".claude/settings.json"), "off", "for one hook: hookline on HOOK\n"),
    ],
    ids=["nothing", "approved", "revoked", "off"],
)
def test_a_state_has_one_word_and_its_remedy(
    do: tuple[str, ...], word: str, said: str, desk: Desk
) -> None:
    """The word stands before the hook, the remedy below the table, once."""
    desk.file(".claude/settings.json", SETTINGS)
    if do:
        assert desk.type(*do).code == 0
    told = desk.type("list").out

    assert f"\n  {word}  PreToolUse.true-" in told
    assert told.count(said) == 1


def test_a_hook_of_the_users_own_is_ready(desk: Desk) -> None:
    """The list says that it runs, and that its first run is its approval."""
    desk.file("../home/.claude/settings.json", SETTINGS)
    told = desk.type("list").out

    assert told.startswith("~/.claude/settings.json (user, claude-code)\n  ready  ")
    assert "ready:      it is your own hook and runs" in told


def test_the_list_has_every_field_by_which_a_hook_differs(desk: Desk) -> None:
    """The document says when each hook runs, for how long, and whether it is approved."""
    text = """{"hooks": {"PreToolUse": [{"matcher": "Write|Bash", "hooks": [
  {"type": "command", "command": "./guard.sh", "timeout": 7},
  {"type": "command", "command": "./log.sh", "async": true}
]}]}}"""
    path = desk.file("settings.json", text)
    first, second = desk.type("list", "-c", path, "--dialect", "claude-code", "--json").document[
        "hooks"
    ]
    keys = ("timeout", "priority", "async", "on_failure", "matcher", "line")

    assert {key: first[key] for key in keys} == {
        "timeout": 7.0, "priority": 0, "async": False, "on_failure": "silent",
        "matcher": "Bash|Write", "line": 2,
    }  # fmt: skip
    assert (second["async"], second["line"], second["file"]) == (True, 3, first["file"])
