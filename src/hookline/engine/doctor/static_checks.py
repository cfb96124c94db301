"""Checks hooks without running them: one by one, and several of one event together."""

from __future__ import annotations

import os
import shutil
import socket
from urllib.parse import urlsplit

from hookline.engine.doctor.published_samples import find_samples
from hookline.engine.hook_lookup import describe_run
from hookline.errors import HandlerError
from hookline.guards.table import is_observer
from hookline.handlers.checked_connection import resolve_addresses
from hookline.handlers.model_libraries import find_missing_library
from hookline.model.kinds import kind
from hookline.model.spec import Command, HookSpec, Http, Model, Problem
from hookline.model.verdict import Stance
from hookline.paths import read_regular
from hookline.text.source_references import SHELL, find_language, read_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hookline.core.dialect import Table
    from hookline.engine.engine import Engine
    from hookline.handlers.checked_connection import Resolve
    from hookline.trust.inspection import InspectedFile, Inspection
    from hookline.trust.state import HookState


class Finding(Problem):
    """A problem of a hook; `path`: the file whose mode is wrong, if that is the problem."""

    path: str = ""


def make_finding(
    spec: HookSpec, name: str, message: str, hint: str = "", *, path: str = ""
) -> Finding:
    """Return an error of a hook."""
    return Finding(
        name=name, message=message, hint=hint, origin=spec.origin, hook=spec.id, path=path
    )


def make_warning(spec: HookSpec, name: str, message: str, hint: str = "") -> Finding:
    """Return a warning about a hook."""
    return make_finding(spec, name, message, hint).replace(severity="warning")


_LONGEST_LINE = 256  # bytes of a `#!` line
MISSING_HINT = "name a file that is there, by its absolute path"


# -- one hook --------------------------------------------------------------------------------------


def check_policy(spec: HookSpec, table: Table) -> Iterator[Finding]:
    """Yield a warning for a guard that fails open; `table` is that of its own dialect.

    Only a hook counts whose denial prevents an action. A stop gate that fails closed would never
    let the agent stop.
    """
    if is_observer(spec.handler):
        return
    at, row = kind(spec.kind), table.row(spec.native_event)
    can_refuse = at.is_gate and not at.feedback and not at.redo
    if row is None:
        can_refuse = can_refuse and "deny" in at.powers
    else:
        can_refuse = can_refuse and row.blocks is not Stance.SILENT and not row.feedback
    fails_open = spec.on_failure is Stance.SILENT and not spec.shadow and not spec.detached
    if can_refuse and fails_open:
        hint = "its format has no word for it; `--mode strict` refuses"
        if table.closes:
            hint = f"say `{table.closes}`, or use `--mode strict`"
        message = "if it fails, the host goes on as if it had allowed the event"
        yield make_warning(spec, "check.fails-open", message, hint)


def check_files(spec: HookSpec, seen: Inspection) -> Iterator[Finding]:
    """Yield what is wrong with the files that a command needs."""
    if not isinstance(spec.handler, Command):
        return
    if seen.missing_program:
        yield make_finding(spec, "check.missing", seen.missing_program, MISSING_HINT)
    yield from _check_modes(spec, seen)
    paths = (file.path for file in seen.files)
    for hole, remedy in find_samples(spec.handler.script, paths):
        message = f"it is a published sample with a known hole: {hole}"
        yield make_warning(spec, "check.sample", message, remedy)
    for file in seen.files:
        if why := _find_lost_interpreter(file):
            hint = "name one that is there in its `#!` line, and end the lines as unix does"
            yield make_finding(spec, "check.interpreter", f"{why} (`{file.path}`)", hint)
    for unseen in seen.unseen:
        if spec.origin.pack and unseen.startswith("venv/"):
            continue  # its lock file has it, with which it is compared
        message = f"an approval does not cover all that it runs: {unseen}"
        hint = "name the files themselves, or look at them yourself"
        yield make_warning(spec, "check.unseen", message, hint)
    yield from _check_relative(spec, spec.handler)


