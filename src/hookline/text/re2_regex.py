"""Expressions that RE2 runs, in linear time, with one memory budget for those of a file."""

from __future__ import annotations

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
_NO_LOOK_AROUND = (
    "patterns run on RE2, in linear time, which has no look-around and no back-references"
)
_NOWHERE = (-1, -1)
_INSTRUCTIONS = 1 << 18  # that the expressions of one source may compile to together
_MEMORY = 8 << 20  # bytes an expression and its automaton may take


class MatchTimeoutError(Exception):
    """A match took longer than its time limit. `source` is the expression."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.source = source


class RegexBudget:
    """How many RE2 instructions all expressions compiled inside a `with` block may have together.

    Once it is spent, `compile_regex` refuses each further expression at once.
    """

    __slots__ = ("_token", "left")

    def __init__(self, instructions: int = _INSTRUCTIONS) -> None:
        self.left = instructions

    @property
    def is_spent(self) -> bool:
        """Return whether the expressions needed more than the budget."""
        return self.left < 0

    def __enter__(self) -> Self:
        self._token = _budget.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        _budget.reset(self._token)


_budget: ContextVar[RegexBudget | None] = ContextVar("budget", default=None)


class Regex:
    """A compiled expression; `source` is what the person wrote."""

    __slots__ = ("_both", "_match", "_unanchored", "source")

    # Whether a match may raise `MatchTimeoutError`. If not, RE2 runs the expression, and so the
    # engine of any host reads it.
    may_time_out = False

    def __init__(self, source: str, compiled: Any) -> None:
        self.source = source
        # The engine itself. Its Python wrapper would build match objects and translate offsets that
        # hookline does not use.
        engine = compiled._regexp
        self._match = engine.Match
        self._unanchored, self._both = engine.Anchor.UNANCHORED, engine.Anchor.ANCHOR_BOTH

    def has_match_in(self, text: str) -> bool:
        """Return whether the expression matches anywhere in the text."""
        return self._run(self._unanchored, text)

    def is_full_match(self, text: str) -> bool:
        """Return whether the expression matches the whole text."""
        return self._run(self._both, text)

    def _run(self, anchor: Any, text: str) -> bool:
        try:
            sent = text.encode()
        except UnicodeEncodeError:  # a lone surrogate, which no UTF-8 engine can see
            sent = text.encode("utf-8", "replace")
        matched: bool = self._match(anchor, sent, 0, len(sent))[0] != _NOWHERE
        return matched

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Regex) and other.source == self.source

    def __hash__(self) -> int:
        return hash(self.source)

    def __repr__(self) -> str:
        return f"Regex({self.source!r})"


def check_budget() -> RegexBudget | None:
    """Return the budget of the current `with RegexBudget()` block, if there is one.

    Raises:
        ConfigError: `config.too-large`; the budget is spent.
    """
    budget = _budget.get()
    if budget is not None and budget.is_spent:
        raise ConfigError(
            "the expressions of this file need too much memory together", name="config.too-large"
        )
    return budget


def compile_re2(source: str, shown: str = "") -> Regex:
    """Compile an expression in RE2's own syntax.

    `shown`: how the person wrote it, where that differs.

    Raises:
        ConfigError: `matcher.regex`; the message names the construct that RE2 lacks, or the error.
    """
    budget = check_budget()
    import re2  # noqa: PLC0415 - 4 ms that a configuration without expressions does not pay

    shown = shown or source
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        compiled = re2.compile(source, options=options)
    except re2.error as error:
        construct = find_unsupported_construct(shown)
        detail = error.args[0] if error.args else ""
        why = detail.decode("utf-8", "replace") if isinstance(detail, bytes) else str(detail)
        raise ConfigError(
            f"invalid expression `{shown}`: {f'it uses {construct}' if construct else why}",
            name="matcher.regex",
            hint=_NO_LOOK_AROUND if construct else "RE2 syntax; write `.*` where a glob has `*`",
        ) from None
    except UnicodeEncodeError:
        raise ConfigError(
            f"invalid expression {shown!a}: not valid Unicode", name="matcher.regex"
        ) from None
    if budget is not None:
        budget.left -= compiled.programsize
    return Regex(shown, compiled)


def find_unsupported_construct(source: str) -> str:
    """Return the name of a construct that RE2 lacks; empty if the expression has none."""
    for mark, construct in _BEYOND_RE2:
        if mark in source:
            return construct
    backslashed = {source[at + 1] for at in range(len(source) - 1) if source[at] == "\\"}
    return "a back-reference" if backslashed & set("123456789") else ""
