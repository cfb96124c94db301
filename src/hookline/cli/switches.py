"""`hookline on` and `hookline off`: turn on or off all hooks of this project, all hooks everywhere, or single ones."""

from __future__ import annotations

import os
import shlex

from hookline.cli.exit_codes import FINDINGS, OK, print_message
from hookline.cli.options import COLOR, JSON, option
from hookline.cli.pages import first_line, print_page
from hookline.config.agent_hosts import require_person
from hookline.engine.approval_service import (
    ON_AGAIN,
    find_statuses,
    find_switches,
    get_gate_for,
    list_managed,
    list_off,
    switch_all,
    switch_single,
)
from hookline.engine.hook_lookup import describe_run, find_hooks
from hookline.engine.journaling import open_journal
from hookline.trust.toggles import find_off

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from hookline.cli.pages import Paint
    from hookline.cli.selection import Selection
    from hookline.engine.approval_service import HookStatus
    from hookline.engine.engine import Engine
    from hookline.model.spec import HookSpec


def on(
    selection: Selection,
    *,
    hook: str = option(
        metavar="HOOK",
        help="an id, what it runs or asks, a name, or a file of it; without one, all hooks",
        complete=("hooks",),
    ),
    everywhere: bool = option("--global", help="in every project, and not in this one only"),
    dry_run: bool = option("-n", "--dry-run", help="only show how the switches are"),
    json: bool = JSON,
    color: str = COLOR,
) -> int:
    """Let hooks run again, here or everywhere; or one that was switched off by itself."""
    return _switch_hooks(
        selection, hook, on=True, everywhere=everywhere, dry_run=dry_run, json=json, color=color
    )


def off(
    selection: Selection,
    *,
    hook: str = option(
        metavar="HOOK",
        help="an id, what it runs or asks, a name, or a file of it; without one, all hooks",
        complete=("hooks",),
    ),
    everywhere: bool = option("--global", help="in every project, and not in this one only"),
    dry_run: bool = option("-n", "--dry-run", help="only show how the switches are"),
    json: bool = JSON,
    color: str = COLOR,
) -> int:
    """Let no hook run, here or everywhere, or not this one; those of the policy do not listen."""
    return _switch_hooks(
        selection, hook, on=False, everywhere=everywhere, dry_run=dry_run, json=json, color=color
    )


def _switch_hooks(
    selection: Selection,
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
    with selection.engine(journal=open_journal(os.environ, print_message)) as engine:
        specs = find_hooks(engine, hook) if hook else []
        left = () if dry_run else _apply_switch(engine, specs, on=on, everywhere=everywhere)
        for why in left:
            print_message(why)
        document = _make_document(
            engine, specs, "nothing" if dry_run else "on" if on else "off", everywhere=everywhere
        )
    print_page(document, render_single if specs else render_switches, json=json, color=color)
    still = not document["on"] if not specs else any(each["off"] for each in document["hooks"])
    return FINDINGS if on and (still or left) and not dry_run else OK


def _apply_switch(
    engine: Engine, specs: Sequence[HookSpec], *, on: bool, everywhere: bool
) -> tuple[str, ...]:
    """Turn hooks on or off; returns why files that switch some off could not be written."""
    if not specs:
        return switch_all(engine, on=on, everywhere=everywhere, who="", how="command line")
    switch_single(engine, specs, on=on, everywhere=everywhere, who="", how="command line")
    return ()


def _make_document(
    engine: Engine, specs: Sequence[HookSpec], did: str, *, everywhere: bool
) -> dict[str, Any]:
    """Return the `hookline.switches/1` document, with the named hooks, else the hooks that are off one by one."""
    gate = get_gate_for(engine)
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
        "hooks": [_summarize_hook(status) for status in single],
        "managed": [spec.id for spec in list_managed(engine)],
    }


def _summarize_hook(status: HookStatus) -> dict[str, Any]:
    spec, standing = status.trust.spec, status.trust
    return {
        "hook": spec.id,
        "native_event": spec.native_event,
        "runs": describe_run(spec),
        "off": status.off,
        "standing": standing.state,
        "live": status.runs,
    }


def render_single(document: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Yield the state of each named hook; and the switches if they are off."""
    for hook in document["hooks"]:
        yield f"{_describe_state(hook, paint)}  {paint('name', hook['hook'])}  {hook['native_event']}  {first_line(hook['runs'])}"
    if not document["on"]:
        yield from render_switches({**document, "hooks": []}, paint)


def render_switches(document: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Yield whether hooks run, if not, why, and the hooks that are off one by one."""
    everywhere = not document["root"] and (document["on"] or not document["switches"]["everywhere"])
    where = "everywhere" if everywhere else f"in `{document['folder']}`"
    yield f"hooks are {paint('good', 'on') if document['on'] else paint('warning', 'off')} {where}"
    yield from (f"  {why} ({hint})" for why, hint in _list_reasons(document))
    for hook in document["hooks"]:
        yield f"  {_describe_state(hook, paint)}  {paint('name', hook['hook'])}  {hook['native_event']}  {first_line(hook['runs'])}"
    if document["managed"] and not document["on"]:
        yield f"  policy, which no switch reaches, still runs: {', '.join(document['managed'])}"


def _list_reasons(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each reason that hooks are off, and the command that turns them on."""
    above = document["off_at"] if document["off_at"] != document["folder"] else ""
    for switch, why in list_off(document["switches"]):
        if switch == "project" and above:
            yield (
                f"hooks are switched off in `{above}`, in which this project lies",
                f"hookline on -C {shlex.quote(above)}",
            )
        else:
            yield why, ON_AGAIN[switch]


def _describe_state(hook: dict[str, Any], paint: Paint) -> str:
    if hook["off"]:
        return f"{paint('warning', 'off')} ({hook['off']})"
    return (
        paint("good", "on")
        if hook["live"]
        else f"{paint('good', 'on')}, and does not run ({hook['standing']})"
    )
