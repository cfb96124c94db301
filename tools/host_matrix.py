"""The page of `make hosts`: which hosts were run, and what held there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hookline.bridges.hosts import HOSTS
from tests.hosts.scenarios import SCENARIOS
from tests.hosts.table import HOSTS as HOSTS_RUN

_RESULT = Path(__file__).parents[1] / "tests/hosts/result.json"
_HEAD = """\
# Tested hosts

`make hosts` installs each program below at this version, without a network but for its registry.
It starts each in an empty home without a person. `hookline install` has put hookline in, and a
model service of this repository plays a script. Last run: {date}, on Linux.

*yes*: it held. *-*: the host, or what its plugin can do, has no such effect. hookline then says in
its decision that the effect was not possible. The hooks of these runs are the user's own.
{ending} ends the run when a hook refuses a call: its model reads no reason, and no other call runs.

| scenario | {titles} |
| --- | {lines} |
| version | {versions} |
"""
_TAIL = """\

**Not run with the real program**: {others}. Their formats are tested against the payloads that
their documents and sources show. Windows and macOS, and interactive
sessions, were not run either.

`make test` plays again what these programs sent (`tests/hosts/recorded/`). What the runs of
single releases showed is in [what real hosts did](../formats/hosts.md).
"""


def host_matrix() -> str:
    """The matrix of scenarios and hosts, from the last full run."""
    result = json.loads(_RESULT.read_text(encoding="utf-8"))
    rows = result["hosts"]
    run = {row["host"] for row in rows}
    head = _HEAD.format(
        date=result["date"],
        ending=", ".join(host.facts.title for host in HOSTS_RUN if host.ends),
        titles=" | ".join(row["title"] for row in rows),
        lines=" | ".join("---" for _ in rows),
        versions=" | ".join(row["version"] or "not run" for row in rows),
    )
    lines = [
        f"| {each.title} | {' | '.join(_cell(row, each.name) for row in rows)} |"
        for each in SCENARIOS
    ]
    missing = [f"\n**{row['title']}** was not run: {row['not run']}." for row in rows
               if row["not run"]]  # fmt: skip
    others = ", ".join(host.title for host in HOSTS.values() if host.name not in run)
    return head + "\n".join([*lines, *missing, _TAIL.format(others=others)])


def _cell(row: dict[str, Any], scenario: str) -> str:
    held = row["scenarios"].get(scenario)
    if held is None:
        return ""
    return {"passed": "yes", "failed": "**no**", "not applicable": "-"}[held["state"]]
