"""Log files: many processes append records; what a killed writer leaves breaks nothing."""

from __future__ import annotations

import fcntl
import os
import stat
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from hookline.errors import JournalError
from hookline.journal.log_files import LogFiles, encode_line, read_head
from hookline.journal.verify import REMOVED
from tests.unit.journal.support import (
    AT,
    ROOT,
    checked,
    files,
    kind_of_break,
    lines,
    note,
    records,
    written,
)

if TYPE_CHECKING:
    from pathlib import Path

NEXT = "2026-11-22T00:00:01.000Z"


def told(trail: LogFiles) -> list[str]:
    """The names of what a trail tells from now on."""
    names: list[str] = []
    trail.tell = lambda name, _: names.append(name)
    return names


def test_no_file_stays_open(tmp_path: Path) -> None:
    """Neither after a record, nor after a failure."""
    before = len(os.listdir("/proc/self/fd"))
    LogFiles(str(tmp_path / "j")).append([note(1)], at=AT)
    (tmp_path / "j").chmod(0o777)
    with pytest.raises(JournalError):
        LogFiles(str(tmp_path / "j")).append([note(1)], at=AT)

    assert len(os.listdir("/proc/self/fd")) == before


# -- files -----------------------------------------------------------------------------------------


def test_no_other_user_may_read_it(tmp_path: Path) -> None:
    """The folder and its files are this user's alone, whatever the umask says."""
    before = os.umask(0)
    try:
        trail = written(tmp_path / "deep" / "journal", 1)
    finally:
        os.umask(before)

    assert stat.S_IMODE(trail.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in trail.iterdir()} == {0o600}


def test_a_folder_that_others_may_write_to_is_refused(tmp_path: Path) -> None:
    """What they can change proves nothing."""
    (tmp_path / "journal").mkdir()
    (tmp_path / "journal").chmod(0o777)

    with pytest.raises(JournalError, match="written to by others") as raised:
        written(tmp_path / "journal", 1)
    assert (
        raised.value.hint
        == f"chmod 700 {tmp_path}/journal, or HOOKLINE_JOURNAL names another folder"
    )


