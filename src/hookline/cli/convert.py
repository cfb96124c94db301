"""`hookline convert`: hooks of one dialect as files of another, and a report of everything that the other cannot express."""

from __future__ import annotations

import contextlib
import os
import tempfile

from hookline.cli.exit_codes import FINDINGS, OK, print_document, print_message, print_text
from hookline.cli.options import JSON, option
from hookline.cli.pages import count_things
from hookline.cli.selection import DIALECT_OPTIONS, FOLDER, Selection, change_folder
from hookline.engine.catalog import NAMES, make_dialect
from hookline.engine.convert import convert as convert_hooks
from hookline.engine.engine import Engine
from hookline.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookline.engine.conversion_report import Loss
    from hookline.engine.convert import Conversion


def convert(
    *,
    path: str = option(
        metavar="PATH", help="a file or folder of hooks; without it, what is found here"
    ),
    from_: str = option(
        "--from", metavar="DIALECT", help=f"of the hooks: {', '.join(NAMES)}", complete=("hosts",)
    ),
    to: str = option(
        "--to", metavar="DIALECT", help="that they are written in", complete=("hosts",)
    ),
    output: str = option(
        "--output", metavar="DIR", help="write the files there; without it, one file is printed"
    ),
    force: bool = option("--force", help="write over files that are there"),
    plain: bool = option(
        "--plain", help="leave commands as they are: for scripts that speak the new words"
    ),
    strict: bool = option("--strict", help="refuse any loss"),
    options: list[str] = DIALECT_OPTIONS,
    folder: str = FOLDER,
    json: bool = JSON,
) -> int:
    """Hooks of one dialect as files of another, and what the other cannot express."""
    change_folder(folder)
    if not to:
        raise ConfigError(
            "`--to` is missing",
            name="config.option",
            hint="the dialect to write, as in --to claude-code",
        )
    engine = _load_engine(path, from_, options)
    if to in {shelved.dialect.table.name for shelved in engine.snapshot.sources}:
        raise ConfigError(
            f"these hooks are in the words of {to} already",
            name="config.option",
            hint="name another dialect with --to",
        )
    conversion = convert_hooks(engine, make_dialect(to), plain=plain)
    refused = strict and bool(conversion.losses)
    for problem in engine.problems:
        print_message(str(problem))
    if json:
        print_document(_make_document(from_ or _find_dialect(engine), to, conversion))
    elif not refused:
        _write_files(conversion, output, force=force)
    for line in _list_losses(conversion, to):
        print_message(line)
    return FINDINGS if refused else OK


def _load_engine(path: str, dialect: str, options: list[str]) -> Engine:
    """Return the engine with the hooks to convert.

    Raises:
        ConfigError: no such file or dialect; neither is named.
    """
    if path:
        return Selection(configs=[path], dialect=dialect, options=options).engine()
    if not dialect:
        raise ConfigError(
            "which hooks?", name="config.option", hint="name a file, or a dialect with --from"
        )
    return Engine.discover(".", trust="all", dialect=dialect)


def _find_dialect(engine: Engine) -> str:
    return next((shelved.dialect.table.name for shelved in engine.snapshot.sources), "")


def _make_document(own: str, target: str, conversion: Conversion) -> dict[str, Any]:
    """`hookline.conversion/1`."""
    return {
        "schema": "hookline.conversion/1",
        "from": own,
        "to": target,
        "hooks": conversion.hooks,
        "files": [
            {"path": path, "executable": path in conversion.programs, "text": text}
            for path, text in sorted(conversion.files.items())
        ],
        "losses": [
            {"hook": loss.hook_id, "what": loss.what, "why": loss.why, "whole": loss.whole}
            for loss in conversion.losses
        ],
    }


# -- files ---------------------------------------------------------------------------------------------------------------------


def _write_files(conversion: Conversion, folder: str, *, force: bool) -> None:
    """Print the only file, or write all of them.

    Raises:
        ConfigError: several files and no folder for them, a file that is there already, or a folder that cannot be written.
    """
    if not folder:
        if len(conversion.files) > 1:
            count = count_things(len(conversion.files), "file")
            raise ConfigError(
                f"these hooks become {count}",
                name="config.option",
                hint="say where to, with --output DIR",
            )
        print_text("".join(conversion.files.values()))
        return
    there = [path for path in conversion.files if os.path.exists(os.path.join(folder, path))]
    if there and not force:
        raise ConfigError(
            "is there already",
            name="config.option",
            place=os.path.join(folder, there[0]),
            hint="--force writes over it; nothing was written",
        )
    for path, text in conversion.files.items():
        _write_file(
            os.path.join(folder, path), text, 0o755 if path in conversion.programs else 0o644
        )
        print_message(f"wrote {os.path.join(folder, path)}")


def _write_file(path: str, text: str, mode: int) -> None:
    """Write a file atomically; remove the temporary file after a failure."""
    folder, new = os.path.dirname(path) or ".", ""
    try:
        os.makedirs(folder, exist_ok=True)
        handle, new = tempfile.mkstemp(dir=folder)
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(new, mode)
        os.replace(new, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(new)
        raise ConfigError(
            f"cannot be written: {(error.strerror or '').lower()}",
            name="config.unwritable",
            place=path,
        ) from None


# -- the report ----------------------------------------------------------------------------------------------------------------


def _list_losses(conversion: Conversion, target: str) -> Iterator[str]:
    """Yield each loss once with its hooks, then the totals."""
    whole = [loss for loss in conversion.losses if loss.whole]
    yield from (f"not converted: {loss.hook_id}: {loss.why}" for loss in whole)
    same: dict[tuple[str, str], list[Loss]] = {}
    for loss in conversion.losses:
        if not loss.whole:
            same.setdefault((loss.what, loss.why), []).append(loss)
    for (what, why), losses in same.items():
        yield f"lost: {what}: {why} ({', '.join(loss.hook_id for loss in losses)})"
    left = f", {count_things(len(whole), 'hook')} left out" if whole else ""
    yield f"{count_things(conversion.hooks, 'hook')} in the words of {target}{left}, {count_things(len(same), 'kind')} of loss"
