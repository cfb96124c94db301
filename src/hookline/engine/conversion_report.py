"""Lists what a converted hook loses: what its own dialect can express and the target cannot."""

from __future__ import annotations

from hookline.model.spec import Command, Model, OneOf, Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hookline.core.dialect import Dialect, EventRow
    from hookline.engine.relay_scripts import Originals
    from hookline.model.spec import Condition, HookSpec

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


def list_losses(
    originals: Originals, spec: HookSpec, row: EventRow, target: Dialect, *, plain: bool
) -> Iterator[tuple[str, str]]:
    """Yield what a hook loses, and why: what the target's event cannot express, or what its host does otherwise."""
    host = target.table.name
    own = originals.find_source(spec).dialect.table.row(spec.native_event)
    missing = (own.powers if own else frozenset()) - row.powers - _ALWAYS
    if missing:
        words = ", ".join(f"`{power}`" for power in sorted(missing))
        yield (
            f"an answer with {words}",
            f"`{row.native}` of {host} cannot express it, and it is lowered",
        )
    if own is not None and row.parallel and (spec.in_turn or not own.parallel):
        yield "that hooks run in turn", f"`{row.native}` of {host} starts them at once"
    if own is not None and (differs := _explain_rewrites(originals, spec, own, row, target)):
        yield "what the rewrites of several hooks come to", f"in {host} {differs}"
    if spec.identity and any(
        other.identity == spec.identity for other in originals.list_others(spec)
    ):
        yield (
            "that equal hooks run once",
            "each is a command of its own there, and both may run",
        )
    if spec.once:
        yield "`once`", "each event there starts a new process, so it runs every time"
    if isinstance(spec.handler, Model):
        yield (
            "the limit on calls of its model",
            "each event there starts a new process, which counts its own",
        )
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
            yield (
                what,
                "another part of the files sets it, and only the hook's own entry is carried",
            )
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
    """Describe how the target combines the rewrites of several hooks, if its own host does it otherwise; else empty."""
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
    lost: Mapping[str, object] = {
        "`env`": isinstance(handler, Command) and handler.env,
        "`working_dir`": isinstance(handler, Command) and handler.working_dir,
        "that it is not waited for": spec.detached,
        "its conditions on what the event says": [
            given for given in spec.conditions if not _is_about_tool(given)
        ],
    }
    for what, there in lost.items():
        if there:
            yield what, "the command is written as it is"
    yield "its words", f"the script must read and print what {host} says, not {spec.dialect}"


def _is_about_tool(condition: Condition) -> bool:
    if not isinstance(condition, OneOf | Pattern) or condition.field != "tool":
        return False
    return not isinstance(condition, Pattern) or condition.regex.portable
