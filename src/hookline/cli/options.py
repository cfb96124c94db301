"""Options that several commands share: which hooks, how trusted, how strict; and the engine that follows from them."""

from __future__ import annotations

import argparse

from hookline.engine.catalog import NAMES
from hookline.engine.engine import Engine
from hookline.engine.library import MODES, TRUSTS
from hookline.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


class Selection:
    """Which hooks a command looks at. Without `configs`, whatever is discovered from `folder`."""

    def __init__(
        self,
        *,
        configs: Sequence[str] = (),
        dialect: str = "",
        trust: str = "",
        mode: str = "fidelity",
        options: Sequence[str] = (),
        folder: str = ".",
    ) -> None:
        self.configs = list(configs)
        self.dialect = dialect
        self.trust = trust
        self.mode = mode
        self.options = options
        self.folder = folder

    def engine(self, **settings: Any) -> Engine:
        """The engine with the selected hooks.

        Raises:
            ConfigError: no such file, dialect, option, trust or mode.
        """
        if not self.configs:
            return Engine.discover(self.folder, trust=self.trust or "user", mode=self.mode, **settings)
        engine = Engine(cwd=self.folder, **settings)
        for config in self.configs:
            engine.add_source(
                config, dialect=self.dialect or None, trust=self.trust or "all", mode=self.mode, options=parsed_options(self.options)
            )
        return engine


def parsed_options(pairs: Sequence[str]) -> Mapping[str, Any]:
    """`name=value` pairs as a mapping; `true` and `false` are booleans.

    Raises:
        ConfigError: a pair without `=`.
    """
    parsed: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ConfigError(f"`--option {pair}` is no NAME=VALUE", name="config.option", hint="for example --option profile=d1")
        parsed[name] = {"true": True, "false": False}.get(value, value)
    return parsed


def parser(program: str, description: str, examples: str) -> argparse.ArgumentParser:
    """An argument parser with the shared options."""
    made = argparse.ArgumentParser(
        prog=program, description=description, epilog=examples, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    made.add_argument("-c", "--config", action="append", default=[], metavar="PATH", help="a file or folder of hooks; repeatable")
    made.add_argument("--dialect", default="", metavar="NAME", help=f"of the files named, and of the event: {', '.join(NAMES)}")
    made.add_argument("--trust", default="", choices=["", *TRUSTS], help="which hooks may run; naming a file is consent")
    made.add_argument("--mode", default="fidelity", choices=MODES, help="as the dialect's document says, or fail closed")
    made.add_argument("-o", "--option", action="append", default=[], metavar="NAME=VALUE", help="of the dialect: profile=d1")
    made.add_argument("-C", dest="folder", default=".", metavar="DIR", help="as if started there")
    return made


def selection(given: argparse.Namespace) -> Selection:
    """The selection of parsed arguments."""
    return Selection(
        configs=given.config, dialect=given.dialect, trust=given.trust, mode=given.mode, options=given.option, folder=given.folder
    )
