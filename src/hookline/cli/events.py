"""One event, for people: how to find it by its names, its JSON document, and its page."""

from __future__ import annotations

import json
import os
from functools import cache, partial

from hookline.cli.layout import fit_rows, format_columns
from hookline.cli.output import Paint, read_table
from hookline.engine.catalog import NAMES
from hookline.errors import did_you_mean
from hookline.model import kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from hookline.cli.output import Document, Page

# What a decision may carry, in the order in which hookline prints it.
POWERS = read_table("""
allow                allow it unasked
ask                  ask a person
defer                leave it to the host
deny                 refuse it
halt                 end the run
input                change the input
text                 change the text
messages             change what the model is sent
output               change the tool's result
summary              give the summary itself
content              give the answer itself
return               give the result
model                choose the model
tools                choose the tools
instructions         change the instructions
path                 choose the path
context              add text for the model
instruction_context  add instruction blocks for the model
metadata             leave evidence
note                 tell the user something
modified             leave a change without a target
retry                have it run again
max_retries          say how often
skip                 have it left out
grant                give a lasting permission
env                  set environment variables
watch                have files watched
title                name the session
log                  leave a line in the log
hide_prompt          keep a refused prompt from being shown
terminal_sequence    send the terminal a notice
tail_call            have another tool run instead
transition           send the work to another agent
""")
ON_FAILURE = read_table("""
silent  is reported and refuses nothing (fail open)
allow   counts as an approval
ask     asks a person
deny    counts as a denial (fail closed)
halt    ends the run (fail closed)
""")
FAILED = read_table("""
silent  is skipped
allow   allows
ask     asks
deny    refuses
halt    ends the run
""")
CLASSES = read_table("""
gate       a gate: a hook may refuse
transform  a transform: a hook may only rewrite
context    a source of context: a hook may only add text or environment
observe    to be observed: a hook may only look
""")


def find_kind(name: str, dialect: str) -> str:
    """Return the canonical kind of an event by any of its names; empty if it is unknown.

    With a `dialect` its own meaning of the name goes before the canonical one; they may differ
    (docs/formats/vocabulary.md 1).
    """
    meanings = {label: kind for label, native, kind in _list_native_names() if native == name}
    if dialect and dialect != "hookline":
        return meanings.get(dialect) or (name if name in kinds.NAMES else "")
    return name if name in kinds.NAMES else next(iter(meanings.values()), "")


def list_event_names(dialect: str) -> list[str]:
    """Return the names of events: of one dialect, else canonical names and those of all."""
    named = [native for label, native, _ in _list_native_names() if dialect in ("", label)]
    return list(dict.fromkeys([*named, *kinds.NAMES] if dialect else [*kinds.NAMES, *named]))


def list_hosts(_given: Mapping[str, Any]) -> Iterable[str]:
    """Return the names of hosts, for a shell."""
    return NAMES


def list_events_of(given: Mapping[str, Any]) -> list[str]:
    """Return the names of events, for a shell: of the host or dialect that is typed, else all."""
    return list_event_names(given.get("host") or given.get("dialect") or "")


def suggest_event(name: str, more: Sequence[str] = ()) -> str:
    """Return a hint with the most similar name of an event, or of one of `more`."""
    return did_you_mean(
        name, (*kinds.NAMES, *(native for _, native, _ in _list_native_names()), *more)
    )


def make_kind_document(name: str, hooks: Sequence[str]) -> Document:
    """Return the `hookline.kind/1` document: an event, its names, and its row in each dialect."""
    kind = kinds.kind(name)
    return {
        "schema": "hookline.kind/1",
        "kind": name,
        "class": kind.cls,
        "powers": sorted(kind.powers),
        "redo": kind.redo,
        "payload": list(kind.payload),
        **_read_events()[name],
        "hooks": list(hooks),
    }


@cache
def _read_events() -> dict[str, Document]:
    """Return the native names and the rows of each event: what the tables of all dialects say.

    To read them takes a tenth of the time that it takes to load these dialects.
    """
    with open(os.path.join(os.path.dirname(__file__), "events.json"), encoding="utf-8") as file:
        events: dict[str, Document] = json.load(file)
    return events


def _list_native_names() -> Iterator[tuple[str, str, str]]:
    """Yield every native name as dialect, name and canonical kind."""
    for kind, event in _read_events().items():
        for label, natives in event["natives"].items():
            yield from ((label, native, kind) for native in natives)


# -- the page --------------------------------------------------------------------------------------

_MOST_HOOKS = 4  # that a page names
_HEAD = ("host", "event", "refuses", "a failed hook", "matcher")


def render_kind(dialect: str = "") -> Page:
    """Return the page of an event: a row for each dialect, or all about it in one dialect."""
    return partial(_render_kind, dialect=dialect)


def _render_kind(kind: Document, paint: Paint, *, dialect: str) -> Iterator[str]:
    rows = [row for row in kind["rows"] if dialect in ("", row["dialect"])]
    yield f"{paint('strong', kind['kind'])}, {CLASSES[kind['class']]}"
    if dialect and rows:
        for row in rows:
            yield f"{paint('name', row['native_event'])} of {row['dialect']}"
            yield from format_columns(_list_row(row, redo=kind["redo"]).items())
    else:
        others = [f"{', '.join(names)} ({label})" for label, names in kind["natives"].items()]
        shown = {
            "a hook may": "; ".join(_describe_powers(kind["powers"], redo=kind["redo"])) or "look",
            "payload": ", ".join(kind["payload"]),
            "elsewhere": "" if rows else ", ".join(others),
        }
        yield from format_columns(shown.items())
        table = [_HEAD, *map(_make_row, rows)] if rows else []
        yield from ("  ".join(("", *cells)).rstrip() for cells in fit_rows(table))
    hooks = ", ".join(kind["hooks"])
    if len(kind["hooks"]) > _MOST_HOOKS:
        hooks = f"{len(kind['hooks'])}, to see them: hookline list --event {kind['kind']}"
    yield from format_columns([("hooks here", hooks)])
    if rows and not dialect:
        yield "All about one host: --dialect HOST"


def _make_row(row: Document) -> tuple[str, ...]:
    refuses = "yes" if row["can_block"] else "no"
    matcher = f"the {row['matched']}" if row["matched"] else "none"
    return row["dialect"], row["native_event"], refuses, FAILED[row["on_failure"]], matcher


def _list_row(row: Document, *, redo: bool) -> dict[str, str]:
    return {
        "can refuse": "yes" if row["can_block"] else "no",
        "a failure": ON_FAILURE[row["on_failure"]],
        "plain stdout": "context for the model" if row["plain_context"] else "no context",
        "hooks run": "all at once" if row["parallel"] else "one after the other",
        "matcher": f"compared with the {row['matched']}" if row["matched"] else "",
        "a hook may": "; ".join(_describe_powers(row["powers"], redo=redo)) or "look",
        "payload": ", ".join(row["fields"]),
    }


def _describe_powers(names: Iterable[str], *, redo: bool = False) -> list[str]:
    """Describe powers, in a fixed order; at a stop gate a denial sends the agent back."""
    given = set(names)
    known = [
        POWERS[name] if not (redo and name == "deny") else "send the agent back to work"
        for name in POWERS
        if name in given
    ]
    return known + sorted(given - set(POWERS))
