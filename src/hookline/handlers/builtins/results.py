"""Large results of tools: the whole text goes to a file, and the model gets a part of it."""

from __future__ import annotations

import json
import os
import re
import shutil
import time

from hookline.errors import HandlerError
from hookline.handlers.builtins.call import Report, make_output
from hookline.handlers.builtins.tool_facts import change_texts, find_category
from hookline.model.event import ToolCall
from hookline.model.frozen import Frozen
from hookline.model.tools import families
from hookline.paths import is_below, make_private_folder, state_folder, write_private
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.handlers.builtins.call import BuiltinCall, Output
    from hookline.model.event import Event

LARGEST = 50 << 10  # bytes
MOST_LINES = 2000
_CATEGORIES = frozenset(("filesystem", "shell", "mcp", "a2a"))
_MOST_FILES = 1000  # of one session
_MOST_SESSIONS = 256
_DAYS = 30
_THRESHOLD, _PREVIEW = 30_000, 3000  # characters


# -- limit_large_tool_results ----------------------------------------------------------------------


def limit_large_tool_results(asked: BuiltinCall) -> Output | Report:
    """Handle the result of a tool, and the end of the session, which removes its files."""
    event = asked.event
    if event.kind == "session.end":
        shutil.rmtree(_find_folder(event, asked.environ), ignore_errors=True)
        return None
    if not isinstance(event.body, ToolCall) or find_category(event) not in _CATEGORIES:
        return None
    before = event.body.result
    try:
        after = change_texts(before, lambda text: _limit(text, asked))
    except OSError as error:
        return _report_unwritten("limit_large_tool_results", error)
    return make_output(updated_tool_response=after) if after != before else None


def _limit(text: str, asked: BuiltinCall) -> str:
    """Return a part of a text that is too large, once the whole of it is in a file.

    Raises:
        OSError: it cannot be written.
    """
    if not is_too_large(text):
        return text
    event, data = asked.event, _encode(text)
    name = f"{sha256(data)[:16]}.txt"
    path = _write(_find_folder(event, asked.environ), name, data)
    size = f"{len(data)} bytes; limit {LARGEST} bytes"
    if len(data) <= LARGEST:
        size = f"more than {MOST_LINES} lines"
    begin = f"Tool call result was too large ({size})."
    begin += f" The full result is available in a file: {path}\n\n"
    if "read" in families(event.tool, event.dialect):
        return begin + _show_head(event, data)
    return begin + (
        f"Showing the last {MOST_LINES} lines (up to {LARGEST} bytes):\n\n{_cut_tail(data)}"
    )


def is_too_large(text: str) -> bool:
    """Return whether a result is over the limit of bytes or lines."""
    lines = text.count("\n") + (not text.endswith("\n"))
    return len(text) > LARGEST or lines > MOST_LINES or len(_encode(text)) > LARGEST


def _show_head(event: Event, data: bytes) -> str:
    """Return the beginning of a file, and from which line on to read the rest."""
    lines = data.split(b"\n", MOST_LINES)
    head = data if len(lines) <= MOST_LINES else data[: len(data) - len(lines[-1])]
    text = head[:LARGEST].decode(errors="ignore")
    whole = text.count("\n")
    if not whole:
        return (
            f"Showing the first {LARGEST} bytes. The first line alone is longer. Use a command that"
            f" reads ranges of bytes of that file:\n\n{text}"
        )
    given = event.input.get("line") if isinstance(event.input, dict) else None
    start = given if isinstance(given, int) and given >= 1 else 1
    return (
        f"Showing the first {MOST_LINES} lines (up to {LARGEST} bytes). To continue, read the"
        f" same path from line {start + whole} on:\n\n{text}"
    )


def _cut_tail(data: bytes) -> str:
    """Return the last lines, from the beginning of a character on."""
    end = len(data) - data.endswith(b"\n")
    at = end
    for _ in range(MOST_LINES):
        at = data.rfind(b"\n", 0, at)
        if at < 0:
            break
    tail = data[at + 1 :][-LARGEST:]
    while tail and tail[0] & 0xC0 == 0x80:  # noqa: PLR2004 - inside a character of UTF-8
        tail = tail[1:]
    return tail.decode(errors="replace")


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "replace")


# -- handle_large_tool_output ----------------------------------------------------------------------


