"""`hookline snapshots`: the checkpoints of the builtin `snapshot`, and how to go back to one."""

from __future__ import annotations

import os
import time

from hookline.cli.options import FOLDER, Selection, option, usage_error
from hookline.cli.output import FINDINGS, OK, count_things
from hookline.errors import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.cli.output import Document, Paint, Printer

_VERBS = ("undo", "reset")


def snapshots(
    printer: Printer,
    *,
    what: list[str] = option("[undo|reset NUMBER]...", "go back; without it, list the snapshots"),
    session: str = option("--session ID", "only the snapshots of this session"),
    folder: str = FOLDER,
) -> int:
    """List the snapshots of this repository, undo the last one, or go back to before one.

    The builtin `snapshot` takes them, at each turn that changes files.
    """
    # Git, which other commands do not need.
    from hookline.handlers.builtins.snapshot import (  # noqa: PLC0415 - as above
        list_snapshots,
        reset,
        undo,
    )

    verb, number = _read_words(what)
    Selection(folder=folder).enter_folder()
    here = os.getcwd()
    if not verb:
        listed = list_snapshots(here, os.environ, session=session)
        done: Document = {"did": "nothing", "snapshots": listed, "files": (), "failed": ()}
    else:
        restored = (
            reset(here, os.environ, number, session=session)
            if verb == "reset"
            else undo(here, os.environ, session=session)
        )
        done = {"did": verb, "snapshots": restored.checkpoints, **restored.as_dict("files")}
        done["failed"] = restored.failed
    done |= {
        "snapshots": [
            each.as_dict("number", "session", "cause", "at", "count") for each in done["snapshots"]
        ],
        "files": list(done["files"]),
        "failed": list(done["failed"]),
    }
    printer.print({"schema": "hookline.snapshots/1", **done}, _show)
    return FINDINGS if done["failed"] else OK


def _read_words(words: list[str]) -> tuple[str, int]:
    """Return what to do, and the number of a snapshot; 0 if there is none.

    Raises:
        ConfigError: the words mean nothing.
    """
    verb, *rest = words or [""]
    if verb and verb not in _VERBS:
        hint = did_you_mean(verb, _VERBS) or "undo or reset"
        raise usage_error(f"`snapshots {verb}` is nothing", hint)
    wanted = 1 if verb == "reset" else 0
    if len(rest) != wanted or not all(word.isascii() and word.isdigit() for word in rest):
        raise usage_error(
            f"`snapshots {' '.join(words)}` is nothing",
            "hookline snapshots reset NUMBER; to see the numbers: hookline snapshots",
        )
    return verb, int(rest[0]) if rest else 0


def _show(document: Document, _paint: Paint) -> Iterator[str]:
    if document["did"] != "nothing":
        for path in document["files"]:
            yield f"restored  {path}"
        for path in document["failed"]:
            yield f"left      {path}"
        if not document["snapshots"]:
            yield "nothing to undo"
        return
    for each in document["snapshots"]:
        at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(each["at"]))
        changed = count_things(each["count"], "file")
        yield f"{each['number']:>4}  {at}  {each['cause']}  {changed}  {each['session']}".rstrip()
    if not document["snapshots"]:
        yield "no snapshots"
