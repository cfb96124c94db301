"""Finds what a reply claims, sentence by sentence, in English and Chinese."""

from __future__ import annotations

import re

from hookline.guards.claims import english_lexicon as lexicon
from hookline.guards.claims.chinese import find_chinese
from hookline.guards.claims.claim import Claim
from hookline.guards.claims.english import find_english
from hookline.guards.claims.links import URLS, find_urls
from hookline.guards.claims.prose import split_prose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_LONGEST = 64 << 10  # characters of a reply
_LONGEST_SENTENCE = 2000
_NEAR = 300  # characters after a claim in which its link may stand
_LINKED = ("published", "posted", "deployed", "request_opened")
_IDS = re.compile(
    r"(?<![\w/.-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w-])|(?<!\w)#\d+"
    r"|\bv\d+(?:\.\d+)*\b|\b\d+\.\d+\.\d+\b"
)
_OBJECTS = re.compile(r"[A-Za-z][\w@-]*(?:[/.:][\w@-]+)*|[\u4e00-\u9fff]{2,}")
_COUNTS = re.compile(
    r"(\d+)\s*(?:/\s*\d+\s*)?(?:\w+\s+){0,2}?(?:tests?|specs?|passed|passing|个测试|个用例|项测试|条用例|个单元测试)",
    re.IGNORECASE,
)


def find_claims(reply: str) -> tuple[Claim, ...]:
    """Return what a reply says was done or holds, in its order; at most one of a kind a sentence.

    Only the first 64 K characters are read.
    """
    reply = reply[:_LONGEST]
    claims: list[Claim] = []
    topic = ""
    for sentence in split_prose(reply):
        if len(sentence.text) > _LONGEST_SENTENCE:
            continue
        source = reply[sentence.start : sentence.end]
        is_chinese = bool(_CHINESE.search(sentence.text))
        if is_chinese:
            found = find_chinese(sentence.text)
        else:
            found = find_english(sentence.text, source, topic)
        topic = _find_topic(sentence.text) or topic
        claims += [
            Claim(
                kind=kind,
                sentence=source,
                start=sentence.start,
                end=sentence.end,
                urls=find_urls(source),
                ids=tuple(dict.fromkeys(_IDS.findall(URLS.sub(" ", source)))),
                objects=tuple(
                    dict.fromkeys(map(str.lower, _OBJECTS.findall(URLS.sub(" ", source))))
                ),
                count=_find_count(source) if kind == "tests_pass" else None,
                language="zh" if is_chinese else "en",
            )
            for kind in found
        ]
    return tuple(_add_following_urls(claims, reply))


def _add_following_urls(claims: list[Claim], reply: str) -> Iterator[Claim]:
    """Give claims such as `Published!` the links right after their sentence."""
    for claim in claims:
        if claim.urls or claim.kind not in _LINKED:
            yield claim
            continue
        later = min((each.start for each in claims if each.start >= claim.end), default=len(reply))
        yield claim.replace(urls=find_urls(reply[claim.end : min(later, claim.end + _NEAR)]))


def _find_topic(text: str) -> str:
    words = re.findall(r"[a-z-]+", text.lower())
    return next(
        (word for word in reversed(words) if word in lexicon.TEST_NOUNS | lexicon.BUILD_NOUNS), ""
    )


def _find_count(text: str) -> int | None:
    found = _COUNTS.search(text)
    return int(found[1]) if found else None
