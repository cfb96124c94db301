"""Soundness: what is wrong with a hook that can be seen without running it, and what is wrong with several together."""

from __future__ import annotations

import os
import re

from hookline.core.dispatch import Run
from hookline.engine.doctor.finding import Finding, found
from hookline.engine.doctor.published_samples import find_samples
from hookline.engine.doctor.synthetic import about, made_up
from hookline.errors import HandlerError
from hookline.model.handler import Command, Model
from hookline.model.kinds import kind
from hookline.model.verdict import Stance
from hookline.wire.templates import INSTALL, TEMPLATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hookline.core.dialect import Table
    from hookline.core.registry import Entry
    from hookline.model.event import Event
    from hookline.model.sight import Covered, Sight
    from hookline.model.spec import HookSpec

# What a file's name promises to be run by.
_MEANT_FOR: Mapping[str, re.Pattern[str]] = {
    ".py": re.compile(r"(?:python|pypy)[\d.]*|uvx?"),
    ".sh": re.compile(r"(?:ba|da|a|k|z)?sh"),
    ".bash": re.compile(r"bash"),
    ".js": re.compile(r"node|nodejs|bun|deno"),
    ".mjs": re.compile(r"node|nodejs|bun|deno"),
    ".ts": re.compile(r"tsx|ts-node|bun|deno|node"),
    ".rb": re.compile(r"ruby[\d.]*"),
    ".pl": re.compile(r"perl[\d.]*"),
}
_BINARY = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"MZ")
# Minimal examples, and the guard that does all that each of them does (docs/formats/starchild.md 10).
_SUPERSEDED: Mapping[str, str] = {
    "block_secrets.py": "security_guard.py",
    "secret_guard.py": "security_guard.py",
    "dangerous_bash_guard.py": "security_guard.py",
    "check_publish.sh": "verify_publish_claims.py",
}


_LONGEST_LINE = 256  # bytes that a kernel reads of a `#!` line
_CARRIED = 64  # files of one hook's own folder
_CRLF = "end its lines as unix does: sed -i 's/\\r$//' FILE"


# -- one hook ------------------------------------------------------------------------------------------------------------


def by_policy(spec: HookSpec, table: Table) -> Iterator[Finding]:
    """What its failure would mean; `table` is that of its own dialect."""
    if (
        spec.on_failure is Stance.SILENT
        and not spec.shadow
        and not spec.detached
        and _refuses(spec, table)
    ):
        told = "it stands at a gate, and lets everything through when it fails"
        hint = (
            f"say `{table.closes}`, or use `--mode strict`"
            if table.closes
            else "its format has no word for it; `--mode strict` refuses"
        )
        yield found(spec, "check.fails-open", told, hint=hint, severity="warning")


def _refuses(spec: HookSpec, table: Table) -> bool:
    """Whether a hook's denial keeps something from happening. A stop gate that fails closed would send the agent back for ever."""
    at, row = kind(spec.kind), table.row(spec.native_event)
    blocks = (
        "deny" in at.powers if row is None else row.blocks is not Stance.SILENT and not row.feedback
    )
    return at.gate and blocks and not at.feedback and not at.redo


def by_files(spec: HookSpec, event: Event, environ: Mapping[str, str]) -> Iterator[Finding]:
    """What is wrong with the files that a command needs, as the event would find them."""
    if not isinstance(spec.handler, Command):
        return
    from hookline.handlers.sight.look import look  # noqa: PLC0415 - with it comes the shell's grammar

    seen = look(Run(spec=spec, event=event), environ)
    unsure = [
        what for what in seen.open if "was not found" in what
    ]  # a shell text may make it before it runs it
    for what in (*seen.missing, *unsure):
        name, hint = missing(what)
        yield found(spec, name, what, hint=hint)
    for what in seen.open:
        if what not in unsure:
            told = f"an approval does not cover all that it runs: {what}"
            yield found(
                spec,
                "check.unseen",
                told,
                hint="name the files themselves, or look at them yourself",
                severity="warning",
            )
    for path in dict.fromkeys(file.real for file in seen.files if file.in_place):
        told = f"`{path}` is run from its place: what is swapped right before it starts has run, and only its answer is discarded"
        yield found(
            spec,
            "check.in-place",
            told,
            hint="`trust.in_place` says what becomes of such a hook",
            severity="warning",
        )
    yield from _relative(spec, event, environ)
    for file in seen.files:
        yield from _by_file(spec, file)
    yield from find_samples(spec, seen.files)
    if not seen.missing and not unsure:
        yield from _misread(spec, seen)


def missing(what: str) -> tuple[str, str]:
    """The finding, and what to do, where something is not there: what a script names to be run by, or a file that is named itself."""
    if not what.startswith("the interpreter of "):
        return "check.missing", "name a file that is there, by its absolute path"
    return (
        "check.interpreter",
        _CRLF
        if "carriage return" in what
        else "name an interpreter that is there in its `#!` line",
    )


