"""Planted faults: real files in people's formats, and what a checkup reports for each."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, NamedTuple

import pytest

from hookline import Engine
from hookline.engine.doctor.checkup import Checkup, run_checkup

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.process

_GOOD = "#!/bin/sh\ncat >/dev/null\n"
_NOISE = "#!/bin/sh\ncat >/dev/null\necho Checking...\necho '{}'\n"
_NOT_JSON = "#!/bin/sh\ncat >/dev/null\necho '{\"decision\": block}'\n"


class Fault(NamedTuple):
    """A hook with a fault.

    `command`: how it is written, where its format has commands; `count`: how often it is declared.
    """

    text: str | None = _GOOD
    mode: int = 0o755
    name: str = "run.sh"
    command: str = "{}"
    timeout: int = 5
    pattern: str = "rm -rf"
    count: int = 1


def _script(folder: Path, fault: Fault) -> Path:
    path = folder / fault.name
    path.parent.mkdir(parents=True, exist_ok=True)
    if fault.text is not None:
        path.write_text(fault.text, encoding="utf-8")
        path.chmod(fault.mode)
    return path


def _claude_code(folder: Path, fault: Fault) -> Path:
    command = fault.command.format(_script(folder, fault))
    hook = {"type": "command", "command": command, "timeout": fault.timeout, "onFailure": "block"}
    tree = {"hooks": {"PreToolUse": [{"matcher": fault.pattern, "hooks": [hook] * fault.count}]}}
    path = folder / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text(json.dumps(tree), encoding="utf-8")
    return path


def _starchild(folder: Path, fault: Fault) -> Path:
    command = fault.command.format(_script(folder / "config", fault))
    hook = {
        "event": "pre_tool_call",
        "matcher": fault.pattern,
        "command": command,
        "timeout": fault.timeout,
        "on_error": "closed",
    }
    path = folder / "config/shell_hooks.yaml"
    path.write_text(json.dumps({"hooks": [hook] * fault.count}), encoding="utf-8")
    return path


def _agenthooks(folder: Path, fault: Fault) -> Path:
    hooks = folder / ".agents/hooks"
    for at in range(fault.count):
        _script(hooks / f"guard-{at}/scripts", fault)
        sheet = {
            "name": f"guard-{at}", "description": "guards", "trigger": "pre-tool-call",
            "matcher": {"pattern": fault.pattern},
            "timeout": fault.timeout * 1000, "metadata": {"fail-mode": "closed"},
        }  # fmt: skip
        (hooks / f"guard-{at}/HOOK.md").write_text(
            f"---\n{json.dumps(sheet)}\n---\n", encoding="utf-8"
        )
    return hooks


_FORMATS = {"claude-code": _claude_code, "starchild": _starchild, "agenthooks": _agenthooks}


def _codes(found: Checkup) -> list[str]:
    """Every finding, by its code: of the hooks, then of the files."""
    return [each.code for hook in found.hooks for each in hook.findings] + [
        each.code for each in found.findings
    ]


def _everywhere(*codes: str) -> dict[str, list[str]]:
    return {name: list(codes) for name in _FORMATS}


# What is planted, and what is told in each format; a format that has no such fault is not listed.
_FAULTS: dict[str, tuple[Fault, dict[str, list[str]]]] = {
    "nothing": (Fault(), _everywhere()),
    "noise around an answer": (Fault(text=_NOISE), _everywhere("HKL7011")),
    "no json": (Fault(text=_NOT_JSON), _everywhere("HKL7010")),
    "too slow": (Fault(text="#!/bin/sh\nexec sleep 60\n", timeout=1), _everywhere("HKL7009")),
    "an interpreter that is not there": (Fault(text="#!/no/such/shell\n"), _everywhere("HKL7006")),
    "lines as another system ends them": (
        Fault(text="#!/bin/sh\r\ntrue\r\n"),
        _everywhere("HKL7006"),
    ),
    "no first line": (
        Fault(text="true\n", name="run"),
        {"claude-code": [], "starchild": ["HKL7004"], "agenthooks": ["HKL7004"]},
    ),
    "not executable": (
        Fault(mode=0o644),
        {"claude-code": ["HKL7007"], "starchild": ["HKL7007"], "agenthooks": []},
    ),
    "neither executable nor with a first line": (
        Fault(text="true\n", mode=0o644, name="run"),
        {
            "claude-code": ["HKL7007"],
            "starchild": ["HKL7007"],
            "agenthooks": ["HKL7008", "entry.not-executable", "hook.skipped"],
        },
    ),
    "not there": (
        Fault(text=None),
        {
            "claude-code": ["HKL7004"],
            "starchild": ["HKL7004"],
            "agenthooks": ["HKL1604", "entry.missing"],
        },
    ),
    "a relative path": (
        Fault(command="./run.sh"),
        {"claude-code": ["HKL7005"], "starchild": ["handler.relative-path"]},
    ),
    "declared twice": (
        Fault(count=2),
        {"claude-code": ["HKL7015"], "starchild": ["HKL7015"]},
    ),
    "a matcher that is none": (
        Fault(pattern="("),
        {
            "claude-code": ["HKL7008", "matcher.regex"],
            "starchild": ["HKL7008", "matcher.regex"],
            "agenthooks": ["HKL7008", "matcher.regex", "hook.skipped"],
        },
    ),
}
_ROWS = [
    pytest.param(_FORMATS[name], name, fault, told, id=f"{name}-{what}")
    for what, (fault, by_format) in _FAULTS.items()
    for name, told in by_format.items()
]


@pytest.mark.parametrize(("declare", "dialect", "fault", "told"), _ROWS)
def test_a_planted_fault_is_found_and_nothing_else(
    declare: Callable[[Path, Fault], Path],
    dialect: str,
    fault: Fault,
    told: list[str],
    tmp_path: Path,
) -> None:
    """The checkup finds its code once, and none in its twin without a fault."""
    from hookline.errors import CODES  # noqa: PLC0415 - only here are codes told by their names

    with Engine.load(
        declare(tmp_path, fault),
        dialect=dialect,
        cwd=tmp_path,
        environ={"PATH": os.environ["PATH"]},
    ) as engine:
        found = run_checkup(engine)

    assert _codes(found) == [CODES.get(each, each) for each in told]
    assert all(hook.findings or hook.verdict is not None for hook in found.hooks)
