"""Expands templates of disguises into commands, the same ones at every load.

A form holds placeholders such as `%line%` for the command that it hides. Forms of different
families nest, so that a command is disguised up to three layers deep.
"""

from __future__ import annotations

import base64
import codecs
import gzip
import re
import shlex
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

# What a form can hide, from the narrowest: two or more words without quotes or operators; one
# simple command; any line.
SORTS = ("words", "simple", "line")
_PLACEHOLDER = re.compile(r"%([a-z0-9]+)%")


@dataclass(frozen=True, slots=True)
class Payload:
    """A command to hide: its text, its label, and its sort (see `SORTS`)."""

    text: str
    rule: str
    tier: str
    sort: str


@dataclass(frozen=True, slots=True)
class Form:
    """One way to hide a command: what it can hide, and the sort of what it makes."""

    text: str
    family: str
    class_name: str
    part: str
    takes: str
    makes: str
    rules: tuple[str, ...]  # the rules whose payloads make sense in it; none: all

    def can_hide(self, payload: Payload) -> bool:
        """Tell whether this form keeps the meaning of a payload."""
        fits = SORTS.index(payload.sort) <= SORTS.index(self.takes)
        return fits and (not self.rules or payload.rule in self.rules)


@dataclass(frozen=True, slots=True)
class Expansion:
    """A command that a template made, with its labels."""

    text: str
    payload: Payload
    class_name: str
    family: str
    part: str
    depth: int


def split_program(line: str) -> tuple[str, str]:
    """Return the first word of a command, and the rest."""
    program, _, rest = line.partition(" ")
    return program, rest


def split_operand(line: str) -> tuple[str, str]:
    """Return a command without its last word, and that word."""
    head, _, last = line.rpartition(" ")
    return head, last


def quote_double(line: str) -> str:
    """Return a line as one word in double quotes."""
    return '"' + re.sub(r'([\\"$`])', r"\\\1", line) + '"'


def escape_bytes(line: str, style: str) -> str:
    """Return each byte of a line as an escape in the given style."""
    return "".join(style.format(byte) for byte in line.encode())


# What a placeholder stands for, given the command to hide.
FILLERS: dict[str, Callable[[str], str]] = {
    "line": str,
    "single": shlex.quote,
    "double": quote_double,
    "program": lambda line: split_program(line)[0],
    "rest": lambda line: split_program(line)[1],
    "head": lambda line: split_operand(line)[0],
    "last": lambda line: split_operand(line)[1],
    "split": lambda line: f"{line[0]}''{split_program(line)[0][1:]}",
    "upper": lambda line: split_program(line)[0].upper(),
    "hexprogram": lambda line: escape_bytes(split_program(line)[0], "\\x{:02x}"),
    "octalprogram": lambda line: escape_bytes(split_program(line)[0], "\\{:03o}"),
    "reversedprogram": lambda line: split_program(line)[0][::-1],
    "commas": lambda line: line.replace(" ", ","),
    "ifs": lambda line: line.replace(" ", "${IFS}"),
    "list": lambda line: ", ".join(f'"{word}"' for word in line.split(" ")),
    "base64": lambda line: base64.b64encode(line.encode()).decode(),
    "base64twice": lambda line: base64.b64encode(base64.b64encode(line.encode())).decode(),
    "gzip64": lambda line: base64.b64encode(gzip.compress(line.encode(), mtime=0)).decode(),
    "base32": lambda line: base64.b32encode(line.encode()).decode(),
    "hex": lambda line: line.encode().hex(),
    "hexescapes": lambda line: escape_bytes(line, "\\x{:02x}"),
    "octalechoes": lambda line: escape_bytes(line, "\\0{:03o}"),
    "octalescapes": lambda line: escape_bytes(line, "\\{:03o}"),
    "reversed": lambda line: shlex.quote(line[::-1]),
    "rot13": lambda line: shlex.quote(codecs.encode(line, "rot13")),
}


def hide(line: str, form: str) -> str:
    """Return a form with the command to hide put in."""
    return _PLACEHOLDER.sub(lambda found: FILLERS[found[1]](line), form)


