"""`hookline on` and `hookline off`: turn on or off all hooks of this project, all hooks everywhere, or single ones."""

from __future__ import annotations

import os
import shlex

from hookline.cli.exit_codes import FINDINGS, OK, print_message
from hookline.cli.options import COLOR, DRY_RUN, JSON, option
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
from hookline.trust.policy import find_off

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from hookline.cli.pages import Paint
    from hookline.cli.selection import Selection
    from hookline.engine.engine import Engine
    from hookline.model.spec import HookSpec


_HOOK: Any = option(
    metavar="HOOK",
    help="an id, what it runs or asks, a name, or a file of it; without one, all hooks",
    complete=("hooks",),
)
_GLOBAL: Any = option("--global", help="in every project, and not in this one only")


def on(
    selection: Selection,
    *,
    hook: str = _HOOK,
    everywhere: bool = _GLOBAL,
    dry_run: bool = DRY_RUN,
    json: bool = JSON,
    color: str = COLOR,
) -> int:
    """Let hooks run again, here or everywhere; or one that was switched off by itself."""
    document, is_on = _switch_hooks(selection, hook, "on", everywhere, dry_run)
    _print_switches(document, hook, json=json, color=color)
    return OK if is_on or dry_run else FINDINGS


def off(
    selection: Selection,
    *,
    hook: str = _HOOK,
    everywhere: bool = _GLOBAL,
    dry_run: bool = DRY_RUN,
    json: bool = JSON,
    color: str = COLOR,
) -> int:
    """Let no hook run, here or everywhere, or not this one; those of the policy do not listen."""
    document, _ = _switch_hooks(selection, hook, "off", everywhere, dry_run)
    _print_switches(document, hook, json=json, color=color)
    return OK


def _switch_hooks(
    selection: Selection,
    hook: str,
    to: str,
    everywhere: bool,  # noqa: FBT001 - as its callers have it
    dry_run: bool,  # noqa: FBT001 - as above
) -> tuple[dict[str, Any], bool]:
    """Turn hooks on or off, or one; return the document, and whether they are on then."""
    if not dry_run:
        require_person(os.environ, f"hookline {to}")
    with selection.engine(journal=open_journal(os.environ, print_message)) as engine:
        specs = find_hooks(engine, hook) if hook else []
        how: Any = {"on": to == "on", "everywhere": everywhere, "who": "", "how": "command line"}
        unwritten: tuple[str, ...] = ()  # files that switch some hooks off
        if specs and not dry_run:
            switch_single(engine, specs, **how)
        elif not dry_run:
            unwritten = switch_all(engine, **how)
        for reason in unwritten:
            print_message(reason)
        document = _make_document(
            engine, specs, "nothing" if dry_run else to, everywhere=everywhere
        )
    off = any(each["off"] for each in document["hooks"]) if specs else not document["on"]
    return document, not (off or unwritten)


def _print_switches(document: dict[str, Any], hook: str, *, json: bool, color: str) -> None:
    page = render_single if hook else render_switches
    print_page(document, page, json=json, color=color)


def _make_document(
    engine: Engine, specs: Sequence[HookSpec], did: str, *, everywhere: bool
) -> dict[str, Any]:
    """Return the `hookline.switches/1` document, with the named hooks, else the hooks that are off one by one."""
    gate = get_gate_for(engine)
    now = find_switches(gate)
    is_on = all(now.values())
    statuses = find_statuses(engine, specs or None).values()
    return {
        "schema": "hookline.switches/1",
        "did": did,
        "root": "" if everywhere else gate.root,
        "folder": gate.root,
        "off_at": find_off(gate.read_switches(), gate.root),
        "on": is_on,
        "switches": now,
        "hooks": [
            {
                "hook": status.trust.spec.id,
                "native_event": status.trust.spec.native_event,
                "runs": describe_run(status.trust.spec),
                "off": status.off,
                "standing": status.trust.state,
                "live": status.runs,
            }
            for status in statuses
            if specs or (is_on and status.off)
        ],
        "managed": [spec.id for spec in list_managed(engine)],
    }


def render_single(document: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Yield the state of each named hook; and the switches if they are off."""
    yield from (_format_hook(hook, paint) for hook in document["hooks"])
    if not document["on"]:
        yield from render_switches({**document, "hooks": []}, paint)


def render_switches(document: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Yield whether hooks run, if not, why, and the hooks that are off one by one."""
    everywhere = not document["root"] and (document["on"] or not document["switches"]["everywhere"])
    where = "everywhere" if everywhere else f"in `{document['folder']}`"
    yield f"hooks are {paint('good', 'on') if document['on'] else paint('warning', 'off')} {where}"
    yield from (f"  {why} ({hint})" for why, hint in _list_reasons(document))
    yield from (f"  {_format_hook(hook, paint)}" for hook in document["hooks"])
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


def _format_hook(hook: dict[str, Any], paint: Paint) -> str:
    """Return a hook, and whether it is on, on one line."""
    state = paint("good", "on")
    if hook["off"]:
        state = f"{paint('warning', 'off')} ({hook['off']})"
    elif not hook["live"]:
        state += f", and does not run ({hook['standing']})"
    return f"{state}  {paint('name', hook['hook'])}  {hook['native_event']}  {first_line(hook['runs'])}"
