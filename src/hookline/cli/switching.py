"""`hookline on` and `hookline off`: all hooks of this project, all there are, or single ones, switched at once."""

from __future__ import annotations

import os
import shlex
from typing import Annotated

from hookline.cli import flags, offers, words
from hookline.cli.ending import FINDINGS, OK, tell
from hookline.cli.paint import present
from hookline.config.agent_hosts import require_person
from hookline.engine.approval_service import (
    ON_AGAIN,
    find_statuses,
    find_switches,
    gate_for,
    list_managed,
    list_off,
    switch_all,
    switch_single,
)
from hookline.engine.journaling import journal_of
from hookline.engine.meaning import called, meant
from hookline.trust.toggles import find_off

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from hookline.cli.paint import Paint
    from hookline.engine.approval_service import HookStatus
    from hookline.engine.engine import Engine
    from hookline.model.spec import HookSpec

_Hook = Annotated[
    str,
    flags.argument(
        metavar="HOOK",
        help="an id, what it runs or asks, a name, or a file of it; without one, all hooks",
        autocompletion=offers.hooks,
    ),
]
_Global = Annotated[
    bool, flags.option("--global", help="in every project, and not in this one only")
]
_DryRun = Annotated[bool, flags.option("-n", "--dry-run", help="only show how the switches are")]


@flags.selecting
def on(
    *,
    selection: flags.Selection,
    hook: _Hook = "",
    everywhere: _Global = False,
    dry_run: _DryRun = False,
    json: flags.Json = False,
    color: flags.Color = "auto",
) -> int:
    """Let hooks run again, here or everywhere; or one that was switched off by itself."""
    return _turned(
        selection, hook, on=True, everywhere=everywhere, dry_run=dry_run, json=json, color=color
    )


@flags.selecting
def off(
    *,
    selection: flags.Selection,
    hook: _Hook = "",
    everywhere: _Global = False,
    dry_run: _DryRun = False,
    json: flags.Json = False,
    color: flags.Color = "auto",
) -> int:
    """Let no hook run, here or everywhere, or not this one; those of the policy do not listen."""
    return _turned(
        selection, hook, on=False, everywhere=everywhere, dry_run=dry_run, json=json, color=color
    )


def _turned(
    selection: flags.Selection,
    hook: str,
    *,
    on: bool,
    everywhere: bool,
    dry_run: bool,
    json: bool,
    color: str,
) -> int:
    if not dry_run:
        require_person(os.environ, f"hookline {'on' if on else 'off'}")
    with selection.engine(journal=journal_of(os.environ, tell)) as engine:
        specs = meant(engine, hook) if hook else []
        left = () if dry_run else _turn(engine, specs, on=on, everywhere=everywhere)
        for why in left:
            tell(why)
        document = _document(
            engine, specs, "nothing" if dry_run else "on" if on else "off", everywhere=everywhere
        )
    present(document, single_page if specs else switches_page, json=json, color=color)
    still = not document["on"] if not specs else any(each["off"] for each in document["hooks"])
    return FINDINGS if on and (still or left) and not dry_run else OK


def _turn(
    engine: Engine, specs: Sequence[HookSpec], *, on: bool, everywhere: bool
) -> tuple[str, ...]:
    """Turn hooks on or off; returns why files that switch some off could not be written."""
    if not specs:
        return switch_all(engine, on=on, everywhere=everywhere, who="", how="command line")
    switch_single(engine, specs, on=on, everywhere=everywhere, who="", how="command line")
    return ()


def _document(
    engine: Engine, specs: Sequence[HookSpec], did: str, *, everywhere: bool
) -> dict[str, Any]:
    """`hookline.switches/1`; of the hooks those that were meant, or else those that are off by themselves."""
    gate = gate_for(engine)
    now = find_switches(gate)
    stand = find_statuses(engine, specs or None).values()
    single = [each for each in stand if specs or (all(now.values()) and each.off)]
    return {
        "schema": "hookline.switches/1",
        "did": did,
        "root": "" if everywhere else gate.root,
        "folder": gate.root,
        "off_at": find_off(gate.read_switches(), gate.root),
        "on": all(now.values()),
        "switches": now,
        "hooks": [_line(status) for status in single],
        "managed": [spec.id for spec in list_managed(engine)],
    }


def _line(status: HookStatus) -> dict[str, Any]:
    spec, standing = status.trust.spec, status.trust
    return {
        "hook": spec.id,
        "native_event": spec.native_event,
        "runs": called(spec),
        "off": status.off,
        "standing": standing.state,
        "live": status.runs,
    }


def single_page(document: dict[str, Any], paint: Paint) -> Iterator[str]:
    """How each hook is that was meant; and whether hooks run at all only where they do not."""
    for hook in document["hooks"]:
        yield f"{_state(hook, paint)}  {paint('name', hook['hook'])}  {hook['native_event']}  {words.first_line(hook['runs'])}"
    if not document["on"]:
        yield from switches_page({**document, "hooks": []}, paint)


def switches_page(document: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Whether hooks run, and if not, why; and the hooks that are off by themselves."""
    everywhere = not document["root"] and (document["on"] or not document["switches"]["everywhere"])
    where = "everywhere" if everywhere else f"in `{document['folder']}`"
    yield f"hooks are {paint('good', 'on') if document['on'] else paint('warning', 'off')} {where}"
    yield from (f"  {why} ({hint})" for why, hint in _why(document))
    for hook in document["hooks"]:
        yield f"  {_state(hook, paint)}  {paint('name', hook['hook'])}  {hook['native_event']}  {words.first_line(hook['runs'])}"
    if document["managed"] and not document["on"]:
        yield f"  policy, which no switch reaches, still runs: {', '.join(document['managed'])}"


def _why(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What switches hooks off, and what turns them on again."""
    above = document["off_at"] if document["off_at"] != document["folder"] else ""
    for switch, why in list_off(document["switches"]):
        if switch == "project" and above:
            yield (
                f"hooks are switched off in `{above}`, in which this project lies",
                f"hookline on -C {shlex.quote(above)}",
            )
        else:
            yield why, ON_AGAIN[switch]


def _state(hook: dict[str, Any], paint: Paint) -> str:
    if hook["off"]:
        return f"{paint('warning', 'off')} ({hook['off']})"
    return (
        paint("good", "on")
        if hook["live"]
        else f"{paint('good', 'on')}, and does not run ({hook['standing']})"
    )
