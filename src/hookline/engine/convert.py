"""Convert: hooks of one dialect, written down in another, and everything that the other has no word for.

A script goes on speaking its own dialect: what the new file runs is `hookline answer`, with the hook's own entry on the command
line. So its conditions, its environment and its failure rule are the original's, whatever the target can say.
"""

from __future__ import annotations

import json
import shlex
from copy import deepcopy

from hookline.core.dialect import Declaration, Written
from hookline.engine.explain import all_hooks, given_way
from hookline.errors import ConfigError
from hookline.model.conditions import Never, OneOf, Pattern
from hookline.model.frozen import Frozen
from hookline.model.handler import Broken, Command, InProcess
from hookline.model.tools import called, families, mcp_name
from hookline.model.verdict import Stance
from hookline.text.regex import Backtracking
from hookline.wire.sources import read_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.core.dialect import Dialect, Row
    from hookline.engine.library import Library
    from hookline.engine.sources import Shelved
    from hookline.model.conditions import Condition
    from hookline.model.spec import HookSpec

# The new host waits so much longer than the hook may take: for hookline to start, and to end the hook's processes.
_MARGIN = 10.0
# Powers that are no loss when they are missing: every dialect reports them in its own way.
_ALWAYS = frozenset(("note", "log"))


class Loss(Frozen):
    """Something that the target cannot express. `whole`: the hook is not in the target's files at all."""

    hook_id: str
    what: str
    why: str
    whole: bool = False

    def __str__(self) -> str:
        return f"{self.hook_id}: {self.what}: {self.why}"


class Conversion(Frozen):
    """What came out: files by relative path, which of them must be executable, how many hooks they hold, and what was lost."""

    files: Mapping[str, str]
    programs: frozenset[str]
    hooks: int
    losses: tuple[Loss, ...]


def convert(library: Library, target: Dialect, *, plain: bool = False) -> Conversion:
    """Every hook of a library in the words of a dialect.

    With `plain`, commands are written as they are: for scripts that speak the target's words, or are to be ported.

    Raises:
        ConfigError: the target has no files that commands can be declared in.
    """
    write = getattr(target, "write", None)
    if write is None:
        hint = "its hooks are functions of a program" if target.table.name == "a3s" else "it has no files yet"
        raise ConfigError(f"`{target.table.name}` cannot hold commands: {hint}", name="config.dialect")
    losses: list[Loss] = []
    chosen: list[tuple[HookSpec, Declaration]] = []
    for spec in all_hooks(library):
        why = _unwritable(library, spec, target, plain=plain)
        if why:
            losses.append(Loss(hook_id=spec.id, what="the whole hook", why=why, whole=True))
        else:
            chosen.append((spec, _declaration(library, spec, target, plain=plain)))
            losses += _weaker(library, spec, target, plain=plain)
    written: Written = write(tuple(declaration for _, declaration in chosen)) if chosen else Written(files={})
    losses += [Loss(hook_id=chosen[at][0].id, what=what, why=f"{target.table.name} has no word for it") for at, what in written.lost]
    return Conversion(files=written.files, programs=written.programs, hooks=len(chosen), losses=tuple(losses))


def _unwritable(library: Library, spec: HookSpec, target: Dialect, *, plain: bool) -> str:
    """Why a hook cannot be written down at all; empty if it can."""
    handler = spec.handler
    never = next((condition.reason for condition in spec.conditions if isinstance(condition, Never)), "")
    if never:
        return f"it never runs: {never}"
    if gone := given_way(library, spec):
        return gone
    if isinstance(handler, Broken):
        return f"it cannot be loaded: {handler.reason}"
    if isinstance(handler, InProcess):
        return "it is a function of this program"
    if plain and not isinstance(handler, Command):
        return "it is no command"
    if target.table.row_of_kind(spec.kind) is None:
        return f"{target.table.name} has no event like `{spec.native_event}`"
    return ""


def _declaration(library: Library, spec: HookSpec, target: Dialect, *, plain: bool) -> Declaration:
    tools, pattern = _tools(spec, target.table.name)
    return Declaration(
        row=_row(spec, target),
        command=_own_command(spec) if plain else _relayed(library, spec, target.table.name),
        tools=tools,
        pattern=pattern,
        timeout=spec.timeout if plain else spec.timeout + _MARGIN,
        closed=spec.on_failure > Stance.ALLOW,
        name=spec.name,
    )


