"""The canonical kinds of event: what each is called, what it carries, and what a hook may do there.

The facts are `events.json`, next to this module; nothing here names a kind. docs/formats/vocabulary.md explains the
classes and the words of the effect column.
"""

from __future__ import annotations

import json

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal, TypeAlias

    Power: TypeAlias = Literal[
        "allow", "ask", "defer", "deny", "halt",
        "input", "text", "messages", "output", "summary",
        "context", "note", "retry", "skip", "grant", "env", "watch", "title",
        "return", "model", "tools", "content", "instructions", "path", "tail_call",
    ]  # fmt: skip

# How the words of the data are spelled here; the data keeps the natives' own words.
_SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "allow": ("allow",),
    "ask": ("ask",),
    "defer": ("defer",),
    "deny": ("deny",),
    "block(feedback)": ("deny",),
    "block(continue)": ("deny",),
    "interrupt": ("halt",),
    "stop": ("halt",),
    "abort": ("halt",),
    "modify(input)": ("input",),
    "modify(text)": ("text",),
    "modify(request)": ("messages",),
    "modify(response)": ("text",),
    "modify(result)": ("output",),
    "modify(tool_config)": ("tools",),
    "modify(model)": ("model",),
    "modify(content)": ("content",),
    "modify(instructions)": ("instructions",),
    "return(result)": ("return",),
    "return(response)": ("return",),
    "return(summary)": ("summary",),
    "return(action,content)": ("content",),
    "return(path)": ("path",),
    "context": ("context",),
    "env": ("env",),
    "watch": ("watch",),
    "title": ("title",),
    "retry": ("retry",),
    "skip": ("skip",),
    "grant": ("grant",),
    "tail_call": ("tail_call",),
    "-": (),
}


class Kind(Frozen):
    """One canonical event.

    `cls` is gate, transform, context or observe; `powers` caps what a decision may carry; `payload` names the canonical
    fields; `redo` is true where a denial sends the agent back to work instead of refusing something, `feedback` where it is told to
    the model, and undoes nothing.
    """

    name: str
    cls: str
    powers: frozenset[str]
    payload: tuple[str, ...]
    redo: bool = False
    feedback: bool = False

    @property
    def gate(self) -> bool:
        return self.cls == "gate"

    @property
    def guarded(self) -> bool:
        """Whether a hook may stand guard here: on a gate, or where else something can be refused."""
        return self.gate or "deny" in self.powers


def _read() -> dict[str, Any]:
    # The loader reads the data where the package lies, a zip file included, without an import that costs start-up time.
    loader: Any = __spec__.loader
    read: dict[str, Any] = json.loads(
        loader.get_data(__file__.rpartition("kinds")[0] + "events.json")
    )
    return read


_DATA = _read()
NAMES: tuple[str, ...] = tuple(_DATA["canonical"])
# Kinds of event that come before an action: what cannot be decided there is refused.
ACTIONS: frozenset[str] = frozenset(_DATA["actions"])
_made: dict[str, Kind] = {}


def words(column: str) -> tuple[str, ...]:
    """The effect words of one column of the data; a comma inside brackets does not separate."""
    marked = column.replace("(action,content)", "(action;content)")
    return tuple(word.replace(";", ",") for word in marked.split(",") if word)


def kind(name: str) -> Kind:
    """The canonical kind of that name; an unknown one (`x.<dialect>.<native>`) may only be observed."""
    known = _made.get(name)
    if known is None:
        row = _DATA["canonical"].get(name)
        if row is None:
            return Kind(name=name, cls="observe", powers=frozenset(), payload=())
        effects = words(row["effects"])
        known = _made[name] = Kind(
            name=name,
            cls=row["cls"],
            powers=frozenset(power for word in effects for power in _SPELLINGS[word]),
            payload=tuple(row["payload"].split(",")),
            redo="block(continue)" in effects,
            feedback="block(feedback)" in effects,
        )
    return known


def natives(key: str) -> Mapping[str, str]:
    """Native name -> canonical name of one dialect, by its key in the data.

    Raises:
        KeyError: the data has no such dialect.
    """
    mapping: Mapping[str, str] = _DATA["dialects"][key]
    return mapping


def meant_by(native: str) -> str:
    """The canonical event that some host calls by this name; empty where none does."""
    return next(
        (
            names[native]
            for names in _DATA["dialects"].values()
            if names.get(native, "x.*") != "x.*"
        ),
        "",
    )


def all_natives() -> frozenset[str]:
    """Every name that some host gives to an event."""
    return frozenset(name for names in _DATA["dialects"].values() for name in names)


def unknown(dialect: str, native: str) -> str:
    """The name under which an event passes that the dialect does not know."""
    return f"x.{dialect}.{native}"
