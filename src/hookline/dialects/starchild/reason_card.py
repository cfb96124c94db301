"""How a reason is shown to a person: a sentence, and a box for what it is about."""

from __future__ import annotations

import re

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_TAG = re.compile(r"\[([^\[\]]*)\]\s*")
_SHORT = 12  # characters; anything longer after the colon looks like a payload
# A path, a flag, a URL or a sign of the shell: what prose does not have.
_SIGN = re.compile(r"[/\\~|&;<>$`*{}=]|(?:^|\s)--?\w")
# A program and at once its arguments.
_PROGRAM = re.compile(r"[\w.+-]*[a-z0-9][\w.+-]*")
_ARGUMENT = re.compile(r"(?:^|\s)--?\w|[|;&<>$`]")


class ReasonCard(Frozen):
    """What a card shows: `tag` is kept for a search, `box` is what it quotes, if anything."""

    sentence: str
    box: str = ""
    tag: str = ""


def split_reason(
    reason: str, *, evidence: str = "", mask: Callable[[str], str] = str
) -> ReasonCard:
    """Return the card of a reason (docs/formats/starchild.md 5.3).

    With `evidence` nothing is guessed. `mask` hides secrets.
    """
    text = reason.strip()
    tagged = _TAG.match(text)
    text = text[tagged.end() :] if tagged else text
    left, colon, right = (part.strip() for part in text.partition(": "))
    is_payload = colon and (" " in right or len(right) > _SHORT)
    is_prose = right.endswith((".", "!", "?")) and not _SIGN.search(right)
    sentence, box = text, evidence.strip()
    if is_payload and not is_prose and not box:
        sentence, box = left, right
    sentence = mask(sentence) or "Blocked by a hook"
    if not _is_command(sentence):
        sentence = sentence[0].upper() + sentence[1:]
    return ReasonCard(sentence=sentence, box=mask(box), tag=tagged[1] if tagged else "")


def _is_command(text: str) -> bool:
    """Return whether a sentence is a bare command, whose letters must stay as they are."""
    first, _, rest = text.partition(" ")
    if "/" in first or "." in first.rstrip(".") or first.startswith(("$", "~")):
        return True
    second = rest.lstrip().partition(" ")[0]
    path = second.startswith(("/", "./", "../", "~")) or "://" in second
    return (
        first.islower()
        and bool(_PROGRAM.fullmatch(first))
        and (path or bool(_ARGUMENT.search(rest)))
    )
