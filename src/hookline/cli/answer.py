"""`hookline answer HOST`: the host's payload on stdin, the host's own reply and exit code out.

Whatever happens here, the host never sees a traceback, and never an exit code that means something
else to it.
"""

from __future__ import annotations

import io
import os
import select
import sys
from time import monotonic, perf_counter

from hookline.cli.options import DEADLINE, option
from hookline.cli.selection import change_folder, parse_command
from hookline.engine.catalog import NAMES, make_dialect
from hookline.engine.drive import hooks_seconds, host_deadline
from hookline.engine.fallback import find_event, find_fallback
from hookline.engine.host_integrations import leave_to_host
from hookline.engine.hosts import find_existing_folder, find_project, leave_deleted_folder
from hookline.engine.journaling import open_journal
from hookline.engine.notices import add_to_stderr, is_shown
from hookline.errors import CodecError, ConfigError, HookError
from hookline.handlers.process_spec import Limits
from hookline.model.kinds import ACTIONS
from hookline.model.verdict import Reply
from hookline.wire.hookoutput import encode_text
from hookline.wire.json_reader import is_complete_json, read_json
from hookline.wire.payload import unknown_event_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from hookline.cli.selection import Selection
    from hookline.core.dialect import Table
    from hookline.core.dispatch import Run
    from hookline.engine.engine import Engine
    from hookline.engine.fallback import Fallback
    from hookline.handlers.process import BackgroundProgram
    from hookline.handlers.supervisor import AnswerPipe
    from hookline.journal.journal import Journal

LARGEST = 256 << 20  # bytes; a device may have no end
_CHUNK = 1 << 20  # bytes
_PAUSE = 0.02  # seconds without more input, after which complete JSON counts as all of it
# Errors of the command line, by name.
_USAGE = frozenset(("config.option", "config.dialect"))


class Request:
    """What a host asks by the command line: the `host` that it is, which hooks, and the `event`, where it names one.

    `seconds`: the deadline that the command line sets. `error`: why the command line cannot be
    used; `selection` is None then.
    """

    def __init__(
        self,
        host: str,
        event: str,
        selection: Selection | None = None,
        seconds: float | None = None,
        error: Exception | None = None,
    ) -> None:
        self.until = self.began = monotonic()
        self.host = host
        self.event = event
        self.selection = selection
        self.seconds = seconds
        self.error = error

    def set_deadline(self, sent: bytes, answers: AnswerPipe | None) -> None:
        """Find out by when the host must have its answer to the event that it sent, and tell the supervisor."""
        try:
            dialect = make_dialect(self.host)
        except HookError:  # which the answer to the event says
            return
        native = find_event(dialect, sent, self.event)
        seconds = self.seconds or host_deadline(dialect.table, native)
        self.until = self.began + seconds
        if answers is not None and self.error is None:
            answers.set_deadline(seconds, native)


def make_request(
    selection: Selection,
    *,
    host: str = option(
        metavar="HOST",
        is_required=True,
        help="the dialect that the host speaks",
        complete=("hosts",),
    ),
    event: str = option(
        "--event",
        metavar="NAME",
        help="the event, as the host calls it, if its payload does not say",
        complete=("events",),
    ),
    deadline: float | None = DEADLINE,
) -> Request:
    """Return the request that the options of `hookline answer` make.

    Raises:
        ConfigError: `--home` names no folder.
    """
    selection.clean_environ()
    return Request(host, event, selection, deadline)


def parse_request(words: list[str]) -> Request:
    """Return the request of a command line.

    It comes with its error, and what can be made out of it, if it cannot be used.
    """
    try:
        given = parse_command("answer", make_request, words)
        assert given is not None  # noqa: S101 - `main` leaves help to the other commands' way
        return make_request(**given)
    except Exception as error:  # noqa: BLE001 - a traceback must never reach a host
        host = next((word for word in words if word in NAMES), "")
        return Request(host, _find_value("--event", words), error=error)


def _find_value(option: str, words: list[str]) -> str:
    """Return the value of an option among words that cannot be parsed."""
    for word, following in zip(words, [*words[1:], ""], strict=False):
        if word == option:
            return following
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return ""


class AfterAnswer:
    """What goes on after the answer: `runs` of detached hooks to start, and programs that `left` for the background.

    `engine`: whose they are, set by `collect`.
    """

    engine: Engine

    def __init__(self) -> None:
        self.runs: list[Run] = []
        self.left: list[tuple[Run, BackgroundProgram]] = []

    def collect(self, engine: Engine) -> None:
        """Have an engine defer detached hooks and background programs until after the answer."""
        self.engine = engine
        engine.runtime.detach = self.runs.append
        engine.runtime.keep = lambda run, left: self.left.append((run, left))


def answer_main(words: list[str], answers: AnswerPipe | None = None) -> int:
    """Answer one event of a host, through its supervisor if there is one.

    Return the exit code that the host understands.
    """
    request = parse_request(words)
    later = AfterAnswer()
    reply = answer(request, later, answers)
    stays = bool(later.runs or later.left)
    if answers is None:
        _write_reply(reply)
    else:
        stdout, stderr = encode_text(reply.stdout), encode_text(reply.stderr)
        answers.send(reply.exit_code, stdout, stderr, stays=stays)
    if stays:
        # Most events have nothing detached.
        from hookline.cli.background import run_in_background, run_in_child  # noqa: PLC0415

        run = run_in_background if answers is None else run_in_child
        run(later.engine, later.runs, later.left)
    return reply.exit_code


