"""Removes environment variables that a repository sets, or that point the user's files into it."""

from __future__ import annotations

import json
import os
import pwd
import stat

from hookline.model.frozen import Frozen
from hookline.model.spec import Origin, Problem
from hookline.paths import descend, has_entry, is_below, list_parents, open_nonblocking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_HOME, _PATH = "HOME", "PATH"
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Variables that say where the user's files are.
HOMES = frozenset({
    _HOME, "CLAUDE_CONFIG_DIR", "CLINE_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME",
    "HERMES_HOME", "KIMI_SHARE_DIR", "OPENCODE_CONFIG_DIR", "PI_CODING_AGENT_DIR", "QWEN_HOME",
    "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
})  # fmt: skip
# Variables that decide what a program runs.
_NAMES = HOMES | {_PATH, "BASH_ENV", "ENV", "NODE_OPTIONS"}
_PREFIXES = ("HOOKLINE", "PYTHON", "LD_", "DYLD_", "PERL5", "RUBY", "GIT_", "XDG_")
# Files of a repository whose `env` Claude Code gives to each hook, and the variable that names its
# project.
_SETTINGS = (".claude/settings.json", ".claude/settings.local.json")
_PROJECT = "CLAUDE_PROJECT_DIR"
_LARGEST = 1 << 20  # bytes


class CleanedEnv(Frozen):
    """An environment for hookline and hooks.

    `dropped`: the removed variables, each with the file that sets it ("": its value leads into the
    repository).
    """

    environ: Mapping[str, str]
    dropped: Mapping[str, str]

    @property
    def problem(self) -> Problem | None:
        """The warning about the removed variables; None if there are none."""
        if not self.dropped:
            return None
        file = next(filter(None, self.dropped.values()), "")
        names = ", ".join(f"`{name}`" for name in sorted(self.dropped))
        why = "the settings of this repository set it" if file else "it leads into this repository"
        return Problem.warning(
            "trust.project-env",
            f"left out of the environment: {names}, because {why}",
            "set it in your own settings; to name your home: --home DIR",
            origin=Origin(file=file),
        )


def drop_project_env(environ: Mapping[str, str], folder: str, home: str = "") -> CleanedEnv:
    """Return the environment without the variables that the repository around a folder controls.

    A variable that says where the user's files are does not count if it leads into the repository.
    Of the variables that decide what runs, those that `env` in the repository's settings sets are
    left out; a file over 1 MiB or unreadable sets them all. Instead of `HOME` the account's home
    counts, instead of `PATH` that of the system. `home`: the user's, whatever `HOME` says.
    """
    starts = [
        os.path.realpath(each)
        for each in dict.fromkeys((folder, environ.get(_PROJECT, "")))
        if each
    ]
    names = [name for name in environ if name in _NAMES or name.startswith(_PREFIXES)]
    account = account_home()
    homes = [account, os.path.realpath(home)] if home else [account]
    dropped: dict[str, str] = {}
    if not home and environ.get(_HOME) and os.path.realpath(environ[_HOME]) not in homes:
        dropped = _find_dropped([_HOME], environ, starts, homes)
        if not dropped:
            homes.append(os.path.realpath(environ[_HOME]))
    dropped |= _find_dropped([name for name in names if name != _HOME], environ, starts, homes)
    if not dropped and not home:
        return CleanedEnv(environ=environ, dropped={})
    cleaned = {name: value for name, value in environ.items() if name not in dropped}
    if _HOME in dropped:
        cleaned[_HOME] = account
    if _PATH in dropped:
        cleaned[_PATH] = SYSTEM_PATH
    if home:
        cleaned[_HOME] = os.path.abspath(home)
    return CleanedEnv(environ=cleaned, dropped=dropped)


def account_home() -> str:
    """Return this user's home by the system's account database; `/` if it has none."""
    try:
        return os.path.realpath(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        return "/"


def _find_dropped(
    names: Sequence[str], environ: Mapping[str, str], starts: Sequence[str], homes: Sequence[str]
) -> dict[str, str]:
    """Return the variables to remove, each with the file that sets it.

    `homes`: folders that are in no repository.
    """
    found: dict[str, str] = {}
    for start in starts:
        if _holds_any(start, homes):
            continue
        top, has_git = _find_repository(start, homes)
        for folder in (each for each in list_parents(start) if is_below(each, top)):
            for path in (f"{folder}/{name}" for name in _SETTINGS):
                found = dict.fromkeys(_read_settings_env(path, names), path) | found
        for name in names if has_git else ():
            if name in HOMES and environ[name] and is_below(os.path.realpath(environ[name]), top):
                found.setdefault(name, "")
    return found


def _find_repository(start: str, homes: Sequence[str]) -> tuple[str, bool]:
    """Return the outermost git repository around a folder and True; else the folder and False."""
    for path, descriptor in descend(start):
        if not _holds_any(path, homes) and has_entry(descriptor, ".git", follow=False):
            return path, True
    return start, False


def _holds_any(folder: str, homes: Sequence[str]) -> bool:
    return any(is_below(home, folder) for home in homes)


def _read_settings_env(path: str, names: Sequence[str]) -> Sequence[str]:
    """Return which of the variables a settings file sets; all of them if it cannot be read.

    If it is no JSON, those that it mentions.
    """
    try:
        with open(path, "rb", opener=open_nonblocking) as file:
            is_plain = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            raw = file.read(_LARGEST + 1) if is_plain else b""
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return ()
    except OSError:
        return names
    if not is_plain or len(raw) > _LARGEST:
        return names
    try:
        tree = json.loads(raw)
    except ValueError:
        return [name for name in names if f'"{name}"'.encode() in raw]
    except RecursionError:
        return names
    env = tree.get("env") if isinstance(tree, dict) else None
    return [name for name in names if name in env] if isinstance(env, dict) else ()
