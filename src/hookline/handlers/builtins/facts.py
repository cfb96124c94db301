"""Builtins that tell the model facts, and the one that counts its calls.

They tell the date, the machine, its user, the folder, and instruction files
(docs/formats/docker-agent.md 8).
"""

from __future__ import annotations

import datetime as dt
import os
import platform
import pwd
from itertools import islice
from pathlib import Path

from hookline.handlers.builtins.call import make_context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hookline.handlers.builtins.call import BuiltinCall, Output

_NESTED_LIMIT = 200
_LISTED_LIMIT = 100


def parse_count(text: str) -> int:
    """Return a whole number of at most nine digits; 0 for any other text."""
    # As the docstring says.
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0  # noqa: PLR2004


def add_date(_: BuiltinCall) -> Output:
    """Handle `turn_start`: today's date in the local time zone."""
    today = dt.datetime.now().astimezone().date()
    return make_context(f"Today's date: {today.isoformat()}")


def add_environment_info(asked: BuiltinCall) -> Output:
    """Handle `session_start`: folder, whether it is a Git repository, operating system, CPU."""
    cwd = asked.event.cwd
    if not cwd:
        return None
    lines = (
        f"Working directory: {cwd}",
        f"Is directory a git repo: {'Yes' if _in_git(Path(cwd)) else 'No'}",
        f"Operating System: {platform.system()}",
        f"CPU Architecture: {platform.machine()}",
    )
    return make_context("\n".join(lines))


def _in_git(folder: Path) -> bool:
    return any(os.path.exists(place / ".git") for place in (folder, *folder.parents))


def add_user_info(asked: BuiltinCall) -> Output:
    """Handle `session_start`: user name, full name and host name, where the machine knows them."""
    name, full_name = _find_user(asked.environ)
    known = {"User": name, "Full name": full_name, "Host": platform.node()}
    return make_context(
        "\n".join(f"{label}: {_to_one_line(text)}" for label, text in known.items() if text)
    )


def _find_user(environ: Mapping[str, str]) -> tuple[str, str]:
    try:
        entry = pwd.getpwuid(os.getuid())
    except KeyError:  # in a container, the user's number may have no entry
        return environ.get("USER", ""), ""
    return entry.pw_name, entry.pw_gecos.partition(",")[0].strip()


def add_directory_listing(asked: BuiltinCall) -> Output:
    """Handle `session_start`: the top level of the directory, folders with `/`, no dot files."""
    cwd = asked.event.cwd
    if not cwd:
        return None
    names = _list_entries(cwd)
    lines = [
        f"{_to_one_line(name)}{'/' if folder else ''}" for name, folder in names[:_LISTED_LIMIT]
    ]
    if len(names) > _LISTED_LIMIT:
        lines.append(f"... and {len(names) - _LISTED_LIMIT} more")
    return make_context("\n".join((f"Contents of {_to_one_line(cwd)}:", *lines)) if lines else "")


def _list_entries(folder: str) -> list[tuple[str, bool]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(
                (entry.name, entry.is_dir(follow_symlinks=False))
                for entry in entries
                if not entry.name.startswith(".")
            )
    except OSError:
        return []


def _to_one_line(text: str) -> str:
    """Return a name on one line: a line break in a name could add instructions for the model."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def add_prompt_files(asked: BuiltinCall) -> Output:
    """Handle `turn_start`: the nearest file of each name from cwd upwards, and that in HOME.

    `--depth=N` also lists files of these names up to N folders below cwd, without their text.
    """
    if not asked.event.cwd or not asked.args:
        return None
    depth, names = _parse_depth(asked.args)
    cwd = Path(asked.event.cwd)
    parts = [
        f"Instructions from: {path}\n{text}"
        for name in names
        for path in _find_prompt_files(name, cwd, asked.environ)
        if (text := _read_text(path))
    ]
    nested = list(islice(_find_nested(cwd, names, depth), _NESTED_LIMIT))
    if nested:
        parts.append(
            "Further instruction files, to be read when working there:\n" + "\n".join(nested)
        )
    return make_context("\n\n".join(parts))


def _parse_depth(args: tuple[str, ...]) -> tuple[int, list[str]]:
    depth, names = 0, []
    for arg in args:
        if arg.startswith("--depth="):
            wanted = arg.removeprefix("--depth=")
            depth = int(wanted[:9]) if wanted.isdecimal() else depth
        else:
            names.append(arg)
    return depth, names


def _find_prompt_files(name: str, cwd: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    nearest = next(
        (folder / name for folder in (cwd, *cwd.parents) if os.path.isfile(folder / name)), None
    )
    if nearest is not None:
        yield nearest
    at_home = Path(environ.get("HOME", "")) / name if environ.get("HOME") else None
    if at_home is not None and at_home != nearest and os.path.isfile(at_home):
        yield at_home


def _find_nested(cwd: Path, names: list[str], depth: int) -> Iterator[str]:
    """Yield the files below a folder; links to folders, which may lead back up, are skipped."""
    for folder, below, _ in os.walk(cwd):
        level = len(Path(folder).relative_to(cwd).parts)
        below[:] = sorted(below) if level < depth else ()
        if level:
            paths = (os.path.join(folder, name) for name in names)
            yield from filter(os.path.isfile, paths)


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def max_iterations(asked: BuiltinCall) -> Output:
    """Handle `before_llm_call`: block each call after the Nth.

    Nothing without a count or a positive limit.

    It keeps no state: the host counts (`iteration`), or else the engine, by session.
    """
    limit = parse_count(asked.args[0]) if asked.args else 0
    count = asked.event.body.value("iteration")
    if not limit or type(count) is not int or count <= limit:
        return None
    reason = f"max_iterations builtin reached its limit of {limit} model call(s)."
    return {"decision": "block", "reason": f"Agent terminated: {reason}"}
