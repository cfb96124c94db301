"""The host of an event: its project folder, its terminal, and its own calls of hookline."""

from __future__ import annotations

import os
import re

from hookline.config.places import project_root
from hookline.errors import HookError
from hookline.handlers.recursion_guard import ancestors
from hookline.model.handler import Builtin, Command
from hookline.model.problem import Problem
from hookline.model.spec import MANAGED
from hookline.paths import real_path
from hookline.trust.policy import APPROVED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from hookline.core.dialect import Table
    from hookline.engine.engine import Engine
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec

    Calls = Callable[[HookSpec], bool]


_ASKED = "${event.project}"


def find_project(folder: str, environ: Mapping[str, str], table: Table) -> str:
    """Return the project's folder: by the host's variable, else the project around the folder, else the folder itself.

    The variable goes first only where it leads to no other project than that folder is in.
    """
    named = next(
        (
            path
            for name in table.project_variables
            if os.path.isabs(path := environ.get(name, "")) and os.path.isdir(path)
        ),
        "",
    )
    if named and is_inside(named, folder):
        return named
    return (project_root(folder, environ, table.name) if table.climbs else "") or named or folder


def is_inside(project: str, folder: str) -> bool:
    """Whether a folder is a project's, or lies below it."""
    return f"{real_path(folder)}/".startswith(f"{real_path(project).rstrip('/')}/")


def find_event_project(folder: str, own: str, environ: Mapping[str, str], table: Table) -> str:
    """Return the project of an event: the engine's `own` if the event happens in it, else as `find_project`."""
    home = environ.get("HOME") or os.path.expanduser("~")
    is_own = table.climbs and not is_inside(own, home) and is_inside(own, folder)
    return own if is_own else find_project(folder, environ, table)


def find_existing_folder(
    folder: str, own: str, environ: Mapping[str, str], table: Table | None
) -> str:
    """Return where hooks run instead of a folder that does not exist.

    That is the project by the host's variable, the project around the nearest folder above that
    exists, the engine's `own` folder, or the user's home.
    """
    above = folder
    while not os.path.isdir(above) and above != os.path.dirname(above):
        above = os.path.dirname(above)
    named = [environ.get(name, "") for name in table.project_variables] if table else []
    around = project_root(above, environ) if os.path.isabs(above) else ""
    home = environ.get("HOME") or os.path.expanduser("~")
    candidates = (*(path for path in named if os.path.isabs(path)), around, own, home)
    return next((path for path in candidates if path and os.path.isdir(path)), "/")


def leave_deleted_folder(environ: Mapping[str, str], table: Table | None = None) -> str:
    """Go to a folder that exists if the working folder was deleted.

    Return a notice; it is empty where nothing was deleted.
    """
    try:
        os.getcwd()
    except OSError:
        folder = find_existing_folder(environ.get("PWD", ""), "", environ, table)
        os.chdir(folder)
        return f"its working folder was deleted, so it looks for hooks from `{folder}`"
    return ""


def add_folders(
    event: Event, specs: Iterable[HookSpec], own: str, environ: Mapping[str, str], table: Table
) -> Event:
    """Return the event with the folders that its hooks need.

    `folder` is where those run that do not run in the event's folder: the engine's `own` folder, or
    what stands in for a missing one. `project` is the one that the event happens in.
    """
    handlers = [spec.handler for spec in specs if isinstance(spec.handler, Command | Builtin)]
    exists = os.path.isdir(event.cwd)
    cwd = event.cwd
    if not exists or any(each.in_folder for each in handlers):
        usable = exists and os.path.isdir(own)
        folder = own if usable else find_existing_folder(event.cwd, own, environ, table)
        event = event.replace(folder=folder)
        cwd = cwd if exists else folder
    if event.project or not any(_reads_project(each) for each in handlers):
        return event
    return event.replace(project=find_event_project(cwd, own, environ, table))


def _reads_project(handler: Command | Builtin) -> bool:
    """Whether a hook reads the project of its event."""
    if not isinstance(handler, Command):
        return False
    return any(_ASKED in value for value in (*handler.env.values(), *handler.host_env.values()))


_PROC = "/proc"
_LONGEST_COMMAND = 65536  # bytes of a command line
_INTERPRETERS = frozenset(("node", "bun", "deno", "python", "python3"))
_PACKAGES = "node_modules"
_TERMINALS = ("/dev/pts/", "/dev/tty", "/dev/console")


