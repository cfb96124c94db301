"""Options of commands: how they are declared and read, and the hooks that a command line selects.

A command is a function. Each of its options is the default of a keyword parameter, made by
`option`. A parameter `selection` adds the options that choose hooks, and `printer` those that
choose the output. Help and completion read the same declarations, and load no engine.
"""

from __future__ import annotations

import os
import sys
from math import inf, nan

from hookline.config.project_env import drop_project_env
from hookline.engine.choices import MATCHING, MODES, TRUSTS
from hookline.engine.projects import leave_deleted_folder
from hookline.errors import ConfigError, did_you_mean
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    Command = Callable[..., Any]
    from hookline.engine.engine import Engine
    from hookline.model.spec import Problem
    from hookline.sessions.store import Sessions

HELP = ("-h", "--help")


class Option(Frozen):
    """An option of a command; an argument, if it has no names; a flag, if it takes no value.

    `least` and `most`: bounds of a number. `choices`: the only values. `complete`: what a shell may
    complete, by names in `completion.WORDS`. `is_rare`: only `hookline help COMMAND` shows it.
    """

    names: tuple[str, ...] = ()
    metavar: str = ""
    help: str = ""
    default: Any = ""
    least: float = 0
    most: float = inf
    choices: tuple[str, ...] = ()
    is_flag: bool = False
    is_required: bool = False
    is_repeatable: bool = False
    is_rare: bool = False
    complete: str = ""

    @property
    def usage(self) -> str:
        """An argument as in a usage line."""
        text = f"{self.metavar}{'...' * self.is_repeatable}"
        return text if self.is_required else f"[{text}]"

    def read(self, name: str, word: str | None) -> Any:
        """Return the value of a word; `name`: what the option is called in an error.

        Raises:
            ValueError: it has no value.
        """
        if word is None:
            raise ValueError(f"`{name}` needs a value: {self.metavar}")
        if self.choices and word not in self.choices:
            raise ValueError(f"`{name}` cannot be `{word}`, only one of {', '.join(self.choices)}")
        kind = type(self.default)
        if kind not in (int, float):
            return word
        try:
            value = kind(word)
        except ValueError:
            value = nan
        if not self.least <= value <= self.most:
            number = "a whole number" if kind is int else "a number"
            most = f" to {self.most:g}" if self.most < inf else ""
            raise ValueError(
                f"`{name}` cannot be `{word}`, only {number} from {self.least:g}{most}"
            )
        return value


def option(spec: str, help: str = "", **settings: Any) -> Any:  # noqa: A002 - what it is
    """Return an option as the default of a parameter, whose type is that of the option's value.

    `spec` is written as in a usage line: `-n, --dry-run`, `--event EVENT`, `HOST`, `[PATH...]`.
    """
    words = spec.split()
    names = tuple(word.strip(",") for word in words if word.startswith("-"))
    metavar = " ".join(words[len(names) :])
    is_flag, is_repeatable = not metavar, "..." in metavar
    if is_flag or is_repeatable:
        settings["default"] = False if is_flag else []
    return Option(
        names=names,
        metavar=metavar.strip("[]."),
        help=help or ", ".join(settings.get("choices", ())),
        is_flag=is_flag,
        is_required=not names and not metavar.startswith("["),
        is_repeatable=is_repeatable,
        **settings,
    )


def usage_error(message: str, hint: str = "") -> ConfigError:
    """Return the error of a command line that cannot be used."""
    return ConfigError(message, name="config.option", hint=hint)


JSON = option("--json", "print JSON")
# The options of commands that print a document, by the parameters of `output.Printer`.
PRINTING = {
    "json": JSON,
    "color": option(
        "--color WHEN", default="auto", choices=("auto", "always", "never"), is_rare=True
    ),
    "no_input": option("--no-input", "never ask; a question is an error", is_rare=True),
}
DRY_RUN = option("-n, --dry-run", "print what would change, and change nothing")
EVENT = option("--event EVENT", "only hooks of this event", complete="events")
HOST = option("--host NAME", "the host that raises the event", complete="hosts")
INPUT = option("--input FILE", "read the payload from this file; - is standard input", default="-")
DEADLINE = option(
    "--deadline S",
    "answer within so many seconds; default: the host's limit, less 10 %",
    default=0.0,
    least=0.001,
    most=1e9,
    is_rare=True,
)


