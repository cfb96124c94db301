"""Checks hooks without running them: one by one, and several of one event together."""

from __future__ import annotations

import os
import re
import shutil

from hookline.engine.doctor.finding import Finding, make_finding
from hookline.engine.doctor.published_samples import find_samples
from hookline.engine.doctor.synthetic import describe_subject, make_event
from hookline.errors import HandlerError
from hookline.handlers.command import build_program
from hookline.model.handler import Command, Model
from hookline.model.kinds import kind
from hookline.model.verdict import Stance
from hookline.paths import read_start
from hookline.text.digest import sha256
from hookline.wire.templates import INSTALL, TEMPLATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hookline.core.dialect import Table
    from hookline.core.registry import Entry
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec
    from hookline.trust.inspected_files import InspectedFile, Inspection

# The suffix of a file -> the programs that should run it.
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
_LARGEST = 8 << 20  # bytes of a file that is compared with another
_CARRIED = 64  # files of one hook's own folder
_CRLF = "end its lines as unix does: sed -i 's/\\r$//' FILE"


# -- one hook ------------------------------------------------------------------------------------------------------------


def check_policy(spec: HookSpec, table: Table) -> Iterator[Finding]:
    """Yield a warning for a guard that fails open; `table` is that of its own dialect."""
    if (
        spec.on_failure is Stance.SILENT
        and not spec.shadow
        and not spec.detached
        and _can_refuse(spec, table)
    ):
        told = "it stands at a gate, and lets everything through when it fails"
        hint = (
            f"say `{table.closes}`, or use `--mode strict`"
            if table.closes
            else "its format has no word for it; `--mode strict` refuses"
        )
        yield make_finding(spec, "check.fails-open", told, hint=hint, severity="warning")


def _can_refuse(spec: HookSpec, table: Table) -> bool:
    """Whether a hook's denial prevents an action. Stop gates do not count: failing closed would never let the agent stop."""
    at, row = kind(spec.kind), table.row(spec.native_event)
    blocks = (
        "deny" in at.powers if row is None else row.blocks is not Stance.SILENT and not row.feedback
    )
    return at.is_gate and blocks and not at.feedback and not at.redo


def check_files(
    spec: HookSpec, event: Event, environ: Mapping[str, str], seen: Inspection
) -> Iterator[Finding]:
    """Yield what is wrong with the files that a command needs, as the event would find them."""
    handler = spec.handler
    if not isinstance(handler, Command):
        return
    try:
        started = build_program(
            handler, event, "", timeout=spec.timeout, cookie="", environ=environ
        )
    except HandlerError:
        started = None
    lines = (
        [words for words in _list_command_lines(handler, started.env) if words] if started else []
    )
    folder = (started.cwd if started else "") or event.cwd
    programs = (os.path.join(folder, words[0]) for words in lines if "/" in words[0])
    path = started.env.get("PATH", os.defpath) if started else os.defpath
    lost = next(filter(None, (_find_lost_interpreter(each, path) for each in programs)), "")
    what = lost or seen.missing_program
    if what:
        name, hint = name_missing(what)
        yield make_finding(spec, name, what, hint=hint)
    for file in seen.files:
        yield from _check_file(spec, file, is_known_missing=bool(what))
    for unseen in seen.unseen if not lost else ():
        told = f"an approval does not cover all that it runs: {unseen}"
        hint = "name the files themselves, or look at them yourself"
        yield make_finding(spec, "check.unseen", told, hint=hint, severity="warning")
    yield from find_samples(spec, (file.path for file in seen.files))
    for words in lines:
        yield from _check_relative(spec, handler, words)
        if not what:
            yield from _check_runner(spec, words, folder)


def _check_file(
    spec: HookSpec, file: InspectedFile, *, is_known_missing: bool
) -> Iterator[Finding]:
    """Yield what is wrong with one file."""
    if file.is_writable_by_all:
        told = f"all users may write `{file.path}`"
        yield make_finding(
            spec, "check.exposed", told, hint=f"chmod go-w {file.path}", path=file.path
        )
    if file.problem == "not executable":
        told = f"`{file.path}` is not executable"
        hint = f"chmod +x {file.path}"
        yield make_finding(spec, "check.not-executable", told, hint=hint, path=file.path)
    elif file.problem and not is_known_missing:
        told = f"`{file.path}` is {file.problem}"
        yield make_finding(spec, "check.missing", told, hint="put it back, or name another file")


def name_missing(what: str) -> tuple[str, str]:
    """Return the finding and the hint for a missing interpreter or a missing file."""
    if not what.startswith("the interpreter of "):
        return "check.missing", "name a file that is there, by its absolute path"
    return (
        "check.interpreter",
        _CRLF
        if "carriage return" in what
        else "name an interpreter that is there in its `#!` line",
    )


def check_extras(spec: HookSpec) -> Iterator[Finding]:
    """Yield a finding for each missing extra of hookline that a hook needs."""
    if not isinstance(spec.handler, Model):
        return
    from importlib.util import find_spec  # noqa: PLC0415 - few hooks ask a model

    if spec.handler.language == TEMPLATE and find_spec("jinja2") is None:
        yield make_finding(
            spec,
            "check.missing",
            "this model hook needs `jinja2`, which is not installed",
            hint=INSTALL,
        )


