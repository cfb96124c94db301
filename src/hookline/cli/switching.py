"""`hookline on` and `hookline off`: all hooks of this project, or all there are, switched at once."""

from __future__ import annotations

import os
import shlex
from typing import Annotated

from hookline.cli import flags
from hookline.cli.ending import OK, tell
from hookline.cli.paint import present
from hookline.engine.journaling import journal_of
from hookline.engine.steering import gate_for, turn_all, what_is_off
from hookline.trust.switch import off_at, switches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookline.cli.paint import Paint

_Global = Annotated[bool, flags.option("--global", help="in every project, and not in this one only")]
_DryRun = Annotated[bool, flags.option("-n", "--dry-run", help="only show how the switches are")]


@flags.selecting
def on(
    *,
    selection: flags.Selection,
    everywhere: _Global = False,
    dry_run: _DryRun = False,
    json: flags.Json = False,
    color: flags.Color = "auto",
) -> int:
    """Let hooks run again, here or everywhere."""
    return _turned(selection, on=True, everywhere=everywhere, dry_run=dry_run, json=json, color=color)


@flags.selecting
def off(
    *,
    selection: flags.Selection,
    everywhere: _Global = False,
    dry_run: _DryRun = False,
    json: flags.Json = False,
    color: flags.Color = "auto",
) -> int:
    """Let no hook run, here or everywhere; those of the policy do not listen."""
    return _turned(selection, on=False, everywhere=everywhere, dry_run=dry_run, json=json, color=color)


def _turned(selection: flags.Selection, *, on: bool, everywhere: bool, dry_run: bool, json: bool, color: str) -> int:
    with selection.engine(journal=journal_of(os.environ, tell)) as engine:
        gate = gate_for(engine)
        if dry_run:
            now = switches(gate.known(), gate.root, gate.environ)
        else:
            now = turn_all(engine, on=on, everywhere=everywhere, who="", how="command line")
        above = off_at(gate.known(), gate.root)
        managed = [spec.id for spec in engine.hooks if gate.is_managed(spec)]
    document = {
        "schema": "hookline.switches/1",
        "did": "nothing" if dry_run else "on" if on else "off",
        "root": "" if everywhere else gate.root,
        "on": all(now.values()),
        "switches": now,
        "managed": managed,
    }
    if on and above and not dry_run:
        tell(f"hooks are still off here, by `hookline off` in `{above}` (hookline on -C {shlex.quote(above)})")
    present(document, switches_page, json=json, color=color)
    return OK


def switches_page(document: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Whether hooks run, and if not, why."""
    yield f"hooks are {paint('good', 'on') if document['on'] else paint('warning', 'off')}"
    yield from (f"  {why} ({hint})" for why, hint in what_is_off(document["switches"]))
    if document["managed"] and not document["on"]:
        yield f"  policy, which no switch reaches, still runs: {', '.join(document['managed'])}"
