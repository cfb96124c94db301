"""Which files hold hooks: their dialect, their order in a folder, and their text as a source."""

from __future__ import annotations

import fnmatch
import os
from itertools import islice

from hookline.config.places import AT_ROOT, MOST_FILES, PLACES, list_matches, project_path
from hookline.core.dialect import Companion, Source
from hookline.errors import ConfigError
from hookline.model.frozen import Frozen
from hookline.model.kinds import native_names
from hookline.model.spec import MANAGED, USER, Origin
from hookline.paths import make_unreadable_error, read_start, read_text
from hookline.wire.parsers import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import TypeAlias

    Stamp: TypeAlias = tuple[tuple[int, ...], ...]

_HEAD = 256  # bytes of a script
# Scopes whose hooks belong to no project.
_EVERYWHERE = (MANAGED, USER)


class Layout(Frozen):
    """How a dialect's hooks lie in a folder, besides the files that its places name.

    `files`: patterns of further files. `children`: files of which each sub-folder may have one.
    `companions`: files beside a source that its loader must know of, and with `reads_companions`
    reads. `is_bound`: only the folders of its places are this dialect's. `are_programs`: each file
    is the program of one hook, with the event as its name, so that its text is no configuration.
    `absent`: the format's own names for a path, file or folder that is not there.
    """

    files: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    companions: tuple[str, ...] = ()
    reads_companions: bool = False
    is_bound: bool = False
    are_programs: bool = False
    absent: Mapping[str, str] = {}


# In the order in which a folder's dialect is guessed.
LAYOUTS: Mapping[str, Layout] = {
    "claude-code": Layout(files=("hooks/hooks.json", "hooks.json")),
    "starchild": Layout(companions=("agent.yaml",), reads_companions=True),
    "hermes": Layout(is_bound=True),
    "docker-agent": Layout(files=("*.y*ml",)),
    "agenthooks": Layout(
        files=("hooks.toml",),
        children=("HOOK.md", "hook.md"),
        companions=("scripts/run", "scripts/run.sh", "scripts/run.py"),
        absent={"path": "path.missing", "file": "file.missing", "folder": "path.not-dir"},
    ),
    "codex": Layout(files=("hooks/hooks.json",)),
    "kimi": Layout(),
    "cursor": Layout(),
    "copilot": Layout(is_bound=True),
    "gemini": Layout(files=("hooks/hooks.json",)),
    "qwen": Layout(files=("hooks/hooks.json",)),
    "openhands": Layout(),
    "cline": Layout(is_bound=True, are_programs=True),
    "a3s": Layout(),
    "hookline": Layout(),
}
# How the names of programs end that are hooks by their names.
_PROGRAMS = (
    "", ".sh", ".bash", ".zsh", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".py", ".ps1",
)  # fmt: skip
# How the name of a file at no place of a dialect ends -> its dialect; the first that fits.
_NAMED = {
    "hookline.yaml": "hookline",
    "hook.md": "agenthooks",
    "hooks.toml": "agenthooks",
    "shell_hooks.yaml": "starchild",
    "shell_hooks.yml": "starchild",
    ".json": "claude-code",
    ".yaml": "docker-agent",
    ".yml": "docker-agent",
}
# Dialects whose `hooks.json` look alike -> the key of their events in `model.kinds`; the first of
# several that fit.
_ALIKE = {
    "claude-code": "claude",
    "codex": "codex",
    "gemini": "gemini",
    "cursor": "cursor",
    "copilot": "copilot",
    "qwen": "qwen",
    "openhands": "openhands",
}
# The manifest of a plugin beside the folder of its hooks -> its dialect.
_MANIFESTS = {
    "gemini-extension.json": "gemini",
    "qwen-extension.json": "qwen",
    ".claude-plugin/plugin.json": "claude-code",
    ".codex-plugin/plugin.json": "codex",
}


# -- the dialect -------------------------------------------------------------------------------


def guess_dialect(path: str, host: str = "") -> str:
    """Return the dialect of a file or folder, by its place, its name, its contents and the host.

    Args:
        path: the file or folder.
        host: the dialect of the host that is being answered; it decides only if place, name and
            contents do not.

    Raises:
        ConfigError: the dialect cannot be found out, or there is no such file or folder.
    """
    if not os.path.exists(path):
        raise _make_missing_error(path)
    whole = os.path.abspath(path)
    if os.path.isdir(path):
        placed = [dialect for dialect in LAYOUTS if _is_folder_of(whole, dialect)]
        unbound = [dialect for dialect, layout in LAYOUTS.items() if not layout.is_bound]
        for dialect in (*placed, *unbound):
            for file in _list_in_folder(path, dialect):
                return _guess_by_contents(file, dialect, host)
        raise make_no_hooks_error(path, "")
    placed = [dialect for dialect in LAYOUTS if _is_file_of(whole, dialect)]
    named = [each for ending, each in _NAMED.items() if whole.lower().endswith(ending)]
    if placed:
        return placed[0]
    if named:
        return _guess_by_contents(path, named[0], host)
    message, hint = f"cannot tell the dialect of `{path}`", "name it with --dialect"
    raise ConfigError(message, name="config.dialect", place=path, hint=hint)


