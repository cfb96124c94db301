"""Typed readers over a tree: each takes a key, checks it, and files a complaint with its place when it is wrong."""

from __future__ import annotations

from hookline.model.handler import Broken
from hookline.model.problem import Origin, Problem
from hookline.text.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from hookline.errors import ConfigError
    from hookline.model.handler import Handler
    from hookline.wire.trees import Path, Tree

# Infinity, NaN and what a float cannot count are no numbers that anybody means.
_GREATEST = 1 << 53
_LONGEST = 1e9  # seconds; what is longer is a mistake


# The reason of a broken hook about which its loader complained of nothing. A law finds loaders that come to this.
UNEXPLAINED = "hookline cannot read this hook"


def explain(problems: Iterable[Problem]) -> str:
    """Return the errors among some problems as one reason: the place of the first, then each with its hint; else empty."""
    errors = [problem for problem in problems if problem.severity == "error"]
    if not errors:
        return ""
    words = "; ".join(
        f"{each.message} ({each.hint})" if each.hint else each.message for each in errors
    )
    place = errors[0].origin.place
    return f"{place}: {words}" if place else words


class Node:
    """One part of a tree, its place, and the list of complaints that all nodes of a source share."""

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
        """The path of keys, joined by dots."""
        return ".".join(str(step) for step in self.path)

    def origin(self, *key: str | int) -> Origin:
        """Where this node, or the key below it, stands."""
        line, column = self.tree.place((*self.path, *key))
        pointer = ".".join(str(step) for step in (*self.path, *key))
        return Origin(
            file=self.file, pointer=pointer, line=line, column=column, scope=self.scope, search=self.tree.search((*self.path, *key))
        )  # fmt: skip

    def child(self, key: str | int) -> Node:
        """The part under a key or an index."""
        return Node(
            self.tree, self.file, self.scope, self.problems, (*self.path, key), self.value[key]
        )

    def complain(
        self, name: str, message: str, *key: str | int, hint: str = "", severity: str = "error"
    ) -> None:
        """File a complaint about this node, or about the key below it."""
        self.problems.append(
            Problem(
                name=name, message=message, hint=hint, severity=severity, origin=self.origin(*key)
            )
        )

    def mark(self) -> int:
        """A place in the complaints, to ask `errors_since` from."""
        return len(self.problems)

    def errors_since(self, mark: int) -> str:
        """The errors that were filed since then, as the reason why a hook is broken; empty where there are none."""
        return explain(self.problems[mark:])

    def choose_handler(self, handler: Handler | None, reason: str) -> Handler:
        """Return the handler of the hook that this node declares, or, where something is wrong, a broken one that says why.

        Args:
            handler: what the hook would run; None where the node declares nothing that can run.
            reason: what is wrong with the hook, from `errors_since`; empty where nothing is.
        """
        if handler is not None and not reason:
            return handler
        if not reason:
            reason = explain(
                [Problem(name="value.type", message=UNEXPLAINED, origin=self.origin())]
            )
        return Broken(reason=reason, url=getattr(handler, "url", ""))

    # -- shapes ----------------------------------------------------------------------------------------------------

    def is_mapping(self, what: str, name: str = "value.type") -> bool:
        """Whether this is a mapping; complains if not."""
        if isinstance(self.value, dict):
            return True
        self.complain(name, f"{what} must be a mapping, not {shape(self.value)}")
        return False

    def children(self) -> Iterator[Node]:
        """The items of a list, or the values of a mapping."""
        keys: Iterable[str | int] = (
            range(len(self.value)) if isinstance(self.value, list) else list(self.value)
        )
        return (self.child(key) for key in keys)

    def only(self, known: Iterable[str], what: str, *, severity: str = "error") -> None:
        """Complain about each key that is not known."""
        listed = list(known)
        for key in self.value:
            if key not in listed:
                hint = did_you_mean(key, listed) or f"known keys: {', '.join(listed)}"
                self.complain(
                    "key.unknown",
                    f"unknown key `{key}` in {what}",
                    key,
                    hint=hint,
                    severity=severity,
                )

    # -- scalars ---------------------------------------------------------------------------------------------------

    def text(self, key: str, default: str = "", *, required: bool = False) -> str:
        """The text under a key."""
        value = self._given(key, required=required)
        if value is None:
            return default
        if isinstance(value, str):
            return value
        self._wrong_type(key, value, "text")
        return default

    def number(self, key: str, default: float | None = None) -> float | None:
        """The number under a key: an integer or a fraction, never a boolean."""
        value = self._given(key)
        if value is None:
            return default
        if (
            isinstance(value, int | float)
            and not isinstance(value, bool)
            and -_GREATEST < value < _GREATEST
        ):
            return value
        self._wrong_type(key, value, "a number")
        return default

    def integer(self, key: str, default: int | None = None) -> int | None:
        """The whole number under a key."""
        value = self._given(key)
        if value is None:
            return default
        if (
            isinstance(value, int)
            and not isinstance(value, bool)
            and -_GREATEST < value < _GREATEST
        ):
            return value
        self._wrong_type(key, value, "a whole number")
        return default

    def duration(
        self, key: str, *, unit: str = "seconds", longest: float = _LONGEST
    ) -> float | None:
        """The time to wait under a key, in its own unit, more than 0; None where there is none to go by."""
        given = self.number(key)
        if given is None or 0 < given <= longest:
            return given
        self.complain(
            "value.range", f"`{key}: {given}` is no time to wait", key, hint=f"{unit}, more than 0"
        )
        return None

    def flag(self, key: str, *, default: bool = False) -> bool:
        """The boolean under a key."""
        value = self._given(key)
        if value is None:
            return default
        if isinstance(value, bool):
            return value
        self._wrong_type(key, value, "true or false")
        return default

    def choice(
        self, key: str, allowed: Iterable[str], default: str, *, name: str = "value.choice"
    ) -> str:
        """The text under a key, one of some words."""
        value = self.text(key, default)
        listed = list(allowed)
        if value in listed:
            return value
        hint = did_you_mean(value, listed) or f"one of {', '.join(f'`{word}`' for word in listed)}"
        self.complain(name, f"`{key}: {value}` is not known", key, hint=hint)
        return default

    def texts(self, key: str) -> tuple[str, ...]:
        """The list of texts under a key."""
        value = self._given(key)
        if value is None:
            return ()
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        self._wrong_type(key, value, "a list of texts")
        return ()

    def mapping(self, key: str) -> Mapping[str, str]:
        """The mapping of texts under a key; numbers and booleans are taken as JSON writes them."""
        value = self._given(key)
        if value is None:
            return {}
        if isinstance(value, dict) and all(
            isinstance(item, str | int | float) for item in value.values()
        ):
            return {name: _as_text(item) for name, item in value.items()}
        self._wrong_type(key, value, "a mapping of texts")
        return {}

    def _given(self, key: str, *, required: bool = False) -> Any:
        value = self.value.get(key)
        if value is None and required:
            self.complain("key.missing", f"the key `{key}` is missing")
        return value

    def _wrong_type(self, key: str, value: Any, wanted: str) -> None:
        self.complain("value.type", f"`{key}` must be {wanted}, not {shape(value)}", key)


def shape(value: Any) -> str:
    """What a value is, in the words of the person who wrote it."""
    if value is None:
        return "nothing"
    if isinstance(value, bool | int | float):
        return f"`{_as_text(value):.40}`"
    if isinstance(value, str):
        return f"the text `{value:.40}`"
    return "a list" if isinstance(value, list) else "a mapping"


def _as_text(value: Any) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def problem_of(error: ConfigError, file: str, scope: str) -> Problem:
    """An error that stopped the reading of a whole file, as a problem with its place."""
    parts = error.place.rsplit(":", 2)
    numbered = len(parts) == 3 and parts[1].isdigit() and parts[2].isdigit()  # noqa: PLR2004 - file, line, column
    line, column = (int(parts[1]), int(parts[2])) if numbered else (0, 0)
    return Problem(
        name=error.name,
        message=error.message,
        hint=error.hint,
        origin=Origin(file=file, line=line, column=column, scope=scope),
    )
