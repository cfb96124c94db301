"""Command lines as Starchild and Hermes read them: split like a shell's, run without one."""

from __future__ import annotations

import posixpath
import re
import shlex

from hookline.text.source_references import (
    OTHER,
    find_code_option,
    find_interpreter,
    find_language,
    find_program_index,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.wire.fields import Node

# Flags of interpreters other than shells and Python after which code stands, and no script.
_CODE = re.compile(r"-(?:[A-Za-z]*e|-eval|-command|p|-print)")


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
    is_path = "/" in argv[0] or find_language(argv[0])
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
    start = find_program_index(argv)
    if start == len(argv):
        return None
    program = argv[start]
    language = find_interpreter(program) or (OTHER if program == "uv" else "")
    if not language:
        return start if "/" in program or find_language(program) else None
    arguments: list[int] = []
    for at, word in enumerate(argv[start + 1 :], start + 1):
        if find_code_option(language, word) or (language == OTHER and _CODE.fullmatch(word)):
            break
        if not word.startswith("-"):
            arguments.append(at)
    scripts = [at for at in arguments if find_language(argv[at])]
    paths = [at for at in arguments if "/" in argv[at]]
    return next(iter(scripts + paths), None)