def build(recipe: dict[str, Any]) -> str:
    """Return a long text: a command behind copies of a filler, hidden in a form many times over."""
    text: str = recipe.get("filler", "") * recipe.get("copies", 0) + recipe["start"]
    for _ in range(recipe.get("times", 0)):
        text = hide(text, recipe["form"])
    return text + str(recipe.get("after", ""))


def read_payloads(data: dict[str, Any]) -> list[Payload]:
    """Return the payloads of a file, one of each rule in turn."""
    columns = [
        [Payload(text, group["rule"], group["tier"], group["sort"]) for text in split(group)]
        for group in data["payloads"]
    ]
    longest = max(map(len, columns))
    return [column[row] for row in range(longest) for column in columns if row < len(column)]


def split(group: dict[str, Any]) -> list[str]:
    """Return the texts of a group: one a line in `lines`, or whole in `texts`."""
    lines = [line for line in group.get("lines", "").split("\n") if line.strip()]
    return [*lines, *(text.rstrip("\n") for text in group.get("texts", []))]


def read_forms(data: dict[str, Any]) -> list[Form]:
    """Return the forms of a file in their order."""
    return [
        Form(
            text=text,
            family=group["family"],
            class_name=group["class"],
            part=group["part"],
            takes=group["takes"],
            makes=group["makes"],
            rules=tuple(group.get("rules", ())),
        )
        for group in data["forms"]
        for text in split(group)
    ]


class Picker:
    """Picks payloads so that each class of disguise hides each rule about equally often."""

    def __init__(self, payloads: list[Payload]) -> None:
        self.payloads = payloads
        self.hidden: Counter[tuple[str, str]] = Counter()
        self.used: Counter[str] = Counter()

    def pick(self, form: Form, class_name: str) -> Payload:
        """Return the payload that a class has hidden least often so far and a form can hide."""
        fitting = [payload for payload in self.payloads if form.can_hide(payload)]
        chosen = min(
            fitting, key=lambda each: (self.hidden[class_name, each.rule], self.used[each.text])
        )
        self.hidden[class_name, chosen.rule] += 1
        self.used[chosen.text] += 1
        return chosen


def expand_once(picker: Picker, forms: list[Form], per_form: int) -> Iterator[Expansion]:
    """Yield each form with some payloads: one layer."""
    for form in forms:
        for _ in range(per_form):
            payload = picker.pick(form, form.class_name)
            text = hide(payload.text, form.text)
            yield Expansion(text, payload, form.class_name, form.family, form.part, 1)


def hide_in_layers(payload: Payload, layers: list[Form]) -> str | None:
    """Return a payload hidden in layers, outermost first; None if a layer cannot hold the next."""
    inner = payload
    for form in reversed(layers):
        if not form.can_hide(inner):
            return None
        inner = replace(inner, text=hide(inner.text, form.text), sort=form.makes)
    return inner.text


def expand_nested(
    picker: Picker, forms: list[Form], nestings: list[dict[str, Any]]
) -> Iterator[Expansion]:
    """Yield commands under two or three layers; the outermost names the class."""
    for nesting in nestings:
        families = [[form for form in forms if form.family == name] for name in nesting["layers"]]
        for number in range(nesting["count"]):
            layers = [
                family[(number * 3 + place) % len(family)] for place, family in enumerate(families)
            ]
            outermost = layers[0].class_name
            payload = picker.pick(layers[-1], outermost)
            if text := hide_in_layers(payload, layers):
                family = "+".join(nesting["layers"])
                part = nesting["part"]
                yield Expansion(text, payload, outermost, family, part, len(layers))


def expand(path: Path) -> list[Expansion]:
    """Return every command that the templates of a file make, without repetitions."""
    data = YAML(typ="safe", pure=True).load(path)
    payloads, forms = read_payloads(data), read_forms(data)
    made = [
        *expand_once(Picker(payloads), forms, data["per_form"]),
        *expand_nested(Picker(payloads), forms, data["nestings"]),
    ]
    return list({each.text: each for each in made}.values())
