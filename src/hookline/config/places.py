"""The table of places where each dialect keeps its files, in order of precedence."""

from __future__ import annotations

import fnmatch
import json
import os

from hookline.model.frozen import Frozen
from hookline.paths import descend, find_home, has_entry, read_start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


# Managed, user, project, project-local (docs/architecture.md 4.3); inside a scope in the order
# written. Each row: dialect, scope, and a pattern of a path, in which `{home}` and the other names
# of `_make_names` are filled in. `hookline install --take-over` moves hooks to `taken-over`.
_TABLE = """
# docs/formats/claude-code.md 1
claude-code  managed /etc/claude-code/managed-settings.json
claude-code  managed /etc/claude-code/managed-settings.d/*.json
claude-code  user    {claude}/settings.json
claude-code  user    {config}/hookline/taken-over/claude-code/hooks.json
claude-code  project {cwd}/.claude/settings.json
claude-code  local   {cwd}/.claude/settings.local.json
# docs/formats/codex.md 1; the files of the system's folder are policy, as `requirements.toml` is
codex        managed /etc/codex/requirements.toml
codex        managed /etc/codex/hooks.json
codex        managed /etc/codex/config.toml
codex        user    {codex}/hooks.json
codex        user    {codex}/config.toml
codex        user    {config}/hookline/taken-over/codex/hooks.json
codex        project {cwd}/.codex/hooks.json
codex        project {cwd}/.codex/config.toml
# docs/formats/kimi.md 1: the user's file only, never a project's; the second is the newer edition's
kimi         user    {home}/.kimi/config.toml
kimi         user    {home}/.kimi-code/config.toml
kimi         user    {config}/hookline/taken-over/kimi/config.toml
kimi         user    {config}/hookline/taken-over/kimi-code/config.toml
# docs/formats/cursor.md 1
cursor       managed /etc/cursor/hooks.json
cursor       user    {home}/.cursor/hooks.json
cursor       user    {config}/hookline/taken-over/cursor/hooks.json
cursor       project {cwd}/.cursor/hooks.json
# docs/formats/copilot.md 1; it reads `.claude/settings.json` as well, but those hooks are
# claude-code's, and would run twice
copilot      managed /etc/github-copilot/policy.d/*.json
copilot      user    {copilot}/hooks/*.json
copilot      user    {copilot}/settings.json
copilot      project {cwd}/.github/hooks/*.json
copilot      project {cwd}/.github/copilot/settings.json
copilot      local   {cwd}/.github/copilot/settings.local.json
# docs/formats/gemini.md 1; an extension's `hooks/hooks.json` is named by the person who uses it
gemini       managed /etc/gemini-cli/settings.json
gemini       user    {home}/.gemini/settings.json
gemini       user    {config}/hookline/taken-over/gemini/settings.json
gemini       project {cwd}/.gemini/settings.json
# docs/formats/qwen.md 1; Qwen Code keeps the keys and the places of Gemini CLI, whose fork it is
qwen         managed /etc/qwen-code/settings.json
qwen         user    {qwen}/settings.json
qwen         user    {config}/hookline/taken-over/qwen/settings.json
qwen         project {cwd}/.qwen/settings.json
# docs/formats/openhands.md 1
openhands    user    {home}/.openhands/hooks.json
openhands    user    {config}/hookline/taken-over/openhands/hooks.json
openhands    project {cwd}/.openhands/hooks.json
# docs/formats/cline.md 1: folders, in which the name of a file is its event
cline        user    {home}/Documents/Cline/Hooks
cline        user    {cline}/hooks
cline        project {cwd}/.clinerules/hooks
cline        project {cwd}/.cline/hooks
# docs/formats/docker-agent.md 3; agent files are named by the person who runs them
# a machine's policy in its shape; the format itself has no such place
docker-agent managed /etc/hookline/hooks.d/*.yaml
docker-agent user    {home}/.config/cagent/config.yaml
docker-agent user    {home}/.config/cagent/hooks.d/*.yaml
# docs/formats/starchild.md 1; docs/formats/hermes.md 1
starchild    project {cwd}/config/shell_hooks.yaml
hermes       user    {home}/.hermes/config.yaml
hermes       user    {config}/hookline/taken-over/hermes/config.yaml
# docs/formats/agenthooks.md 3
agenthooks   user    {config}/agents/hooks
agenthooks   project {cwd}/.agents/hooks
# docs/formats/hookline.md 2
hookline     user    {config}/hookline/hookline.yaml
hookline     project {cwd}/.hookline.yaml
"""
PLACES: tuple[tuple[str, str, str], ...] = tuple(
    (dialect, scope, pattern)
    for row in _TABLE.strip().splitlines()
    if not row.startswith("#")
    for dialect, scope, pattern in [row.split()]
)
_IN_PROJECT = "{cwd}/"
_LARGEST = 1 << 20  # bytes of a settings file, and of the list of installed plugins
# Files of hooks in one folder; each costs milliseconds at every event.
MOST_FILES = 64
# The place whose file enables plugins; plugins have their own hooks.
_WITH_PLUGINS = "{claude}/settings.json"
# Name in a pattern -> the variable that moves a folder of the user, and its place in the home.
_FOLDERS = {
    "config": ("XDG_CONFIG_HOME", ".config"),
    "claude": ("CLAUDE_CONFIG_DIR", ".claude"),
    "codex": ("CODEX_HOME", ".codex"),
    "copilot": ("COPILOT_HOME", ".copilot"),
    "qwen": ("QWEN_HOME", ".qwen"),
    "cline": ("CLINE_DIR", ".cline"),
}
# What fills in the names so that a pattern is the end of a path in any home and project.
AT_ROOT = {"home": "", "cwd": ""} | {name: f"/{folder}" for name, (_, folder) in _FOLDERS.items()}