class _Options(Frozen):
    threshold: int = _THRESHOLD
    preview: int = _PREVIEW
    folder: str = ""


def handle_large_tool_output(asked: BuiltinCall) -> Output | Report:
    """Handle the result of a tool: its file, and a preview of its first characters.

    Raises:
        HandlerError: the argument is no object, or names a folder that it must not name.
    """
    event, options = asked.event, _read_options(asked)
    text = event.body.result if isinstance(event.body, ToolCall) else None
    if not isinstance(text, str) or len(text) <= options.threshold:
        return None
    call = event.body.call_id if isinstance(event.body, ToolCall) else ""
    name = f"{_clean_id(event.session_id)}_{_clean_id(call)}.txt"
    folder = options.folder or _find_folder(event, asked.environ)
    try:
        path = _write(folder, name, _encode(text), is_bounded=not options.folder)
    except OSError as error:
        return _report_unwritten("handle_large_tool_output", error)
    shown = (
        f"Tool output was too large ({len(text)} characters). The full output is in a file: {path}"
        f"\n\nThe first {options.preview} characters:\n\n{text[: options.preview]}"
    )
    return make_output(updated_tool_response=shown)


def _read_options(asked: BuiltinCall) -> _Options:
    """Return the options in the first argument; those that are missing have their defaults.

    Raises:
        HandlerError: see `handle_large_tool_output`.
    """
    if not asked.args or not asked.args[0].strip():
        return _Options()
    try:
        given = json.loads(asked.args[0])
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise HandlerError("handle_large_tool_output: its argument is no JSON object")
    known = {key.lower(): value for key, value in given.items()}
    folder = known.get("outputdir")
    return _Options(
        threshold=_read_size(known.get("threshold"), _THRESHOLD),
        preview=_read_size(known.get("previewsize"), _PREVIEW),
        folder=_resolve_folder(folder, asked) if folder and isinstance(folder, str) else "",
    )


def _read_size(value: object, usual: int) -> int:
    return value if isinstance(value, int) and value > 0 else usual


def _resolve_folder(folder: str, asked: BuiltinCall) -> str:
    """Return the absolute path of a folder that a hook names.

    Raises:
        HandlerError: a file of a project names a folder outside of the project.
    """
    whole = os.path.realpath(os.path.join(asked.event.cwd or "/", os.path.expanduser(folder)))
    inside = os.path.realpath(asked.event.project or asked.event.cwd or "/")
    if asked.is_cloned and not is_below(whole, inside):
        raise HandlerError(f"a project's file can only choose an `OutputDir` in `{inside}`")
    return whole


def _clean_id(text: str) -> str:
    """Return an id as a part of a file's name."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", text)[:80] or "unknown"


# -- files -----------------------------------------------------------------------------------------


def _find_folder(event: Event, environ: Mapping[str, str]) -> str:
    session = sha256(f"{event.dialect}\0{event.session_id}".encode("utf-8", "surrogatepass"))
    return f"{state_folder(environ)}/tool-results/{session[:32]}"


def _write(folder: str, name: str, data: bytes, *, is_bounded: bool = True) -> str:
    """Write a file, and remove the oldest ones beside it if there are too many; return its path.

    Raises:
        OSError: it cannot be written.
    """
    is_new = not os.path.isdir(folder)
    make_private_folder(folder)
    path = f"{folder}/{name}"
    write_private(path, data)
    if is_bounded:
        _prune(folder, _MOST_FILES, keep=path)
        if is_new:
            _prune(os.path.dirname(folder), _MOST_SESSIONS, keep=folder)
    return path


def _prune(folder: str, most: int, *, keep: str) -> None:
    """Remove the oldest entries of too many, and those of more than 30 days."""
    with os.scandir(folder) as entries:
        others = [each for each in entries if each.path != keep]
    ages = sorted((each.stat(follow_symlinks=False).st_mtime, each.path) for each in others)
    oldest = time.time() - _DAYS * 86_400
    for at, (changed, path) in enumerate(ages):
        if at < len(ages) + 1 - most or changed < oldest:
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                os.unlink(path)


def _report_unwritten(name: str, error: OSError) -> Report:
    why = (error.strerror or str(error)).lower()
    return Report(
        text=f"{name}: a large result stays whole, because `{error.filename}` cannot be written:"
        f" {why}"
    )
