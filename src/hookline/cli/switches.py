"""`hookline on` and `hookline off`: for the hooks of this project, all hooks, or a single one."""

from __future__ import annotations

import os

from hookline.cli.options import DRY_RUN, Selection, option
from hookline.cli.output import FINDINGS, OK, Paint, Printer, first_line, print_message
from hookline.cli.positional_ids import to_lasting_id
from hookline.config.agent_hosts import require_person
from hookline.engine.approval_service import (
    find_statuses,
    get_gate_for,
    list_managed,
    list_off,
    switch_all,
    switch_hooks,
)
from hookline.engine.hook_lookup import describe_run, find_hooks, make_hook_summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.cli.output import Document, Lines


_HOOK = option(
    "[HOOK]",
    "an id, a name, a command, or a file of it; default: all hooks",
    complete="hooks",
)
_GLOBAL = option("--global", "in every project")


def on(
    selection: Selection,
    printer: Printer,
    *,
    hook: str = _HOOK,
    everywhere: bool = _GLOBAL,
    dry_run: bool = DRY_RUN,
) -> int:
    """Let hooks run again, here or everywhere; or one that was switched off by itself."""
    return _switch_hooks(selection, printer, "on", hook, everywhere, dry_run)


def off(
    selection: Selection,
    printer: Printer,
    *,
    hook: str = _HOOK,
    everywhere: bool = _GLOBAL,
    dry_run: bool = DRY_RUN,
) -> int:
    """Let no hook run, here or everywhere, or not this one; those of the policy do not listen."""
    return _switch_hooks(selection, printer, "off", hook, everywhere, dry_run)


def _switch_hooks(
    selection: Selection,
    printer: Printer,
    to: str,
    hook: str,
    everywhere: bool,  # noqa: FBT001 - as its callers have it
    dry_run: bool,  # noqa: FBT001 - as above
) -> int:
    """Turn hooks on or off, or one, and print how they are then; return the exit code."""
    if not dry_run:
        require_person(os.environ, f"hookline {to}")
    with selection.open() as engine:
        specs = find_hooks(engine, to_lasting_id(engine, hook)) if hook else []
        how: Any = {"on": to == "on", "everywhere": everywhere, "who": "", "how": "command line"}
        unwritten: tuple[str, ...] = ()  # files that switch some hooks off
        if specs and not dry_run:
            switch_hooks(get_gate_for(engine), specs, **how)
        elif not dry_run:
            unwritten = switch_all(engine, **how)
        for reason in unwritten:
            print_message(reason)
        gate = get_gate_for(engine)
        now = gate.find_switches()
        is_on = all(now.values())
        document: Document = {
            "schema": "hookline.switches/1",
            "did": "nothing" if dry_run else to,
            "root": "" if everywhere else gate.root,
            "folder": gate.root,
            "off_at": gate.find_off_folder(),
            "on": is_on,
            "switches": now,
            "reasons": [f"{why} ({hint})" for why, hint in list_off(gate)],
            "hooks": [
                make_hook_summary(status.trust.spec)
                | {
                    "runs": describe_run(status.trust.spec),
                    "off": status.off,
                    "standing": status.trust.state,
                    "live": status.runs,
                }
                for status in find_statuses(engine, specs or None).values()
                if specs or (is_on and status.off)
            ],
            "managed": [spec.id for spec in list_managed(engine)],
        }
    printer.print(document, _render_single if hook else _render_switches)
    is_off = any(each["off"] for each in document["hooks"]) if specs else not is_on
    return FINDINGS if to == "on" and not dry_run and (is_off or unwritten) else OK


def _render_single(document: Document, paint: Paint) -> Lines:
    """Yield the state of each named hook; and the switches if they are off."""
    yield from (_format_hook(hook, paint) for hook in document["hooks"])
    if not document["on"]:
        yield from _render_switches({**document, "hooks": []}, paint)


def _render_switches(document: Document, paint: Paint) -> Lines:
    """Yield whether hooks run, if not, why, and the hooks that are off one by one."""
    everywhere = not document["root"] and (document["on"] or not document["switches"]["everywhere"])
    where = "everywhere" if everywhere else f"in `{document['folder']}`"
    yield f"hooks are {paint('good', 'on') if document['on'] else paint('warning', 'off')} {where}"
    yield from (f"  {why}" for why in document["reasons"])
    yield from (f"  {_format_hook(hook, paint)}" for hook in document["hooks"])
    if document["managed"] and not document["on"]:
        yield f"  policy, which no switch reaches, still runs: {', '.join(document['managed'])}"


def _format_hook(hook: Document, paint: Paint) -> str:
    """Return a hook, and whether it is on, on one line."""
    state = paint("good", "on")
    if hook["off"]:
        state = f"{paint('warning', 'off')} ({hook['off']})"
    elif not hook["live"]:
        state += f", and does not run ({hook['standing']})"
    runs = first_line(hook["runs"])
    return f"{state}  {paint('name', hook['hook'])}  {hook['native_event']}  {runs}"
