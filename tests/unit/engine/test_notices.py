"""Notices: what the user is told beside what hooks said, and how often."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hookline.cli.answer import answer_main
from hookline.engine.declared_hooks import explain_absence, list_hooks
from hookline.engine.engine import Engine
from hookline.engine.notices import (
    NOT_ASKED,
    add_notice,
    add_notices,
    add_to_stderr,
    is_shown,
    list_lost,
)
from hookline.engine.trust_gate import LazyGate
from hookline.errors import CodecError
from hookline.model.reply import Reply
from hookline.model.verdict import Decision, Lowered, Stance, Verdict
from hookline.sessions.store import Sessions
from hookline.trust.commands import approve, find_states
from tests.unit.trust.support import World, hook

if TYPE_CHECKING:
    from pathlib import Path

# -- single notices --------------------------------------------------------------------------------

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
    told = add_notice(engine.runtime, event, engine.fire(event), "hookline: a folder is gone")

    assert told.for_user == ()
    assert [(each.effect, each.reason) for each in told.lowered] == [
        (NOT_ASKED, "a folder is gone")
    ]


# -- hooks that a file switches off ----------------------------------------------------------------

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
        """Say something in a file beside its hooks: of the home, of the project, or of the person in the project."""
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
def test_whose_hooks_a_file_switches_off(
    host: str, said: dict[str, dict[str, Any]], left: set[str], tmp_path: Path
) -> None:
    """A clone its own, and nobody else's; a person all of them: as the host would, but for that."""
    place = SwitchedOff(tmp_path, host)
    for where, tree in said.items():
        place.switch(where, tree)
    engine = place.engine()

    assert {spec.name for spec in engine.hooks if spec.dialect == host} == left


@pytest.mark.parametrize("host", EVENTS)
@pytest.mark.parametrize("where", ["project", "user"])
def test_a_session_is_told_once_and_by_which_file(host: str, where: str, tmp_path: Path) -> None:
    """Whatever processes the hooks are asked by; and a list says it of each hook."""
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


def test_nothing_is_told_at_another_event(tmp_path: Path) -> None:
    """At which no hook is missing."""
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


# -- removed guards --------------------------------------------------------------------------------

DENIES = "#!/bin/sh\necho no >&2\nexit 2\n"
AT = "a hook of this project (`.claude/settings.json`, PreToolUse)"
REVIEW = "To review it: `hookline approve`"
MISSED = (
    "hookline: an approved guard is not declared any more: `./one.sh`."
    " To review what changed: `hookline approve`"
)


class Clone(World):
    """A project with two guards, whose host asks by `hookline answer`."""

    def __init__(
        self, folder: Path, patch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]
    ) -> None:
        super().__init__(folder)
        self.patch, self.capture = patch, capture
        self.file = self.project / ".claude/settings.json"
        (self.project / ".git").mkdir()
        self.file.parent.mkdir()
        for name in ("one.sh", "two.sh", "new.sh"):
            self.write_guard(name)
        for name in (
            "XDG_CONFIG_HOME",
            "CLAUDE_CONFIG_DIR",
            "CLAUDE_PROJECT_DIR",
            "HOOKLINE",
            "HOOKLINE_FIRING",
        ):
            patch.delenv(name, raising=False)
        for name in ("HOME", "XDG_STATE_HOME"):
            patch.setenv(name, self.environ[name])
        self.declare("./one.sh")

    def write_guard(self, name: str, more: str = "") -> None:
        """Write a script that denies."""
        self.script("x", path=self.project / name).write_text(DENIES + more, encoding="utf-8")

    def declare(
        self, *commands: str, matcher: str = "Bash", event: str = "PreToolUse", **fields: Any
    ) -> None:
        """Declare these commands, and no others."""
        hooks = [{"type": "command", "command": command, **fields} for command in commands]
        self.file.write_text(
            json.dumps({"hooks": {event: [{"matcher": matcher, "hooks": hooks}]}}), encoding="utf-8"
        )

    def approve(self) -> None:
        """Approve all that is declared."""
        gate = self.gate()
        engine = Engine.discover(self.project, environ=self.environ, gate=gate)
        approve(gate, find_states(gate, engine.hooks))

    def answer(self, *words: str, session: str = "s", tool: str = "Bash") -> tuple[str, str]:
        """Return the notice that the host shows, and what is decided."""
        call = {
            "hook_event_name": "PreToolUse",
            "session_id": session,
            "cwd": str(self.project),
            "tool_name": tool,
            "tool_input": {"command": "ls"},
        }
        stdin = io.TextIOWrapper(io.BytesIO(json.dumps(call).encode()), encoding="utf-8")
        self.patch.setattr(sys, "stdin", stdin)
        assert answer_main(["claude-code", *words]) == 0
        out = self.capture.readouterr().out
        said = json.loads(out) if out else {}
        specific = said.get("hookSpecificOutput", {})
        return said.get("systemMessage", ""), specific.get("permissionDecision", "")