def is_attended(programs: Sequence[str]) -> bool:
    """Whether a person can answer the questions of the nearest ancestor that is one of these programs.

    That program has a terminal as its stdin and its stdout, and no prompt in its command line
    (`-p`, `--prompt`), with which it ends after its answer. False where no such ancestor is found,
    and where there is no `/proc`.
    """
    for pid in ancestors():
        words = _read_command(pid)
        at = _find_program(words, programs)
        if at is not None:
            has_prompt = any(map(_is_prompt, words[at + 1 :]))
            return not has_prompt and _is_terminal(pid, 0) and _is_terminal(pid, 1)
    return False


def _read_command(pid: int) -> list[str]:
    try:
        with open(f"{_PROC}/{pid}/cmdline", "rb") as file:
            return os.fsdecode(file.read(_LONGEST_COMMAND)).rstrip("\0").split("\0")
    except OSError:
        return [""]


def _find_program(words: Sequence[str], programs: Sequence[str]) -> int | None:
    """Return where a command line names one of the programs: its first word, or the script of an interpreter.

    The path names it, or the package that it is installed from.
    """
    at = 0
    if words[0].rpartition("/")[2] in _INTERPRETERS:
        at = next((at for at, word in enumerate(words) if at and not word.startswith("-")), 0)
    parts = words[at].split("/")
    package = parts[parts.index(_PACKAGES) :] if _PACKAGES in parts else []
    named = any(name in programs for name in (parts[-1].partition(".")[0], *package))
    return at if named else None


def _is_prompt(word: str) -> bool:
    """Whether an option gives the prompt: `-p`, also behind other letters, or `--prompt`."""
    name = word.partition("=")[0]
    return name == "--prompt" or (name[:1] == "-" != name[1:2] and "p" in name)


def _is_terminal(pid: int, stream: int) -> bool:
    try:
        return os.readlink(f"{_PROC}/{pid}/fd/{stream}").startswith(_TERMINALS)
    except OSError:
        return False


_NAME, _ANSWER = "hookline", "answer"
_ALONE = frozenset({"--relay"})  # of the options of `answer`, those that take no word
_BY_MODULE = r"\bpython[\d.]*((?:\s+-\S+)*)\s+-m\s+hookline\b"
_DEEPEST = 4  # shells in shells
_SHELLS = frozenset({"bash", "dash", "ksh", "sh", "zsh"})
# Words that may stand before `hookline`: programs that run another program, and their verbs.
_WRAPPERS = frozenset({
    "command", "env", "exec", "nice", "nohup", "pdm", "pipenv", "pipx", "poetry", "run", "timeout",
    "tool", "uv", "uvx",
})  # fmt: skip
# Of their long options, those that take no word.
_WITHOUT_VALUE = frozenset({
    "--", "--frozen", "--isolated", "--locked", "--no-dev", "--no-project", "--no-sync", "--offline",
    "--quiet", "--verbose",
})  # fmt: skip


def list_integrated_hosts(engine: Engine, also: Calls | None = None) -> dict[str, bool]:
    """Return the dialects whose hosts call hookline from their files, and whether policy does.

    `also` finds other calls.
    """
    found: dict[str, bool] = {}
    for spec in _list_calls(engine, also):
        if spec.trusted or is_approved(engine, spec):
            found[spec.dialect] = found.get(spec.dialect, False) or spec.origin.scope == MANAGED
    return found


def leave_to_host(engine: Engine, host: str) -> tuple[Problem, ...]:
    """Drop the hooks that this host runs itself.

    Return the problems of calls that are not approved.
    """
    hosts = list_integrated_hosts(engine)
    problems = tuple(
        problem
        for problem in list_call_problems(engine, hosts)
        if problem.name == "trust.unapproved-caller"
    )
    if host in hosts:
        engine.loader.drop_dialect(host, managed=hosts[host])
    return problems


