"""Brought: which variables of the environment a project's own files have the host set, so that a clone said it.

Whoever starts a host in a clone lets the clone write into the environment of every hook. What only the user may say is not heard there.
How a host reads such files is not imitated: one that only names a variable counts as setting it, unless the user is known to have done so.
"""

from __future__ import annotations

import errno
import os
import stat

from hookline.config.lineage import HOST, OUTSIDE, line
from hookline.model.frozen import Frozen
from hookline.model.problem import Origin, Problem
from hookline.paths import descend, real_path

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
    return (
        {
            name: value if isinstance(value, str) else json.dumps(value)
            for name, value in env.items()
        }
        if isinstance(env, dict)
        else {}
    )


def _dotenv(text: str) -> Mapping[str, str]:
    """Lines of `NAME=value`, in quotes or not."""
    found = {}
    for row in text.splitlines():
        name, equals, value = row.strip().removeprefix("export ").partition("=")
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
    # and Qwen Code, its fork, these
    Setting(path=".qwen/.env", read=_dotenv, project="QWEN_PROJECT_DIR"),
    Setting(path=".env", read=_dotenv, project="QWEN_PROJECT_DIR"),
)
# The same of the user and of policy, by the folders that are theirs: what one of these says, no clone does.
USERS: tuple[Setting, ...] = (
    Setting(path="{claude}/settings.json", read=_json_env),
    Setting(path="{claude}/remote-settings.json", read=_json_env),
    Setting(path="/etc/claude-code/managed-settings.json", read=_json_env),
    Setting(path="{home}/.gemini/.env", read=_dotenv),
    Setting(path="{home}/.qwen/.env", read=_dotenv),
    Setting(path="{home}/.env", read=_dotenv),
)
_HOME, _CLAUDE = "HOME", "CLAUDE_CONFIG_DIR"
# What a variable says that only the user may say. Those that switch hooks off stay: they are heard, for the project's own hooks.
OWN: Mapping[str, str] = {
    _HOME: "where the user's hooks and approvals are",
    "XDG_STATE_HOME": "where approvals are",
    "XDG_CONFIG_HOME": "where the user's settings are",
    _CLAUDE: "where the user's hooks are",
    "CODEX_HOME": "where the user's hooks are",
    "COPILOT_HOME": "where the user's hooks are",
    "QWEN_HOME": "where the user's hooks are",
    "CLINE_DIR": "where the user's hooks are",
    "HOOKLINE_JOURNAL": "where the journal is, and whether there is one",
    "HOOKLINE_SESSION_DAYS": "how long a session is remembered",
    "HOOKLINE_MODEL": "which model judges",
    "HOOKLINE_MODEL_CALLS": "how often a model is asked",
    "HOOKLINE_DOCTOR": "that a hook is only tried",
    "STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL": "that hooks may ask this machine and private networks",
}
# What says no more than if nobody had said it: a path below the home.
_USUAL: Mapping[str, str] = {
    "XDG_STATE_HOME": ".local/state",
    "XDG_CONFIG_HOME": ".config",
    _CLAUDE: ".claude",
    "CODEX_HOME": ".codex",
    "COPILOT_HOME": ".copilot",
    "QWEN_HOME": ".qwen",
    "CLINE_DIR": ".cline",
}
_LARGEST = 4 << 20  # bytes; what is longer is not looked through
_ANYTHING = "\0"  # in the place of a text: it may say anything
_ESCAPE = r"\\u([0-9a-fA-F]{4})"
_NAMED = r"(?<![\w$])(?<!\$\{{){}(?!\w)"  # not where it is asked for its value