@pytest.fixture
def clone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Clone:
    """A project in which no hook is approved."""
    return Clone(tmp_path, monkeypatch, capsys)


@pytest.mark.process
def test_a_changed_guard_asks_at_each_action_and_another_one_decides(clone: Clone) -> None:
    """Until both changed, the second one denies."""
    clone.declare("./one.sh", "./two.sh")
    clone.approve()
    assert clone.answer() == ("", "deny")

    clone.write_guard("one.sh", "#")
    assert clone.answer()[1] == "deny"
    clone.write_guard("two.sh", "#")
    assert [clone.answer()[1] for _ in range(2)] == ["ask", "ask"]


@pytest.mark.process
@pytest.mark.parametrize(
    "commands", [("./one.sh", "./new.sh"), ("./new.sh", "./one.sh")], ids=["after", "before"]
)
def test_a_new_hook_beside_an_approved_guard_changes_nothing(
    clone: Clone, commands: tuple[str, ...]
) -> None:
    """One notice a session, in strict mode too."""
    clone.approve()
    clone.declare(*commands)
    skipped = f"hookline skipped {AT} because you have not approved it. {REVIEW}"

    assert clone.answer() == (skipped, "deny")
    assert clone.answer() == ("", "deny")
    assert clone.answer("--mode", "strict", session="t") == (skipped, "deny")


@pytest.mark.process
@pytest.mark.parametrize(
    "change", ["narrowed", "edited", "another event", "another limit", "emptied", "deleted"]
)
def test_a_removed_guard_is_missed_at_each_action_of_its_kind(clone: Clone, change: str) -> None:
    """In strict mode the call waits for a person (docs/explanation/trust.md 4)."""
    clone.approve()
    {
        "narrowed": lambda: clone.declare("./one.sh", matcher="Edit"),
        "edited": lambda: clone.declare("./one.sh "),
        "another event": lambda: clone.declare("./one.sh", event="PostToolUse"),
        "another limit": lambda: clone.declare("./one.sh", timeout=7),
        "emptied": lambda: clone.file.write_text("{}", encoding="utf-8"),
        "deleted": clone.file.unlink,
    }[change]()

    for tool in ("Bash", "Bash", "Read"):
        note, decided = clone.answer(tool=tool)
        assert (MISSED.removeprefix("hookline: ") in note, decided) == (True, "")
    assert clone.answer("--mode", "strict")[1] == "ask"


@pytest.mark.process
@pytest.mark.parametrize("change", ["nothing", "reordered", "written otherwise", "one more"])
def test_what_a_pull_usually_does_removes_no_guard(clone: Clone, change: str) -> None:
    """While the approved hooks are all declared."""
    clone.declare("./one.sh", "./two.sh")
    clone.approve()
    {
        "nothing": bool,
        "reordered": lambda: clone.declare("./two.sh", "./one.sh"),
        "written otherwise": lambda: clone.file.write_text(
            json.dumps(json.loads(clone.file.read_text(encoding="utf-8")), indent=3),
            encoding="utf-8",
        ),
        "one more": lambda: clone.declare("./one.sh", "./two.sh", "./new.sh"),
    }[change]()
    note, decided = clone.answer()

    assert (decided, "not declared any more" in note) == ("deny", False)


@pytest.mark.process
def test_another_project_and_named_files_miss_no_guard(clone: Clone, tmp_path: Path) -> None:
    """An approval is of one project; who names a file looks for no others."""
    clone.approve()
    clone.file.unlink()
    (tmp_path / "x.json").write_text('{"hooks": {}}', encoding="utf-8")

    assert clone.answer("-c", str(tmp_path / "x.json")) == ("", "")
    clone.project = tmp_path / "other"
    (clone.project / ".git").mkdir(parents=True)
    assert clone.answer() == ("", "")


