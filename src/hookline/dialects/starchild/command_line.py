"""Command lines as the format reads them: split like a shell's, run without one; and where in them the script stands."""

from __future__ import annotations

import posixpath
import re
import shlex

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hookline.wire.fields import Node

# What a script's name ends in.
_SCRIPT = (
    ".py", ".sh", ".bash", ".zsh", ".ksh", ".fish", ".js", ".mjs", ".cjs", ".ts", ".mts", ".rb", ".pl", ".php", ".lua", ".r", ".ps1",
)  # fmt: skip
# Programs that run a script which is named after them.
_SHELL = re.compile(r"(?:bash|sh|dash|zsh|ksh|fish)[\d.]*")
_INTERPRETER = re.compile(
    rf"{_SHELL.pattern}|(?:python|pypy|node|nodejs|deno|bun|ruby|perl|php|lua|pwsh|Rscript|tsx|uv)[\d.]*"
)
# Flags after which code or a module stands, and no script; `-e` of a shell is none.
_CODE = re.compile(r"-(?:[A-Za-z]*[cem]|-eval|-command|-module|p|-print)")
_SHELL_CODE = re.compile(r"-[A-Za-z]*c")
_ASSIGNMENT = re.compile(r"\w+=.*", re.DOTALL)


class Line(Frozen):
    """A command line: its words, and the script among them (empty if there is none)."""

    argv: tuple[str, ...] = ()
    script: str = ""


def line(hook: Node, folder: str) -> Line:
    """The command of an entry, its own relative paths taken from `folder` (docs/formats/starchild.md 1)."""
    argv = words(hook)
    if not argv:
        return Line()
    at = script_at(argv)
    resolved = list(argv)
    for place in sorted({0, at} if at is not None else {0}):
        if _is_relative(argv[place], first=place == 0):
            resolved[place] = _absolute(hook, argv[place], folder)
    return Line(argv=tuple(resolved), script=resolved[at] if at is not None else "")


def words(hook: Node) -> tuple[str, ...]:
    """The command of an entry, split like a shell's: quotes count, and `;`, pipes and `$(...)` are plain text."""
    command = hook.text("command", required=True)
    if "command" not in hook.value or not isinstance(hook.value["command"], str):
        return ()
    try:
        split = tuple(shlex.split(command))
    except ValueError as error:
        hook.complain(
            "handler.command",
            f"the command cannot be split: {str(error).lower()}",
            "command",
            hint="close the quote",
        )
        return ()
    if not split or not split[0].strip():
        hook.complain("handler.command", "a command hook needs a non-empty `command`", "command")
        return ()
    if "\0" in command:
        hook.complain("handler.command", "a command cannot hold a NUL character", "command")
        return ()
    return split


def script_at(argv: tuple[str, ...]) -> int | None:
    """Where the script stands: the program itself, or after an interpreter the first path with a script's ending.

    Without such an ending it is the first argument that looks like a path. Code on the command line is no script.
    """
    start = _program(argv)
    if start is None:
        return None
    program = posixpath.basename(argv[start])
    if not _INTERPRETER.fullmatch(program):
        return start if "/" in argv[start] or argv[start].endswith(_SCRIPT) else None
    arguments = list(
        _before_code(argv, start + 1, _SHELL_CODE if _SHELL.fullmatch(program) else _CODE)
    )
    ending = (at for at in arguments if argv[at].lower().endswith(_SCRIPT))
    path = (at for at in arguments if "/" in argv[at])
    return next(ending, next(path, None))


def _program(argv: tuple[str, ...]) -> int | None:
    """Where the program stands; behind `env`, after its flags and assignments."""
    if posixpath.basename(argv[0]) != "env":
        return 0
    return next(
        (
            at
            for at in range(1, len(argv))
            if not argv[at].startswith("-") and not _ASSIGNMENT.fullmatch(argv[at])
        ),
        None,
    )


def _before_code(argv: tuple[str, ...], start: int, code: re.Pattern[str]) -> Iterable[int]:
    """The places of arguments that are no flags, up to a flag that code follows."""
    for at in range(start, len(argv)):
        if code.fullmatch(argv[at]):
            return
        if not argv[at].startswith("-"):
            yield at


def _is_relative(word: str, *, first: bool) -> bool:
    """Whether a word is a path that depends on a folder; a bare first word is looked up like any program."""
    if word.startswith("/"):
        return False
    return not first or "/" in word or word.endswith(_SCRIPT)


def _absolute(hook: Node, path: str, folder: str) -> str:
    if not folder.startswith("/") or path.startswith("~"):
        why = (
            "`~` is left as it is"
            if path.startswith("~")
            else "the folder of this file is not known"
        )
        hook.complain(
            "handler.relative-path",
            f"`{path}` is a relative path, and {why}",
            "command",
            hint="write the whole path",
            severity="warning",
        )
        return path
    whole = posixpath.normpath(posixpath.join(folder, path))
    message = f"`{path}` is a relative path; it is taken from the folder of this file, as `{whole}`"
    hook.complain(
        "handler.relative-path", message, "command", hint="write the whole path", severity="warning"
    )
    return whole