def list_errors(
    entry: Entry, cwd: str, environ: Mapping[str, str], seen: Inspection
) -> list[Finding]:
    """Return the errors that keep a hook from starting, as far as they show without a run."""
    event = make_event(entry.spec, entry.dialect, cwd)
    told = (*check_files(entry.spec, event, environ, seen), *check_extras(entry.spec))
    return [each for each in told if each.severity == "error"]


def _has_signature(path: str, signs: tuple[bytes, ...]) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(4).startswith(signs)
    except OSError:
        return True  # that it cannot be read is told by others


def _check_runner(spec: HookSpec, words: Sequence[str], cwd: str) -> Iterator[Finding]:
    """Yield a finding for a script that something else runs than its name says."""
    paths = [os.path.join(cwd, word) for word in words]
    at = next((at for at, path in enumerate(paths)
               if os.path.splitext(path)[1] in _MEANT_FOR and os.path.isfile(path)), None)  # fmt: skip
    is_program = "/" in words[0] and os.path.isfile(paths[0]) and os.access(paths[0], os.X_OK)
    if is_program and not _has_signature(paths[0], (b"#!", *_BINARY)):
        told = f"`{paths[0]}` has no `#!` line, so nothing says what runs it"
        # A shell takes such a file for one of its own.
        severity = "warning" if getattr(spec.handler, "script", "") else "error"
        hint = "begin it with `#!/usr/bin/env python3`, or what else it is written for"
        yield make_finding(spec, "check.interpreter", told, hint=hint, severity=severity)
        return
    if at is None:
        return
    wanted = _MEANT_FOR[os.path.splitext(paths[at])[1]]
    runners = _list_runners(paths[at]) if at == 0 else [os.path.basename(words[0])]
    is_interpreter = (
        any(each.fullmatch(runners[-1]) for each in _MEANT_FOR.values()) if runners else False
    )
    if is_interpreter and not any(wanted.fullmatch(name) for name in runners):
        told = f"`{os.path.basename(paths[at])}` is run by `{runners[-1]}`"
        hint = "its `#!` line, or the command, names another language"
        yield make_finding(spec, "check.interpreter", told, hint=hint, severity="warning")


def _find_lost_interpreter(path: str, search: str) -> str:
    """Return in words that the interpreter of a script's `#!` line is not there; else ""."""
    words = _read_shebang(path) if os.access(path, os.X_OK) else []
    if not words:
        return ""
    interpreter = words[0]
    if os.path.basename(interpreter) == "env":
        interpreter = next((word for word in words[1:] if word[0] != "-" and "=" not in word), "")
    name = interpreter.rstrip("\r")
    if interpreter != name:
        return f"the interpreter of `{path}` was not found: its name ends with a carriage return"
    if not name or shutil.which(name, path=search):
        return ""
    return f"the interpreter of `{path}` was not found: `{name}`"


def _list_runners(path: str) -> list[str]:
    """Return the programs of a `#!` line, without folders and options; none if there is no such line."""
    words = " ".join(_read_shebang(path)).split()
    return [os.path.basename(word) for word in words if not word.startswith("-")]


def _read_shebang(path: str) -> list[str]:
    """Return the words of a file's `#!` line; none where there is no such line."""
    try:
        with open(path, "rb") as file:
            line = os.fsdecode(file.readline(_LONGEST_LINE))
    except OSError:
        return []
    text = line.removeprefix("#!").rstrip("\n")
    return [word for word in re.split(r"[ \t]+", text) if word] if line.startswith("#!") else []


def _check_relative(spec: HookSpec, handler: Command, words: Sequence[str]) -> Iterator[Finding]:
    """Yield a finding for a file whose path means another file in another folder."""
    if handler.working_dir:
        return
    scripts = (word for word in words[1:2] if os.path.splitext(word)[1] in _MEANT_FOR)
    for path in (*words[:1], *scripts):
        is_script = path != words[0]
        if not path or os.path.isabs(path) or "{" in path or not ("/" in path or is_script):
            continue
        told = f"`{path}` is found from the folder that the host happens to be in"
        yield make_finding(
            spec, "check.relative", told, hint="write the absolute path", severity="warning"
        )


def _list_command_lines(handler: Command, env: Mapping[str, str]) -> Iterator[list[str]]:
    """Yield the command lines of a hook, up to a `cd` to an absolute folder."""
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


