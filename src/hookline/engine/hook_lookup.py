"""Finds declared hooks by an id, a command, an address, a name or a file."""

from __future__ import annotations

import os
import shlex

from hookline.core.descriptions import describe_condition
from hookline.engine.approval_service import get_gate_for
from hookline.engine.loader import list_hooks
from hookline.errors import TrustError
from hookline.model.spec import Http, Model, describe_command
from hookline.text.terminal_escape import escape_line
from hookline.wire.disable_flags import is_disable_flag
from hookline.wire.sources import hook_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hookline.engine.engine import Engine
    from hookline.model.spec import HookSpec


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
    """Return the declared hooks with exactly this command or address, as hookline shows it or as the file has it.

    What cannot be seen of a command may also be written as it is shown, on one line.

    No other spelling of a path counts: a person approves what they can read.

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
        raise TrustError(
            f"no hook is declared with command `{command}`{where}",
            name="trust.unmatched",
            hint="`hookline list` shows what is declared",
        )
    runs = dict.fromkeys(_describe_target(spec) for spec in found)
    if len(runs) > 1:
        listed = ", ".join(
            f"`{text}` ({', '.join(spec.id for spec in found if _describe_target(spec) == text)})"
            for text in runs
        )
        raise TrustError(
            f"`{command}` may mean any of {listed}",
            name="trust.ambiguous",
            hint="write it as it is shown, or name one by its id",
        )
    return found


def _describe_target(spec: HookSpec) -> str:
    """Return what an approval by text stands for; of an HTTP hook only the address."""
    return spec.handler.url if isinstance(spec.handler, Http) else describe_run(spec)


def _is_written(spec: HookSpec, command: str) -> bool:
    """Whether a command is a hook's own as it is shown on one line, or as its file has it: a relative path is from the file's folder.

    The name of a hook is its author's, so it counts only where its words are what is run.
    """
    argv, name = getattr(spec.handler, "argv", ()), spec.name
    shown = (escape_line(describe_run(spec)), describe_command(spec.handler), " ".join(argv))
    if command in shown:
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


def find_hooks(engine: Engine, word: str, event: str = "") -> list[HookSpec]:
    """Return hooks by an id, a command or address, a name, or the path of a file that declares them or that they run.

    Raises:
        TrustError: `trust.unmatched`, no declared hook is meant; `trust.ambiguous`, hooks that run
            different things are.
    """
    specs = [
        spec
        for spec in list_hooks(engine.snapshot)
        if not event or event in (spec.native_event, spec.kind)
    ]
    by_id = [spec for spec in specs if spec.id == word]
    if by_id:
        return by_id
    try:
        return find_by_command(specs, word)
    except TrustError as error:
        if error.name == "trust.ambiguous":
            raise
        path = os.path.realpath(word)
        found = [spec for spec in specs if spec.name == word] or [
            spec for spec in specs if _is_file_of(engine, spec, path)
        ]
        if not found:
            where = f" on `{event}`" if event else ""
            raise TrustError(
                f"no hook is declared with the id, command, name or file `{word}`{where}",
                name="trust.unmatched",
                hint="`hookline list` shows what is declared",
            ) from error
        return found


def _is_file_of(engine: Engine, spec: HookSpec, path: str) -> bool:
    """Whether a file declares a hook, or a hook runs it."""
    if spec.origin.file and os.path.realpath(spec.origin.file) == path:
        return True
    states = get_gate_for(engine).find_states([spec])
    return any(
        os.path.realpath(file.path) == path for state in states for file in state.inspection.files
    )
