"""`hookline doctor`: what is tried, what is mended, and whose files are left alone."""

from __future__ import annotations

import io
import json
import os
import sys
from typing import TYPE_CHECKING

import pytest

from hookline.cli.doctor import Progress, fix_finding
from hookline.engine.doctor.static_checks import Finding
from hookline.model.spec import Command, HookSpec
from tests.unit.cli.support import Terminal
from tests.unit.cli.test_schema import check as holds

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.unit.cli.support import Desk


def _file(folder: Path, mode: int) -> Path:
    path = folder / "a hook.sh"
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(mode)
    return path


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("check.not-executable", 0o644, 0o755),
        ("check.not-executable", 0o600, 0o700),
        ("check.exposed", 0o777, 0o755),
        ("check.noise", 0o644, 0o644),
    ],
)
def test_a_mode_is_mended(name: str, before: int, after: int, tmp_path: Path) -> None:
    """Only where the mode is what is wrong, and for no more people than may read the file."""
    path = _file(tmp_path, before)
    said = fix_finding(Finding(name=name, message="", path=str(path)))

    assert path.stat().st_mode & 0o777 == after
    assert said == ("" if before == after else f"chmod {after:o} {path}")


def test_words_of_a_hint_name_no_file(tmp_path: Path) -> None:
    """Only the file that was checked is repaired, not a path in a hook's command."""
    path = _file(tmp_path, 0o644)

    assert (
        fix_finding(Finding(name="check.not-executable", message="", hint=f"chmod +x {path}")) == ""
    )
    assert path.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("what", ["link", "folder", "pipe", "nothing"])
def test_what_is_no_file_is_left_alone(what: str, tmp_path: Path) -> None:
    """Neither the target of a link, nor a folder or pipe of that name."""
    target, path = _file(tmp_path, 0o644), tmp_path / "other"
    {
        "link": lambda: path.symlink_to(target),
        "folder": path.mkdir,
        "pipe": lambda: os.mkfifo(path),
        "nothing": lambda: None,
    }[what]()

    assert fix_finding(Finding(name="check.not-executable", message="", path=str(path))) == ""
    assert target.stat().st_mode & 0o777 == 0o644


def test_a_file_of_two_hooks_is_mended_once(tmp_path: Path) -> None:
    """For the second hook nothing is left to repair or to report."""
    finding = Finding(name="check.not-executable", message="", path=str(_file(tmp_path, 0o644)))

    assert [bool(fix_finding(finding)), fix_finding(finding)] == [True, ""]


# -- real files, from their declaration to their approval ------------------------------------------

GUARD = "#!/bin/sh\ncat >/dev/null\necho ran >> {0}\n"
STORE = "home/.local/state/hookline/approvals"


def _read_store(desk: Desk) -> dict[str, bytes]:
    """The files of all approvals."""
    found = (desk.folder.parent / STORE).rglob("*.json")
    return {str(each): each.read_bytes() for each in found}


def _groups(event: str, matcher: str) -> Callable[[str], str]:
    return lambda command: json.dumps(
        {
            "hooks": {
                event: [{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}]
            }
        }
    )


# By dialect: where a file is found that declares a hook with a condition, and that file.
DECLARED: dict[str, tuple[str, Callable[[str], str]]] = {
    "claude-code": ("here/.claude/settings.json", _groups("PreToolUse", "Bash")),
    "codex": ("here/.codex/hooks.json", _groups("PreToolUse", "Bash")),
    "gemini": ("here/.gemini/settings.json", _groups("BeforeTool", "write_.*")),
    "docker-agent": (
        "home/.config/cagent/hooks.d/a.yaml",
        _groups("pre_tool_use", "shell|edit_file"),
    ),
    "kimi": (
        "home/.kimi/config.toml",
        lambda path: f'[[hooks]]\nevent = "PreToolUse"\nmatcher = "Shell"\ncommand = "{path}"\n',
    ),
    "cursor": (
        "here/.cursor/hooks.json",
        lambda path: json.dumps(
            {
                "version": 1,
                "hooks": {"beforeShellExecution": [{"command": path, "matcher": "rm -rf"}]},
            }
        ),
    ),
    "copilot": (
        "here/.github/hooks/a.json",
        lambda path: json.dumps(
            {
                "version": 1,
                "hooks": {"preToolUse": [{"type": "command", "bash": path, "matcher": "bash"}]},
            }
        ),
    ),
    "starchild": (
        "here/config/shell_hooks.yaml",
        lambda path: json.dumps(
            {"hooks": [{"event": "pre_tool_call", "matcher": "rm -rf", "command": path}]}
        ),
    ),
    "hermes": (
        "home/.hermes/config.yaml",
        lambda path: json.dumps(
            {"hooks": {"pre_tool_call": [{"matcher": "terminal", "command": path}]}}
        ),
    ),
    "agenthooks": (
        "here/.agents/hooks/guard/HOOK.md",
        lambda _: (
            "---\nname: guard\ndescription: guards\ntrigger: pre-tool-call\n"
            "matcher: {tool: Shell, pattern: rm -rf}\n---\n"
        ),
    ),
}


