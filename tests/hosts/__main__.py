"""`python -m tests.hosts`: run hookline in real agent hosts, and write what held."""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING, Any

from hookline.bridges.take_over import find_path
from hookline.cli.skill import PLACES
from hookline.engine.catalog import make_dialect
from tests.hosts.machine import Machine
from tests.hosts.packages import NotInstalledError, install_host, install_node
from tests.hosts.recordings import write_recording
from tests.hosts.run import play_scenario
from tests.hosts.scenarios import HTTP, SCENARIOS, TAKE_OVER
from tests.hosts.table import HOSTS, NEEDED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.hosts.recordings import Exchange
    from tests.hosts.scenarios import Scenario
    from tests.hosts.table import Host

    Row = dict[str, Any]

RESULT = Path(__file__).parent / "result.json"
_AT_ONCE = 2  # runs of a host
_END = monotonic() + 43 * 60  # no scenario begins later, so that all end within 45 minutes


def main(words: Sequence[str] | None = None) -> int:
    """Run the chosen hosts; return 1 if a scenario failed, or a host that must run did not."""
    parser = argparse.ArgumentParser(prog="python -m tests.hosts", description=__doc__)
    parser.add_argument("hosts", nargs="*", help="names of hosts; default: all")
    parser.add_argument("-k", dest="word", default="", help="only scenarios that have this word")
    parser.add_argument("--record", action="store_true", help="write what `make test` plays")
    given = parser.parse_args(words)
    hosts = [host for host in HOSTS if not given.hosts or host.name in given.hosts]
    scenarios = [each for each in SCENARIOS if given.word in each.name]
    rows = [_run_host(host, scenarios, records=given.record) for host in hosts]
    if len(hosts) == len(HOSTS) and len(scenarios) == len(SCENARIOS):
        made = {"date": datetime.now(tz=UTC).date().isoformat(), "hosts": rows}
        RESULT.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    missing = [row["title"] for row in rows if row["not run"] and row["host"] in NEEDED]
    states = [each["state"] for row in rows for each in row["scenarios"].values()]
    print(f"{states.count('passed')} passed, {states.count('failed')} failed")
    if missing:
        print(f"not run, but needed: {', '.join(missing)}")
    return 1 if missing or "failed" in states else 0


def _run_host(host: Host, scenarios: Sequence[Scenario], *, records: bool) -> Row:
    """Return the row of a host, and print it."""
    row: Row = {
        "host": host.name,
        "title": host.facts.title,
        "version": "",
        "not run": "",
        "scenarios": {},
    }
    try:
        programs = [install_host(host), install_node()]
    except NotInstalledError as error:
        print(f"{host.facts.title}: not run: {error}", flush=True)
        return row | {"not run": str(error)}
    with TemporaryDirectory() as root:
        version = Machine(Path(root), host, programs, "").read_version()
    print(f"{host.facts.title} {version}", flush=True)

    def play(scenario: Scenario) -> tuple[dict[str, str], list[Exchange]]:
        exchanges: list[Exchange] = []
        if missing := _find_missing(host, scenario):
            held = {"state": "not applicable", "reason": missing}
        elif monotonic() > _END:
            held = {"state": "failed", "reason": "not begun: the time for all hosts is over"}
        else:
            problems, exchanges = play_scenario(host, scenario, programs, records=records)
            held = {"state": "failed" if problems else "passed", "reason": "; ".join(problems)}
        print(f"  {scenario.name}: {held['state']} {held['reason']}".rstrip(), flush=True)
        return held, exchanges

    names = [scenario.name for scenario in scenarios]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        played = dict(zip(names, pool.map(play, scenarios), strict=True))
    if records:
        write_recording(host.name, {name: exchanges for name, (_, exchanges) in played.items()})
    return row | {
        "version": version,
        "scenarios": {name: held for name, (held, _) in played.items()},
    }


def _find_missing(host: Host, scenario: Scenario) -> str:
    """Return why a scenario does not apply to a host; empty if it does."""
    kind, power = scenario.needs
    table = make_dialect(host.facts.dialect).table
    rows = [row for event in host.facts.events if (row := table.row(event))]
    title = host.facts.title
    if scenario.install == TAKE_OVER and not find_path(host.facts, {"HOME": "/"}):
        return f"hooks of {title} are in files of their own"
    if scenario.install == HTTP and not host.facts.has_http:
        return f"{title} has no HTTP hooks"
    if scenario.damage == "no server" and not host.facts.gate:
        return f"{title} lets a call run when the server is gone; `hookline install` warns of it"
    if scenario.name == "skill" and host.name not in PLACES:
        return f"hookline knows no place for the skills of {title}"
    if any(row.kind == kind and power in row.powers for row in rows):
        return host.lacks.get(scenario.name, "")
    return f"{title} has no `{power}` at `{kind}`"


if __name__ == "__main__":
    sys.exit(main())
