"""`hookline answer HOST`: the host's payload on stdin, the host's own reply and exit code out.

Whatever happens here, the host never sees a traceback, and never an exit code that means something else to it.
"""

from __future__ import annotations

import json
import os
import sys

from hookline.cli.options import parser, selection
from hookline.engine.catalog import make_dialect
from hookline.errors import CodecError, HookError
from hookline.model.handler import Command
from hookline.model.reply import Reply
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from hookline.core.dispatch import Run
    from hookline.engine.engine import Engine

_EXAMPLES = """examples:
  hookline answer claude-code < payload.json
  hookline answer claude-code --config .claude/settings.json < payload.json
"""


def answer_main(words: list[str]) -> int:
    """Answer one event of a host; returns the exit code that the host understands."""
    arguments = parser("hookline answer", "Answer an event in a host's own words.", _EXAMPLES)
    arguments.add_argument("host", metavar="HOST", help="the dialect that the host speaks")
    given = arguments.parse_args(words)
    later: list[Run] = []
    try:
        reply = _reply(given, sys.stdin.buffer.read(), later)
    except (HookError, OSError) as error:
        reply = _unanswered(given, str(error))
    except Exception as error:  # noqa: BLE001 - the outermost frame: a traceback must never reach a host
        reply = _unanswered(given, f"internal error: {type(error).__name__}: {error}")
    _print(reply)
    if later:
        _run_behind(later)
    return reply.exit_code


def _reply(given: argparse.Namespace, sent: bytes, later: list[Run]) -> Reply:
    try:
        payload = json.loads(sent)
    except (ValueError, RecursionError) as error:
        raise CodecError(f"stdin is no JSON payload: {error}") from None
    make_dialect(given.host)  # an unknown host is an error even where there are no hooks
    if given.folder == "." and isinstance(payload, dict) and os.path.isdir(str(payload.get("cwd", ""))):
        given.folder = payload["cwd"]
    engine = selection(given).engine(placed=False, detach=later.append)
    if not given.config:
        engine = _without_own(engine, given)
    return engine.answer(given.host, payload)


def _without_own(engine: Engine, given: argparse.Namespace) -> Engine:
    """The engine less the host's own files, where these call us: such a host runs their other hooks by itself."""
    calls_us = f"hookline answer {given.host}"
    for spec in engine.hooks:
        handler = spec.handler
        if spec.dialect == given.host and isinstance(handler, Command) and calls_us in (handler.script or " ".join(handler.argv)):
            engine.drop_dialect(given.host)
            break
    return engine


def _unanswered(given: argparse.Namespace, message: str) -> Reply:
    """No decision could be made: what that means is what a failed hook means to the host, and it is said aloud."""
    told = f"hookline: {message}\n"
    try:
        closed = given.mode == "strict" or any(row.fails >= Stance.DENY for row in make_dialect(given.host).table.rows.values())
    except HookError:
        closed = given.mode == "strict"
    # Exit 2 is the refusal of every dialect whose hooks are commands; 0 without output is no opinion.
    return Reply(stderr=told, exit_code=2 if closed else 0)


def _print(reply: Reply) -> None:
    for stream, text in ((sys.stdout, reply.stdout), (sys.stderr, reply.stderr)):
        if text:
            stream.buffer.write(text.encode("utf-8", "surrogatepass"))
        stream.flush()


def _run_behind(runs: list[Any]) -> None:
    """Run what nobody waits for in a process of its own: the host waits for the end of this one."""
    if os.fork():
        return
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(nothing, fd)
        from hookline.handlers.table import perform_all  # noqa: PLC0415 - most events have nothing detached

        perform_all(runs)
    finally:
        os._exit(0)
