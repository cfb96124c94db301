"""The explanation of one event: which hooks run, in which order, why, and what they answer."""

from __future__ import annotations

import json

from hookline.cli.events import CLASSES
from hookline.cli.fire import read_payload
from hookline.cli.layout import shorten_path
from hookline.cli.output import (
    OK,
    Paint,
    Printer,
    count_things,
    format_fields,
    print_message,
)
from hookline.cli.verdicts import format_verdict, render_outcome
from hookline.engine.display import reason_fields
from hookline.engine.explain import explain
from hookline.engine.host_integrations import leave_to_host
from hookline.errors import CodecError
from hookline.text.masking import mask_text
from hookline.trust.state import NEW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.cli.options import Selection
    from hookline.cli.output import Document, Lines
    from hookline.engine.engine import Engine


def explain_event(
    selection: Selection, printer: Printer, what: str, *, host: str, path: str, runs: bool
) -> int:
    """Explain an event whose payload is in the file `path`; return the exit code."""
    payload = read_payload(path)
    with selection.engine() as engine:
        for problem in engine.problems:
            print_message(str(problem))
        dialect = host or selection.dialect or None
        try:
            event = engine.event(what, payload, dialect=dialect)
        except CodecError:
            if payload:
                raise
            blank = make_blank_payload(engine, what, dialect)
            event, runs = engine.event(what, blank, dialect=dialect), False
            print_message("no payload: hooks are listed, none is run, and no tool is named")
        if not selection.configs:
            _leave_to_host(engine, event.dialect)
        printer.print(explain(engine, event, run=runs), render_explanation)
    return OK


def _leave_to_host(engine: Engine, host: str) -> None:
    """Leave out the hooks that a host which calls hookline runs itself, as `answer` does."""
    before = len(engine.hooks)
    problems = leave_to_host(engine, host)
    for problem in problems:
        print_message(str(problem))
    if left := before - len(engine.hooks):
        print_message(f"{count_things(left, 'hook')} of {host} left out: {host} runs them itself")


def make_blank_payload(engine: Engine, event: str, dialect: str | None) -> Document:
    """Return the smallest payload of an event: the fields that it needs, left empty.

    Raises:
        CodecError: an unknown event.
    """
    dialects = engine.loader.dialects
    table = (dialects.host(dialect) if dialect else dialects.find_for_event(event)).table
    row = table.row(event) or table.row_of_kind(event)
    fields = row.fields if row else ()
    return {field.native: "" for field in fields if field.fact in ("tool", "prompt")}


def render_explanation(document: Document, paint: Paint) -> Lines:
    """Yield the explanation of one event: files, selected hooks, other hooks, decision."""
    event, decision = document["event"], document["decision"]
    tool = f", tool `{event['tool']}`" if event["tool"] else ""
    what = f"{event['kind']}, {CLASSES[event['class']]}"
    yield f"{paint('strong', event['native_event'])} of {event['dialect']} ({what}){tool}"
    hooks = document["hooks"]
    selected = sorted((hook for hook in hooks if hook["selected"]), key=lambda hook: hook["order"])
    others = [hook for hook in hooks if not hook["selected"]]
    same_event = [hook for hook in others if hook["kind"] == event["kind"]]
    verdicts = decision["verdicts"] if decision else []
    unselected = [line for hook in same_event for line in _describe_hook(hook, verdicts, paint)]
    if len(others) > len(same_event):
        count = count_things(len(others) - len(same_event), "hook")
        unselected.append(f"  {count} of other events")
    sections = {
        "files": [_describe_source(source, paint) for source in document["sources"]],
        "selected, in this order": [
            line for hook in selected for line in _describe_hook(hook, verdicts, paint)
        ],
        "not selected": unselected,
    }
    if decision:
        sections["decision"] = [
            f"  {line}".replace("\n", "\n  ") for line in render_outcome(decision, paint)
        ]
    for title, lines in sections.items():
        yield ""
        yield paint("strong", title)
        yield from lines or ["  none"]


def _describe_source(source: Document, paint: Paint) -> str:
    trust = "trusted" if source["trusted"] else "hooks need an approval"
    marks = [source["dialect"], source["scope"], source["mode"], trust]
    marks += ["shadow"] if source["shadow"] else []
    problems = source["problems"]
    bad = f", {paint('bad', count_things(problems, 'problem'))}" if problems else ""
    hooks = count_things(source["hooks"], "hook")
    file = paint("name", shorten_path(source["file"]) or "a tree")
    return f"  {file}  {', '.join(marks)}: {hooks}{bad}"


def _describe_hook(hook: Document, verdicts: list[Document], paint: Paint) -> Lines:
    """Yield a hook, in its place or with the reason why it has none, and its verdicts."""
    marks = [hook["how"]] if hook["selected"] else [hook["because"]]
    if hook["selected"]:
        marks += [f"knows the tool as `{hook['alias']}`"] if hook["alias"] else []
        marks += [] if hook["trusted"] else [f"{hook['standing'] or NEW}: does not run"]
        marks += [name for name in ("broken", "shadow") if hook[name]]
    order = f"{hook['order']}. " if hook["selected"] else ""
    yield f"  {order}{paint('name', hook['hook'])}  {', '.join(marks)}"
    for verdict in verdicts:
        if verdict["hook"] == hook["hook"]:
            yield f"       {format_verdict({**verdict, 'hook': ''}, paint).strip()}"
            yield from format_fields(_list_effects(verdict), "       ")
    if hook["selected"] and hook["because"]:
        yield f"       not asked: {hook['because']}"


def _list_effects(verdict: Document) -> Iterator[tuple[str, str]]:
    yield "failed", mask_text(verdict["fault"] or "")
    yield from reason_fields(verdict["reason"])
    rewrite = verdict["rewrite"]
    yield "rewrite", json.dumps(rewrite, ensure_ascii=False) if rewrite else ""
    yield "for the agent", verdict["for_agent"]
    yield "for the user", verdict["for_user"]
