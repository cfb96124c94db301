"""What is known of a session from one process to the next."""

from __future__ import annotations

import asyncio
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
from hookline.sessions.folder import Folder
from hookline.sessions.memory import MOST_WAITING
from hookline.sessions.store import Sessions

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
    (file,) = path.glob("*/state.json")
    read: dict[str, object] = json.loads(file.read_text(encoding="utf-8"))
    return read


def test_looking_makes_nothing(path: Path) -> None:
    """An event of a session without state leaves no trace."""
    sessions = Sessions(path)

    assert (
        sessions.redos(EVENT),
        sessions.spent(EVENT),
        sessions.take(PROMPT, wakes=False),
        sessions.facts(EVENT),
    ) == (
        0,
        frozenset(),
        ([], {}),
        {},
    )
    sessions.settle(PROMPT, ends=True)
    assert not path.exists()
    assert sessions.problems == ()


def test_a_session_without_an_id_has_no_state(path: Path) -> None:
    """Its hooks run as if it were the first event."""
    sessions, nobody = Sessions(path), EVENT.replace(session_id="")
    sessions.send_back(nobody, 0)
    sessions.keep(nobody, DeferredResult(hook_id="a"))
    sessions.remember(nobody, "a", 1)
    sessions.prepare(nobody)
    sessions.release(nobody, "m")

    assert (sessions.claim(nobody, "m"), sessions.claim(nobody, "m")) == (True, True)
    assert not path.exists()


def test_the_folder_is_the_users_alone(path: Path) -> None:
    """Nobody else may read what hooks said, or write what an agent is told."""
    Sessions(path).send_back(EVENT, 0)
    (folder,) = path.iterdir()

    assert [
        stat.S_IMODE(os.stat(each).st_mode) for each in (path, folder, folder / "state.json")
    ] == [0o700, 0o700, 0o600]
    assert len(folder.name) == 64


@pytest.mark.parametrize("name", ["../../../etc", "a/b", "", "\0", "x" * 5000, "\ud800"])
def test_any_text_is_a_session_id(path: Path, name: str) -> None:
    """The folder's name is a digest, so that no id leads anywhere else."""
    sessions, event = Sessions(path), EVENT.replace(session_id=name)
    sessions.send_back(event, 0)

    assert sessions.redos(event) == (1 if name else 0)
    assert [each.parent for each in path.glob("*")] == ([path] if name else [])
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
    """Whoever comes to the limit is told how many there were, and adds none; 0 is no limit."""
    assert [Sessions(path).send_back(EVENT, 2) for _ in range(4)] == [0, 1, 2, 2]
    assert [Sessions(path).send_back(EVENT, limit) for limit in (0, 3, 3)] == [2, 3, 3]


def test_a_row_that_is_under_way_is_not_begun_anew(path: Path) -> None:
    """By a stop that was asked about before it, or at once with it.

    The next one that follows none begins another.
    """
    now = [100.0]
    sessions = Sessions(path, clock=lambda: now[0])
    first = [sessions.send_back(EVENT, 3, follows=False) for _ in range(2)]
    now[0] = 200.0
    on = sessions.send_back(EVENT, 3, follows=True)
    slow = sessions.send_back(EVENT, 3, follows=False, lasted=150.0)
    sessions.settle(EVENT, follows=False, lasted=150.0)
    now[0] = 201.0

    assert (first, on, slow, sessions.redos(EVENT)) == ([0, 1], 2, 3, 3)
    assert sessions.send_back(EVENT, 3, follows=False) == 0


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
    print(sessions.send_back(event, 7, follows={follows}, lasted={lasted}), flush=True)
