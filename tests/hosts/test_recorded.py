"""hookline answers what real hosts sent in `make hosts` as it did then."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hookline.cli.answer import answer_main
from tests.hosts.recordings import RECORDED
from tests.hosts.scenarios import SCENARIOS
from tests.hosts.table import HOSTS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.hosts.recordings import Exchange

_ROWS = [
    (host, scenario, exchanges)
    for host in HOSTS
    if (RECORDED / f"{host.name}.json").exists()
    for scenarios in [json.loads((RECORDED / f"{host.name}.json").read_text(encoding="utf-8"))]
    for scenario in SCENARIOS
    if (exchanges := scenarios.get(scenario.name))
]


@pytest.mark.process
@pytest.mark.parametrize(
    ("host", "scenario", "exchanges"),
    _ROWS,
    ids=[f"{host.name}: {scenario.name}" for host, scenario, _ in _ROWS],
)
def test_the_answer_is_the_one_that_the_host_understood(
    host: Any,
    scenario: Any,
    exchanges: list[Exchange],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Notes to the user aside."""
    for name, text in scenario.files(host.foreign).items():
        path = tmp_path / "home" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
    (tmp_path / "work").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOOKLINE_JOURNAL", "off")
    for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(variable)
    monkeypatch.chdir(tmp_path / "work")
    for exchange in exchanges:
        sent = json.dumps(exchange["payload"]).replace("/home/ann", str(tmp_path / "home"))
        sent = sent.replace('"/work', f'"{tmp_path}/work')
        stdin = io.TextIOWrapper(io.BytesIO(sent.encode()), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", stdin)

        code = answer_main(exchange["words"])

        printed = capfd.readouterr()
        told = exchange | {"stdout": printed.out, "stderr": printed.err, "exit_code": code}
        assert _read_answer(told) == _read_answer(exchange)


def _read_answer(exchange: Exchange) -> dict[str, Any]:
    """Return what a host reads of an answer, without notes to the user.

    Copilot CLI reads a note as an object of its own, in a line of its own.
    """
    code, answers = exchange["exit_code"], []
    for line in exchange["stdout"].splitlines():
        answer = json.loads(line) if line.startswith("{") else line
        if isinstance(answer, dict):
            answer.pop("systemMessage", None)
            answer = {} if answer.get("type") == "progress" else answer
        if answer:
            answers.append(answer)
    return {"exit_code": code, "answers": answers, "reason": exchange["stderr"] if code else ""}


def test_each_scenario_is_recorded_where_hookline_answers() -> None:
    """Of every host that was recorded."""
    recorded = {(host.name, scenario.name) for host, scenario, _ in _ROWS}
    hosts = [host for host in HOSTS if (RECORDED / f"{host.name}.json").exists()]
    answered = ("refusal", "parallel calls")

    assert {
        (host.name, name) for host in hosts for name in answered if name not in host.lacks
    } <= recorded


def test_what_was_run_is_marked_as_verified() -> None:
    """`hookline status` says "not verified" of other versions."""
    result = json.loads((RECORDED.parent / "result.json").read_text(encoding="utf-8"))
    versions = {row["host"]: row["version"] for row in result["hosts"] if not row["not run"]}

    assert {
        host.name
        for host in HOSTS
        if host.name in versions and versions[host.name] not in host.facts.verified.split(", ")
    } == set()
