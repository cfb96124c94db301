"""`hookline log`: following, ids, and faults of the folder; what it prints otherwise is a transcript."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from hookline.cli import log
from hookline.cli.log_pages import format_event, render_entry
from hookline.cli.pages import Paint
from hookline.journal.log_files import LogFiles
from hookline.journal.search import Query, Search
from tests.unit.cli.support import DOCKER, LS, SUDO, Desk
from tests.unit.cli.test_schema import check


def folder_of(desk: Desk) -> str:
    """Where the journal is."""
    return str(desk.folder.parent / "home/.local/state/hookline/journal")


def fire(desk: Desk, payload: object = LS) -> None:
    """One decision more."""
    desk.type("fire", "pre_tool_use", "-c", DOCKER, stdin=payload)


def test_what_is_written_meanwhile_is_shown_once(desk: Desk) -> None:
    """Each new decision that the query asks for, in its order."""
    fire(desk)
    shown: list[dict[str, Any]] = []
    looks = iter([LS, SUDO, None, SUDO])

    def wait() -> bool:
        for payload in looks:
            if payload is not None:
                fire(desk, payload)
            return True
        return False

    search = Search(folder_of(desk))
    log._follow(search, Query(stance="deny"), shown.append, wait, mark=search.last())

    assert [record["stance"] for record in shown] == ["deny", "deny"]
    assert len({record["id"] for record in shown}) == 2


def test_following_ends_when_nobody_reads(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe whose reader has gone, or an output that is closed."""
    reads, writes = os.pipe()
    with os.fdopen(writes, "w") as stream:
        monkeypatch.setattr("sys.stdout", stream)
        monkeypatch.setattr(log, "_PAUSE", 0.0)
        assert log._wait_for_records()
        os.close(reads)
        assert not log._wait_for_records()
    assert not log._wait_for_records()


def test_the_newest_are_listed_last(desk: Desk) -> None:
    """As many as are asked for."""
    for payload in (SUDO, LS, SUDO):
        fire(desk, payload)
    told = desk.type("log", "--limit", "2", "--json")

    assert [json.loads(line)["stance"] for line in told.out.splitlines()] == ["allow", "deny"]


def test_an_id_that_is_not_one_decisions_is_refused(desk: Desk) -> None:
    """It says which there are."""
    fire(desk)
    fire(desk)
    told = desk.type("log", "show", "")

    assert told.code == 2
    assert "2 decisions have an id that begins with ``" in told.err


@pytest.mark.parametrize("words", [("--head", "12"), ("--limit", "-1"), ("--stance", "no")])
def test_a_wrong_option_is_a_usage_error(words: tuple[str, ...], desk: Desk) -> None:
    """With what would be right."""
    assert desk.type("log", "verify", *words).code == 2


def test_a_remembered_head_is_compared(desk: Desk) -> None:
    """Whole in itself, and not the one that was."""
    fire(desk)
    head = desk.type("log", "verify", "--json").document["head"]

    assert desk.type("log", "verify", "--head", head).code == 0
    told = desk.type("log", "verify", "--head", f"{head.partition(':')[0]}:{'0' * 64}")
    assert (told.code, "not the one that is remembered" in told.out) == (1, True)


