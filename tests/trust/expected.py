"""Which of these rows fail today: the list shrinks as approvals are rebuilt, and an entry that passes is an error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

Test = TypeVar("Test", bound="Callable[..., Any]")
_LATER = pytest.mark.xfail(strict=True, reason="approvals are rebuilt next")
_NO_DOOR = pytest.mark.xfail(run=False, reason="Python has no public way to approvals yet")
# Test and row, by the commands. In Python `approved, from Python` fails for all: when it passes, `_NO_DOOR` goes.
_FAILS = frozenset(
    (
        *(f"changed {row}" for row in (
            "edit guard", "edit module", "edit wrapped script", "edit sourced script", "symlink", "hard link", "rename-over",
            "mtime restored", "same size within a clock tick", "remove guard", "remove module", "chmod -x", "chmod 000",
            "new json.py beside", "swap and back", "own hook, file of a clone", "own guard gone", "own guard edited",
        )),
        *(f"removed {row}" for row in (
            "entry gone", "narrowed", "narrowed away", "exit 0", "timeout 0.001", "async", "settings emptied",
            "settings deleted", "settings a folder",
        )),
        *(f"removed, strict {row}" for row in ("entry gone", "narrowed away", "settings deleted", "settings a folder")),
        *(f"unread {row}" for row in (
            "broken matcher", "unsupported handler", "broken file", "100 MB", "key of 1,000 parts",
        )),
        *(f"no effect {row}" for row in (
            "planted __pycache__",
        )),
        "approved git worktree add",
        "approved, from Python",
        "store damaged",
        "store a folder for each file",
        "own first use that cannot be recorded",
    )
)  # fmt: skip


def rows(test: str, names: list[str], doors: tuple[str, ...]) -> list[object]:
    """Each row by each door, marked where it fails today. `test`: by what the names of its rows begin."""
    return [
        pytest.param(name, door, id=f"{name}-{door}", marks=_marks(f"{test} {name}", door))
        for name in names
        for door in doors
    ]


def later(test: str) -> Callable[[Test], Test]:
    """Marks a test without rows, if it fails today."""
    return _LATER if test in _FAILS else lambda function: function


def _marks(row: str, door: str) -> tuple[pytest.MarkDecorator, ...]:
    if door == "python":
        return (_NO_DOOR,)
    return (_LATER,) if row in _FAILS or f"{row} {door}" in _FAILS else ()
