"""Snapshots: which changes become checkpoints, and what undo and reset restore. Git is real."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hookline.errors import HandlerError
from hookline.handlers.builtins.snapshot import list_snapshots, reset, undo
from hookline.model.event import Event, ToolCall
from tests.unit.handlers.builtins.support import PATH, asked
from tests.unit.handlers.builtins.test_git import HERMETIC, git

pytestmark = pytest.mark.process
NATIVE = {
    "session.start": "session_start",
    "turn.start": "turn_start",
    "turn.end": "turn_end",
    "tool.before": "pre_tool_use",
    "tool.after": "post_tool_use",
    "session.end": "session_end",
}


class Work:
    """A work tree, and the events of one session in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.top = folder / "repo"
        self.environ = {"PATH": PATH, "XDG_DATA_HOME": str(folder / "data"), **HERMETIC}
        self.top.mkdir()
        git(self.top, "init")
        self.write("a.txt", "1\n")
        self.write(".gitignore", "*.log\n")
        git(self.top, "add", ".")
        git(self.top, "commit", "-m", "x")

    def write(self, name: str, text: str) -> None:
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def files(self) -> dict[str, str]:
        """All files of the work tree with their texts."""
        found = (path for path in self.top.rglob("*") if path.is_file() and not path.is_symlink())
        return {
            str(path.relative_to(self.top)): path.read_text(encoding="utf-8", errors="replace")
            for path in found
            if ".git" not in path.parts
        }

    def fire(
        self, kind: str, call: str = "", *, cwd: Path | None = None, session: str = "s"
    ) -> str:
        """Fire an event, and return what the user reads."""
        body: dict[str, Any] = {"body": ToolCall(tool="shell", call_id=call)} if call else {}
        event = Event(
            kind=kind,
            native_name=NATIVE[kind],
            session_id=session,
            cwd=str(cwd or self.top),
            **body,
        )
        outcome = asked("snapshot", event, environ=self.environ)
        assert (outcome.failure, outcome.stdout) == (None, ""), outcome
        return outcome.note

    def counts(self, session: str = "") -> list[tuple[str, int]]:
        listed = list_snapshots(str(self.top), self.environ, session=session)
        return [(each.cause, each.count) for each in listed]


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tmp_path)


def test_a_turn_that_changes_files_is_a_checkpoint(work: Work) -> None:
    """A turn without changes is none; undo restores, deletes what was new, and drops it."""
    before = work.files()
    for _ in range(2):
        work.fire("turn.start")
        work.fire("turn.end")
    work.fire("turn.start")
    work.write("a.txt", "2\n")
    work.write("new/b.txt", "b\n")
    work.fire("turn.end")

    assert work.counts() == [("turn", 2)]
    done = undo(str(work.top), work.environ)
    assert (sorted(done.files), done.failed) == (["a.txt", "new/b.txt"], ())
    assert work.files() == before
    assert not (work.top / "new").exists()
    assert work.counts() == []
    assert undo(str(work.top), work.environ).checkpoints == ()


def test_the_repository_of_the_user_stays_as_it_is(work: Work) -> None:
    """Neither its index nor its objects change, and there are no commits in the shadow."""

    def state() -> list[tuple[str, bytes]]:
        paths = sorted(path for path in (work.top / ".git").rglob("*") if path.is_file())
        return [(str(path), path.read_bytes()) for path in paths]

    before = state()
    work.fire("turn.start")
    work.write("a.txt", "2\n")
    work.fire("turn.end")
    undo(str(work.top), work.environ)
    work.fire("session.end")
    (shadow,) = (work.folder / "data/hookline/snapshot").glob("*/git")
    objects = git(shadow, "cat-file", "--batch-check", "--batch-all-objects")

    assert state() == before
    assert objects
    assert "commit" not in objects


def test_turns_and_calls_together_have_no_change_twice(work: Work) -> None:
    """Each call is a checkpoint; the turn has only what is left."""
    work.fire("turn.start")
    work.fire("tool.before", "1")
    work.write("a.txt", "2\n")
    work.fire("tool.after", "1")
    work.fire("tool.before", "2")
    work.fire("tool.after", "2")
    work.write("c.txt", "c\n")
    work.fire("turn.end")

    assert work.counts() == [("shell", 1), ("turn", 1)]
    undo(str(work.top), work.environ)
    assert work.files()["a.txt"] == "2\n"
    undo(str(work.top), work.environ)
    assert work.files()["a.txt"] == "1\n"


def test_calls_at_the_same_time_have_no_change_twice_and_lose_none(work: Work) -> None:
    """Without turns: the second call begins while the first one writes."""
    before = work.files()
    work.fire("tool.before", "1")
    work.write("a.txt", "2\n")
    work.fire("tool.before", "2")
    work.write("b.txt", "b\n")
    work.fire("tool.after", "1")
    work.write("c.txt", "c\n")
    work.fire("tool.after", "2")

    assert work.counts() == [("shell", 2), ("shell", 1)]
    reset(str(work.top), work.environ, 1)
    assert work.files() == before