@pytest.mark.parametrize(
    "name", ["journal", "journal/head", "journal/2026-11-21.000000000001.jsonl"]
)
def test_a_link_is_not_followed(name: str, tmp_path: Path) -> None:
    """Neither the folder nor a file may lead elsewhere."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).symlink_to(tmp_path / "elsewhere")

    with pytest.raises((JournalError, OSError)):
        written(tmp_path / "journal", 1)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_day_and_a_size_begin_a_file(tmp_path: Path) -> None:
    """Each is named by its day and its first record, and the chain goes on over all of them."""
    trail = LogFiles(str(tmp_path / "j"), largest=700)
    for at in (AT, AT, AT, AT, NEXT):
        trail.append([note()], at=at)

    assert [path.name for path in files(tmp_path / "j")] == [
        "2026-11-21.000000000001.jsonl",
        "2026-11-21.000000000004.jsonl",
        "2026-11-22.000000000005.jsonl",
    ]
    assert checked(tmp_path / "j").records == 5


def test_a_clock_that_goes_back_begins_no_file(tmp_path: Path) -> None:
    """Records keep the order in which they were written."""
    trail = LogFiles(str(tmp_path / "j"))
    for at in (NEXT, AT, NEXT):
        trail.append([note()], at=at)

    assert len(files(tmp_path / "j")) == 1


# -- writers that were killed ----------------------------------------------------------------------


@pytest.mark.parametrize("left", [1, 50, -2])
def test_a_torn_line_is_kept_and_closed(left: int, tmp_path: Path) -> None:
    """The next record follows the one before it; verify notes the line."""
    folder = written(tmp_path / "j", 3)
    torn = lines(folder)[-1][:left]
    with files(folder)[0].open("ab") as file:
        file.write(torn)
    assert "no record" in checked(folder).notes[0]
    trail = LogFiles(str(folder))
    names = told(trail)
    trail.append([note("next")], at=AT)

    assert names == ["journal.torn"]
    assert torn + b"\n" in files(folder)[0].read_bytes()
    assert (kind_of_break(folder), checked(folder).records) == ("", 4)
    assert ":4: no record" in checked(folder).notes[0]


def test_a_record_that_lacks_its_line_break_only_counts(tmp_path: Path) -> None:
    """The next writer completes it."""
    folder = written(tmp_path / "j", 3)
    head = read_head((folder / "head").read_bytes())
    assert head is not None
    with files(folder)[0].open("ab") as file:
        file.write(encode_line(note("torn"), 4, head.hash)[0][:-1])
    LogFiles(str(folder)).append([note("next")], at=AT)

    assert (kind_of_break(folder), checked(folder).records) == ("", 5)


@pytest.mark.parametrize("at", [AT, NEXT])
def test_records_that_the_head_does_not_know_yet_are_kept(at: str, tmp_path: Path) -> None:
    """A writer that was killed between a record and the head had committed it."""
    folder = written(tmp_path / "j", 2)
    before = (folder / "head").read_bytes()
    written(folder, 3)
    (folder / "head").write_bytes(before)
    trail = LogFiles(str(folder))
    names = told(trail)

    assert trail.append([note("next")], at=at).seq == 6
    assert (names, kind_of_break(folder)) == ([], "")


@pytest.mark.parametrize(
    "damage",
    [
        lambda head: head.unlink(),
        lambda head: head.write_bytes(b""),
        lambda head: head.write_bytes(b"x" * 99),
    ],
)
@pytest.mark.parametrize("at", [AT, NEXT])
def test_a_lost_head_is_found_again(damage, at: str, tmp_path: Path) -> None:
    """From the records themselves; hookline says that it cannot tell whether there were more."""
    folder = written(tmp_path / "j", 9, largest=1500)
    damage(folder / "head")
    trail = LogFiles(str(folder))
    names = told(trail)

    assert trail.append([note()], at=at).seq == 10
    assert (names, kind_of_break(folder)) == (["journal.gap"], "")
    assert trail.append([note()], at=at).seq == 11


def test_records_that_are_gone_are_missed_by_the_next(tmp_path: Path) -> None:
    """The next writer says so, and no later record hides the gap."""
    folder = written(tmp_path / "j", 5)
    files(folder)[0].write_bytes(b"".join(lines(folder)[:3]))
    trail = LogFiles(str(folder))
    names = told(trail)
    trail.append([note("next")], at=AT)

    assert names == ["journal.gap"]
    assert [record["seq"] for record in records(folder)] == [1, 2, 3, 6]
    assert kind_of_break(folder) == REMOVED


def test_a_trail_of_which_all_is_gone_says_so(tmp_path: Path) -> None:
    """The head remembers how long it was."""
    folder = written(tmp_path / "j", 5)
    files(folder)[0].unlink()
    LogFiles(str(folder)).append([note("next")], at=AT)

    assert kind_of_break(folder) == REMOVED


def test_a_file_that_was_begun_and_has_no_record_is_used(tmp_path: Path) -> None:
    """A writer that was killed between the two."""
    folder = written(tmp_path / "j", 2)
    (folder / "2026-11-22.000000000003.jsonl").touch(0o600)
    trail = LogFiles(str(folder))
    trail.append([note()], at=AT)
    trail.append([note()], at=NEXT)

    assert (kind_of_break(folder), checked(folder).records) == ("", 4)


# -- several writers -------------------------------------------------------------------------------


def test_a_lock_that_is_held_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    """A process that was stopped in the middle must not stop every hook."""
    folder = written(tmp_path / "j", 1)
    with (folder / "head").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for wait in (0.0, 0.02):
            began = time.monotonic()
            with pytest.raises(JournalError, match="holds the lock") as caught:
                LogFiles(str(folder), wait=wait).append([note()], at=AT)
            assert caught.value.name == "journal.busy"
            assert wait <= time.monotonic() - began < 1.0

    assert LogFiles(str(folder)).append([note()], at=AT).seq == 2


def test_a_folder_that_was_replaced_is_opened_anew(tmp_path: Path) -> None:
    """A writer that runs for days writes where others do."""
    trail = LogFiles(str(tmp_path / "j"))
    trail.append([note()], at=AT)
    (tmp_path / "j").rename(tmp_path / "old")
    trail.append([note()], at=AT)

    assert (checked(tmp_path / "j").records, checked(tmp_path / "old").records) == (1, 1)


def test_a_fork_has_files_of_its_own(tmp_path: Path) -> None:
    """Otherwise both would hold the lock."""
    trail = LogFiles(str(tmp_path / "j"))
    trail.append([note()], at=AT)
    child = os.fork()
    if not child:
        trail.append([note()], at=AT)
        os._exit(0)
    trail.append([note()], at=AT)

    assert os.waitpid(child, 0)[1] == 0
    assert (kind_of_break(tmp_path / "j"), checked(tmp_path / "j").records) == ("", 3)


_WRITER = f"""
import sys
import time
from hookline.journal.log_files import LogFiles
trail = LogFiles(sys.argv[1], largest=20_000)
for number in range(int(sys.argv[2])):
    record = {{"type": "note", "at": "{AT}", "who": sys.argv[3], "number": number}}
    trail.append([{{**record, "text": "x" * (number % 700)}}], at="{AT}")
"""


@pytest.mark.process
def test_eight_processes_write_one_chain(tmp_path: Path) -> None:
    """Every record is there once, each writer's in its order."""
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(tmp_path / "j"), "60", str(who)],
            env={"PYTHONPATH": str(ROOT / "src")},
        )
        for who in range(8)
    ]
    assert [writer.wait(60) for writer in writers] == [0] * 8
    found = records(tmp_path / "j")

    assert (kind_of_break(tmp_path / "j"), len(found)) == ("", 480)
    for who in range(8):
        assert [record["number"] for record in found if record["who"] == str(who)] == list(
            range(60)
        )


def test_a_record_is_synced_to_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `sync`, before it counts."""
    asked: list[int] = []
    monkeypatch.setattr(os, "fdatasync", asked.append)
    written(tmp_path / "j", 3, sync=True)

    assert len(asked) >= 3
