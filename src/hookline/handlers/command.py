"""Command: from a declared command and an event to the program that is run, and its environment."""

from __future__ import annotations

import os
import re
import sys
from fnmatch import fnmatchcase

from hookline.errors import HandlerError
from hookline.handlers.escapees import COOKIE
from hookline.handlers.firing import DEEPEST, marked
from hookline.handlers.firing import VARIABLE as FIRING
from hookline.handlers.program import Program
from hookline.handlers.secret import state_folder
from hookline.model.handler import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.model.event import Event
    from hookline.model.handler import Builtin

# Texts, which `re` compiles and remembers when the first hook needs one: most need none.
_DOTENV = r"\$\{env\.([^}]+)\}"
_VARIABLE = r"\$(?:\{env\.([^}]+)\}|\{(\w+)\}|(\w+))"
# Which references in the values of `env` are filled in, by the handler's `expand`.
_REFERENCES = {"": r"(?!)", "dotenv": _DOTENV, "shell": r"\$(?:\{(\w+)\}|(\w+))"}
_OF_EVENT = r"\$\{event\.(?:(cwd|session_id|project|tool)|facts\.(\w+))\}"
# Characters that no variable and no argument can hold: with one of them, a guard could not be started.
_UNPASSABLE = "[\0\ud800-\udc7f\udd00-\udfff]"
# A value of these characters means the same to a shell wherever it stands.
_HARMLESS = r"[\w@%+=:,./-]*"
# Bash sets these for itself, and for no other; with `noexec` in them, a guard would end well and have said nothing.
_SHELLS_OWN = frozenset({"SHELLOPTS", "BASHOPTS"})
_LONGEST_COOKIE = 64  # characters
_WIDEST = 4  # bytes of a character
_POINTER = 10  # bytes that a variable takes beside its name and value
_NEEDED = frozenset({"PATH", "HOME"})  # hardly any program does without
_POWERSHELL = ("-NoProfile", "-NonInteractive", "-Command")


def program(
    command: Command,
    event: Event,
    payload: str,
    *,
    timeout: float,
    cookie: str,
    environ: Mapping[str, str],
    mark: str = "",
) -> Program:
    """The program to run for an event, from the environment as it is now. `mark`: by which its hook is known again.

    Raises:
        HandlerError: none of the declared shells is on this machine.
    """
    return Program(
        argv=_argv(command, event, environ) if command.sealed is None else command.sealed.argv,
        stdin=payload.encode("utf-8", "surrogatepass"),
        cwd=directory(command, event, environ) or None,
        env=_environment(command, event, environ, cookie, mark),
        timeout=timeout,
        cookie=cookie,
        kill_leftovers=command.kill_leftovers,
        sealed=command.sealed,
        copies=f"{state_folder(environ)}/verified" if command.sealed is not None else "",
    )


def _argv(command: Command, event: Event, environ: Mapping[str, str]) -> tuple[str, ...]:
    if command.argv:
        first, *rest = command.argv
        return tuple(
            _substituted(part, command, event, quoted=True)
            for part in (_interpreter(first, environ), *rest)
        )
    shell = _shell(command.shell, environ)
    script = _substituted(command.script, command, event, quoted=False)
    arguments = _POWERSHELL if shell.rpartition("/")[2] in ("powershell", "pwsh") else ("-c",)
    return (shell, *arguments, script)


def _interpreter(name: str, environ: Mapping[str, str]) -> str:
    match name:
        case "{python}":  # the interpreter that runs hookline
            return sys.executable
        case "{shell}":
            return _shell(("bash", "sh"), environ)
    return name


def _shell(wanted: tuple[str, ...], environ: Mapping[str, str]) -> str:
    for name in wanted:
        wish = environ.get(name[1:], "") if name.startswith("$") else name
        if wish and (path := on_path(wish, environ)):
            return path
    raise HandlerError(
        f"none of the shells {', '.join(f'`{name}`' for name in wanted)} is on this machine"
    )


def on_path(name: str, environ: Mapping[str, str]) -> str:
    """The first program of that name on the path, or of that path; `shutil.which` without its import."""
    folders = environ.get("PATH", os.defpath).split(os.pathsep)
    for path in [name] if "/" in name else [f"{folder}/{name}" for folder in folders if folder]:
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return ""


