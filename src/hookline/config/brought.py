"""Brought: which variables of the environment have the value that a project's own files have the host set, so that a clone said it.

Whoever starts a host in a clone lets the clone write into the environment of every hook. What only the user may say is not heard there.
"""

from __future__ import annotations

import os

from hookline.config.read import text_of
from hookline.errors import ConfigError
from hookline.model.frozen import Frozen
from hookline.model.problem import Origin, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping


class Setting(Frozen):
    """A file of a project from which a host takes variables for its hooks.

    `path`: in the project's folder. `read`: its variables, from its text. `project`: by which the host tells its hooks that folder.
    """

    path: str
    read: Callable[[str], Mapping[str, str]]
    project: str = ""


def _json_env(text: str) -> Mapping[str, str]:
    """The object under `env`."""
    import json  # noqa: PLC0415 - as in `brought`

    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    env = tree.get("env") if isinstance(tree, dict) else None
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in env.items()} if isinstance(env, dict) else {}


def _dotenv(text: str) -> Mapping[str, str]:
    """Lines of `NAME=value`, in quotes or not."""
    found = {}
    for line in text.splitlines():
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        value = value.strip()
        quote = value[:1]
        if quote and quote in "\"'`" and quote in value[1:]:
            value = value[1 : value.index(quote, 1)]
        elif equals:
            value = value.partition(" #")[0].rstrip()
        if equals and not name.startswith("#"):
            found[name.strip()] = value
    return found


# A host that has such a file is a row. Codex's `shell_environment_policy` is of the commands of its shell, and of no hook; and what a
# hook's own entry sets reaches that hook alone.
SETTINGS: tuple[Setting, ...] = (
    # harnesses.md 2.1, and the key `env` there
    Setting(path=".claude/settings.json", read=_json_env, project="CLAUDE_PROJECT_DIR"),
    Setting(path=".claude/settings.local.json", read=_json_env, project="CLAUDE_PROJECT_DIR"),
    # Gemini CLI takes the nearest of these
    Setting(path=".gemini/.env", read=_dotenv, project="GEMINI_PROJECT_DIR"),
    Setting(path=".env", read=_dotenv, project="GEMINI_PROJECT_DIR"),
)
_HOME = "HOME"
# What a variable says that only the user may say. Those that switch hooks off stay: they are heard, for the project's own hooks.
OWN: Mapping[str, str] = {
    _HOME: "where the user's hooks and approvals are",
    "XDG_STATE_HOME": "where approvals are",
    "XDG_CONFIG_HOME": "where the user's settings are",
    "CLAUDE_CONFIG_DIR": "where the user's hooks are",
    "CODEX_HOME": "where the user's hooks are",
    "COPILOT_HOME": "where the user's hooks are",
    "HOOKLINE_JOURNAL": "where the journal is, and whether there is one",
    "HOOKLINE_SESSION_DAYS": "how long a session is remembered",
    "HOOKLINE_MODEL": "which model judges",
    "HOOKLINE_MODEL_CALLS": "how often a model is asked",
    "HOOKLINE_DOCTOR": "that a hook is only tried",
    "STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL": "that hooks may ask this machine and private networks",
}


def brought(names: Iterable[str], folders: Iterable[str], environ: Mapping[str, str], home: str | None = None) -> dict[str, str]:
    """Those of the variables whose value a project's files have the host set, each with the file that does.

    `folders`: where the project may be: in each, and above it as far as the repository or the `home` ("": there is none). A value that refers to others
    counts as any: nobody can say what its host makes of it.
    """
    wanted = {name: environ[name] for name in names if environ.get(name)}
    found: dict[str, str] = {}
    for folder, row in _places(folders, environ, home) if wanted else ():
        path = os.path.join(folder, row.path)
        if len(found) < len(wanted) and os.path.isfile(path):
            said = _read(path, row)
            found |= {name: path for name, value in wanted.items() if name not in found and name in said and _is(said[name], value)}
    return found


def disown(environ: MutableMapping[str, str]) -> tuple[Problem, ...]:
    """Take out of this process's environment what a clone says in it and only the user may say; returns a word about each."""
    given = [name for name in OWN if name != _HOME and name in environ]
    home = _own_home()
    if environ.get(_HOME, home) != home:
        given.append(_HOME)
    if not given:
        return ()
    try:
        here = os.getcwd()
    except OSError:  # it is gone, and so is what lay there
        here = ""
    theirs = brought(given, (here,), environ, home)
    if _HOME not in theirs:  # then it tells where the user's own files are, which are no project's
        theirs = brought(given, (here,), environ)
    for name in theirs:
        del environ[name]
    if _HOME in theirs:
        environ[_HOME] = home or "/"
    return tuple(_told(name, path) for name, path in theirs.items())


def _told(name: str, path: str) -> Problem:
    message = f"`{name}` tells {OWN[name]}; a file of this project sets it, which may not, so it is left out"
    hint = "set it in your own settings, or in your shell, to another value than there"
    return Problem(name="trust.brought", message=message, hint=hint, severity="warning", origin=Origin(file=path))


def _places(folders: Iterable[str], environ: Mapping[str, str], home: str | None) -> Iterator[tuple[str, Setting]]:
    home = (environ.get(_HOME) or os.path.expanduser("~")) if home is None else home
    above = os.path.realpath(home) if home else ""
    named = {row.project: environ.get(row.project, "") for row in SETTINGS}
    starts = dict.fromkeys(os.path.realpath(each) for each in (*folders, *named.values()) if each)
    for folder in dict.fromkeys(each for start in starts for each in _upwards(start, above)):
        yield from ((folder, row) for row in SETTINGS)


def _upwards(folder: str, home: str) -> Iterator[str]:
    """A folder, and what it lies in, as far as its repository; neither the home nor what that lies in."""
    while not f"{home or '/'}/".startswith(f"{folder.rstrip('/')}/"):
        yield folder
        if os.path.lexists(f"{folder}/.git"):
            return
        folder = os.path.dirname(folder)


def _read(path: str, row: Setting) -> Mapping[str, str]:
    try:
        return row.read(text_of(path))
    except ConfigError:  # nor can the host read it
        return {}


def _is(said: str, value: str) -> bool:
    return said == value or "$" in said


def _own_home() -> str:
    """The home that the system has for this user; empty where it knows none."""
    import pwd  # noqa: PLC0415 - in the interpreter itself

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""
