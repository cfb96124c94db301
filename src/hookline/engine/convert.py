"""Converts hooks of one dialect into files of another, and lists what the other cannot express."""

from __future__ import annotations

from hookline.core.dialect import Declaration, EventRow, Written
from hookline.core.failure import explain_file_switch
from hookline.engine.loader import explain_absence, list_hooks
from hookline.engine.relay_scripts import Originals, format_command, is_plain_words
from hookline.errors import ConfigError
from hookline.model.frozen import Frozen
from hookline.model.spec import Broken, Command, HookSpec, InProcess, Model, Never, OneOf, Pattern
from hookline.model.tools import (
    families,
    find_broader_kind,
    known_families,
    list_names,
    mcp_parts,
    translate_name,
)
from hookline.model.verdict import Stance
from hookline.wire.disable_flags import drop_flags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hookline.core.dialect import Dialect
    from hookline.engine.engine import Engine
    from hookline.model.spec import Condition

# The new host waits so much longer than the hook may take: for hookline to start, and to end the
# hook's processes.
_MARGIN = 10.0
_ALONE = "and only the hook's own entry is carried"
_MCP = "mcp"  # each host spells the names of MCP tools in its own way


class Loss(Frozen):
    """Something that the target cannot express.

    `whole`: the hook is not in the target's files at all.
    """

    hook_id: str
    what: str
    why: str
    whole: bool = False


class Conversion(Frozen):
    """The files by relative path, the executable ones of them, how many hooks, and the losses."""

    files: Mapping[str, str]
    programs: frozenset[str]
    hooks: int
    losses: tuple[Loss, ...]


def convert(engine: Engine, target: Dialect, *, plain: bool = False) -> Conversion:
    """Convert every hook of an engine to a dialect.

    With `plain`, commands are written as they are: for scripts that speak the target's words, or
    are to be ported.

    Raises:
        ConfigError: the target has no files that commands can be declared in.
    """
    name = target.table.name
    export = getattr(target, "export", None)
    if export is None:
        message, hint = f"`{name}` has no files that declare commands", "its hooks are functions"
        raise ConfigError(message, name="config.dialect", hint=f"{hint} of a program")
    originals = Originals(engine)
    losses: list[Loss] = []
    chosen: list[HookSpec] = []
    declarations: list[Declaration] = []
    for spec in drop_flags(list_hooks(engine.snapshot)):
        row = _find_row(spec, target)
        why = _explain_unwritable(engine, originals, spec, plain=plain)
        if why or row is None:
            why = why or f"{name} has no event like `{spec.native_event}`"
            losses.append(_lose_whole(spec, why))
            continue
        chosen.append(spec)
        declarations.append(_make_declaration(originals, spec, row, name, plain=plain))
        found = _list_losses(originals, spec, row, target, plain=plain)
        losses += [Loss(hook_id=spec.id, what=what, why=why) for what, why in found]
    written = export(tuple(declarations)) if chosen else Written(files={})
    losses += [
        Loss(hook_id=chosen[at].id, what=what, why=f"{name} has no word for it")
        for at, what in written.lost
    ]
    losses += [_lose_whole(chosen[at], why) for at, why in written.left_out.items()]
    return Conversion(
        files=written.files,
        programs=written.programs,
        hooks=len(chosen) - len(written.left_out),
        losses=tuple(losses),
    )


def _lose_whole(spec: HookSpec, why: str) -> Loss:
    return Loss(hook_id=spec.id, what="the whole hook", why=why, whole=True)


def _find_row(spec: HookSpec, target: Dialect) -> EventRow | None:
    """Return the target's event for a hook: of its kind, or of the broader kind."""
    wider = find_broader_kind(spec.kind)
    return target.table.row_of_kind(spec.kind) or (
        target.table.row_of_kind(wider[0]) if wider else None
    )


