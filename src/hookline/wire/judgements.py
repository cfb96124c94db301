"""Judgements: the objects in what a language model replied, however it wrapped them up."""

from __future__ import annotations

import json
import re

from hookline.wire.hookoutput import UnreadableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# So many braces are tried as the beginning of an object; a judgement has one.
_TRIES = 64
_BRACE = re.compile(r"\{")


def judgements(reply: str, key: str) -> list[dict[str, Any]]:
    """The objects of a reply that have a key, with their keys in lower case.

    There may be a code fence or prose around an object. What is only quoted in that prose is found, too, so whoever decides
    must not let a weaker judgement go before a stronger one.

    Raises:
        UnreadableError: the reply is empty, or holds no object.
    """
    text = reply.strip()
    if not text:
        raise UnreadableError("empty model reply")
    found = _objects(text)
    if not found:
        raise UnreadableError("no JSON object in the model's reply")
    lowered = [{name.lower(): value for name, value in each.items()} for each in found]
    return [each for each in lowered if key in each]


def _objects(text: str) -> list[dict[str, Any]]:
    """The objects in a text from left to right, those within others left out."""
    found: list[dict[str, Any]] = []
    decoder = json.JSONDecoder()
    end = 0
    for tries, brace in enumerate(_BRACE.finditer(text)):
        if tries == _TRIES:
            break
        if brace.start() < end:
            continue
        try:
            value, end = decoder.raw_decode(text, brace.start())
        except (ValueError, RecursionError):
            continue
        found.append(value)
    return found
