"""Reads hook files and folders into sources; an unreadable file is an error of that file only."""

from __future__ import annotations

import os
from itertools import islice

from hookline.config.layouts import LAYOUTS
from hookline.config.places import MOST_FILES
from hookline.core.dialect import Companion, Source
from hookline.errors import ConfigError
from hookline.model.kinds import native_names
from hookline.paths import read_start
from hookline.wire.parsers import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import TypeAlias

    from hookline.config.layouts import Layout

    Stamp: TypeAlias = tuple[tuple[int, ...], ...]

_SCRIPTS = (".sh", ".bash", ".py", ".js", ".mjs", ".ts", ".rb", ".pl")
# A configuration is text that people write; what is larger is something else.
_LARGEST = 1 << 20
_HEAD = 256
# Scopes whose hooks belong to no project.
_EVERYWHERE = ("managed", "user")


# How the path of a file ends -> its dialect; the first that fits. `*` is any name.
_NAMED: tuple[tuple[tuple[str, ...], str], ...] = (
    (("/hook.md", "/hooks.toml"), "agenthooks"),
    (("/shell_hooks.yaml", "/shell_hooks.yml"), "starchild"),
    (("/.hermes/config.yaml",), "hermes"),
    (("/.codex/hooks.json", "/.codex/config.toml", "/codex/requirements.toml"), "codex"),
    (("/etc/codex/hooks.json", "/etc/codex/config.toml"), "codex"),
    (("/.kimi/config.toml", "/.kimi-code/config.toml"), "kimi"),
    (("/.cursor/hooks.json", "/cursor/hooks.json"), "cursor"),
    (
        ("/.github/hooks/*.json", "/.copilot/hooks/*.json", "/github-copilot/policy.d/*.json"),
        "copilot",
    ),
    (
        (
            "/.github/copilot/settings.json",
            "/.github/copilot/settings.local.json",
            "/.copilot/settings.json",
        ),
        "copilot",
    ),
    (("/.gemini/settings.json", "/gemini-cli/settings.json"), "gemini"),
    (("/.qwen/settings.json", "/qwen-code/settings.json"), "qwen"),
    (("/.openhands/hooks.json",), "openhands"),
    (("/.clinerules/hooks/*", "/.cline/hooks/*", "/cline/hooks/*"), "cline"),
    ((".json",), "claude-code"),
    ((".yaml", ".yml"), "docker-agent"),
)


# Dialects whose JSON files look alike -> the key of their events in `model.kinds`; the first of
# several that fit.
_ALIKE: Mapping[str, str] = {
    "claude-code": "claude",
    "codex": "codex",
    "gemini": "gemini",
    "cursor": "cursor",
    "copilot": "copilot",
    "qwen": "qwen",
    "openhands": "openhands",
}
# The manifest of a plugin beside the folder of its hooks -> its dialect.
_MANIFESTS: Mapping[str, str] = {
    "gemini-extension.json": "gemini",
    "qwen-extension.json": "qwen",
    ".claude-plugin/plugin.json": "claude-code",
    ".codex-plugin/plugin.json": "codex",
}


def guess_dialect(path: str, host: str = "") -> str:
    """Return the dialect of a file or folder, by its name, its contents and the host.

    Args:
        path: the file or folder.
        host: the dialect of the host that is being answered; it decides only if name and contents
            do not.

    Raises:
        ConfigError: the dialect cannot be found out, or there is no such file or folder.
    """
    if not os.path.exists(path):
        raise _missing_error(path)
    if os.path.isdir(path):
        whole = os.path.abspath(path)
        named = {dialect: _is_one_of(whole, layout.folders) for dialect, layout in LAYOUTS.items()}
        for dialect, layout in sorted(LAYOUTS.items(), key=lambda entry: not named[entry[0]]):
            if (named[dialect] or not layout.bound) and (
                first := next(_in_folder(path, layout), "")
            ):
                return _guess_by_contents(first, dialect, host)
    else:
        whole = os.path.abspath(path).lower()
        for endings, dialect in _NAMED:
            if any(_has_suffix(whole, ending) for ending in endings):
                return _guess_by_contents(path, dialect, host) if endings == (".json",) else dialect
    raise ConfigError(
        f"cannot tell the dialect of `{path}`",
        name="config.dialect",
        place=path,
        hint="name it with --dialect",
    )


def _guess_by_contents(path: str, dialect: str, host: str) -> str:
    """Return the dialect of a `hooks.json`: by its plugin's manifest, by its events, or by the host."""
    if dialect != "claude-code" or os.path.basename(path) != "hooks.json":
        return dialect
    folder = os.path.dirname(os.path.abspath(path))
    root = os.path.dirname(folder) if os.path.basename(folder) == "hooks" else folder
    for manifest, owner in _MANIFESTS.items():
        if os.path.isfile(os.path.join(root, manifest)):
            return owner
    events = _list_events(path)
    known = {name: len(events & set(native_names(key))) for name, key in _ALIKE.items()}
    likely = [name for name, count in known.items() if count == max(known.values())]
    return host if host in likely else dialect if dialect in likely else likely[0]


