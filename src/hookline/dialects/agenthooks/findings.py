"""Findings: what is wrong with a HOOK.md, and how much each of it matters to lint, to load and to a strict load."""

from __future__ import annotations

from hookline.model.problem import Origin, Problem
from hookline.wire.parsers import Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.core.dialect import Source

_ERROR = ("error", "error", "error")
_TOLERATED = ("error", "warning", "warning")
_WARNING = ("warning", "warning", "warning")

# The table of docs/formats/agenthooks.md 4: severity in lint, in load, in a strict load; "" is not reported; what is not here refuses.
SEVERITIES: Mapping[str, tuple[str, str, str]] = {
    "description.missing": _WARNING,  # so are they without a description
    "description.empty": _TOLERATED,
    "description.length": _TOLERATED,
    "name.length": _TOLERATED,
    # The format's own published examples break these three.
    "name.case": _WARNING,
    "name.chars": _WARNING,
    "name.hyphen-edge": _TOLERATED,
    "name.hyphen-double": _TOLERATED,
    "name.dir-mismatch": _WARNING,
    "timeout.range": _TOLERATED,
    "priority.range": _TOLERATED,
    "metadata.type": _TOLERATED,
    "metadata.fail-mode": _TOLERATED,
    # Unknown fields are errors in strict mode (docs/architecture.md 4.1).
    "field.unknown": ("error", "warning", "error"),
    "matcher.unknown-field": ("error", "warning", "error"),
    "trigger.legacy": ("warning", "", ""),
    "matcher.not-applicable": _WARNING,
    "matcher.control": _WARNING,
    "async.cannot-block": _WARNING,
    "async.type": _WARNING,
    "entry.missing": _WARNING,
    "frontmatter.escape": _WARNING,
    "trust.untrusted": _WARNING,
}
LINT, LOAD, STRICT = range(3)


def manner_of(source: Source) -> int:
    """How a source is loaded."""
    return STRICT if source.mode == "strict" else LOAD


class Findings:
    """Everything found in one file so far. `manner` is the column of `SEVERITIES`; `tree` knows the places.

    `path`: the part of the file that is being read, to which keys are relative.
    """

    def __init__(self, source: Source, manner: int) -> None:
        self.file = source.file
        self.scope = source.scope
        self.manner = manner
        self.tree = Tree(value=None)
        self.path: tuple[str | int, ...] = ()
        self.problems: list[Problem] = []

    def below(self, *path: str | int) -> Findings:
        """The same findings, about the part at that path."""
        part = Findings.__new__(Findings)
        vars(part).update(vars(self), path=(*self.path, *path))
        return part

    def add(self, name: str, message: str, *key: str | int, hint: str = "") -> None:
        """File a finding about the part, or about the key at that path."""
        severity = SEVERITIES.get(name, _ERROR)[self.manner]
        if severity:
            self.problems.append(
                Problem(
                    name=name,
                    message=message,
                    hint=hint,
                    severity=severity,
                    origin=self.origin(*key),
                )
            )

    def origin(self, *key: str | int) -> Origin:
        """Where the part, or the key at that path, begins."""
        path = (*self.path, *key)
        line, column = self.tree.place(path)
        return Origin(
            file=self.file,
            pointer=".".join(map(str, path)),
            line=line,
            column=column,
            scope=self.scope,
        )

    def mark(self) -> int:
        """A place in the findings, to ask `wrong_since` from."""
        return len(self.problems)

    def wrong_since(self, mark: int) -> bool:
        """Whether errors were found since then: a part whose reading brought one takes no effect."""
        return any(problem.severity == "error" for problem in self.problems[mark:])

    def refusal(self) -> str:
        """Why the hook cannot be loaded; empty when it can."""
        return "; ".join(
            problem.message for problem in self.problems if problem.severity == "error"
        )

    def named(self, hook: str) -> tuple[Problem, ...]:
        """The findings, each with the name of its hook."""
        return tuple(problem.replace(hook=hook) for problem in self.problems)