def describe_target(spec: HookSpec, event: Event, environ: Mapping[str, str]) -> object:
    """Return what a command runs, independent of its spelling: its file, arguments and variables."""
    handler = spec.handler
    if not isinstance(handler, Command):
        return handler
    try:
        what = build_program(handler, event, "", timeout=spec.timeout, cookie="", environ=environ)
    except HandlerError:
        return handler
    lines = [words for words in _list_command_lines(handler, what.env) if words]
    if len(lines) != 1:
        return handler
    paths = [os.path.realpath(os.path.join(what.cwd or event.cwd, word)) for word in lines[0]]
    files = [path for path, word in zip(paths, lines[0], strict=True)
             if "/" in word and os.path.isfile(path)]  # fmt: skip
    if len(files) != 1:
        return handler
    at = paths.index(files[0])
    words = (_find_runner(lines[0][:at], files[0]), lines[0][at + 1 :], handler.drop_env)
    return (*_find_file_and_variables(spec, handler, files[0]), *words)


def _find_runner(before: Sequence[str], path: str) -> list[str]:
    """Return what runs a script: the words before it, else those of its `#!` line."""
    words = list(before) or _read_shebang(path)
    if words and not before and os.path.basename(words[0]) == "env":
        words = words[1:]
    return [os.path.basename(word) for word in words[:1]] + words[1:]


def _find_file_and_variables(spec: HookSpec, handler: Command, path: str) -> tuple[object, object]:
    """Return the file that a hook runs and its variables; for a hook with its own folder, also the folder's content."""
    folder = os.path.dirname(spec.origin.file)
    carried = (
        _digest_folder(folder, spec.origin.file)
        if folder and folder in handler.env.values()
        else None
    )
    if carried is None:
        return path, handler.env
    others = {
        name: value for name, value in handler.env.items() if value not in (folder, spec.name)
    }
    return (os.path.relpath(path, os.path.realpath(folder)), carried), others


def _digest_folder(folder: str, declared: str) -> tuple[tuple[str, str], ...] | None:
    """Return the files beside a declaration as relative paths and digests; None if there are too many."""
    files: list[tuple[str, str]] = []
    for at, _, names in os.walk(folder):
        paths = [path for name in names if (path := os.path.join(at, name)) != declared]
        if len(files) + len(paths) > _CARRIED:
            return None
        files += [(os.path.relpath(path, folder), _digest(path)) for path in paths]
    return tuple(sorted(files))


def _digest(path: str) -> str:
    try:
        return sha256(read_start(path, _LARGEST))
    except OSError:
        return ""


def find_duplicates(
    specs: Sequence[HookSpec], ways: Mapping[str, object] | None = None
) -> Iterator[Finding]:
    """Yield a warning for hooks that do the same on the same event and conditions; `ways`: what each runs, by id."""
    first: dict[str, HookSpec] = {}
    for spec in specs:
        way = ways.get(spec.id, spec.handler) if ways else spec.handler
        other = first.setdefault(repr((spec.kind, way, spec.conditions)), spec)
        if other is not spec:
            told = f"it does what `{other.id}` does, on the same event"
            yield make_finding(
                spec, "check.duplicate", told, hint="remove one of the two", severity="warning"
            )


def find_conflicts(
    specs: Sequence[HookSpec], said: Mapping[str, Stance], events: Mapping[str, Event]
) -> Iterator[Finding]:
    """Yield a warning for guards of one event that contradict each other; `said`: their stances on `events`, by hook."""
    guards = [spec for spec in specs if kind(spec.kind).can_guard and not spec.shadow]
    for at, one in enumerate(guards):
        for other in guards[at + 1 :]:
            if one.kind == other.kind and (why := _explain_conflict(one, other, said, events)):
                yield make_finding(
                    other,
                    "check.conflict",
                    f"beside `{one.id}`: {why}",
                    hint="keep one guard for one job",
                    severity="warning",
                )


def _explain_conflict(
    one: HookSpec, other: HookSpec, said: Mapping[str, Stance], events: Mapping[str, Event]
) -> str:
    """Return why two guards of one event contradict each other; empty if they do not."""
    for minimal, full in ((one, other), (other, one)):
        newer = next(
            (newer for older, newer in _SUPERSEDED.items() if older in _command_text(minimal)), ""
        )
        if newer and newer in _command_text(full):
            return f"`{newer}`, which `{full.id}` runs, does all that `{minimal.id}` does, and they may judge differently"
    if {one.id, other.id} <= said.keys() and describe_subject(events[one.id]) == describe_subject(
        events[other.id]
    ):
        mild, hard = sorted((one, other), key=lambda spec: said[spec.id])
        if said[mild.id] is Stance.ALLOW and said[hard.id] >= Stance.ASK:
            return f"of the same harmless event `{mild.id}` says {_stance_name(said[mild.id])}, and `{hard.id}` says {_stance_name(said[hard.id])}"
    if one.conditions == other.conditions and (one.on_failure is Stance.SILENT) != (
        other.on_failure is Stance.SILENT
    ):
        opened, closed = (one, other) if one.on_failure is Stance.SILENT else (other, one)
        return f"on the same calls `{opened.id}` lets everything through when it fails, and `{closed.id}` says {_stance_name(closed.on_failure)}"
    return ""


def _stance_name(stance: Stance) -> str:
    return stance.name.lower()


def _command_text(spec: HookSpec) -> str:
    return " ".join(getattr(spec.handler, "argv", ())) or str(getattr(spec.handler, "script", ""))
