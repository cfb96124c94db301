"""`hookline update`, and the packs of `hookline add` and `hookline remove`."""

from __future__ import annotations

import os
import sys

from hookline.bridges.host_files import make_change
from hookline.cli.approve import has_terminal
from hookline.cli.layout import shorten_path
from hookline.cli.options import DRY_RUN, FOLDER, Selection, option
from hookline.cli.output import FINDINGS, OK, USAGE, count_things, format_error, print_message
from hookline.config.agent_hosts import require_person
from hookline.engine.hook_lookup import describe_run
from hookline.engine.journaling import open_journal
from hookline.engine.lazy_gate import note_approvals
from hookline.errors import ConfigError, TrustError
from hookline.packs.lock import list_names
from hookline.packs.plan import apply, discard, plan_add, plan_remove, plan_update
from hookline.text.terminal_escape import escape_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hookline.cli.output import Document, Paint, Printer
    from hookline.packs.plan import Plan

_STYLES = {"+": "good", "-": "bad", "@": "dim"}
# What became of a pack, before its name.
_DID = {
    "planned": "would change",
    "added": "added",
    "updated": "updated",
    "removed": "removed",
    "declined": "left",
}


def add_packs(printer: Printer, sources: Sequence[str], *, dry_run: bool) -> int:
    """Install packs; none of their hooks runs before it is approved."""
    documents = []
    for source in sources:
        plan = plan_add(source, os.environ)
        did = "planned" if dry_run else "added"
        documents.append(_make_document(plan, did, _diff_config(plan)))
        _carry_out(plan, dry_run=dry_run)
    _print(printer, documents)
    return OK


def remove_packs(printer: Printer, words: Sequence[str], *, dry_run: bool) -> int:
    """Remove packs, each with its environment, its entry and its approvals."""
    documents = []
    for word in words:
        plan = plan_remove(word, os.environ)
        did = "planned" if dry_run else "removed"
        documents.append(_make_document(plan, did, _diff_config(plan)))
        _carry_out(plan, dry_run=dry_run)
    _print(printer, documents)
    return OK


def update(
    printer: Printer,
    *,
    packs: list[str] = option("[PACK...]", "packs; default: all", complete="packs"),
    yes: bool = option("-y, --yes", "do not ask"),
    dry_run: bool = DRY_RUN,
    folder: str = FOLDER,
) -> int:
    """Install the present version of packs, after showing what differs.

    What changed waits for your approval; the old version stays until you say yes.
    """
    if not dry_run:
        require_person(os.environ, " ".join(["hookline update", *packs]))
    Selection(folder=folder).enter_folder()
    documents, code = [], OK
    for name in packs or list_names(os.environ):
        try:
            documents.append(_update_pack(printer, name, yes=yes, dry_run=dry_run))
        except ConfigError as error:  # the others are updated all the same
            print_message(format_error(error, "hookline update"))
            code = USAGE
    if documents or not code:
        _print(printer, documents)
    is_open = any(each["did"] == "declined" for each in documents)
    return code or (FINDINGS if is_open else OK)


def _update_pack(printer: Printer, name: str, *, yes: bool, dry_run: bool) -> Document:
    """Show what differs, ask, and install the present version; return what was done.

    Raises:
        ConfigError: there is no such pack, or it cannot be built.
        TrustError: there is no terminal to ask on.
    """
    plan = plan_update(name, os.environ)
    did = "planned" if dry_run else "updated"
    try:
        if not plan.has_new_version:
            did = "nothing"
        elif not dry_run and not _is_wanted(plan, printer, yes=yes):
            did = "declined"
    except TrustError:
        discard(plan)
        raise
    document = _make_document(plan, did, plan.diff)
    _carry_out(plan, dry_run=did != "updated")
    return document


def list_installed(_given: object = None) -> list[str]:
    """Return the names of the installed packs, for a shell."""
    return list_names(os.environ)


def _carry_out(plan: Plan, *, dry_run: bool) -> None:
    if dry_run:
        discard(plan)
        return
    journal = open_journal(os.environ, print_message)
    apply(plan, os.environ, note_approvals(journal))


def _is_wanted(plan: Plan, printer: Printer, *, yes: bool) -> bool:
    """Show what differs on standard error, and return whether a person wants it.

    Raises:
        TrustError: there is no terminal to ask on.
    """
    paint = printer.paint(sys.stderr)
    sys.stderr.writelines(f"{line}\n" for line in _color(escape_text(plan.diff, lines=True), paint))
    sys.stderr.flush()
    if yes:
        return True
    if printer.no_input or not has_terminal():
        hint = "look at the changes with --dry-run, then add --yes"
        raise TrustError("there is no terminal to ask on", name="trust.unattended", hint=hint)
    sys.stderr.write(f"install this version of {plan.name}? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


# -- documents and pages ---------------------------------------------------------------------------


def _diff_config(plan: Plan) -> str:
    texts = (plan.edit.before, plan.edit.after)
    before, after = (None if text is None else text.encode() for text in texts)
    return "" if before == after else make_change(plan.edit.path, before, after).diff()


def _make_document(plan: Plan, did: str, diff: str) -> Document:
    pack = plan.after or plan.before
    return {
        "pack": plan.name,
        "did": did,
        "source": pack.source if pack else "",
        "was": plan.before.version if plan.before else "",
        "version": plan.after.version if plan.after else "",
        "wheels": sorted(plan.after.wheels) if plan.after else [],
        "hooks": [
            {"event": spec.native_event, "name": spec.name, "runs": describe_run(spec)}
            for spec in plan.hooks
        ],
        "diff": diff,
    }


def _print(printer: Printer, documents: list[Document]) -> None:
    printer.print({"schema": "hookline.packs/1", "packs": documents}, _render)


def _render(document: Document, paint: Paint) -> Iterator[str]:
    packs = document["packs"]
    if not packs:
        yield "no pack is installed"
    for each in packs:
        versions = " -> ".join(filter(None, dict.fromkeys((each["was"], each["version"]))))
        name = f"{paint('strong', each['pack'])} {versions}".rstrip()
        if each["did"] == "nothing":
            yield f"{name} is up to date"
            continue
        source = f", from {shorten_path(each['source'])}" if each["source"] else ""
        yield f"{_DID[each['did']]} {name}{source}"
        if not each["was"]:
            yield from (f"  {hook['event']}  {hook['runs']}" for hook in each["hooks"])
            more = len(each["wheels"]) - 1
            if more > 0:
                yield f"  with {count_things(more, 'wheel')} that it needs"
        if each["did"] == "planned":
            yield from _color(each["diff"], paint)
        if each["did"] == "added":
            yield f"none of it runs before you approve it: hookline approve {each['pack']}"
        elif each["did"] == "updated":
            yield f"to review what changed: hookline approve {each['pack']}"


def _color(text: str, paint: Paint) -> Iterator[str]:
    for line in text.splitlines():
        yield paint(_STYLES[line[0]], line) if line[:1] in _STYLES else line