def _list_endings(dialect: str) -> list[str]:
    """Return how the paths of a dialect's files end at its places, as patterns."""
    layout = LAYOUTS[dialect]
    inside = "/*" if layout.children or layout.are_programs else ""
    endings = (pattern.format_map(AT_ROOT) for each, _, pattern in PLACES if each == dialect)
    return [ending + inside for ending in endings]


def _is_file_of(path: str, dialect: str) -> bool:
    endings = _list_endings(dialect)
    return any(fnmatch.fnmatchcase(path.lower(), f"*{ending.lower()}") for ending in endings)


def _is_folder_of(path: str, dialect: str) -> bool:
    return any(path.endswith(os.path.dirname(ending)) for ending in _list_endings(dialect))


def _guess_by_contents(path: str, dialect: str, host: str) -> str:
    """Return the dialect of a `hooks.json`: by its plugin's manifest, its events, or the host."""
    if dialect != "claude-code" or os.path.basename(path) != "hooks.json":
        return dialect
    folder = os.path.dirname(os.path.abspath(path))
    root = os.path.dirname(folder) if os.path.basename(folder) == "hooks" else folder
    for manifest, owner in _MANIFESTS.items():
        if os.path.isfile(os.path.join(root, manifest)):
            return owner
    try:
        tree = parse(read_text(path), path, placed=False).value
    except ConfigError:
        tree = None
    hooks = tree.get("hooks") if isinstance(tree, dict) else None
    events = set(hooks) if isinstance(hooks, dict) else set()
    known = {name: len(events & set(native_names(key))) for name, key in _ALIKE.items()}
    likely = [name for name, count in known.items() if count == max(known.values())]
    return host if host in likely else dialect if dialect in likely else likely[0]


# -- the files of a folder ---------------------------------------------------------------------


def list_files(path: str, dialect: str, *, level: bool = False) -> list[str]:
    """Return the files that hold hooks: the file itself, or those of a folder, in order.

    Of a folder with more than 64, one more than that: see `split_files`. `level`: the folder holds
    the hooks of a level, so that it is not itself the folder of one hook
    (docs/formats/agenthooks.md 3).

    Raises:
        ConfigError: there is no such file or folder, or the file is none of this dialect.
    """
    layout = LAYOUTS[dialect]
    if os.path.isdir(path):
        try:
            return list(islice(_list_in_folder(path, dialect, level=level), MOST_FILES + 1))
        except OSError as error:
            raise make_unreadable_error(path, error) from None
    if not os.path.exists(path):
        raise _make_missing_error(path, layout.absent.get("path", ""))
    if layout.children and os.path.basename(path) not in (*layout.children, *layout.files):
        message = f"a hook of {dialect} is a folder with a {layout.children[0]}"
        name = layout.absent.get("folder", "config.missing")
        raise ConfigError(message, name=name, place=path, hint="name the folder")
    return [path]


def _list_in_folder(folder: str, dialect: str, *, level: bool = False) -> Iterator[str]:
    layout = LAYOUTS[dialect]
    own = "" if level else _find_child(folder, layout)
    if own:
        yield own
        return
    patterns = [os.path.join(folder, name) for name in _list_names(folder, dialect)]
    paths = dict.fromkeys(path for pattern in patterns for path in list_matches(pattern))
    yield from filter(os.path.isfile, paths)
    inside = sorted(os.listdir(folder)) if layout.children or layout.are_programs else ()
    for path in (os.path.join(folder, name) for name in inside):
        if child := _find_child(path, layout):
            yield child
        elif is_program(path, dialect) and os.path.isfile(path):
            yield path


def _list_names(folder: str, dialect: str) -> Iterator[str]:
    """Yield the patterns of a dialect's files as they are called in a folder."""
    layout = LAYOUTS[dialect]
    endings = () if layout.children or layout.are_programs else _list_endings(dialect)
    for ending in endings:
        parent, name = os.path.split(ending)
        if "*" not in name or os.path.abspath(folder).endswith(parent):
            yield name
        if "*" in name:
            yield f"{os.path.basename(parent)}/{name}"
        if project_path(dialect, ending):
            yield ending[1:]
    yield from layout.files


def _find_child(folder: str, layout: Layout) -> str:
    paths = (os.path.join(folder, name) for name in layout.children)
    return next(filter(os.path.isfile, paths), "")


