"""Journal: it records events; where it cannot, it says so once and changes no verdict."""

from __future__ import annotations

import asyncio
import fcntl
import os
import resource
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

import hookline
from hookline.errors import JournalError
from hookline.journal.journal import Journal, default_folder
from hookline.journal.log_files import LogFiles
from hookline.model.verdict import Outcome, Verdict
from tests.unit.journal.support import ROOT, SUDO, checked, fired, kind_of_break, records, written

if TYPE_CHECKING:
    from pathlib import Path

TREE = {
    "hooks": {
        "pre_tool_use": [
            {"matcher": "*", "hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}
        ]
    }
}
PAYLOAD = {"tool_name": "shell", "tool_input": {"cmd": "ls"}, "session_id": "s"}


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """One that tells into a list of its own."""
    return Journal.open(str(tmp_path / "j"))


def test_an_engine_writes_down_every_event(tmp_path: Path, journal: Journal) -> None:
    """Its hooks first, with what each is and said, and then what was decided."""
    with hookline.Engine.from_config(TREE, dialect="docker-agent", journal=journal) as engine:
        engine.fire("pre_tool_use", PAYLOAD)
        engine.fire("stop", {"session_id": "s"})
    run, denied, silent = records(tmp_path / "j")

    assert (run["hook"], run["stance"], run["exit_code"], run["event"]) == (
        engine.hooks[0].id,
        "deny",
        2,
        denied["id"],
    )
    assert (denied["stance"], denied["runs"], denied["session"], denied["tool"]) == (
        "deny",
        1,
        "s",
        "shell",
    )
    assert (silent["stance"], silent["runs"]) == ("silent", 0)
    assert kind_of_break(tmp_path / "j") == ""


def test_a_note_is_written_or_lost(tmp_path: Path) -> None:
    """While another process holds the lock, hookline waits a while, and then says what is lost."""
    told: list[str] = []
    journal = Journal(LogFiles(str(tmp_path / "j"), wait=0.01), tell=told.append)
    written = journal.note("x")
    with (tmp_path / "j/head").open("rb") as head:
        fcntl.flock(head, fcntl.LOCK_EX)
        busy = [journal.note("approval"), journal.note("approval")]

    assert (written, busy, journal.note("x")) == (True, [False, False], True)
    assert (journal.lost, len(records(tmp_path / "j"))) == (2, 2)
    assert ["HKL6011" in line for line in told] == [True]
    assert "records are lost" in told[0]
    assert not Journal(None).note("approval")


async def _six(engine: hookline.Engine) -> list[str]:
    call = {"tool": "shell", "input": {}}
    fired = [asyncio.ensure_future(engine.fire_async("tool.before", call)) for _ in range(6)]
    return [(await each).stance.name for each in fired]


def test_a_verdict_does_not_depend_on_who_holds_the_journal(tmp_path: Path) -> None:
    """A hook that takes less than its limit is in time, though six events wait for the lock."""
    folder = written(tmp_path / "j", 1)
    engine = hookline.Engine(journal=Journal.open(str(folder)))

    @engine.on("tool.before", timeout=2.0, on_failure=hookline.Stance.DENY)
    async def slow(_: object) -> None:
        for _ in range(1000):
            await asyncio.sleep(0)

    with (folder / "head").open("rb") as head:
        fcntl.flock(head, fcntl.LOCK_EX)
        assert asyncio.run(_six(engine)) == ["SILENT"] * 6

    assert (len(records(folder)), kind_of_break(folder)) == (1, "")


async def _fire_async(engine: hookline.Engine) -> None:
    await engine.fire_async("pre_tool_use", PAYLOAD)


def test_it_is_the_same_on_an_event_loop(tmp_path: Path, journal: Journal) -> None:
    """Whichever driver asked."""
    with hookline.Engine.from_config(TREE, dialect="docker-agent", journal=journal) as engine:
        asyncio.run(_fire_async(engine))

    assert [record["type"] for record in records(tmp_path / "j")] == ["run", "event"]


def test_without_one_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that embeds hookline gets a journal only if it asks for one."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    hookline.Engine().fire("stop", {})

    assert list(tmp_path.iterdir()) == []


# -- detached hooks --------------------------------------------------------------------------------

ASYNC = {
    "hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": "exit 3", "async": True}]}]}
}


