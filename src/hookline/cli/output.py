"""Prints what commands say, and returns their exit codes.

0 ok, 1 findings or a denial, 2 usage or configuration, 3 a fault of hookline itself, 130
interrupted. Colour follows the usual variables (NO_COLOR, FORCE_COLOR), and never carries meaning
alone. Output to a reader that has closed its end is dropped without an error.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from collections import deque

from hookline.errors import HookError
from hookline.paths import make_private_folder, state_folder, write_private
from hookline.text.terminal_escape import escape_json, escape_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, TextIO, TypeAlias

    Document: TypeAlias = dict[str, Any]
    Lines: TypeAlias = Iterator[str]
    Page: TypeAlias = Callable[[Any, "Paint"], Iterable[str]]


def read_table(text: str) -> dict[str, str]:
    """Return a table whose lines are a word, blanks, and its text."""
    table = {}
    for line in text.strip().splitlines():
        word, _, rest = line.partition(" ")
        table[word] = rest.strip()
    return table


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


def print_document(document: Document) -> None:
    """Write one JSON document to standard output."""
    text = json.dumps(document, ensure_ascii=not _is_utf8(sys.stdout))
    print_text(escape_json(text) + "\n")


# Our own signs, where the encoding is not UTF-8.
_ASCII = str.maketrans({"…": "...", "✓": "ok", "✗": "x", "·": "-", "→": "->"})


def _is_utf8(stream: TextIO | None) -> bool:
    return str(getattr(stream, "encoding", "")).lower().replace("-", "") == "utf8"


def _write(stream: TextIO | None, text: str) -> None:
    if stream is None:  # closed before we began
        return
    if not text.isascii() and not _is_utf8(stream):
        text = text.translate(_ASCII)
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.EIO):  # the reader, or the terminal, is gone
            raise
        # The interpreter flushes once more at its end; by then it must write to something that
        # exists.
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)


def _write_crash_log(error: Exception) -> str:
    import traceback  # noqa: PLC0415 - only a fault needs it

    folder = state_folder(os.environ)
    path, text = f"{folder}/crash.log", "".join(traceback.format_exception(error))
    try:
        make_private_folder(folder)
        write_private(path, text.encode("utf-8", "backslashreplace"))
    except OSError:
        return ""
    return f", with {path}"


_STYLES = read_table("""
strong   1
dim      2
bad      1;31
warning  33
good     32
name     36
""")
# Texts of hooks and users under these keys keep their line breaks; elsewhere line breaks are
# escaped.
_MULTILINE_KEYS = frozenset(
    {"script", "ran", "prompt", "reason", "for_agent", "for_user", "text", "diff"}
)
_STANCE_STYLES = read_table("""
deny    bad
halt    bad
ask     warning
allow   good
silent  dim
""")


def use_color(choice: str, stream: TextIO | None, environ: Mapping[str, str]) -> bool:
    """Whether to colour: by the option, by the usual variables, then by the terminal."""
    wanted = choice if choice != "auto" else environ.get("HOOKLINE_COLOR", "auto")
    if wanted in ("always", "never"):
        return wanted == "always"
    if environ.get("NO_COLOR"):
        return False
    if any(environ.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    return environ.get("TERM") != "dumb" and stream is not None and stream.isatty()


class Paint:
    """Adds styles to text by their meaning; without colour, returns the text unchanged."""

    def __init__(self, *, on: bool) -> None:
        self.on = on

    def __call__(self, style: str, text: str) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.on and text else text

    def stance(self, stance: str, width: int = 0) -> str:
        """Return a stance in its colour."""
        text = f"{stance or '?':{width}}"
        return self(_STANCE_STYLES[stance], text) if stance in _STANCE_STYLES else text


class Printer:
    """Prints documents: as JSON, or as the lines of a page without terminal control characters."""

    def __init__(self, *, json: bool = False, color: str = "auto", no_input: bool = False) -> None:
        self.json = json
        self.color = color
        self.no_input = no_input

    def print(self, document: Document, page: Page) -> None:
        """Print a document to standard output."""
        if self.json:
            print_document(document)
        else:
            lines = page(escape_document(document), self.paint(sys.stdout))
            print_text("".join(f"{line}\n" for line in lines))

    def paint(self, stream: TextIO | None) -> Paint:
        """Return the styles of text on a stream."""
        return Paint(on=use_color(self.color, stream, os.environ))


def escape_document(value: Any, key: str = "") -> Any:
    """Return a document with the control characters of every text escaped."""
    match value:
        case str():
            return escape_text(value, lines=key in _MULTILINE_KEYS)
        case dict():
            # Only reasons of decisions keep their lines; reasons that a hook is broken come from
            # its file.
            return {
                escape_text(name): escape_document(
                    inner, "" if name == "reason" and "stance" not in value else name
                )
                for name, inner in value.items()
            }
        case list() | tuple():
            return [escape_document(inner, key) for inner in value]
        case _:
            return value


def format_problem(problem: Document, paint: Paint, *, with_place: bool = True) -> str:
    """Return a problem as one line: place, code, message, and what to do."""
    parts = (problem["file"], problem["line"], problem["column"]) if with_place else ()
    place = ":".join(str(part) for part in parts if part)
    is_error = problem["severity"] == "error"
    code = paint("bad" if is_error else "warning", problem["code"])
    hint = f" ({problem['hint']})" if problem["hint"] else ""
    warning = "" if is_error else "warning: "
    return f"{place}{': ' if place else ''}{code} {warning}{problem['message']}{hint}"


def format_fields(fields: Iterable[tuple[str, str]], indent: str = "  ") -> Lines:
    """Yield a line for each field that is not empty; further lines of a text are indented."""
    for label, text in fields:
        if text:
            yield f"{indent}{label}: {text}".replace("\n", f"\n{indent}  ")


def count_things(number: int, thing: str) -> str:
    """Return `1 file`, `2 files`."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def count_problems(document: Document) -> str:
    """Return `1 error, 2 warnings` of a document."""
    errors, warnings = document["errors"], document["warnings"]
    return f"{count_things(errors, 'error')}, {count_things(warnings, 'warning')}"


def format_duration(seconds: float) -> str:
    """Return seconds as milliseconds or seconds with their unit."""
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def first_line(text: str) -> str:
    """Return the first line of a text, with an ellipsis if there are more."""
    first, *more = text.splitlines() or [""]
    return f"{first} …" if more else first