def _row(spec: HookSpec, target: Dialect) -> Row:
    row = target.table.row_of_kind(spec.kind)
    assert row is not None  # noqa: S101 - `_unwritable` has looked
    return row


# -- which tools -----------------------------------------------------------------------------------------------------------


def _tools(spec: HookSpec, target: str) -> tuple[tuple[str, ...], str]:
    """The tools that a hook is for, by the target's names: exact ones, or an expression; empty for all of them."""
    for condition in spec.conditions:
        match condition:
            case OneOf(field="tool", names=names):
                return tuple(dict.fromkeys(new for name in sorted(names) for new in _names(name, spec.dialect, target))), ""
            case Pattern(field="tool", regex=Backtracking()):
                return (), ""  # what RE2 lacks no other dialect loads; the hook's own matcher is asked when it is relayed
            case Pattern(field="tool", source=source, full=full):
                return (), _expression(condition, f"^(?:{source})$" if full else source, spec.dialect, target)
    return (), ""


def _names(name: str, dialect: str, target: str) -> tuple[str, ...]:
    """What a tool is called by the target; what nobody knows stays as it is."""
    if mcp := mcp_name(name, target):
        return (mcp,)
    new = [name for family in families(name, dialect) for name in called(family, target)]
    return (name,) if name in new else tuple(new) or (name,)


def _expression(pattern: Pattern, source: str, dialect: str, target: str) -> str:
    """An expression as it stands, and the target's names of the tools that it is known to select."""
    new = [name for family in _KNOWN for old in called(family, dialect) if _selects(pattern, old) for name in called(family, target)]
    others = "|".join(dict.fromkeys(name for name in new if not _selects(pattern, name)))
    return f"{source}|^(?:{others})$" if others else source


_KNOWN = ("shell", "read", "write", "edit", "search", "fetch", "agent")


def _selects(pattern: Pattern, name: str) -> bool:
    return pattern.regex.covers(name) if pattern.full else pattern.regex.found_in(name)


# -- what is run -----------------------------------------------------------------------------------------------------------


def _own_command(spec: HookSpec) -> str:
    handler = spec.handler
    assert isinstance(handler, Command)  # noqa: S101 - `_unwritable` has looked
    return handler.script or shlex.join(handler.argv)


def _relayed(library: Library, spec: HookSpec, target: str) -> str:
    """A command line that asks this one hook, in its own words, about what the target's host tells."""
    shelved = shelved_of(library, spec)
    given = library.options_of(shelved.dialect)
    options = [f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in given.items()]
    mode = ["--mode", shelved.source.mode] if shelved.source.mode != "fidelity" else []
    how = ["--relay", "--dialect", spec.dialect, "--match-tools", "canonical", *mode]
    said = [word for option in options for word in ("--option", option)]
    return shlex.join(["hookline", "answer", target, *how, *said, "--config", own_config(shelved, spec)])


def shelved_of(library: Library, spec: HookSpec) -> Shelved:
    """The source that a hook came from."""
    return next(shelved for shelved in library.shelf.sources if any(held.id == spec.id for held in shelved.loaded.specs))


def own_config(shelved: Shelved, spec: HookSpec) -> str:
    """The one hook as a configuration: its entry as a tree; where a folder is the hook, that folder."""
    if "directory" in spec.facts:
        return shelved.source.names.get("folder") or shelved.source.file
    whole = read_tree(shelved.source, []).value
    steps = _steps(whole, spec.origin.pointer)
    tree = _slice(whole, steps, beside=False)
    entry = _entry(tree, steps)
    handler = spec.handler
    if isinstance(entry.get("command"), str) and isinstance(handler, Command) and not handler.script and not entry.get("args"):
        entry["command"] = shlex.join(handler.argv)  # paths that were relative to the file are whole there
    return json.dumps(tree, ensure_ascii=False)


def _steps(tree: Any, pointer: str) -> list[str | int]:
    """The keys that a pointer names on its way through a tree; a key may itself hold a dot."""
    steps: list[str | int] = []
    node, left = tree, pointer
    while left:
        keys = range(len(node)) if isinstance(node, list) else node
        step = max((key for key in keys if left == str(key) or left.startswith(f"{key}.")), key=lambda key: len(str(key)))
        steps.append(step)
        node, left = node[step], left[len(str(step)) + 1 :]
    return steps


