"""Converts hooks of one dialect into files of another, and lists what the other cannot express."""

from __future__ import annotations

from hookline.core.dialect import Declaration, Written
from hookline.core.failure import explain_file_switch
from hookline.engine.conversion_report import list_losses
from hookline.engine.loader import explain_absence, list_hooks
from hookline.engine.relay_scripts import Originals, format_command, is_plain_words
from hookline.errors import ConfigError
from hookline.model.frozen import Frozen
from hookline.model.spec import Broken, Command, InProcess, Model, Never, OneOf, Pattern
from hookline.model.tools import (
    families,
    find_broader_kind,
    known_families,
    list_names,
    mcp_parts,
    translate_name,
)
from hookline.model.verdict import Stance
from hookline.text.regex import compile_regex
from hookline.wire.disable_flags import drop_flags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.core.dialect import Dialect, EventRow
    from hookline.engine.engine import Engine
    from hookline.model.spec import HookSpec
    from hookline.text.re2_regex import Regex

# The new host waits so much longer than the hook may take: for hookline to start, and to end the
# hook's processes.
_MARGIN = 10.0
_MCP = "mcp"  # each host spells the names of MCP tools in its own way


class Loss(Frozen):
    """Something that the target cannot express.

    `whole`: the hook is not in the target's files at all.
    """

    hook_id: str
    what: str
    why: str
    whole: bool = False

    def __str__(self) -> str:
        return f"{self.hook_id}: {self.what}: {self.why}"


class Conversion(Frozen):
    """The result: files by relative path, which of them must be executable, the number of hooks, and the losses."""

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
    export = getattr(target, "export", None)
    if export is None:
        message = f"`{target.table.name}` has no files that declare commands"
        raise ConfigError(
            message, name="config.dialect", hint="its hooks are functions of a program"
        )
    originals = Originals(engine)
    losses: list[Loss] = []
    chosen: list[tuple[HookSpec, Declaration]] = []
    for spec in drop_flags(list_hooks(engine.snapshot)):
        row = _find_row(spec, target)
        why = _explain_unwritable(engine, originals, spec, plain=plain) or (
            "" if row else f"{target.table.name} has no event like `{spec.native_event}`"
        )
        if why or row is None:
            losses.append(Loss(hook_id=spec.id, what="the whole hook", why=why, whole=True))
        else:
            chosen.append(
                (spec, _make_declaration(originals, spec, row, target.table.name, plain=plain))
            )
            losses += [
                Loss(hook_id=spec.id, what=what, why=why)
                for what, why in list_losses(originals, spec, row, target, plain=plain)
            ]
    written: Written = (
        export(tuple(declaration for _, declaration in chosen)) if chosen else Written(files={})
    )
    losses += [
        Loss(hook_id=chosen[at][0].id, what=what, why=f"{target.table.name} has no word for it")
        for at, what in written.lost
    ]
    losses += [
        Loss(hook_id=chosen[at][0].id, what="the whole hook", why=why, whole=True)
        for at, why in written.left_out.items()
    ]
    _check_text(written)
    return Conversion(
        files=written.files,
        programs=written.programs,
        hooks=len(chosen) - len(written.left_out),
        losses=tuple(losses),
    )


def _check_text(written: Written) -> None:
    """Check for lone surrogates, which JSON can hold and a file cannot.

    Raises:
        ConfigError: a command has one.
    """
    for path, text in written.files.items():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            line = text[: error.start].rpartition("\n")[2]
            message = f"a text has half a character in it, behind `{line[-30:]}`"
            raise ConfigError(
                message, name="config.unwritable", place=path, hint="write the whole character"
            ) from None


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
            return "another part of its file describes the model, and only the hook's own entry is carried"
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
            case Pattern(field="tool", regex=regex) if not regex.portable:
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
    try:
        written: Regex | None = compile_regex(source)
    except ConfigError:  # in words that only its own engine reads
        written = None
    selected = [
        family
        for family in known_families()
        if any(_selects(pattern, old) for old in list_names(family, dialect))
    ]
    new = dict.fromkeys(
        name
        for family in selected
        for name in list_names(family, target)
        if not (written.has_match_in(name) if written else _selects(pattern, name))
    )
    return f"{source}|^(?:{'|'.join(new)})$" if new else source


def _has_flags(source: str) -> bool:
    """Whether an expression has a group that not every engine reads, as `(?i)`.

    A mere `(?:` is one to all of them.
    """
    return "(?" in source.replace("(?:", "")


def _selects(pattern: Pattern, name: str) -> bool:
    return pattern.regex.is_full_match(name) if pattern.full else pattern.regex.has_match_in(name)