def _explain_unwritable(
    engine: Engine, originals: Originals, spec: HookSpec, *, plain: bool
) -> str:
    """Return why a hook cannot be written in any dialect; empty if it can."""
    handler = spec.handler
    for condition in spec.conditions:
        if isinstance(condition, Never):
            return f"it never runs: {condition.reason}"
    if gone := explain_absence(engine.snapshot, spec):
        return gone
    if spec.off is not None:
        return f"it is switched off: {explain_file_switch(spec)}"
    if isinstance(handler, Broken):
        return f"it cannot be loaded: {handler.reason}"
    if isinstance(handler, InProcess):
        return "it is a function of this program"
    if plain and not isinstance(handler, Command):
        return "it is no command"
    if isinstance(handler, Model):
        alone = originals.load_alone(spec)
        if alone is None or alone.handler != handler:
            return f"another part of its file describes the model, {_ALONE}"
    return ""


def _make_declaration(
    originals: Originals, spec: HookSpec, row: EventRow, target: str, *, plain: bool
) -> Declaration:
    tools, pattern = (
        _translate_tools(spec, target, plain=plain)
        if row.kind == spec.kind
        else (_list_tools_of_kind(spec.kind, target), "")
    )
    command = format_command(spec) if plain else originals.format_relay(spec, target)
    return Declaration(
        row=row,
        command=command,
        split=is_plain_words(command),
        tools=tools,
        pattern=pattern,
        timeout=spec.timeout if plain else spec.timeout + _MARGIN,
        closed=spec.on_failure > Stance.ALLOW,
        name=spec.name,
    )


# -- which tools -----------------------------------------------------------------------------------


def _translate_tools(spec: HookSpec, target: str, *, plain: bool) -> tuple[tuple[str, ...], str]:
    """Return the tools of a hook by the target's names: exact names, or an expression.

    Empty for all tools.

    Where the target's names are not known, or its hosts may not read the expression, it is all of
    them: the hook's own matcher decides when it is relayed. A plain command has no relay, so its
    matcher stays as it is.
    """
    for condition in spec.conditions:
        match condition:
            case OneOf(field="tool", names=names):
                return _translate_names(sorted(names), spec.dialect, target, plain=plain), ""
            case Pattern(field="tool", regex=regex) if regex.may_time_out:
                return (), ""  # what RE2 lacks, few other dialects load
            case Pattern(field="tool", source=source, full=full):
                whole = f"^(?:{source})$" if full else source
                if not plain and (_has_flags(source) or _MCP in source.lower()):
                    return (), ""
                return (), _translate_expression(condition, whole, spec.dialect, target)
    return (), ""


def _list_tools_of_kind(kind: str, target: str) -> tuple[str, ...]:
    """Return the target's tools of a narrower kind (`shell.before`).

    Empty if unknown, which means all.
    """
    wider = find_broader_kind(kind)
    families_of_kind = wider[1] if wider else ()
    return tuple(
        dict.fromkeys(name for each in families_of_kind for name in list_names(each, target))
    )


def _translate_names(
    names: list[str], dialect: str, target: str, *, plain: bool
) -> tuple[str, ...]:
    """Return the target's names of tools; an unknown tool keeps its name."""
    found: list[str] = []
    for name in names:
        new = translate_name(name, dialect, target)
        if not new and not plain and (families(name, dialect) or mcp_parts(name, dialect)):
            return ()
        found += new or (name,)
    return tuple(dict.fromkeys(found))


def _translate_expression(pattern: Pattern, source: str, dialect: str, target: str) -> str:
    """Return an expression extended by the target's names of the tools that it selects."""
    new = dict.fromkeys(
        name
        for family in known_families()
        if any(_selects(pattern, old) for old in list_names(family, dialect))
        for name in list_names(family, target)
        if not _selects(pattern, name)
    )
    return f"{source}|^(?:{'|'.join(new)})$" if new else source


def _has_flags(source: str) -> bool:
    """Whether an expression has a group that not every engine reads, as `(?i)`.

    A mere `(?:` is one to all of them.
    """
    return "(?" in source.replace("(?:", "")


def _selects(pattern: Pattern, name: str) -> bool:
    return pattern.regex.is_full_match(name) if pattern.full else pattern.regex.has_match_in(name)


# -- what is lost ------------------------------------------------------------------------------

# Powers that are no loss when they are missing: every dialect reports them in its own way.
_ALWAYS = frozenset(("note", "log"))
# Fields that a hook may get from outside its own entry -> how the report names them.
_GIVEN: Mapping[str, str] = {
    "conditions": "when it takes part",
    "timeout": "its time limit",
    "on_failure": "what its failure means",
    "detached": "whether it is waited for",
    "rank": "its rank",
}


