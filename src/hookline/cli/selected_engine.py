"""The engine with the hooks that the options of a command line select."""

from __future__ import annotations

import os

from hookline.cli.options import Selection, usage_error
from hookline.config.places import project_root
from hookline.engine.engine import Engine
from hookline.engine.lazy_gate import LazyGate, note_approvals
from hookline.sessions.store import Sessions
from hookline.wire.parsers import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


def open_sessions(selection: Selection) -> Sessions:
    """Return the store of sessions, in which each relay counts its redos separately."""
    return Sessions.of(os.environ, asker="\n".join(selection.configs) if selection.relay else "")


def make_engine(selection: Selection, *, parses_new: bool = True, **settings: Any) -> Engine:
    """Return the engine with the selected hooks.

    `parses_new`: whether files of a project without approvals are parsed.

    Raises:
        ConfigError: no such file, dialect, option, trust or mode.
    """
    # It was cleaned when the command began.
    settings["environ"] = os.environ
    if not selection.configs and selection.folder == ".":
        selection.folder = project_root(".", os.environ) or "."
    # `all` is consent to everything, and of `none` there is nothing to ask.
    if selection.trust not in ("all", "none"):
        record = note_approvals(settings.get("journal"))
        settings["gate"] = LazyGate(
            selection.folder, os.environ, write_record=record, notices=selection.notices
        )
    if not selection.configs:
        if selection.options:
            raise usage_error(
                "options of a dialect need a file that they are for", "name it with --config"
            )
        return Engine.discover(
            selection.folder,
            trust=selection.trust or "user",
            mode=selection.mode,
            match_tools=selection.match_tools,
            parses_new=parses_new,
            **settings,
        )
    engine = Engine(cwd=selection.folder, relays=selection.relay, **settings)
    for config in selection.configs:
        engine.add_source(
            parse_json(config, "--config", placed=False).value
            if config.startswith("{")
            else config,
            dialect=selection.dialect or None,
            trust=selection.trust or "all",
            mode=selection.mode,
            match_tools=selection.match_tools,
            options=parse_options(selection.options),
            host=selection.host,
        )
    return engine


def parse_options(pairs: Sequence[str]) -> Mapping[str, Any]:
    """Return `name=value` pairs as a mapping; `true` and `false` are booleans.

    Raises:
        ConfigError: a pair without `=`.
    """
    parsed: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise usage_error(
                f"`--option {pair}` is no NAME=VALUE", "for example --option profile=d1"
            )
        parsed[name] = {"true": True, "false": False}.get(value, value)
    return parsed
