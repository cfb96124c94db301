"""`hookline validate`: every problem of every file, one line each, in file order."""

from __future__ import annotations

import os
import re
import sys

from hookline.cli.options import Selection, option
from hookline.cli.output import (
    FINDINGS,
    OK,
    USAGE,
    Paint,
    Printer,
    count_problems,
    count_things,
    format_problem,
    print_message,
)
from hookline.config.hook_files import guess_dialect, list_files, make_no_hooks_error
from hookline.engine.catalog import make_dialect
from hookline.engine.doctor.static_checks import find_unresolved
from hookline.errors import ConfigError
from hookline.model.spec import Origin, Problem
from hookline.paths import read_start
from hookline.text.terminal_escape import escape_text
from hookline.wire.fields import to_problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.cli.output import Document, Lines
    from hookline.engine.engine import Engine
    from hookline.engine.sources import LoadedSource


def validate(
    selection: Selection,
    printer: Printer,
    *,
    paths: list[str] = option(
        "[PATH...]", "files and folders of hooks; default: those of this project and of your home"
    ),
    strict: bool = option("--strict", "exit 1 for warnings too"),
    output_format: str = option(
        "--output-format FORMAT", choices=("text", "json", "github"), default="text"
    ),
    exit_zero: bool = option("--exit-zero", "exit 0 whatever the problems are"),
) -> int:
    """Every problem of every file, with its place, its code and what to do about it."""
    asked = [*paths, *selection.configs]
    missing = {path: problem for path in asked if (problem := _find_missing(path, selection))}
    selection.configs = [path for path in asked if path not in missing]
    files, problems = [], [*missing.values()]
    if selection.configs or not missing:
        engine = selection.engine()
        files = [each.source.file for each in engine.snapshot.sources]
        problems += (*_list_problems(engine), *find_unresolved(engine))
        if not files and not asked:
            problems.append(_make_nothing_problem())
    errors = sum(problem.severity == "error" for problem in problems)
    document = {
        "schema": "hookline.problems/1",
        "files": files,
        "errors": errors,
        "warnings": len(problems) - errors,
        "problems": [problem.to_dict() for problem in problems],
    }
    page = _render_annotations if output_format == "github" else _render_problems
    printer.json |= output_format == "json"
    printer.print(document, page)
    if files:
        print_message(f"{count_things(len(files), 'file')}: {count_problems(document)}")
    if missing or not files:
        return USAGE
    has_findings = len(problems) if strict else errors
    return FINDINGS if has_findings and not exit_zero else OK


def _make_nothing_problem() -> Problem:
    """Return the problem of a command line that names no file, where no file is found."""
    return Problem(
        name="config.missing",
        message=f"no hook files found in `{os.getcwd()}` and in your home",
        hint="name a file: hookline validate PATH; hookline list names the usual places",
    )


def _find_missing(path: str, selection: Selection) -> Problem | None:
    """Return the problem of a path that names no hooks at all; None if it names some.

    Raises:
        ConfigError: an unknown dialect.
    """
    dialect = selection.dialect
    if dialect:
        make_dialect(dialect)
    if path.startswith("{"):
        return None
    try:
        if list_files(path, dialect or guess_dialect(path)):
            return None
        return to_problem(make_no_hooks_error(path, dialect), path, "explicit")
    except ConfigError as error:
        return to_problem(error, path, "explicit")
    except OSError as error:
        message = f"cannot be read: {(error.strerror or '').lower()}"
        return Problem(name="config.unreadable", message=message, origin=Origin(file=path))


def _list_problems(engine: Engine) -> list[Problem]:
    """Every problem, in the order of the files and of the lines in each.

    Of agenthooks what its lint says.
    """
    sources = engine.snapshot.sources
    loaded = sum(len(each.loaded.problems) for each in sources)
    problems = [problem for each in sources for problem in _lint_source(each)]
    problems += engine.problems[loaded:]  # those of hooks of several files
    files = {each.source.file: number for number, each in enumerate(sources)}
    return sorted(
        problems,
        key=lambda problem: (
            files.get(problem.origin.file, -1),
            problem.origin.line,
            problem.origin.column,
        ),
    )


def _lint_source(shelved: LoadedSource) -> tuple[Problem, ...]:
    """Return the problems of a source, by its dialect's `lint` if that has one."""
    lint = getattr(shelved.dialect, "lint", None)
    if lint is None or shelved.source.text is None:
        return shelved.loaded.problems
    found: tuple[Problem, ...] = lint(shelved.source)
    return found


def _render_problems(document: Document, paint: Paint) -> Lines:
    """Yield a line for each problem; on a terminal also the lines of the file."""
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    for problem in document["problems"]:
        yield format_problem(problem, paint)
        if is_terminal:
            yield from make_snippet(problem, paint)


def _render_annotations(document: Document, _paint: Paint) -> Lines:
    """Yield GitHub workflow commands, which show each problem at its line in a pull request."""
    for problem in document["problems"]:
        hint = f" ({problem['hint']})" if problem["hint"] else ""
        fields = []
        for name, key in (("file", "file"), ("line", "line"), ("col", "column"), ("title", "code")):
            if problem[key]:
                fields.append(f"{name}={_escape_annotation(str(problem[key]), more=True)}")
        text = _escape_annotation(problem["message"] + hint)
        yield f"::{problem['severity']} {','.join(fields)}::{text}"


def _escape_annotation(text: str, *, more: bool = False) -> str:
    for char in "%\r\n" + ":," * more:
        text = text.replace(char, f"%{ord(char):02X}")
    return text


_BEFORE = 2
_LONGEST = 200
_MOST = 1 << 20  # bytes of the file
_WORD = re.compile(r'"[^"]*"|[^\s:,\[\]{}"]+')


def make_snippet(problem: Document, paint: Paint) -> Lines:
    """Yield the problem's line with the two before it, the mark, and the fix.

    Nothing if the place is unknown.
    """
    line, column = problem["line"], problem["column"]
    lines = _read_lines(problem["file"]) if line else []
    if not 0 < line <= len(lines):
        return
    width = len(str(line)) + 3
    for number in range(max(1, line - _BEFORE), line + 1):
        yield (
            paint("dim", f"{number:{width}} | ")
            + escape_text(lines[number - 1].replace("\t", " "))[:_LONGEST]
        )
    if 0 < column <= _LONGEST:
        word = _WORD.match(lines[line - 1], column - 1)
        mark = "^" * (len(word.group()) if word else 1)
        yield paint("dim", f"{'':{width}} | ") + " " * (column - 1) + paint("bad", mark[:_LONGEST])
    fix = f"  fix: {problem['hint']}" if problem["hint"] else ""
    yield f"{fix}  more: hookline explain {problem['code']}"


def _read_lines(path: str) -> list[str]:
    try:
        return read_start(path, _MOST).decode("utf-8-sig", "replace").splitlines()
    except OSError:
        return []
