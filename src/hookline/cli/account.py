"""`hookline explain`: why an event is decided as it is, or was; or what a code means, and what to do about it."""

from __future__ import annotations

import json as jsonlib
import re
from importlib.resources import files
from typing import Annotated

from hookline.cli import flags, offers, words
from hookline.cli.ending import OK, tell
from hookline.cli.fire import outcome, read_payload
from hookline.cli.paint import present
from hookline.engine.explain import explain as account
from hookline.engine.reason_display import reason_fields
from hookline.errors import CODES, CodecError, ConfigError
from hookline.text.masking import mask_text
from hookline.trust.policy import NEW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookline.cli.paint import Paint

_What = Annotated[
    str,
    flags.argument(
        metavar="EVENT|CODE|last|ID",
        help="an event to fire, a code such as HKL1203, or a decision of the journal",
        autocompletion=offers.explainable,
    ),
]
_NoRun = Annotated[
    bool, flags.option("--no-run", help="start no hook; tell only which ones would be asked")
]
_CODE = re.compile(r"HKL\d+", re.IGNORECASE)
_DECISION = re.compile(r"[0-9a-f]{8,16}")  # of the journal; no event is called like that


@flags.selecting
def explain(
    *,
    selection: flags.Selection,
    what: _What,
    host: flags.Host = "",
    input: flags.Input = "-",  # noqa: A002 - the name of the flag
    no_run: _NoRun = False,
    json: flags.Json = False,
    color: flags.Color = "auto",
) -> int:
    """Why each hook was asked or not, in what order, and what it said; or what a code means."""
    if what in CODES or _CODE.fullmatch(what):
        present(code_document(what), _code_page, json=json, color=color)
        return OK
    if what == "last" or _DECISION.fullmatch(what):
        from hookline.cli.log import show_decision  # noqa: PLC0415 - a database, which no other explanation needs

        return show_decision(what, json=json, color=color)
    payload = read_payload(input)
    with selection.engine() as engine:
        for problem in engine.problems:
            tell(str(problem))
        dialect = host or selection.dialect or None
        try:
            event, run = engine.event(what, payload, dialect=dialect), not no_run
        except CodecError:
            if payload:
                raise
            event, run = (
                engine.event(what, engine.blank(what, dialect=dialect), dialect=dialect),
                False,
            )
            tell("no payload: hooks are listed, none is run, and no tool is named")
        present(account(engine, event, run=run), explanation_page, json=json, color=color)
    return OK


# -- codes -------------------------------------------------------------------------------------------------------------


def code_document(word: str) -> dict[str, Any]:
    """`hookline.code/1`: the page of a code, by its number or its name.

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


def _code_page(page: dict[str, Any], paint: Paint) -> Iterator[str]:
    yield f"{paint('strong', page['code'])}  {page['name']}"
    yield ""
    yield page["meaning"]
    yield ""
    yield "for example:"
    yield from (f"  {line}" for line in page["example"])
    yield ""
    yield f"what to do: {page['fix']}"


# -- events ------------------------------------------------------------------------------------------------------------


def explanation_page(told: dict[str, Any], paint: Paint) -> Iterator[str]:
    """The explanation of one event: files, hooks that were asked, hooks that were not, decision."""
    event = told["event"]
    tool = f", tool `{event['tool']}`" if event["tool"] else ""
    yield f"{paint('strong', event['native_event'])} of {event['dialect']} ({event['kind']}, {words.CLASSES[event['class']]}){tool}"
    yield from _sources(told["sources"], paint)
    verdicts = told["decision"]["verdicts"] if told["decision"] else []
    chosen = sorted(
        (hook for hook in told["hooks"] if hook["selected"]), key=lambda hook: hook["order"]
    )
    yield from _section(
        "selected, in this order",
        paint,
        (line for hook in chosen for line in _selected(hook, verdicts, paint)),
    )
    yield from _section(
        "not selected", paint, _others(told["hooks"], event["kind"], verdicts, paint)
    )
    if told["decision"]:
        yield from _section(
            "decision",
            paint,
            (f"  {line}".replace("\n", "\n  ") for line in outcome(told["decision"], paint)),
        )


def _section(title: str, paint: Paint, lines: Iterator[str]) -> Iterator[str]:
    yield ""
    yield paint("strong", title)
    first = next(lines, None)
    yield first if first is not None else "  none"
    yield from lines


def _sources(sources: list[dict[str, Any]], paint: Paint) -> Iterator[str]:
    yield from _section(
        "files", paint, (line for source in sources for line in _source(source, paint))
    )


def _source(source: dict[str, Any], paint: Paint) -> Iterator[str]:
    marks = [
        source["dialect"],
        source["scope"],
        source["mode"],
        "trusted" if source["trusted"] else "hooks need an approval",
    ]
    marks += ["shadow"] if source["shadow"] else []
    held = words.counted(source["hooks"], "hook")
    wrong = (
        f", {paint('bad', words.counted(source['problems'], 'problem'))}"
        if source["problems"]
        else ""
    )
    yield f"  {paint('name', source['file'] or 'a tree')}  {', '.join(marks)}: {held}{wrong}"


def _selected(hook: dict[str, Any], verdicts: list[dict[str, Any]], paint: Paint) -> Iterator[str]:
    yield f"  {hook['order']}. {paint('name', hook['hook'])}  {hook['how']}{_inert(hook)}"
    yield from _said(hook, verdicts, paint)
    if hook["because"]:
        yield f"       not asked: {hook['because']}"


def _others(
    hooks: list[dict[str, Any]], kind: str, verdicts: list[dict[str, Any]], paint: Paint
) -> Iterator[str]:
    """The hooks that were not selected: each of this event, and the number of those of others."""
    others = [hook for hook in hooks if not hook["selected"]]
    near = [hook for hook in others if hook["kind"] == kind]
    for hook in near:
        yield f"  {paint('name', hook['hook'])}  {hook['because']}"
        yield from _said(hook, verdicts, paint)
    if len(others) > len(near):
        yield f"  {words.counted(len(others) - len(near), 'hook')} of other events"


def _inert(hook: dict[str, Any]) -> str:
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


def _said(hook: dict[str, Any], verdicts: list[dict[str, Any]], paint: Paint) -> Iterator[str]:
    """What a hook said, each time it was asked."""
    for verdict in verdicts:
        if verdict["hook"] != hook["hook"]:
            continue
        exit_code = "" if verdict["exit_code"] is None else f", exit {verdict['exit_code']}"
        yield f"       {paint.stance(verdict['stance'])} after {words.duration(verdict['seconds'])}{exit_code}"
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
