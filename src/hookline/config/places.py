"""The table of places where each dialect keeps its files, in order of precedence."""

from __future__ import annotations

import os

from hookline.config.plugins import find_plugin_files
from hookline.model.frozen import Frozen
from hookline.paths import descend, holds_name, real_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Place(Frozen):
    """One place of a dialect's files.

    `path` is a pattern; `{home}`, `{config}`, `{cwd}`, `{claude}`, `{codex}`, `{copilot}`, `{qwen}` and
    `{cline}` are filled in.
    """

    dialect: str
    scope: str
    path: str


# Managed, user, project, project-local (docs/architecture.md 4.3); inside a scope in the order written.
PLACES: tuple[Place, ...] = (
    # docs/formats/claude-code.md 1
    Place(dialect="claude-code", scope="managed", path="/etc/claude-code/managed-settings.json"),
    Place(
        dialect="claude-code", scope="managed", path="/etc/claude-code/managed-settings.d/*.json"
    ),
    Place(dialect="claude-code", scope="user", path="{claude}/settings.json"),
    Place(dialect="claude-code", scope="project", path="{cwd}/.claude/settings.json"),
    Place(dialect="claude-code", scope="local", path="{cwd}/.claude/settings.local.json"),
    # docs/formats/codex.md 1; the files of the system's folder are policy, as `requirements.toml` is
    Place(dialect="codex", scope="managed", path="/etc/codex/requirements.toml"),
    Place(dialect="codex", scope="managed", path="/etc/codex/hooks.json"),
    Place(dialect="codex", scope="managed", path="/etc/codex/config.toml"),
    Place(dialect="codex", scope="user", path="{codex}/hooks.json"),
    Place(dialect="codex", scope="user", path="{codex}/config.toml"),
    Place(dialect="codex", scope="project", path="{cwd}/.codex/hooks.json"),
    Place(dialect="codex", scope="project", path="{cwd}/.codex/config.toml"),
    # docs/formats/kimi.md 1: the user's file only, never a project's; the second is the newer edition's
    Place(dialect="kimi", scope="user", path="{home}/.kimi/config.toml"),
    Place(dialect="kimi", scope="user", path="{home}/.kimi-code/config.toml"),
    # docs/formats/cursor.md 1
    Place(dialect="cursor", scope="managed", path="/etc/cursor/hooks.json"),
    Place(dialect="cursor", scope="user", path="{home}/.cursor/hooks.json"),
    Place(dialect="cursor", scope="project", path="{cwd}/.cursor/hooks.json"),
    # docs/formats/copilot.md 1; it reads `.claude/settings.json` as well, but those hooks are claude-code's, and would run twice
    Place(dialect="copilot", scope="managed", path="/etc/github-copilot/policy.d/*.json"),
    Place(dialect="copilot", scope="user", path="{copilot}/hooks/*.json"),
    Place(dialect="copilot", scope="user", path="{copilot}/settings.json"),
    Place(dialect="copilot", scope="project", path="{cwd}/.github/hooks/*.json"),
    Place(dialect="copilot", scope="project", path="{cwd}/.github/copilot/settings.json"),
    Place(dialect="copilot", scope="local", path="{cwd}/.github/copilot/settings.local.json"),
    # docs/formats/gemini.md 1; an extension's `hooks/hooks.json` is named by the person who uses it
    Place(dialect="gemini", scope="managed", path="/etc/gemini-cli/settings.json"),
    Place(dialect="gemini", scope="user", path="{home}/.gemini/settings.json"),
    Place(dialect="gemini", scope="project", path="{cwd}/.gemini/settings.json"),
    # docs/formats/qwen.md 1; Qwen Code keeps the keys and the places of Gemini CLI, whose fork it is
    Place(dialect="qwen", scope="managed", path="/etc/qwen-code/settings.json"),
    Place(dialect="qwen", scope="user", path="{qwen}/settings.json"),
    Place(dialect="qwen", scope="project", path="{cwd}/.qwen/settings.json"),
    # docs/formats/openhands.md 1
    Place(dialect="openhands", scope="user", path="{home}/.openhands/hooks.json"),
    Place(dialect="openhands", scope="project", path="{cwd}/.openhands/hooks.json"),
    # docs/formats/cline.md 1: folders, in which the name of a file is its event
    Place(dialect="cline", scope="user", path="{home}/Documents/Cline/Hooks"),
    Place(dialect="cline", scope="user", path="{cline}/hooks"),
    Place(dialect="cline", scope="project", path="{cwd}/.clinerules/hooks"),
    Place(dialect="cline", scope="project", path="{cwd}/.cline/hooks"),
    # docs/formats/docker-agent.md 3; agent files are named by the person who runs them
    # a machine's policy in its shape; the format itself has no such place
    Place(dialect="docker-agent", scope="managed", path="/etc/hookline/hooks.d/*.yaml"),
    Place(dialect="docker-agent", scope="user", path="{home}/.config/cagent/config.yaml"),
    Place(dialect="docker-agent", scope="user", path="{home}/.config/cagent/hooks.d/*.yaml"),
    # docs/formats/starchild.md 1; docs/formats/hermes.md 1
    Place(dialect="starchild", scope="project", path="{cwd}/config/shell_hooks.yaml"),
    Place(dialect="hermes", scope="user", path="{home}/.hermes/config.yaml"),
    # docs/formats/agenthooks.md 3
    Place(dialect="agenthooks", scope="user", path="{config}/agents/hooks"),
    Place(dialect="agenthooks", scope="project", path="{cwd}/.agents/hooks"),
)