def _list_events(path: str) -> set[str]:
    """Return the keys below `hooks` of a JSON file; none if it cannot be read."""
    if not os.path.isfile(path):
        return set()

    try:
        tree = parse(read_text(path), path, placed=False).value
    except ConfigError:
        return set()
    hooks = tree.get("hooks") if isinstance(tree, dict) else None
    return set(hooks) if isinstance(hooks, dict) else set()


def _is_one_of(path: str, folders: tuple[str, ...]) -> bool:
    return any(path.endswith(f"/{folder}") for folder in folders)


def _has_suffix(path: str, ending: str) -> bool:
    folder, any_name, rest = ending.partition("*")
    return (
        os.path.dirname(path).endswith(folder.rstrip("/")) and path.endswith(rest)
        if any_name
        else path.endswith(ending)
    )


def list_files(path: str, dialect: str, *, level: bool = False) -> list[str]:
    """Return the files that hold hooks: the file itself, or those of a folder, in the dialect's order.

    Of a folder with more than 64, one more than that: see `split_files`. `level`: the folder holds
    the hooks of a level, so that it is not itself the folder of one hook
    (docs/formats/agenthooks.md 3).

    Raises:
        ConfigError: there is no such file or folder, or the file is none of this dialect.
    """
    layout = LAYOUTS[dialect]
    if os.path.isdir(path):
        return list(islice(_in_folder(path, layout, level=level), MOST_FILES + 1))
    if not os.path.exists(path):
        raise _missing_error(path, layout)
    if layout.children and os.path.basename(path) not in (*layout.children, *layout.files):
        message = f"a hook of {dialect} is a folder with a {layout.children[0]}"
        raise ConfigError(
            message,
            name=layout.absent.get("folder", "config.missing"),
            place=path,
            hint="name the folder",
        )
    return [path]


def split_files(folder: str, files: list[str]) -> tuple[list[str], ConfigError | None]:
    """Return the files of a folder that hookline loads, and the error for the others.

    None where there are none.
    """
    if len(files) <= MOST_FILES:
        return files, None
    first = os.path.relpath(files[MOST_FILES], folder)
    return files[:MOST_FILES], too_many_files_error(folder, first)


def too_many_files_error(folder: str, first: str) -> ConfigError:
    """The error for the files of a folder that hookline does not load, of which this is the first."""
    return ConfigError(
        f"more than {MOST_FILES} files of hooks in this folder: hookline loads no file from"
        f" `{first}` on",
        name="config.too-large",
        place=folder,
        hint="remove the hooks that you do not use, or join them in fewer files",
    )


def is_single_hook_file(path: str, dialect: str) -> bool:
    """Whether a file declares exactly one hook, and its folder belongs to that hook."""
    return os.path.basename(path) in LAYOUTS[dialect].children


def is_program(path: str, dialect: str) -> bool:
    """Return whether a file is itself the program of one hook, by its name."""
    return _is_program(os.path.basename(path), LAYOUTS[dialect])


def _is_program(name: str, layout: Layout) -> bool:
    stem, ending = os.path.splitext(name.lower())
    return stem in layout.stems and ending in layout.endings


def no_hooks_error(path: str, dialect: str) -> ConfigError:
    """The error for a folder in which a dialect has no file."""
    layout = LAYOUTS[dialect]
    return ConfigError(
        f"no hooks of {dialect} in this folder",
        name=layout.absent.get("file", "config.missing"),
        place=path,
    )


def _missing_error(path: str, layout: Layout | None = None) -> ConfigError:
    name = layout.absent.get("path", "config.missing") if layout else "config.missing"
    return ConfigError("no such file or folder", name=name, place=path)


def _in_folder(folder: str, layout: Layout, *, level: bool = False) -> Iterator[str]:
    own = "" if level else _first_file(folder, layout.children)
    if own:
        yield own
        return
    yield from (
        path for name in layout.files for path in _match_files(folder, name) if os.path.isfile(path)
    )
    endings = (
        layout.endings
        if not layout.drop_ins or _is_one_of(os.path.abspath(folder), layout.drop_ins)
        else ()
    )
    if not (endings or layout.children):
        return
    for name in _list_folder(folder):
        path = os.path.join(folder, name)
        if layout.stems:
            if _is_program(name, layout) and os.path.isfile(path):
                yield path
        elif (
            endings and name.endswith(endings) and name not in layout.files and os.path.isfile(path)
        ):
            yield path
        elif (
            layout.children
            and os.path.isdir(path)
            and (child := _first_file(path, layout.children))
        ):
            yield child


def _match_files(folder: str, name: str) -> list[str]:
    """Return the paths that a name of `files` stands for: one path, or the matches of its pattern."""
    inner, _, last = name.rpartition("/")
    if not last.startswith("*"):
        return [os.path.join(folder, name)]
    below = os.path.join(folder, inner)
    return (
        [os.path.join(below, found) for found in _list_folder(below) if found.endswith(last[1:])]
        if os.path.isdir(below)
        else []
    )