def split_files(folder: str, files: list[str]) -> tuple[list[str], ConfigError | None]:
    """Return the files of a folder that hookline loads, and the error for the others, if any."""
    if len(files) <= MOST_FILES:
        return files, None
    first = os.path.relpath(files[MOST_FILES], folder)
    return files[:MOST_FILES], make_too_many_error(folder, first)


def make_too_many_error(folder: str, first: str) -> ConfigError:
    """Return the error for files that hookline does not load, of which `first` is the first."""
    return ConfigError(
        f"more than {MOST_FILES} files of hooks in this folder: hookline loads no file from"
        f" `{first}` on",
        name="config.too-large",
        place=folder,
        hint="remove the hooks that you do not use, or join them in fewer files",
    )


def make_no_hooks_error(path: str, dialect: str) -> ConfigError:
    """Return the error for a folder in which a dialect, or without one each, has no file."""
    name = LAYOUTS[dialect].absent.get("file", "config.missing") if dialect else "config.missing"
    of = f" of {dialect}" if dialect else ""
    hint = "" if dialect else "name the file, or the dialect with --dialect"
    return ConfigError(f"no hook files{of} found in this folder", name=name, place=path, hint=hint)


def _make_missing_error(path: str, name: str = "") -> ConfigError:
    return ConfigError("no such file or folder", name=name or "config.missing", place=path)


def is_single_hook_file(path: str, dialect: str) -> bool:
    """Whether a file declares exactly one hook, and its folder belongs to that hook."""
    return os.path.basename(path) in LAYOUTS[dialect].children


def is_program(path: str, dialect: str) -> bool:
    """Whether a file is itself the program of one hook, by its name."""
    stem, ending = os.path.splitext(os.path.basename(path).lower())
    events = native_names(dialect) if LAYOUTS[dialect].are_programs else ()
    return ending in _PROGRAMS and stem in map(str.lower, events)


# -- the text of a file ------------------------------------------------------------------------


def read_source(place: Source, dialect: str) -> Source:
    """Return a file as a source, with its text and the companion files that its loader needs.

    Raises:
        ConfigError: it cannot be read, or is no text.
    """
    folder, layout = os.path.dirname(os.path.abspath(place.file)), LAYOUTS[dialect]
    names = layout.companions
    if layout.are_programs:
        names = (os.path.basename(place.file),)
    companions = {name: _read_companion(folder, name, layout) for name in names}
    return place.replace(
        text="" if layout.are_programs else read_text(place.file),
        companions={name: found for name, found in companions.items() if found},
        names=_find_names(place.file, folder, place.scope),
    )


def _read_companion(folder: str, name: str, layout: Layout) -> Companion | None:
    path = os.path.join(folder, name)
    if not os.path.isfile(path):
        return None
    try:
        if layout.reads_companions:
            return Companion(path=name, text=read_text(path))
        head = read_start(path, _HEAD).partition(b"\n")[0].decode("utf-8", "replace").rstrip("\r")
    except ConfigError as error:
        return Companion(path=name, fault=error.message)
    except OSError:
        head = ""
    return Companion(path=name, executable=os.access(path, os.X_OK), head=head)


def _find_names(path: str, folder: str, scope: str) -> dict[str, str]:
    """Return what a host derives from a file's path: its project, plugin, folder and home.

    The `.claude` of a home, or of policy, has no project: its hooks run in all projects.
    """
    if os.path.basename(folder) == ".claude":
        project = os.path.dirname(folder)
        is_home = os.path.realpath(project) == os.path.realpath(os.path.expanduser("~"))
        return {} if is_home or scope in _EVERYWHERE else {"project_dir": project}
    if (os.path.basename(folder), os.path.basename(path)) == ("hooks", "hooks.json"):
        return {"plugin_root": os.path.dirname(folder)}
    pack = {"plugin_root": folder} if Origin(file=os.path.abspath(path)).pack else {}
    return {"folder": folder, "home": os.path.expanduser("~"), **pack}


def make_stamp(path: str, dialect: str) -> Stamp:
    """Return the stat fields of a file and its companions, which change when these do.

    The errno of a missing one. A link counts as its target, so that a new target is a change.
    """
    folder = os.path.dirname(path)
    names = LAYOUTS[dialect].companions
    return tuple(map(_stamp_path, (path, *(os.path.join(folder, name) for name in names))))


def _stamp_path(path: str) -> tuple[int, ...]:
    try:
        found = os.stat(path)
    except OSError as error:
        return (error.errno or 0,)
    times = found.st_mtime_ns, found.st_ctime_ns
    return (found.st_mode, found.st_dev, found.st_ino, found.st_size, *times)
