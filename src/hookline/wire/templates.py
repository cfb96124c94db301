"""Templates: the prompt of a model hook, filled in from the payload, and no longer than the hook allows.

What its author wrote is always there as a whole: an event that is too long loses of its own values, the longest ones first. So
nobody can push a rule out of a prompt by padding what it is asked about.
"""

from __future__ import annotations

import json
import re

from hookline.errors import HandlerError
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Self

    from hookline.model.handler import Model

TEMPLATE, ARGUMENTS = "template", "arguments"
# A dollar sign that is meant as it stands, or the payload (harnesses.md 2.4).
_PLACE = re.compile(r"\\\$|\$ARGUMENTS\b")
_CUT = "\n\n[What was quoted of the event is longer than fits in here. It was cut where `{mark}` stands. Do not approve what you cannot see.]"
_MARK = "…[{missing:,} characters cut off]"
_MISSING = "templates need jinja2, which is not installed"
INSTALL = "pip install 'hookline[model]'"


class Faults(Frozen):
    """What is wrong with a template: `error` in words, with a `hint`; `fields` of the payload that it names."""

    error: str = ""
    hint: str = ""
    fields: tuple[str, ...] = ()


def faults(prompt: str) -> Faults:
    """What is wrong with a prompt as a template; nothing where jinja2 is missing, without which it is not run either."""
    try:
        from hookline.wire.sandbox import examined  # noqa: PLC0415 - jinja2, which only files with such a hook load
    except ImportError:
        return Faults()
    return examined(prompt)


def fill(model: Model, payload: str, *, late: Callable[[], bool] = lambda: False) -> str:
    """The prompt about a payload, which is JSON text.

    `late` tells a template that takes too long to stop.

    Raises:
        HandlerError: the template cannot be filled in, or jinja2 is missing.
    """
    if model.language == ARGUMENTS:
        return fitted(_with_arguments(model.prompt, payload.strip()), model.most_prompt)
    try:
        from hookline.wire.sandbox import filled  # noqa: PLC0415 - as above
    except ImportError:
        raise HandlerError(_MISSING, hint=INSTALL) from None
    return fitted(
        filled(model.prompt, _object(payload), most=model.most_prompt, late=late), model.most_prompt
    )


class Inserted(str):
    """A part of a prompt that is of the event, and not its author's; `missing`: of how many characters it was cut already."""

    __slots__ = ("missing",)
    missing: int

    def __new__(cls, text: str, missing: int = 0) -> Self:
        made = super().__new__(cls, text)
        made.missing = missing
        return made

    def __str__(self) -> str:
        return self  # templates make a text of each part, which must stay one of the event


def fitted(parts: Iterable[str], most: int) -> str:
    """The parts of a prompt together, with as much as fits of those that are the event's; a model is told where some is missing.

    Raises:
        HandlerError: what is its author's is longer than `most` characters alone.
    """
    kept = list(parts)
    room = most - sum(len(part) for part in kept if not isinstance(part, Inserted))
    if room < 0:
        raise HandlerError(
            f"the prompt is longer than {most:,} characters without what it quotes of the event"
        )
    bound = _bound([len(part) for part in kept if isinstance(part, Inserted)], room)
    text = "".join(_cut(part, bound) if isinstance(part, Inserted) else part for part in kept)
    cut = any(isinstance(part, Inserted) and (part.missing or len(part) > bound) for part in kept)
    return text + _CUT.format(mark=_MARK[0]) if cut else text


def _bound(lengths: list[int], room: int) -> int:
    """How long each may be, so that all of them fit: the shorter ones stay as they are."""
    for left, length in zip(range(len(lengths), 0, -1), sorted(lengths), strict=True):
        if length * left > room:
            return room // left
        room -= length
    return max(lengths, default=0)


def _cut(part: Inserted, bound: int) -> str:
    missing = part.missing + max(0, len(part) - bound)
    return part[:bound] + _MARK.format(missing=missing) if missing else part[:]


def _with_arguments(prompt: str, payload: str) -> list[str]:
    r"""A prompt with the payload where `$ARGUMENTS` stands, or else at its end; `\$` is a dollar sign."""
    parts: list[str] = []
    end = 0
    for found in _PLACE.finditer(prompt):
        parts += [
            prompt[end : found.start()],
            "$" if found[0].startswith("\\") else Inserted(payload),
        ]
        end = found.end()
    parts.append(prompt[end:])
    return (
        parts
        if any(isinstance(part, Inserted) for part in parts)
        else [*parts, "\n\n", Inserted(payload)]
    )


def _object(payload: str) -> dict[str, Any]:
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise HandlerError(f"the payload is no JSON: {error}") from None
    return value if isinstance(value, dict) else {}