@pytest.mark.process
def test_where_nothing_was_approved_nothing_of_trust_is_loaded(clone: Clone) -> None:
    """An event without hooks stays fast."""
    clone.file.unlink()
    code = (
        "import sys; from hookline.cli.answer import answer_main; answer_main(['claude-code']);"
        " print([name for name in sys.modules"
        " if name in ('hookline.trust.gate', 'hookline.trust.resolver')])"
    )
    call = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(clone.project),
            "tool_name": "Bash", "tool_input": {}}  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(call),
        env=clone.environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert done.stdout == "[]\n"


def test_an_engine_without_a_gate_misses_no_guard(clone: Clone) -> None:
    """No approval counts there."""
    clone.approve()
    clone.file.unlink()
    engine = Engine.discover(clone.project, environ=clone.environ)
    call = {"tool_name": "Bash", "tool_input": {}, "cwd": str(clone.project), "session_id": "s"}

    assert engine.fire("PreToolUse", call, dialect="claude-code").for_user == ()


# -- unknown events --------------------------------------------------------------------------------

GATE = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}
WATCH = {"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}
TYPO = {
    "hook_event_name": "PreToolUze",
    "session_id": "s",
    "cwd": "/",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
}
TOLD = "HKL4002 unknown event `PreToolUze` of claude-code, so no hook was asked (did you mean `PreToolUse`?)"


def an_engine(
    tree: object = GATE, mode: str = "fidelity", sessions: Sessions | None = None
) -> Engine:
    """An engine with the hooks of one file of Claude Code."""
    return Engine(sessions=sessions, environ={}).add_source(tree, dialect="claude-code", mode=mode)  # type: ignore[arg-type]  # a tree


def test_nobody_is_asked_and_it_is_said() -> None:
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
    """In a session, whatever process answers; where nothing outlives the process, by each of them."""
    sessions = [Sessions(tmp_path) if lasting else None for _ in range(2)]
    first, second = (an_engine(sessions=each) for each in sessions)
    told = [bool(engine.answer("claude-code", TYPO).stdout) for engine in (first, first, second)]

    assert told == [True, False, not lasting]


def test_who_was_told_much_is_told_more() -> None:
    """What a process cannot remember any more is said again, and nothing is left list_lost."""
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
    """Where there is a gate at all: who cannot be asked about an event has not let it through."""
    engine = an_engine(tree, "strict")
    if not refused:
        assert TOLD in json.loads(engine.answer("claude-code", TYPO).stdout)["systemMessage"]
        return
    with pytest.raises(CodecError, match="may be a gate") as raised:
        engine.answer("claude-code", TYPO)
    assert (raised.value.code, raised.value.hint) == ("HKL4002", "did you mean `PreToolUse`?")


def test_an_event_that_somebody_listens_to_is_known() -> None:
    """A program may have hooks on what its host invented, under the name by which that passes."""
    engine = an_engine()
    engine.on("x.claude-code.PreToolUze", tool="Read")(lambda _: None)

    assert engine.answer("claude-code", TYPO) == Reply()


# -- what a host has no room for -------------------------------------------------------------------

WHY = Lowered(effect="deny", reason="the event cannot be refused", hook="h")
FAULT = Verdict(hook_id="h", stance=Stance.SILENT, fault="timed out after 1 s")
NOTED = Verdict(hook_id="h", stance=Stance.SILENT, for_user="a note")


def decided(*verdicts: Verdict, lowered: tuple[Lowered, ...] = ()) -> Decision:
    """A decision that some hooks led to."""
    return Decision(
        kind="tool.after",
        dialect="kimi",
        native_event="PostToolUse",
        verdicts=verdicts,
        lowered=lowered,
    )


@pytest.mark.parametrize(
    ("decision", "told"),
    [
        (decided(), []),
        (decided(lowered=(WHY,)), ["h said `deny`: the event cannot be refused"]),
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
    """After what is there already."""
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
    """Whoever else says it with what follows has said it."""
    reply = Reply(
        stdout='{"systemMessage": "hookline: s.toml:1:1: HKL1101 unknown key `x`: nothing of it counts (did you mean `y`?)"}'
    )

    assert is_shown(reply, line) is told


@pytest.mark.process
def test_approvals_of_an_older_hookline_are_missed_at_each_action(clone: Clone) -> None:
    """Until something is approved anew (docs/explanation/trust.md)."""
    store = clone.store
    store.mkdir(parents=True, exist_ok=True)
    (store / "trust.db").write_text("")

    for _ in range(2):
        assert "`trust.db`" in "".join(clone.answer())
    gate = clone.gate()
    approve(gate, find_states(gate, [hook("true")]))
    assert "`trust.db`" not in "".join(clone.answer())
