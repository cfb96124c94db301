"""`hookline explain`: explains the decision of an event, or the meaning of a code."""

from __future__ import annotations

import json as jsonlib
import re
from importlib.resources import files

from hookline.cli import phrases
from hookline.cli.exit_codes import OK, print_message
from hookline.cli.fire import describe_outcome, read_payload
from hookline.cli.options import COLOR, HOST, INPUT, JSON, option
from hookline.cli.pages import count_things, format_duration, print_page
from hookline.engine.explain import explain as account
from hookline.engine.reason_display import reason_fields
from hookline.errors import CODES, CodecError, ConfigError
from hookline.text.masking import mask_text
from hookline.trust.policy import NEW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookline.cli.pages import Paint
    from hookline.cli.selection import Selection
    from hookline.engine.engine import Engine

_CODE = re.compile(r"HKL\d+", re.IGNORECASE)
_DECISION = re.compile(r"[0-9a-f]{8,16}")  # of the journal; no event has such a name


def explain(
    selection: Selection,
    *,
    what: str = option(
        metavar="EVENT|CODE|last|ID",
        help="an event to fire, a code such as HKL1203, or a decision of the journal",
        complete=("last", "codes", "events"),
        is_required=True,
    ),
    host: str = HOST,
    input: str = INPUT,  # noqa: A002 - the name of the flag
    no_run: bool = option("--no-run", help="start no hook; tell only which ones would be asked"),
    json: bool = JSON,
    color: str = COLOR,
) -> int:
    """Why each hook was asked or not, in what order, and what it said; or what a code means."""
    if what in CODES or _CODE.fullmatch(what):
        print_page(make_code_document(what), _render_code, json=json, color=color)
        return OK
    if what == "last" or _DECISION.fullmatch(what):
        from hookline.cli.log import show_decision  # noqa: PLC0415 - a database, which no other explanation needs

        return show_decision(what, json=json, color=color)
    payload = read_payload(input)
    with selection.engine() as engine:
        for problem in engine.problems:
            print_message(str(problem))
        dialect = host or selection.dialect or None
        try:
            event, run = engine.event(what, payload, dialect=dialect), not no_run
        except CodecError:
            if payload:
                raise
            blank = make_blank_payload(engine, what, dialect)
            event, run = engine.event(what, blank, dialect=dialect), False
            print_message("no payload: hooks are listed, none is run, and no tool is named")
        print_page(account(engine, event, run=run), render_explanation, json=json, color=color)
    return OK


def make_blank_payload(engine: Engine, event: str, dialect: str | None) -> dict[str, Any]:
    """Return the smallest payload that an event can be raised with: what it cannot do without, left empty.

    Raises:
        CodecError: an unknown event.
    """
    dialects = engine.loader.dialects
    table = (dialects.host(dialect) if dialect else dialects.find_for_event(event)).table
    row = table.row(event) or table.row_of_kind(event)
    fields = row.fields if row else ()
    return {field.native: "" for field in fields if field.fact in ("tool", "prompt")}


# -- codes -------------------------------------------------------------------------------------------------------------


def make_code_document(word: str) -> dict[str, Any]:
    """Return the `hookline.code/1` document of a code, by its number or its name.

    Raises:
        ConfigError: no such code.
    """
    name = (
        word
        if word in CODES
        else next((name for name, code in CODES.items() if code == word.upper()), "")
    )
    if not name:
        raise ConfigError(
            f"unknown code `{word}`",
            name="config.option",
            hint="codes stand in the problems that hookline prints",
        )
    page = jsonlib.loads((files("hookline.cli") / "codes.json").read_text(encoding="utf-8"))[name]
    return {"schema": "hookline.code/1", "code": CODES[name], "name": name, **page}


def _render_code(page: dict[str, Any], paint: Paint) -> Iterator[str]:
    yield f"{paint('strong', page['code'])}  {page['name']}"
    yield ""
    yield page["meaning"]
    yield ""
    yield "for example:"
    yield from (f"  {line}" for line in page["example"])
    yield ""
    yield f"what to do: {page['fix']}"


# -- events ------------------------------------------------------------------------------------------------------------


