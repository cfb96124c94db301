"""`hookline answer HOST`: the host's payload on stdin, the host's own reply and exit code out.

Whatever happens here, the host never sees a traceback, and never an exit code that means something
else to it.
"""

from __future__ import annotations

import io
import os
import re
import select
import sys
from time import monotonic, perf_counter

from hookline.cli.options import (
    DEADLINE,
    Selection,
    change_folder,
    option,
    parse_command,
    usage_error,
)
from hookline.engine.catalog import NAMES, make_dialect
from hookline.engine.drive import hooks_seconds, host_deadline
from hookline.engine.fallback import Fallback, find_fallback, name_event
from hookline.engine.host_integrations import leave_to_host
from hookline.engine.journaling import open_journal
from hookline.engine.notices import add_to_stderr, is_shown
from hookline.engine.projects import find_existing_folder, find_project, leave_deleted_folder
from hookline.errors import CodecError, HookError
from hookline.handlers.process_spec import Limits
from hookline.handlers.supervisor import AnswerPipe, write_streams
from hookline.model.frozen import Frozen
from hookline.model.kinds import ACTIONS
from hookline.model.verdict import Reply
from hookline.wire.hookoutput import encode_text
from hookline.wire.json_reader import is_complete_json, read_json
from hookline.wire.payload import unknown_event_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hookline.core.dialect import Table
    from hookline.core.dispatch import Run
    from hookline.engine.engine import Engine
    from hookline.handlers.process import BackgroundProgram
    from hookline.journal.journal import Journal

LARGEST = 256 << 20  # bytes; a device may have no end
_CHUNK = 1 << 20  # bytes
_PAUSE = 0.02  # seconds without more input, after which complete JSON counts as all of it
# Errors of the command line, by name.
_USAGE = frozenset(("config.option", "config.dialect"))
_EVENT = re.compile(r"--event[ =](\S+)")


class Request(Frozen):
    """What a host asks by the command line: the `host` that it is, and which hooks answer.

    `event`: its name, where the payload does not say. `deadline`: in seconds, where it is not the
    host's own. `guest`: which other program asks, in the dialect of the host. `error`: why the
    command line cannot be used; `selection` is None then.
    """

    host: str
    event: str = ""
    selection: Selection | None = None
    deadline: float = 0.0
    guest: str = ""
    error: Exception | None = None


def make_request(
    selection: Selection,
    *,
    host: str = option("HOST", "the host that asks", complete="hosts"),
    event: str = option(
        "--event NAME",
        "the event, if the payload does not name it",
        complete="events",
    ),
    deadline: float = DEADLINE,
    guest: str = option(
        "--guest NAME", "this other program asks, so no hook is left to the host", is_rare=True
    ),
) -> Request:
    """Return the request that the options of `hookline answer` make.

    Raises:
        ConfigError: `--home` names no folder, or an unknown host or event.
    """
    selection.clean_environ()
    selection.host = host
    table = make_dialect(host).table
    if event and table.row(event) is None:
        error = unknown_event_error(table, event)
        raise usage_error(error.message, error.hint)
    return Request(host=host, event=event, selection=selection, deadline=deadline, guest=guest)


def parse_request(words: list[str]) -> Request:
    """Return the request of a command line.

    It comes with its error, and what can be made out of it, if it cannot be used.
    """
    try:
        return make_request(**parse_command("answer", make_request, words))
    except Exception as error:  # noqa: BLE001 - a traceback must never reach a host
        host = next((word for word in words if word in NAMES), "")
        event = _EVENT.search(" ".join(words))
        return Request(host=host, event=event[1] if event else "", error=error)


def answer_main(
    words: list[str], answers: AnswerPipe | None = None, began: float | None = None
) -> int:
    """Answer one event of a host, through its supervisor if there is one.

    Return the exit code that the host understands. `began`: when the host started this, in seconds
    since 1970.
    """
    answer = Answer(parse_request(words), answers, began)
    reply = answer.make_reply()
    stdout, stderr = encode_text(reply.stdout), encode_text(reply.stderr)
    engine, stays = answer.engine, bool(answer.runs or answer.left)
    if answers is None:
        write_streams(stdout, stderr)
        if engine is not None:
            engine.close(seconds=engine.runtime.limits.detached)
    else:
        answers.send(reply.exit_code, stdout, stderr, stays=stays)
        if engine is not None and stays:
            # Most events have nothing detached.
            from hookline.cli.background import run_in_background  # noqa: PLC0415

            run_in_background(engine, answer.runs, answer.left)
    return reply.exit_code


