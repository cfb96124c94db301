"""Reading one HOOK.md: lenient when it is loaded, strict when it is linted; a guard never vanishes in silence."""

from __future__ import annotations

import posixpath

from hookline.core.dialect import Loaded
from hookline.dialects.agenthooks.entry_point import entry_point, without_entry_point
from hookline.dialects.agenthooks.fields import FAIL_MODE, read_fields
from hookline.dialects.agenthooks.findings import LINT, Findings, manner_of
from hookline.dialects.agenthooks.frontmatter import read_front
from hookline.dialects.agenthooks.table import GATE, NAME, SETTINGS, table
from hookline.model import kinds
from hookline.model.conditions import Never
from hookline.model.handler import Broken, Command
from hookline.model.spec import HookSpec
from hookline.model.verdict import Stance
from hookline.wire.fields import explain_errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow, Source, Table
    from hookline.dialects.agenthooks.fields import Declared
    from hookline.model.handler import Handler
    from hookline.model.problem import Problem

_SHOWN = 80
_FAIL_MODES = {"closed": Stance.DENY, "open": Stance.SILENT}


def lint(source: Source) -> tuple[Problem, ...]:
    """Everything that the format holds against a HOOK.md, all at once (docs/formats/agenthooks.md 4, column lint); or against settings."""
    found = Findings(source, LINT)
    if _is_settings(source):
        from hookline.dialects.agenthooks.settings import read_settings  # noqa: PLC0415 - few folders have any

        read_settings(source, found)
        return tuple(found.problems)
    front = read_front(source, found)
    declared = (
        read_fields(front.value, table(approver=False), _directory(source), found)
        if front
        else None
    )
    entry_point(source, _folder(source), found)
    return found.named(declared.name if declared and declared.name else _directory(source))


# No approval is of a file of settings: it says nothing that runs.
_UNHEARD = f"read it first; then `--trust all` lets it count, or say it in your own ~/.config/agents/hooks/{SETTINGS}"


def load(source: Source, *, facts: Table) -> Loaded:
    """The hook of a HOOK.md, and everything that was tolerated, or not (docs/formats/agenthooks.md 4, column load); or the settings of a level."""
    found = Findings(source, manner_of(source))
    if _is_settings(source):
        return _settings(source, facts, found)
    front = read_front(source, found)
    if front is None:
        return Loaded(
            specs=(_unreadable(source, facts, found),), problems=found.named(_directory(source))
        )
    declared = read_fields(front.value, facts, _directory(source), found)
    argv = entry_point(source, _folder(source), found)
    problems = found.named(declared.name or _directory(source))
    return Loaded(
        specs=(_spec(source, declared, _handler(source, declared, argv, found), found),),
        problems=problems,
    )


def _is_settings(source: Source) -> bool:
    return posixpath.basename(source.file) == SETTINGS


def _settings(source: Source, facts: Table, found: Findings) -> Loaded:
    """A level's `hooks.toml`, as a hook that never runs: `combine` sees hooks only."""
    from hookline.dialects.agenthooks.settings import carrier, read_settings  # noqa: PLC0415 - few folders have any

    settings = read_settings(source, found)
    if not source.trusted:
        found.add(
            "trust.untrusted", f"`{SETTINGS}` is not approved, so it is ignored", hint=_UNHEARD
        )
        return Loaded(problems=tuple(found.problems))
    spec = (
        _unreadable(source, facts, found, name=SETTINGS)
        if settings is None
        else carrier(source, settings, found)
    )
    return Loaded(specs=(spec,), problems=tuple(found.problems))


def _folder(source: Source) -> str:
    """The hook's directory: what the reader of the file says, else the folder in the file's name."""
    return source.names.get("folder") or posixpath.dirname(source.file)


def _directory(source: Source) -> str:
    return posixpath.basename(_folder(source))


def _handler(source: Source, declared: Declared, argv: tuple[str, ...], found: Findings) -> Handler:
    refusal = found.refusal()
    if refusal:
        return Broken(reason=explain_errors(found.problems))
    if not argv:
        why = without_entry_point(source.names.get("scripts", ""))
        return Broken(reason=f"{found.origin().place or NAME}: {why}", absent=True)
    return Command(
        argv=argv,
        env={
            "AGENT_HOOK_DIR": _folder(source),
            # Escapes in YAML can say what no environment can hold.
            "AGENT_HOOK_NAME": declared.name.replace("\0", "")
            .encode("utf-8", "replace")
            .decode("utf-8"),
            "AGENT_PROJECT_DIR": "${event.project}",
            "AGENT_SESSION_ID": "${event.session_id}",
        },
        kill_leftovers=source.mode == "strict",
    )


def _spec(source: Source, declared: Declared, handler: Handler, found: Findings) -> HookSpec:
    """The hook; without an event of the format it is a name that never runs, for `combine` to know of."""
    row = declared.row
    strict = source.mode == "strict"
    return HookSpec(
        id=f"{NAME}/{_directory(source) or declared.name}",
        dialect=NAME,
        kind=row.kind if row else kinds.unknown_kind(NAME, declared.native[:_SHOWN] or "trigger"),
        native_event=declared.native,
        handler=handler,
        conditions=declared.conditions if row else (Never(reason="its trigger is no event"),),
        rank=-declared.priority,
        timeout=declared.timeout / 1000,
        detached=declared.detached,
        shadow=source.shadow,
        on_failure=on_failure(
            declared.metadata,
            detached=declared.detached,
            closes=strict and row is not None and not row.feedback,
        ),
        strict=strict,
        origin=found.origin(),
        name=declared.name,
        facts={
            "directory": _directory(source),
            "description": declared.description,
            "matcher": declared.matcher,
            "metadata": declared.metadata,
            "said": declared.said,
            **({"refused": refusal} if (refusal := found.refusal()) else {}),
        },
        trusted=source.trusted,
    )


def on_failure(metadata: Mapping[str, Any], *, detached: bool, closes: bool) -> Stance:
    """Fail open, unless the hook or the mode (`closes`) says otherwise; what is not waited for never decides (docs/formats/agenthooks.md 9)."""
    if detached:
        return Stance.SILENT
    return _FAIL_MODES.get(metadata.get(FAIL_MODE, ""), Stance.DENY if closes else Stance.SILENT)


def _unreadable(source: Source, facts: Table, found: Findings, name: str = "") -> HookSpec:
    """What stands for a file of which nothing can be read: it may have guarded the tools, so it is missed aloud there."""
    row: EventRow = facts.rows[GATE]
    problem = [each for each in found.problems if each.severity == "error"][-1]
    return HookSpec(
        id=f"{NAME}/{name or _directory(source) or 'HOOK.md'}",
        dialect=NAME,
        kind=row.kind,
        native_event=row.native,
        handler=Broken(reason=explain_errors((problem,))),
        timeout=facts.default_timeout,
        shadow=source.shadow,
        on_failure=Stance.DENY if source.mode == "strict" else Stance.SILENT,
        strict=source.mode == "strict",
        origin=problem.origin,
        facts={"directory": _directory(source), "refused": problem.message},
        trusted=source.trusted,
    )