def _slice(node: Any, steps: list[str | int], *, beside: bool) -> Any:
    """What lies on the way to one part of a tree; `beside`: and the plain values beside it, as a group's matcher."""
    if not steps:
        return deepcopy(node)
    step, rest = steps[0], steps[1:]
    if isinstance(node, list):
        return [_slice(node[int(step)], rest, beside=True)]
    kept = {key: value for key, value in node.items() if not isinstance(value, dict | list)} if beside else {}
    return {**kept, step: _slice(node[step], rest, beside=False)}


def _entry(tree: Any, steps: list[str | int]) -> dict[str, Any]:
    node = tree
    for step in steps:
        node = node[0] if isinstance(node, list) else node[step]
    return node if isinstance(node, dict) else {}


# -- what is lost ----------------------------------------------------------------------------------------------------------


def _weaker(library: Library, spec: HookSpec, target: Dialect, *, plain: bool) -> Iterator[Loss]:
    """What a hook can say or do here that the target's event cannot express, or its host does otherwise."""
    host = target.table.name
    own = shelved_of(library, spec).dialect.table.row(spec.native_event)
    row = _row(spec, target)
    missing = (own.powers if own else frozenset()) - row.powers - _ALWAYS
    if missing:
        words = ", ".join(f"`{power}`" for power in sorted(missing))
        yield Loss(hook_id=spec.id, what=f"an answer with {words}", why=f"`{row.native}` of {host} cannot express it, and it is lowered")
    if own is not None and row.parallel and (spec.in_turn or not own.parallel):
        yield Loss(hook_id=spec.id, what="that hooks run in turn", why=f"`{row.native}` of {host} starts them at once")
    if own is not None and (differs := _rewrites_together(library, spec, own, row, target)):
        yield Loss(hook_id=spec.id, what="what the rewrites of several hooks come to", why=f"in {host} {differs}")
    if spec.identity and any(
        other.identity == spec.identity and other.id != spec.id and other.kind == spec.kind for other in library.hooks
    ):
        yield Loss(hook_id=spec.id, what="that equal hooks run once", why="each is a command of its own there, and both may run")
    if spec.once:
        yield Loss(hook_id=spec.id, what="`once`", why="each event there starts a new process, so it runs every time")
    if any(isinstance(condition, OneOf) and condition.field == "agent" for condition in spec.conditions):
        yield Loss(hook_id=spec.id, what="the agent that it is for", why=f"{host} keeps no hooks by agent")
    if plain:
        yield from _left_behind(spec, host)


def _rewrites_together(library: Library, spec: HookSpec, own: Row, row: Row, target: Dialect) -> str:
    """How the target makes one input of several hooks' rewrites, where its own host makes another of them; else empty."""
    if "input" not in own.powers & row.powers or not any(other.kind == spec.kind and other.id != spec.id for other in library.hooks):
        return ""
    fold = target.table.fold
    if row.parallel and (fold.lone_patches or "remove" in fold.input_keys):
        return "the last one stands alone"
    return "they add up" if shelved_of(library, spec).dialect.table.fold.lone_patches else ""


def _left_behind(spec: HookSpec, host: str) -> Iterator[Loss]:
    """What a bare command leaves behind: everything but the line itself."""
    handler = spec.handler
    told: Mapping[str, object] = {
        "`env`": isinstance(handler, Command) and handler.env,
        "`working_dir`": isinstance(handler, Command) and handler.working_dir,
        "that it is not waited for": spec.detached,
        "its conditions on what the event says": [given for given in spec.conditions if not _about_tool(given)],
    }
    for what, there in told.items():
        if there:
            yield Loss(hook_id=spec.id, what=what, why="the command is written as it is")
    yield Loss(hook_id=spec.id, what="its words", why=f"the script must read and print what {host} says, not {spec.dialect}")


def _about_tool(condition: Condition) -> bool:
    if not isinstance(condition, OneOf | Pattern) or condition.field != "tool":
        return False
    return not (isinstance(condition, Pattern) and isinstance(condition.regex, Backtracking))
