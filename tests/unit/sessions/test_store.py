"""What is known of a session from one process to the next."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hookline.core.deferred_results import DeferredResult
from hookline.model.event import Event, Stop
from hookline.sessions.memory import MOST_WAITING
from hookline.sessions.store import SCHEMA, Sessions, digest

if TYPE_CHECKING:
    from collections.abc import Callable

EVENT = Event(kind="stop", dialect="claude-code", native_name="Stop", session_id="s", cwd="/")
PROMPT = EVENT.replace(kind="prompt.submit")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where sessions are kept; nothing is there yet."""
    return tmp_path / "state" / "sessions"


def state_of(path: Path) -> dict[str, object]:
    """The one session's state, as it is on the disk."""
    (file,) = path.glob("*.json")
    read: dict[str, object] = json.loads(file.read_text(encoding="utf-8"))
    return read


def test_looking_makes_nothing(path: Path) -> None:
    """An event of a session without state leaves no trace."""
    sessions = Sessions(path)

    assert (
        sessions.redos(EVENT),
        sessions.spent(EVENT),
        sessions.take(PROMPT, wakes=False),
    ) == (0, frozenset(), ([], {}))
    sessions.settle(PROMPT, ends=True)
    assert not path.exists()
    assert sessions.problems == ()


def test_a_session_without_an_id_has_no_state(path: Path) -> None:
    """Its hooks run as if it were the first event."""
    sessions, unnamed = Sessions(path), EVENT.replace(session_id="")
    sessions.send_back(unnamed, 0)
    sessions.keep(unnamed, DeferredResult(hook_id="a"))
    sessions.prepare(unnamed)
    sessions.release(unnamed, "m")

    assert (sessions.claim(unnamed, "m"), sessions.claim(unnamed, "m")) == (True, True)
    assert not path.exists()


def test_the_folder_is_the_users_alone(path: Path) -> None:
    """No other user may read what hooks printed, or write what an agent reads."""
    Sessions(path).send_back(EVENT, 0)
    files = sorted(path.iterdir())

    assert [stat.S_IMODE(os.stat(each).st_mode) for each in (path, *files)] == [
        0o700,
        0o600,
        0o600,
    ]
    assert [len(each.stem) for each in files] == [64, len("lock")]


@pytest.mark.parametrize("name", ["../../../etc", "a/b", "", "\0", "x" * 5000, "\ud800"])
def test_any_text_is_a_session_id(path: Path, name: str) -> None:
    """The folder's name is a digest, so that no id leads anywhere else."""
    sessions, event = Sessions(path), EVENT.replace(session_id=name)
    sessions.send_back(event, 0)

    assert sessions.redos(event) == (1 if name else 0)
    assert [each.stem for each in path.glob("*.json")] == (
        [digest(f"claude-code\0{name}")] if name else []
    )
    assert sessions.problems == ()


def test_redos_are_counted_across_processes(path: Path) -> None:
    """Each `Sessions` here stands for one.

    A new turn begins a new count, and the sub-agents' stops are counted apart.
    """
    for kind in ("stop", "stop", "subagent.stop"):
        Sessions(path).send_back(EVENT.replace(kind=kind), 0)
    counted = [Sessions(path).redos(EVENT.replace(kind=kind)) for kind in ("stop", "subagent.stop")]
    Sessions(path).settle(PROMPT)

    assert counted == [2, 1]
    assert Sessions(path).redos(EVENT) == 0


def test_a_redo_is_granted_and_counted_in_one_step(path: Path) -> None:
    """At the limit the caller gets the count, and adds none; 0 means no limit."""
    assert [Sessions(path).send_back(EVENT, 2) for _ in range(4)] == [0, 1, 2, 2]
    assert [Sessions(path).send_back(EVENT, limit) for limit in (0, 3, 3)] == [2, 3, 3]


_STOPPER = """
import sys
sys.path.insert(0, {source!r})
from hookline.model.event import Event
from hookline.sessions.store import Sessions
sessions = Sessions({path!r}, seconds=600)
event = Event(kind="stop", dialect="d", native_name="Stop", session_id="s", cwd="/")
print("ready", flush=True)
sys.stdin.readline()
for _ in range(10):
    print(sessions.send_back(event, 7, follows={follows}), flush=True)
"""