_PROJECTS = "{cwd}/"
# Files of hooks in one folder; each costs milliseconds at every event.
MOST_FILES = 64
# The place whose file enables plugins; plugins have their own hooks.
_WITH_PLUGINS = "{claude}/settings.json"


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
    for place in PLACES:
        if only and place.dialect != only:
            continue
        paths = _expand_pattern(place.path.format_map(names))
        for path in paths[: MOST_FILES + 1] if place.path.startswith(_PROJECTS) else paths:
            same = (place.dialect, real_path(path))
            if same not in seen:  # in the home folder, the user's file is the project's too
                seen.add(same)
                yield Found(dialect=place.dialect, scope=place.scope, path=path)
                if place.path == _WITH_PLUGINS:
                    for file in find_plugin_files(names["claude"]):
                        yield Found(dialect=place.dialect, scope=place.scope, path=file)


def project_root(folder: str, environ: Mapping[str, str], only: str = "") -> str:
    """Return the nearest folder, from here upwards, that is a repository or has hook files; empty if none.

    `only`: files of one dialect. The user's home and the folders above it are no projects.
    """
    marks = [
        ".git",
        *(
            _project_mark(place)
            for place in PLACES
            if place.path.startswith(_PROJECTS) and (not only or place.dialect == only)
        ),
    ]
    home = _make_names("", environ)["home"]
    own = {_identity(path) for path in _list_parents(real_path(home))}
    found = ""
    for path, descriptor in descend(folder):
        entry = os.fstat(descriptor)
        if (entry.st_dev, entry.st_ino) in own:
            found = ""
        elif any(holds_name(descriptor, mark) for mark in marks):
            found = path
    return found


def _list_parents(path: str) -> Iterator[str]:
    """Yield a folder and each of its parents."""
    yield path
    while path != (path := os.path.dirname(path)):
        yield path


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _project_mark(place: Place) -> str:
    path = place.path.removeprefix(_PROJECTS)
    return path.rpartition("/")[0] if "*" in path else path


def project_path(dialect: str, file: str) -> str:
    """Return the part of a file's path that the format prescribes inside a project; empty if there is none."""
    for place in PLACES:
        if place.dialect == dialect and place.path.startswith(_PROJECTS):
            mark = _project_mark(place)
            if file.endswith(f"/{mark}") or file == mark:
                return mark
            if f"/{mark}/" in f"/{file}":
                return f"{mark}/"
    return ""


def list_paths(cwd: str, environ: Mapping[str, str], only: str = "") -> list[str]:
    """Return the paths of all places, existing or not; for a pattern, its folder."""
    names = _make_names(cwd, environ)
    paths = (place.path.format_map(names) for place in PLACES if not only or place.dialect == only)
    return [path.rpartition("/")[0] if "*" in path else path for path in paths]


def list_patterns(cwd: str, environ: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the path patterns of all places by scope, existing or not."""
    names = _make_names(cwd, environ)
    found: dict[str, list[str]] = {}
    for place in PLACES:
        found.setdefault(place.scope, []).append(place.path.format_map(names))
    return found


def _expand_pattern(path: str) -> list[str]:
    """Return the path if it exists; if its last part is a pattern, the matching files."""
    folder, _, name = path.rpartition("/")
    if "*" not in name:
        return [path] if os.path.exists(path) else []
    if not os.path.isdir(folder):
        return []
    import glob  # noqa: PLC0415 - few machines have such a folder, and `answer` looks at every start

    return [f"{folder}/{match}" for match in sorted(glob.glob(name, root_dir=folder))]


def _make_names(cwd: str, environ: Mapping[str, str]) -> dict[str, str]:
    home = environ.get("HOME") or os.path.expanduser("~")
    config = environ.get("XDG_CONFIG_HOME", "")
    return {
        "home": home,
        "cwd": cwd,
        # An empty or relative value is ignored (docs/formats/agenthooks.md 3).
        "config": config if os.path.isabs(config) else f"{home}/.config",
        "claude": environ.get("CLAUDE_CONFIG_DIR") or f"{home}/.claude",
        "codex": environ.get("CODEX_HOME") or f"{home}/.codex",
        "copilot": environ.get("COPILOT_HOME") or f"{home}/.copilot",
        "qwen": environ.get("QWEN_HOME") or f"{home}/.qwen",
        "cline": environ.get("CLINE_DIR") or f"{home}/.cline",
    }
