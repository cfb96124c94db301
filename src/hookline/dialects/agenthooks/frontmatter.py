"""Front matter: the fences of a HOOK.md, and YAML that forgives the one mistake which the format's own sample makes."""

from __future__ import annotations

import re

from hookline.errors import ConfigError
from hookline.wire.fields import describe_value, to_problem
from hookline.wire.front_matter import FRONT_LIMIT
from hookline.wire.parsers import Tree, parse_yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Source
    from hookline.dialects.agenthooks.findings import Findings

_FENCE = "---"
# What may follow a backslash in a double-quoted YAML text.
_ESCAPES = frozenset('0abt\tnvfre "/\\N_LPxuU\n')
_ESCAPED = re.compile(r'\\(.)|"', re.DOTALL)
_MOST_REPAIRS = 100  # double-quoted texts with an unknown escape in one file


def read_front(source: Source, found: Findings) -> Tree | None:
    """The front matter of a source, or None when it cannot be read at all (docs/formats/agenthooks.md 4)."""
    try:
        return _front(source, found)
    except ConfigError as error:
        found.problems.append(to_problem(error, source.file, source.scope))
        return None


def body_of(text: str, file: str = "") -> str:
    """The text of a HOOK.md below its front matter, stripped at both ends.

    Raises:
        ConfigError: the fences cannot be found.
    """
    return _parted(text, file)[1]


def _front(source: Source, found: Findings) -> Tree:
    tree = (
        Tree(value=source.tree)
        if source.text is None
        else _parsed(_parted(source.text, source.file)[0], source.file, found)
    )
    if not isinstance(tree.value, dict):
        message = f"the front matter must be a mapping, not {describe_value(tree.value)}"
        raise ConfigError(
            message,
            name="frontmatter.not-mapping",
            place=source.file,
            hint="lines such as `name: my-hook`",
        )
    found.tree = tree
    return tree


def _parted(text: str, file: str) -> tuple[str, str]:
    """The text between the fences, and the text below them."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[0].rstrip(" \t") != _FENCE:
        hint = "the first line must be `---`, with nothing before it"
        raise ConfigError(
            "the file does not begin with front matter",
            name="frontmatter.absent",
            place=f"{file}:1:1",
            hint=hint,
        )
    closing = next((at for at, line in enumerate(lines) if at and line.rstrip(" \t") == _FENCE), 0)
    if sum(map(len, lines[:closing])) > FRONT_LIMIT:  # it is parsed anew for each repair
        hint = "long texts belong below the second fence"
        raise ConfigError(
            "the front matter is larger than 64 KiB",
            name="config.too-large",
            place=f"{file}:1:1",
            hint=hint,
        )
    if not closing:
        hint = "end it with a line `---`"
        raise ConfigError(
            "the front matter has no end",
            name="frontmatter.unclosed",
            place=f"{file}:1:1",
            hint=hint,
        )
    return "\n".join(lines[1:closing]) + "\n", "\n".join(lines[closing + 1 :]).strip()


def _parsed(front: str, file: str, found: Findings) -> Tree:
    """The YAML as a tree; unknown escapes in double quotes are kept literally, with a warning each text."""
    for _ in range(_MOST_REPAIRS):
        try:
            return parse_yaml(front, file, first_line=2)
        except ConfigError as error:
            at = _unknown_escape(front, error)
            if not at:
                raise ConfigError(
                    error.message, name="frontmatter.yaml", hint=error.hint, place=error.place
                ) from None
            told = to_problem(error, file, found.scope)
            message = f"`\\{front[at]}` is no escape of YAML; its backslash is kept"
            hint = "write the text in single quotes"
            found.problems.append(
                told.replace(
                    name="frontmatter.escape", message=message, hint=hint, severity="warning"
                )
            )
            front = _doubled(front, at)
    raise ConfigError(
        "too many unknown escapes",
        name="frontmatter.yaml",
        place=file,
        hint="write the texts in single quotes",
    )


def _unknown_escape(front: str, error: ConfigError) -> int:
    """The position of the character after the backslash that the parser does not know; 0 when its complaint is another."""
    if "unknown escape" not in error.message:
        return 0
    _, line, column = (
        error.place.rsplit(":", 2) if error.place.count(":") > 1 else ("", *error.place.split(":"))
    )
    before = front.split("\n")[: int(line) - 2]
    at = sum(len(text) + 1 for text in before) + int(column) - 1
    return (
        at
        if 0 < at < len(front) and front[at - 1] == "\\" and error.message.endswith(repr(front[at]))
        else 0
    )


def _doubled(front: str, at: int) -> str:
    """The YAML with this backslash, and every other unknown one up to the closing quote, doubled."""
    parts = [front[:at]]
    done = at
    for escaped in _ESCAPED.finditer(front, at + 1):
        if escaped.group() == '"':
            break
        if escaped[1] not in _ESCAPES:
            parts.append(front[done : escaped.start() + 1])
            done = escaped.start() + 1
    return "\\".join([*parts, front[done:]])