def by_extras(spec: HookSpec) -> Iterator[Finding]:
    """What a hook needs of hookline itself that is not installed."""
    if not isinstance(spec.handler, Model):
        return
    from importlib.util import find_spec  # noqa: PLC0415 - few hooks ask a model

    needed = ("pydantic_ai", *(("jinja2",) if spec.handler.language == TEMPLATE else ()))
    for name in [name for name in needed if find_spec(name) is None][:1]:  # they come together
        yield found(
            spec,
            "check.missing",
            f"model hooks need `{name}`, which is not installed",
            hint=INSTALL,
        )


def unsound(entry: Entry, cwd: str, environ: Mapping[str, str]) -> list[Finding]:
    """What can be seen of a hook, without running it, that keeps it from being started at all."""
    event = made_up(entry.spec, entry.dialect, cwd)
    return [
        each
        for each in (*by_files(entry.spec, event, environ), *by_extras(entry.spec))
        if each.severity == "error"
    ]


def _by_file(spec: HookSpec, file: Covered) -> Iterator[Finding]:
    if file.exposed:
        yield found(
            spec, "check.exposed", file.exposed, hint=f"chmod go-w {file.real}", path=file.real
        )
    if file.role != "program":
        return
    if not os.access(file.real, os.X_OK):
        yield found(
            spec,
            "check.not-executable",
            f"`{file.real}` is not executable",
            hint=f"chmod +x {file.real}",
            path=file.real,
        )
    elif not _begins(file.real, (b"#!", *_BINARY)):
        told = f"`{file.real}` has no `#!` line, so nothing says what runs it"
        severity = (
            "warning" if getattr(spec.handler, "script", "") else "error"
        )  # a shell takes it for one of its own
        hint = "begin it with `#!/usr/bin/env python3`, or what else it is written for"
        yield found(spec, "check.interpreter", told, hint=hint, severity=severity)


def _begins(path: str, signs: tuple[bytes, ...]) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(4).startswith(signs)
    except OSError:
        return True  # that it cannot be read is told by others


def _misread(spec: HookSpec, seen: Sight) -> Iterator[Finding]:
    """A script that something else runs than its name says."""
    scripts = [file for file in seen.files if file.role in ("script", "program")]
    if len(scripts) != 1:
        return
    around = [os.path.basename(file.path) for file in seen.files if file.role == "interpreter"]
    runners = _first_line(scripts[0].real) if scripts[0].role == "program" else around
    wanted = _MEANT_FOR.get(os.path.splitext(scripts[0].path)[1])
    if wanted is not None and runners and not any(wanted.fullmatch(name) for name in runners):
        told = f"`{os.path.basename(scripts[0].path)}` is run by `{runners[-1]}`"
        yield found(
            spec,
            "check.interpreter",
            told,
            hint="its `#!` line, or the command, names another language",
            severity="warning",
        )


def _first_line(path: str) -> list[str]:
    """The programs that a `#!` line names, without their folders and options; none where there is no such line."""
    try:
        with open(path, "rb") as file:
            line = os.fsdecode(file.readline(_LONGEST_LINE))
    except OSError:
        return []
    words = line.removeprefix("#!").split() if line.startswith("#!") else []
    return [os.path.basename(word) for word in words if not word.startswith("-")]


def _relative(spec: HookSpec, event: Event, environ: Mapping[str, str]) -> Iterator[Finding]:
    """A file that is named by a path which means another file in another folder."""
    from hookline.handlers import command  # noqa: PLC0415 - as above
    from hookline.text.programs import reading  # noqa: PLC0415 - as above

    handler = spec.handler
    assert isinstance(handler, Command)  # noqa: S101 - asked of commands only
    try:
        env = command.build_program(
            handler, event, "", timeout=spec.timeout, cookie="", environ=environ
        ).env
    except HandlerError:
        return
    for words in filter(None, _lines(handler, env)):
        read = reading(words)
        named = [words[read.program_at]] if "/" in words[read.program_at] else []
        named += [words[read.at]] if read.at is not None else []
        for path in named:
            if (
                path
                and not os.path.isabs(os.path.join("", *read.folders, path))
                and "{" not in path
                and not handler.working_dir
            ):
                told = f"`{path}` is found from the folder that the host happens to be in"
                yield found(
                    spec, "check.relative", told, hint="write the absolute path", severity="warning"
                )


def _lines(handler: Command, env: Mapping[str, str]) -> Iterator[list[str]]:
    """The command lines of a hook, up to where it goes to a folder that it names in full."""
    from hookline.text.shell_words import parse_commands  # noqa: PLC0415 - as above

    if handler.argv:
        yield list(handler.argv)
        return
    for one in parse_commands(handler.script, env) or ():
        words = [word.value or "" for word in one.words]
        if words[:1] == ["cd"] and os.path.isabs("".join(words[1:2])):
            return
        yield words


# -- several hooks -------------------------------------------------------------------------------------------------------