def test_another_journal_is_named(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """By --path, wherever this user's is."""
    monkeypatch.setenv("HOOKLINE_JOURNAL", str(desk.folder / "mine"))
    fire(desk)
    monkeypatch.delenv("HOOKLINE_JOURNAL")

    assert "records" in desk.type("log", "verify", "--path", "mine").out
    assert desk.type("log", "prune", "--path", "nowhere").code == 2


def test_prune_says_before_it_does(desk: Desk) -> None:
    """With --dry-run, nothing is removed."""
    fire(desk)
    folder = folder_of(desk)
    (name,) = [each for each in os.listdir(folder) if each.endswith(".jsonl")]
    old = name.replace(name[:10], "2001-01-01")
    os.rename(f"{folder}/{name}", f"{folder}/{old}")
    fire(desk)
    fire(desk)
    newer = sorted(each for each in os.listdir(folder) if each.endswith(".jsonl"))

    assert desk.type("log", "prune", "--dry-run", "--json").document["removed"] == []
    assert newer[0] == old
    assert desk.type("log", "verify").code == 0


@pytest.mark.parametrize("width", [20, 60, 200])
def test_a_line_fits_the_width(width: int, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason is cut, nothing else."""
    monkeypatch.setenv("COLUMNS", str(width))
    fire(desk, SUDO)
    record = json.loads(desk.type("log", "--json").out)
    line = format_event(record | {"reason": "r" * 300}, Paint(on=False))

    assert "pre_tool_use shell (docker-agent)" in line
    assert len(line) <= max(width, 80)


@pytest.mark.parametrize("what", ["files", "all files", "folder"])
def test_a_journal_that_was_removed_is_followed_from_its_beginning(what: str, desk: Desk) -> None:
    """Its numbers are lower than those that were shown; also where only the number is the same again."""
    for _ in range(3):
        fire(desk, SUDO)
    shown: list[dict[str, Any]] = []
    looks = iter(["wipe", "", "fire", "", "fire"])

    def wait() -> bool:
        for look in looks:
            if look == "wipe":
                wipe(folder_of(desk), what)
            elif look == "fire":
                fire(desk, SUDO)
            return True
        return False

    search = Search(folder_of(desk))
    before = search.events(Query())
    log._follow(search, Query(), shown.append, wait, mark=search.last())

    assert [record["seq"] for record in shown] == [record["seq"] for record in before[:2]]
    assert not {record["id"] for record in shown} & {record["id"] for record in before}


def wipe(folder: str, what: str) -> None:
    """Remove a journal: its files, or the folder."""
    if what == "folder":
        shutil.rmtree(folder)
        return
    for name in os.listdir(folder):
        os.unlink(f"{folder}/{name}")


def test_a_wiped_journal_is_nothing_to_verify(desk: Desk) -> None:
    """Which is not the same as whole."""
    fire(desk)
    wipe(folder_of(desk), "files")
    told = desk.type("log", "verify")

    assert (told.code, told.out) == (1, "nothing to verify: there is no record\n")
    assert desk.type("log", "verify", "--json").document["ok"] is False


def test_a_payload_with_a_huge_folder_is_listed(desk: Desk) -> None:
    """And shown."""
    desk.type("fire", "pre_tool_use", "-c", DOCKER, stdin=SUDO | {"cwd": "/" + "d" * (4 << 20)})
    (record,) = [json.loads(line) for line in desk.type("log", "--json").out.splitlines()]

    assert (record["native_event"], len(record["cwd"])) == ("pre_tool_use", 4096)
    assert desk.type("log").code == 0
    assert "deny  pre_tool_use" in desk.type("log", "show", record["id"]).out


def test_a_record_that_an_older_hookline_cut_is_listed(desk: Desk) -> None:
    """Less all that was long in it."""
    fire(desk, SUDO)
    (record,) = [json.loads(line) for line in desk.type("log", "--json").out.splitlines()]
    own = {
        key: value for key, value in record.items() if key not in ("schema", "seq", "prev", "hash")
    }
    LogFiles(folder_of(desk)).append([own | {"id": "huge", "cut": True}], at=record["at"])

    assert len(desk.type("log").out.splitlines()) == 2
    assert "cut: most of it was too long" in desk.type("log", "show", "huge").out


ODD: list[dict[str, Any]] = [
    {},
    {
        "at": 7,
        "faults": 1 << 70,
        "seconds": 1 << 2000,
        "retry_after": 10**400,
        "stance": "none",
        "reason": 3,
    },
    {
        "payload": [],
        "effects": 7,
        "rewrite": {"keys": "no"},
        "lowered": [1, {}],
        "for_agent": [1],
        "for_user": 7,
        "evidence": "x",
    },
    {"native_event": None, "tool": {}, "at": "never", "payload": {"bytes": 1 << 90}, "stance": []},
]


@pytest.mark.parametrize("odd", ODD)
def test_whatever_stands_in_a_record_is_listed_and_shown(odd: dict[str, Any], desk: Desk) -> None:
    """Another version may have written it, or anybody."""
    runs = [
        {"type": "run", "id": "x.1", "event": "x"}
        | odd
        | {"exit_code": "no", "unsupported": 7, "phase": []}
    ]
    LogFiles(folder_of(desk)).append(
        [*runs, {"type": "event", "id": "x"} | odd], at="2026-11-21T10:00:00.000Z"
    )

    assert desk.type("log").code == 0
    assert len(desk.type("log").out.splitlines()) == 1
    assert "from: no file" in desk.type("log", "show", "x").out


def test_bytes_that_are_no_text_find_nothing(desk: Desk) -> None:
    """As a shell passes them on."""
    fire(desk)

    assert (desk.type("log", "--hook", "\udcff").code, desk.type("log", "show", "\udcff").code) == (
        2,
        2,
    )


def test_a_digest_of_what_was_run_is_shown() -> None:
    """Beside the fingerprint of what was declared."""
    run = {"id": "e.1", "hook": "h", "stance": "deny", "fingerprint": "f" * 64, "content": "c" * 64}
    page = "\n".join(
        render_entry({"event": {"type": "event", "id": "e"}, "runs": [run]}, Paint(on=False))
    )

    assert f"  fingerprint: {'f' * 64}\n  content: {'c' * 64}" in page


def test_a_note_says_what_it_has_and_no_more() -> None:
    """None of the fields that only an event has."""
    note = {
        "type": "note",
        "id": "0123456789",
        "at": "",
        "native_event": "unanswered",
        "message": "no payload",
        "refused": False,
    }

    assert (
        format_event(note, Paint(on=False))
        == "  01234567  note    unanswered  message: no payload, refused: false"
    )
    assert list(render_entry({"event": note, "runs": []}, Paint(on=False)))[1:] == [
        "  message: no payload",
        "  refused: false",
    ]


# -- what ran, and who let it run ----------------------------------------------------------------------------------------


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
    """What ran, and who approved it, when and how: the note names the very hook and files that the run does."""
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
    """What it runs changed since; and where there is no note, that is said."""
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
    """Who did what, to which hook, which runs what; no longer than the terminal is wide."""
    monkeypatch.setenv("COLUMNS", "100")
    guarded(desk, monkeypatch)
    desk.type("off", "--global")
    line, off = desk.type("log", "--event", "approval").out.splitlines()
    monkeypatch.setenv("COLUMNS", "300")
    whole = desk.type("log", "--event", "approval").out.splitlines()[0]

    assert len(line) <= 100
    assert "  note    approved settings.json#PreToolUse.0.0 by ada (command line" in line
    assert whole.endswith("): echo no >&2; exit 2 # tools/guard.py")
    assert "  note    off hooks" in off


# -- filters -------------------------------------------------------------------------------------------------------------


def test_a_hook_is_found_by_the_file_that_it_runs(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the help says: its id does not have that in it."""
    guarded(desk, monkeypatch)

    assert [
        json.loads(line)["stance"]
        for line in desk.type("log", "--hook", "Guard", "--json").out.splitlines()
    ] == ["deny"]


@pytest.mark.parametrize("what", ["approval", "unanswered"])
def test_a_note_is_asked_for_where_none_was_taken_yet(what: str, desk: Desk) -> None:
    """It is nothing unknown: before anything is written, and behind events of other sorts."""
    before = desk.type("log", "--event", what)
    fire(desk)
    after = desk.type("log", "--event", what)

    assert (before.code, before.err.startswith("nothing has been written down yet in ")) == (
        0,
        True,
    )
    assert (after.code, after.err) == (0, "no decision like that\n")


def test_show_says_what_it_needs(desk: Desk) -> None:
    """And not that it is nothing that there is."""
    told = desk.type("log", "show")

    assert (told.code, told.err) == (
        2, "hookline log: HKL1007 `log show` is no command (show ID, show last, verify or prune; `hookline log` lists the ids)\n",
    )  # fmt: skip


UNKNOWN = [
    (("--event", "nonesuch"), "HKL1203 unknown event `nonesuch`"),
    (("--event", "PreToolUze"), "did you mean `PreToolUse`?"),
    (("show", "last", "--event", "nonesuch"), "HKL1203 unknown event `nonesuch`"),
    (("--hook", "hooks.yaml#pre_tool_uze.0.0"), "did you mean `hooks.yaml#pre_tool_use.0.0`?"),
    (
        ("show", "last", "--hook", "nowhere"),
        "no hook here or in the journal has `nowhere` in its id, name or command",
    ),
]


@pytest.mark.parametrize(("words", "said"), UNKNOWN)
def test_a_filter_that_is_no_event_and_no_hook_is_a_usage_error(
    words: tuple[str, ...], said: str, desk: Desk
) -> None:
    """As it is for `list`; also where nothing is written down yet, of an event."""
    before = desk.type("log", *words)
    fire(desk)
    told = desk.type("log", *words)

    assert (told.code, said in told.err) == (2, True)
    assert before.code == (
        2 if "nonesuch" in words or "PreToolUze" in words or "show" in words else 0
    )


def test_a_filter_that_is_known_may_find_nothing(desk: Desk) -> None:
    """An event of some dialect, one of the journal's own, a hook that is declared here and was not asked yet."""
    desk.file("../home/.claude/settings.json", json.dumps(GUARD))
    fire(desk)
    desk.type("on", "--global")

    for words in (
        ("--event", "SessionEnd"),
        ("--event", "approval"),
        ("--hook", "tools/guard"),
        ("--hook", "PreToolUse.0"),
    ):
        assert desk.type("log", *words).code == 0


# -- one decision, and what is secret in it --------------------------------------------------------------------------------


def test_the_last_decision_is_shown(desk: Desk) -> None:
    """No note is one, and filters choose; `explain` shows the same, and any other by its id."""
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
    """Also where all of it is kept."""
    desk.file("../home/.config/hookline/settings.toml", '[journal]\npayload = "full"\n')
    fire(desk, SUDO | {"tool_input": {"cmd": f"sudo ls {KEY}"}})
    told = desk.type(*words)

    assert KEY in json.dumps(written(desk))
    assert (KEY in told.out, f"[masked {len(KEY)}]" in told.out) == (False, True)
    if words[0] == "log":
        assert KEY in desk.type(*words, "--show-payload").out


def test_what_a_detached_hook_printed_is_shown() -> None:
    """By length and hash, or itself, where it is kept; and that there was more."""
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
        "  stdout: 9 bytes, sha256 ab\n  stderr: said (9 bytes, sha256 ab)\n  cut: it printed more than is read"
        in page
    )


@pytest.mark.parametrize("words", [(), ("show", "last"), ("verify",), ("prune",)])
def test_a_file_in_the_place_of_a_journal_is_told(words: tuple[str, ...], desk: Desk) -> None:
    """Nothing that it could be taken for has been written down there."""
    desk.file("file", "")
    told = desk.type("log", *words, "--path", "file")

    assert (told.code, "HKL6003" in told.err, "is no folder" in told.err) == (2, True, True)
    assert desk.type("log", *words, "--path", "file/below").code == 2
