"""What a real bash runs, the reader finds, or says that it does not know."""

from __future__ import annotations

import shutil

import pytest
from hypothesis import HealthCheck, given, settings

from hookline.text.script.evaluate import read_shell
from tests.unit.text.script.bash import Bash
from tests.unit.text.script.lines import ROWS, list_single, shell_lines

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(not shutil.which("bash"), reason="it compares with bash"),
]
SLOW = (HealthCheck.too_slow, HealthCheck.function_scoped_fixture)


def accounts_for_zap(line: str) -> bool:
    """Return whether the reading has a call of `zap`, an unknown program, or a gap with a cause."""
    reading = read_shell(line, cwd="/p", home="/home/ann")
    programs = [call.program for call in reading.calls if call.words]
    return bool(reading.unverified) or "zap" in programs or "" in programs


@pytest.fixture(scope="module")
def bash(tmp_path_factory: pytest.TempPathFactory) -> Bash:
    return Bash(tmp_path_factory.mktemp("bash"))


@pytest.mark.parametrize("line", list(list_single()))
def test_each_disguise_is_seen_through(line: str) -> None:
    """By itself; those that do not run `zap` do not hide it either."""
    assert accounts_for_zap(line)


def test_most_spellings_run_it(bash: Bash) -> None:
    """So the comparison compares something."""
    assert sum(map(bash.runs_zap, ROWS["spellings"])) > len(ROWS["spellings"]) - 3


@given(line=shell_lines())
@settings(deadline=None, max_examples=100, suppress_health_check=SLOW)
def test_what_bash_runs_is_accounted_for(line: str, bash: Bash) -> None:
    """Behind several disguises at once."""
    assert accounts_for_zap(line) or not bash.runs_zap(line)