def _check_modes(spec: HookSpec, seen: Inspection) -> Iterator[Finding]:
    """Yield what is wrong with each file by itself."""
    for file in seen.files:
        named = f"`{file.path}`"
        if file.is_writable_by_all:
            message, hint = f"all users may write {named}", f"chmod go-w {file.path}"
            yield make_finding(spec, "check.exposed", message, hint, path=file.path)
        if file.problem == "not executable":
            message, hint = f"{named} is not executable", f"chmod +x {file.path}"
            yield make_finding(spec, "check.not-executable", message, hint, path=file.path)
        elif file.problem and not seen.missing_program:
            hint = "put it back, or name another file"
            yield make_finding(spec, "check.missing", f"{named} is {file.problem}", hint)


def _find_lost_interpreter(file: InspectedFile) -> str:
    """Return that the interpreter of a script's `#!` line is missing; empty if it is not."""
    found = read_regular(file.path, _LONGEST_LINE) if file.is_executable else None
    line = os.fsdecode(found[1].partition(b"\n")[0]) if found else ""
    words = [word for word in line[2:].split(" ") if word] if line.startswith("#!") else []
    if words and os.path.basename(words[0]) == "env":
        words = [word for word in words[1:] if word[0] != "-" and "=" not in word]
    if not words or shutil.which(words[0]):
        return ""
    if words[0].endswith("\r"):
        return "its interpreter was not found: the name ends with a carriage return"
    return f"its interpreter `{words[0]}` was not found"


def check_extras(spec: HookSpec) -> Iterator[Finding]:
    """Yield a finding for each missing extra of hookline that a hook needs."""
    if not isinstance(spec.handler, Model):
        return
    message, hint = find_missing_library(spec.handler)
    if message:
        yield make_finding(spec, "check.missing", message, hint)


def list_errors(state: HookState) -> list[Finding]:
    """Return the errors that keep a hook from starting, as far as they show without a run."""
    found = (*check_files(state.spec, state.inspection), *check_extras(state.spec))
    return [each for each in found if each.severity == "error"]


def _check_relative(spec: HookSpec, handler: Command) -> Iterator[Finding]:
    """Yield a warning for a file whose path means another file in another folder.

    Behind a `cd` to an absolute folder it does not.
    """
    lines = [list(handler.argv)] if handler.argv else []
    if not lines and not handler.working_dir:
        references = read_source(SHELL, handler.script.encode("utf-8", "replace"))
        lines = [words for sort, *words in references if sort in ("run", "alone")]
    for words in lines:
        if words[:1] == ["cd"] and os.path.isabs("".join(words[1:2])):
            return
        program = [word for word in words[:1] if "/" in word]
        for path in (*program, *filter(find_language, words[1:2])):
            if not os.path.isabs(path) and not {"{", "\0"} & {*path}:
                message = f"`{path}` is found from the folder that the host happens to be in"
                yield make_warning(spec, "check.relative", message, "write the absolute path")


# -- several hooks ---------------------------------------------------------------------------------


def find_duplicates(specs: Sequence[HookSpec]) -> Iterator[Finding]:
    """Yield a warning for hooks that run the same on the same event and conditions."""
    first: dict[str, HookSpec] = {}
    for spec in specs:
        other = first.setdefault(repr((spec.kind, describe_run(spec), spec.conditions)), spec)
        if other is not spec:
            message = f"it does what `{other.id}` does, on the same event"
            yield make_warning(spec, "check.duplicate", message, "remove one of the two")


# -- host names --------------------------------------------------------------------------------


def find_unresolved(engine: Engine, *, resolve: Resolve = socket.getaddrinfo) -> Iterator[Problem]:
    """Yield a warning for each HTTP hook whose host name cannot be called now.

    Only formats that ask for it look names up (docs/formats/starchild.md 8). `resolve`: what
    `socket.getaddrinfo` does.
    """
    specs = {
        entry.spec.id: entry.spec
        for entry in engine.registry.entries()
        if entry.dialect.table.resolves_names
    }
    for spec in specs.values():
        if not isinstance(spec.handler, Http):
            continue
        try:
            host = urlsplit(spec.handler.url).hostname or ""
            resolve_addresses(host, 0, allow_local=spec.handler.allow_local, resolve=resolve)
        except (HandlerError, ValueError) as error:
            hint = "until that changes, each call of this hook fails"
            message = f"it calls an address that fails now: {error}"
            yield make_warning(spec, "handler.url", message, hint)
