"""`hookline fire EVENT`: fire one event at the hooks, and print the decision."""

from __future__ import annotations

import json
import os
import sys
from time import monotonic

from hookline.cli.color import CHOICES, print_page
from hookline.cli.exit_codes import FINDINGS, OK, print_message, run_command
from hookline.cli.options import (
    DEADLINE,
    add_deadline,
    change_folder,
    make_parser,
    make_selection,
    parse_quickly,
    parse_seconds,
)
from hookline.cli.phrases import format_duration
from hookline.engine.catalog import make_dialect
from hookline.engine.deadline import hooks_seconds, host_deadline
from hookline.engine.journaling import open_journal
from hookline.errors import CodecError
from hookline.handlers.process_spec import Limits
from hookline.model.verdict import Stance
from hookline.wire.json_reader import read_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.cli.color import Paint
    from hookline.cli.options import Selection
    from hookline.handlers.supervisor import AnswerPipe
    from hookline.model.verdict import Decision

_EXAMPLES = """examples:
  hookline fire pre_tool_use --config hooks.yaml < payload.json
  hookline fire PreToolUse --config .claude/settings.json --input payload.json --json
"""
_CODES = "exit codes: 0 silent, allow or ask; 1 deny or halt; 2 usage or configuration error"


# Further options that are read without argparse, and whether a word follows.
_OWN: Mapping[str, bool] = {
    "--host": True,
    "--input": True,
    "--json": False,
    "--exit-zero": False,
    DEADLINE: True,
}


class _FireRequest:
    """An event to fire, the selected hooks, and the output format. `host`: the event's dialect.

    `seconds`: the deadline that the command line sets.
    """

    def __init__(
        self,
        event: str,
        selection: Selection,
        *,
        host: str = "",
        source: str = "-",
        json: bool = False,
        color: str = "auto",
        exit_zero: bool = False,
        seconds: float | None = None,
    ) -> None:
        self.seconds = seconds
        self.event = event
        self.selection = selection
        self.host = host
        self.source = source
        self.json = json
        self.color = color
        self.exit_zero = exit_zero


def fire_main(words: list[str], answers: AnswerPipe | None = None) -> int:
    """Fire an event; returns the exit code. `answers`: the way to the supervisor, which ends this process at its deadline."""
    return run_command("hookline fire", lambda: _fire(_parse_request(words), answers))


def _parse_request(words: list[str]) -> _FireRequest:
    found = parse_quickly(words, _OWN)
    if found is not None and len(found[0]) == 1:
        (event,), selection, own = found
        return _FireRequest(
            event,
            selection,
            host=own.get("--host", ""),
            source=own.get("--input", "-"),
            json="--json" in own,
            exit_zero="--exit-zero" in own,
            seconds=parse_seconds(own.get(DEADLINE, "")),
        )
    arguments = make_parser(
        "hookline fire", "Fire one event and print the decision.", _EXAMPLES, _CODES
    )
    arguments.add_argument(
        "event",
        metavar="EVENT",
        help="the event's native name, or a canonical one such as tool.before",
    )
    arguments.add_argument(
        "--host",
        default="",
        metavar="NAME",
        help="the dialect of the event, where it is not the files'",
    )
    arguments.add_argument(
        "--input", default="-", metavar="FILE", help="the payload; - is standard input (default)"
    )
    arguments.add_argument("--json", action="store_true", help="print the decision document")
    arguments.add_argument("--exit-zero", action="store_true", help="exit 0 also for a denial")
    arguments.add_argument(
        "--color", default="auto", choices=CHOICES, help="when to colour (default: auto)"
    )
    add_deadline(arguments)
    given = arguments.parse_args(words)
    told = {
        "host": given.host,
        "source": given.input,
        "json": given.json,
        "color": given.color,
        "exit_zero": given.exit_zero,
        "seconds": parse_seconds(given.deadline),
    }
    return _FireRequest(given.event, make_selection(given), **told)


