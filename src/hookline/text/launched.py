"""Launched: what a program runs of its own words, read as the program reads them, and nothing that it alone could tell."""

from __future__ import annotations

import re

from hookline.text.embedded import UNKNOWN, texts, values
from hookline.text.launchers import FILED, FINDS, GITS, rows
from hookline.text.launchers import signs as signs_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hookline.text.launchers import Launcher

_LEADING = ("--exec-path", "core.hookspath")  # to git: where its programs are, and its hooks
_ACTIONS = frozenset({"-exec", "-execdir"})
DEEPEST = 32  # launchers of one line
UNSURE = "\0"  # what stands for a word that only the shell can tell


class Launched:
    """What a launcher runs: its words from `at` up to `end`, or a `text` for a shell, which is the word at `text_at`, if it is one.

    Neither where it runs nothing. `folders`: where it goes first, one from the other; `moved`: to a folder that is not known. `blank`:
    what stands for a word that comes later. `more`: words come behind those that are known. `is_script`: the first is one of Python.
    """

    __slots__ = (
        "at",
        "blank",
        "end",
        "folders",
        "is_script",
        "more",
        "moved",
        "own",
        "text",
        "text_at",
    )

    def __init__(
        self,
        at: int,
        end: int,
        *,
        moved: bool = False,
        more: bool = False,
        blank: str = "",
        own: bool = False,
    ) -> None:
        self.at = at
        self.end = end
        self.moved = moved
        self.more = more
        self.blank = blank
        self.own = own
        self.text: str | None = None
        self.text_at: int | None = None
        self.folders: tuple[str, ...] = ()
        self.is_script = False

    def told(self, sign: str, value: str, at: int | None) -> None:
        """Take an option into account; `at`: where its value stands, if that is a word."""
        if sign == "@":
            self.folders, self.moved = (*self.folders, value), False
        elif sign == "$":
            self.text, self.text_at = value, at
        elif sign in ("{", "}"):
            self.blank = value or "{}"
        elif sign in ("%", "."):
            self.moved = sign == "%"
        elif sign == "#":
            self.is_script = True


def launched(words: Sequence[str], start: int, row: Launcher) -> Launched | None:
    """What the words run by one row; None where they cannot be read by it."""
    if tuple(words[start + 1 : start + 1 + len(row.verbs)]) != row.verbs:
        return None
    found = Launched(0, len(words), moved=row.moved, own=row.own)
    at = _program_at(words, start + 1 + len(row.verbs), row, found)
    if at is None or (found.text is None and at >= len(words) and not row.idle):
        return None
    found.at = at
    found.end = next(
        (place for place in range(at, len(words)) if words[place] in row.ends), len(words)
    )
    found.more = row.more and not found.blank
    if at < found.end:
        found.is_script = found.is_script or words[at].endswith(row.scripts or ("\0",))
        if row.joined:
            _join(words[at : found.end], row, found)
        elif row.blanks:
            found.blank = row.blanks
    return found


def _join(words: Sequence[str], row: Launcher, found: Launched) -> None:
    text = " ".join(words)
    filled = re.sub(row.blanks, lambda _: UNKNOWN, text) if row.blanks else text
    found.text = f"{text} {UNKNOWN}" if row.more and filled == text else filled


def _program_at(words: Sequence[str], at: int, row: Launcher, found: Launched) -> int | None:
    """The place of the program behind the options; None where one of them is not known."""
    signs = signs_of(row)
    at += row.lead and at < len(words) and not words[at].startswith("-")
    before = row.before
    while at < len(words):
        word = words[at]
        if (word.startswith("-") and word != "-") or word in signs:
            sign, step, value = _option(words, at, signs)
            if sign == "!":
                return None
            at += step
            if sign == ">":
                return at
            found.told(sign, value, at - 1 if step > 1 else None)
        elif row.assigns and _is_assignment(word):
            at += 1
        elif before:
            before, at = before - 1, at + 1
        elif row.permuted:
            at += 1
        else:
            return at
    return at


def _is_assignment(word: str) -> bool:
    name, sign, _ = word.partition("=")
    return bool(sign) and name.isascii() and name.isidentifier()


def _option(words: Sequence[str], at: int, signs: Mapping[str, str]) -> tuple[str, int, str]:
    """The sign of an option, how many words it takes, and its value."""
    word = words[at]
    if word == "--" and word not in signs:
        return "", 1, ""
    if word in signs:
        return _valued(signs[word], "", words, at)
    if word.startswith("--"):
        name, sign, value = word.partition("=")
        meant = (
            {signs[name]}
            if name in signs
            else {signs[each] for each in signs if each.startswith(name)}
        )
        known = meant.pop() if len(meant) == 1 else "!" if meant or "-*" not in signs else ""
        return (known, 1, value) if sign else _valued(known, "", words, at)
    for place, letter in enumerate(word[1:], 2):
        sign = signs.get(f"-{letter}", "" if "-*" in signs else "!")
        if sign:
            return _valued(sign, word[place:], words, at)
    return "", 1, ""