def parse_words(options: Mapping[str, Option], words: Sequence[str]) -> dict[str, Any]:
    """Return the value of each option, by its parameter.

    Raises:
        ValueError: a usage error, with its message and perhaps a hint.
    """
    given: dict[str, Any] = {}
    arguments: list[str] = []
    for key, each in options.items():
        given[key] = each.default
        if not each.names:
            arguments.append(key)
    rest = iter(words)
    only_arguments = False  # after `--`
    for word in rest:
        if word == "--" and not only_arguments:
            only_arguments = True
            continue
        if not only_arguments and word != "-" and word.startswith("-"):
            key, value = _read_option(options, word, rest)
        elif arguments:
            key = arguments[0]
            value = options[key].read(options[key].metavar, word)
            if not options[key].is_repeatable:
                del arguments[0]
        else:
            raise ValueError(f"`{word}` is one argument too many")
        given[key] = [*given[key], value] if options[key].is_repeatable else value
    for key in arguments[:1]:
        if options[key].is_required and not given[key]:
            choices = f": {options[key].help}" if options[key].choices else ""
            raise ValueError(f"missing argument `{options[key].metavar}`{choices}")
    return given


def _read_option(options: Mapping[str, Option], word: str, rest: Iterator[str]) -> tuple[str, Any]:
    """Return the parameter and the value of `-n 5`, `-n5`, `--limit 5` or `--limit=5`."""
    name, is_given, value = word[:2], word[2:], word[2:]
    if name == "--":
        name, is_given, value = word.partition("=")
    named = {each: key for key, option in options.items() for each in option.names}
    if name not in named:
        raise ValueError(f"no such option `{name}`", did_you_mean(name, (*named, *HELP)))
    key = named[name]
    if options[key].is_flag:
        if is_given:
            raise ValueError(f"`{name}` takes no value")
        return key, True
    return key, options[key].read(name, value if is_given else next(rest, None))


FOLDER = option("-C DIR", "run as if started in this folder", default=".")
DIALECT_OPTIONS = option(
    "-o, --option NAME=VALUE...",
    "an option of the dialect, as profile=d1; repeatable",
    is_rare=True,
)
# The options that choose hooks, by the parameters of `Selection`.
SHARED = {
    "configs": option(
        "-c, --config PATH...",
        "use the hooks of this file, folder or JSON text, and no others; repeatable",
    ),
    "dialect": option("--dialect NAME", "the dialect of the files", complete="hosts"),
    "folder": FOLDER,
    "trust": option(
        "--trust WHOM",
        "which hooks may run: all, user, approved or none; default: user, and all of --config",
        choices=TRUSTS,
        is_rare=True,
    ),
    "mode": option(
        "--mode MODE",
        "fidelity: as the host does; strict: a guard that fails asks or refuses",
        default="fidelity",
        choices=MODES,
        is_rare=True,
    ),
    "match_tools": option(
        "--match-tools NAMES",
        "auto: a matcher of another host knows a tool's names in all hosts; native: none does;"
        " canonical: each does",
        default="auto",
        choices=MATCHING,
        is_rare=True,
    ),
    "options": DIALECT_OPTIONS,
    "home": option("--home DIR", "your home, whatever the environment says", is_rare=True),
    "relay": option("--relay"),  # what converted hooks pass; no help shows it
}


