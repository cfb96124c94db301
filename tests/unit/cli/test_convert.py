"""`hookline convert`: what is printed, what is written, and what is refused."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.support import DOCKER

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.cli.support import Desk


def test_one_file_is_printed(desk: Desk) -> None:
    """The losses of the conversion are on standard error."""
    told = desk.type("convert", DOCKER, "--to", "claude-code")

    assert told.code == 0
    assert '"PreToolUse"' in told.out
    assert told.err.splitlines()[-1].startswith(
        "14 hooks written for claude-code, 8 hooks left out"
    )


def test_several_files_need_a_folder(desk: Desk) -> None:
    """Without one hookline prints nothing."""
    told = desk.type("convert", DOCKER, "--to", "agenthooks")

    assert (told.code, told.out) == (2, "")
    assert "say where to, with --output DIR" in told.err


def test_files_are_written_and_never_over_others(desk: Desk) -> None:
    """Only --force overwrites. Programs are executable."""
    assert desk.type("convert", DOCKER, "--to", "agenthooks", "--output", "out").code == 0
    runs = sorted((desk.folder / "out").glob("*/scripts/run"))
    runs[0].write_text("mine", encoding="utf-8")

    assert all(os.access(run, os.X_OK) for run in runs)
    refused = desk.type("convert", DOCKER, "--to", "agenthooks", "--output", "out")
    assert refused.code == 2
    assert "nothing was written" in refused.err
    assert runs[0].read_text(encoding="utf-8") == "mine"
    assert (
        desk.type("convert", DOCKER, "--to", "agenthooks", "--output", "out", "--force").code == 0
    )
    assert runs[0].read_text(encoding="utf-8").startswith("#!/bin/sh")


def test_what_cannot_be_written_leaves_nothing_behind(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No partial file, and no temporary one."""

    def full(_source: str, _target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    told = desk.type("convert", DOCKER, "--to", "kimi", "--output", "out")

    assert told.code == 2
    assert "HKL1009 cannot be written: no space left on device" in told.err
    assert [path for path in (desk.folder / "out").rglob("*") if path.is_file()] == []


def test_strict_refuses_any_loss(desk: Desk) -> None:
    """With nothing written and nothing printed."""
    told = desk.type("convert", DOCKER, "--to", "claude-code", "--strict", "--output", "out")

    assert (told.code, told.out) == (1, "")
    assert not (desk.folder / "out").exists()


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ((), "`--to` is missing"),
        (("--to", "kimi"), "name a file, or a dialect with --from"),
        (("nowhere.yaml", "--to", "kimi"), "no such file or folder"),
        ((DOCKER, "--to", "kimmi"), "did you mean `kimi`?"),
        ((DOCKER, "--to", "docker-agent"), "are written for docker-agent already"),
    ],
)
def test_a_mistake_is_told(words: tuple[str, ...], hint: str, desk: Desk) -> None:
    """The message says what to do."""
    told = desk.type("convert", *words)

    assert told.code == 2
    assert hint in told.err


def test_without_a_path_it_is_what_is_found_here(desk: Desk) -> None:
    """Of the one dialect."""
    desk.file(
        ".claude/settings.json",
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./x.sh"}]}]}}',
    )

    assert "./x.sh" in desk.type("convert", "--from", "claude-code", "--to", "codex").out