def _write_reply(reply: Reply) -> None:
    for stream, text in ((sys.stdout, reply.stdout), (sys.stderr, reply.stderr)):
        if not text or stream is None:
            continue
        try:
            stream.buffer.write(encode_text(text))
            stream.flush()
        except OSError:  # the host has closed the stream; only the exit code can reach it
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def answer(request: Request, later: AfterAnswer, answers: AnswerPipe | None = None) -> Reply:
    """Return the reply to the event on standard input; the runs of detached hooks go to `later`.

    If no decision can be made, it is the fallback reply.
    """
    unwritten: list[str] = []
    sent = b""
    journal = open_journal(os.environ, unwritten.append)
    try:
        request.set_deadline(sent, answers)
        # A person may have typed a command line that cannot be used.
        if request.error is None or not (sys.stdin and sys.stdin.isatty()):
            sent = read_payload()
            request.set_deadline(sent, answers)
        reply = _decide_reply(request, sent, later, journal)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the outermost frame: a traceback must never reach a host
        reply = make_fallback(request, sent, error, journal).reply
    # The user sees what could not be written down beside every answer, a refusal too.
    return add_to_stderr(reply, [line for line in unwritten if not is_shown(reply, line)])


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
    left_to_host = leave_to_host(engine, host) if not selection.configs else ()
    seconds, grace = hooks_seconds(request.until - monotonic())
    engine.runtime.limits = Limits(grace=grace)
    return engine.answer(
        host,
        payload,
        event=request.event,
        seconds=seconds,
        notice=moved,
        problems=left_to_host,
    )


def _find_project(payload: Any, table: Table, environ: Mapping[str, str]) -> str:
    """Return the project's folder, by the host's variable and the folder that the payload names, if it names one."""
    here = os.getcwd()
    named = []
    for key in table.folder_keys() if isinstance(payload, dict) else ():
        value = payload.get(key)
        path = value[0] if isinstance(value, list) and value else value
        if isinstance(path, str) and path:
            named.append(path)
    if not named:
        return find_project(here, environ, table)
    folder = next(filter(os.path.isdir, named), None)
    folder = folder or find_existing_folder(named[0], here, environ, table)
    return find_project(folder, environ, table)


# -- standard input ----------------------------------------------------------------------------


def read_payload(largest: int = LARGEST) -> bytes:
    """Return what the host sends: up to the end of its input, or one complete JSON object or list.

    A host may keep its end open. So a payload that is complete counts when nothing more comes for a
    moment. What is larger than `largest` is cut off just behind it.
    """
    if sys.stdin is None:
        return b""
    try:
        descriptor = sys.stdin.fileno()
    except (io.UnsupportedOperation, AttributeError):
        return sys.stdin.buffer.read(largest + 1)
    return read_descriptor(descriptor, largest)


def read_descriptor(
    descriptor: int,
    largest: int = LARGEST,
    *,
    is_complete: Callable[[bytes], bool] = is_complete_json,
) -> bytes:
    """Return what can be read of a descriptor, as `read_payload` does of standard input."""
    sent, pause = bytearray(), _PAUSE
    while len(sent) <= largest:
        if sent and sent[-1:] in b"}] \t\r\n" and not _has_more(descriptor, pause):
            began = perf_counter()
            if is_complete(bytes(sent)):
                break
            # Looking takes at most half of the time, however often the host pauses.
            pause = max(_PAUSE, perf_counter() - began)
            _has_more(descriptor, None)
        part = os.read(descriptor, min(_CHUNK, largest + 1 - len(sent)))
        if not part:
            break
        sent += part
    return bytes(sent)


def _has_more(descriptor: int, seconds: float | None) -> bool:
    """Whether there is something to read, or the end, before the time is over."""
    return bool(select.select([descriptor], [], [], seconds)[0])


# -- without a decision ------------------------------------------------------------------------


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
    selection = request.selection
    found = find_fallback(
        request.host,
        sent,
        message,
        event=request.event,
        strict=selection is not None and selection.mode == "strict",
        acts=_has_guards(selection) if isinstance(error, CodecError) and selection else None,
    )
    note_unanswered(journal, request.host, message, refused=found.refuses)
    reply = found.reply
    if isinstance(error, HookError) and error.name in _USAGE:
        text = f"hookline answer: {message}\n"
        if not found.refuses:
            return found.replace(reply=Reply(stderr=text, exit_code=1))
        return found.replace(reply=reply.replace(stderr=text) if reply.stderr else reply)
    return found


def note_unanswered(journal: Journal | None, host: str, message: str, *, refused: bool) -> None:
    """Write into a journal that an event was not decided."""
    if journal is not None:
        journal.note("unanswered", dialect=host, message=message, refused=refused)


def _has_guards(selection: Selection) -> bool | None:
    """Whether a selected hook guards an action; None if that cannot be found out."""
    try:
        engine = selection.engine(parses_new=False, placed=False)
        return any(entry.spec.kind in ACTIONS for entry in engine.registry.entries())
    except Exception:  # noqa: BLE001 - the hooks themselves may be what is wrong
        return None