def list_call_problems(
    engine: Engine, hosts: Mapping[str, bool] | None = None
) -> Iterator[Problem]:
    """Yield a warning for each call that leaves hooks to a host, and for each call that does not count."""
    hosts = list_integrated_hosts(engine) if hosts is None else hosts
    for spec in _list_calls(engine, None):
        host = spec.dialect
        if host not in hosts:
            message = f"`{spec.id}` would have hookline answer {host}. You have not approved it, so hookline also runs the hooks of {host}"
            yield _warn(
                spec, "trust.unapproved-caller", message, "look at it, then: hookline approve"
            )
            continue
        if _has_open_start(spec):
            message = f"`{spec.id}` starts hookline by `python -m`, which looks for modules in the folder where the agent is before all others"
            yield _warn(spec, "trust.open-start", message, f"python -I -m hookline answer {host}")
        left = [
            entry.spec
            for entry in engine.snapshot.whole.entries()
            if entry.spec.dialect == host
            and entry.spec.id != spec.id
            and (hosts[host] or entry.spec.origin.scope != MANAGED)
        ]
        if left:
            count = f"{len(left)} other hook{'' if len(left) == 1 else 's'}"
            message = f"`{spec.id}` has hookline answer {host}, which runs {count} of its files by itself, so hookline does not run them"
            yield _warn(spec, "trust.left-to-host", message)


def _warn(spec: HookSpec, name: str, message: str, hint: str = "") -> Problem:
    return Problem(
        name=name,
        message=message,
        hint=hint,
        severity="warning",
        origin=spec.origin,
        hook=spec.id,
    )


def is_integration(spec: HookSpec, environ: Mapping[str, str]) -> bool:
    """Whether the command of a hook has hookline answer the hook's own host."""
    handler = spec.handler
    if type(handler) is not Command:
        return False
    text = handler.script or " ".join(handler.argv)
    if _NAME not in text or _ANSWER not in text:
        return False
    if handler.argv:
        return spec.dialect in _parse_hosts(list(handler.argv), environ)
    return spec.dialect in _parse_script_hosts(handler.script, environ)


def _has_open_start(spec: HookSpec) -> bool:
    """Whether a call lets Python import hookline from the folder in which it starts."""
    handler = spec.handler
    assert isinstance(handler, Command)  # noqa: S101 - what calls us is one
    found = re.findall(_BY_MODULE, handler.script or " ".join(handler.argv))
    return any(not re.search(r"(?<!\S)-[A-Za-z]*[IP]", flags) for flags in found)


def is_approved(engine: Engine, spec: HookSpec) -> bool:
    """Whether a hook is approved as it is now."""
    gate = engine.runtime.gate
    try:
        states = gate.get().find_states([spec]) if gate is not None else ()
        return gate is not None and all(state.state == APPROVED for state in states)
    except HookError:  # what cannot be looked up is not approved
        return False


def _list_calls(engine: Engine, also: Calls | None) -> Iterator[HookSpec]:
    for entry in engine.snapshot.whole.entries():
        if is_integration(entry.spec, engine.environ) or (also is not None and also(entry.spec)):
            yield entry.spec


def _parse_script_hosts(text: str, environ: Mapping[str, str], depth: int = 0) -> Iterator[str]:
    """Yield the hosts that a shell text has hookline answer."""
    from hookline.text.shell_words import parse_commands  # noqa: PLC0415 - few files call us

    for simple in parse_commands(text, environ) or () if depth <= _DEEPEST else ():
        yield from _parse_hosts([word.value or "" for word in simple.words], environ, depth)


def _parse_hosts(words: Sequence[str], environ: Mapping[str, str], depth: int = 0) -> Iterator[str]:
    """Yield the hosts that a command line has hookline answer, itself or by the text of a shell.

    Before `hookline` there may be known wrappers, options with their values, and variables.
    """
    for at, word in enumerate(words):
        name, before = word.rpartition("/")[2], words[at - 1] if at else ""
        if name == _NAME:
            is_value = (
                before.startswith("--") and before not in _WITHOUT_VALUE and "=" not in before
            )
            if words[at + 1 : at + 2] == [_ANSWER] and not is_value:
                yield _find_positional(words[at + 2 :])
            return
        if name in _SHELLS and "-c" in words[at:-1]:
            yield from _parse_script_hosts(words[words.index("-c", at) + 1], environ, depth + 1)
            return
        is_wrapper = name in _WRAPPERS or name.startswith("python") or word.isdigit()
        if not (is_wrapper or before.startswith("-") or word.startswith("-") or "=" in word):
            return


def _find_positional(words: Sequence[str]) -> str:
    """Return the first word that is no option and no value of one."""
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            return word
        if "=" not in word and word not in _ALONE:
            next(rest, "")
    return ""
