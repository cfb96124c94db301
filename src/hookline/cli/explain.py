"""`hookline explain`: explains the decision of an event, or the meaning of a code."""

from __future__ import annotations

import json
import os
import re

from hookline.cli.commands import load
from hookline.cli.options import HOST, INPUT, Selection, option, usage_error
from hookline.cli.output import OK, Paint, Printer
from hookline.errors import CODES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from hookline.cli.output import Document, Lines

_CODE = re.compile(r"HKL\d+", re.IGNORECASE)
_DECISION = re.compile(r"[0-9a-f]{8,16}")  # of the journal; no event has such a name


def explain(
    selection: Selection,
    printer: Printer,
    *,
    what: str = option(
        "EVENT|CODE|last|ID",
        "an event; a code such as HKL1203; or a decision: `last`, or its id in the journal",
        complete="last codes events",
    ),
    host: str = HOST,
    input: str = INPUT,  # noqa: A002 - the name of the flag
    no_run: bool = option("--no-run", "start no hook; only print which ones would run"),
) -> int:
    """Why each hook was asked or not, in what order, and what it answered; or what a code means."""
    if what in CODES or _CODE.fullmatch(what):
        printer.print(make_code_document(what), _render_code)
        return OK
    if what == "last" or _DECISION.fullmatch(what):
        return int(load("log.show_decision")(what, printer))
    function = load("explain_event.explain_event")
    return int(function(selection, printer, what, host=host, path=input, runs=not no_run))


# -- codes -----------------------------------------------------------------------------------------


def list_codes(_given: Mapping[str, Any]) -> Iterable[str]:
    """Return all codes, for a shell."""
    return CODES.values()


def make_code_document(word: str) -> Document:
    """Return the `hookline.code/1` document of a code, by its number or its name.

    Raises:
        ConfigError: no such code.
    """
    names = {code: name for name, code in CODES.items()} | {name: name for name in CODES}
    name = names.get(word) or names.get(word.upper())
    if not name:
        raise usage_error(
            f"unknown code `{word}`", "codes are in the problems that hookline prints"
        )
    with open(os.path.join(os.path.dirname(__file__), "codes.json"), encoding="utf-8") as file:
        page = json.load(file)[name]
    return {"schema": "hookline.code/1", "code": CODES[name], "name": name, **page}


def _render_code(page: Document, paint: Paint) -> Lines:
    yield f"{paint('strong', page['code'])}  {page['name']}"
    yield f"\n{page['meaning']}\n\nfor example:"
    yield from (f"  {line}" for line in page["example"])
    yield f"\nwhat to do: {page['fix']}"
