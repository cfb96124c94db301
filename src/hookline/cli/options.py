"""Options that several commands share: which hooks, how trusted, how strict; and the engine that follows from them."""

from __future__ import annotations

import os
import sys

from hookline.config.places import project_root
from hookline.config.project_env import drop_project_env
from hookline.engine.catalog import NAMES
from hookline.engine.engine import Engine
from hookline.engine.load_options import MATCHING, MODES, TRUSTS
from hookline.engine.projects import leave_deleted_folder
from hookline.engine.trust_gate import LazyGate, note_approvals
from hookline.errors import ConfigError
from hookline.sessions.store import Sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from typing import Any, Never

    from hookline.model.problem import Problem

_FLAGS: Mapping[str, str] = {
    "-c": "configs",
    "--config": "configs",
    "--dialect": "dialect",
    "--trust": "trust",
    "--mode": "mode",
    "--match-tools": "match_tools",
    "-o": "options",
    "--option": "options",
    "-C": "folder",
    "--home": "home",
}
_RELAY = "--relay"
DEADLINE = "--deadline"
_REPEATABLE = ("configs", "options")
_NO_OWN: Mapping[str, bool] = {}


class Selection:
    """Which hooks a command looks at. Without `configs`, whatever is discovered from `folder`.

    `host`: the dialect of the host that is being answered, if there is one. `relay`: another hookline asks, whose hook this is, so that being inside of the same event is no loop. `home`: the user's, whatever
    the environment says. `told`: what was left out of the environment.
    """

    def __init__(
        self,
        *,
        configs: Sequence[str] = (),
        dialect: str = "",
        trust: str = "",
        mode: str = "fidelity",
        match_tools: str = "native",
        options: Sequence[str] = (),
        folder: str = ".",
        relay: bool = False,
        home: str = "",
    ) -> None:
        self.configs = list(configs)
        self.dialect = dialect
        self.trust = trust
        self.mode = mode
        self.match_tools = match_tools
        self.options = options
        self.folder = folder
        self.relay = relay
        self.host = ""
        self.home = home
        self.told: tuple[Problem, ...] = ()

    def clean_environ(self, folder: str = "") -> None:
        """Remove from this process's environment what the repository around a folder, or the selected one, controls.

        Raises:
            ConfigError: `--home` names no folder.
        """
        if self.home and not os.path.isdir(self.home):
            message = f"`--home {self.home}` is no folder"
            raise ConfigError(message, name="config.option", hint="name your home")
        try:
            found = drop_project_env(os.environ, folder or self.folder, self.home)
        except (
            FileNotFoundError
        ):  # the working folder was deleted, and the repository's files with it
            return
        if found.environ is os.environ:
            return
        for name in found.dropped:
            del os.environ[name]
        os.environ.update(found.environ)
        if found.problem is not None and not self.told:
            self.told = (found.problem,)

    def sessions(self, environ: Mapping[str, str]) -> Sessions:
        """Return the store of sessions. Each relay is one hook of a file, so each counts its redos separately."""
        return Sessions.of(environ, asker="\n".join(self.configs) if self.relay else "")

    def engine(self, *, parses_new: bool = True, **settings: Any) -> Engine:
        """Return the engine with the selected hooks.

        `parses_new`: whether files of a project without approvals are parsed.

        Raises:
            ConfigError: no such file, dialect, option, trust or mode.
        """
        settings.setdefault("environ", os.environ)  # which was cleaned when the command began
        if not self.configs and self.folder == ".":
            self.folder = project_root(".", settings["environ"]) or "."
        if self.trust in (
            "",
            "user",
            "approved",
        ):  # `all` is consent to everything, and of `none` there is nothing to ask
            record = note_approvals(settings.get("journal"))
            settings.setdefault(
                "gate",
                LazyGate(self.folder, settings["environ"], write_record=record, notices=self.told),
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
                _parse_tree(config) if config.startswith("{") else config,
                dialect=self.dialect or None,
                trust=self.trust or "all",
                mode=self.mode,
                match_tools=self.match_tools,
                options=parse_options(self.options),
                host=self.host,
            )
        return engine


def _parse_tree(text: str) -> Mapping[str, Any]:
    """Parse a configuration that is given as JSON on the command line.

    Raises:
        ConfigError: it is no JSON.
    """
    from hookline.wire.parsers import parse_json  # noqa: PLC0415 - most name a file

    tree: Mapping[str, Any] = parse_json(text, "--config", placed=False).value
    return tree


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


