"""The project folder that an event belongs to, and whether a person is at its host's terminal."""

from __future__ import annotations

import os

from hookline.config.places import project_root
from hookline.handlers.recursion_guard import find_ancestors
from hookline.model.spec import Builtin, Command, HookSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hookline.core.dialect import Table
    from hookline.model.event import Event


def find_project(folder: str, environ: Mapping[str, str], table: Table) -> str:
    """Return the project of a folder: by the host's variable, else around it, else the folder.

    The variable goes first only where it leads to no other project than that folder is in.
    """
    named = next(
        (
            path
            for name in table.project_variables
            if os.path.isabs(path := environ.get(name, "")) and os.path.isdir(path)
        ),
        "",
    )
    if named and is_inside(named, folder):
        return named
    return (project_root(folder, environ, table.name) if table.climbs else "") or named or folder


def is_inside(project: str, folder: str) -> bool:
    """Whether a folder is a project's, or lies below it."""
    return f"{os.path.realpath(folder)}/".startswith(f"{os.path.realpath(project).rstrip('/')}/")


def find_event_project(folder: str, own: str, environ: Mapping[str, str], table: Table) -> str:
    """Return the project of an event: the engine's `own`, if it happens in it, or another one."""
    home = environ.get("HOME") or os.path.expanduser("~")
    is_own = table.climbs and not is_inside(own, home) and is_inside(own, folder)
    return own if is_own else find_project(folder, environ, table)


def find_existing_folder(
    folder: str, own: str, environ: Mapping[str, str], table: Table | None
) -> str:
    """Return where hooks run instead of a folder that does not exist.

    That is the project by the host's variable, the project around the nearest folder above that
    exists, the engine's `own` folder, or the user's home.
    """
    above = folder
    while not os.path.isdir(above) and above != os.path.dirname(above):
        above = os.path.dirname(above)
    named = [environ.get(name, "") for name in table.project_variables] if table else []
    around = project_root(above, environ) if os.path.isabs(above) else ""
    home = environ.get("HOME") or os.path.expanduser("~")
    candidates = (*(path for path in named if os.path.isabs(path)), around, own, home)
    return next((path for path in candidates if path and os.path.isdir(path)), "/")


def leave_deleted_folder(environ: Mapping[str, str], table: Table | None = None) -> str:
    """Go to a folder that exists if the working folder was deleted.

    Return a notice; it is empty where nothing was deleted.
    """
    try:
        os.getcwd()
    except OSError:
        folder = find_existing_folder(environ.get("PWD", ""), "", environ, table)
        os.chdir(folder)
        return f"its working folder was deleted, so it looks for hooks from `{folder}`"
    return ""


def add_folders(
    event: Event, specs: Iterable[HookSpec], own: str, environ: Mapping[str, str], table: Table
) -> Event:
    """Return the event with the folders that its hooks need.

    `folder` is where those run that do not run in the event's folder: the engine's `own` folder, or
    what stands in for a missing one. `project` is the one that the event happens in.
    """
    handlers = [spec.handler for spec in specs if isinstance(spec.handler, Command | Builtin)]
    exists = os.path.isdir(event.cwd)
    cwd = event.cwd
    if not exists or any(each.in_folder for each in handlers):
        usable = exists and os.path.isdir(own)
        folder = own if usable else find_existing_folder(event.cwd, own, environ, table)
        event = event.replace(folder=folder)
        cwd = cwd if exists else folder
    if event.project or not handlers:
        return event
    return event.replace(project=find_event_project(cwd, own, environ, table))


_PROC = "/proc"
_LONGEST_COMMAND = 65536  # bytes of a command line
_INTERPRETERS = frozenset(("node", "bun", "deno", "python", "python3"))
_PACKAGES = "node_modules"
_TERMINALS = ("/dev/pts/", "/dev/tty", "/dev/console")


def is_attended(programs: Sequence[str]) -> bool:
    """Whether a person can answer the questions of the host, which is one of these programs.

    The host is the nearest ancestor of that name.
    That program has a terminal as its stdin and its stdout, and no prompt in its command line
    (`-p`, `--prompt`), with which it ends after its answer. False where no such ancestor is found,
    and where there is no `/proc`.
    """
    for pid in find_ancestors():
        words = _read_command(pid)
        at = _find_program(words, programs)
        if at is not None:
            has_prompt = any(map(_is_prompt, words[at + 1 :]))
            return not has_prompt and _is_terminal(pid, 0) and _is_terminal(pid, 1)
    return False


def _read_command(pid: int) -> list[str]:
    try:
        with open(f"{_PROC}/{pid}/cmdline", "rb") as file:
            return os.fsdecode(file.read(_LONGEST_COMMAND)).rstrip("\0").split("\0")
    except OSError:
        return [""]


def _find_program(words: Sequence[str], programs: Sequence[str]) -> int | None:
    """Return where a command line names one of the programs.

    That is its first word, or the script of an interpreter.
    The path names it, or the package that it is installed from.
    """
    at = 0
    if words[0].rpartition("/")[2] in _INTERPRETERS:
        at = next((at for at, word in enumerate(words) if at and not word.startswith("-")), 0)
    parts = words[at].split("/")
    package = parts[parts.index(_PACKAGES) :] if _PACKAGES in parts else []
    named = any(name in programs for name in (parts[-1].partition(".")[0], *package))
    return at if named else None


def _is_prompt(word: str) -> bool:
    """Whether an option gives the prompt: `-p`, also behind other letters, or `--prompt`."""
    name = word.partition("=")[0]
    return name == "--prompt" or (name[:1] == "-" != name[1:2] and "p" in name)


def _is_terminal(pid: int, stream: int) -> bool:
    try:
        return os.readlink(f"{_PROC}/{pid}/fd/{stream}").startswith(_TERMINALS)
    except OSError:
        return False