def render_explanation(told: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Yield the explanation of one event: files, selected hooks, other hooks, decision."""
    event = told["event"]
    tool = f", tool `{event['tool']}`" if event["tool"] else ""
    yield f"{paint('strong', event['native_event'])} of {event['dialect']} ({event['kind']}, {phrases.CLASSES[event['class']]}){tool}"
    yield from _list_sources(told["sources"], paint)
    verdicts = told["decision"]["verdicts"] if told["decision"] else []
    chosen = sorted(
        (hook for hook in told["hooks"] if hook["selected"]), key=lambda hook: hook["order"]
    )
    yield from _list_section(
        "selected, in this order",
        paint,
        (line for hook in chosen for line in _describe_selected(hook, verdicts, paint)),
    )
    yield from _list_section(
        "not selected", paint, _list_unselected(told["hooks"], event["kind"], verdicts, paint)
    )
    if told["decision"]:
        yield from _list_section(
            "decision",
            paint,
            (
                f"  {line}".replace("\n", "\n  ")
                for line in describe_outcome(told["decision"], paint)
            ),
        )


def _list_section(title: str, paint: Paint, lines: Iterator[str]) -> Iterator[str]:
    yield ""
    yield paint("strong", title)
    first = next(lines, None)
    yield first if first is not None else "  none"
    yield from lines


def _list_sources(sources: list[dict[str, Any]], paint: Paint) -> Iterator[str]:
    yield from _list_section(
        "files", paint, (line for source in sources for line in _describe_source(source, paint))
    )


def _describe_source(source: dict[str, Any], paint: Paint) -> Iterator[str]:
    marks = [
        source["dialect"],
        source["scope"],
        source["mode"],
        "trusted" if source["trusted"] else "hooks need an approval",
    ]
    marks += ["shadow"] if source["shadow"] else []
    held = count_things(source["hooks"], "hook")
    wrong = (
        f", {paint('bad', count_things(source['problems'], 'problem'))}"
        if source["problems"]
        else ""
    )
    yield f"  {paint('name', source['file'] or 'a tree')}  {', '.join(marks)}: {held}{wrong}"


def _describe_selected(
    hook: dict[str, Any], verdicts: list[dict[str, Any]], paint: Paint
) -> Iterator[str]:
    yield f"  {hook['order']}. {paint('name', hook['hook'])}  {hook['how']}{_describe_marks(hook)}"
    yield from _list_verdicts(hook, verdicts, paint)
    if hook["because"]:
        yield f"       not asked: {hook['because']}"


def _list_unselected(
    hooks: list[dict[str, Any]], kind: str, verdicts: list[dict[str, Any]], paint: Paint
) -> Iterator[str]:
    """Yield the hooks of this event that were not selected, and the number of hooks of other events."""
    others = [hook for hook in hooks if not hook["selected"]]
    near = [hook for hook in others if hook["kind"] == kind]
    for hook in near:
        yield f"  {paint('name', hook['hook'])}  {hook['because']}"
        yield from _list_verdicts(hook, verdicts, paint)
    if len(others) > len(near):
        yield f"  {count_things(len(others) - len(near), 'hook')} of other events"


def _describe_marks(hook: dict[str, Any]) -> str:
    inert = f"{hook['standing'] or NEW}: does not run"
    marks = [
        mark
        for mark, holds in (
            (inert, not hook["trusted"]),
            ("broken", hook["broken"]),
            ("shadow", hook["shadow"]),
        )
        if holds
    ]
    return "".join(f", {mark}" for mark in marks)


def _list_verdicts(
    hook: dict[str, Any], verdicts: list[dict[str, Any]], paint: Paint
) -> Iterator[str]:
    """Yield each verdict of a hook."""
    for verdict in verdicts:
        if verdict["hook"] != hook["hook"]:
            continue
        exit_code = "" if verdict["exit_code"] is None else f", exit {verdict['exit_code']}"
        yield f"       {paint.stance(verdict['stance'])} after {format_duration(verdict['seconds'])}{exit_code}"
        told = (
            ("failed", mask_text(verdict["fault"] or "")),
            *reason_fields(verdict["reason"]),
            (
                "rewrite",
                jsonlib.dumps(verdict["rewrite"], ensure_ascii=False) if verdict["rewrite"] else "",
            ),
            ("for the agent", verdict["for_agent"]),
            ("for the user", verdict["for_user"]),
        )
        yield from (
            f"       {label}: {text}".replace("\n", "\n         ") for label, text in told if text
        )
