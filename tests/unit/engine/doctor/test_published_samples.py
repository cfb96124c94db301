"""Samples of the formats' own documents with a known hole are findings of `doctor`."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hookline import Engine
from hookline.engine.doctor.checkup import run_checkup
from hookline.engine.doctor.probe import make_event
from hookline.engine.doctor.published_samples import SAMPLES, sample_digest
from hookline.engine.doctor.static_checks import check_files
from hookline.engine.trust_gate import inspect_once
from tests.unit.dialects.agenthooks.samples import RUN_SH
from tests.unit.dialects.starchild.test_document import SCRIPT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.core.registry import Entry
    from hookline.engine.doctor.static_checks import Finding

EXAMPLES = Path(__file__).parents[4] / "examples"


def find_in(engine: Engine, entry: Entry) -> Iterator[Finding]:
    """Return what is wrong with the files of a hook."""
    event = make_event(entry.spec, entry.dialect, "/")
    return check_files(entry.spec, inspect_once(entry.spec, event, {}, engine.cwd))


def samples_of(engine: Engine) -> dict[str, str]:
    """The message of each hook that is a sample with a known hole."""
    return {
        entry.spec.id: finding.message
        for entry in engine.registry.entries()
        for finding in find_in(engine, entry)
        if finding.name == "check.sample"
    }


def test_the_samples_of_an_agent_file_are_found() -> None:
    """The deny guard, the rewriter of `ls`, and the approval by the first word."""
    told = samples_of(Engine.load(EXAMPLES / "docker-agent/hooks.yaml"))

    assert sorted(told) == [
        "docker-agent/hooks.yaml#root.permission_request.tqsfjp",
        "docker-agent/hooks.yaml#root.pre_tool_use.ccbgbv",
        "docker-agent/hooks.yaml#root.pre_tool_use.kvbpbk",
    ]
    assert "`echo x; rm -rf ~`" in told["docker-agent/hooks.yaml#root.permission_request.tqsfjp"]


def test_the_sample_of_a_hook_folder_is_found_by_its_file() -> None:
    """`doctor` reports it as a warning, with what to use in its place."""
    checkup = run_checkup(Engine.load(EXAMPLES / "agenthooks/block-dangerous-commands"))

    (finding,) = [each for each in checkup.all_findings if each.name == "check.sample"]
    assert (finding.code, finding.severity) == ("HKL7025", "warning")
    assert "`rm -rf /`" in finding.message
    assert "shlex" in finding.hint


@pytest.mark.parametrize("sample", [RUN_SH, SCRIPT])
@pytest.mark.parametrize(
    "changed",
    [
        lambda text: text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "  \n") + "\n\n",
        lambda text: "\n".join(line.strip() for line in text.splitlines()),
    ],
    ids=["as published", "other line ends", "trailing blanks", "without indentation"],
)
def test_line_ends_and_blanks_do_not_count(sample: str, changed) -> None:
    """A sample is known as it is copied from a page."""
    assert sample_digest(changed(sample)) in SAMPLES
    assert sample_digest(f"{sample}true\n") not in SAMPLES


@pytest.mark.process
@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not on this machine")
def test_the_sample_has_the_hole_that_the_finding_names() -> None:
    """The published guard against `rm -rf /` lets it through."""
    payload = json.dumps({"tool_input": {"command": "rm -rf /"}})
    ended = subprocess.run(
        ["/bin/sh", "-c", f"bash -c {shlex.quote(RUN_SH)}"],
        input=payload,
        text=True,
        capture_output=True,
        check=False,
    )

    assert ended.returncode == 0
