"""Samples of the specification's first edition: each front matter loads, each script runs."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from hookline import Engine, Stance
from hookline.cli.hook_documents import make_hooks_document
from hookline.core.dialect import Source
from hookline.dialects.agenthooks import AgentHooks
from hookline.model.spec import Broken
from tests.unit.dialects.agenthooks.samples import (
    AUTO_FORMAT,
    BASE,
    COMPLETE,
    END,
    ENFORCE_TESTS,
    LOGIC_1,
    LOGIC_3,
    LOGIC_5,
    PATTERN_1,
    PATTERN_2,
    PATTERN_3,
    PATTERN_4,
    PATTERN_5,
    RUN_SH,
    SAYS_ALLOW,
    SAYS_DENY,
    SECURITY_CHECK,
    START,
    STOP,
    SUBAGENT,
    TOOL,
    WITH_MATCHER,
    needs_tools,
    with_tool,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hookline.engine.runtime import Finished


@pytest.mark.parametrize(
    ("front", "trigger", "timeout", "rank", "detached", "problems"),
    [
        (SECURITY_CHECK, "before_tool", 30.0, -100, False, ["description.missing"]),
        (AUTO_FORMAT, "after_tool", 30.0, -100, True, ["description.missing"]),
        (WITH_MATCHER, "before_tool", 30.0, -100, False, ["description.missing"]),
        (ENFORCE_TESTS, "before_stop", 60.0, -999, False, []),
        (PATTERN_1, "before_tool", 5.0, -999, False, []),
        (PATTERN_2, "after_tool", 30.0, -100, True, ["frontmatter.escape"]),
        (PATTERN_3, "before_tool", 60.0, -100, False, []),
        (PATTERN_4, "session_end", 30.0, -100, True, []),
        (PATTERN_5, "before_stop", 120.0, -999, False, []),
        (COMPLETE, "before_tool", 5.0, -999, False, []),
    ],
    ids=[
        "3.1",
        "3.2",
        "4.1",
        "5.5",
        "pattern 1",
        "pattern 2",
        "pattern 3",
        "pattern 4",
        "pattern 5",
        "10.2",
    ],
)
def test_each_front_matter_loads_as_it_was_published(
    tmp_path: Path,
    *,
    front: str,
    trigger: str,
    timeout: float,
    rank: int,
    detached: bool,
    problems: list[str],
) -> None:
    """Nothing in it is refused; what it leaves out, or misspells, is a warning."""
    engine = Engine.load(written(tmp_path, front))
    (spec,) = engine.hooks

    assert (spec.native_event, spec.timeout, spec.rank, spec.detached) == (
        trigger,
        timeout,
        rank,
        detached,
    )
    assert [(problem.name, problem.severity) for problem in engine.problems] == [
        (name, "warning") for name in problems
    ]


@pytest.mark.parametrize(
    ("matcher", "tool", "tool_input", "selected"),
    [
        ('  tool: "Shell"', "Shell", {"command": "ls"}, True),
        ('  tool: "Shell"', "WriteFile", {"path": "Shell"}, False),
        (
            '  tool: "WriteFile"\n  pattern: "\\.(py|js|ts)$"',
            "WriteFile",
            {"path": "src/a.py", "content": "x = 1\n"},
            True,
        ),
        (
            '  tool: "WriteFile"\n  pattern: "\\.(py|js|ts)$"',
            "WriteFile",
            {"path": "src/a.pyc"},
            False,
        ),
        (
            '  tool: "Shell"\n  pattern: "(rm -rf|mkfs|dd if=/dev/zero)"',
            "Shell",
            {"command": "dd if=/dev/zero of=x"},
            True,
        ),
        (
            '  tool: "Shell"\n  pattern: "(rm -rf|mkfs|dd if=/dev/zero)"',
            "Shell",
            {"command": "rm -r x"},
            False,
        ),
        ('  pattern: "/etc/passwd|/var/www"', "ReadFile", {"path": "/etc/passwd"}, True),
        ('  pattern: "/etc/passwd|/var/www"', "ReadFile", {"path": "/etc/hosts"}, False),
    ],
)
@pytest.mark.process
@needs_tools
def test_each_matcher_selects_what_its_comment_says(
    tmp_path: Path, *, matcher: str, tool: str, tool_input: dict[str, Any], selected: bool
) -> None:
    """One tool, one kind of file, some words, some folders (docs/formats/agenthooks.md 5)."""
    front = SECURITY_CHECK.replace("async:", f"matcher:\n{matcher}\nasync:")
    engine = Engine.load(written(tmp_path, front, SAYS_DENY))
    decision = engine.fire(
        "before_tool", {**with_tool(tool, tool_input), "work_dir": str(tmp_path)}
    )

    assert (decision.stance is Stance.DENY) is selected


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("rm -rf /tmp/old-files", "Dangerous command blocked: rm -rf / would destroy the system"),
        ("mkfs /dev/sdb", "Dangerous command blocked: mkfs would destroy the system"),
        (
            "echo x; dd if=/dev/zero of=/dev/sdb",
            "Dangerous command blocked: dd if=/dev/zero would destroy the system",
        ),
        ("ls -la", ""),  # not selected
        ("echo x >:/dev/sda", ""),  # selected; the script does not look for it
        (
            "rm -rf /",
            "",
        ),  # its `\b` wants a letter after the slash; what a script does is its author's affair
        ('echo "x" && rm -rf /srv', "Dangerous command blocked: rm -rf / would destroy the system"),
    ],
)
@pytest.mark.process
@needs_tools
@pytest.mark.parametrize("mode", [0o755, 0o644])
def test_the_complete_example_does_what_its_script_says(
    tmp_path: Path, command: str, reason: str, mode: int
) -> None:
    """`grep` and `cut` find the command in the wire text, quotes in it or not.

    The executable bit does not matter (docs/formats/agenthooks.md 7).
    """
    engine = Engine.load(written(tmp_path, COMPLETE, RUN_SH, mode=mode))
    decision = engine.fire(
        "before_tool", {**with_tool("Shell", {"command": command}), "work_dir": str(tmp_path)}
    )

    assert (decision.stance, decision.reason) == (Stance.DENY if reason else Stance.SILENT, reason)
    assert [verdict.fault for verdict in decision.verdicts if verdict.fault] == []


@pytest.mark.parametrize(
    ("front", "script", "payload", "stance", "reason", "log"),
    [
        (SECURITY_CHECK, SAYS_ALLOW, TOOL, Stance.SILENT, "", ["Command validated"]),
        (SECURITY_CHECK, SAYS_DENY, TOOL, Stance.DENY,
         "Dangerous command blocked: rm -rf / would destroy the system", []),
        (WITH_MATCHER, SAYS_DENY, TOOL, Stance.DENY,
         "Dangerous command blocked: rm -rf / would destroy the system", []),
        (PATTERN_1, LOGIC_1, TOOL, Stance.DENY,
         "Dangerous command blocked: rm -rf / would destroy the system", []),
        (
            PATTERN_3, LOGIC_3, with_tool("Shell", {"command": "./deploy.sh --env prod"}),
            Stance.DENY,
            "This operation affects production environment and is not allowed", [],
        ),
        (PATTERN_3, LOGIC_3, with_tool("Shell", {"command": "./deploy.sh --env test"}),
         Stance.SILENT, "", []),
    ],
)  # fmt: skip
@pytest.mark.process
@needs_tools
def test_each_script_means_what_its_text_says(
    tmp_path: Path,
    front: str,
    script: str,
    payload: dict[str, Any],
    stance: Stance,
    reason: str,
    log: list[str],
) -> None:
    """A decision on stdout, or exit 2 with the reason on stderr (docs/formats/agenthooks.md 8).

    The host is replied in kind.
    """
    engine = Engine.load(written(tmp_path, front, script))
    sent = {**payload, "work_dir": str(tmp_path)}
    decision = engine.fire("before_tool", sent)
    reply = engine.answer("agenthooks", sent)

    assert (decision.stance, decision.reason, decision.effects.get("log", [])) == (
        stance,
        reason,
        log,
    )
    assert (reply.exit_code, reply.stderr) == ((2, f"{reason}\n") if reason else (0, ""))


@pytest.fixture
def desk(tmp_path: Path) -> Callable[[int, int], dict[str, str]]:
    """An environment in which `npm` and `black` are programs of ours that end with these codes."""

    def laid(npm: int, black: int) -> dict[str, str]:
        folder = tmp_path / "bin"
        folder.mkdir()
        for name, code in (("npm", npm), ("black", black)):
            (folder / name).write_text(
                f'#!/bin/sh\necho "{name} $*" in "$PWD"\nexit {code}\n', encoding="utf-8"
            )
            (folder / name).chmod(0o755)
        return {"PATH": f"{folder}:/usr/bin:/bin"}

    return laid


@pytest.mark.parametrize(
    ("npm", "black", "reason"),
    [
        (0, 0, ""),
        (1, 0, "Tests must pass before completing"),
        (0, 1, "Code is not formatted. Run 'black .' first"),
    ],
)
@pytest.mark.process
@needs_tools
def test_the_quality_gate_sends_the_agent_back(
    tmp_path: Path, desk: Callable[[int, int], dict[str, str]], npm: int, black: int, reason: str
) -> None:
    """It runs the project's own tools where the project is.

    What they print never reaches the model (docs/formats/agenthooks.md 8).
    """
    engine = Engine.load(written(tmp_path, PATTERN_5, LOGIC_5), environ=desk(npm, black))
    decision = engine.fire("before_stop", {**STOP, "work_dir": str(tmp_path)})

    assert (decision.stance, decision.reason, decision.redo) == (
        Stance.DENY if reason else Stance.SILENT,
        reason,
        bool(reason),
    )
    assert decision.for_agent == ()


@pytest.mark.process
@needs_tools
def test_the_gate_lets_the_agent_go_after_three_times(
    tmp_path: Path, desk: Callable[[int, int], dict[str, str]]
) -> None:
    """A gate that never opens is no endless loop.

    A new turn begins a new count (docs/formats/agenthooks.md 11).
    """
    engine = Engine.load(written(tmp_path, PATTERN_5, LOGIC_5), environ=desk(1, 0))
    stop = {**STOP, "work_dir": str(tmp_path)}
    tool = {**TOOL, "work_dir": str(tmp_path)}
    redone = [
        engine.fire("before_stop", stop).redo,
        engine.fire("before_tool", tool).redo,
        engine.fire("before_stop", stop).redo,
    ]
    third, fourth = engine.fire("before_stop", stop), engine.fire("before_stop", stop)
    engine.fire("before_agent", {**BASE, "event_type": "before_agent", "work_dir": str(tmp_path)})

    assert redone == [True, False, True]
    assert (third.redo, fourth.redo, fourth.stance) == (True, False, Stance.SILENT)
    assert any("3 times" in note for note in fourth.for_user)
    assert engine.fire("before_stop", stop).redo


@pytest.mark.parametrize(
    ("front", "payload", "runs"),
    [
        (AUTO_FORMAT, with_tool("WriteFile", {"path": "a.py"}, "after_tool"), True),
        (
            PATTERN_2,
            with_tool("WriteFile", {"path": "src/a.py", "content": "x"}, "after_tool"),
            True,
        ),
        (
            PATTERN_2,
            with_tool("WriteFile", {"path": "src/a.js", "content": "x"}, "after_tool"),
            False,
        ),
        (PATTERN_4, END, True),
    ],
    ids=["auto-format", "a Python file", "another file", "audit-log"],
)
@pytest.mark.process
@needs_tools
def test_what_is_asynchronous_is_not_waited_for_and_never_lost(
    tmp_path: Path, *, front: str, payload: dict[str, Any], runs: bool
) -> None:
    """It never decides, and `close` waits for it.

    Also after the session's end (docs/formats/agenthooks.md 9.5).
    """
    done: list[Finished] = []
    engine = Engine.load(written(tmp_path, front, "cat\nexit 2\n"), finished=done.append)
    decision = engine.fire(payload["event_type"], {**payload, "work_dir": str(tmp_path)})
    engine.close()

    assert decision.stance is Stance.SILENT
    assert [
        (
            each.outcome.exit_code,
            each.outcome.stdout.startswith(f'{{"event_type": "{payload["event_type"]}"'),
        )
        for each in done
    ] == ([(2, True)] if runs else [])


@pytest.mark.parametrize(
    "payload", [TOOL, SUBAGENT, START, END, STOP], ids=lambda payload: payload["event_type"]
)
@pytest.mark.process
@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not on this machine")
def test_each_payload_can_be_read_with_jq(tmp_path: Path, payload: dict[str, Any]) -> None:
    """Each field of the specification has its name and value (docs/formats/agenthooks.md 7)."""
    keys = sorted({*payload, "work_dir", "context"})
    script = f'jq -c "[{", ".join(f".{key}" for key in keys)}]" >"$AGENT_HOOK_DIR/seen"\n'
    hooks = written(tmp_path, SECURITY_CHECK.replace("before_tool", payload["event_type"]), script)
    Engine.load(hooks).fire(payload["event_type"], {**payload, "work_dir": str(tmp_path)})
    sent = {**payload, "work_dir": str(tmp_path), "context": {}}
    seen = (hooks / "security-check/seen").read_text(encoding="utf-8")

    assert json.loads(seen) == [sent[key] for key in keys]


def test_the_folders_of_the_complete_example_are_found(tmp_path: Path) -> None:
    """Two hooks of the user, and one of the project without approval (agenthooks.md 3)."""
    user, project = tmp_path / "config/agents/hooks", tmp_path / "my-project"
    for folder, front in (
        (user / "security-check", SECURITY_CHECK),
        (user / "notify-slack", PATTERN_4),
    ):
        folder.mkdir(parents=True)
        (folder / "HOOK.md").write_text(front, encoding="utf-8")
    own = project / ".agents/hooks/project-specific"
    own.mkdir(parents=True)
    (own / "HOOK.md").write_text(PATTERN_3, encoding="utf-8")
    environ = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "HOME": str(tmp_path / "home")}
    engine = Engine.discover(project, environ=environ, dialect="agenthooks")

    assert {spec.id: (spec.origin.scope, spec.trusted) for spec in engine.hooks} == {
        "~/agenthooks/security-check": ("user", True),
        "~/agenthooks/notify-slack": ("user", True),
        "agenthooks/project-specific": ("project", False),
    }


@pytest.mark.parametrize(
    "front",
    [
        SECURITY_CHECK,
        AUTO_FORMAT,
        WITH_MATCHER,
        ENFORCE_TESTS,
        PATTERN_1,
        PATTERN_2,
        PATTERN_3,
        PATTERN_4,
        PATTERN_5,
        COMPLETE,
        PATTERN_4.replace("name: audit-log", "name: Security Check"),
    ],
)
def test_each_front_matter_validates_without_errors(front: str) -> None:
    """In a folder of another name and without a script, as in docs/formats/agenthooks.md 3."""
    problems = AgentHooks().lint(Source(file="/h/notify-slack/HOOK.md", text=front))

    assert [problem.name for problem in problems if problem.severity == "error"] == []
    assert "entry.missing" in [problem.name for problem in problems]


@pytest.mark.parametrize("script", ["", "scripts/notify.sh", "check.sh"])
def test_a_hook_without_the_script_of_the_format_is_explained(tmp_path: Path, script: str) -> None:
    """It is not broken: the reason has the names that the format runs."""
    folder = tmp_path / "hooks/notify-slack"
    (folder / "scripts").mkdir(parents=True)
    (folder / "HOOK.md").write_text(PATTERN_4, encoding="utf-8")
    if script:
        (folder / script).write_text("exit 0\n", encoding="utf-8")

    (spec,) = Engine.load(tmp_path / "hooks").hooks
    (row,) = make_hooks_document(Engine.load(tmp_path / "hooks"), lambda _: True)["hooks"]

    assert isinstance(spec.handler, Broken)
    assert "it has no script yet" in row["why"]
    assert "`scripts/run.sh`" in row["why"]
    assert row["state"] == "incomplete"
