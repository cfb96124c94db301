"""`hookline validate`: every problem of every file, one line each, in file order."""

from __future__ import annotations

import sys

from hookline.cli.exit_codes import FINDINGS, OK, USAGE, print_message
from hookline.cli.options import COLOR, JSON, option
from hookline.cli.pages import count_things, print_page
from hookline.cli.snippet import make_snippet
from hookline.config.read import guess_dialect, list_files, no_hooks_error
from hookline.engine.catalog import make_dialect
from hookline.engine.host_names import find_unresolved
from hookline.errors import ConfigError
from hookline.model.problem import Origin, Problem
from hookline.wire.fields import to_problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookline.cli.pages import Paint
    from hookline.cli.selection import Selection
    from hookline.engine.engine import Engine
    from hookline.engine.sources import LoadedSource


def validate(
    selection: Selection,
    *,
    paths: list[str] = option(
        metavar="PATH",
        help="files and folders of hooks; without any, what is found here",
        is_repeatable=True,
    ),
    strict: bool = option("--strict", help="warnings count as errors"),
    output_format: str = option(
        "--output-format",
        metavar="FORMAT",
        help="text, json or github",
        choices=("text", "json", "github"),
        default="text",
    ),
    json: bool = JSON,
    exit_zero: bool = option("--exit-zero", help="exit 0 also when there are findings"),
    color: str = COLOR,
) -> int:
    """Every problem of every file, with its place, its code and what to do about it."""
    asked = [*(paths or ()), *selection.configs]
    missing = [problem for path in asked for problem in _missing_problem(path, selection.dialect)]
    selection.configs = [
        path for path in asked if not any(path == problem.origin.file for problem in missing)
    ]
    engine = selection.engine() if selection.configs or not missing else None
    problems = [*missing, *((*_list_problems(engine), *find_unresolved(engine)) if engine else ())]
    document = _make_document(
        [shelved.source.file for shelved in engine.snapshot.sources] if engine else [], problems
    )
    page = _render_annotations if output_format == "github" else _render_problems
    print_page(document, page, json=json or output_format == "json", color=color)
    errors, warnings = document["errors"], document["warnings"]
    print_message(
        f"{count_things(len(document['files']), 'file')}: {count_things(errors, 'error')}, {count_things(warnings, 'warning')}"
    )
    if missing:
        return USAGE
    return FINDINGS if (errors or (strict and warnings)) and not exit_zero else OK


def _missing_problem(path: str, dialect: str) -> Iterator[Problem]:
    """The problem of a path that names no hooks at all.

    Raises:
        ConfigError: an unknown dialect.
    """
    if dialect:
        make_dialect(dialect)
    origin = Origin(file=path)
    try:
        if not list_files(path, dialect or guess_dialect(path)):
            raise no_hooks_error(path, dialect)
    except ConfigError as error:
        yield to_problem(error, path, origin.scope)
    except OSError as error:
        yield Problem(
            name="config.unreadable",
            message=f"cannot be read: {(error.strerror or '').lower()}",
            origin=origin,
        )


def _list_problems(engine: Engine) -> list[Problem]:
    """Every problem, in the order of the files and of the lines in each; of agenthooks what its lint says."""
    loaded = sum(len(shelved.loaded.problems) for shelved in engine.snapshot.sources)
    combining = engine.problems[loaded:]
    files = {shelved.source.file: number for number, shelved in enumerate(engine.snapshot.sources)}
    found = [problem for shelved in engine.snapshot.sources for problem in _lint_source(shelved)]
    place = {
        id(problem): (
            files.get(problem.origin.file, -1),
            problem.origin.line,
            problem.origin.column,
        )
        for problem in (*found, *combining)
    }
    return sorted((*found, *combining), key=lambda problem: place[id(problem)])


def _lint_source(shelved: LoadedSource) -> tuple[Problem, ...]:
    """Return the problems of a source, by the dialect's `lint` if it has one, which is stricter than `load`."""
    lint = getattr(shelved.dialect, "lint", None)
    if lint is None or shelved.source.text is None:
        return shelved.loaded.problems
    found: tuple[Problem, ...] = lint(shelved.source)
    return found


def _make_document(files: list[str], problems: list[Problem]) -> dict[str, Any]:
    """`hookline.problems/1`."""
    return {
        "schema": "hookline.problems/1",
        "files": files,
        "errors": sum(1 for problem in problems if problem.severity == "error"),
        "warnings": sum(1 for problem in problems if problem.severity != "error"),
        "problems": [problem.to_dict() for problem in problems],
    }


def _render_problems(document: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Yield a line for each problem; on a terminal also the lines of the file."""
    terminal = sys.stdout is not None and sys.stdout.isatty()
    for problem in document["problems"]:
        yield _format_problem(problem, paint)
        if terminal:
            yield from make_snippet(problem, paint)


def _format_problem(problem: dict[str, Any], paint: Paint) -> str:
    place = ":".join(
        str(part) for part in (problem["file"], problem["line"], problem["column"]) if part
    )
    code = paint("bad" if problem["severity"] == "error" else "warning", problem["code"])
    warning = "warning: " if problem["severity"] != "error" else ""
    hint = f" ({problem['hint']})" if problem["hint"] else ""
    return f"{place}: {code} {warning}{problem['message']}{hint}"


def _render_annotations(document: dict[str, Any], paint: Paint) -> Iterator[str]:  # noqa: ARG001 - a page as every other
    """Yield GitHub workflow commands, which show each problem at its line in a pull request."""
    for problem in document["problems"]:
        hint = f" ({problem['hint']})" if problem["hint"] else ""
        fields = {
            "file": problem["file"],
            "line": problem["line"],
            "col": problem["column"],
            "title": problem["code"],
        }
        listed = ",".join(
            f"{name}={_escape_annotation(str(value), more=True)}"
            for name, value in fields.items()
            if value
        )
        yield f"::{problem['severity']} {listed}::{_escape_annotation(problem['message'] + hint)}"


def _escape_annotation(text: str, *, more: bool = False) -> str:
    for char in "%\r\n" + ":," * more:
        text = text.replace(char, f"%{ord(char):02X}")
    return text
