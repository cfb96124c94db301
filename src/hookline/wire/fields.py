"""Typed readers over a tree: each checks the value of a key, and files a problem with its place."""

from __future__ import annotations

from hookline.errors import ConfigError, did_you_mean
from hookline.model.spec import Broken, Origin, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, TypeVar

    from hookline.model.spec import Handler
    from hookline.wire.parsers import Path, Tree

    _T = TypeVar("_T")

# No configuration means infinity, NaN, or a number that a float cannot count exactly.
_GREATEST = 1 << 53
_LONGEST = 1e9  # seconds; what is longer is a mistake


# The reason of a broken hook whose loader filed no problem. A test finds loaders that cause this.
UNEXPLAINED = "hookline cannot read this hook"


def explain_errors(problems: Iterable[Problem]) -> str:
    """Return the errors among some problems as one reason, after the place of the first."""
    errors = [problem for problem in problems if problem.severity == "error"]
    if not errors:
        return ""
    words = "; ".join(
        f"{each.message} ({each.hint})" if each.hint else each.message for each in errors
    )
    place = errors[0].origin.place
    return f"{place}: {words}" if place else words


class Node:
    """One part of a tree, its place, and the list of problems that all nodes of a source share."""

    __slots__ = ("file", "path", "problems", "scope", "tree", "value")

    def __init__(
        self,
        tree: Tree,
        file: str,
        scope: str,
        problems: list[Problem],
        path: Path = (),
        value: Any = None,
    ) -> None:
        self.tree = tree
        self.file = file
        self.scope = scope
        self.problems = problems
        self.path = path
        self.value = value if path else tree.value

    @property
    def pointer(self) -> str:
        """Return the path of keys, joined by dots."""
        return ".".join(str(step) for step in self.path)

    def origin(self, *key: str | int) -> Origin:
        """Return the place of this node, or of the key below it."""
        path = (*self.path, *key)
        line, column = self.tree.place(path)
        return Origin(
            file=self.file,
            pointer=".".join(map(str, path)),
            line=line,
            column=column,
            scope=self.scope,
            search=self.tree.search(path),
        )

    def child(self, key: str | int) -> Node:
        """Return the part under a key or an index."""
        return Node(
            self.tree, self.file, self.scope, self.problems, (*self.path, key), self.value[key]
        )

    def complain(
        self, name: str, message: str, *key: str | int, hint: str = "", severity: str = "error"
    ) -> None:
        """File a problem about this node, or about the key below it."""
        self.problems.append(
            Problem(
                name=name, message=message, hint=hint, severity=severity, origin=self.origin(*key)
            )
        )

    def warn(self, name: str, message: str, *key: str | int, hint: str = "") -> None:
        """File a problem that keeps no hook from running."""
        self.complain(name, message, *key, hint=hint, severity="warning")

    def mark(self) -> int:
        """Return a position in the list of problems for `errors_since`."""
        return len(self.problems)

    def errors_since(self, mark: int) -> str:
        """Return the errors filed since `mark` as the reason why a hook is broken.

        Empty if there are none.
        """
        return explain_errors(self.problems[mark:])

    def choose_handler(self, handler: Handler | None, reason: str) -> Handler:
        """Return the handler that this node declares, or a broken one that says what is wrong.

        Args:
            handler: what the hook would run; None where the node declares nothing that can run.
            reason: what is wrong with the hook, from `errors_since`; empty where nothing is.
        """
        if handler is not None and not reason:
            return handler
        if not reason:
            reason = explain_errors(
                [Problem(name="value.type", message=UNEXPLAINED, origin=self.origin())]
            )
        return Broken(reason=reason, url=getattr(handler, "url", ""))

    # -- shapes ------------------------------------------------------------------------------------

    def is_mapping(self, what: str, name: str = "value.type") -> bool:
        """Return whether this is a mapping; file a problem if not."""
        if isinstance(self.value, dict):
            return True
        self.complain(name, f"{what} must be a mapping, not {describe_value(self.value)}")
        return False

    def children(self) -> Iterator[Node]:
        """Return the items of a list, or the values of a mapping."""
        keys: Iterable[str | int] = (
            range(len(self.value)) if isinstance(self.value, list) else list(self.value)
        )
        return (self.child(key) for key in keys)

    def check_known_keys(
        self,
        known: Iterable[str],
        what: str,
        *,
        severity: str = "error",
        name: str = "key.unknown",
    ) -> None:
        """File a problem about each unknown key."""
        listed = list(known)
        for key in self.value:
            if key not in listed:
                hint = did_you_mean(key, listed) or f"known keys: {', '.join(listed)}"
                self.complain(
                    name,
                    f"unknown key `{key}` in {what}",
                    key,
                    hint=hint,
                    severity=severity,
                )

    # -- scalars -----------------------------------------------------------------------------------

    def text(self, key: str, default: str = "", *, required: bool = False) -> str:
        """Return the text under a key."""
        if required and self.value.get(key) is None:
            self.complain("key.missing", f"the key `{key}` is missing")
        return self._read(key, default, lambda value: isinstance(value, str), "text")

    def number(self, key: str, default: float | None = None) -> float | None:
        """Return the number under a key: an integer or a fraction, never a boolean."""
        return self._read(key, default, lambda value: _is_number(value, int | float), "a number")

    def integer(self, key: str, default: int | None = None) -> int | None:
        """Return the whole number under a key."""
        return self._read(key, default, lambda value: _is_number(value, int), "a whole number")

    def duration(
        self, key: str, *, unit: str = "seconds", longest: float = _LONGEST
    ) -> float | None:
        """Return the positive time under a key, in `unit`; None if it is missing or wrong."""
        given = self.number(key)
        if given is None or 0 < given <= longest:
            return given
        self.complain(
            "value.range", f"`{key}: {given}` is no time to wait", key, hint=f"{unit}, more than 0"
        )
        return None

    def flag(self, key: str, *, default: bool = False) -> bool:
        """Return the boolean under a key."""
        return self._read(key, default, lambda value: isinstance(value, bool), "true or false")

    def choice(
        self, key: str, allowed: Iterable[str], default: str, *, name: str = "value.choice"
    ) -> str:
        """Return the text under a key, which must be one of the allowed words."""
        value = self.text(key, default)
        listed = list(allowed)
        if value in listed:
            return value
        hint = did_you_mean(value, listed) or f"one of {', '.join(f'`{word}`' for word in listed)}"
        self.complain(name, f"`{key}: {value}` is not known", key, hint=hint)
        return default

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the list of texts under a key; nothing of one with an item that is no text."""
        found: list[Any] = self._read(key, [], lambda it: isinstance(it, list), "a list of texts")
        named = ((at, f"item {at + 1} of `{key}`", item) for at, item in enumerate(found))
        return tuple(found) if self._has_texts(key, named, str) else ()

    def mapping(self, key: str) -> Mapping[str, str]:
        """Return the mapping of texts under a key.

        Numbers and booleans become texts as JSON writes them.
        """
        wanted = "a mapping of texts"
        found: Mapping[str, Any] = self._read(key, {}, lambda it: isinstance(it, dict), wanted)
        named = ((name, f"`{name}` of `{key}`", item) for name, item in found.items())
        if not self._has_texts(key, named, str | int | float):
            return {}
        return {name: as_text(item) for name, item in found.items()}

    def _has_texts(self, key: str, named: Iterable[tuple[str | int, str, Any]], kind: Any) -> bool:
        """Return whether all items are of a kind; file a problem about each other one."""
        mark = self.mark()
        for at, what, item in named:
            if not isinstance(item, kind):
                why = f"{what} must be text, not {describe_value(item)}"
                self.complain("value.type", why, key, at)
        return self.mark() == mark

    def _read(self, key: str, default: _T, is_valid: Callable[[Any], bool], wanted: str) -> _T:
        """Return the value under a key, or the default if it is missing or null.

        File a problem if it is invalid.
        """
        value = self.value.get(key)
        if value is None:
            return default
        if is_valid(value):
            found: _T = value
            return found
        message = f"`{key}` must be {wanted}, not {describe_value(value)}"
        self.complain("value.type", message, key)
        return default


def _is_number(value: Any, kind: Any) -> bool:
    return (
        isinstance(value, kind) and not isinstance(value, bool) and -_GREATEST < value < _GREATEST
    )


def describe_value(value: Any) -> str:
    """Describe a value in the words of a configuration file."""
    if value is None:
        return "nothing"
    if isinstance(value, bool | int | float):
        return f"`{as_text(value):.40}`"
    if isinstance(value, str):
        return f"the text `{value:.40}`"
    return "a list" if isinstance(value, list) else "a mapping"


def as_text(value: Any) -> str:
    """Return a value as a configuration file would write it."""
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def to_problem(error: ConfigError, file: str, scope: str) -> Problem:
    """Return an error that stopped the reading of a whole file as a problem with its place."""
    parts = error.place.rsplit(":", 2)
    # File, line, column.
    numbered = len(parts) == 3 and parts[1].isdigit() and parts[2].isdigit()  # noqa: PLR2004
    line, column = (int(parts[1]), int(parts[2])) if numbered else (0, 0)
    return Problem(
        name=error.name,
        message=error.message,
        hint=error.hint,
        origin=Origin(file=file, line=line, column=column, scope=scope),
    )
