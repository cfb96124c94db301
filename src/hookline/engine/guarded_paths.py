"""Tells which files decide about hooks: hookline's own, those of hosts, and approved ones."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase

from hookline.config.places import list_patterns
from hookline.paths import data_folder, find_home, is_below, state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.engine.runtime import Runtime
    from hookline.model.event import Event

# Files of hosts that hold no hooks in a format of their own: modules that call hookline.
_MODULES = ("*/opencode/plugin*/hookline.*", "*/.pi/agent/extensions/hookline*")


def make_path_finder(event: Event, runtime: Runtime) -> Callable[[str], str]:
    """Return the function that says what an absolute path is.

    It returns `store`, `entry`, `git`, `covered`, or nothing for any other file. Links are followed
    once, so that a link beside a file is the file.
    """
    environ = runtime.environ
    own = _list_own_folders(environ)
    covered: list[frozenset[str]] = []

    def find(path: str) -> str:
        for name in dict.fromkeys((path, os.path.realpath(path))):
            if any(is_below(name, folder) for folder in own):
                return "store"
            if _is_entry(name, event, environ):
                return "entry"
            if "/.git/hooks/" in f"{name}/" or name.endswith("/.git/config"):
                return "git"
        if not covered:
            covered.append(_list_covered(runtime))
        return "covered" if os.path.realpath(path) in covered[0] else ""

    return find


def _list_own_folders(environ: Mapping[str, str]) -> tuple[str, ...]:
    config = environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(config):
        config = f"{find_home(environ)}/.config"
    return (state_folder(environ), data_folder(environ), f"{config}/hookline")


def _is_entry(path: str, event: Event, environ: Mapping[str, str]) -> bool:
    """Return whether a host, or hookline, reads hooks from a path."""
    for folder in dict.fromkeys((event.project or event.cwd, event.cwd)):
        for patterns in list_patterns(folder, environ).values():
            if any(fnmatchcase(path, each) or is_below(path, each) for each in patterns):
                return True
    return any(fnmatchcase(path, pattern) for pattern in _MODULES)


def _list_covered(runtime: Runtime) -> frozenset[str]:
    """Return the real paths of the files that approved hooks run."""
    if runtime.gate is None:
        return frozenset()
    gate = runtime.gate.get_strict()
    states = gate.find_states(entry.spec for entry in runtime.snapshot.registry.entries())
    paths = (file.path for state in states for file in state.inspection.files)
    return frozenset(map(os.path.realpath, paths))
