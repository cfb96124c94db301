"""Reading one HOOK.md: lenient when it is loaded, strict when it is linted; a guard never vanishes in silence."""

from __future__ import annotations

import posixpath

from hookline.core.dialect import Loaded
from hookline.dialects.agenthooks.entry import entry_point
from hookline.dialects.agenthooks.fields import FAIL_MODE, read_fields
from hookline.dialects.agenthooks.findings import LINT, LOAD, STRICT, Findings
from hookline.dialects.agenthooks.frontmatter import read_sheet
from hookline.dialects.agenthooks.table import GATE, NAME, table
from hookline.model.handler import Broken, Command
from hookline.model.spec import HookSpec
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Row, Source, Table
    from hookline.dialects.agenthooks.fields import Declared
    from hookline.model.handler import Handler
    from hookline.model.problem import Problem

_FAIL_MODES = {"closed": Stance.DENY, "open": Stance.SILENT}


def lint(source: Source) -> tuple[Problem, ...]:
    """Everything that the format holds against a HOOK.md, all at once (agenthooks.md 4, column lint)."""
    found = Findings(source, LINT)
    sheet = read_sheet(source, found)
    declared = read_fields(sheet.tree.value, table(approver=False), _directory(source), found) if sheet else None
    entry_point(source.companions, _folder(source), found)
    return found.named(declared.name if declared and declared.name else _directory(source))


def load(source: Source, facts: Table) -> Loaded:
    """The hook of a HOOK.md, and everything that was tolerated, or not (agenthooks.md 4, column load)."""
    found = Findings(source, STRICT if source.mode == "strict" else LOAD)
    sheet = read_sheet(source, found)
    if sheet is None:
        return Loaded(specs=(_unreadable(source, facts, found),), problems=found.named(_directory(source)))
    declared = read_fields(sheet.tree.value, facts, _directory(source), found)
    argv = entry_point(source.companions, _folder(source), found)
    problems = found.named(declared.name or _directory(source))
    if declared.row is None:
        return Loaded(problems=problems)
    handler = _handler(source, declared, argv, found)
    return Loaded(specs=(_spec(source, declared, handler, sheet.body, found),), problems=problems)


def _folder(source: Source) -> str:
    """The hook's directory: what the reader of the file says, else the folder in the file's name."""
    return source.names.get("folder") or posixpath.dirname(source.file)


def _directory(source: Source) -> str:
    return posixpath.basename(_folder(source))


def _handler(source: Source, declared: Declared, argv: tuple[str, ...], found: Findings) -> Handler:
    refusal = found.refusal()
    if refusal:
        return Broken(reason=f"{source.file}: {refusal}" if source.file else refusal)
    if not argv:
        return Broken(reason="it has no entry point")
    return Command(
        argv=argv,
        env={
            "AGENT_HOOK_DIR": _folder(source),
            # Escapes in YAML can say what no environment can hold.
            "AGENT_HOOK_NAME": declared.name.replace("\0", "").encode("utf-8", "replace").decode("utf-8"),
            "AGENT_PROJECT_DIR": "${event.cwd}",
            "AGENT_SESSION_ID": "${event.session_id}",
        },
        kill_leftovers=source.mode == "strict",
    )


def _spec(source: Source, declared: Declared, handler: Handler, body: str, found: Findings) -> HookSpec:
    row = declared.row
    assert row is not None  # noqa: S101 - the caller has looked; for the type checker
    return HookSpec(
        id=f"{NAME}/{_directory(source) or declared.name}",
        dialect=NAME,
        kind=row.kind,
        native_event=declared.native,
        handler=handler,
        conditions=declared.conditions,
        rank=-declared.priority,
        timeout=declared.timeout / 1000,
        detached=declared.detached,
        shadow=source.shadow,
        on_failure=_on_failure(source, declared, gate=row.refuses),
        strict=source.mode == "strict",
        origin=found.origin(),
        name=declared.name,
        facts={
            "directory": _directory(source),
            "description": declared.description,
            "matcher": declared.matcher,
            "metadata": declared.metadata,
            "body": body,
        },
        trusted=source.trusted,
    )


def _on_failure(source: Source, declared: Declared, *, gate: bool) -> Stance:
    """Fail open, unless the hook or the mode says otherwise; what is not waited for never decides (agenthooks.md 9)."""
    if declared.detached:
        return Stance.SILENT
    by_mode = Stance.DENY if gate and source.mode == "strict" else Stance.SILENT
    return _FAIL_MODES.get(declared.metadata.get(FAIL_MODE, ""), by_mode)


def _unreadable(source: Source, facts: Table, found: Findings) -> HookSpec:
    """What stands for a hook of which nothing can be read: it may have guarded the tools, so it is missed aloud there."""
    row: Row = facts.rows[GATE]
    problem = found.problems[-1]
    return HookSpec(
        id=f"{NAME}/{_directory(source) or 'HOOK.md'}",
        dialect=NAME,
        kind=row.kind,
        native_event=row.native,
        handler=Broken(reason=f"{problem.origin.place or NAME}: {problem.message}"),
        timeout=facts.default_timeout,
        shadow=source.shadow,
        on_failure=Stance.DENY if source.mode == "strict" else Stance.SILENT,
        strict=source.mode == "strict",
        origin=problem.origin,
        facts={"directory": _directory(source)},
        trusted=source.trusted,
    )
