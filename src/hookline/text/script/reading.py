"""What is known of a shell text: the calls that it would make, and the data between them."""

from __future__ import annotations

from typing import NamedTuple

# Stands in a text for a part that is not known.
UNKNOWN = "\ufffc"
# Bounds of a reading (docs/explanation/guards.md).
MOST_BYTES, MOST_CALLS, DEEPEST = 64 << 10, 400, 12
MOST_WORDS = 2048  # of a command


class Word(NamedTuple):
    """A word, or data, as far as it is known.

    `text` has `UNKNOWN` for each unknown part. `calls`: the numbers of the calls whose output is in
    it. `names`: the variables of the environment whose value is in it.
    """

    text: str
    calls: tuple[int, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether all of it is known."""
        return UNKNOWN not in self.text

    def add_calls(self, other: Word) -> Word:
        """Return the word with the calls of another one too."""
        return self._replace(calls=(*self.calls, *other.calls))


class Redirect(NamedTuple):
    """A redirection, such as `2> FILE`; `descriptor` is empty for the usual one."""

    operator: str
    target: Word
    descriptor: str = ""


class Command(NamedTuple):
    """A simple command: its words, what it reads, its redirections, and its own variables.

    `stdin`: None for the terminal. `assigned`: variables that hold for this command only.
    """

    words: tuple[Word, ...]
    stdin: Word | None = None
    redirects: tuple[Redirect, ...] = ()
    assigned: tuple[tuple[str, Word], ...] = ()

    @property
    def texts(self) -> list[str]:
        """The words as texts."""
        return [word.text for word in self.words]


class Call(NamedTuple):
    """One program that would run, without its wrappers.

    `via`: what leads to it, outermost first, such as `("sudo", "bash -c")`. `cwd`: its folder,
    empty if that is unknown. `stdin`: what it reads, None for the terminal. `language`: that of an
    interpreter whose `code` this is; empty for a program.
    """

    words: tuple[Word, ...]
    via: tuple[str, ...] = ()
    cwd: str = ""
    redirects: tuple[Redirect, ...] = ()
    stdin: Word | None = None
    language: str = ""
    code: str = ""
    assigned: tuple[tuple[str, Word], ...] = ()

    @property
    def program(self) -> str:
        """The name of the program without its folder; empty if it is not known."""
        name = self.words[0].text if self.words else ""
        return "" if UNKNOWN in name else name.rpartition("/")[2]

    @property
    def texts(self) -> list[str]:
        """The words as texts."""
        return [word.text for word in self.words]

    @property
    def text(self) -> str:
        """The call on one line, with `?` for what is not known."""
        return " ".join(self.texts).replace(UNKNOWN, "?")


class Reading(NamedTuple):
    """A shell text: its calls in order, and why a part of it is not verified.

    `files`: what the text itself wrote to files, by path. `is_fork_bomb`: a function, or the script
    itself, starts itself more than once.
    """

    calls: tuple[Call, ...]
    unverified: tuple[str, ...] = ()
    files: tuple[tuple[str, Word], ...] = ()
    is_fork_bomb: bool = False


NOTHING = Word("")
UNKNOWN_WORD = Word(UNKNOWN)


def make_set(words: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(words.split())


def join_words(words: list[Word], between: str = "") -> Word:
    """Return one word of several, with all that is known of where they come from."""
    if len(words) == 1:
        return words[0]
    size = sum(len(word.text) for word in words)
    return Word(
        between.join(word.text for word in words) if size <= MOST_BYTES else UNKNOWN,
        tuple(dict.fromkeys(call for word in words for call in word.calls)),
        tuple(dict.fromkeys(name for word in words for name in word.names)),
    )


def replace_text(text: str, old: str, new: str, most: int = -1) -> str:
    """Return a text with one for another, `most` times; not known if it becomes too long."""
    if old and text.count(old) * len(new) > MOST_BYTES:
        return UNKNOWN
    return text.replace(old, new, most)


def join_all(words: list[Word]) -> Word:
    """Return words as one text, a blank between each two."""
    return join_words(words, " ") if words else Word("")
