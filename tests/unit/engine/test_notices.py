"""Notices: what the user reads beside the texts of hooks, and how often."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from hookline.engine.approval_service import approve
from hookline.engine.engine import Engine
from hookline.engine.lazy_gate import LazyGate
from hookline.engine.loader import explain_absence, list_hooks
from hookline.engine.notices import (
    NOT_ASKED,
    add_notice,
    add_notices,
    add_to_stderr,
    is_shown,
    list_lost,
)
from hookline.errors import CodecError
from hookline.model.verdict import Decision, Lowered, Reply, Stance, Verdict
from hookline.sessions.store import Sessions
from tests.unit.engine.notice_world import Clone, decided
from tests.unit.trust.support import hook

if TYPE_CHECKING:
    from pathlib import Path


GUARD = {"hooks": [{"type": "command", "command": "pwd >&2; exit 2"}]}


NO_FOLDER = "the working folder `/nowhere` does not exist, so hooks ran in"


@pytest.mark.process
def test_the_user_reads_once_a_session_that_a_folder_is_gone(tmp_path: Path) -> None:
    """The next event of the session needs no second notice."""
    engine = Engine(cwd=tmp_path)
    engine.add_source({"hooks": {"PreToolUse": [GUARD]}}, dialect="claude-code")
    call = {"tool_name": "Bash", "tool_input": {}, "cwd": "/nowhere", "session_id": "s"}

    first, second = (engine.fire("PreToolUse", call, dialect="claude-code") for _ in range(2))
    assert NO_FOLDER in first.for_user[0]
    assert (second.for_user, second.reason) == ((), str(tmp_path.resolve()))


def test_where_an_event_has_no_notices_the_loss_is_listed() -> None:
    """Kimi shows its user nothing at a stop."""
    engine = Engine()
    event = engine.event("Stop", {"session_id": "s"}, dialect="kimi")
    told = add_notice(engine.runtime, event, engine.fire(event), "a folder is gone")

    assert told.for_user == ()
    assert [(each.effect, each.reason) for each in told.lowered] == [
        (NOT_ASKED, "a folder is gone")
    ]


MINE, THEIRS = "exit 0", "exit 0 # theirs"


EVENTS = {
    "claude-code": ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}}),
    "gemini": ("BeforeTool", {"tool_name": "run_shell_command", "tool_input": {"command": "ls"}}),
    "copilot": ("preToolUse", {"toolName": "bash", "toolArgs": "{}"}),
}


FILES = {
    "claude-code": ".claude/settings.json",
    "gemini": ".gemini/settings.json",
    "copilot": ".github/copilot/settings.json",
}


USERS = FILES | {"copilot": ".copilot/settings.json"}


class SwitchedOff:
    """A home and a project, each with a hook on the same event of one host."""

    def __init__(self, folder: Path, host: str) -> None:
        self.host = host
        self.home, self.root = folder / "home", folder / "project"
        self.environ = {"HOME": str(self.home), "PATH": "/usr/bin:/bin"}
        self.sessions = Sessions(folder / "sessions")
        self.write(self.home / USERS[host], self.hooks(MINE))
        self.write(self.root / FILES[host], self.hooks(THEIRS))

    def hooks(self, command: str) -> dict[str, Any]:
        event = EVENTS[self.host][0]
        hook = {"type": "command", "command": command, "name": command}
        return {"hooks": {event: [hook] if self.host == "copilot" else [{"hooks": [hook]}]}}

    def write(self, path: Path, tree: object) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(tree), encoding="utf-8")
        path.chmod(0o644)

    def switch(self, where: str, tree: dict[str, Any]) -> None:
        """Switch hooks off in a settings file of the user, of the project, or of the user in it."""
        if where == "local":
            self.write(self.root / FILES[self.host].replace(".json", ".local.json"), tree)
        else:
            of_user = where == "user"
            path = self.home / USERS[self.host] if of_user else self.root / FILES[self.host]
            self.write(path, self.hooks(MINE if of_user else THEIRS) | tree)

    def engine(self) -> Engine:
        late = LazyGate(str(self.root), self.environ)
        return Engine.discover(self.root, environ=self.environ, gate=late, sessions=self.sessions)

    def fire(self, engine: Engine, session: str = "s") -> Decision:
        native, payload = EVENTS[self.host]
        keys = {
            "hook_event_name": native,
            "session_id": session,
            "sessionId": session,
            "cwd": str(self.root),
        }
        event = engine.event(native, payload | keys, dialect=self.host)
        return add_notices(engine.runtime, event, engine.fire(event))


ALL, OFF, NAMED = (
    {"disableAllHooks": True},
    {"hooksConfig": {"enabled": False}},
    {"hooksConfig": {"disabled": [MINE, THEIRS]}},
)


ROWS = [
    # host, what is said where, whose hooks are left
    ("claude-code", {"project": ALL}, {MINE}),
    ("claude-code", {"local": ALL}, {MINE}),
    ("claude-code", {"user": ALL}, set()),
    ("claude-code", {"user": ALL, "project": {"disableAllHooks": False}}, set()),
    ("claude-code", {"project": ALL, "local": {"disableAllHooks": False}}, {MINE, THEIRS}),
    ("claude-code", {"project": {"allowManagedHooksOnly": True}}, {MINE, THEIRS}),
    ("claude-code", {"user": {"allowManagedHooksOnly": True}}, {MINE, THEIRS}),
    ("gemini", {"project": OFF}, {MINE}),
    ("gemini", {"project": NAMED}, {MINE}),
    ("gemini", {"user": OFF}, set()),
    ("gemini", {"user": NAMED}, set()),
    ("copilot", {"project": ALL}, {MINE}),
    ("copilot", {"local": ALL}, {MINE}),
    ("copilot", {"user": ALL}, set()),
]


@pytest.mark.parametrize(
    ("host", "said", "left"),
    ROWS,
    ids=lambda value: value if isinstance(value, str) else json.dumps(value, default=sorted),
)
def test_which_hooks_a_file_switches_off(
    host: str, said: dict[str, dict[str, Any]], left: set[str], tmp_path: Path
) -> None:
    """A clone switches off its own hooks only, and a user all of them."""
    place = SwitchedOff(tmp_path, host)
    for where, tree in said.items():
        place.switch(where, tree)
    engine = place.engine()

    assert {spec.name for spec in engine.hooks if spec.dialect == host} == left


@pytest.mark.parametrize("host", EVENTS)
@pytest.mark.parametrize("where", ["project", "user"])
def test_a_session_is_told_once_and_by_which_file(host: str, where: str, tmp_path: Path) -> None:
    """In whatever process hooks run; the list of hooks tells it for each hook."""
    place = SwitchedOff(tmp_path, host)
    place.switch(where, OFF if host == "gemini" else ALL)
    engine = place.engine()
    file = str(place.home / USERS[host] if where == "user" else place.root / FILES[host])
    first, again, other = (
        place.fire(one, session)
        for one, session in ((engine, "s"), (place.engine(), "s"), (engine, "t"))
    )
    told = [
        [
            text
            for text in (*each.for_user, *(lost.reason for lost in each.lowered))
            if "HKL1604" in text
        ]
        for each in (first, again, other)
    ]

    assert [len(each) for each in told] == [1, 0, 1]
    assert f" in {file} switches " in told[0][0]
    gone = [spec for spec in list_hooks(engine.snapshot) if explain_absence(engine.snapshot, spec)]
    assert all(file in explain_absence(engine.snapshot, spec) for spec in gone)
    assert THEIRS in {spec.name for spec in gone}


def test_another_event_has_no_notice(tmp_path: Path) -> None:
    """At that event no hook is missing."""
    place = SwitchedOff(tmp_path, "claude-code")
    place.switch("project", ALL)
    engine = place.engine()
    event = engine.event(
        "Stop",
        {"hook_event_name": "Stop", "session_id": "s", "cwd": str(place.root)},
        dialect="claude-code",
    )

    assert add_notices(engine.runtime, event, engine.fire(event)).for_user == ()
    assert place.fire(engine).for_user != ()


def test_without_state_a_process_tells_it_once(tmp_path: Path) -> None:
    """Where no sessions are kept."""
    place = SwitchedOff(tmp_path, "claude-code")
    place.switch("project", ALL)
    engine = Engine.discover(
        place.root, environ=place.environ, gate=LazyGate(str(place.root), place.environ)
    )

    assert [any("HKL1604" in text for text in place.fire(engine).for_user) for _ in range(2)] == [
        True,
        False,
    ]


@pytest.fixture
def clone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Clone:
    """A project in which no hook is approved."""
    return Clone(tmp_path, monkeypatch, capfd)


GATE = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}


WATCH = {"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}


TYPO = {
    "hook_event_name": "PreToolUze",
    "session_id": "s",
    "cwd": "/",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
}


TOLD = (
    "HKL4002 unknown event `PreToolUze` of claude-code, so no hook was asked (did you mean "
    "`PreToolUse`?)"
)


def an_engine(
    tree: object = GATE, mode: str = "fidelity", sessions: Sessions | None = None
) -> Engine:
    """An engine with the hooks of one file of Claude Code."""
    engine = Engine(sessions=sessions, environ={})
    return engine.add_source(tree, dialect="claude-code", mode=mode)  # type: ignore[arg-type]


def test_no_hook_is_asked_and_the_notice_says_so() -> None:
    """In the decision, and to the user; nothing is blocked."""
    engine = an_engine()
    event = engine.host("claude-code").decode_event(TYPO)
    decision = add_notices(engine.runtime, event, engine.fire(event))

    assert decision.stance is Stance.SILENT
    assert decision.lowered == (Lowered(effect="event", reason=TOLD),)
    assert decision.for_user == (f"hookline: {TOLD}",)


def test_an_event_that_is_near_to_none_may_be_a_newer_one() -> None:
    """The hint names no other event."""
    reply = an_engine().answer("claude-code", TYPO | {"hook_event_name": "PreDream"})

    assert (
        "unknown event `PreDream` of claude-code, so no hook was asked (a newer version"
        in json.loads(reply.stdout)["systemMessage"]
    )


@pytest.mark.parametrize("lasting", [True, False])
def test_the_user_is_told_once(tmp_path: Path, *, lasting: bool) -> None:
    """In a session, whatever process answers.

    Where nothing outlives the process, by each of them.
    """
    sessions = [Sessions(tmp_path) if lasting else None for _ in range(2)]
    first, second = (an_engine(sessions=each) for each in sessions)
    told = [bool(engine.answer("claude-code", TYPO).stdout) for engine in (first, first, second)]

    assert told == [True, False, not lasting]


def test_a_process_with_a_full_memory_repeats_notices() -> None:
    """A process with a full memory repeats a notice rather than drop it."""
    engine = an_engine()
    names = [f"PreDream{number}" for number in range(300)]

    assert all(
        engine.answer("claude-code", TYPO | {"hook_event_name": name}).stdout for name in names
    )
    assert not engine.answer("claude-code", TYPO | {"hook_event_name": names[-1]}).stdout


@pytest.mark.parametrize(
    ("tree", "refused"), [(GATE, True), (WATCH, False), ({"hooks": {}}, False)]
)
def test_in_strict_mode_it_may_be_a_gate(tree: object, *, refused: bool) -> None:
    """If it can be one: an unknown event is refused."""
    engine = an_engine(tree, "strict")
    if not refused:
        assert TOLD in json.loads(engine.answer("claude-code", TYPO).stdout)["systemMessage"]
        return
    with pytest.raises(CodecError, match="may be a gate") as raised:
        engine.answer("claude-code", TYPO)
    assert (raised.value.code, raised.value.hint) == ("HKL4002", "did you mean `PreToolUse`?")


def test_an_event_with_a_listener_is_known() -> None:
    """A program may have hooks on an event that its host invented."""
    engine = an_engine()
    engine.on("x.claude-code.PreToolUze", tool="Read")(lambda _: None)

    assert engine.answer("claude-code", TYPO) == Reply()


WHY = Lowered(effect="deny", reason="the event cannot be refused", hook="h")


FAULT = Verdict(hook_id="h", stance=Stance.SILENT, fault="timed out after 1 s")


NOTED = Verdict(hook_id="h", stance=Stance.SILENT, for_user="a note")


@pytest.mark.parametrize(
    ("decision", "told"),
    [
        (decided(), []),
        (decided(lowered=(WHY,)), ["h answered `deny`: the event cannot be refused"]),
        (
            decided(lowered=(WHY.replace(effect="input", reason="r"),)),
            ["h would change the `input`: r"],
        ),
        (decided(lowered=(WHY.replace(effect="evidence"),)), []),
        (decided(FAULT), ["h: timed out after 1 s"]),
        (decided(FAULT.replace(shadow=True)), []),
        (decided(FAULT.replace(told=True)), []),
        (decided(NOTED), []),
        (decided(NOTED, lowered=(WHY.replace(effect="note"),)), ["h: a note"]),
    ],
)
def test_what_the_host_has_no_word_for_is_told(decision: Decision, told: list[str]) -> None:
    """Stances, changes, faults, and notes where there is no place for them."""
    assert list(list_lost(decision, Reply())) == told


def test_what_the_reply_shows_is_not_told_again() -> None:
    """On either stream, JSON's escapes included."""
    assert (
        list(
            list_lost(
                decided(FAULT.replace(fault='a "b"')), Reply(stdout='{"reason": "a \\"b\\""}')
            )
        )
        == []
    )
    assert list(list_lost(decided(FAULT), Reply(stderr="timed out after 1 s"))) == []


