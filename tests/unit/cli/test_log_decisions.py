"""`hookline log`: what ran and who approved it, filters, and one decision in full."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from hookline.cli.log import render_entry
from hookline.cli.output import Paint
from tests.unit.cli.support import SUDO, Desk
from tests.unit.cli.test_log import fire, folder_of
from tests.unit.cli.test_schema import check

# -- what ran, and who let it run ------------------------------------------------------------------


GUARD = {
    "hooks": {
        "PreToolUse": [
            {"hooks": [{"type": "command", "command": "echo no >&2; exit 2 # tools/guard.py"}]}
        ]
    }
}
BASH = {
    "hook_event_name": "PreToolUse",
    "session_id": "s",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
}


def guarded(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user's hook that was approved by ada, and asked once."""
    monkeypatch.setenv("USER", "ada")
    desk.file("../home/.claude/settings.json", json.dumps(GUARD))
    assert desk.type("approve", "--all", "--yes").code == 0
    desk.type(
        "fire", "PreToolUse", "--dialect", "claude-code", stdin=BASH | {"cwd": str(desk.folder)}
    )


def written(desk: Desk) -> list[dict[str, Any]]:
    """All records."""
    folder = folder_of(desk)
    names = sorted(name for name in os.listdir(folder) if name.endswith(".jsonl"))
    return [
        json.loads(line)
        for name in names
        for line in Path(folder, name).read_text(encoding="utf-8").splitlines()
    ]


