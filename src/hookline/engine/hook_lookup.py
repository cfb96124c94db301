"""Finds declared hooks by an id, a command, an address, a name or a file."""

from __future__ import annotations

import os
import shlex

from hookline.core.condition_descriptions import describe_condition
from hookline.engine.approval_service import get_gate_for
from hookline.engine.loader import list_hooks
from hookline.errors import TrustError
from hookline.model.spec import HookSpec, Http, Model, describe_command
from hookline.paths import shorten_home
from hookline.text.terminal_escape import escape_line
from hookline.wire.disable_flags import is_disable_flag
from hookline.wire.sources import hook_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hookline.engine.engine import Engine


def make_hook_summary(spec: HookSpec) -> dict[str, Any]:
    """Return what each JSON document says of a hook: what it is, where it is, when it runs."""
    return {
        "hook": spec.id,
        "name": spec.name,
        "dialect": spec.dialect,
        "kind": spec.kind,
        "native_event": spec.native_event,
        "when": [describe_condition(condition) for condition in spec.conditions],
        "file": spec.origin.file,
        "line": spec.origin.line,
        "scope": spec.origin.scope,
    }


def describe_run(spec: HookSpec) -> str:
    """Return what a hook runs, as an approval shows it.

    This is a command, an address, or a model with its prompt.
    """
    handler = spec.handler
    if isinstance(handler, Model):
        address = f" at {handler.base_url}" if handler.base_url else ""
        key = f" with the key in ${handler.key}" if handler.key else ""
        return f"model {', or '.join(handler.names)}{address}{key}: {handler.prompt.strip()}"
    if isinstance(handler, Http):
        return f"{handler.method} {handler.url}"
    return describe_command(handler)


def find_by_command(specs: Sequence[HookSpec], command: str, event: str = "") -> list[HookSpec]:
    """Return the declared hooks with exactly this command or address.

    It is written as hookline shows it or as the file has it. No other spelling of a path counts: a
    person approves what they can read.

    Raises:
        TrustError: `trust.unmatched`, none is declared; `trust.ambiguous`, it is written like hooks
            that run different things.
    """
    found = [
        spec
        for spec in specs
        if command
        and _is_written(spec, command)
        and (not event or event in (spec.native_event, spec.kind))
        and not is_disable_flag(spec)
    ]
    if not found:
        where = f", event `{event}`" if event else ""
        raise _make_unmatched_error(f"command `{command}`{where}")
    runs: dict[str, list[str]] = {}
    for spec in found:
        # An approval by text is for an address, whatever its method.
        text = spec.handler.url if isinstance(spec.handler, Http) else describe_run(spec)
        runs.setdefault(text, []).append(spec.id)
    if len(runs) > 1:
        listed = ", ".join(f"`{text}` ({', '.join(ids)})" for text, ids in runs.items())
        message = f"`{command}` may mean any of {listed}"
        hint = "write it as it is shown, or name one by its id"
        raise TrustError(message, name="trust.ambiguous", hint=hint)
    return found


def _make_unmatched_error(what: str) -> TrustError:
    message, hint = f"no hook is declared with {what}", "`hookline list` shows what is declared"
    return TrustError(message, name="trust.unmatched", hint=hint)


def _is_written(spec: HookSpec, command: str) -> bool:
    """Whether a command is a hook's own as it is shown, or as its file has it.

    A relative path is from the file's folder. The name of a hook is its author's, so it counts only
    where its words are what is run.
    """
    argv, name = getattr(spec.handler, "argv", ()), spec.name
    if command in (escape_line(describe_run(spec)), describe_command(spec.handler), " ".join(argv)):
        return True
    is_named = name and name in (command, hook_name(command)) and command == command.strip()
    if not argv or not is_named:
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    folder = os.path.dirname(spec.origin.file)
    return len(words) == len(argv) and all(
        word == run
        or (not word.startswith("/") and os.path.normpath(os.path.join(folder, word)) == run)
        for word, run in zip(words, argv, strict=True)
    )


def find_by_id(specs: Sequence[HookSpec], word: str, environ: Mapping[str, str]) -> list[HookSpec]:
    """Return the hook with this id, in which the shell may have expanded `~`, if there is one."""
    word = shorten_home(word, environ)
    return [spec for spec in specs if spec.id == word]


def find_by_end(specs: Sequence[HookSpec], word: str) -> list[HookSpec]:
    """Return the hooks whose ids end so, after a `/`, `#` or `.`."""
    ends = tuple(f"{mark}{word}" for mark in "/#.")
    return [spec for spec in specs if word and spec.id.endswith(ends)]


def find_hooks(engine: Engine, word: str, event: str = "") -> list[HookSpec]:
    """Return hooks by an id, a command or address, a name, a pack, or a file of them.

    Raises:
        TrustError: `trust.unmatched`, no declared hook is meant; `trust.ambiguous`, hooks that run
            different things are.
    """
    declared = list_hooks(engine.snapshot)
    specs = [spec for spec in declared if not event or event in (spec.native_event, spec.kind)]
    if by_id := find_by_id(specs, word, engine.environ):
        return by_id
    try:
        return find_by_command(specs, word)
    except TrustError as error:
        if error.name == "trust.ambiguous":
            raise
    path = os.path.realpath(word)
    found = [spec for spec in specs if word in (spec.name, spec.origin.pack) and word]
    found = found or [spec for spec in specs if _is_file_of(engine, spec, path)]
    ending = [] if found else find_by_end(specs, word)
    if len(ending) > 1:
        message = f"`{word}` may mean any of {', '.join(f'`{spec.id}`' for spec in ending)}"
        raise TrustError(message, name="trust.ambiguous", hint="give the whole id of one")
    found = found or ending
    if not found:
        where = f" on `{event}`" if event else ""
        raise _make_unmatched_error(f"the id, command, name or file `{word}`{where}")
    return found


def _is_file_of(engine: Engine, spec: HookSpec, path: str) -> bool:
    """Whether a file declares a hook, or a hook runs it."""
    if spec.origin.file and os.path.realpath(spec.origin.file) == path:
        return True
    states = get_gate_for(engine).find_states([spec])
    return any(
        os.path.realpath(file.path) == path for state in states for file in state.inspection.files
    )
