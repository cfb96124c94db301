"""The canonical kinds of event: the name of each, what it carries, and what a hook may do there.

The facts are in `events.json`, next to this module; nothing here names a kind.
docs/formats/vocabulary.md explains the classes and the words of the effect column.
"""

from __future__ import annotations

from hookline.model.facts import read_facts
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal, TypeAlias

    Power: TypeAlias = Literal[
        "allow", "ask", "defer", "deny", "halt",
        "input", "text", "messages", "output", "summary",
        "context", "note", "retry", "skip", "grant", "env", "watch", "title",
        "return", "model", "tools", "content", "instructions", "path", "tail_call",
    ]  # fmt: skip

# How this code spells those words of the data that are no powers by themselves.
_TABLE = """
deny         block(feedback)
deny         block(continue)
halt         interrupt
halt         stop
halt         abort
input        modify(input)
text         modify(text)
messages     modify(request)
text         modify(response)
output       modify(result)
tools        modify(tool_config)
model        modify(model)
content      modify(content)
instructions modify(instructions)
return       return(result)
return       return(response)
summary      return(summary)
content      return(action,content)
path         return(path)
"""
_SPELLINGS = {word: power for power, word in map(str.split, _TABLE.strip().splitlines())}


class Kind(Frozen):
    """One canonical event.

    `cls` is gate, transform, context or observe; `powers` limits what a decision may carry;
    `payload` names the canonical fields; `redo`: a denial sends the agent back to work instead of
    refusing something. `feedback`: a denial is shown to the model, and undoes nothing.
    """

    name: str
    cls: str
    powers: frozenset[str]
    payload: tuple[str, ...]
    redo: bool = False
    feedback: bool = False

    @property
    def is_gate(self) -> bool:
        return self.cls == "gate"

    @property
    def can_guard(self) -> bool:
        """Return whether a hook can be a guard: on a gate, or where a hook can refuse something."""
        return self.is_gate or "deny" in self.powers


_DATA = read_facts("events.json")
NAMES: tuple[str, ...] = tuple(_DATA["canonical"])
VOCABULARIES: tuple[str, ...] = tuple(_DATA["dialects"])
# Kinds of event before an action: if no decision is possible there, the action is refused.
ACTIONS: frozenset[str] = frozenset(_DATA["actions"])
_made: dict[str, Kind] = {}


def split_words(column: str) -> tuple[str, ...]:
    """Return the effect words of one column of the data.

    A comma inside brackets does not separate.
    """
    marked = column.replace("(action,content)", "(action;content)")
    return tuple(word.replace(";", ",") for word in marked.split(",") if word)


def kind(name: str) -> Kind:
    """Return the canonical kind of that name.

    An unknown one (`x.<dialect>.<native>`) can only be observed.
    """
    known = _made.get(name)
    if known is None:
        row = _DATA["canonical"].get(name)
        if row is None:
            return Kind(name=name, cls="observe", powers=frozenset(), payload=())
        effects = split_words(row["effects"])
        known = _made[name] = Kind(
            name=name,
            cls=row["cls"],
            powers=frozenset(_SPELLINGS.get(word, word) for word in effects) - {"-"},
            payload=tuple(row["payload"].split(",")),
            redo="block(continue)" in effects,
            feedback="block(feedback)" in effects,
        )
    return known


def native_names(key: str) -> Mapping[str, str]:
    """Return native name -> canonical name of one dialect, by its key in the data.

    Raises:
        KeyError: the data has no such dialect.
    """
    mapping: Mapping[str, str] = _DATA["dialects"][key]
    return mapping


def find_by_native_name(native: str) -> str:
    """Return the canonical event that some host calls by this name; empty if none does."""
    return next(
        (
            names[native]
            for names in _DATA["dialects"].values()
            if names.get(native, "x.*") != "x.*"
        ),
        "",
    )


def all_natives() -> frozenset[str]:
    """Return every name that some host gives to an event."""
    return frozenset(name for names in _DATA["dialects"].values() for name in names)


def unknown_kind(dialect: str, native: str) -> str:
    """Return the kind of an event that the dialect does not know."""
    return f"x.{dialect}.{native}"