def runs(spec: HookSpec, event: Event, environ: Mapping[str, str]) -> object:
    """What a command comes to, however it is written: its one file, its arguments, its surroundings; else its handler."""
    handler = spec.handler
    if not isinstance(handler, Command):
        return handler
    from hookline.handlers import command  # noqa: PLC0415 - as above
    from hookline.text.programs import reading  # noqa: PLC0415 - as above

    try:
        what = command.build_program(
            handler, event, "", timeout=spec.timeout, cookie="", environ=environ
        )
    except HandlerError:
        return handler
    lines = [words for words in _lines(handler, what.env) if words]
    read = reading(lines[0]) if len(lines) == 1 else None
    if read is None or read.through or read.unknown:
        return handler
    at = read.program_at if read.at is None else read.at
    path = os.path.realpath(os.path.join(what.cwd or "", lines[0][at]))
    words = (lines[0][read.program_at + 1 : at], lines[0][at + 1 :], handler.drop_env)
    return (*_file_and_variables(spec, handler, path), *words) if os.path.isfile(path) else handler


def _file_and_variables(spec: HookSpec, handler: Command, path: str) -> tuple[object, object]:
    """The file that a hook runs, and its variables; where it is told of a folder of its own, all that this carries, wherever it lies."""
    folder = os.path.dirname(spec.origin.file)
    carried = (
        _carried(folder, spec.origin.file) if folder and folder in handler.env.values() else None
    )
    if carried is None:
        return path, handler.env
    others = {
        name: value for name, value in handler.env.items() if value not in (folder, spec.name)
    }
    return (os.path.relpath(path, os.path.realpath(folder)), carried), others


def _carried(folder: str, declared: str) -> tuple[tuple[str, str], ...] | None:
    """What lies beside a declaration in a folder of one hook's own: relative paths and digests; None where it is too much to tell."""
    from hookline.handlers.sight.contents import contents  # noqa: PLC0415 - as above

    files: list[tuple[str, str]] = []
    for at, _, names in os.walk(folder):
        paths = [path for name in names if (path := os.path.join(at, name)) != declared]
        if len(files) + len(paths) > _CARRIED:
            return None
        files += [
            (os.path.relpath(path, folder), read.digest if (read := contents(path)) else "")
            for path in paths
        ]
    return tuple(sorted(files))


def duplicates(
    specs: Sequence[HookSpec], ways: Mapping[str, object] | None = None
) -> Iterator[Finding]:
    """Hooks that do the same on the same event, and are not told apart by any condition; `ways`: what each of them runs, by its id."""
    first: dict[str, HookSpec] = {}
    for spec in specs:
        way = ways.get(spec.id, spec.handler) if ways else spec.handler
        other = first.setdefault(repr((spec.kind, way, spec.conditions)), spec)
        if other is not spec:
            told = f"it does what `{other.id}` does, on the same event"
            yield found(
                spec, "check.duplicate", told, hint="remove one of the two", severity="warning"
            )


def conflicts(
    specs: Sequence[HookSpec], said: Mapping[str, Stance], events: Mapping[str, Event]
) -> Iterator[Finding]:
    """Guards of one event that do not go together; `said`: what each said of a harmless event, `events`: which that was, by hook."""
    guards = [spec for spec in specs if kind(spec.kind).guarded and not spec.shadow]
    for at, one in enumerate(guards):
        for other in guards[at + 1 :]:
            if one.kind == other.kind and (why := _against(one, other, said, events)):
                yield found(
                    other,
                    "check.conflict",
                    f"beside `{one.id}`: {why}",
                    hint="keep one guard for one job",
                    severity="warning",
                )


def _against(
    one: HookSpec, other: HookSpec, said: Mapping[str, Stance], events: Mapping[str, Event]
) -> str:
    """Why two guards of one event do not go together; empty if they do."""
    for minimal, full in ((one, other), (other, one)):
        newer = next((newer for older, newer in _SUPERSEDED.items() if older in _line(minimal)), "")
        if newer and newer in _line(full):
            return f"`{newer}`, which `{full.id}` runs, does all that `{minimal.id}` does, and they may judge differently"
    if {one.id, other.id} <= said.keys() and about(events[one.id]) == about(events[other.id]):
        mild, hard = sorted((one, other), key=lambda spec: said[spec.id])
        if said[mild.id] is Stance.ALLOW and said[hard.id] >= Stance.ASK:
            return f"of the same harmless event `{mild.id}` says {_word(said[mild.id])}, and `{hard.id}` says {_word(said[hard.id])}"
    if one.conditions == other.conditions and (one.on_failure is Stance.SILENT) != (
        other.on_failure is Stance.SILENT
    ):
        opened, closed = (one, other) if one.on_failure is Stance.SILENT else (other, one)
        return f"on the same calls `{opened.id}` lets everything through when it fails, and `{closed.id}` says {_word(closed.on_failure)}"
    return ""


def _word(stance: Stance) -> str:
    return stance.name.lower()


def _line(spec: HookSpec) -> str:
    return " ".join(getattr(spec.handler, "argv", ())) or str(getattr(spec.handler, "script", ""))