class Answer:
    """The answer to the event on standard input.

    `runs` and `left`: with a supervisor, detached hooks to start after the answer, and programs
    that went to the background while they ran. `engine`: whose they are, once there is one.
    """

    def __init__(
        self, request: Request, answers: AnswerPipe | None = None, began: float | None = None
    ) -> None:
        self.request = request
        self.engine: Engine | None = None
        self.runs: list[Run] = []
        self.left: list[tuple[Run, BackgroundProgram]] = []
        self._began = monotonic()
        self._answers = answers
        self._sent = b""
        self._unwritten: list[str] = []
        self._journal = open_journal(os.environ, self._unwritten.append)
        if self._journal is not None:
            self._journal.began, self._journal.guest = began, request.guest

    def make_reply(self) -> Reply:
        """Return the reply; the fallback if no decision can be made."""
        error = self.request.error
        try:
            if error is None:  # a host may send nothing at all
                self._set_deadline()
            # A person may have typed a command line that cannot be used.
            if error is None or not (sys.stdin and sys.stdin.isatty()):
                self._sent = read_payload()
            reply = self._ask_hooks()
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the last frame
            reply = make_fallback(self.request, self._sent, error, self._journal).reply
        # The user sees what could not be written down beside every answer, a refusal too.
        lines = [line for line in self._unwritten if not is_shown(reply, line)]
        return add_to_stderr(reply, lines)

    def _set_deadline(self, payload: Any = None) -> float:
        """Tell the supervisor the event and its deadline; return that, as of `monotonic`."""
        request = self.request
        dialect = make_dialect(request.host)
        native = name_event(dialect, payload, request.event)
        seconds = request.deadline or host_deadline(dialect.table, native)
        if self._answers is not None:
            self._answers.set_deadline(seconds, native)
        return self._began + seconds

    def _ask_hooks(self) -> Reply:
        request = self.request
        selection, host = request.selection, request.host
        if request.error is not None or selection is None:
            raise request.error or AssertionError
        table = make_dialect(host).table
        if len(self._sent) > LARGEST:
            raise CodecError(f"the payload has more than {LARGEST:,} bytes")
        payload = read_json(self._sent, "stdin")
        until = self._set_deadline(payload)
        moved = leave_deleted_folder(os.environ, table)
        if selection.folder != ".":
            change_folder(selection.folder)
            selection.folder = os.getcwd()
        else:
            selection.folder = _find_project(payload, table)
            selection.clean_environ(selection.folder)
        engine = self.engine = selection.engine(
            parses_new=False, placed=False, journal=self._journal, sessions=selection.sessions()
        )
        if self._answers is not None:
            engine.runtime.detach = self.runs.append
            engine.runtime.keep = lambda run, left: self.left.append((run, left))
        problems = () if selection.configs or request.guest else leave_to_host(engine, host)
        seconds, grace = hooks_seconds(until - monotonic())
        engine.runtime.limits = Limits(grace=grace)
        return engine.answer(
            host, payload, event=request.event, seconds=seconds, notice=moved, problems=problems
        )


def _find_project(payload: Any, table: Table) -> str:
    """Return the project's folder, by the host's variable and the folder that the payload names."""
    here = os.getcwd()
    folders: list[str] = []
    for key in table.folder_keys() if isinstance(payload, dict) else ():
        named = payload.get(key)
        path = named[0] if isinstance(named, list) and named else named
        if isinstance(path, str) and path:
            folders.append(path)
    folders = folders or [here]
    folder = next(filter(os.path.isdir, folders), "")
    folder = folder or find_existing_folder(folders[0], here, os.environ, table)
    return find_project(folder, os.environ, table)


# -- standard input ----------------------------------------------------------------------------


def read_payload() -> bytes:
    """Return what the host sends, as `read_descriptor` does."""
    if sys.stdin is None:
        return b""
    try:
        return read_descriptor(sys.stdin.fileno())
    except io.UnsupportedOperation:  # a program gives a text
        return sys.stdin.buffer.read(LARGEST + 1)


def read_descriptor(
    descriptor: int,
    largest: int = LARGEST,
    *,
    is_complete: Callable[[bytes], bool] = is_complete_json,
) -> bytes:
    """Return what is sent up to its end, or up to the end of one JSON object or list.

    A host may keep its end open. So a payload that is complete counts when nothing more comes for a
    moment. What is larger than `largest` is cut off just behind it.
    """
    sent, pause = bytearray(), _PAUSE
    while len(sent) <= largest:
        if sent and sent[-1:] in b"}] \t\r\n":
            more, _, _ = select.select([descriptor], [], [], pause)
            if not more:
                began = perf_counter()
                if is_complete(bytes(sent)):
                    break
                # Looking takes at most half of the time, however often the host pauses.
                pause = max(_PAUSE, perf_counter() - began)
        part = os.read(descriptor, min(_CHUNK, largest + 1 - len(sent)))
        if not part:
            break
        sent += part
    return bytes(sent)


# -- without a decision ------------------------------------------------------------------------


def make_fallback(
    request: Request, sent: bytes, error: BaseException, journal: Journal | None = None
) -> Fallback:
    """Return the reply if no decision could be made: a refusal before an action, else a notice.

    A command line that cannot be used is exit 1 there, with the same text.
    """
    message = str(error)
    if not isinstance(error, HookError | OSError):
        message = f"internal error: {type(error).__name__}: {error}"
    selection = request.selection
    found = find_fallback(
        request.host,
        sent,
        message,
        event=request.event,
        strict=selection is not None and selection.mode == "strict",
        acts=_has_guards(selection) if isinstance(error, CodecError) and selection else None,
    )
    _note_unanswered(journal, request.host, message, refused=found.refuses)
    reply = found.reply
    if isinstance(error, HookError) and error.name in _USAGE:
        text = f"hookline answer: {message}\n"
        if not found.refuses:
            return found.replace(reply=Reply(stderr=text, exit_code=1))
        return found.replace(reply=reply.replace(stderr=text) if reply.stderr else reply)
    return found


def write_fallback(
    words: list[str], event: str, message: str, end_worker: Callable[[], object]
) -> int:
    """Write the reply to an event that a worker did not answer, and return its exit code.

    `end_worker` is called as soon as the host has its reply: the worker may keep the journal busy.
    """
    request = parse_request(words)
    request = request.replace(event=event or request.event)
    found = make_fallback(request, b"", TimeoutError(message))
    write_streams(encode_text(found.reply.stdout), encode_text(found.reply.stderr))
    end_worker()
    journal = open_journal(os.environ, lambda _line: None)
    _note_unanswered(journal, request.host, message, refused=found.refuses)
    return found.reply.exit_code


def _note_unanswered(journal: Journal | None, host: str, message: str, *, refused: bool) -> None:
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