def parse_quickly(
    words: Sequence[str], own: Mapping[str, bool] = _NO_OWN
) -> tuple[list[str], Selection, dict[str, Any]] | None:
    """Return the positional words, the selection, and the values of a command's `own` options (name -> takes a value).

    None for help, mistakes and unusual spellings, which need argparse. Hosts write none of
    these, and argparse costs 6 ms.
    """
    chosen: dict[str, Any] = {"configs": [], "options": []}
    others: list[str] = []
    further: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        field = _FLAGS.get(name, "")
        if field or own.get(name):
            value = value if equals else next(rest, "")
            if not value or value.startswith("-"):
                return None
            if field:
                chosen[field] = [*chosen[field], value] if field in _REPEATABLE else value
            else:
                further[name] = value
        elif word == _RELAY:
            chosen["relay"] = True
        elif word in own:
            further[word] = True
        elif word.startswith("-"):
            return None
        else:
            others.append(word)
    return others, Selection(**chosen), further


def make_parser(
    program: str, description: str, examples: str, codes: str = ""
) -> argparse.ArgumentParser:
    """Return an argument parser with the shared options, which raises ConfigError."""
    import argparse  # noqa: PLC0415 - see `parse_quickly`

    class _Parser(argparse.ArgumentParser):
        def error(self, message: str) -> Never:
            raise ConfigError(
                message.replace("'", "`"), name="config.option", hint=f"{self.prog} --help"
            )

        def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
            _check_options(args or (), self._option_string_actions, f"{self.prog} --help")
            return super().parse_known_args(args, namespace)

    made = _Parser(
        prog=program,
        description=f"{description}\n\n{examples}",
        epilog=codes,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument(
        "-c",
        "--config",
        action="append",
        default=[],
        metavar="PATH",
        help="a file or folder of hooks, or a tree as JSON; repeatable",
    )
    made.add_argument(
        "--dialect",
        default="",
        metavar="NAME",
        help=f"of the files named, and of the event: {', '.join(NAMES)}",
    )
    made.add_argument(
        "--trust", default="", choices=TRUSTS, help="which hooks may run; naming a file is consent"
    )
    made.add_argument(
        "--mode",
        default="fidelity",
        choices=MODES,
        help="as the dialect's document says, or fail closed",
    )
    made.add_argument(
        "--match-tools",
        default="native",
        choices=MATCHING,
        help="whether a matcher knows a tool's names in other hosts",
    )
    made.add_argument(
        "-o",
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="of the dialect: profile=d1",
    )
    made.add_argument(
        _RELAY, action="store_true", help="asked by a converted hook, from inside of the event"
    )
    made.add_argument("-C", dest="folder", default=".", metavar="DIR", help="as if started there")
    made.add_argument(
        "--home", default="", metavar="DIR", help="your home, whatever the environment says"
    )
    return made


def _check_options(words: Sequence[str], options: Mapping[str, object], hint: str) -> None:
    """Check that every long option exists, before missing arguments are reported.

    Raises:
        ConfigError: an option is unknown; the hint has the most similar one.
    """
    for word in words:
        name = word.partition("=")[0]
        if word == "--":
            return
        if name.startswith("--") and name not in options:
            from hookline.text.suggestions import did_you_mean  # noqa: PLC0415 - most words are right

            raise ConfigError(
                f"no such option `{name}`",
                name="config.option",
                hint=did_you_mean(name, options) or hint,
            )


def add_deadline(arguments: argparse.ArgumentParser) -> None:
    """Add the option that sets the deadline of one event."""
    arguments.add_argument(
        DEADLINE, default="", metavar="S", help="seconds for the answer; default: the host's limit, less 10 %%"
    )  # fmt: skip


def parse_seconds(text: str) -> float | None:
    """Return the seconds of an option; None if it is not given.

    Raises:
        ConfigError: it is no number above 0.
    """
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise ConfigError(
            f"`{DEADLINE} {text}` is no number of seconds above 0",
            name="config.option",
            hint="for example --deadline 30",
        )
    return seconds


def make_selection(given: argparse.Namespace) -> Selection:
    """Return the selection of parsed arguments."""
    return Selection(
        configs=given.config,
        dialect=given.dialect,
        trust=given.trust,
        mode=given.mode,
        match_tools=given.match_tools,
        options=given.option,
        folder=given.folder,
        relay=given.relay,
        home=given.home,
    )


def change_folder(folder: str) -> None:
    """Change to a folder; stay if none is named.

    If none is named and the working folder was deleted, go to one that exists, and say so on stderr.

    Raises:
        ConfigError: there is no such folder.
    """
    if folder in ("", ".") and (notice := leave_deleted_folder(os.environ)):
        sys.stderr.write(f"{notice}\n")
    try:
        os.chdir(folder or ".")
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
        raise ConfigError(
            f"cannot start in `{folder}`: {reason}", name="config.missing", hint="-C takes a folder"
        ) from None
