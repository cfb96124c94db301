"""Reads the arguments of a call: its flags, the values of its options, and its operands."""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hookline.text.script.reading import Call, Word

_SHORTEST = 2  # letters of an abbreviated long option
_SHORTEST_LONG, _SHORTEST_NEGATED = len("--ab"), len("--no-")


class Arguments(NamedTuple):
    """The words after a program.

    Attributes:
        letters: the letters of clusters such as `-rf`, without a value in the same word.
        names: options with more letters, without dashes: `recursive`, `delete`.
        values: option (with its dashes) and value, for each option that takes one.
        operands: all other words.
        options: the options in their order, without their values.
    """

    letters: frozenset[str]
    names: frozenset[str]
    values: tuple[tuple[str, Word], ...]
    operands: tuple[Word, ...]
    options: tuple[str, ...] = ()

    def has(self, *spellings: str) -> bool:
        """Return whether an option is there: a letter, a name, or a beginning of that name."""
        for spelling in spellings:
            if len(spelling) == 1:
                if spelling in self.letters:
                    return True
            elif spelling in self.names or any(
                len(name) >= _SHORTEST and spelling.startswith(name) for name in self.names
            ):
                return True
        return False

    def is_on(self, letter: str, name: str) -> bool | None:
        """Return whether the last of `-LETTER`, `--NAME` and `--no-NAME` is not `--no-NAME`.

        None if none of them is there.
        """
        found = None
        for option in self.options:
            if option[:2] != "--":
                found = True if letter in option[1:] else found
            elif len(option) >= _SHORTEST_LONG and f"--{name}".startswith(option):
                found = True
            elif len(option) > _SHORTEST_NEGATED and f"--no-{name}".startswith(option):
                found = False
        return found

    def get(self, *options: str) -> tuple[Word, ...]:
        """Return the values of an option, by its spellings with dashes."""
        return tuple(value for option, value in self.values if option in options)

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the operands as texts."""
        return tuple(word.text for word in self.operands)


def read_arguments(call: Call, valued: Iterable[str] = (), *, begin: int = 1) -> Arguments:
    """Return the arguments of a call.

    Args:
        call: the call.
        valued: options that take the next word, with their dashes.
        begin: the first word that counts.
    """
    takes = frozenset(valued)
    letters: set[str] = set()
    names: set[str] = set()
    values: list[tuple[str, Word]] = []
    operands: list[Word] = []
    options: list[str] = []
    words = iter(call.words[begin:])
    for word in words:
        text = word.text
        if text == "--":
            operands += words
        elif text[:1] != "-" or len(text) == 1:
            operands.append(word)
        else:
            names.add(text.lstrip("-").partition("=")[0])
            if text[1] == "-":
                options.append(text.partition("=")[0])
            else:
                options.append(text[: (_find_valued(text, takes) or len(text)) + 1])
                letters |= set(options[-1][1:])
            option, own = _split_value(word, takes)
            value = next(words, None) if own is None and option in takes else own
            if value is not None:
                values.append((option, value))
    return Arguments(frozenset(letters), frozenset(names), tuple(values), tuple(operands),
                     tuple(options))  # fmt: skip


def _split_value(word: Word, takes: frozenset[str]) -> tuple[str, Word | None]:
    """Return an option, and the value that is in the same word; None if there is none."""
    text = word.text
    if text[1] == "-":
        name, equals, value = text.partition("=")
        if name not in takes and len(name) > len("--x"):
            name = next((each for each in sorted(takes) if each.startswith(name)), name)
        return name, word._replace(text=value) if equals else None
    if text in takes:
        return text, None
    at = _find_valued(text, takes)
    if not at:
        return text, None
    own = word._replace(text=text[at + 1 :].removeprefix("=")) if at + 1 < len(text) else None
    return f"-{text[at]}", own


def _find_valued(cluster: str, takes: frozenset[str]) -> int:
    """Return where the first letter of a cluster is that takes a value; 0 if there is none."""
    return next((at for at in range(1, len(cluster)) if f"-{cluster[at]}" in takes), 0)


def list_dd_targets(call: Call) -> list[Word]:
    """Return what `dd of=FILE` writes to."""
    return [
        word._replace(text=word.text[len("of=") :])
        for word in call.words[1:]
        if word.text.startswith("of=")
    ]


def gets_found_paths(call: Call) -> bool:
    """Return whether `find` or `xargs` gives the call all that a folder holds."""
    if any(each.startswith("find ") for each in call.via):
        return True
    has_items = any(each in ("xargs", "parallel") for each in call.via)
    return has_items and any(word.calls for word in call.words[1:])


def is_wholly_found(word: Word, call: Call) -> bool:
    """Return whether a path is not only a part of what a search found."""
    return word.is_known or not any(each.startswith("find ") for each in call.via)