"""


@pytest.mark.process
@pytest.mark.parametrize(("follows", "lasted"), [(None, 0.0), (True, 0.0), (False, 3600.0)])
def test_any_number_of_processes_are_within_the_limit_together(
    path: Path, *, follows: bool | None, lasted: float
) -> None:
    """None of them has the same number as another.

    An hour ago: all of them began before the first was answered.
    """
    code = _STOPPER.format(
        source=str(Path(__file__).parents[3] / "src"),
        path=str(path),
        follows=follows,
        lasted=lasted,
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
    """Each is handed out once, whoever asks; a stop takes only what wakes."""
    for name, wake in (("a", ""), ("b", "up"), ("c", "")):
        Sessions(path).keep(EVENT, DeferredResult(hook_id=name, for_agent="x", wake=wake))

    assert Sessions(path).take(PROMPT.replace(session_id="t"), wakes=False) == ([], {})
    assert [late.hook_id for late in Sessions(path).take(EVENT, wakes=True)[0]] == ["b"]
    assert [late.hook_id for late in Sessions(path).take(PROMPT, wakes=False)[0]] == ["a", "c"]
    assert Sessions(path).take(PROMPT, wakes=False) == ([], {})


def test_the_oldest_answers_fall_out_and_are_counted(path: Path) -> None:
    """Once they are told, the count begins anew."""
    for number in range(MOST_WAITING + 2):
        Sessions(path).keep(EVENT, DeferredResult(hook_id=f"h{number % 2}", for_agent="x"))
    lates, dropped = Sessions(path).take(PROMPT, wakes=False)

    assert (len(lates), dropped) == (MOST_WAITING, {"h0": 1, "h1": 1})
    assert Sessions(path).take(PROMPT, wakes=False) == ([], {})


def test_facts_survive(path: Path) -> None:
    """JSON values, within bounds."""
    Sessions(path).remember(EVENT, "branch", {"name": "main"})
    Sessions(path).remember(EVENT, "count", 3)
    Sessions(path).remember(EVENT, "count", None)

    assert Sessions(path).facts(EVENT) == {"branch": {"name": "main"}}
    with pytest.raises(ValueError, match="at most 65536 characters"):
        Sessions(path).remember(EVENT, "log", "x" * 65_536)
    with pytest.raises(TypeError):
        Sessions(path).remember(EVENT, "set", {1})
    assert Sessions(path).facts(EVENT) == {"branch": {"name": "main"}}


def test_the_state_says_whose_it_is(path: Path) -> None:
    """A person who looks finds the session."""
    Sessions(path).claim(EVENT, "m")

    assert state_of(path) == {
        "schema": "hookline.session/1",
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
        '{"schema": "hookline.session/2"}x',
        '{"redos": 1, "once": {"m": 1}, "facts": []}',
        '{"redos": {"": {"stop": "x"}}}',
        "\xff",
    ],
)
def test_what_somebody_else_wrote_does_not_count(path: Path, held: str) -> None:
    """It is nothing, it is said, and the next state replaces it."""
    Sessions(path).send_back(EVENT, 0)
    (file,) = path.glob("*/state.json")
    file.write_bytes(held.encode("latin-1"))
    sessions = Sessions(path)

    assert (sessions.redos(EVENT), sessions.spent(EVENT), sessions.facts(EVENT)) == (
        0,
        frozenset(),
        {},
    )
    sessions.send_back(EVENT, 0)
    assert sessions.redos(EVENT) == 1
    readable = held.startswith("{") and held.endswith("}")
    assert [problem.name for problem in sessions.problems] == (
        [] if readable else ["session.damaged"]
    )
    assert file.with_name("state.json.damaged").exists() is not readable


def test_a_damaged_answer_does_not_count(path: Path) -> None:
    """The others are told all the same."""
    for name in ("a", "b"):
        Sessions(path).keep(EVENT, DeferredResult(hook_id=name, for_agent="x"))
    (file,) = path.glob("*/state.json")
    held = json.loads(file.read_text(encoding="utf-8"))
    held["late"][0] = {}
    file.write_text(json.dumps(held), encoding="utf-8")
    sessions = Sessions(path)

    assert [late.hook_id for late in sessions.take(PROMPT, wakes=False)[0]] == ["b"]
    assert state_of(path)["late"] == []


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
    """Hooks run as if there were none."""
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


def test_a_new_session_makes_old_ones_go(path: Path) -> None:
    """Those that nothing happened in for so many days."""
    Sessions(path).send_back(EVENT, 0)
    after = os.stat(path).st_mtime + 8 * 86_400
    Sessions(path, days=7, clock=lambda: after).send_back(EVENT.replace(session_id="t"), 0)

    assert (Sessions(path).redos(EVENT), Sessions(path).redos(EVENT.replace(session_id="t"))) == (
        0,
        1,
    )


def test_whether_a_redo_was_counted_is_known(path: Path) -> None:
    """An agent is not sent back where that could not be counted: without a session the host's own flag says whether it was before."""
    nobody = EVENT.replace(session_id="")
    blocked = path.parent / "file"
    path.parent.mkdir()
    blocked.write_text("", encoding="utf-8")

    assert Sessions(path).send_back(EVENT, 3) == 0
    assert Sessions(blocked).send_back(EVENT, 3) is None
    assert Sessions(path).send_back(nobody, 3) == 0
    assert Sessions(path).send_back(nobody.replace(body=Stop(stop_hook_active=True)), 3) is None


def test_a_state_that_cannot_be_read_is_not_replaced(path: Path) -> None:
    """What others may have written is left for a person to look at, and nothing is counted over it."""
    Sessions(path).send_back(EVENT, 0)
    (file,) = path.glob("*/state.json")
    file.chmod(0o666)
    held = file.read_bytes()
    sessions = Sessions(path)

    assert sessions.send_back(EVENT, 0) is None
    assert file.read_bytes() == held
    assert [problem.name for problem in sessions.problems] == ["session.unusable"]


def test_an_event_loop_does_not_wait_for_long(path: Path) -> None:
    """Everything else that it runs would wait with it."""
    sessions = Sessions(path, seconds=3600)

    async def blocked() -> int | None:
        with Folder(sessions.place(EVENT)).lock(1.0):
            return sessions.send_back(EVENT, 0)

    assert asyncio.run(blocked()) is None
    assert [problem.name for problem in sessions.problems] == ["session.unusable"]


def test_a_hook_that_its_process_did_not_survive_is_told_of(path: Path) -> None:
    """Only what began and is not over; each by whoever runs it."""
    dead, alive = Sessions(path), Sessions(path)
    for sessions in (dead, dead, alive):
        sessions.begin(EVENT, "h")
    dead.over(EVENT, "h")
    alive.over(EVENT, "nobody")
    os.close(
        dead._begun[(dead.place(EVENT), "h")].pop().fd
    )  # as the system does where a process is killed

    assert [(late.hook_id, late.fault) for late in Sessions(path).take(PROMPT, wakes=False)[0]] == [
        ("h", "the process that ran it ended before the hook did")
    ]
    alive.over(EVENT, "h")
    assert list(path.glob("*/*")) == []


def test_only_counts_are_counts(path: Path) -> None:
    """Neither a truth value nor what is below nothing."""
    Sessions(path).send_back(EVENT, 0)
    (file,) = path.glob("*/state.json")
    for held in ("true", "-5", "1.5"):
        file.write_text(
            f'{{"redos": {{"": {{"stop": {held}}}}}, "spent": {{"calls": {held}}}}}',
            encoding="utf-8",
        )
        assert Sessions(path).redos(EVENT) == 0
        assert Sessions(path).spend(EVENT, "calls", 1)
    assert not Sessions(path).spend(EVENT, "calls", 1)
