"""`hookline answer HOST`: the host's payload on stdin, the host's own reply and exit code out.

Whatever happens here, the host never sees a traceback, and never an exit code that means something else to it.
"""

from __future__ import annotations

import os
import sys
from time import monotonic

from hookline.cli.options import (
    DEADLINE,
    add_deadline,
    change_folder,
    make_parser,
    make_selection,
    parse_quickly,
    parse_seconds,
)
from hookline.cli.stdin import LARGEST, is_terminal, read_payload
from hookline.engine.catalog import NAMES, make_dialect
from hookline.engine.deadline import hooks_seconds, host_deadline
from hookline.engine.event_problems import list_errors
from hookline.engine.fallback import find_event, find_fallback
from hookline.engine.host_integrations import leave_to_host
from hookline.engine.journaling import open_journal
from hookline.engine.notices import add_to_stderr, is_shown
from hookline.engine.projects import find_existing_folder, find_project, leave_deleted_folder
from hookline.errors import CodecError, ConfigError, HookError
from hookline.handlers.process_spec import Limits
from hookline.model.kinds import ACTIONS
from hookline.model.reply import Reply
from hookline.wire.hookoutput import encode_text
from hookline.wire.json_reader import read_json
from hookline.wire.payload import unknown_event_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.cli.options import Selection
    from hookline.core.dialect import Table
    from hookline.core.dispatch import Run
    from hookline.engine.engine import Engine
    from hookline.engine.fallback import Fallback
    from hookline.handlers.process import BackgroundProgram
    from hookline.handlers.supervisor import AnswerPipe
    from hookline.journal.journal import Journal

_EVENT = "--event"
# Errors of the command line, by name.
_USAGE = frozenset(("config.option", "config.dialect"))
_EXAMPLES = """examples:
  hookline answer claude-code < payload.json
  hookline answer claude-code --config .claude/settings.json < payload.json
"""


class Request:
    """What a host asks by the command line: the `host` that it is, which hooks, and the `event`, where it names one.

    `seconds`: the deadline that the command line sets. `error`: why the command line cannot be used; the other words are then what can be made out of it.
    """

    def __init__(self, words: list[str]) -> None:
        self.began = monotonic()
        self.error: Exception | None = None
        self.selection: Selection | None = None
        self.seconds: float | None = None
        try:
            self.host, self.selection, self.event, self.seconds = _parse_words(words)
            self.selection.clean_environ()
        except Exception as error:  # noqa: BLE001 - a traceback must never reach a host
            self.error = error
            self.host = next((word for word in words if word in NAMES), "")
            self.event = _find_value(_EVENT, words)

    @property
    def strict(self) -> bool:
        return self.selection is not None and self.selection.mode == "strict"

    def set_deadline(self, sent: bytes, answers: AnswerPipe | None) -> None:
        """Find out by when the host must have its answer to the event that it sent, and tell the supervisor."""
        if answers is None or self.error is not None:
            return
        try:
            dialect = make_dialect(self.host)
        except HookError:  # which is said when the event is answered
            return
        native = find_event(dialect, sent, self.event)
        answers.set_deadline(self.seconds or host_deadline(dialect.table, native), native)

    def hooks_seconds(self, table: Table, native: str) -> tuple[float | None, float]:
        """The seconds from now for all hooks, and the grace of one that timed out."""
        limit = self.seconds or host_deadline(table, native)
        return hooks_seconds(limit - (monotonic() - self.began))


class AfterAnswer:
    """What goes on after the answer: `runs` of detached hooks to start, and programs that `left` for the background.

    `engine`: whose they are, once there is any.
    """

    def __init__(self) -> None:
        self.engine: Engine | None = None
        self.runs: list[Run] = []
        self.left: list[tuple[Run, BackgroundProgram]] = []

    def collect(self, engine: Engine) -> None:
        """Have an engine defer detached hooks and background programs until after the answer."""

        def detach(run: Run) -> None:
            self.engine = engine
            self.runs.append(run)

        def keep(run: Run, left: BackgroundProgram) -> None:
            self.engine = engine
            self.left.append((run, left))

        engine.runtime.detach, engine.runtime.keep = detach, keep