def _list_losses(
    originals: Originals, spec: HookSpec, row: EventRow, target: Dialect, *, plain: bool
) -> Iterator[tuple[str, str]]:
    """Yield what a hook loses, and why: what the target cannot express or does otherwise."""
    host = target.table.name
    own = originals.find_source(spec).dialect.table.row(spec.native_event)
    missing = (own.powers if own else frozenset()) - row.powers - _ALWAYS
    if missing:
        words = ", ".join(f"`{power}`" for power in sorted(missing))
        why = f"`{row.native}` of {host} cannot express it, and it is lowered"
        yield f"an answer with {words}", why
    if own is not None:
        if row.parallel and (spec.in_turn or not own.parallel):
            yield "that hooks run in turn", f"`{row.native}` of {host} starts them at once"
        if differs := _explain_rewrites(originals, spec, own, row, target):
            yield "what the rewrites of several hooks come to", f"in {host} {differs}"
    identities = [other.identity for other in originals.list_others(spec)]
    if spec.identity and spec.identity in identities:
        yield "that equal hooks run once", "each is a command of its own there, and both may run"
    if spec.once:
        yield "`once`", "each event there starts a new process, so it runs every time"
    if isinstance(spec.handler, Model):
        why = "each event there starts a new process, which counts its own"
        yield "the limit on calls of its model", why
    if any(isinstance(each, OneOf) and each.field == "agent" for each in spec.conditions):
        yield "the agent that it is for", f"{host} keeps no hooks by agent"
    yield from _list_plain_losses(spec, host) if plain else _list_outside_losses(originals, spec)


def _list_outside_losses(originals: Originals, spec: HookSpec) -> Iterator[tuple[str, str]]:
    """Yield what the hook takes from other parts of its files, which the relay does not see."""
    alone = originals.load_alone(spec)
    if alone is None:
        yield "its own entry", "by itself it means something else"
        return
    for field, what in _GIVEN.items():
        if getattr(alone, field) != getattr(spec, field):
            yield what, f"another part of the files sets it, {_ALONE}"
    if _list_path_variables(spec) - _list_path_variables(alone):
        yield "the place of its file", "the folder that the event names stands for it"


def _list_path_variables(spec: HookSpec) -> frozenset[str]:
    """Return the variables in a command that its host fills in, each with its value."""
    handler = spec.handler
    if not isinstance(handler, Command):
        return frozenset()
    text = handler.script or " ".join(handler.argv)
    return frozenset(
        f"{name}={value}"
        for name, value in handler.env.items()
        if f"${name}" in text or f"${{{name}}}" in text
    )


def _explain_rewrites(
    originals: Originals, spec: HookSpec, own: EventRow, row: EventRow, target: Dialect
) -> str:
    """Return how the target's host combines rewrites, if the own host does it otherwise."""
    if "input" not in own.powers or not originals.list_others(spec):
        return ""
    if "input" not in row.powers:
        return "" if own.parallel or row.parallel else "no hook sees the rewrite of another"
    fold = target.table.fold
    if row.parallel and (fold.lone_patches or "remove" in fold.input_keys):
        return "the last one stands alone"
    return "they add up" if originals.find_source(spec).dialect.table.fold.lone_patches else ""


def _list_plain_losses(spec: HookSpec, host: str) -> Iterator[tuple[str, str]]:
    """Yield what is lost if only the command line is written."""
    handler = spec.handler
    assert isinstance(handler, Command)  # noqa: S101 - others are left out
    lost: Mapping[str, object] = {
        "`env`": handler.env,
        "`working_dir`": handler.working_dir,
        "that it is not waited for": spec.detached,
        "its conditions on what the event says": not all(map(_is_about_tool, spec.conditions)),
    }
    for what, there in lost.items():
        if there:
            yield what, "the command is written as it is"
    yield "its words", f"the script must read and print what {host} says, not {spec.dialect}"


def _is_about_tool(condition: Condition) -> bool:
    """Whether a condition becomes a matcher of the target."""
    if isinstance(condition, Pattern) and condition.regex.may_time_out:
        return False
    return isinstance(condition, OneOf | Pattern) and condition.field == "tool"
