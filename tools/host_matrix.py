"""The page of `make hosts`: which hosts were run, and what held there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hookline.bridges.hosts import HOSTS
from tests.hosts.scenarios import SCENARIOS
from tests.hosts.table import HOSTS as HOSTS_RUN

if TYPE_CHECKING:
    from collections.abc import Iterator

_RESULT = Path(__file__).parents[1] / "tests/hosts/result.json"
_HEAD = """\
# Tested hosts

`make hosts` installs each program below at this version, without a network but for its registry.
It starts each in an empty home without a person. `hookline install` has put hookline in, and a
model service of this repository plays a script. Last run: {date}, on Linux.

*yes*: it held. *-*: the host, or what its plugin can do, has no such effect; [why](#why-not). The
hooks of these runs are the user's own, and the guards that `hookline install` and `hookline add
--recommended` switch on.
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
    reasons = ["\n## Why not\n", *(f"- {text}" for row in rows for text in _list_reasons(row))]
    others = ", ".join(host.title for host in HOSTS.values() if host.name not in run)
    return head + "\n".join([*lines, *missing, *reasons, _TAIL.format(others=others)])


def _list_reasons(row: dict[str, Any]) -> Iterator[str]:
    """Yield why scenarios do not apply to a host, each reason once with its scenarios."""
    reasons: dict[str, list[str]] = {}
    for each in SCENARIOS:
        held = row["scenarios"].get(each.name, {})
        if held.get("state") == "not applicable":
            reasons.setdefault(held["reason"], []).append(each.name)
    for reason, names in reasons.items():
        start = "" if row["title"] in reason else f"{row['title']}: "
        yield f"{start}{reason} ({', '.join(names)})."


def _cell(row: dict[str, Any], scenario: str) -> str:
    held = row["scenarios"].get(scenario)
    if held is None:
        return ""
    return {"passed": "yes", "failed": "**no**", "not applicable": "-"}[held["state"]]
