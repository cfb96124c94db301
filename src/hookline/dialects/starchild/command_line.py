"""Command lines as Starchild and Hermes read them: split like a shell's, run without one."""

from __future__ import annotations

import itertools
import posixpath
import re
import shlex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.wire.fields import Node

# What a script's name ends in.
_SCRIPT = (
    ".py", ".sh", ".bash", ".zsh", ".ksh", ".fish", ".js", ".mjs", ".cjs", ".ts", ".mts", ".rb",
    ".pl", ".php", ".lua", ".r", ".ps1",
)  # fmt: skip
_SHELL = re.compile(r"(?:bash|sh|dash|zsh|ksh|fish)[\d.]*")
_INTERPRETER = re.compile(
    rf"{_SHELL.pattern}"
    r"|(?:python|pypy|node|nodejs|deno|bun|ruby|perl|php|lua|pwsh|Rscript|tsx|uv)[\d.]*"
)
# Flags after which code or a module stands, and no script; `-e` of a shell is none.
_CODE = re.compile(r"-(?:[A-Za-z]*[cem]|-eval|-command|-module|p|-print)")
_SHELL_CODE = re.compile(r"-[A-Za-z]*c")
_ASSIGNMENT = re.compile(r"\w+=.*", re.DOTALL)


def read_words(hook: Node) -> list[str]:
    """Return the command of a hook, split like a shell's; nothing if it is wrong.

    `;`, pipes and `$(...)` are plain text.
    """
    command = hook.text("command", required=True)
    if not isinstance(hook.value.get("command"), str):
        return []
    words: list[str] = []
    why = hint = ""
    try:
        words = shlex.split(command)
    except ValueError as error:
        why, hint = f"the command cannot be split: {str(error).lower()}", "close the quote"
    else:
        if not "".join(words[:1]).strip():
            why = "a command hook needs a non-empty `command`"
    if "\0" in command:
        why = "a command cannot hold a NUL character"
    if why:
        hook.complain("handler.command", why, "command", hint=hint)
        return []
    return words


def read_argv(hook: Node, folder: str) -> tuple[str, ...]:
    """Return the command of a hook, with the program and its script as absolute paths.

    Relative ones start at `folder`.
    """
    argv = read_words(hook)
    if not argv:
        return ()
    script = find_script(argv)
    # A bare first word is looked up like any program.
    is_path = "/" in argv[0] or argv[0].endswith(_SCRIPT)
    for at in {*((0,) if is_path else ()), *(() if script is None else (script,))}:
        path = argv[at]
        if path.startswith("/"):
            continue
        why = "hookline leaves it as it is"
        if folder.startswith("/") and not path.startswith("~"):
            argv[at] = posixpath.normpath(posixpath.join(folder, path))
            why = f"it starts at the folder of this file, as `{argv[at]}`"
        why = f"`{path}` is a relative path; {why}"
        hook.warn("handler.relative-path", why, "command", hint="write the whole path")
    return tuple(argv)


def find_script(argv: Sequence[str]) -> int | None:
    """Return where the script stands: the program itself, or what its interpreter runs.

    That is the first path with a script's ending, else the first argument that looks like a path.
    Code on the command line is no script.
    """
    start = 0
    if posixpath.basename(argv[0]) == "env":
        words = (at for at, word in enumerate(argv) if at and not word.startswith("-"))
        start = next((at for at in words if not _ASSIGNMENT.fullmatch(argv[at])), 0)
    program = posixpath.basename(argv[start])
    if not _INTERPRETER.fullmatch(program):
        return start if "/" in argv[start] or program.endswith(_SCRIPT) else None
    code = _SHELL_CODE if _SHELL.fullmatch(program) else _CODE
    rest = range(start + 1, len(argv))
    before_code = itertools.takewhile(lambda at: not code.fullmatch(argv[at]), rest)
    arguments = [at for at in before_code if not argv[at].startswith("-")]
    scripts = [at for at in arguments if argv[at].lower().endswith(_SCRIPT)]
    paths = [at for at in arguments if "/" in argv[at]]
    return next(iter(scripts + paths), None)