def test_a_detached_hook_has_a_start_and_an_end(tmp_path: Path, journal: Journal) -> None:
    """Both belong to the event that started it."""
    payload = {
        "session_id": "s",
        "tool_name": "Bash",
        "tool_input": {},
        "tool_use_id": "c",
        "tool_response": {},
    }
    with hookline.Engine.from_config(ASYNC, dialect="claude-code", journal=journal) as engine:
        engine.fire("PostToolUse", payload)
    found = {record.get("phase", record["type"]): record for record in records(tmp_path / "j")}

    assert set(found) == {"started", "finished", "event"}
    assert found["finished"]["exit_code"] == 3
    assert {found["started"]["event"], found["finished"]["event"]} == {found["event"]["id"]}


PRINTS = "echo hello password=hunter2hunter2; echo wrong >&2"
OUTPUTS = {
    "hash": ([None, None], "sha256"),
    "masked": (["hello password=[masked 14]\n", "wrong\n"], "value"),
    "full": (["hello password=hunter2hunter2\n", "wrong\n"], "value"),
}


@pytest.mark.parametrize("payload", OUTPUTS)
def test_what_a_detached_hook_printed_is_in_its_end(payload: str, tmp_path: Path) -> None:
    """Its record follows the payload policy; no other place has the text."""
    hook = {"type": "command", "command": PRINTS, "async": True}
    values, member = OUTPUTS[payload]
    journal = Journal.open(str(tmp_path / "j"), payload=payload, environ={})
    with hookline.Engine.from_config(
        {"hooks": {"PostToolUse": [{"hooks": [hook]}]}}, dialect="claude-code", journal=journal
    ) as engine:
        engine.fire(
            "PostToolUse",
            {"session_id": "s", "tool_name": "Bash", "tool_input": {}, "tool_response": {}},
        )
    found = {record.get("phase", record["type"]): record for record in records(tmp_path / "j")}

    assert [found["finished"][name].get("value") for name in ("stdout", "stderr")] == values
    assert all(member in found["finished"][name] for name in ("stdout", "stderr"))
    assert "stdout" not in found["started"]


def test_an_end_before_the_decision_is_found_with_its_event(
    tmp_path: Path, journal: Journal
) -> None:
    """So is an end after the decision."""
    event, decision, spec_of = fired(lambda _: None)
    spec = spec_of(decision.verdicts[0].hook_id)
    journal.finished(event, spec, Verdict(), Outcome(), 1.0)
    journal.observe(event, decision, spec_of)
    journal.finished(event, spec, Verdict(), Outcome(), 2.0)
    early, _, decided, late = records(tmp_path / "j")

    assert (early["event"], late["event"]) == (decided["id"], decided["id"])
    assert (early["at"], early["hook"]) == ("1970-01-01T00:00:01.000Z", spec.id)


# -- a journal that cannot write -------------------------------------------------------------------


def test_a_fault_of_the_journal_changes_no_verdict_and_is_reported_once(tmp_path: Path) -> None:
    """In this test the folder is not safe."""
    told: list[str] = []
    (tmp_path / "j").mkdir()
    (tmp_path / "j").chmod(0o777)
    journal = Journal.open(str(tmp_path / "j"), tell=told.append)
    engine = hookline.Engine(journal=journal)
    engine.on("tool.before")(lambda _: hookline.deny("no"))
    decisions = [engine.fire("tool.before", SUDO) for _ in range(3)]

    assert [decision.stance for decision in decisions] == [hookline.Stance.DENY] * 3
    assert len(told) == 1
    assert "HKL6003" in told[0]
    assert [problem.name for problem in engine.problems] == ["journal.place"]
    assert journal.lost == 6


@pytest.mark.parametrize(
    "broken",
    [
        {"new_id": lambda: 1 / 0},
        {"clock": lambda: float("nan")},
        {"new_id": lambda: float("nan")},
    ],
)
def test_a_fault_of_a_part_is_reported_and_stops_nothing(
    broken: dict[str, object], tmp_path: Path
) -> None:
    """Whatever they raise."""
    told: list[str] = []
    journal = Journal.open(str(tmp_path / "j"), tell=told.append, **broken)
    journal.observe(*fired(lambda _: hookline.deny("no")))

    assert len(told) == 1
    assert "HKL6001" in told[0]