def test_a_call_that_never_ran_leaves_nothing(work: Work) -> None:
    """What the user changes before the next call is the user's own."""
    work.fire("tool.before", "denied")
    work.write("a.txt", "by hand\n")
    work.fire("tool.before", "2")
    work.write("b.txt", "b\n")
    work.fire("tool.after", "2")

    assert work.counts() == [("shell", 1)]
    undo(str(work.top), work.environ)
    assert work.files()["a.txt"] == "by hand\n"


def test_reset_goes_back_to_the_oldest_state(work: Work) -> None:
    """Of each file; earlier checkpoints stay."""
    for number in (1, 2, 3):
        work.fire("turn.start")
        work.write("a.txt", f"turn {number}\n")
        work.write(f"{number}.txt", "x")
        work.fire("turn.end")
    done = reset(str(work.top), work.environ, 2)

    assert [each.number for each in done.checkpoints] == [2, 3]
    assert work.files()["a.txt"] == "turn 1\n"
    assert {"1.txt"} <= set(work.files())
    assert not {"2.txt", "3.txt"} & set(work.files())
    assert len(work.counts()) == 1
    with pytest.raises(HandlerError, match="there is no snapshot 2; there are: 1"):
        reset(str(work.top), work.environ, 2)


def test_history_outlives_the_process_and_the_session(work: Work) -> None:
    """Another process undoes what this one recorded, after the end of the session."""
    work.fire("turn.start")
    work.write("a.txt", "2\n")
    work.fire("turn.end")
    work.fire("session.end")
    code = (
        "import os, sys; from hookline.handlers.builtins.snapshot import undo;"
        "print(undo(sys.argv[1], os.environ).files)"
    )
    argv = [sys.executable, "-c", code, str(work.top)]
    environ = {**work.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(argv, env=environ, capture_output=True, text=True, check=True, timeout=60)

    assert done.stdout == "('a.txt',)\n"
    assert work.files()["a.txt"] == "1\n"


def test_sessions_have_their_own_checkpoints(work: Work) -> None:
    """In one work tree."""
    for session in ("s", "t"):
        work.fire("turn.start", session=session)
        work.write(f"{session}.txt", "x")
        work.fire("turn.end", session=session)
    undo(str(work.top), work.environ, session="s")

    assert work.counts("s") == []
    assert work.counts("t") == [("turn", 1)]
    assert {"t.txt"} <= set(work.files())


def test_ignored_and_large_new_files_are_left_alone(work: Work) -> None:
    """By `.gitignore` and by `info/exclude`. A tracked file may grow, and may become ignored."""
    (work.top / ".git/info/exclude").write_text("private/\n", encoding="utf-8")
    work.fire("turn.start")
    work.write("x.log", "log")
    work.write("private/key", "secret")
    work.write("big.bin", "0" * ((2 << 20) + 1))
    work.write("a.txt", "0" * ((2 << 20) + 1))
    work.fire("turn.end")
    assert work.counts() == [("turn", 1)]
    work.fire("turn.start")
    work.write(".gitignore", "*.log\na.txt\n")
    work.write("a.txt", "ignored now\n")
    work.fire("turn.end")
    undo(str(work.top), work.environ)

    assert {"x.log", "private/key", "big.bin"} <= set(work.files())
    assert work.files()[".gitignore"] == "*.log\n"


@pytest.mark.parametrize(
    "name", ["with blank", "quote'\"", "*", ":(top)x", "\n", "é", "-rf", "a[b]"]
)
def test_names_are_only_names(name: str, work: Work) -> None:
    """Neither patterns nor options."""
    before = work.files()
    work.fire("turn.start")
    work.write(name, "x")
    work.write("other", "x")
    work.fire("turn.end")
    done = undo(str(work.top), work.environ)

    assert sorted(done.files) == sorted((name, "other"))
    assert work.files() == before


def test_bytes_are_kept(work: Work) -> None:
    """Names that are no text, line ends, links, modes, and no filter of the user's runs."""
    config = work.folder / "gitconfig"
    config.write_text('[filter "x"]\n clean = touch ran; cat\n smudge = touch ran; cat\n')
    work.environ["GIT_CONFIG_GLOBAL"] = str(config)
    odd = Path(os.fsdecode(os.fsencode(work.top) + b"/\xff"))
    (work.top / ".gitattributes").write_text("* text eol=crlf filter=x ident\n", encoding="utf-8")
    odd.write_bytes(b"a\r\nb\n$Id$\0\xff")
    (work.top / "link").symlink_to("a.txt")
    (work.top / "run").write_text("x", encoding="utf-8")
    (work.top / "run").chmod(0o755)
    work.fire("turn.start")
    for path in (odd, work.top / "link", work.top / "run"):
        path.unlink()
    work.fire("turn.end")
    undo(str(work.top), work.environ)

    assert odd.read_bytes() == b"a\r\nb\n$Id$\0\xff"
    assert os.readlink(work.top / "link") == "a.txt"
    assert (work.top / "run").stat().st_mode & 0o111
    assert not (work.top / "ran").exists()


def test_files_and_folders_take_each_other_s_place(work: Work) -> None:
    """In both directions."""
    work.write("d/x", "x")
    before = work.files()
    work.fire("turn.start")
    (work.top / "d/x").unlink()
    (work.top / "d").rmdir()
    work.write("d", "file")
    (work.top / "a.txt").unlink()
    work.write("a.txt/inner", "y")
    work.fire("turn.end")
    done = undo(str(work.top), work.environ)

    assert done.failed == ()
    assert work.files() == before


def test_nothing_is_written_through_a_link(work: Work) -> None:
    """A folder that a link to another place has taken the place of is refused."""
    outside = work.folder / "outside"
    outside.mkdir()
    (outside / "new").write_text("mine", encoding="utf-8")
    work.write("d/old", "x")
    work.fire("turn.start")
    work.write("d/new", "x")
    work.fire("turn.end")
    (work.top / "d/new").unlink()
    (work.top / "d/old").unlink()
    (work.top / "d").rmdir()
    (work.top / "d").symlink_to(outside)
    done = undo(str(work.top), work.environ)

    assert done.failed == ("d/new",)
    assert (outside / "new").read_text(encoding="utf-8") == "mine"


def test_only_the_folder_of_the_session_counts(work: Work) -> None:
    """A link to it is followed; other folders of the repository are not looked at."""
    work.write("sub/x", "1")
    (work.folder / "link").symlink_to(work.top / "sub")
    work.fire("turn.start", cwd=work.folder / "link")
    work.write("sub/x", "2")
    work.write("a.txt", "by hand\n")
    work.fire("turn.end", cwd=work.top / "sub")

    assert work.counts() == [("turn", 1)]
    undo(str(work.top), work.environ)
    assert (work.files()["sub/x"], work.files()["a.txt"]) == ("1", "by hand\n")


def test_a_repository_inside_is_left_alone(work: Work) -> None:
    """It has snapshots of its own."""
    work.fire("turn.start")
    (work.top / "inner").mkdir()
    git(work.top / "inner", "init")
    (work.top / "inner/x").write_text("x", encoding="utf-8")
    work.fire("turn.end")

    assert work.counts() == []


def test_data_in_the_work_tree_are_no_changes(work: Work) -> None:
    """As where a home folder is a repository."""
    work.environ["XDG_DATA_HOME"] = str(work.top / "my data")
    work.fire("turn.start")
    work.fire("turn.end")
    work.fire("turn.start")
    work.fire("turn.end")

    assert work.counts() == []


def test_many_files_are_restored_in_batches(work: Work) -> None:
    """And one that cannot be restored keeps none of the others."""
    work.fire("turn.start")
    for number in range(250):
        work.write(f"n/{number}", "x")
    work.fire("turn.end")
    assert len(undo(str(work.top), work.environ).files) == 250
    for number in range(120):
        work.write(f"m/{number}", "1")
    work.fire("turn.start")
    for number in range(120):
        work.write(f"m/{number}", "2")
    work.fire("turn.end")
    (work.top / "m/7").unlink()
    (work.top / "m/7").mkdir()
    (work.top / "m/7/untracked.log").write_text("x", encoding="utf-8")
    done = undo(str(work.top), work.environ)

    assert done.failed == ("m/7",)
    assert len(done.files) == 119
    assert work.files()["m/8"] == "1"


@pytest.mark.parametrize("kind", NATIVE)
@pytest.mark.parametrize("place", ["", "missing"])
def test_outside_of_a_repository_it_reports(kind: str, place: str, work: Work) -> None:
    """On every event, and makes nothing."""
    note = work.fire(kind, cwd=work.folder / place)

    assert note.startswith("snapshot: hookline takes no snapshots here, because")
    assert not (work.folder / "data").exists()
    with pytest.raises(HandlerError):
        list_snapshots(str(work.folder / place), work.environ)


def test_a_missing_git_is_reported(work: Work) -> None:
    """It denies nothing."""
    work.environ["PATH"] = "/nonexistent"

    assert "`git` is not on the PATH" in work.fire("turn.start")


def test_a_damaged_history_is_none(work: Work) -> None:
    """It is written anew."""
    work.fire("turn.start")
    (path,) = (work.folder / "data/hookline/snapshot").glob("*/history.json")
    path.write_text('{"schema": "hookline.snapshots/1", "checkpoints": [{"x": 1}]}', "utf-8")
    work.fire("turn.start")
    work.write("a.txt", "2\n")
    work.fire("turn.end")

    assert work.counts() == [("turn", 1)]


def test_a_lock_that_another_process_holds_is_reported(work: Work) -> None:
    """After the time of the hook."""
    import fcntl  # noqa: PLC0415 - this test only

    work.fire("turn.start")
    (path,) = (work.folder / "data/hookline/snapshot").glob("*/lock")
    with path.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        event = Event(kind="turn.end", native_name="turn_end", cwd=str(work.top))
        outcome = asked("snapshot", event, environ=work.environ, timeout=0.3)

    assert "locked" in outcome.note
