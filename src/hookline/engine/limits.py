"""Limits on the size and the location of a project's hook files."""

from __future__ import annotations

import os

from hookline.model.problem import Origin, Problem
from hookline.paths import nearest_with, real_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Loaded

MOST_HOOKS = 200
MOST_PARTS = 16
_PART = r"""(?:"[^"\n]*"|'[^'\n]*'|[\w-]++)"""
_LONG_KEY = rf"(?m)(?:^[ \t]*\[*+|[{{,])[ \t]*+(?:{_PART}[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}"


def is_within(path: str, project: str) -> bool:
    """Whether a path leads to what lies in the project, or in the repository around it."""
    real = real_path(path)
    roots = (real_path(project), real_path(nearest_with(project, ".git") or project))
    return any(real.startswith(f"{root.rstrip(os.sep)}{os.sep}") for root in roots)


def find_long_key(text: str) -> int:
    """The line of the first key of a TOML text that has too many parts; 0 where there is none."""
    import re  # noqa: PLC0415 - few projects have a TOML file

    found = re.search(_LONG_KEY, text)
    return text.count("\n", 0, found.end()) + 1 if found else 0


def apply_limit(loaded: Loaded, file: str) -> Loaded:
    """The hooks of a file up to the limit, and a problem where there are more."""
    if len(loaded.specs) <= MOST_HOOKS:
        return loaded
    first = loaded.specs[MOST_HOOKS].origin.with_line()
    problem = Problem(
        name="config.too-large",
        message=f"more than {MOST_HOOKS} hooks in this file: hookline loads none from here on",
        hint="remove the hooks that you do not use",
        origin=first if first.file else Origin(file=file),
    )
    return loaded.replace(specs=loaded.specs[:MOST_HOOKS], problems=(*loaded.problems, problem))