class Selection:
    """Which hooks a command looks at: without `configs`, whatever is discovered from `folder`.

    `host`: the dialect of the host that is being answered, if there is one. `relay`: another
    hookline asks, whose hook this is, so that being inside of the same event is no loop. `notices`:
    what was left out of the environment.
    """

    configs: list[str]
    dialect: str
    trust: str
    mode: str
    match_tools: str
    options: list[str]
    folder: str
    home: str
    relay: bool

    def __init__(self, **given: Any) -> None:
        for name, each in SHARED.items():
            setattr(self, name, given.get(name, each.default))
        self.home = os.path.abspath(self.home) if self.home else ""
        self.host = ""
        self.notices: tuple[Problem, ...] = ()

    def enter_folder(self) -> None:
        """Change to the selected folder, and clean the environment.

        Raises:
            ConfigError: there is no such folder.
        """
        change_folder(self.folder)
        self.folder = "."
        self.clean_environ()

    def clean_environ(self, folder: str = "") -> None:
        """Remove from the environment what the repository around a folder controls.

        Without `folder`, the selected one.

        Raises:
            ConfigError: `--home` names no folder.
        """
        if self.home and not os.path.isdir(self.home):
            raise usage_error(f"`--home {self.home}` is no folder", "name your home")
        try:
            found = drop_project_env(os.environ, folder or self.folder, self.home)
        except FileNotFoundError:  # the working folder was deleted, with the repository's files
            return
        if found.environ is os.environ:
            return
        for name in found.dropped:
            del os.environ[name]
        os.environ.update(found.environ)
        if found.problem is not None and not self.notices:
            self.notices = (found.problem,)

    def sessions(self) -> Sessions:
        """Return the store of sessions; as `selected_engine.open_sessions`."""
        sessions: Sessions = _load_engine_module().open_sessions(self)
        return sessions

    def open(self, **settings: Any) -> Engine:
        """Return the engine with the selected hooks, and with the journal of this user."""
        from hookline.cli.output import print_message  # noqa: PLC0415 - not for a host
        from hookline.engine.journaling import open_journal  # noqa: PLC0415 - as below

        return self.engine(journal=open_journal(os.environ, print_message), **settings)

    def engine(self, *, parses_new: bool = True, **settings: Any) -> Engine:
        """Return the engine with the selected hooks; as `selected_engine.make_engine`."""
        engine: Engine = _load_engine_module().make_engine(self, parses_new=parses_new, **settings)
        return engine


def _load_engine_module() -> Any:
    """Return `selected_engine`, which imports this module, and which no help needs."""
    return __import__("hookline.cli.selected_engine", fromlist=["make_engine"])


def call_command(name: str, command: Command, words: Sequence[str], **settings: Any) -> int:
    """Run a command with its words, in the folder that they select; return its exit code.

    Raises:
        ConfigError: a usage error.
    """
    given = parse_command(name, command, words)
    if "selection" in given:
        given["selection"].enter_folder()
    code: int = command(**given, **settings)
    return code


def parse_command(name: str, command: Command, words: Sequence[str]) -> dict[str, Any]:
    """Return the arguments of a call, with its `Selection` and its `Printer`.

    Raises:
        ConfigError: a usage error.
    """
    try:
        given = parse_words(list_options(command), words)
    except ValueError as error:
        message, *hints = error.args
        raise usage_error(message, "".join(hints) or f"hookline {name} --help") from None
    if "printer" in command.__annotations__:
        # Hosts start a command that prints no document.
        from hookline.cli.output import Printer  # noqa: PLC0415

        given["printer"] = Printer(**{each: given.pop(each) for each in PRINTING})
    if "selection" in command.__annotations__:
        given["selection"] = Selection(**{each: given.pop(each) for each in SHARED})
    return given


def list_options(command: Command) -> dict[str, Option]:
    """Return the options and arguments of a command, those that choose its hooks included."""
    declared: Mapping[str, Any] = command.__kwdefaults__ or {}
    options = {name: each for name, each in declared.items() if isinstance(each, Option)}
    for parameter, shared in (("printer", PRINTING), ("selection", SHARED)):
        if parameter in command.__annotations__:
            options.update(shared)
    return options


def change_folder(folder: str) -> None:
    """Change to a folder.

    If it is the working folder, and that was deleted, go to one that exists, and print so.

    Raises:
        ConfigError: there is no such folder.
    """
    if folder == "." and (notice := leave_deleted_folder(os.environ)):
        sys.stderr.write(f"hookline: {notice}\n")
    try:
        os.chdir(folder)
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
        raise ConfigError(
            f"cannot start in `{folder}`: {reason}", name="config.missing", hint="-C takes a folder"
        ) from None
