"""Origin and Problem: where something was declared, and what is wrong with it."""

from __future__ import annotations

from hookline.errors import CODES
from hookline.model.frozen import Frozen
from hookline.text.terminal_escape import escape_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Origin(Frozen):
    """A place in a source; `pointer` is the path of keys (`stop.0.hooks.0`); lines count from 1.

    Line and column are 0 if they are unknown: a tree has none, and the fast path of `answer` does
    not compute them. `search` then finds both.
    """

    UNDECLARED = frozenset({"search"})

    file: str = ""
    pointer: str = ""
    line: int = 0
    column: int = 0
    scope: str = "explicit"
    search: Callable[[], tuple[int, int]] | None = None

    def with_line(self) -> Origin:
        """Return the same place with its line and column, found now if they were left out."""
        if self.line or self.search is None:
            return self
        line, column = self.search()
        return self.replace(line=line, column=column, search=None)

    @property
    def place(self) -> str:
        """Return `file:line:column`, as far as known."""
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part)


class Problem(Frozen):
    """One finding about a source, with what to do about it.

    `name` is its key in `errors.CODES`; `severity` is "error" (the named part has no effect) or
    "warning". `hook`: the hook that it is about; `hooks`: the ids of all hooks lost by it, if there
    may be several. `tells_user`: hookline shows it to the user once a session, at an event that a
    hook of the same file is for.
    """

    name: str
    message: str
    hint: str = ""
    severity: str = "error"
    origin: Origin = Origin()
    hook: str = ""
    hooks: tuple[str, ...] = ()
    tells_user: bool = False

    @property
    def code(self) -> str:
        return CODES[self.name]

    def to_dict(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "name": self.name,
            "severity": self.severity,
            "message": self.message,
            "hint": self.hint,
            "file": self.origin.file,
            "line": self.origin.line,
            "column": self.origin.column,
            "pointer": self.origin.pointer,
            "hook": self.hook,
        }

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint else ""
        place = f"{self.origin.place}: " if self.origin.place else ""
        return escape_line(
            f"{place}{self.code} {self.message}{hint}"
        )  # one line, whatever the file contains
