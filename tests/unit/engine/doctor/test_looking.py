"""Looking: a trial approves nothing, and nothing of it is remembered."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from hookline.core.dispatch import Run
from hookline.engine.doctor.looking import Looking
from hookline.engine.engine import Engine
from hookline.engine.gating import gate
from hookline.model.event import Event
from hookline.model.outcome import Failure, Outcome
from hookline.trust import approve, turn
from hookline.trust.gate import Pass

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from hookline.trust import Gate


def _machine(folder: Path) -> tuple[Mapping[str, str], list[Run]]:
    """A user's own hook, and one of a project, each to be run."""
    project = folder / "project"
    for base in (folder, project):
        (base / ".claude").mkdir(parents=True)
        tree = {
            "hooks": {
                "PreToolUse": [
                    {"matcher": "Bash", "hooks": [{"type": "command", "command": "/bin/true"}]}
                ]
            }
        }
        (base / ".claude/settings.json").write_text(json.dumps(tree), encoding="utf-8")
    environ = {"HOME": str(folder), "PATH": os.environ["PATH"], "USER": "ada"}
    engine = Engine.discover(project, environ=environ, gate=_gate(folder, environ))
    event = Event(kind="tool.before", session_id="s", cwd=str(project))
    return environ, [Run(spec=spec, event=event) for spec in engine.hooks]


def _gate(folder: Path, environ: Mapping[str, str], **policy: str) -> Gate:
    return gate(folder / "project", environ, **policy)


@pytest.mark.parametrize(
    "policy", [{}, {"user_unknown": "warn", "project_unknown": "warn"}, {"project_unknown": "ask"}]
)
def test_what_is_not_approved_is_kept_and_no_store_is_made(
    policy: dict[str, str], tmp_path: Path
) -> None:
    """Whatever a policy lets run with a word, or takes for an approval: a trial is no use."""
    environ, runs = _machine(tmp_path)
    looking = Looking.of(_gate(tmp_path, environ, **policy))

    outcomes = [looking.admit(run) for run in runs]

    assert [each.failure for each in outcomes if isinstance(each, Outcome)] == [
        Failure.UNTRUSTED
    ] * 2
    assert not os.path.exists(looking.store.path)


def test_what_is_approved_passes_and_the_store_stays(tmp_path: Path) -> None:
    """It is run as it was approved; where it is switched off it is not, and nobody has been told of that."""
    environ, runs = _machine(tmp_path)
    real = _gate(tmp_path, environ)
    approve(real, [run.spec for run in runs], who="a test")
    approved = _bytes(real)
    passed = [Looking.of(real).admit(run) for run in runs]
    turn(real, on=False, who="a test")
    off = _bytes(real)
    kept = [Looking.of(real).admit(run) for run in runs]

    assert [type(each) for each in passed] == [Pass, Pass]
    assert [each.failure for each in kept if isinstance(each, Outcome)] == [
        Failure.SWITCHED_OFF
    ] * 2
    assert (approved != off, _bytes(real)) == (True, off)


def _bytes(given: Gate) -> bytes:
    with open(given.store.path, "rb") as file:
        return file.read()
