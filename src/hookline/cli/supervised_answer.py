"""`hookline answer` as a host starts it: a supervisor writes the reply of its worker, or its own.

The supervisor loads next to nothing while its worker is in time.
"""

from __future__ import annotations

import os
import signal
import time

from hookline.handlers.supervisor import AnswerPipe, Worker, fork_worker, write_streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_SLOW = 1.0  # seconds after which the supervisor loads what it needs to answer alone


def answer_supervised(words: list[str]) -> int:
    """Answer one event of a host; return the exit code that the host understands."""
    began = time.time()
    try:
        worker: Worker | AnswerPipe | None = fork_worker()
    except OSError:  # no further process fits into this system
        worker = None
    if isinstance(worker, Worker):
        worker.wait_for_reply(time.monotonic() + _SLOW)
        if worker.reply is not None:
            _pass_on_reply(worker, *worker.reply)
    # The supervisor does without, while its worker is in time.
    from hookline.cli.answer import answer_main, write_fallback  # noqa: PLC0415

    if not isinstance(worker, Worker):
        return answer_main(words, worker, began)
    worker.wait_for_reply()
    if worker.reply is not None:
        _pass_on_reply(worker, *worker.reply)
    return write_fallback(words, worker.event, _explain_worker_end(worker), worker.end)


def _pass_on_reply(worker: Worker, code: int, stdout: bytes, stderr: bytes) -> NoReturn:
    write_streams(stdout, stderr)
    worker.leave()
    # There is nothing to flush, and the end of an interpreter takes as long as a fork.
    os._exit(code)


def _explain_worker_end(worker: Worker) -> str:
    if worker.signalled:
        name = signal.Signals(worker.signalled).name
        return f"hookline was ended by {name} before it could answer"
    if worker.closed:
        return "the process that asks the hooks ended before it answered"
    return (
        f"no answer within {worker.seconds:g} s, the time limit of the host less a reserve; "
        "`hookline doctor` shows slow hooks, and `--deadline S` sets another time"
    )
