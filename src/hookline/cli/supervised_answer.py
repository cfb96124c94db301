"""`hookline answer` as a host starts it: a supervisor writes the reply of its worker, or the fallback reply.

The supervisor loads next to nothing while its worker is in time.
"""

from __future__ import annotations

import os
import signal
import time

from hookline.handlers.supervisor import AnswerPipe, Worker, fork_worker

_SLOW = 1.0  # seconds after which the supervisor loads what it needs to answer alone


def answer_supervised(words: list[str]) -> int:
    """Answer one event of a host; return the exit code that the host understands."""
    try:
        worker: Worker | AnswerPipe | None = fork_worker()
    except OSError:  # no further process fits into this system
        worker = None
    if not isinstance(worker, Worker):
        from hookline.cli.answer import answer_main  # noqa: PLC0415 - the supervisor does without

        return answer_main(words, worker)
    if not worker.wait_for_reply(time.monotonic() + _SLOW) and not worker.is_overdue():
        import hookline.cli.answer  # noqa: F401, PLC0415 - while there is time

        worker.wait_for_reply()
    if worker.reply is None:
        return _write_fallback(words, worker)
    code, stdout, stderr = worker.reply
    write_all(1, stdout)
    write_all(2, stderr)
    worker.leave()
    # There is nothing to flush, and the end of an interpreter takes as long as a fork.
    os._exit(code)


def _write_fallback(words: list[str], worker: Worker) -> int:
    """Write the fallback reply, and then end the worker, which may be busy."""
    # As above.
    from hookline.cli.answer import make_fallback, note_unanswered, parse_request  # noqa: PLC0415
    from hookline.engine.journaling import open_journal  # noqa: PLC0415 - as above
    from hookline.wire.hookoutput import encode_text  # noqa: PLC0415 - as above

    request = parse_request(words)
    request.event = worker.event or request.event
    message = _explain_worker_end(worker)
    found = make_fallback(request, b"", TimeoutError(message))
    write_all(1, encode_text(found.reply.stdout))
    write_all(2, encode_text(found.reply.stderr))
    worker.end()
    journal = open_journal(os.environ, lambda _line: None)
    note_unanswered(journal, request.host, message, refused=found.refuses)
    return found.reply.exit_code


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


def write_all(fd: int, data: bytes) -> None:
    """Write everything to a standard stream.

    What a host that has gone away does not read is dropped.
    """
    unsent = memoryview(data)
    try:
        while unsent:
            unsent = unsent[os.write(fd, unsent) :]
    except OSError:
        return