def test_a_failed_export_is_reported_and_the_record_is_kept(tmp_path: Path) -> None:
    """The record does not depend on the export."""
    told: list[str] = []

    def failing(*_: object) -> None:
        raise RuntimeError("no collector")

    journal = Journal.open(str(tmp_path / "j"), tell=told.append, exports=[failing])
    for _ in range(2):
        journal.observe(*fired(lambda _: None))

    assert checked(tmp_path / "j").records == 4
    assert [("HKL6010" in line, "no collector" in line) for line in told] == [(True, True)]


def test_without_log_files_only_the_exports_get_records() -> None:
    """For telemetry without a journal."""
    seen: list[object] = []
    journal = Journal(
        None, exports=[lambda event, decision, spec_of: seen.append((event, decision, spec_of))]
    )
    journal.observe(*fired(lambda _: None))
    journal.note("x")

    assert len(seen) == 1


_FULL = """
import json, resource, sys
import hookline
from hookline.journal.journal import Journal
told = []
engine = hookline.Engine(journal=Journal.open(sys.argv[1], tell=told.append))
engine.on("tool.before")(lambda _: hookline.deny("no"))
event = engine.event("tool.before", {"tool": "x", "input": {}})
engine.fire(event)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
stances = {engine.fire(event).stance.name for _ in range(20)}
full = len(told)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
engine.fire(event)
print(json.dumps([sorted(stances), full, told, engine.runtime.journal.lost]))
"""


@pytest.mark.process
@pytest.mark.parametrize("room", [5000, 5001, 6000, 7777])
def test_a_full_disk_changes_no_verdict(room: int, tmp_path: Path) -> None:
    """What fits is kept, a torn line is ended when there is room again, and one message says so."""
    done = subprocess.run(
        [sys.executable, "-c", _FULL, str(tmp_path / "j"), str(room)],
        env={"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
    told = done.stdout.strip()

    assert told.startswith('[["DENY"], 1, ["journal: HKL6001 hookline cannot write to')
    assert kind_of_break(tmp_path / "j") == ""
    assert sum(record["type"] == "event" for record in records(tmp_path / "j")) >= 2


@pytest.mark.process
@pytest.mark.skipif(
    os.geteuid() != 0 and not os.path.exists("/proc/self/status"),
    reason="needs a folder without write permission",
)
def test_a_folder_that_cannot_be_written_to_changes_no_verdict() -> None:
    """Not even to a user who may do everything: no file is made in /proc."""
    told: list[str] = []
    journal = Journal.open("/proc/self/hookline-journal", tell=told.append)
    event, decision, spec_of = fired(lambda _: hookline.deny("no"))
    journal.observe(event, decision, spec_of)
    journal.observe(event, decision, spec_of)

    assert len(told) == 1


def test_threads_share_one(tmp_path: Path, journal: Journal) -> None:
    """As in a program that embeds hookline."""
    event, decision, spec_of = fired(lambda _: None)
    threads = [
        threading.Thread(
            target=lambda: [journal.observe(event, decision, spec_of) for _ in range(25)]
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (kind_of_break(tmp_path / "j"), checked(tmp_path / "j").records) == ("", 200)


# -- where it is -----------------------------------------------------------------------------------


def test_it_is_in_the_folder_of_state(tmp_path: Path) -> None:
    """As the XDG rules say; a relative value is ignored."""
    home = str(tmp_path)

    assert default_folder({"HOME": home}) == f"{home}/.local/state/hookline/journal"
    assert default_folder({"HOME": home, "XDG_STATE_HOME": "/state"}) == "/state/hookline/journal"
    assert (
        default_folder({"HOME": home, "XDG_STATE_HOME": "state"})
        == f"{home}/.local/state/hookline/journal"
    )


def test_a_home_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    """A daemon without a home gets a message with a remedy."""
    with pytest.raises(JournalError, match="no home"):
        default_folder({"HOME": str(tmp_path / "none")})
