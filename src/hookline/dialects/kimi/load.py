"""Reading `[[hooks]]` of config.toml, of which one wrong value refuses the whole file (docs/formats/kimi.md 1)."""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.dialects.kimi.table import NAME, ROWS, TABLE, TIMEOUT
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
    """The hooks of a source, in declared order, and every problem that it has."""
    problems: list[Problem] = []
    try:
        entries = _entries(read_tree(source, problems))
    except ConfigError as error:
        return refuse_unreadable(source, TABLE, error)
    reader = _Reader(source, problems)
    specs = [reader.hook(entry) for entry in entries]
    wrong = next(
        (
            problem
            for problem in problems
            if problem.severity == "error" and not reader.spares(problem)
        ),
        None,
    )
    if wrong is not None:
        return refuse_source(source, TABLE, problems, wrong)
    return Loaded(specs=tuple(spec for spec in specs if spec is not None), problems=tuple(problems))


def _entries(root: Node) -> list[Node]:
    """The entries of a file, whose other keys are not ours.

    Raises:
        ConfigError: the file, or its `hooks`, is something else.
    """
    if root.value is None:
        return []
    if not isinstance(root.value, dict):
        raise ConfigError(
            f"a config.toml must be a table, not {describe_value(root.value)}",
            name="config.type",
            place=root.origin().place,
        )
    if root.value.get("hooks") is None:
        return []
    hooks = root.child("hooks")
    if isinstance(hooks.value, list):
        return list(hooks.children())
    message = f"`hooks` must be an array of tables, not {describe_value(hooks.value)}"
    raise ConfigError(
        message,
        name="config.type",
        place=hooks.origin().place,
        hint="begin each entry with `[[hooks]]`",
    )


class _Reader:
    """Reads the entries of one source. What Kimi overlooks is a warning, and in strict mode an error as any other."""

    def __init__(self, source: Source, problems: list[Problem]) -> None:
        self.source = source
        self.problems = problems
        self.strict = source.mode == "strict"
        self.overlooked = "error" if self.strict else "warning"
        self.newer = _NEWER in f"/{source.file}"
        either = self.newer or not source.file  # a tree of no file belongs to no edition
        self.known = [row.native for row in ROWS.values() if either or not row.newer]

    def spares(self, problem: Problem) -> bool:
        """Whether an error is about its own entry only: an event of the newer edition that is not known here."""
        return self.newer and problem.name == "event.unknown"

    def hook(self, entry: Node) -> HookSpec | None:
        """The hook of an entry; None where nobody can tell its event. Each complaint names the entry."""
        before = len(self.problems)
        spec = self._hook(entry)
        labelled = [
            problem.replace(message=f"`{entry.pointer}`: {problem.message}")
            for problem in self.problems[before:]
        ]
        self.problems[before:] = labelled
        return spec

    def _hook(self, entry: Node) -> HookSpec | None:
        if not isinstance(entry.value, dict):
            entry.complain(
                "group.shape",
                f"a hook must be a table, not {describe_value(entry.value)}",
                hint="begin it with `[[hooks]]`",
            )
            return None
        row = self._row(entry)
        command = self._command(entry)
        timeout = self._timeout(entry)
        severity = TABLE.severity_of_unknown_key("hook", self.source.mode)
        entry.check_known_keys(_KEYS, "a hook", severity=severity)
        return self._spec(entry, row, command, timeout) if row else None

    def _spec(self, entry: Node, row: EventRow, command: str, timeout: int) -> HookSpec:
        if "timeout" in entry.value and timeout > row.longest:
            why = f"`{row.native}` is waited for {row.longest:g} s at most, whatever `timeout` says"
            entry.complain("value.range", why, "timeout", severity="warning")
        return HookSpec(
            id=f"{(self.source.file or 'config').rpartition('/')[2]}#{row.native}.{entry.path[-1]}",
            dialect=NAME,
            kind=row.kind,
            native_event=row.native,
            handler=Command(script=command, shell=_SHELL, kill_leftovers=self.strict),
            conditions=self._matcher(entry, row),
            timeout=min(float(timeout), row.longest),
            detached=not row.awaited,
            on_failure=resolve_failure(row, self.source.mode),
            shadow=self.source.shadow,
            strict=self.strict,
            origin=entry.origin(),
            name=hook_name(command),
            identity=command,
            trusted=self.source.trusted,
        )

    # -- keys of an entry ------------------------------------------------------------------------------------------

    def _row(self, entry: Node) -> EventRow | None:
        native = entry.text("event", required=True)
        if native in self.known:
            return TABLE.row(native)
        if isinstance(entry.value.get("event"), str):
            known = TABLE.row(native)
            hint = did_you_mean(native, self.known) or f"known events: {', '.join(self.known)}"
            if known is not None:
                hint = "only Kimi Code, the newer edition, knows it, in ~/.kimi-code/config.toml"
            entry.complain("event.unknown", f"unknown event `{native}`", "event", hint=hint)
        return None

    def _command(self, entry: Node) -> str:
        command = entry.text("command", required=True)
        if not command.strip() and isinstance(entry.value.get("command"), str):
            entry.complain(
                "handler.command",
                "an empty `command` allows everything",
                "command",
                severity=self.overlooked,
            )
        return command

    @staticmethod
    def _timeout(entry: Node) -> int:
        default, least, most = TIMEOUT
        given = entry.integer("timeout", default)
        if given is None or least <= given <= most:
            return given or default
        entry.complain(
            "value.range",
            f"`timeout = {given}` is out of range",
            "timeout",
            hint=f"whole seconds, from {least} to {most}",
        )
        return default

    def _matcher(self, entry: Node, row: EventRow) -> tuple[Condition, ...]:
        """A search, case-sensitive, in the subject; an empty matcher selects everything (docs/formats/kimi.md 3)."""
        text = entry.text("matcher")
        if not text:
            return ()
        try:
            regex = compile_regex(text, TABLE.regex_flavour)
            matches_nothing = not row.subject and regex.has_match_in("")
        except MatchTimeoutError:
            why = f"`{row.native}` has only an empty text to match, and `{text}` takes too long"
            return self._never(entry, "hook.never-runs", why, "leave `matcher` out")
        except ConfigError as error:
            if accepts(text, TABLE.regex_flavour):
                entry.complain(error.name, error.message, "matcher", hint=error.hint)
                return ()
            hint = (
                "leave `matcher` out to select everything; a lone `*` says that to Claude Code only"
                if text == "*"
                else error.hint
            )
            return self._never(
                entry,
                error.name,
                f"{error.message}; so it never matches, and this hook never runs",
                hint,
            )
        if row.subject:
            return (Pattern(field=row.subject, source=text, regex=regex),)
        if matches_nothing:
            return ()
        why = f"`{row.native}` has only an empty text to match, which `{text}` does not, so this hook never runs"
        return self._never(entry, "hook.never-runs", why, "leave `matcher` out")

    def _never(self, entry: Node, name: str, why: str, hint: str) -> tuple[Condition, ...]:
        entry.complain(name, why, "matcher", hint=hint, severity=self.overlooked)
        return (Never(reason=why),)
