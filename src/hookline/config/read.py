"""Read: files and folders become sources; a bad file is a problem of its own and never stops the others."""

from __future__ import annotations

import os

from hookline.core.dialect import Companion, Source
from hookline.errors import ConfigError
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# A configuration is text that people write; what is larger is something else.
_LARGEST = 4 << 20
_HEAD = 256


class Layout(Frozen):
    """How a dialect's hooks lie in a folder. `files` are taken if they are there, `children` of each sub-folder.

    `companions`: files beside a source that its loader must know of.
    """

    files: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    companions: tuple[str, ...] = ()


LAYOUTS: Mapping[str, Layout] = {
    "claude-code": Layout(
        files=(
            "settings.json",
            "settings.local.json",
            ".claude/settings.json",
            ".claude/settings.local.json",
            "hooks/hooks.json",
            "hooks.json",
        )
    ),
    "starchild": Layout(files=("shell_hooks.yaml", "config/shell_hooks.yaml")),
    "hermes": Layout(),  # its config.yaml is known by the folder that it lies in, `.hermes`
    "docker-agent": Layout(endings=(".yaml", ".yml")),
    "agenthooks": Layout(children=("HOOK.md", "hook.md"), companions=("scripts/run", "scripts/run.sh", "scripts/run.py")),
    "a3s": Layout(),
    "hookline": Layout(),
}

# How the path of a file ends -> its dialect; the first that fits.
_NAMED: tuple[tuple[tuple[str, ...], str], ...] = (
    (("/hook.md",), "agenthooks"),
    (("/shell_hooks.yaml", "/shell_hooks.yml"), "starchild"),
    (("/.hermes/config.yaml",), "hermes"),
    ((".json",), "claude-code"),
    ((".yaml", ".yml"), "docker-agent"),
)


def guess_dialect(path: str) -> str:
    """The dialect of a file or folder, by its name and what lies in it.

    Raises:
        ConfigError: nothing tells, or there is no such file or folder.
    """
    if not os.path.exists(path):
        raise _missing(path)
    if os.path.isdir(path):
        for dialect, layout in LAYOUTS.items():
            if any(True for _ in _in_folder(path, layout)):
                return dialect
    else:
        whole = os.path.abspath(path).lower()
        for endings, dialect in _NAMED:
            if whole.endswith(endings):
                return dialect
    raise ConfigError(f"cannot tell the dialect of `{path}`", name="config.dialect", place=path, hint="name it with --dialect")


def files_of(path: str, dialect: str) -> list[str]:
    """The files that hold hooks: the file itself, or those of a folder, in the dialect's order.

    Raises:
        ConfigError: there is no such file or folder.
    """
    if os.path.isdir(path):
        return list(_in_folder(path, LAYOUTS[dialect]))
    if not os.path.exists(path):
        raise _missing(path)
    return [path]


def _missing(path: str) -> ConfigError:
    return ConfigError("no such file or folder", name="config.missing", place=path)


def _in_folder(folder: str, layout: Layout) -> Iterator[str]:
    yield from (path for name in layout.files if os.path.isfile(path := os.path.join(folder, name)))
    if not (layout.endings or layout.children):
        return
    own = _first_file(folder, layout.children)
    if own:
        yield own
        return
    for name in _listed(folder):
        path = os.path.join(folder, name)
        if layout.endings and name.endswith(layout.endings) and os.path.isfile(path):
            yield path
        elif layout.children and os.path.isdir(path) and (child := _first_file(path, layout.children)):
            yield child


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError as error:
        raise _unreadable(folder, error) from None


def _unreadable(path: str, error: OSError) -> ConfigError:
    return ConfigError(f"cannot be read: {(error.strerror or 'unreadable').lower()}", name="config.unreadable", place=path)


def _first_file(folder: str, names: tuple[str, ...]) -> str:
    return next((path for name in names if os.path.isfile(path := os.path.join(folder, name))), "")


def source_of(place: Source, dialect: str) -> Source:
    """A file as a source, with its text and what its loader must know of the files beside it; `place` says the rest.

    Raises:
        ConfigError: it cannot be read, or is no text.
    """
    folder = os.path.dirname(os.path.abspath(place.file))
    companions = (_companion(folder, name) for name in LAYOUTS[dialect].companions)
    return place.replace(
        text=_text(place.file),
        companions={companion.path: companion for companion in companions if companion},
        names=_names(place.file, folder),
    )


def _text(path: str) -> str:
    try:
        with open(path, "rb") as file:
            raw = file.read(_LARGEST + 1)
    except OSError as error:
        raise _unreadable(path, error) from None
    if len(raw) > _LARGEST:
        raise ConfigError(f"larger than {_LARGEST >> 20} MiB", name="config.too-large", place=path)
    try:
        return raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - raw.rfind(b"\n", 0, error.start)
        place = f"{path}:{line}:{column}"
        raise ConfigError("not UTF-8 text", name="config.unreadable", place=place, hint="save it as UTF-8") from None


def _companion(folder: str, name: str) -> Companion | None:
    path = os.path.join(folder, name)
    if not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file:
            head = file.readline(_HEAD).decode("utf-8", "replace").rstrip("\r\n")
    except OSError:
        head = ""
    return Companion(path=name, executable=os.access(path, os.X_OK), head=head)


def _names(path: str, folder: str) -> dict[str, str]:
    """What a host knows of a file by where it lies: project of `.claude`, root of a plugin's hooks, folder of a HOOK.md."""
    if os.path.basename(folder) == ".claude":
        return {"project_dir": os.path.dirname(folder)}
    if os.path.basename(path) == "hooks.json" and os.path.basename(folder) == "hooks":
        return {"plugin_root": os.path.dirname(folder)}
    if os.path.basename(path).lower() == "hook.md":
        return {"folder": folder}
    return {"folder": folder, "home": os.path.expanduser("~")}
