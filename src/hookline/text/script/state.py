"""What a shell would know while it runs a text: variables, files, its folder, the calls so far."""

from __future__ import annotations

import posixpath
from abc import ABC, abstractmethod

from hookline.text import lazy_re as re
from hookline.text.script.budget import OverBudgetError
from hookline.text.script.programs import SHELLS
from hookline.text.script.reading import (
    MOST_CALLS,
    UNKNOWN,
    UNKNOWN_WORD,
    Call,
    Command,
    Word,
    join_all,
    join_words,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tree_sitter import Node

    from hookline.text.script.budget import Budget


_POSITION = re.compile(r"[0-9]{1,6}")
_NUMBER = re.compile(r"-?\d{1,6}")
_KEYED = re.compile(r"\[([^\]]+)\]=(.*)", re.DOTALL)
_MOST_ALTERNATIVES = 4
_MOST_ELEMENTS = 1024
_MOST_WORDS_IN_ALL = 16_384
_MOST_WAYS = 128  # of wrappers in wrappers


def _starts(words: Sequence[Word], program: str) -> bool:
    """Return whether a call starts a program, by its name or as the file of a shell."""
    if any(word.text == program for word in words[:1]):
        return True
    is_named = any(word.text == program for word in words[1:2])
    return is_named and words[0].text.rpartition("/")[2] in SHELLS


class Shell(ABC):
    """The state of a shell, and what evaluates a part of its text.

    `via`: what leads to the text, outermost first. `stdin`: what the running command reads.
    """

    def __init__(self, cwd: str, home: str, budget: Budget) -> None:
        self.cwd, self.home, self.budget = cwd, home, budget
        self.calls: list[Call] = []
        self.files: dict[str, Word] = {}
        self.unverified: list[str] = []
        self.is_fork_bomb = False
        self.restarts = 0
        self.via: tuple[str, ...] = ()
        self.separators = " \t\n"
        self.positional: list[Word] = []
        self.program = Word("$0")  # the name by which a text knows itself
        self.functions: dict[str, Node] = {}
        self.bombs: set[str] = set()
        self.variables: dict[str, list[Word]] = {}
        # Further values that variables may have, after statements that may not have run.
        self.alternatives: dict[str, list[list[Word]]] = {}
        self.elements: dict[tuple[str, str], Word] = {}
        self.references: dict[str, str] = {}  # names that stand for other names
        self.stdin: Word | None = None
        self._words = 0

    # -- variables ---------------------------------------------------------------------------------

    def has(self, name: str) -> bool:
        """Whether the text has set a variable."""
        return (
            name in self.variables
            or name in ("HOME", "PWD", "IFS")
            or (bool(_POSITION.fullmatch(name)) and int(name) <= len(self.positional))
        )

    def get(self, name: str, index: str | None) -> Word:
        """Return the value of a variable, of one of its elements, or of a position."""
        if name in ("@", "*"):
            return join_all(self.positional) if self.positional else Word("")
        if name == "0":
            return self.program
        if _POSITION.fullmatch(name):
            at = int(name) - 1
            return self.positional[at] if 0 <= at < len(self.positional) else Word("")
        name = self.references.get(name, name)
        found = self.variables.get(name)
        if found is None:
            known = {"HOME": self.home, "PWD": self.cwd or UNKNOWN, "IFS": self.separators}
            return Word(known[name]) if name in known else Word(UNKNOWN, (), (name,))
        if index in ("@", "*"):
            return join_all(found) if found else Word("")
        if not index:
            return found[0] if found else Word("")
        if (name, index) in self.elements:
            return self.elements[name, index]
        number = self._find_index(index)
        if number is None:
            return UNKNOWN_WORD
        return found[number] if -len(found) <= number < len(found) else Word("")

    def _find_index(self, index: str) -> int | None:
        """Return the number that an index is, or that a variable of its name has."""
        text = index.removeprefix("${").removeprefix("$").removesuffix("}")
        known = self.variables.get(text)
        text = known[0].text if known else text
        return int(text) if _NUMBER.fullmatch(text) else None

    def set_element(self, name: str, index: str, value: Word) -> None:
        """Assign one element of an array, or of a table by names."""
        index = index.strip("'\"")
        at = self._find_index(index)
        values = self.variables.setdefault(name, [])
        if at is None or not 0 <= at < _MOST_ELEMENTS:
            self.elements[name, index] = value
            values.append(value)
        else:
            values += [Word("")] * (at + 1 - len(values))
            values[at] = value

    def keep_alternatives(
        self, values: Mapping[str, list[Word]], others: Mapping[str, list[list[Word]]]
    ) -> None:
        """Keep the values from before a statement that may not have run."""
        for name, old in values.items():
            if self.variables.get(name) != old:
                every = [*others.get(name, ()), old, *self.alternatives.get(name, ())]
                self.alternatives[name] = every[:_MOST_ALTERNATIVES]

    def restore(self, before: Mapping[str, list[Word] | None]) -> None:
        """Give variables the values that they had before, None for those that had none."""
        for name, values in before.items():
            if values is None:
                self.variables.pop(name, None)
            else:
                self.variables[name] = values

    def list_values(self, name: str) -> list[Word]:
        """Return the elements of an array, or with `@` the positions."""
        if name == "@":
            return list(self.positional)
        return list(self.variables.get(name, [Word(UNKNOWN, (), (name,))]))

    def set(self, name: str, *values: Word) -> None:
        """Assign a variable."""
        if name == "IFS":
            self.separators = values[0].text if values else ""
        elif name == "HOME" and values:
            self.home = values[0].text
        else:
            self.variables[name] = list(values)
            self.alternatives.pop(name, None)
            for word in values:
                if match := _KEYED.fullmatch(word.text):
                    self.elements[name, match[1]] = word._replace(text=match[2])

    def write(self, path: str, data: Word, *, adds: bool = False) -> None:
        """Remember what the text wrote to a file."""
        path = self.find_path(path)
        old = self.files.get(path)
        self.files[path] = join_words([old, data]) if adds and old else data

    def find_path(self, path: str) -> str:
        """Return a path from the current folder."""
        if path.startswith("/") or not self.cwd or UNKNOWN in path:
            return path
        return f"{self.cwd.rstrip('/')}/{path.removeprefix('./')}"

    def find_folder(self, target: str) -> str:
        """Return the folder that a change of folder leads to; empty if that is not known."""
        if UNKNOWN in target:
            return ""
        if target.startswith("/"):
            return posixpath.normpath(target)
        return posixpath.normpath(f"{self.cwd}/{target}") if self.cwd else ""

    def add_call(self, command: Command, *, language: str = "", code: str = "") -> Word:
        """Record a call and return its output, which is not known."""
        self._words += len(command.words)
        if len(self.calls) >= MOST_CALLS:
            raise OverBudgetError(f"more than {MOST_CALLS} calls")
        if self._words > _MOST_WORDS_IN_ALL:
            raise OverBudgetError(f"more than {_MOST_WORDS_IN_ALL} words of all commands")
        if _starts(command.words, self.program.text):  # it starts itself
            self.restarts += 1
            self.is_fork_bomb = self.is_fork_bomb or self.restarts > 1
        words, stdin, redirects, assigned = command
        call = Call(words, self.via, self.cwd, redirects, stdin, language, code, assigned)
        self.calls.append(call)
        return Word(UNKNOWN, (len(self.calls) - 1,))

    def run_inner(self, way: str, command: Command, *, cwd: str | None = None) -> Word:
        """Run a command that another one starts, in another folder if `cwd` is given."""
        if len(self.via) > _MOST_WAYS:
            self.unverified.append("wrappers in wrappers, too deep")
            return UNKNOWN_WORD
        before = self.via, self.cwd
        self.via = (*self.via, way)
        if cwd is not None:
            self.cwd = cwd
        try:
            if len(command.words) == 1 and " " in command.words[0].text:  # `npx -c 'a text'`
                return self.run_text(command.words[0].text, command.stdin, ())
            return self.run_command_words(command)
        finally:
            self.via, self.cwd = before

    # -- what evaluates --------------------------------------------------------------------------

    @abstractmethod
    def run_text(
        self,
        text: str,
        stdin: Word | None,
        via: Sequence[str],
        positional: Sequence[Word] | None = None,
    ) -> Word:
        """Run a text and return what it prints."""

    @abstractmethod
    def run_command_words(self, command: Command) -> Word:
        """Run one command by its words and return what it prints."""

    @abstractmethod
    def expand_text(self, text: str) -> Word:
        """Return the value of a text as between double quotes."""

    @abstractmethod
    def run_substitution(self, node: Node) -> Word:
        """Run a command substitution and return what it prints, without the last line breaks."""

    @abstractmethod
    def run_process(self, node: Node) -> Word:
        """Run a process substitution and return the path by which it is read."""

    @abstractmethod
    def call_function(self, name: str, words: Sequence[Word], stdin: Word | None) -> Word:
        """Run the body of a function of the text."""
