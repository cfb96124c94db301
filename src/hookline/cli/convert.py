"""`hookline convert`: hooks of one dialect as files of another, and a report of what is lost."""

from __future__ import annotations

import os
import tempfile

from hookline.cli.options import (
    DIALECT_OPTIONS,
    FOLDER,
    JSON,
    Selection,
    change_folder,
    option,
    usage_error,
)
from hookline.cli.output import (
    FINDINGS,
    OK,
    count_things,
    print_document,
    print_message,
    print_text,
)
from hookline.engine.catalog import make_dialect
from hookline.engine.convert import Conversion
from hookline.engine.convert import convert as convert_hooks
from hookline.engine.engine import Engine
from hookline.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def convert(
    *,
    path: str = option("[PATH]", "a file or folder of hooks; default: what is found here"),
    from_: str = option("--from DIALECT", "the dialect of the hooks", complete="hosts"),
    to: str = option("--to DIALECT", "the dialect to write", complete="hosts"),
    output: str = option(
        "--output DIR", "write the files to this folder; default: print the only file"
    ),
    force: bool = option("--force", "overwrite files"),
    plain: bool = option(
        "--plain", "leave commands as they are, without a program that translates"
    ),
    strict: bool = option("--strict", "write nothing if anything is lost"),
    options: list[str] = DIALECT_OPTIONS,
    folder: str = FOLDER,
    json: bool = JSON,
) -> int:
    """Hooks of one dialect as files of another, and what the other cannot express."""
    change_folder(folder)
    if not to:
        raise usage_error("`--to` is missing", "the dialect to write, as in --to claude-code")
    if not path and not from_:
        raise usage_error("which hooks?", "name a file, or a dialect with --from")
    if path:
        engine = Selection(configs=[path], dialect=from_, options=options).engine()
    else:
        engine = Engine.discover(".", trust="all", dialect=from_)
    dialects = [each.dialect.table.name for each in engine.snapshot.sources]
    if to in dialects:
        raise usage_error(
            f"these hooks are written for {to} already", "name another dialect with --to"
        )
    conversion = convert_hooks(engine, make_dialect(to), plain=plain)
    is_refused = strict and bool(conversion.losses)
    for problem in engine.problems:
        print_message(str(problem))
    if json:
        print_document(_make_document(from_ or "".join(dialects[:1]), to, conversion))
    elif not is_refused:
        _write_files(conversion, output, force=force)
    for line in _list_losses(conversion, to):
        print_message(line)
    return FINDINGS if is_refused else OK


def _make_document(own: str, target: str, conversion: Conversion) -> dict[str, Any]:
    """Return the `hookline.conversion/1` document."""
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


def _write_files(conversion: Conversion, folder: str, *, force: bool) -> None:
    """Print the only file, or write all of them.

    Raises:
        ConfigError: several files and no folder for them, a file that is there already, or a folder
            that cannot be written.
    """
    if not folder and len(conversion.files) > 1:
        raise usage_error(
            f"these hooks become {count_things(len(conversion.files), 'file')}",
            "say where to, with --output DIR",
        )
    if not folder:
        print_text("".join(conversion.files.values()))
        return
    files = {os.path.join(folder, path): text for path, text in conversion.files.items()}
    programs = {os.path.join(folder, path) for path in conversion.programs}
    for path in files:
        if os.path.exists(path) and not force:
            raise ConfigError(
                "is there already",
                name="config.option",
                place=path,
                hint="--force writes over it; nothing was written",
            )
    for path, text in files.items():
        _write_file(path, text, 0o755 if path in programs else 0o644)
        print_message(f"wrote {path}")


def _write_file(path: str, text: str, mode: int) -> None:
    """Write a file atomically."""
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with tempfile.TemporaryDirectory(dir=os.path.dirname(path) or ".") as beside:
            new = os.path.join(beside, "new")
            with open(new, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(new, mode)
            os.replace(new, path)
    except (OSError, UnicodeEncodeError) as error:
        why = getattr(error, "strerror", "") or "a text has half a character in it"
        raise ConfigError(
            f"cannot be written: {why.lower()}",
            name="config.unwritable",
            place=path,
        ) from None


def _list_losses(conversion: Conversion, target: str) -> Iterator[str]:
    """Yield each loss once with its hooks, then the totals."""
    hooks: dict[str, list[str]] = {}
    whole = 0
    for loss in conversion.losses:
        whole += loss.whole
        if loss.whole:
            yield f"not converted: {loss.hook_id}: {loss.why}"
        else:
            hooks.setdefault(f"lost: {loss.what}: {loss.why}", []).append(loss.hook_id)
    for text, ids in hooks.items():
        yield f"{text} ({', '.join(ids)})"
    left = f", {count_things(whole, 'hook')} left out" if whole else ""
    converted = count_things(conversion.hooks, "hook")
    yield f"{converted} written for {target}{left}, {count_things(len(hooks), 'kind')} of loss"