def _substituted(text: str, command: Command, event: Event, *, quoted: bool) -> str:
    """The text with its `${NAME}` placeholders filled in, at once: a value is never searched for placeholders.

    In shell text only a harmless value is spliced in; any other is left to the shell, which finds it in its environment,
    so that a folder's name can never become a command.
    """
    if not any(placeholder in text for placeholder in command.substitute):
        return text

    def filled(found: re.Match[str]) -> str:
        value = _of_event(command.substitute[found[0]], event)
        return value if quoted or re.fullmatch(_HARMLESS, value) else found[0]

    longest_first = sorted(command.substitute, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, longest_first)), filled, text)


def _of_event(value: str, event: Event) -> str:
    """The text with what it refers to of the event; a fact that is no text, or not there, is an empty one.

    What no program can be passed becomes U+FFFD.
    """

    def filled(found: re.Match[str]) -> str:
        fact = (
            event.body.facts.get(found[2])
            if found[2]
            else getattr(event, found[1]) or (event.cwd if found[1] == "project" else "")
        )
        return re.sub(_UNPASSABLE, "\ufffd", fact) if isinstance(fact, str) else ""

    return re.sub(_OF_EVENT, filled, value) if "${event." in value else value


def directory(command: Command | Builtin, event: Event, environ: Mapping[str, str]) -> str:
    """The working directory of a handler: its own, seen from the folder of its event, or that folder."""
    base = event.cwd
    if event.folder and (command.in_folder or not os.path.isdir(base)):
        base = event.folder
    if not command.working_dir:
        return base
    path = _expanded(command.working_dir, environ) if command.expand else command.working_dir
    return os.path.join(base, path)


def _expanded(path: str, environ: Mapping[str, str]) -> str:
    """`~`, `${env.X}`, `${X}` and `$X` of a path (docs/formats/docker-agent.md 3, working_dir)."""
    path = re.sub(_VARIABLE, lambda found: environ.get(found[1] or found[2] or found[3], ""), path)
    if path == "~" or path.startswith("~/"):
        path = environ.get("HOME", "~") + path[1:]
    return path


def _environment(
    command: Command, event: Event, environ: Mapping[str, str], cookie: str, mark: str
) -> dict[str, str]:
    env = {name: value for name, value in environ.items() if name not in _SHELLS_OWN}
    if command.drop_env:
        env = {
            name: value
            for name, value in env.items()
            if not any(fnmatchcase(name, drop) for drop in command.drop_env)
        }
    own = declared(command, event, environ)
    own[COOKIE] = runs(environ, cookie)  # the run around ours must find what ours starts, too
    own[FIRING] = marked(
        environ, event.kind, mark
    )  # by it a hook that makes its agent fire again is noticed
    return _bounded(env, own) | own


def _bounded(env: dict[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """The environment without its longest variables where no system would start anything with all of it.

    A clone can have its host set just so many that hookline itself is started, and no guard is.
    """
    most = os.sysconf("SC_ARG_MAX") // 2
    if _WIDEST * sum(len(name) + len(value) + _POINTER for name, value in env.items()) <= most:
        return env
    sizes = {
        name: len(os.fsencode(name)) + len(os.fsencode(value)) + _POINTER
        for name, value in env.items()
    }
    size = sum(sizes.values())
    for name in sorted(sizes, key=lambda each: (each in _NEEDED or each in own, -sizes[each])):
        if size <= most:
            break
        size -= sizes[name]
        del env[name]
    return env


def declared(
    command: Command | Builtin, event: Event, environ: Mapping[str, str]
) -> dict[str, str]:
    """The variables that a handler declares, with what they refer to filled in.

    A variable that is only passed on, of which nothing else is inherited, is left out where it is not set.
    """
    hosts = command.host_env if isinstance(command, Command) else {}
    filled = {name: _of_event(value, event) for name, value in hosts.items()}
    passes_on = "*" in getattr(command, "drop_env", ())
    for name, value in command.env.items():
        if passes_on and value == f"${{env.{name}}}" and name not in environ:
            continue
        text = re.sub(
            _REFERENCES[command.expand],
            lambda found: environ.get(found[found.lastindex or 0], ""),
            value,
        )
        filled[name] = _of_event(text, event)
    return filled


def runs(environ: Mapping[str, str], cookie: str) -> str:
    """The cookies of the runs that this one is inside of, as many as there may be, and its own; what is none is not passed on."""
    outer = environ.get(COOKIE, "")
    told = outer[-DEEPEST * (_LONGEST_COOKIE + 1) :].split(",") if outer else ()
    inside = [
        each for each in told if each.isascii() and each.isalnum() and len(each) <= _LONGEST_COOKIE
    ]
    return ",".join(part for part in (*inside[1 - DEEPEST :], cookie) if part)