def brought(
    names: Iterable[str],
    folders: Iterable[str],
    environ: Mapping[str, str],
    home: str | None = None,
    user: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Those of the variables that a project's files have the host set, each with the file that does; empty where none does any more.

    `folders`: where the project may be: in each, and in what that lies in, as far as the `home` ("": there is none). `user`: the environment
    that tells where the user's own settings of a host lie (None: this one).

    A file that sets the very value is believed. One that only names the variable, or that cannot be looked through, is believed unless the
    value came with whatever started the host, or is that of the user's own settings. Where no file says anything, a host that added the
    variable after it was started has it from one that said it then.
    """
    wanted = {name: environ[name] for name in names if environ.get(name)}
    certain: dict[str, str] = {}
    suspected: dict[str, str] = {}
    for folder, row in _places(folders, environ, home) if wanted else ():
        path = os.path.join(folder, row.path)
        if (text := _text(path, linked=False)) is not None:
            said = row.read(text)
            certain |= {
                name: path
                for name, value in wanted.items()
                if name not in certain and said.get(name) == value
            }
            suspected |= {
                name: path for name in wanted if name not in suspected and _may_set(text, name)
            }
    rest = {name: value for name, value in wanted.items() if name not in certain}
    return certain | (_added(rest, suspected, environ if user is None else user) if rest else {})


def _added(
    wanted: Mapping[str, str], suspected: Mapping[str, str], user: Mapping[str, str]
) -> dict[str, str]:
    """Those of the variables that a project brought by where their values came from, and what its files may say."""
    above, own, found = line(), _users(user), {}
    for name, value in wanted.items():
        origin = above.origin(name, value)
        if (
            origin != OUTSIDE
            and (name in suspected or origin == HOST)
            and value not in own.get(name, ())
        ):
            found[name] = suspected.get(name, "")
    return found


def disown(environ: MutableMapping[str, str]) -> tuple[Problem, ...]:
    """Take out of this process's environment what a clone says in it and only the user may say; returns a word about each."""
    home = _own_home()
    given = [name for name in OWN if name in environ and not _is_usual(name, environ, home)]
    if not given:
        return ()
    try:
        here = os.getcwd()
    except OSError:  # it is gone, and so is what lay there
        here = ""
    told: list[Problem] = []
    rest = [name for name in given if name not in (_HOME, _CLAUDE)]
    # First what tells where the user's own files are, by which the others are judged.
    for names, above in (([_HOME], home), ([_CLAUDE], None), (rest, None)):
        asked = [name for name in names if name in given]
        theirs = brought(asked, (here,), environ, above, {**environ, **dict.fromkeys(names, "")})
        for name, path in theirs.items():
            del environ[name]
            told.append(_told(name, path))
        if _HOME in theirs:
            environ[_HOME] = home or "/"
    return tuple(told)


def _is_usual(name: str, environ: Mapping[str, str], home: str) -> bool:
    """Whether a variable says what is so without it."""
    value = environ[name]
    if name == _HOME:
        return value == home
    return (
        name in _USUAL
        and bool(home)
        and environ.get(_HOME) == home
        and value.rstrip("/") == f"{home}/{_USUAL[name]}"
    )


def _told(name: str, path: str) -> Problem:
    by = (
        "a file of this project sets it, which may not"
        if path
        else "the host added it after it was started, from a file that is another now"
    )
    message = f"`{name}` tells {OWN[name]}; {by}, so it is left out"
    hint = "set it in your own settings, or in your shell before the host is started" + (
        ", to another value than there" if path else ""
    )
    return Problem(
        name="trust.brought",
        message=message,
        hint=hint,
        severity="warning",
        origin=Origin(file=path),
    )


def _places(
    folders: Iterable[str], environ: Mapping[str, str], home: str | None
) -> Iterator[tuple[str, Setting]]:
    home = (environ.get(_HOME) or os.path.expanduser("~")) if home is None else home
    above = real_path(home) if home else ""
    named = {row.project: environ.get(row.project, "") for row in SETTINGS}
    starts = dict.fromkeys(real_path(each) for each in (*folders, *named.values()) if each)
    absent = {each for start in starts for each in _absent(start)}
    for folder in dict.fromkeys(each for start in starts for each in _upwards(start, above)):
        for row in SETTINGS:
            if (folder, row.path.partition("/")[0]) not in absent:
                yield folder, row


def _absent(folder: str) -> Iterator[tuple[str, str]]:
    """Yield each folder from the root down to this one, with the first part of each setting's path that is not in it.

    What cannot be looked at is not among them.
    """
    names = dict.fromkeys(row.path.partition("/")[0] for row in SETTINGS)
    for path, descriptor in descend(folder):
        for name in names:
            try:
                os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            except FileNotFoundError:
                yield path, name
            except OSError:
                pass


def _upwards(folder: str, home: str) -> Iterator[str]:
    """A folder, and what it lies in: also above its repository, which may be a part of another; neither the home nor what that lies in."""
    while not f"{home or '/'}/".startswith(f"{folder.rstrip('/')}/"):
        yield folder
        folder = os.path.dirname(folder)


def _text(path: str, *, linked: bool) -> str | None:
    """The text of a file, whatever its bytes are; None where there is none, and `_ANYTHING` where it cannot be looked through.

    `linked`: whether a link is followed, which may lead a host to another file than us.
    """
    if not linked and os.path.islink(os.path.dirname(path)):
        return _ANYTHING
    try:
        fd = os.open(
            path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if linked else os.O_NOFOLLOW)
        )
    except OSError as error:
        return None if error.errno in (errno.ENOENT, errno.ENOTDIR) else _ANYTHING
    try:
        kind = os.fstat(fd).st_mode
        if stat.S_ISDIR(kind):
            return None
        if not stat.S_ISREG(kind):
            return _ANYTHING
        with open(fd, "rb", closefd=False) as file:
            raw = file.read(_LARGEST + 1)
    except OSError:
        return _ANYTHING
    finally:
        os.close(fd)
    if len(raw) > _LARGEST:
        return _ANYTHING
    return (
        raw.replace(b"\0", b"").decode("utf-8", "replace").removeprefix("\ufeff")
    )  # as two bytes a character, too


def _may_set(text: str, name: str) -> bool:
    """Whether a file names a variable, in any way that some reader may take for a key."""
    import re  # noqa: PLC0415 - where nothing is set, nobody looks

    if text == _ANYTHING:
        return True
    plain = re.sub(_ESCAPE, lambda found: chr(int(found[1], 16)), text)
    return re.search(_NAMED.format(re.escape(name)), plain, re.ASCII) is not None


def _users(user: Mapping[str, str]) -> dict[str, set[str]]:
    """What the user's own settings, and policy, have a host set."""
    home = user.get(_HOME) or _own_home()
    found: dict[str, set[str]] = {}
    for row in USERS:
        text = _text(
            row.path.format(home=home, claude=user.get(_CLAUDE) or f"{home}/.claude"), linked=True
        )
        for name, value in row.read(text).items() if text is not None else ():
            found.setdefault(name, set()).add(value)
    return found


def _own_home() -> str:
    """The home that the system has for this user; empty where it knows none."""
    import pwd  # noqa: PLC0415 - in the interpreter itself

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""