@pytest.mark.process
@pytest.mark.parametrize("follows", [None, True])
def test_any_number_of_processes_are_within_the_limit_together(
    path: Path, *, follows: bool | None
) -> None:
    """None of them has the same number as another."""
    code = _STOPPER.format(
        source=str(Path(__file__).parents[3] / "src"),
        path=str(path),
        follows=follows,
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-S", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    said = [child.communicate("go\n")[0].split() for child in children]

    assert sorted(each for one in said for each in one) == [*"0123456", *["7"] * 33]


def test_hosts_and_relays_count_apart(path: Path) -> None:
    """Two hosts may give the same id to their sessions.

    And a stop that two converted hooks refuse is one redo of each.
    """
    Sessions(path).send_back(EVENT, 0)
    Sessions(path, asker="one").send_back(EVENT, 0)

    assert Sessions(path).redos(EVENT.replace(dialect="codex")) == 0
    assert [Sessions(path, asker=asker).redos(EVENT) for asker in ("", "one", "two")] == [1, 1, 0]


def test_once_is_once_until_the_session_ends(path: Path) -> None:
    """Who failed may try again."""
    first, second = Sessions(path), Sessions(path)

    assert (first.claim(EVENT, "m"), second.claim(EVENT, "m"), second.spent(EVENT)) == (
        True,
        False,
        {"m"},
    )
    first.release(EVENT, "m")
    assert second.claim(EVENT, "m")
    second.settle(PROMPT)
    assert not first.claim(EVENT, "m")
    second.settle(EVENT.replace(kind="session.end"), ends=True)
    assert first.claim(EVENT, "m")


def test_answers_wait_for_their_session_in_the_order_in_which_they_came(path: Path) -> None:
    """Each is given to one caller only; a stop takes only what wakes."""
    for name, wake in (("a", ""), ("b", "up"), ("c", "")):
        Sessions(path).keep(EVENT, DeferredResult(hook_id=name, for_agent="x", wake=wake))

    assert Sessions(path).take(PROMPT.replace(session_id="t"), wakes=False) == ([], {})
    assert [late.hook_id for late in Sessions(path).take(EVENT, wakes=True)[0]] == ["b"]
    assert [late.hook_id for late in Sessions(path).take(PROMPT, wakes=False)[0]] == ["a", "c"]
    assert Sessions(path).take(PROMPT, wakes=False) == ([], {})


def test_the_oldest_answers_fall_out_and_are_counted(path: Path) -> None:
    """After a delivery the count begins again."""
    for number in range(MOST_WAITING + 2):
        Sessions(path).keep(EVENT, DeferredResult(hook_id=f"h{number % 2}", for_agent="x"))
    lates, dropped = Sessions(path).take(PROMPT, wakes=False)

    assert (len(lates), dropped) == (MOST_WAITING, {"h0": 1, "h1": 1})
    assert Sessions(path).take(PROMPT, wakes=False) == ([], {})


def test_the_state_says_whose_it_is(path: Path) -> None:
    """A person who looks finds the session."""
    Sessions(path).claim(EVENT, "m")

    assert state_of(path) == {
        "schema": SCHEMA,
        "dialect": "claude-code",
        "session_id": "s",
        "once": ["m"],
    }


@pytest.mark.parametrize(
    "held",
    [
        "",
        "{",
        "[]",
        "[" * 100_000,
        '{"schema": "hookline.session/1"}',
        '{"schema": "hookline.session/2", "once": {"m": 1}}',
        '{"schema": "hookline.session/2", "redos": []}',
        "\xff",
    ],
)
def test_a_foreign_file_does_not_count(path: Path, held: str) -> None:
    """It counts as empty, with a problem, and the next state replaces it."""
    Sessions(path).send_back(EVENT, 0)
    (file,) = path.glob("*.json")
    file.write_bytes(held.encode("latin-1"))
    sessions = Sessions(path)

    assert (sessions.redos(EVENT), sessions.spent(EVENT)) == (0, frozenset())
    sessions.send_back(EVENT, 0)
    assert sessions.redos(EVENT) == 1
    assert [problem.name for problem in sessions.problems] == ["session.damaged"]


def test_a_change_that_changes_nothing_is_not_written(path: Path) -> None:
    """The file stays as it is."""
    Sessions(path).claim(EVENT, "m")
    (file,) = path.glob("*.json")
    written = file.stat().st_ino
    Sessions(path).claim(EVENT, "m")

    assert file.stat().st_ino == written


def refused(path: Path) -> None:
    """A file where the folder should be."""
    path.parent.mkdir(parents=True)
    path.write_text("", encoding="utf-8")


def opened(path: Path) -> None:
    """A folder that others may write to."""
    path.mkdir(parents=True)
    path.chmod(0o777)


def linked(path: Path) -> None:
    """A folder that is somewhere else."""
    path.parent.mkdir(parents=True)
    path.symlink_to(path.parent)


@pytest.mark.parametrize("spoil", [refused, opened, linked], ids=lambda spoil: spoil.__name__)
def test_state_that_cannot_be_kept_changes_nothing_and_is_said_once(
    path: Path, spoil: Callable[[Path], None]
) -> None:
    """Hooks run as without a state."""
    spoil(path)
    sessions = Sessions(path)
    for _ in range(2):
        sessions.send_back(EVENT, 0)
        sessions.keep(EVENT, DeferredResult(hook_id="a"))
        sessions.prepare(EVENT)

    assert (
        sessions.claim(EVENT, "m"),
        sessions.redos(EVENT),
        sessions.take(PROMPT, wakes=False),
    ) == (True, 0, ([], {}))
    assert [(problem.name, problem.severity) for problem in sessions.problems] == [
        ("session.unusable", "warning")
    ]
    assert str(path) in sessions.problems[0].message


@pytest.mark.parametrize(
    ("environ", "folder", "days"),
    [
        ({"XDG_STATE_HOME": "/x", "HOME": "/h"}, "/x/hookline/sessions", 30),
        (
            {"XDG_STATE_HOME": "x", "HOME": "/h", "HOOKLINE_SESSION_DAYS": "7"},
            "/h/.local/state/hookline/sessions",
            7,
        ),
        ({"HOME": "/h", "HOOKLINE_SESSION_DAYS": "soon"}, "/h/.local/state/hookline/sessions", 30),
    ],
)
def test_the_users_own_place(environ: dict[str, str], folder: str, days: int) -> None:
    """As the base directory standard has it."""
    sessions = Sessions.of(environ)

    assert (sessions.path, sessions.days) == (folder, days)


NOW = 1_000_000_000.0
DAY = 86_400.0


@pytest.mark.parametrize(
    ("ages", "days", "most", "gone"),
    [
        ((1, 40, 29), 30, 10, "b"),
        ((1, 2, 3, 4), 30, 3, "cd"),  # the one that is being made counts
        ((), 30, 10, ""),
    ],
)
def test_a_new_session_makes_old_ones_go(
    path: Path, ages: tuple[int, ...], days: int, most: int, gone: str
) -> None:
    """Sessions without an event for some days go, and the oldest of too many."""
    path.mkdir(parents=True, mode=0o700)
    for name, age in zip("abcdefgh", ages, strict=False):
        (path / f"{name}.json").write_text("{}", encoding="utf-8")
        os.utime(path / f"{name}.json", (NOW - age * DAY, NOW - age * DAY))
    sessions = Sessions(path, days=days, most=most, clock=lambda: NOW)
    sessions.send_back(EVENT, 0)

    left = {each.stem for each in path.glob("?.json")}
    assert left == set("abcdefgh"[: len(ages)]) - set(gone)
    assert sessions.redos(EVENT) == 1


def test_whether_a_redo_was_counted_is_known(path: Path) -> None:
    """An uncounted redo is not granted; without a session the host's own flag decides."""
    unnamed = EVENT.replace(session_id="")
    blocked = path.parent / "file"
    path.parent.mkdir()
    blocked.write_text("", encoding="utf-8")

    assert Sessions(path).send_back(EVENT, 3) == 0
    assert Sessions(blocked).send_back(EVENT, 3) is None
    assert Sessions(path).send_back(unnamed, 3) == 0
    assert Sessions(path).send_back(unnamed.replace(body=Stop(stop_hook_active=True)), 3) is None


def test_an_event_loop_does_not_wait_for_long(path: Path) -> None:
    """Everything else that it runs would wait with it."""
    sessions = Sessions(path, seconds=3600)
    path.mkdir(parents=True, mode=0o700)

    async def count() -> int | None:
        return sessions.send_back(EVENT, 0)

    with open(path / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert asyncio.run(count()) is None
    assert [problem.name for problem in sessions.problems] == ["session.unusable"]


@pytest.mark.process
def test_a_hook_of_a_killed_process_is_reported(path: Path) -> None:
    """Only what began and is not over; once."""
    dead = os.fork()
    if not dead:
        try:
            for hook in ("h", "h", "i"):
                Sessions(path).begin(EVENT, hook)
            Sessions(path).over(EVENT, "h")
        finally:
            os._exit(0)
    os.waitpid(dead, 0)
    Sessions(path).begin(EVENT, "alive")
    Sessions(path).over(EVENT, "unknown")
    lost, _ = Sessions(path).take(PROMPT, wakes=False)

    why = "the process that ran it ended before the hook did"
    assert [(late.hook_id, late.fault) for late in lost] == [("h", why), ("i", why)]
    assert Sessions(path).take(PROMPT, wakes=False) == ([], {})


def test_any_text_has_a_name() -> None:
    """Also one that is no Unicode."""
    assert len({digest(text) for text in ("", "a", "\ud800", "x" * 10_000)}) == 4
    assert all(len(digest(text)) == 64 for text in ("", "\ud800"))
