"""Runs a command, prints its output and its errors, and returns its exit code.

0 ok, 1 findings or a denial, 2 usage or configuration, 3 a fault of hookline itself, 130
interrupted. Output to a reader that has closed its end is dropped without an error.
"""

from __future__ import annotations

import json
import os
import sys
from collections import deque

from hookline.errors import HookError
from hookline.text.terminal_escape import escape_json, escape_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TextIO

# The latest messages, so that the error that ends a command is not printed twice.
_PRINTED: deque[str] = deque(maxlen=32)
OK, FINDINGS, USAGE, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 130


def run_command(program: str, run: Callable[[], int]) -> int:
    """Run a command and return its exit code; print errors as one line, never as a traceback."""
    for stream in (sys.stdout, sys.stderr):
        # What a terminal's encoding lacks, and the lone surrogates of file names and payloads, are
        # shown escaped.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    _PRINTED.clear()
    try:
        return run()
    except HookError as error:
        line = format_error(error, program)
        if line not in _PRINTED:
            print_message(line)
        return USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the outermost frame
        print_message(f"{program}: HKL9001 internal error: {type(error).__name__}: {error}")
        print_message(f"this is a fault of hookline; please report it{_write_crash_log(error)}")
        return INTERNAL


def format_error(error: HookError, program: str) -> str:
    """Return an error as one line, `place: CODE message (hint)`.

    The program's name if it has no place.
    """
    hint = f" ({error.hint})" if error.hint else ""
    return f"{getattr(error, 'place', '') or program}: {error.code} {error.message}{hint}"


def print_text(text: str) -> None:
    """Write text to standard output."""
    _write(sys.stdout, text)


def print_message(text: str) -> None:
    """Write a message of one line to standard error."""
    _PRINTED.append(text)
    _write(sys.stderr, escape_text(text) + "\n")


def print_document(document: Mapping[str, Any]) -> None:
    """Write one JSON document to standard output."""
    utf8 = str(getattr(sys.stdout, "encoding", "")).lower().replace("-", "") == "utf8"
    print_text(escape_json(json.dumps(document, ensure_ascii=not utf8)) + "\n")


def _write(stream: TextIO | None, text: str) -> None:
    if stream is None:  # closed before we began
        return
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        # The interpreter flushes once more at its end; by then it must write to something that
        # exists.
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)


def _write_crash_log(error: Exception) -> str:
    import traceback  # noqa: PLC0415 - only a fault needs them
    from pathlib import Path  # noqa: PLC0415 - as above

    state = os.environ.get("XDG_STATE_HOME", "")
    folder = (
        Path(state if os.path.isabs(state) else os.path.expanduser("~/.local/state")) / "hookline"
    )
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / "crash.log"
        path.write_text(
            "".join(traceback.format_exception(error)), encoding="utf-8", errors="backslashreplace"
        )
        path.chmod(0o600)
    except OSError:
        return ""
    return f", with {path}"