def answer_main(words: list[str]) -> int:
    """Answer one event of a host; returns the exit code that the host understands."""
    request = Request(words)
    later = AfterAnswer()
    reply = answer(request, later)
    _write_reply(reply)
    if later.engine is not None:
        from hookline.cli.background import run_in_background  # noqa: PLC0415 - most events have nothing detached

        run_in_background(later.engine, later.runs, later.left)
    return reply.exit_code


def answer_in_worker(words: list[str], answers: AnswerPipe) -> int:
    """Answer one event through the supervisor, and stay with the hooks that run in the background."""
    request = Request(words)
    later = AfterAnswer()
    reply = answer(request, later, answers)
    answers.send(
        reply.exit_code,
        encode_text(reply.stdout),
        encode_text(reply.stderr),
        stays=later.engine is not None,
    )
    if later.engine is not None:
        from hookline.cli.background import run_in_child  # noqa: PLC0415 - as above

        run_in_child(later.engine, later.runs, later.left)
    return reply.exit_code


def answer(request: Request, later: AfterAnswer, answers: AnswerPipe | None = None) -> Reply:
    """Return the reply to the event on standard input; the runs of detached hooks go to `later`."""
    request.set_deadline(b"", answers)
    told: list[str] = []
    sent = b""
    journal = open_journal(os.environ, told.append)
    try:
        if request.error is None or not is_terminal():
            sent = read_payload()
            request.set_deadline(sent, answers)
        reply = answer_bytes(request, sent, later, journal)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the outermost frame: a traceback must never reach a host
        reply = make_fallback(request, sent, error, journal).reply
    # What could not be written down is said beside every answer, a refusal too: a journal is never silent.
    return add_to_stderr(reply, [line for line in told if not is_shown(reply, line)])


def answer_bytes(
    request: Request, sent: bytes, later: AfterAnswer, journal: Journal | None
) -> Reply:
    """Return the reply to the event that these bytes are, or the fallback reply where no decision can be made."""
    try:
        return _decide_reply(request, sent, later, journal)
    except Exception as error:  # noqa: BLE001 - as above
        return make_fallback(request, sent, error, journal).reply


def _parse_words(words: list[str]) -> tuple[str, Selection, str, float | None]:
    found = parse_quickly(words, {_EVENT: True, DEADLINE: True})
    if found is not None and len(found[0]) == 1:
        own = found[2]
        return found[0][0], found[1], own.get(_EVENT, ""), parse_seconds(own.get(DEADLINE, ""))
    arguments = make_parser("hookline answer", "Answer an event in a host's own words.", _EXAMPLES)
    arguments.add_argument("host", metavar="HOST", help="the dialect that the host speaks")
    arguments.add_argument(
        _EVENT, default="", metavar="NAME", help="the event, as the host calls it, if its payload does not say"
    )  # fmt: skip
    add_deadline(arguments)
    given = arguments.parse_args(words)
    return given.host, make_selection(given), given.event, parse_seconds(given.deadline)


def _find_value(option: str, words: list[str]) -> str:
    """Return the value of an option among words that cannot be parsed."""
    for word, following in zip(words, [*words[1:], ""], strict=False):
        if word == option:
            return following
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return ""