class Found(Frozen):
    """A file or folder of hooks that exists."""

    dialect: str
    scope: str
    path: str


def find_places(cwd: str, environ: Mapping[str, str], only: str = "") -> Iterator[Found]:
    """Yield every place that exists for a project folder, in order; `only` keeps one dialect.

    Of a pattern in the project, one more than `MOST_FILES`: see `split_files`.
    """
    names = _make_names(cwd, environ)
    seen: set[tuple[str, str]] = set()
    for dialect, scope, pattern in _list_rows(only):
        paths = list_matches(pattern.format_map(names))
        if pattern.startswith(_IN_PROJECT):
            paths = paths[: MOST_FILES + 1]
        if pattern == _WITH_PLUGINS and paths:
            paths += _find_plugin_files(names["claude"])
        for path in paths:
            same = (dialect, os.path.realpath(path))
            if same not in seen:  # in the home folder, the user's file is the project's too
                seen.add(same)
                yield Found(dialect=dialect, scope=scope, path=path)


def _list_rows(only: str) -> Iterator[tuple[str, str, str]]:
    """Yield the places of one dialect; of all for ""."""
    return (row for row in PLACES if only in ("", row[0]))


def list_matches(pattern: str) -> list[str]:
    """Return the path if it exists; if its last part is a pattern, the files that match."""
    folder, name = os.path.split(pattern)
    if "*" not in name:
        return [pattern] if os.path.exists(pattern) else []
    try:
        names = fnmatch.filter(sorted(os.listdir(folder)), name)
    except OSError:
        return []
    return [os.path.join(folder, each) for each in names if not each.startswith(".")]


def find_taken_over_path(host: str, environ: Mapping[str, str]) -> str:
    """Return the file with the hooks that hookline took over from a host.

    Empty if it takes over none of this host.
    """
    patterns = (path for *_, path in PLACES if is_taken_over(path))
    found = next((path for path in patterns if path.split("/")[-2] == host), "")
    return found.format_map(_make_names("", environ))


def is_taken_over(path: str) -> bool:
    """Whether a file holds hooks that were taken over, so that no host runs them itself."""
    return os.path.dirname(os.path.dirname(path)).endswith("/hookline/taken-over")


