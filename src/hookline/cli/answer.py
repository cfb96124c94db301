"""`hookline answer HOST`: the host's payload on stdin, the host's own reply and exit code out.

Whatever happens here, the host never sees a traceback, and never an exit code that means something else to it.
"""

from __future__ import annotations

import json
import os
import sys

from hookline.cli.options import enter, parser, quick, selection_of
from hookline.engine.callers import leave_to_host
from hookline.engine.catalog import make_dialect
from hookline.engine.event_problems import errors_about
from hookline.engine.journaling import journal_of
from hookline.engine.projects import project_of
from hookline.engine.unheard import heard
from hookline.engine.unsaid import is_told, told_beside, unsaid
from hookline.errors import CodecError, HookError
from hookline.model.reply import Reply
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.cli.options import Selection
    from hookline.core.dialect import Table
    from hookline.core.dispatch import Run
    from hookline.engine.engine import Engine
    from hookline.journal.journal import Journal
    from hookline.model.problem import Problem
    from hookline.model.verdict import Decision

_EXAMPLES = """examples:
  hookline answer claude-code < payload.json
  hookline answer claude-code --config .claude/settings.json < payload.json
"""


def answer_main(words: list[str]) -> int:
    """Answer one event of a host; returns the exit code that the host understands."""
    try:
        host, selection = _parsed(words)
    except HookError as error:
        # Whatever the host was to be answered, it was not: the refusal of every dialect whose hooks are commands.
        _print(Reply(stderr=f"hookline answer: {error}\n"))
        return 2
    later: list[tuple[Engine, Run]] = []
    told: list[str] = []
    journal = journal_of(os.environ, told.append)
    sent = b""
    try:
        sent = sys.stdin.buffer.read() if sys.stdin else b""
        reply = _reply(host, selection, sent, later, journal)
    except (HookError, OSError) as error:
        reply = _unanswered(host, selection, str(error), journal, sent)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the outermost frame: a traceback must never reach a host
        reply = _unanswered(
            host, selection, f"internal error: {type(error).__name__}: {error}", journal, sent
        )
    # What could not be written down is said beside every answer, a refusal too: a journal is never silent.
    _print(told_beside(reply, [line for line in told if not is_told(reply, line)]))
    if later:
        from hookline.cli.behind import run_behind  # noqa: PLC0415 - most events have nothing detached

        run_behind(later[0][0], [run for _, run in later])
    return reply.exit_code


def _parsed(words: list[str]) -> tuple[str, Selection]:
    found = quick(words)
    if found is not None and len(found[0]) == 1:
        return found[0][0], found[1]
    arguments = parser("hookline answer", "Answer an event in a host's own words.", _EXAMPLES)
    arguments.add_argument("host", metavar="HOST", help="the dialect that the host speaks")
    given = arguments.parse_args(words)
    return given.host, selection_of(given)


def _reply(
    host: str,
    selection: Selection,
    sent: bytes,
    later: list[tuple[Engine, Run]],
    journal: Journal | None,
) -> Reply:
    try:
        payload = json.loads(sent)
    except json.JSONDecodeError as error:
        raise CodecError(
            f"stdin is no JSON payload: {error.msg.lower()} at line {error.lineno}, column {error.colno}"
        ) from None
    except (ValueError, RecursionError):
        raise CodecError("stdin is no JSON text in UTF-8, or nested too deeply") from None
    table = make_dialect(host).table  # an unknown host is an error even where there are no hooks
    if selection.folder != ".":
        enter(selection.folder)
        selection.folder = os.getcwd()
    else:
        selection.folder = _project(payload, table, os.environ)
    selection.host = host
    engine = selection.engine(
        alone=True, placed=False, journal=journal, sessions=selection.sessions(os.environ)
    )
    engine.detach = lambda run: later.append((engine, run))
    said = leave_to_host(engine, host) if not selection.configs else ()
    speaking = engine.host(host)
    event = speaking.decode_event(payload)
    decision = heard(engine, event, engine.fire(event))
    problems = (*said, *errors_about(engine, event))
    return _with_notices(speaking.encode_decision(decision, event), decision, problems)


def _project(payload: Any, table: Table, environ: Mapping[str, str]) -> str:
    """The project's folder, by what the host's variable and its payload say."""
    return project_of(
        (_folder(payload, table) if isinstance(payload, dict) else "") or os.getcwd(),
        environ,
        table,
    )


def _folder(payload: Mapping[str, Any], table: Table) -> str:
    """The folder that the host names; empty where it names none that exists."""
    named = (payload.get(key) for key in table.folder_keys())
    flat = (value[0] if isinstance(value, list) and value else value for value in named)
    return next((path for path in flat if isinstance(path, str) and os.path.isdir(path)), "")


def _with_notices(reply: Reply, decision: Decision, problems: tuple[Problem, ...]) -> Reply:
    """The reply, with what its reader should know on stderr: beside a refusal, whose stderr is the reason, only what the user is to be told.

    That is what is wrong with the hooks, and what they said in vain: a guard that asks, or that could not run, must not seem
    to have said nothing.
    """
    if reply.exit_code:
        lines = (line for text in decision.for_user for line in text.splitlines())
        return told_beside(
            reply, (line for line in lines if line.strip() and not is_told(reply, line))
        )
    return told_beside(reply, (*map(str, problems), *unsaid(decision, reply)))


def _unanswered(
    host: str, selection: Selection, message: str, journal: Journal | None, sent: bytes
) -> Reply:
    """No decision could be made: what that means is what a failed hook means to the host, and it is said aloud.

    Where the host goes on, its user is told in the host's own words, if it has any: few hosts show what stands on stderr.
    """
    told = f"hookline: {message}\n"
    try:
        closed = selection.mode == "strict" or any(
            row.fails >= Stance.DENY for row in make_dialect(host).table.rows.values()
        )
    except Exception:  # noqa: BLE001 - as above, whatever is wrong with the dialect itself
        closed = selection.mode == "strict"
    if journal is not None:
        journal.note("unanswered", dialect=host, message=message, refused=closed)
    # Exit 2 is the refusal of every dialect whose hooks are commands; 0 without output is no opinion.
    if closed:
        return Reply(stderr=told, exit_code=2)
    shown = _note(host, sent, told.strip())
    return Reply(stdout=shown, stderr="" if shown else told)


def _note(host: str, sent: bytes, told: str) -> str:
    """A reply that decides nothing and tells the user something; empty where the host, or this event of it, has no word for that."""
    from hookline.core.fold import silence  # noqa: PLC0415 - something went wrong, and nobody is in a hurry

    try:
        dialect = make_dialect(host)
        event = dialect.decode_event(json.loads(sent))
        row = dialect.table.row(event.native_name)
        if row is None or "note" not in row.powers:
            return ""
        return dialect.encode_decision(silence(event).replace(for_user=(told,)), event).stdout
    except Exception:  # noqa: BLE001 - as in `answer_main`: the host gets no traceback, and stderr tells it already
        return ""


def _print(reply: Reply) -> None:
    for stream, text in ((sys.stdout, reply.stdout), (sys.stderr, reply.stderr)):
        if not text or stream is None:
            continue
        try:
            stream.buffer.write(text.encode("utf-8", "surrogatepass"))
            stream.flush()
        except OSError:  # the host has gone away; the exit code is all that is left to tell
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