def _fire(asked: _FireRequest, answers: AnswerPipe | None = None) -> int:
    seconds = asked.seconds
    if seconds is None and asked.host:
        seconds = host_deadline(make_dialect(asked.host).table, asked.event)
    if seconds is not None and answers is not None:
        answers.set_deadline(seconds, asked.event)
    until = None if seconds is None else monotonic() + seconds
    asked.selection.clean_environ()
    change_folder(asked.selection.folder)
    asked.selection.folder = "."
    decision = _decide(asked, until)
    print_page(decision.to_dict(), render_decision, json=asked.json, color=asked.color)
    return FINDINGS if decision.stance >= Stance.DENY and not asked.exit_zero else OK


def _decide(asked: _FireRequest, until: float | None) -> Decision:
    payload = read_payload(asked.source)
    with asked.selection.engine(
        parses_new=False, journal=open_journal(os.environ, print_message)
    ) as engine:
        for problem in engine.problems:
            print_message(str(problem))
        seconds = None
        if until is not None:
            seconds, grace = hooks_seconds(until - monotonic())
            engine.runtime.limits = (engine.runtime.limits or Limits()).replace(grace=grace)
        return engine.fire(
            asked.event,
            payload,
            dialect=asked.host or asked.selection.dialect or None,
            seconds=seconds,
        )


def read_payload(path: str) -> dict[str, Any]:
    """Return the payload in a file, or on standard input (`-`); an empty input is an empty payload.

    Raises:
        CodecError: it is no JSON object.
    """
    if path == "-" and (sys.stdin is None or sys.stdin.isatty()):
        return {}
    try:
        sent = sys.stdin.buffer.read() if path == "-" else _read_bytes(path)
    except OSError as error:
        raise CodecError(
            f"the payload `{path}` cannot be read: {(error.strerror or '').lower()}"
        ) from None
    payload = read_json(sent) if sent.strip() else {}
    if not isinstance(payload, dict):
        raise CodecError("the payload must be a JSON object")
    return payload


def _read_bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def render_decision(decision: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Yield a decision as text, and the verdict of each hook."""
    yield from describe_outcome(decision, paint)
    for verdict in decision["verdicts"]:
        fault = f"  {verdict['fault']}" if verdict["fault"] else ""
        shadow = " (shadow)" if verdict["shadow"] else ""
        yield f"  {paint.stance(verdict['stance'], 6)} {verdict['hook']}{shadow}  {format_duration(verdict['seconds'])}{fault}"
    if not decision["verdicts"]:
        yield "  no hook took part"


def describe_outcome(decision: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Yield the outcome of a decision: stance, reasons, rewrites and effects."""
    where = f"{decision['native_event']} ({decision['kind']}, {decision['dialect']})"
    yield f"{paint.stance(decision['stance'])}  {where} in {format_duration(decision['seconds'])}"
    if decision["reason"]:
        from hookline.engine.reason_display import reason_fields  # noqa: PLC0415 - most decisions have no reason

        for label, text in reason_fields(decision["reason"], decision["evidence"]):
            yield f"  {label}: {_indent(text)}"
    if decision["redo"]:
        yield "  the agent goes on working"
    if decision["retry_after"] is not None:
        yield f"  run it again after {decision['retry_after']:g} s"
    for target, value in (decision["rewrite"] or {}).items():
        yield f"  {target}: {json.dumps(value, ensure_ascii=False)}"
    yield from (f"  for the agent: {_indent(text)}" for text in decision["for_agent"])
    yield from (f"  for the user: {_indent(text)}" for text in decision["for_user"])
    yield from (
        f"  {effect}: {json.dumps(value, ensure_ascii=False)}"
        for effect, value in decision.get("effects", {}).items()
    )
    yield from (f"  lowered: {entry['effect']}: {entry['reason']}" for entry in decision["lowered"])


def _indent(text: str) -> str:
    return text.replace("\n", "\n    ")
