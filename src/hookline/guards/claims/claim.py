"""A claim: one sentence of a reply that says that something was done, or holds."""

from __future__ import annotations

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    Kind: TypeAlias = Literal[
        "tests_pass", "build_works", "committed", "pushed", "request_opened", "published",
        "posted", "sent", "deployed", "scheduled", "promise_to_notify",
    ]  # fmt: skip

KINDS: tuple[Kind, ...] = (
    "tests_pass",
    "build_works",
    "committed",
    "pushed",
    "request_opened",
    "published",
    "posted",
    "sent",
    "deployed",
    "scheduled",
)
PROMISE: Kind = "promise_to_notify"


class Claim(Frozen):
    """What one sentence claims.

    `start` and `end` are the places of the sentence in the reply, in characters. `urls`, `ids`
    (commits, numbers of requests, versions) and `objects` (other words that name what it is about)
    are those of the sentence, quotations and inline code included. `count` is how many tests the
    sentence says passed. `language` is `en` or `zh`.
    """

    kind: Kind
    sentence: str
    start: int
    end: int
    urls: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    count: int | None = None
    language: str = "en"