def _declare(desk: Desk, dialect: str, mode: int = 0o755) -> tuple[Path, Path]:
    """Declare a guard by a real file; the guard, and where it leaves its mark."""
    base = desk.folder.parent
    place, text = DECLARED[dialect]
    path, mark = base / place, base / "mark"
    guard = path.parent / "scripts/run.sh"
    guard.parent.mkdir(parents=True)
    guard.write_text(GUARD.format(mark), encoding="utf-8")
    guard.chmod(mode)
    path.write_text(text(str(guard)), encoding="utf-8")
    return guard, mark


@pytest.mark.process
@pytest.mark.parametrize("dialect", DECLARED)
def test_an_approved_hook_with_a_condition_is_run_and_nothing_is_written_down(
    dialect: str, desk: Desk
) -> None:
    """Before its approval it is not run, and that leaves no store.

    After it, it is, and the store is the same to the byte.
    """
    _, mark = _declare(desk, dialect)
    store = desk.folder.parent / STORE

    before = desk.type("doctor", "--json").document
    untouched = (mark.exists(), store.exists())
    desk.type("approve", "--all", "--yes")
    approved = _read_store(desk)
    told = desk.type("doctor", "--json")

    assert [(hook["state"], hook["asked"]) for hook in before["hooks"]] == [("new", False)]
    assert untouched == (False, False)
    assert [(hook["state"], hook["asked"], hook["stance"]) for hook in told.document["hooks"]] == [
        ("approved", True, "silent")
    ]
    assert (told.code, mark.read_text(encoding="utf-8")) == (0, "ran\n")
    assert "1 hook, 1 ran, the slowest in " in told.err
    assert _read_store(desk) == approved
    assert (
        len(desk.type("log", "--json", "--event", "approval").out.splitlines()) == 1
    )  # the approval's own


@pytest.mark.process
@pytest.mark.parametrize("dialect", ["claude-code", "starchild", "docker-agent"])
def test_what_doctor_mends_is_as_it_was_approved(dialect: str, desk: Desk) -> None:
    """After `--fix` and after `chmod` the hook runs without a new approval."""
    guard, mark = _declare(desk, dialect)
    desk.type("approve", "--all", "--yes")
    guard.chmod(0o644)

    before = desk.type("doctor", "--json").document
    untouched = mark.exists()
    fixed = desk.type("doctor", "--fix", "--json").document

    assert [(hook["state"], hook["asked"]) for hook in before["hooks"]] == [("changed", False)]
    assert ("HKL7007" in str(before), untouched) == (True, False)
    assert fixed["fixed"] == [f"chmod 755 {guard}"]
    assert [(hook["state"], hook["asked"]) for hook in fixed["hooks"]] == [("approved", True)]
    assert mark.exists()


@pytest.mark.process
@pytest.mark.parametrize("dialect", ["claude-code", "starchild", "docker-agent"])
def test_what_others_may_write_is_told_in_the_same_words_everywhere(
    dialect: str, desk: Desk
) -> None:
    """List, review and doctor say the same. `--fix` repairs an approved script only."""
    guard, mark = _declare(desk, dialect)
    desk.type("approve", "--all", "--yes")
    guard.chmod(0o757)
    listed, shown = (
        desk.type("list", "--json").document["hooks"][0],
        desk.type("approve", "--all", "-n"),
    )
    (looked,) = desk.type("doctor", "--json").document["hooks"]

    words = "is writable by all users now"
    assert (listed["standing"], words in listed["why"], words in shown.out) == (
        "changed",
        True,
        True,
    )
    assert [
        (each["code"], words in each["message"])
        for each in looked["findings"]
        if each["severity"] == "error"
    ][-1:] == [("HKL7019", False)]
    assert (looked["state"], mark.exists()) == ("changed", False)

    (mended_one,) = (fixed := desk.type("doctor", "--fix", "--json").document)["hooks"]
    assert (fixed["fixed"], mended_one["state"], mended_one["asked"]) == (
        [f"chmod 755 {guard}"],
        "approved",
        True,
    )

    guard.write_text(GUARD.format(mark) + "#", encoding="utf-8")
    guard.chmod(0o757)
    (still,) = desk.type("doctor", "--fix", "--json").document["hooks"]
    assert (guard.stat().st_mode & 0o777, still["state"]) == (0o757, "changed")


