"""Regular expressions that people write: compiled on RE2, so that no text can make a match slow."""

from __future__ import annotations

import re
from contextvars import ContextVar

from hookline.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

_BEYOND_RE2 = (
    ("(?=", "look-ahead"),
    ("(?!", "look-ahead"),
    ("(?<=", "look-behind"),
    ("(?<!", "look-behind"),
    ("(?>", "an atomic group"),
    ("(?(", "a conditional group"),
    ("(?P=", "a back-reference"),
)
_NOWHERE = (-1, -1)
_INSTRUCTIONS = 1 << 18  # that the expressions of one source may compile to together
_MEMORY = 8 << 20  # bytes an expression and its automaton may take
# The parts, compiled when an expression is for `re`, by which `_explodes` reads an expression; escapes, classes and comments are passed over whole.
_PARTS = r"(?s)\\.|\[\^?\]?(?:\\.|[^\\\]])*\]|\(\?#[^)]*\)|\(\??|\{\d*,?\d*\}|."


class Budget:
    """How many RE2 instructions all expressions that are compiled inside a `with` may have together.

    Once it is spent, `compile_regex` refuses each further expression at once.
    """

    __slots__ = ("_token", "left")

    def __init__(self, instructions: int = _INSTRUCTIONS) -> None:
        self.left = instructions

    @property
    def is_spent(self) -> bool:
        """Whether the expressions needed more than there was."""
        return self.left < 0

    def __enter__(self) -> Self:
        self._token = _budget.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        _budget.reset(self._token)


_budget: ContextVar[Budget | None] = ContextVar("budget", default=None)


class Regex:
    """A compiled expression; `source` is what the person wrote."""

    __slots__ = ("_both", "_match", "_unanchored", "source")

    def __init__(self, source: str, compiled: Any) -> None:
        self.source = source
        # The engine itself: its Python wrapper would build match objects, and translate offsets, that nobody asks for.
        engine = compiled._regexp
        self._match = engine.Match
        self._unanchored, self._both = engine.Anchor.UNANCHORED, engine.Anchor.ANCHOR_BOTH

    def found_in(self, text: str) -> bool:
        """Whether the expression matches anywhere in the text."""
        sent = _utf8(text)
        matched: bool = self._match(self._unanchored, sent, 0, len(sent))[0] != _NOWHERE
        return matched

    def covers(self, text: str) -> bool:
        """Whether the expression matches the whole text."""
        sent = _utf8(text)
        matched: bool = self._match(self._both, sent, 0, len(sent))[0] != _NOWHERE
        return matched

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Regex) and other.source == self.source

    def __hash__(self) -> int:
        return hash(self.source)

    def __repr__(self) -> str:
        return f"Regex({self.source!r})"


class Backtracking(Regex):
    """An expression that only Python's `re` can run; it sees the first `longest` characters of a text.

    `construct` names what RE2 lacks. `re` has no limit of time: this is for expressions that only the user writes, for
    values that are short.
    """

    __slots__ = ("_cover", "_search", "construct")

    longest = 4096

    def __init__(self, source: str, compiled: re.Pattern[str]) -> None:
        self.source = source
        self.construct = _construct(source) or "what RE2 does not have"
        self._search, self._cover = compiled.search, compiled.fullmatch

    def found_in(self, text: str) -> bool:
        return self._search(text[: self.longest]) is not None

    def covers(self, text: str) -> bool:
        return self._cover(text[: self.longest]) is not None


def _utf8(text: str) -> bytes:
    """The text as RE2 sees it. Its Python wrapper would encode it too, and then translate offsets that nobody asks for."""
    try:
        return text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which no UTF-8 engine can see
        return text.encode("utf-8", "replace")


def compile_regex(source: str) -> Regex:
    """Compile an expression.

    Raises:
        ConfigError: `matcher.regex`; the message names the construct that RE2 lacks, or what is wrong.
    """
    budget = _budget.get()
    if budget is not None and budget.is_spent:
        raise ConfigError(
            "the expressions of this file need too much memory together", name="config.too-large"
        )
    import re2  # noqa: PLC0415 - 4 ms that a configuration without expressions does not pay

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        compiled = re2.compile(source, options=options)
    except re2.error as error:
        raise ConfigError(
            f"invalid expression `{source}`: {_why(source, error)}",
            name="matcher.regex",
            hint=_hint(source),
        ) from None
    except UnicodeEncodeError:
        raise ConfigError(
            f"invalid expression {source!a}: not valid Unicode", name="matcher.regex"
        ) from None
    if budget is not None:
        budget.left -= compiled.programsize
    return Regex(source, compiled)


def compile_or_backtrack(source: str) -> Regex:
    """Compile an expression; one that RE2 refuses and Python's `re` accepts is a `Backtracking`.

    Raises:
        ConfigError: `matcher.regex`; neither accepts it, or its repetitions are such that `re` could try them for ever.
    """
    import warnings  # noqa: PLC0415 - only what RE2 refuses comes this far, and few configurations have any

    try:
        return compile_regex(source)
    except ConfigError as error:
        refusal = error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `re` prints what it may read otherwise one day
            compiled = re.compile(source)
    except (re.error, OverflowError, RecursionError):
        raise refusal from None
    if _explodes(source):
        hint = "take the repetition, or the `|`, out of the repeated group"
        message = f"{refusal.message}, and repeats a group with a repetition or a choice in it"
        raise ConfigError(f"{message}, which could run for ever", name="matcher.regex", hint=hint)
    return Backtracking(source, compiled)


def _explodes(source: str) -> bool:
    """Whether a group is repeated that holds a repetition or a choice: `re` may take exponential time for no more than that."""
    holds = [False]
    closed = False  # whether the part before is a group that holds one
    for part in re.findall(_PARTS, source):
        if closed and part[0] in "*+{":
            return True
        closed = False
        if part in ("(", "(?"):
            holds.append(False)
        elif part == ")" and len(holds) > 1:
            closed = holds.pop()
            holds[-1] |= closed
        elif part in ("*", "+", "?", "|") or (part[0] == "{" and "," in part):
            holds[-1] = True
    return False


def _construct(source: str) -> str:
    for mark, construct in _BEYOND_RE2:
        if mark in source:
            return construct
    backslashed = {source[at + 1] for at in range(len(source) - 1) if source[at] == "\\"}
    return "a back-reference" if backslashed & set("123456789") else ""


def _why(source: str, error: Exception) -> str:
    construct = _construct(source)
    if construct:
        return f"it uses {construct}"
    told = error.args[0] if error.args else ""
    return told.decode("utf-8", "replace") if isinstance(told, bytes) else str(told)


def _hint(source: str) -> str:
    if _construct(source):
        return (
            "patterns run on RE2, in linear time, which has no look-around and no back-references"
        )
    return "RE2 syntax; write `.*` where a glob has `*`"
