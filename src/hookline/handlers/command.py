"""Command: builds the program to run, and its environment, from a declared command and an event."""

from __future__ import annotations

import os
import re
import sys
from fnmatch import fnmatchcase

from hookline.errors import HandlerError
from hookline.handlers.process_spec import Program
from hookline.handlers.process_tree import COOKIE
from hookline.handlers.recursion_guard import VARIABLE as FIRING
from hookline.handlers.recursion_guard import extend_variable
from hookline.model.spec import Builtin, Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.model.event import Event

# Texts, so that `re` compiles them only when the first hook needs one.
_DOTENV = r"\$\{env\.([^}]+)\}"
_VARIABLE = r"\$(?:\{env\.([^}]+)\}|\{(\w+)\}|(\w+))"
# The references that are expanded in the values of `env`, by the handler's `expand`.
_REFERENCES = {"": r"(?!)", "dotenv": _DOTENV, "shell": r"\$(?:\{(\w+)\}|(\w+))"}
_OF_EVENT = r"\$\{event\.(?:(cwd|session_id|project|tool)|facts\.(\w+))\}"
# Characters that no variable and no argument can contain; one of them would keep a guard from
# starting.
_UNPASSABLE = "[\0\ud800-\udc7f\udd00-\udfff]"
# A value of only these characters means the same anywhere in shell text.
_HARMLESS = r"[\w@%+=:,./-]*"
# Bash sets these for itself only. With `noexec` in them, a guard would exit with success and print
# nothing.
_SHELLS_OWN = frozenset({"SHELLOPTS", "BASHOPTS"})
_MOST_OUTER = 200  # characters, which are eight cookies
_POWERSHELL = ("-NoProfile", "-NonInteractive", "-Command")


def build_program(
    command: Command,
    event: Event,
    payload: str,
    *,
    timeout: float,
    cookie: str,
    environ: Mapping[str, str],
    mark: str = "",
    may_leave: bool = False,
) -> Program:
    """Return the program to run for an event in the current environment.

    `mark` identifies its hook in other processes. `may_leave` as in `Program`.

    Raises:
        HandlerError: this machine has none of the declared shells.
    """
    return Program(
        argv=_argv(command, event, environ),
        stdin=payload.encode("utf-8", "surrogatepass"),
        cwd=working_directory(command, event, environ) or None,
        env=_environment(command, event, environ, cookie, mark),
        timeout=timeout,
        cookie=cookie,
        kill_leftovers=command.kill_leftovers,
        may_leave=may_leave,
    )


def _argv(command: Command, event: Event, environ: Mapping[str, str]) -> tuple[str, ...]:
    if command.argv:
        first, *rest = command.argv
        if first == "{python}":  # the interpreter that runs hookline
            first = sys.executable
        elif first == "{shell}":
            first = _shell(("bash", "sh"), environ)
        return tuple(_substitute(part, command, event, quoted=True) for part in (first, *rest))
    shell = _shell(command.shell, environ)
    script = _substitute(command.script, command, event, quoted=False)
    arguments = _POWERSHELL if shell.rpartition("/")[2] in ("powershell", "pwsh") else ("-c",)
    return (shell, *arguments, script)


def _shell(wanted: tuple[str, ...], environ: Mapping[str, str]) -> str:
    for name in wanted:
        wish = environ.get(name[1:], "") if name.startswith("$") else name
        if wish and (path := find_on_path(wish, environ)):
            return path
    raise HandlerError(
        f"none of the shells {', '.join(f'`{name}`' for name in wanted)} is on this machine"
    )


def find_on_path(name: str, environ: Mapping[str, str]) -> str:
    """Return the first program of that name on PATH, or at that path.

    Replaces `shutil.which`, which is slow to import.
    """
    folders = environ.get("PATH", os.defpath).split(os.pathsep)
    for path in [name] if "/" in name else [f"{folder}/{name}" for folder in folders if folder]:
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return ""


def _substitute(text: str, command: Command, event: Event, *, quoted: bool) -> str:
    """Fill the `${NAME}` placeholders of a text in one pass.

    Values are not searched for placeholders.

    In shell text, hookline inserts only harmless values. The shell takes any other value from its
    environment, so that the name of a folder can never become a command.
    """
    if not any(placeholder in text for placeholder in command.substitute):
        return text

    def filled(found: re.Match[str]) -> str:
        value = _expand_event_references(command.substitute[found[0]], event)
        return value if quoted or re.fullmatch(_HARMLESS, value) else found[0]

    longest_first = sorted(command.substitute, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, longest_first)), filled, text)


def _expand_event_references(value: str, event: Event) -> str:
    """Expand a text's references to the event; a fact that is missing or not text becomes empty.

    Characters that no program can receive become U+FFFD.
    """

    def filled(found: re.Match[str]) -> str:
        fact = (
            event.body.facts.get(found[2])
            if found[2]
            else getattr(event, found[1]) or (event.cwd if found[1] == "project" else "")
        )
        return re.sub(_UNPASSABLE, "\ufffd", fact) if isinstance(fact, str) else ""

    return re.sub(_OF_EVENT, filled, value) if "${event." in value else value


def working_directory(command: Command | Builtin, event: Event, environ: Mapping[str, str]) -> str:
    """Return the working directory of a handler: its own, from the event's folder, or that one."""
    base = event.cwd
    if event.folder and (command.in_folder or not os.path.isdir(base)):
        base = event.folder
    if not command.working_dir:
        return base
    path = _expand_path(command.working_dir, environ) if command.expand else command.working_dir
    return os.path.join(base, path)


def _expand_path(path: str, environ: Mapping[str, str]) -> str:
    """Expand `~`, `${env.X}`, `${X}` and `$X` in a path (docs/formats/docker-agent.md 3)."""
    path = re.sub(_VARIABLE, lambda found: environ.get(found[1] or found[2] or found[3], ""), path)
    if path == "~" or path.startswith("~/"):
        path = environ.get("HOME", "~") + path[1:]
    return path


def _environment(
    command: Command, event: Event, environ: Mapping[str, str], cookie: str, mark: str
) -> dict[str, str]:
    env = {
        name: value
        for name, value in environ.items()
        if name not in _SHELLS_OWN and not any(fnmatchcase(name, drop) for drop in command.drop_env)
    }
    own = expand_declared(command, event, environ)
    own[COOKIE] = extend_cookies(environ, cookie)  # outer runs must find these processes too
    # By it hookline notices a hook that makes its agent fire again.
    own[FIRING] = extend_variable(environ, event.kind, mark)
    return env | own


def expand_declared(
    command: Command | Builtin, event: Event, environ: Mapping[str, str]
) -> dict[str, str]:
    """Return the variables that a handler declares, with their references expanded.

    If a handler inherits nothing else, an unset variable that it only passes on is left out.
    """
    hosts = command.host_env if isinstance(command, Command) else {}
    filled = {name: _expand_event_references(value, event) for name, value in hosts.items()}
    passes_on = "*" in getattr(command, "drop_env", ())
    for name, value in command.env.items():
        if passes_on and value == f"${{env.{name}}}" and name not in environ:
            continue
        text = re.sub(
            _REFERENCES[command.expand],
            lambda found: environ.get(found[found.lastindex or 0], ""),
            value,
        )
        filled[name] = _expand_event_references(text, event)
    return filled


def extend_cookies(environ: Mapping[str, str], cookie: str) -> str:
    """Return the cookies of the outer runs, without the outermost of too many, and of this run."""
    outer = environ.get(COOKIE, "")[-_MOST_OUTER:]
    return f"{outer},{cookie}" if outer else cookie