@pytest.mark.process
def test_a_hook_that_is_switched_off_is_not_asked(desk: Desk) -> None:
    """One by one or all of them: nothing runs, each is told of, and the store stays as it is."""
    _, mark = _declare(desk, "claude-code")
    desk.type("approve", "--all", "--yes")
    desk.type("off")
    store = _read_store(desk)
    told = desk.type("doctor")

    assert "HKL7001 warning: it is switched off" in told.out
    assert (told.code, "1 hook, 0 ran: " in told.err, mark.exists()) == (1, True, False)
    assert _read_store(desk) == store


@pytest.mark.process
def test_what_many_hooks_have_in_common_is_told_once(desk: Desk) -> None:
    """A warning in the same words is one line, which names the hooks.

    An error stands at its own hook.
    """
    commands = ["true", "cat", "/no/such/guard"]
    groups = [{"hooks": [{"type": "command", "command": each}]} for each in commands]
    desk.file("hooks.json", json.dumps({"hooks": {"PreToolUse": groups, "Stop": groups[:1]}}))
    told = desk.type("doctor", "-c", "hooks.json", "--dialect", "claude-code")
    document = desk.type(
        "doctor", "-c", "hooks.json", "--dialect", "claude-code", "--json"
    ).document

    lines = [line for line in told.out.splitlines() if "HKL7013" in line]
    assert len(lines) == 1
    ids = [hook["hook"] for hook in document["hooks"]]
    assert lines[0].startswith(f"{', '.join(ids[:3])}: HKL7013 warning: ")
    assert f"{ids[2]}: HKL7004 " in told.out
    assert told.err.splitlines()[0].startswith("running 4 hooks on harmless events, for up to ")
    assert told.err.endswith(": 1 error, 1 warning\n")
    assert [
        [each["code"] for each in hook["findings"]].count("HKL7013") for hook in document["hooks"]
    ] == [1, 1, 1, 0]


@pytest.mark.process
@pytest.mark.parametrize("options", [(), ("--fix",)])
def test_its_document_holds_to_its_schema(options: tuple[str, ...], desk: Desk) -> None:
    """With every kind of row: asked, not approved, broken, mended."""
    _declare(desk, "claude-code", mode=0o644)
    desk.type("approve", "--all", "--yes")
    (desk.folder / "config").mkdir()
    (desk.folder / "config/shell_hooks.yaml").write_text(
        '{"hooks": [{"event": "on_stop", "command": "true"}, {"event": "pre_tool_call"}]}'
    )
    told = desk.type("doctor", "--json", *options)

    assert told.code == 1
    assert ("fixed" in told.document) == bool(options)
    holds(told.document, "checkup")


def test_progress_is_shown_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """It fits one line, and is removed at the end. Only a long checkup is announced."""
    monkeypatch.setenv("COLUMNS", "40")
    specs = [
        HookSpec(
            id=f"hooks.json#{name}",
            dialect="codex",
            kind="stop",
            native_event="Stop",
            handler=Command(script="x"),
        )
        for name in ("short", "a long name of a hook that does not fit")
    ]
    for is_terminal in (False, True):
        stream = Terminal() if is_terminal else io.StringIO()
        monkeypatch.setattr(sys, "stderr", stream)
        progress = Progress(5.0)
        for number in range(len(specs)):
            progress.show(specs, number)
        progress.clear()
        lines = stream.getvalue().split("\r\x1b[K")

        assert len(lines) == (4 if is_terminal else 1)
        assert max(map(len, lines)) < 40
        if is_terminal:
            assert lines[1] == "[1/2] hooks.json#short, up to 5 s"
    long = Progress(60.0)
    for number in range(len(specs)):
        long.show([each.replace(timeout=50.0) for each in specs], number)

    assert stream.getvalue().count("running 2 hooks on harmless events, for up to 100 s") == 1


def test_a_file_that_is_not_there_is_no_finding(desk: Desk) -> None:
    """A wrong name on the command line is a usage error."""
    assert desk.type("doctor", "-c", "nowhere.yaml").code == 2


def test_nothing_to_look_at_is_all_well(desk: Desk) -> None:
    """No hooks, no findings."""
    assert desk.type("doctor").code == 0


@pytest.mark.parametrize(
    "words", [("doctor",), ("approve", "--all"), ("on",), ("list",)], ids=" ".join
)
def test_wrong_settings_are_told_once(words: tuple[str, ...], desk: Desk) -> None:
    """Each command that reads them ends with the same code."""
    desk.file("../home/.config/hookline/settings.toml", "[journal]\npayloda = 1\n")
    desk.file(
        "../home/.claude/settings.json",
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}',
    )
    told = desk.type(*words)

    assert told.code == 2
    assert (told.err.count("HKL1101"), told.err.count("\n")) == (1, 1)
