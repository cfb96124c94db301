"""`hookline fire EVENT`: fire one event at the hooks, and print the decision."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from time import monotonic

from hookline.cli.options import DEADLINE, HOST, INPUT, Selection, call_command, option
from hookline.cli.output import (
    FINDINGS,
    OK,
    Paint,
    Printer,
    print_message,
    run_command,
)
from hookline.cli.verdicts import format_verdict, render_outcome
from hookline.engine.catalog import make_dialect
from hookline.engine.drive import hooks_seconds, host_deadline
from hookline.errors import CodecError
from hookline.handlers.process_spec import Limits
from hookline.model.verdict import Stance
from hookline.wire.json_reader import read_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.cli.output import Document, Lines
    from hookline.handlers.supervisor import AnswerPipe


def fire_main(words: list[str], answers: AnswerPipe | None = None) -> int:
    """Fire an event; returns the exit code.

    `answers`: the way to the supervisor, which ends this process at its deadline.
    """
    return run_command("hookline fire", lambda: call_command("fire", fire, words, answers=answers))


def fire(
    selection: Selection,
    printer: Printer,
    *,
    event: str = option(
        "EVENT",
        "the event as its host calls it, or a canonical name such as tool.before",
        complete="events",
    ),
    host: str = HOST,
    input: str = INPUT,  # noqa: A002 - the name of the flag
    exit_zero: bool = option("--exit-zero", "exit 0 for a denial too"),
    deadline: float = DEADLINE,
    answers: AnswerPipe | None = None,
) -> int:
    """Fire one event at the hooks, and print the decision."""
    began = monotonic()
    if host and not deadline:
        deadline = host_deadline(make_dialect(host).table, event)
    if deadline and answers is not None:
        answers.set_deadline(deadline, event)
    payload = read_payload(input)
    with selection.open(parses_new=False) as engine:
        for problem in engine.problems:
            print_message(str(problem))
        seconds = None
        if deadline:
            seconds, grace = hooks_seconds(deadline - (monotonic() - began))
            engine.runtime.limits = Limits(grace=grace)
        dialect = host or selection.dialect or None
        decision = engine.fire(event, payload, dialect=dialect, seconds=seconds)
    printer.print(decision.to_dict(), render_decision)
    return FINDINGS if decision.stance >= Stance.DENY and not exit_zero else OK


def read_payload(path: str) -> Document:
    """Return the payload in a file, or on standard input (`-`); an empty input is an empty payload.

    Raises:
        CodecError: it is no JSON object.
    """
    is_input = path == "-"
    if is_input and (sys.stdin is None or sys.stdin.isatty()):
        return {}
    try:
        with nullcontext(sys.stdin.buffer) if is_input else open(path, "rb") as file:
            sent = file.read()
    except OSError as error:
        raise CodecError(
            f"the payload `{path}` cannot be read: {(error.strerror or '').lower()}"
        ) from None
    payload = read_json(sent) if sent.strip() else {}
    if not isinstance(payload, dict):
        raise CodecError("the payload must be a JSON object")
    return payload


def render_decision(decision: Document, paint: Paint) -> Lines:
    """Yield a decision as text, and the verdict of each hook."""
    yield from render_outcome(decision, paint)
    for verdict in decision["verdicts"]:
        fault = f": {verdict['fault']}" if verdict["fault"] else ""
        yield f"  {format_verdict(verdict, paint)}{fault}"
    if not decision["verdicts"]:
        yield "  no hook took part"