def _valued(sign: str, glued: str, words: Sequence[str], at: int) -> tuple[str, int, str]:
    """An option with its value, which is glued to it, or the next word."""
    if sign not in ("=", "@", "$", "{") or glued:
        # Of options that take no value, others may stand behind it in one word: what these mean is not looked up.
        return ("!" if glued and sign in (".", "%", "#", ">") else sign), 1, glued
    return (sign, 2, words[at + 1]) if at + 1 < len(words) else ("!", 1, "")


# -- what is run by each kind of program ---------------------------------------------------------------------------------


def launches(words: Sequence[str], start: int = 0) -> tuple[Launched, ...]:
    """What a program runs beside itself, as far as its words tell for certain."""
    name = words[start].rpartition("/")[2]
    if name in FINDS:
        return tuple(_acted(words, start))
    read = (launched(words, start, row) for row in rows(name))
    found = next((each for each in read if each is not None), None)
    if found is None:
        return tuple(_embedded(words, start))
    return () if found.text is None and found.at >= found.end else (found,)


def is_acting(words: Sequence[str], start: int = 0) -> bool:
    """Whether `find` is told to run something."""
    acts = ("-exec", "-execdir", "-ok", "-okdir")
    return words[start].rpartition("/")[2] in FINDS and any(
        word in acts for word in words[start + 1 :]
    )


def is_led(words: Sequence[str], start: int = 0) -> bool:
    """Whether `git` is told to find its own programs, or its hooks, elsewhere."""
    if words[start].rpartition("/")[2] not in GITS:
        return False
    told = [word.partition("=") for word in words[start + 1 :]]
    return any(
        name.lower() in _LEADING and value not in ("", "/dev/null") for name, _, value in told
    )


def _acted(words: Sequence[str], start: int) -> Iterator[Launched]:
    """`find -exec program words ;`, or `{} +`."""
    end = start
    for at in range(start + 1, len(words)):
        if at > end and words[at] in _ACTIONS:
            ends = (
                end
                for end in range(at + 1, len(words))
                if words[end] == ";" or words[end - 1 : end + 1] == ["{}", "+"]
            )
            end = next(ends, len(words))
            if end > at + 1:
                yield Launched(
                    at + 1, end, moved=words[at] == "-execdir", more=end == len(words), blank="{}"
                )


def _embedded(words: Sequence[str], start: int) -> Iterator[Launched]:
    for text in texts(words, start):
        one = Launched(0, 0)
        one.text = text
        yield one


def filed(words: Sequence[str], start: int = 0) -> list[str]:
    """The files that a program is told to run by an option."""
    options = FILED.get(words[start].rpartition("/")[2], ())
    if not options:
        return []
    told = [
        "-f" if "-f" in options and re.fullmatch("-[a-zA-Z]*f", word) else word
        for word in words[start + 1 :]
    ]
    return values(told, options)


def unfolded(words: Sequence[str]) -> list[str]:
    """The words, where `env -S 'program words'` has its words one by one, as far as that can be told."""
    whole = list(words)
    at = 0
    for _ in range(DEEPEST):
        if at >= len(whole):
            break
        if (
            whole[at].rpartition("/")[2] in ("env", "genv")
            and (made := _split(whole, at)) is not None
        ):
            whole = made
            continue
        found = next((each for each in launches(whole, at) if each.text is None), None)
        if found is None or found.at <= at:
            break
        at = found.at
    return whole


def _split(words: Sequence[str], at: int) -> list[str] | None:
    """The words with those of the text behind `-S` in its place; None where there is none, or only `env` can tell them."""
    signs = signs_of(rows("env")[0])
    place = at + 1
    while place < len(words) and words[place].startswith("-") and words[place] != "--":
        found = re.fullmatch(r"(?s)-([i0v]*)S(.*)|--s[a-z-]*(=.*)?", words[place])
        if found is not None:
            glued = (found[3] or "")[1:] if found[2] is None else found[2]
            behind = place + (1 if glued else 2)
            made = _parted(glued or "".join(words[place + 1 : behind]))
            return (
                None
                if made is None
                else [
                    *words[:place],
                    *([f"-{found[1]}"] if found[1] else []),
                    *made,
                    *words[behind:],
                ]
            )
        place += _option(words, place, signs)[1]
    return None


def _parted(text: str) -> list[str] | None:
    import shlex  # noqa: PLC0415 - few hooks are run by `env -S`

    if set(text) & set("\\$#\v\f"):  # which mean to `env` what they mean to nobody else
        return None
    try:
        return shlex.split(text)
    except ValueError:
        return None