def _decide_reply(
    request: Request, sent: bytes, later: AfterAnswer, journal: Journal | None
) -> Reply:
    if request.error is not None:
        raise request.error
    selection, host = request.selection, request.host
    assert selection is not None  # noqa: S101 - there is one where there is no error
    table = make_dialect(host).table  # an unknown host is an error even where there are no hooks
    if request.event and table.row(request.event) is None:
        error = unknown_event_error(table, request.event)
        raise ConfigError(error.message, name="config.option", hint=error.hint)
    if len(sent) > LARGEST:
        raise CodecError(f"the payload has more than {LARGEST:,} bytes")
    payload = read_json(sent, "stdin")
    moved = leave_deleted_folder(os.environ, table)
    if selection.folder != ".":
        change_folder(selection.folder)
        selection.folder = os.getcwd()
    else:
        selection.folder = _find_project(payload, table, os.environ)
        selection.clean_environ(selection.folder)
    selection.host = host
    engine = selection.engine(
        parses_new=False,
        placed=False,
        journal=journal,
        sessions=selection.sessions(os.environ),
    )
    later.collect(engine)
    said = leave_to_host(engine, host) if not selection.configs else ()
    seconds, grace = request.hooks_seconds(
        table, find_event(engine.host(host), sent, request.event)
    )
    if seconds is not None:
        engine.runtime.limits = (engine.runtime.limits or Limits()).replace(grace=grace)
    return engine.answer(
        host,
        payload,
        event=request.event,
        seconds=seconds,
        notice=moved,
        problems=lambda event: (*said, *list_errors(engine, event)),
    )


def _find_project(payload: Any, table: Table, environ: Mapping[str, str]) -> str:
    """Return the project's folder, by the host's variable and the payload."""
    folder = _find_folder(payload, table) if isinstance(payload, dict) else ""
    here = os.getcwd()
    if folder and not os.path.isdir(folder):
        folder = find_existing_folder(folder, here, environ, table)
    return find_project(folder or here, environ, table)


def _find_folder(payload: Mapping[str, Any], table: Table) -> str:
    """Return the folder that the payload names, the first that exists if there is one; empty if it names none."""
    named = (payload.get(key) for key in table.folder_keys())
    flat = (value[0] if isinstance(value, list) and value else value for value in named)
    paths = [path for path in flat if isinstance(path, str) and path]
    return next((path for path in paths if os.path.isdir(path)), paths[0] if paths else "")


def note_unanswered(request: Request, message: str, *, refused: bool) -> None:
    """Write into the journal that an event was not decided in time."""
    journal = open_journal(os.environ, lambda _line: None)
    if journal is not None:
        journal.note("unanswered", dialect=request.host, message=message, refused=refused)
        journal.close()


def make_fallback(
    request: Request, sent: bytes, error: BaseException, journal: Journal | None = None
) -> Fallback:
    """Return the reply if no decision could be made: a refusal before an action, else a notice.

    A command line that cannot be used is exit 1 there, with the same text.
    """
    message = (
        str(error)
        if isinstance(error, HookError | OSError)
        else f"internal error: {type(error).__name__}: {error}"
    )
    acts = _has_guards(request) if isinstance(error, CodecError) else None
    found = find_fallback(
        request.host, sent, message, event=request.event, strict=request.strict, acts=acts
    )
    if journal is not None:
        journal.note("unanswered", dialect=request.host, message=message, refused=found.refuses)
    reply = found.reply
    if isinstance(error, HookError) and error.name in _USAGE:
        text = f"hookline answer: {message}\n"
        if not found.refuses:
            return found.replace(reply=Reply(stderr=text, exit_code=1))
        return found.replace(reply=reply.replace(stderr=text) if reply.stderr else reply)
    return found


def _has_guards(request: Request) -> bool | None:
    """Whether a selected hook guards an action; None if that cannot be found out."""
    assert request.selection is not None  # noqa: S101 - the payload was read, so the command line could be
    try:
        engine = request.selection.engine(parses_new=False, placed=False)
        entries = engine.registry.entries()
        return any(entry.spec.kind in ACTIONS for entry in entries)
    except Exception:  # noqa: BLE001 - the hooks themselves may be what is wrong
        return None


def _write_reply(reply: Reply) -> None:
    for stream, text in ((sys.stdout, reply.stdout), (sys.stderr, reply.stderr)):
        if not text or stream is None:
            continue
        try:
            stream.buffer.write(encode_text(text))
            stream.flush()
        except OSError:  # the host has closed the stream; only the exit code can reach it
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
