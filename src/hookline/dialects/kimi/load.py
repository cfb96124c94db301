"""Loads `[[hooks]]` of config.toml, of which one wrong value refuses the whole file (docs/formats/kimi.md 1)."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.dialects.kimi.table import NAME, TABLE, TIMEOUT
from hookline.errors import ConfigError
from hookline.model.conditions import Never, Pattern
from hookline.model.handler import Command
from hookline.model.spec import HookSpec
from hookline.text.re2_regex import MatchTimeoutError
from hookline.text.regex import accepts, compile_regex
from hookline.text.suggestions import did_you_mean
from hookline.wire.fields import describe_value
from hookline.wire.sources import (
    hook_name,
    read_tree,
    refuse_source,
    refuse_unreadable,
    resolve_failure,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import EventRow, Source
    from hookline.model.conditions import Condition
    from hookline.model.problem import Problem
    from hookline.wire.fields import Node

_KEYS = ("event", "command", "matcher", "timeout")
_SHELL = ("/bin/sh", "sh")
# Where the newer edition keeps its file. It knows more events, and not all of them are known here.
_NEWER = "/.kimi-code/"


def load(source: Source) -> Loaded:
    """Return the hooks of a source, in declared order, and every problem of the source."""
    problems: list[Problem] = []
    try:
        entries = _list_entries(read_tree(source, problems))
    except ConfigError as error:
        return refuse_unreadable(source, TABLE, error)
    specs = []
    for entry in entries:
        mark = entry.mark()
        specs.append(_load_hook(entry, source))
        problems[mark:] = [
            problem.replace(message=f"`{entry.pointer}`: {problem.message}")
            for problem in problems[mark:]
        ]
    # In the newer edition an unknown event is a matter of its own entry.
    spared = "event.unknown" if _is_newer(source) else ""
    errors = (each for each in problems if each.severity == "error" and each.name != spared)
    if wrong := next(errors, None):
        return refuse_source(source, TABLE, problems, wrong)
    return Loaded(specs=tuple(spec for spec in specs if spec is not None), problems=tuple(problems))


def _is_newer(source: Source) -> bool:
    return _NEWER in f"/{source.file}"


def _list_entries(root: Node) -> list[Node]:
    """Return the entries of a file, whose other keys are the host's.

    Raises:
        ConfigError: the file, or its `hooks`, is something else.
    """
    if root.value is None:
        return []
    hooks, what, hint = root, "a config.toml must be a table", ""
    if isinstance(root.value, dict):
        if root.value.get("hooks") is None:
            return []
        hooks, what = root.child("hooks"), "`hooks` must be an array of tables"
        hint = "begin each entry with `[[hooks]]`"
        if isinstance(hooks.value, list):
            return list(hooks.children())
    message, place = f"{what}, not {describe_value(hooks.value)}", hooks.origin().place
    raise ConfigError(message, name="config.type", place=place, hint=hint)


def _load_hook(entry: Node, source: Source) -> HookSpec | None:
    """Return the hook of an entry; None where its event is unknown."""
    if not isinstance(entry.value, dict):
        why = f"a hook must be a table, not {describe_value(entry.value)}"
        entry.complain("group.shape", why, hint="begin it with `[[hooks]]`")
        return None
    row = _read_event(entry, source)
    command = entry.text("command", required=True)
    if not command.strip() and isinstance(entry.value.get("command"), str):
        why = "an empty `command` allows everything"
        entry.complain("handler.command", why, "command", severity=_severity(source))
    timeout = _read_timeout(entry, row)
    severity = TABLE.severity_of_unknown_key("hook", source.mode)
    entry.check_known_keys(_KEYS, "a hook", severity=severity)
    if row is None:
        return None
    return HookSpec(
        id=f"{(source.file or 'config').rpartition('/')[2]}#{row.native}.{entry.path[-1]}",
        dialect=NAME,
        kind=row.kind,
        native_event=row.native,
        handler=Command(script=command, shell=_SHELL, kill_leftovers=source.mode == "strict"),
        conditions=_read_matcher(entry, row, source),
        timeout=timeout,
        detached=not row.awaited,
        on_failure=resolve_failure(row, source.mode),
        shadow=source.shadow,
        strict=source.mode == "strict",
        origin=entry.origin(),
        name=hook_name(command),
        identity=command,
        trusted=source.trusted,
    )


def _severity(source: Source) -> str:
    """Return the severity of what Kimi overlooks."""
    return "error" if source.mode == "strict" else "warning"


def _read_event(entry: Node, source: Source) -> EventRow | None:
    native = entry.text("event", required=True)
    row = TABLE.row(native)
    # A tree of no file belongs to no edition.
    either = _is_newer(source) or not source.file
    if row is not None and (either or not row.newer):
        return row
    if isinstance(entry.value.get("event"), str):
        known = [row.native for row in TABLE.rows.values() if either or not row.newer]
        hint = did_you_mean(native, known) or f"known events: {', '.join(known)}"
        if row is not None:
            hint = "only Kimi Code, the newer edition, knows it, in ~/.kimi-code/config.toml"
        entry.complain("event.unknown", f"unknown event `{native}`", "event", hint=hint)
    return None


def _read_timeout(entry: Node, row: EventRow | None) -> float:
    default, least, most = TIMEOUT
    given = entry.integer("timeout", default) or 0
    if not least <= given <= most:
        hint = f"whole seconds, from {least} to {most}"
        entry.complain("value.range", f"`timeout = {given}` is out of range", "timeout", hint=hint)
        return default
    if row is None or given <= row.longest:
        return given
    if "timeout" in entry.value:
        why = f"`{row.native}` is waited for {row.longest:g} s at most, whatever `timeout` says"
        entry.complain("value.range", why, "timeout", severity="warning")
    return row.longest


def _read_matcher(entry: Node, row: EventRow, source: Source) -> tuple[Condition, ...]:
    """Return the condition of a search, case-sensitive, in the subject (docs/formats/kimi.md 3)."""
    text = entry.text("matcher")
    if not text:
        return ()
    name, hint = "hook.never-runs", "leave `matcher` out"
    why = f"`{row.native}` has only an empty text to match, which `{text}` does not, so this hook never runs"
    try:
        regex = compile_regex(text, TABLE.regex_flavour)
        if row.subject:
            return (Pattern(field=row.subject, source=text, regex=regex),)
        if regex.has_match_in(""):
            return ()
    except MatchTimeoutError:
        why = f"`{row.native}` has only an empty text to match, and `{text}` takes too long"
    except ConfigError as error:
        name, why, hint = error.name, error.message, error.hint
        if accepts(text, TABLE.regex_flavour):
            entry.complain(name, why, "matcher", hint=hint)
            return ()
        why = f"{why}; so it never matches, and this hook never runs"
        if text == "*":
            hint = (
                "leave `matcher` out to select everything; a lone `*` says that to Claude Code only"
            )
    entry.complain(name, why, "matcher", hint=hint, severity=_severity(source))
    return (Never(reason=why),)
