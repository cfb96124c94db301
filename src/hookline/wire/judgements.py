"""Judgements: what a language model decided, as far as its reply leaves no doubt of it.

A reply may have prose around its object, where the prose may quote what the model was shown. So a judgement that permits counts
only where it is the whole reply, in one code fence or none: of prose nobody can tell whether it quotes a permission or gives one.
(docker-agent.md 5 reads past prose around each judgement. Here that is so for those that refuse, or put it to a person.)
"""

from __future__ import annotations

import json
import re

from hookline.wire.hookoutput import UnreadableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn

# How strong a judgement is. What permits must be the whole reply; what asks, in a reply that can be read to its end.
PERMITS, ASKS, REFUSES = range(3)
# So many braces are tried as the beginning of an object; a judgement has one.
_TRIES = 64
_BRACE = re.compile(r"\{")
_TRUTHS: Mapping[str, bool] = {"true": True, "false": False}
_FENCE = re.compile(r"```\w*\s*(.*?)\s*```", re.DOTALL)


def judgement(
    reply: str, key: str, weigh: Callable[[dict[str, Any]], int], *, missing: str
) -> tuple[dict[str, Any], bool]:
    """The strongest judgement of a reply, with its keys in lower case, and whether it is the whole reply.

    A judgement is an object with a `key`, and not within another one. `weigh` says how strong it is, or raises
    UnreadableError. `missing`: what is wrong with a reply of which no object has the key.

    Raises:
        UnreadableError: the reply is empty or holds no judgement; or it permits, and holds anything else beside that; or it asks,
            and something in it cannot be read.
    """
    text = reply.strip()
    if not text:
        raise UnreadableError("empty model reply")
    fenced = _FENCE.fullmatch(text)
    found, wrong, alone = _objects(fenced[1] if fenced else text)
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
    """Return the value of a key as true or false; a model may write it as text.

    Raises:
        UnreadableError: it is neither.
    """
    found = _TRUTHS.get(value.strip().lower()) if isinstance(value, str) else value
    if not isinstance(found, bool):
        raise UnreadableError(f"`{key}` in the model's reply is neither true nor false")
    return found


def _objects(text: str) -> tuple[list[dict[str, Any]], str, bool]:
    """The objects in a text, those within others left out; what cannot be read there; and whether it is one object and no more."""
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


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, its keys in lower case: of two that are the same key, nobody can tell which one counts."""
    made = {name.casefold(): value for name, value in pairs}
    if len(made) < len(pairs):
        raise UnreadableError("an object in the model's reply has the same key twice")
    return made


def _constant(name: str) -> NoReturn:
    raise ValueError(name)  # NaN and its kin are no JSON


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)
