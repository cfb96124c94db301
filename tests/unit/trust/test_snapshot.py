"""Does a snapshot ever say anything but what the database says, whatever becomes of either of them?"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookline.errors import TrustError
from hookline.text.digest import sha256
from hookline.trust.snapshot import BESIDE, Known, keep, recalled, stamp_of, witness
from hookline.trust.store import Store
from tests.unit.trust.test_store import KILLS, approval, writer

if TYPE_CHECKING:
    from hookline.trust.approval import Approval

SOURCE = str(Path(__file__).parents[3] / "src")
# Times are settled for it: it is a minute later than when anything was written.
LATER = 60.0
HOOK = [("i", "guard.py")]


def asked(path: str, *, later: float = LATER) -> Known:
    """What a process that starts now is told."""
    return Store(path, alone=True, clock=lambda: time.time() + later).known()


def truth(path: str) -> Known:
    """What the database says."""
    return Store(path).known()


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A store with one approval, of which somebody made a snapshot."""
    path = str(tmp_path / "state/trust.db")
    Store(path).approve([approval()])
    asked(path)
    assert os.path.exists(f"{path}.known")
    return path


# -- what it spares ----------------------------------------------------------------------------------------------------


def test_a_process_that_asks_once_needs_no_database(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where another one asked since the last change."""
    monkeypatch.setattr(sqlite3, "connect", None)

    assert asked(path) == Known(approvals={"i": {"p": "c"}})


def test_a_snapshot_says_everything(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Approvals by place, where a project's hooks were declared, revocations, switches of projects and of single hooks."""
    store = Store(path)
    store.approve(
        [
            _cloned("old"),
            _cloned("new").replace(file="/p/other"),
            approval(identity="own").replace(file="/h/f", hook="h"),
        ]
    )
    store.approve([_cloned("new")], replaces=["old"])
    store.approve([approval(places="q"), approval(identity="gone")])
    store.revoke([("gone", "x")], "ada")
    store.turn("/a", "ada", on=False)
    store.turn_hooks("", [("single", "y")], "ada", on=False)
    said = asked(path)
    monkeypatch.setattr(sqlite3, "connect", None)

    assert asked(path) == said
    assert said == Known(
        approvals={
            "i": {"p": "c", "q": "c"},
            **{identity: {"p": "c"} for identity in ("old", "new", "own")},
        },
        revoked=frozenset({"gone"}),
        off=frozenset({"/a"}),
        hooks_off=frozenset({("", "single")}),
        declared={("/p", "d", "/p/f", "e"): frozenset({"new"})},
        replaced={("/p", "d", "/p/f", "e"): frozenset({"old"})},
    )


def _cloned(identity: str) -> Approval:
    return approval(identity=identity).replace(
        root="/p", dialect="d", file="/p/f", event="e", hook="h"
    )


def test_what_has_several_threads_makes_none_and_reads_none(tmp_path: Path) -> None:
    """To close the database's file would end the locks of a thread that writes to it."""
    path = str(tmp_path / "trust.db")
    Store(path).approve([approval()])
    Store(path, clock=lambda: time.time() + LATER).known()

    assert not os.path.exists(f"{path}.known")


def test_only_the_first_question_is_answered_by_one(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the second one there may be threads."""
    store = Store(path, alone=True)
    store.known()
    _revoked(path)
    asked(path)
    monkeypatch.setattr(sqlite3, "connect", None)
    assert asked(path).revoked == {"i"}

    with pytest.raises(TypeError):
        store.known()


def test_nobody_else_can_read_or_write_it(path: str) -> None:
    """As the database."""
    assert os.stat(f"{path}.known").st_mode & 0o777 == 0o600
    assert sorted(os.listdir(os.path.dirname(path))) == ["trust.db", "trust.db.known"]


def test_where_none_can_be_written_the_database_is_asked_every_time(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing is left of the attempt."""
    Store(path).revoke(HOOK, "ada")
    os.unlink(f"{path}.known")
    monkeypatch.setattr(os, "rename", _refused)

    assert [asked(path).revoked, asked(path).revoked] == [{"i"}, {"i"}]
    assert os.listdir(os.path.dirname(path)) == ["trust.db"]


def _refused(*_: str) -> None:
    raise OSError


def test_what_is_not_settled_is_not_written_down(tmp_path: Path) -> None:
    """What was written just now may be written again without a new time; so where a clock was set back, until it is later again."""
    path = str(tmp_path / "trust.db")
    Store(path).approve([approval()])

    assert asked(path, later=-LATER) == truth(path)
    assert not os.path.exists(f"{path}.known")


# -- what it must never say --------------------------------------------------------------------------------------------


def _revoked(path: str) -> None:
    Store(path).revoke(HOOK, "ada")


def _revoked_at_the_same_time(path: str) -> None:
    before = os.stat(path)
    _revoked(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _replaced(path: str) -> None:
    os.unlink(path)
    Store(path).revoke(HOOK, "ada")


def _replaced_by_its_like(path: str) -> None:
    """Another database of the same size, with the same count of transactions, at the old one's time."""
    before = os.stat(path)
    os.rename(path, f"{path}.old")
    Store(path).revoke(HOOK, "ada")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _gone(path: str) -> None:
    os.unlink(path)


def _switched_off(path: str) -> None:
    Store(path).turn("", "ada", on=False)


@pytest.mark.parametrize(
    "change",
    [_revoked, _revoked_at_the_same_time, _replaced, _replaced_by_its_like, _gone, _switched_off],
    ids=lambda each: each.__name__.strip("_"),
)
def test_what_was_changed_since_counts(path: str, change) -> None:
    """Whoever changed it, and whatever time the file has now."""
    change(path)

    assert asked(path) == truth(path) != Known(approvals={"i": {"p": "c"}})
    assert asked(path) == truth(path)


def test_a_database_that_changes_while_it_is_looked_at_has_no_witness(path: str) -> None:
    """Its header would be another's than its times."""
    before = stamp_of(os.stat(path))
    _revoked(path)

    assert witness(path, before) is None


def test_times_that_a_power_failure_lost_deceive_nobody(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bytes of a revocation reached the disk, its time did not: SQLite's own count of transactions tells it."""
    before = stamp_of(os.stat(path))
    _revoked(path)
    monkeypatch.setattr("hookline.trust.snapshot.stamp_of", lambda _: before)
    monkeypatch.setattr("hookline.trust.database.stamp_of", lambda _: before)

    assert asked(path).revoked == {"i"}


def test_a_home_that_was_copied_is_read_anew(path: str, tmp_path: Path) -> None:
    """To another machine, or back from a copy: the database in it may be older than its snapshot, or the other way round."""
    shutil.copytree(os.path.dirname(path), tmp_path / "copy", copy_function=shutil.copy2)
    copied = str(tmp_path / "copy/trust.db")
    seen = witness(path, stamp_of(os.stat(path)))
    other = witness(copied, stamp_of(os.stat(copied)))

    assert seen is not None
    assert other is not None
    assert (recalled(path, seen), recalled(copied, other)) == (truth(path), None)


@pytest.mark.parametrize("beside", BESIDE)
def test_while_something_lies_beside_the_database_it_is_asked(path: str, beside: str) -> None:
    """A journal may take back what the file says, and must be our own."""
    Path(f"{path}{beside}").touch(0o600)
    assert witness(path, stamp_of(os.stat(path))) is None

    os.chmod(f"{path}{beside}", 0o666)  # noqa: S103 - what must be noticed
    with pytest.raises(TrustError) as raised:
        asked(path)
    assert raised.value.name == "trust.exposed"


@pytest.mark.parametrize("mode", ["folder", "database"])
def test_what_others_may_write_has_no_snapshot(path: str, mode: str) -> None:
    """Where anybody can replace the one, anybody can replace the other."""
    os.chmod(os.path.dirname(path) if mode == "folder" else path, 0o777)  # noqa: S103 - what must be noticed

    with pytest.raises(TrustError) as raised:
        asked(path)
    assert raised.value.name == "trust.exposed"


def test_a_store_of_a_newer_version_is_refused_as_ever(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where its own snapshot lies beside it."""
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with monkeypatch.context() as newer:
        newer.setattr("hookline.trust.snapshot.SCHEMA", 99)
        seen = witness(path, stamp_of(os.stat(path)))
        assert seen is not None
        keep(path, seen, Known(approvals={"i": {"p": "c"}}))

    with pytest.raises(TrustError) as raised:
        asked(path)
    assert raised.value.name == "trust.newer"


# -- snapshots that are none -------------------------------------------------------------------------------------------


def _forged(path: str) -> None:
    """Signed and fitting, but not ours."""
    os.chmod(path, 0o666)  # noqa: S103 - what must be noticed


def _edited(path: str) -> None:
    text = Path(path).read_bytes()
    Path(path).write_bytes(text.replace(b'"c"', b'"d"'))


def _cut(path: str) -> None:
    with open(path, "r+b") as file:
        file.truncate(os.path.getsize(path) - 5)


def _empty(path: str) -> None:
    Path(path).write_bytes(b"")


def _zeroes(path: str) -> None:
    Path(path).write_bytes(b"\0" * os.path.getsize(path))


def _link(path: str) -> None:
    os.rename(path, f"{path}.real")
    os.symlink(f"{path}.real", path)


def _pipe(path: str) -> None:
    os.unlink(path)
    os.mkfifo(path, 0o600)


def _folder(path: str) -> None:
    os.unlink(path)
    os.mkdir(path)


def _others(path: str) -> None:
    os.chown(path, 65534, 65534)


def _of_another_form(path: str) -> None:
    told = {**json.loads(Path(path).read_bytes().partition(b"\n")[2]), "of": [0]}
    text = json.dumps(told).encode()
    Path(path).write_bytes(sha256(text).encode() + b"\n" + text)


SPOILT = [_forged, _edited, _cut, _empty, _zeroes, _link, _pipe, _folder, _of_another_form]


@pytest.mark.parametrize(
    "spoil",
    [*SPOILT, *([_others] if os.geteuid() == 0 else [])],
    ids=lambda each: each.__name__.strip("_"),
)
def test_what_is_no_snapshot_of_ours_is_as_if_it_were_not_there(path: str, spoil) -> None:
    """It says something else here than the database, which is asked; then there is a good one again, where one can be."""
    seen = witness(path, stamp_of(os.stat(path)))
    assert seen is not None
    keep(path, seen, Known(approvals={"other": {"p": "c"}}))
    assert asked(path).approvals == {"other": {"p": "c"}}, (
        "it would count, if it were left as it is"
    )
    spoil(f"{path}.known")

    assert asked(path) == truth(path)
    assert os.path.isdir(f"{path}.known") or recalled(path, seen) == truth(path)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(min_value=0), byte=st.integers(min_value=0, max_value=255))
def test_no_byte_of_it_can_be_another(path: str, at: int, byte: int) -> None:
    """Whatever a disk makes of it."""
    seen = witness(path, stamp_of(os.stat(path)))
    assert seen is not None
    keep(path, seen, truth(path))
    data = bytearray(Path(f"{path}.known").read_bytes())
    data[at % len(data)] = byte
    Path(f"{path}.known").write_bytes(bytes(data))

    assert recalled(path, seen) in (None, truth(path))


# -- others, meanwhile -------------------------------------------------------------------------------------------------


class _Between:
    """A clock by which something happens between the look at the database and what is read of it."""

    def __init__(self, act) -> None:
        self.act = act

    def __call__(self) -> float:
        act, self.act = self.act, None
        if act is not None:
            act()
        return time.time() + LATER


def test_a_revocation_while_a_snapshot_is_made_is_in_no_old_one(path: str) -> None:
    """Who looked before it and read after it writes nothing down; who read before it and writes after it is not believed."""
    os.unlink(f"{path}.known")
    old = witness(path, stamp_of(os.stat(path)))
    before = truth(path)
    assert old is not None

    assert Store(path, alone=True, clock=_Between(lambda: _revoked(path))).known().revoked == {"i"}
    assert not os.path.exists(f"{path}.known")

    keep(path, old, before)
    assert asked(path).revoked == {"i"}


_READER = """
import sys, time
sys.path.insert(0, {source!r})
from hookline.trust.store import Store
print("ready", flush=True)
while True:
    Store({path!r}, alone=True, clock=lambda: time.time() + 60).known()
"""


@pytest.mark.process
def test_a_kill_at_any_moment_leaves_no_snapshot_of_something_else(tmp_path: Path) -> None:
    """Of a reader that makes them, while another process approves and revokes; of which some are killed as well."""
    path = str(tmp_path / "trust.db")
    Store(path).approve([approval()])
    seed = random.randrange(1 << 32)  # noqa: S311 - a moment, no secret
    chance = random.Random(seed)  # noqa: S311 - as above
    for kill in range(max(10, KILLS // 8)):
        writing = writer(path, kill * 1000, kill * 1000 + 1000)
        reading = subprocess.Popen(
            [sys.executable, "-S", "-c", _READER.format(source=SOURCE, path=path)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for child, lines in ((reading, 1), (writing, chance.randrange(1, 6))):
            assert child.stdout is not None
            for _ in range(lines):
                child.stdout.readline()
        for child in chance.sample([reading, writing], 2):
            child.send_signal(signal.SIGKILL)
            child.wait()
            assert child.stdout is not None
            child.stdout.close()
        seen = witness(path, stamp_of(os.stat(path)))
        assert seen is None or recalled(path, seen) in (None, truth(path)), (
            f"seed {seed}, kill {kill}"
        )
        # The first may have to play a journal back, the second writes down what the third recalls.
        assert [asked(path) for _ in range(3)] == [truth(path)] * 3, f"seed {seed}, kill {kill}"
        seen = witness(path, stamp_of(os.stat(path)))
        # A journal that was only begun stays until somebody writes, and until then nobody is sure.
        assert (
            recalled(path, seen) == truth(path)
            if seen is not None
            else os.path.lexists(f"{path}-journal")
        )


# -- laws --------------------------------------------------------------------------------------------------------------

_NAMES = st.sampled_from(["a", "b"])
_ACTS = st.one_of(
    st.builds(lambda name: lambda path: Store(path).approve([approval(identity=name)]), _NAMES),
    st.builds(lambda name: lambda path: Store(path).revoke([(name, "")], "ada"), _NAMES),
    st.builds(
        lambda name, on: lambda path: Store(path).turn(f"/{name}", "ada", on=on),
        _NAMES,
        st.booleans(),
    ),
    st.builds(
        lambda name, on: lambda path: Store(path).turn_hooks("", [(name, "")], "ada", on=on),
        _NAMES,
        st.booleans(),
    ),
    st.builds(lambda name: lambda path: Store(path).told(name, "x"), _NAMES),
    st.builds(lambda at: lambda path: os.utime(path, (at, at)), st.sampled_from([0, 1e9])),
)


@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(acts=st.lists(_ACTS, max_size=6))
def test_whatever_was_done_the_next_process_is_told_the_truth(path: str, acts) -> None:
    """The first time, and when a snapshot may answer."""
    for act in acts:
        act(path)
        assert [asked(path), asked(path)] == [truth(path)] * 2


# -- the command -------------------------------------------------------------------------------------------------------

_ANSWER = """
import sys
sys.path.insert(0, {source!r})
sys.argv = ["hookline", "answer", "claude-code"]
from hookline.__main__ import main
try:
    main()
except SystemExit as ended:
    assert not ended.code
print("sqlite3" in sys.modules, file=sys.stderr)
"""
_MOST_RUNS = 50  # until the first use of a hook is so long ago that its time is settled


@pytest.mark.process
def test_an_event_with_an_approved_hook_never_loads_the_database(tmp_path: Path) -> None:
    """Neither for its approval nor for a switch, nor for what its session was told."""
    hooks = {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text(json.dumps({"hooks": hooks}), encoding="utf-8")
    event = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {},
        "session_id": "s",
        "cwd": "/",
    }
    environ = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}

    def loads() -> bool:
        words = [sys.executable, "-c", _ANSWER.format(source=SOURCE)]
        done = subprocess.run(
            words, input=json.dumps(event), env=environ, capture_output=True, text=True, check=True
        )
        assert done.stdout == "", "the hook says nothing, and about it there is nothing to say"
        return done.stderr.splitlines()[-1] == "True"

    assert loads(), "its first use is an approval"
    assert any(not loads() for _ in range(_MOST_RUNS))
    assert truth(f"{tmp_path}/.local/state/hookline/trust.db").approvals