def _list_folder(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError as error:
        raise _unreadable_error(folder, error) from None


def _unreadable_error(path: str, error: OSError) -> ConfigError:
    return ConfigError(
        f"cannot be read: {(error.strerror or 'unreadable').lower()}",
        name="config.unreadable",
        place=path,
    )


def _first_file(folder: str, names: tuple[str, ...]) -> str:
    return next((path for name in names if os.path.isfile(path := os.path.join(folder, name))), "")


def read_source(place: Source, dialect: str) -> Source:
    """Return a file as a source, with its text and the companion files that its loader needs.

    Raises:
        ConfigError: it cannot be read, or is no text.
    """
    folder, layout = os.path.dirname(os.path.abspath(place.file)), LAYOUTS[dialect]
    own = (os.path.basename(place.file),) if layout.stems else ()
    return place.replace(
        text="" if layout.stems else read_text(place.file, front=layout.front),
        companions={
            name: found
            for name in (*layout.companions, *own)
            if (found := _read_companion(folder, name, whole=layout.whole))
        },
        names=_find_names(place.file, folder, place.scope) | _unused_scripts(folder, layout),
    )


def _read_front_matter(raw: bytes) -> bytes:
    """Return the front matter of a file; the whole file if it has none."""
    # Few files may have front matter.
    from hookline.wire.front_matter import FRONT_LIMIT, find_front_matter_end  # noqa: PLC0415

    return raw[: find_front_matter_end(raw[:FRONT_LIMIT]) or len(raw)]


def read_text(path: str, *, front: bool = False) -> str:
    """Return the text of a file; with `front`, only its front matter if it has any.

    Raises:
        ConfigError: it cannot be read, is too large, or is no text.
    """
    try:
        raw = read_start(path, _LARGEST + 1)
    except OSError as error:
        raise _unreadable_error(path, error) from None
    raw = _read_front_matter(raw) if front else raw
    if len(raw) > _LARGEST:
        raise ConfigError(
            f"larger than {_LARGEST >> 20} MiB",
            name="config.too-large",
            place=path,
            hint="keep the hooks in a smaller file",
        )
    try:
        return raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - raw.rfind(b"\n", 0, error.start)
        place = f"{path}:{line}:{column}"
        raise ConfigError(
            "not UTF-8 text", name="config.unreadable", place=place, hint="save it as UTF-8"
        ) from None


def _read_companion(folder: str, name: str, *, whole: bool) -> Companion | None:
    path = os.path.join(folder, name)
    if not os.path.isfile(path):
        return None
    try:
        if whole:
            return Companion(path=name, text=read_text(path))
        head = read_start(path, _HEAD).partition(b"\n")[0].decode("utf-8", "replace").rstrip("\r")
    except ConfigError as error:
        return Companion(path=name, fault=error.message)
    except OSError:
        head = ""
    return Companion(path=name, executable=os.access(path, os.X_OK), head=head)


def make_stamp(path: str, dialect: str) -> Stamp:
    """Return the stat fields of a file and its companions, which change when these do.

    The errno of a missing one.

    A link counts as its target, so that a new target is a change.
    """
    folder = os.path.dirname(path)
    return tuple(
        _stamp_path(each)
        for each in (path, *(os.path.join(folder, name) for name in LAYOUTS[dialect].companions))
    )


def _stamp_path(path: str) -> tuple[int, ...]:
    try:
        found = os.stat(path)
    except OSError as error:
        return (error.errno or 0,)
    return (
        found.st_mode,
        found.st_dev,
        found.st_ino,
        found.st_size,
        found.st_mtime_ns,
        found.st_ctime_ns,
    )


def _unused_scripts(folder: str, layout: Layout) -> dict[str, str]:
    """Return the first script beside a HOOK.md that has none of the names of the format, for the warning about it."""
    if not layout.front or any(os.path.isfile(f"{folder}/{name}") for name in layout.companions):
        return {}
    for place in ("scripts", ""):
        try:
            names = sorted(os.listdir(os.path.join(folder, place)))
        except OSError:
            continue
        for name in names:
            if name.endswith(_SCRIPTS) and os.path.isfile(os.path.join(folder, place, name)):
                return {"scripts": os.path.join(place, name)}
    return {}


def _find_names(path: str, folder: str, scope: str) -> dict[str, str]:
    """Return what a host derives from a file's path: project of `.claude`, root of a plugin, folder of a HOOK.md.

    The `.claude` of a home, or of policy, has no project: its hooks run in all projects.
    """
    if os.path.basename(folder) == ".claude":
        project = os.path.dirname(folder)
        is_home = os.path.realpath(project) == os.path.realpath(os.path.expanduser("~"))
        return {} if is_home or scope in _EVERYWHERE else {"project_dir": project}
    if os.path.basename(path) == "hooks.json" and os.path.basename(folder) == "hooks":
        return {"plugin_root": os.path.dirname(folder)}
    if os.path.basename(path).lower() == "hook.md":
        return {"folder": folder}
    return {"folder": folder, "home": os.path.expanduser("~")}
