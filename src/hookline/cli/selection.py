"""The hooks that a command looks at: the options that choose them, and the engine that has them."""

from __future__ import annotations

import os
import sys

from hookline.cli.options import PRINTING, Option, option, parse_words
from hookline.config.places import project_root
from hookline.config.project_env import drop_project_env
from hookline.engine.catalog import NAMES
from hookline.engine.engine import MATCHING, MODES, TRUSTS, Engine
from hookline.engine.hosts import leave_deleted_folder
from hookline.engine.journaling import open_journal
from hookline.engine.lazy_gate import LazyGate, note_approvals
from hookline.errors import ConfigError
from hookline.sessions.store import Sessions
from hookline.wire.parsers import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hookline.cli.options import Command
    from hookline.model.spec import Problem

FOLDER: Any = option("-C", metavar="DIR", default=".", help="as if started there")
DIALECT_OPTIONS: Any = option(
    "-o",
    "--option",
    metavar="NAME=VALUE",
    is_repeatable=True,
    help="of the dialect, as profile=d1; repeatable",
)
# The options that choose hooks, by the parameters of `Selection`.
SHARED: Mapping[str, Option] = {
    "configs": option(
        "-c",
        "--config",
        metavar="PATH",
        is_repeatable=True,
        help="a file or folder of hooks, or a tree as JSON; repeatable; without it, what is found here",
    ),
    "dialect": option(
        "--dialect",
        metavar="NAME",
        help=f"of files and events: {', '.join(NAMES)}",
        complete=("hosts",),
    ),
    "trust": option(
        "--trust",
        metavar="WHOM",
        choices=TRUSTS,
        help="which hooks may run: all, user, approved or none; to name a file is consent",
    ),
    "mode": option(
        "--mode",
        metavar="MODE",
        default="fidelity",
        choices=MODES,
        help="fidelity, or strict: a failed guard asks or denies",
    ),
    "match_tools": option(
        "--match-tools",
        metavar="NAMES",
        default="native",
        choices=MATCHING,
        help="native, or canonical: a matcher knows a tool's names in all hosts",
    ),
    "options": DIALECT_OPTIONS,
    "folder": FOLDER,
    "home": option("--home", metavar="DIR", help="your home, whatever the environment says"),
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
            message = f"`--home {self.home}` is no folder"
            raise ConfigError(message, name="config.option", hint="name your home")
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
        """Return the store of sessions, in which each relay counts its redos separately."""
        return Sessions.of(os.environ, asker="\n".join(self.configs) if self.relay else "")

    def open(self, **settings: Any) -> Engine:
        """Return the engine with the selected hooks, and with the journal of this user."""
        from hookline.cli.exit_codes import print_message  # noqa: PLC0415 - not for a host

        journal = open_journal(os.environ, print_message)
        return self.engine(journal=journal, **settings)

    def engine(self, *, parses_new: bool = True, **settings: Any) -> Engine:
        """Return the engine with the selected hooks.

        `parses_new`: whether files of a project without approvals are parsed.

        Raises:
            ConfigError: no such file, dialect, option, trust or mode.
        """
        # It was cleaned when the command began.
        settings["environ"] = os.environ
        if not self.configs and self.folder == ".":
            self.folder = project_root(".", os.environ) or "."
        # `all` is consent to everything, and of `none` there is nothing to ask.
        if self.trust not in ("all", "none"):
            record = note_approvals(settings.get("journal"))
            settings["gate"] = LazyGate(
                self.folder, os.environ, write_record=record, notices=self.notices
            )
        if not self.configs:
            if self.options:
                raise ConfigError(
                    "options of a dialect need a file that they are for",
                    name="config.option",
                    hint="name it with --config",
                )
            return Engine.discover(
                self.folder,
                trust=self.trust or "user",
                mode=self.mode,
                match_tools=self.match_tools,
                parses_new=parses_new,
                **settings,
            )
        engine = Engine(cwd=self.folder, relays=self.relay, **settings)
        for config in self.configs:
            engine.add_source(
                parse_json(config, "--config", placed=False).value
                if config.startswith("{")
                else config,
                dialect=self.dialect or None,
                trust=self.trust or "all",
                mode=self.mode,
                match_tools=self.match_tools,
                options=parse_options(self.options),
                host=self.host,
            )
        return engine


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
    given = parse_words(list_options(command), words, f"hookline {name} --help")
    if "printer" in command.__annotations__:
        # Hosts start a command that prints no document.
        from hookline.cli.pages import Printer  # noqa: PLC0415

        given["printer"] = Printer(**{each: given.pop(each) for each in PRINTING})
    if "selection" in command.__annotations__:
        given["selection"] = Selection(**{each: given.pop(each) for each in SHARED})
    return given


def list_options(command: Command) -> dict[str, Option]:
    """Return the options and arguments of a command, those that choose its hooks included."""
    declared: Mapping[str, Any] = command.__kwdefaults__ or {}
    own = {name: each for name, each in declared.items() if isinstance(each, Option)}
    for parameter, options in (("printer", PRINTING), ("selection", SHARED)):
        if parameter in command.__annotations__:
            own.update(options)
    return own


def parse_options(pairs: Sequence[str]) -> Mapping[str, Any]:
    """Return `name=value` pairs as a mapping; `true` and `false` are booleans.

    Raises:
        ConfigError: a pair without `=`.
    """
    parsed: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ConfigError(
                f"`--option {pair}` is no NAME=VALUE",
                name="config.option",
                hint="for example --option profile=d1",
            )
        parsed[name] = {"true": True, "false": False}.get(value, value)
    return parsed


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