def test_a_run_is_explained_by_the_journal(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """What ran, and who approved it, when and how: the note and the run name the same files."""
    guarded(desk, monkeypatch)
    note, run, _ = written(desk)
    page = desk.type("log", "show", "last").out
    entry = desk.type("log", "show", "last", "--json").document

    assert (note["identity"], note["content"]) == (run["identity"], run["content"][:16])
    assert "value" not in run["command"]
    assert "  runs: echo no >&2; exit 2 # tools/guard.py\n" in page
    assert f"  identity: {note['identity']}\n" in page
    assert re.search(
        r"^  approval: approved by ada \(command line.*\) on 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d$",
        page,
        re.MULTILINE,
    )
    assert entry["provenance"][0] == {
        "run": run["id"],
        "ran": "echo no >&2; exit 2 # tools/guard.py",
        "found": "approval",
        "note": entry["provenance"][0]["note"],
    }
    check(entry, "entry")


def test_an_approval_of_other_files_is_told_as_such() -> None:
    """The files changed since the approval. If no note of one exists, the page says so."""
    run = {"id": "e.1", "hook": "h", "stance": "deny", "identity": "ab", "content": "ff" * 32}
    note = {"type": "note", "did": "approved", "who": "ada", "at": "", "content": "0" * 16}
    pages = [
        "\n".join(
            render_entry(
                {"event": {"id": "e"}, "runs": [run], "provenance": [{"note": known}]},
                Paint(on=False),
            )
        )
        for known in (note, note | {"content": "f" * 16}, None)
    ]

    assert "approval: approved by ada on , for other files" in pages[0]
    assert "approval: approved by ada on \n" in pages[1]
    assert "approval: this journal has no approval before this run" in pages[2]


def test_an_approval_is_one_line(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line names user, action, hook and program, and fits the terminal."""
    monkeypatch.setenv("COLUMNS", "100")
    guarded(desk, monkeypatch)
    desk.type("off", "--global")
    line, off = desk.type("log", "--event", "approval").out.splitlines()
    monkeypatch.setenv("COLUMNS", "300")
    whole = desk.type("log", "--event", "approval").out.splitlines()[0]

    assert len(line) <= 100
    assert "  note    approved ~/.claude/settings.json#PreToolUse.echo-cdrmqs by" in line
    assert "-cdrmqs by ada (command line" in whole
    assert whole.endswith("): echo no >&2; exit 2 # tools/guard.py")
    assert "  note    off hooks" in off


# -- filters ---------------------------------------------------------------------------------------


def test_a_hook_is_found_by_the_file_that_it_runs(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the help says, although the id does not hold that name."""
    guarded(desk, monkeypatch)

    assert [
        json.loads(line)["stance"]
        for line in desk.type("log", "--hook", "Guard", "--json").out.splitlines()
    ] == ["deny"]


@pytest.mark.parametrize("what", ["approval", "unanswered"])
def test_a_note_is_asked_for_where_none_was_taken_yet(what: str, desk: Desk) -> None:
    """The filter is valid before any such note is written."""
    before = desk.type("log", "--event", what)
    fire(desk)
    after = desk.type("log", "--event", what)

    assert (before.code, before.err.startswith("nothing has been written down yet in ")) == (
        0,
        True,
    )
    assert (after.code, after.err) == (0, "no decision like that\n")


def test_show_says_what_it_needs(desk: Desk) -> None:
    """The error does not say that the journal is empty."""
    told = desk.type("log", "show")

    assert (told.code, told.err) == (
        2, ("hookline log: HKL1007 `log show` is no command (show ID, show last, verify or prune; "
            "`hookline log` lists the ids)\n"),
    )  # fmt: skip


UNKNOWN = [
    (("--event", "nonesuch"), "HKL1203 unknown event `nonesuch`"),
    (("--event", "PreToolUze"), "did you mean `PreToolUse`?"),
    (("show", "last", "--event", "nonesuch"), "HKL1203 unknown event `nonesuch`"),
    (("show", "last", "--hook", "nowhere"), "there is no decision `last`: hookline has asked no"),
]


@pytest.mark.parametrize(("words", "said"), UNKNOWN)
def test_a_filter_that_is_no_event_is_a_usage_error(
    words: tuple[str, ...], said: str, desk: Desk
) -> None:
    """As for `list`; for an event also if the journal is empty."""
    before = desk.type("log", *words)
    fire(desk)
    told = desk.type("log", *words)

    assert (told.code, said in told.err) == (2, True)
    assert before.code == (
        2 if "nonesuch" in words or "PreToolUze" in words or "show" in words else 0
    )


def test_a_hook_that_was_never_asked_has_no_decisions(desk: Desk) -> None:
    """That is no error. A similar id in the journal is suggested."""
    fire(desk)
    told = desk.type("log", "--hook", "nowhere")
    near = desk.type("log", "--hook", "docker-agent/hooks.yaml#root.pre_tool_uze.kvbpbk")

    assert (told.code, told.out, near.code) == (0, "", 0)
    assert told.err == "hookline has asked no hook with `nowhere` in its id, name or command\n"
    assert "did you mean `docker-agent/hooks.yaml#root.pre_tool_use.kvbpbk`?" in near.err


@pytest.mark.parametrize("words", [(), ("verify",), ("show", "last")])
def test_a_folder_below_a_file_is_no_place_for_a_journal(
    words: tuple[str, ...], desk: Desk
) -> None:
    """The error names the file."""
    desk.file("file", "")
    told = desk.type("log", *words, "--path", "file/below/it")

    assert (told.code, told.out) == (2, "")
    assert told.err.startswith(f"hookline log: HKL6003 `{desk.folder}/file` is no folder, so ")


def test_verify_without_a_journal_says_that_nothing_was_checked(desk: Desk) -> None:
    """With exit code 1, because nothing is whole."""
    told = desk.type("log", "verify", "--path", "nowhere")

    assert (told.code, told.out) == (1, "")
    assert "HKL6008 there is no journal in `" in told.err
    assert "so there is nothing to verify" in told.err


def test_a_filter_that_is_known_may_find_nothing(desk: Desk) -> None:
    """An event of some dialect, one of the journal's own, a hook in another session."""
    fire(desk)
    desk.type("on", "--global")

    for words in (
        ("--event", "SessionEnd"),
        ("--event", "approval"),
        ("--hook", "pre_tool_use.0", "--session", "other"),
    ):
        assert desk.type("log", *words).code == 0


# -- one decision, and what is secret in it --------------------------------------------------------


def test_the_last_decision_is_shown(desk: Desk) -> None:
    """Notes do not count, and filters apply. `explain` shows the same decision."""
    fire(desk, SUDO)
    fire(desk)
    desk.type("off", "--global")
    last, denied = (
        desk.type("log", "show", "last"),
        desk.type("log", "show", "last", "--stance", "deny"),
    )
    name = desk.type("log", "show", "last", "--stance", "deny", "--json").document["event"]["id"]

    assert last.out.startswith("allow  pre_tool_use")
    assert denied.out.startswith("deny  pre_tool_use")
    assert desk.type("explain", "last") == last
    assert desk.type("explain", name) == denied
    assert desk.type("log", "show", "last", "--stance", "halt").code == 2
    assert desk.type("explain", "00000000").code == 2


KEY = "sk-ant-api03-abcdefghijklmnop1234"


@pytest.mark.parametrize(
    "words",
    [
        ("log", "show", "last"),
        ("log", "show", "last", "--json"),
        ("log", "--json"),
        ("explain", "last"),
    ],
)
def test_a_payload_is_shown_masked_unless_it_is_asked_for(
    words: tuple[str, ...], desk: Desk
) -> None:
    """Also if the journal keeps all of it."""
    desk.file("../home/.config/hookline/settings.toml", '[journal]\npayload = "full"\n')
    fire(desk, SUDO | {"tool_input": {"cmd": f"sudo ls {KEY}"}})
    told = desk.type(*words)

    assert KEY in json.dumps(written(desk))
    assert (KEY in told.out, f"[masked {len(KEY)}]" in told.out) == (False, True)
    if words[0] == "log":
        assert KEY in desk.type(*words, "--show-payload").out


def test_what_a_detached_hook_printed_is_shown() -> None:
    """Its length and hash, or the kept text; and whether it was cut."""
    kept = {"sha256": "ab", "bytes": 9}
    run = {
        "hook": "h",
        "phase": "finished",
        "stdout": kept,
        "stderr": kept | {"value": "said"},
        "truncated": True,
    }
    page = "\n".join(
        render_entry({"event": {"id": "e"}, "runs": [run], "provenance": []}, Paint(on=False))
    )

    assert (
        "  stdout: 9 bytes, sha256 ab\n  stderr: said (9 bytes, sha256 ab)\n"
        "  cut: it printed more than is read" in page
    )


@pytest.mark.parametrize("words", [(), ("show", "last"), ("verify",), ("prune",)])
def test_a_file_in_the_place_of_a_journal_is_told(words: tuple[str, ...], desk: Desk) -> None:
    """The command does not take it for an empty journal."""
    desk.file("file", "")
    told = desk.type("log", *words, "--path", "file")

    assert (told.code, "HKL6003" in told.err, "is no folder" in told.err) == (2, True, True)