def test_lines_stand_beside_the_reply_once_and_visibly() -> None:
    """They follow the text of the reply."""
    assert add_to_stderr(Reply(), ()) == Reply()
    assert (
        add_to_stderr(Reply(stderr="x\n"), ["a\x1b", "a\x1b", "b"]).stderr
        == "x\nhookline: a\\x1b\nhookline: b\n"
    )


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("s.toml:1:1: HKL1101 unknown key `x` (did you mean `y`?)", True),
        ("s.toml:1:1: HKL1101 unknown key `x`", True),
        ("s.toml:2:1: HKL1101 unknown key `z`", False),
        ("HKL6003 `j` may be written to by others (chmod 700 j)", False),
    ],
)
def test_what_is_wrong_is_told_once(line: str, told: bool) -> None:
    """Hookline does not repeat a problem that the reply names already."""
    reply = Reply(
        stdout='{"systemMessage": "hookline: s.toml:1:1: HKL1101 unknown key `x`: nothing of it '
        'counts (did you mean `y`?)"}'
    )

    assert is_shown(reply, line) is told


@pytest.mark.process
def test_approvals_of_an_older_hookline_are_missed_at_each_action(clone: Clone) -> None:
    """Until the user approves a hook again (docs/explanation/trust.md)."""
    store = clone.store
    store.mkdir(parents=True, exist_ok=True)
    (store / "trust.db").write_text("")

    for _ in range(2):
        assert "`trust.db`" in "".join(clone.answer())
    gate = clone.gate()
    approve(gate, gate.find_states([hook("true")]))
    assert "`trust.db`" not in "".join(clone.answer())