def _make_names(cwd: str, environ: Mapping[str, str]) -> dict[str, str]:
    home = find_home(environ)
    names = {"home": home, "cwd": cwd}
    for name, (variable, folder) in _FOLDERS.items():
        moved = environ.get(variable, "")
        # An empty or relative value is ignored (docs/formats/agenthooks.md 3).
        is_moved = os.path.isabs(moved) if name == "config" else moved
        names[name] = moved if is_moved else f"{home}/{folder}"
    return names


def list_patterns(cwd: str, environ: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the path patterns of all places by scope, existing or not.

    Those that only hookline writes to are left out.
    """
    names = _make_names(cwd, environ)
    found: dict[str, list[str]] = {}
    for _, scope, pattern in PLACES:
        if not is_taken_over(pattern):
            found.setdefault(scope, []).append(pattern.format_map(names))
    return found


def find_own_file(cwd: str, environ: Mapping[str, str], *, user: bool) -> str:
    """Return the path of `hookline.yaml`: the user's, or that of a project's folder."""
    scope = "user" if user else "project"
    pattern = next(row[2] for row in PLACES if row[:2] == ("hookline", scope))
    return pattern.format_map(_make_names(cwd, environ))


# -- projects ----------------------------------------------------------------------------------


def project_root(folder: str, environ: Mapping[str, str], only: str = "") -> str:
    """Return the nearest folder, from here upwards, that is a repository or has hook files.

    Empty if none. `only`: files of one dialect. The user's home and the folders above it are no
    projects.
    """
    marks = [*_list_marks(only), ".git"]
    home = os.path.realpath(_make_names("", environ)["home"])
    above = {_identify(os.fstat(descriptor)) for _, descriptor in descend(home)}
    found = ""
    for path, descriptor in descend(folder):
        if _identify(os.fstat(descriptor)) in above:
            found = ""
        elif any(has_entry(descriptor, mark) for mark in marks):
            found = path
    return found


def _identify(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def _list_marks(only: str) -> dict[str, None]:
    """Return the paths of places inside a project; of a pattern, its folder."""
    paths = (path.removeprefix(_IN_PROJECT) for _, _, path in _list_rows(only)
             if path.startswith(_IN_PROJECT))  # fmt: skip
    return dict.fromkeys(os.path.dirname(path) if "*" in path else path for path in paths)


def project_path(dialect: str, file: str) -> str:
    """Return the part of a file's path that the format prescribes inside a project, if any."""
    for mark in _list_marks(dialect):
        if f"/{file}".endswith(f"/{mark}"):
            return mark
        if f"/{mark}/" in f"/{file}":
            return f"{mark}/"
    return ""


# -- plugins of Claude Code --------------------------------------------------------------------


def _find_plugin_files(claude: str) -> Iterator[str]:
    """Yield `hooks/hooks.json` of each enabled plugin (docs/formats/claude-code.md 1).

    The plugins that only a project's settings enable are left out: what a repository brings starts
    nothing outside of it. `claude`: the user's folder of Claude Code, `~/.claude`.
    """
    enabled = _read_object(f"{claude}/settings.json", "enabledPlugins")
    installed = (
        _read_object(f"{claude}/plugins/installed_plugins.json", "plugins") if enabled else {}
    )
    for name in (name for name, is_on in enabled.items() if is_on is True):
        entries = installed.get(name)
        # The first version of the list has an object, the second has a list of them.
        for entry in entries if isinstance(entries, list) else [entries]:
            folder = entry.get("installPath") if isinstance(entry, dict) else None
            file = f"{folder}/hooks/hooks.json"
            if isinstance(folder, str) and os.path.isabs(folder) and os.path.isfile(file):
                yield file
                break


def _read_object(path: str, key: str) -> dict[str, Any]:
    """Return an object in a JSON file; an empty one if there is none, which loading reports."""
    try:
        text = read_start(path, _LARGEST) if os.path.isfile(path) else b""
        tree = json.loads(text) if key.encode() in text else {}
    except (OSError, ValueError, RecursionError):
        return {}
    found = tree.get(key) if isinstance(tree, dict) else None
    return found if isinstance(found, dict) else {}
