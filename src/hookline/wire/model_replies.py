"""Model replies: reads the judgement of a language model, if its reply leaves no doubt.

Prose around a judgement may quote text that the model was shown. So a judgement that permits counts
only if it is the whole reply, with or without a code fence: prose may quote a permission that the
model never gave. A judgement that refuses or asks counts also inside prose
(docs/formats/docker-agent.md 5 reads all three that way).
"""

from __future__ import annotations

import json
import re

from hookline.wire.hookoutput import UnreadableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn

# The strength of a judgement. One that permits must be the whole reply; one that asks needs a reply
# that can be read to its end.
PERMITS, ASKS, REFUSES = range(3)
# How many braces to try as the start of an object; a judgement has one.
_TRIES = 64
_BRACE = re.compile(r"\{")
_TRUTHS: Mapping[str, bool] = {"true": True, "false": False}
_FENCE = re.compile(r"```\w*\s*(.*?)\s*```", re.DOTALL)


def read_judgement(
    reply: str, key: str, weigh: Callable[[dict[str, Any]], int], *, missing: str
) -> tuple[dict[str, Any], bool]:
    """Return the strongest judgement of a reply, keys in lower case, and if it is the whole reply.

    A judgement is an object that has `key` and is not inside another one.

    `weigh`: returns how strong an object is, or raises UnreadableError.
    `missing`: the fault of a reply in which no object has the key.

    Raises:
        UnreadableError: the reply is empty or has no judgement; or it permits and contains anything
            else; or it asks, and part of it cannot be read.
    """
    text = reply.strip()
    if not text:
        raise UnreadableError("empty model reply")
    fenced = _FENCE.fullmatch(text)
    found, wrong, alone = _find_objects(fenced[1] if fenced else text)
    if not found:
        raise UnreadableError(wrong or "no JSON object in the model's reply")
    weighed: list[tuple[int, dict[str, Any]]] = []
    for each in found:
        try:
            weighed += [(weigh(each), each)] if key in each else []
        except UnreadableError as error:
            wrong = wrong or str(error)
    strength, chosen = max(weighed, key=lambda pair: pair[0], default=(PERMITS, {}))
    if strength == REFUSES or (not wrong and (strength == ASKS or (alone and chosen))):
        return chosen, alone
    raise UnreadableError(
        wrong
        or ("the model's reply permits, but is more than its judgement" if weighed else missing)
    )


def read_flag(value: object, key: str) -> bool:
    """Return the boolean value of a key; a model may write it as text.

    Raises:
        UnreadableError: it is neither.
    """
    found = _TRUTHS.get(value.strip().lower()) if isinstance(value, str) else value
    if not isinstance(found, bool):
        raise UnreadableError(f"`{key}` in the model's reply is neither true nor false")
    return found


def _find_objects(text: str) -> tuple[list[dict[str, Any]], str, bool]:
    """Return the outermost objects of a text, its fault, and whether it is one object alone."""
    found: list[dict[str, Any]] = []
    wrong, end, tries, alone = "", 0, 0, False
    for brace in _BRACE.finditer(text):
        if brace.start() < end:
            continue
        tries += 1
        if tries > _TRIES:
            return found, "too many braces in the model's reply", False
        try:
            value, end = _DECODER.raw_decode(text, brace.start())
        except UnreadableError as error:
            wrong = wrong or str(error)
        except (ValueError, RecursionError):
            wrong = wrong or "no JSON object in the model's reply that can be read"
        else:
            found.append(value)
            alone = (brace.start(), end) == (0, len(text))
    return found, wrong, alone


def _make_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object with keys in lower case; two spellings of one key are ambiguous."""
    made = {name.casefold(): value for name, value in pairs}
    if len(made) < len(pairs):
        raise UnreadableError("an object in the model's reply has the same key twice")
    return made


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)  # NaN and Infinity are not JSON


_DECODER = json.JSONDecoder(object_pairs_hook=_make_object, parse_constant=_refuse_constant)
