"""Finds promises to tell the user something later, in English and Chinese."""

from __future__ import annotations

import re

from hookline.guards.claims.claim import PROMISE, Claim
from hookline.guards.claims.prose import split_prose

_LONGEST = 64 << 10  # characters of a reply
_LONGEST_SENTENCE = 600
_TELLS = (
    r"let (?:you|the team|everyone) know|notify you|ping you|alert you|remind you|get back to you"
    r"|report back|keep you (?:posted|updated|informed|in the loop)|circle back|check back"
    r"|follow up with you|come back (?:to you|with)|give you (?:a shout|a heads[- ]?up|an update)"
)
_TELLS_LATER = (
    r"(?:tell|update|inform|message|email|e-mail|text|call|dm|contact) you|follow up|send you"
    r"|post (?:an update|the results?|a note)|share (?:the results?|an update)"
)
_SELF = r"\b(?:i|we)(?:'ll| will| shall|'m going to| am going to|'re going to)"
_ADVERBS = (
    r"(?: (?:also|then|definitely|certainly|be sure to|make sure to|of course|automatically"
    r"|immediately|personally|promptly|surely|try to))?"
)
_STRONG = re.compile(rf"{_SELF}{_ADVERBS} (?:{_TELLS})|{_SELF}[^.;!?]{{3,90}}? and (?:{_TELLS})\b")
_WEAK = re.compile(
    rf"{_SELF}{_ADVERBS} (?:{_TELLS_LATER})"
    rf"|{_SELF}[^.;!?]{{3,90}}? and (?:{_TELLS_LATER})\b"
)
_PASSIVE = re.compile(
    r"\byou(?:'ll| will)(?: also| then| automatically)?"
    r" (?:be (?:notified|alerted|reminded|informed)"
    r"|(?:get|receive|see|hear)(?: \w+){0,3} (?:notification|reminder|message|alert|email|ping)"
    r"|hear from me)"
)
_LATER = re.compile(
    r"\b(?:when|once|as soon as|after|later|tomorrow|tonight|the moment|shortly|soon|until|every"
    r"|next (?:week|month|time)|by (?:\d|noon|eod|monday|tuesday|wednesday|thursday|friday)"
    r"|in (?:a |an |about |\d+ ?)?(?:few |couple of )?(?:min|hour|day|sec|h\b|m\b)\w*"
    r"|at (?:\d|noon)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|if (?:anything|something|it|the|there)|whenever)\b"
)
_OFFER = re.compile(
    r"\bif you(?:'d)?(?: would)? (?:want|like|wish|prefer|need|agree|say)"
    r"|\bif (?:that|this) (?:helps|works|suits)|\b(?:want|like) me to|\bshall i|\bshould i"
    r"|would you|\b(?:say|just say) the word|\bhow i(?:'ll| will)|\bbefore i\b"
    r"|\b(?:once|when|after|as soon as|if|whenever) you(?:'ve|'re)?\b"
)
_CANNOT = re.compile(r"\b(?:won't|will not|cannot|can't|not able|unable|never)\b")
_ZH_TELLS = (
    r"(?:通知|告诉|告知|提醒|联系|知会)(?:到|给)?(?:你|您|大家)"
    r"|(?:给|向|跟|为|和)(?:你|您|大家)[^，。；？]{0,6}?(?:发通知|汇报|反馈|回复|发消息"
    r"|发提醒|报告|同步|更新|提醒|说明结果|发送(?:通知|提醒|消息|结果))"
    r"|(?:回复|反馈给|汇报给|同步给)(?:你|您)"
)
_ZH = re.compile(rf"(?:会|将|再|就|马上|立即|第一时间)[^，。；？]{{0,8}}?(?:{_ZH_TELLS})")
_ZH_LATER = re.compile(
    r"后|时|等|一旦|到时|届时|稍后|明天|今晚|下周|\d+ ?点"
    r"|[一二三四五六七八九十两]点|分钟|小时|每[天日周月次]"
    r"|有(?:了)?(?:结果|消息|进展|更新|变化|任何)|完成|晚点|回头|再|第一时间"
)
_ZH_OFFER = re.compile(
    r"可以|能(?:够)?(?:通知|提醒|告诉)|要不要|需要我|要我|如果(?:你|您)|若(?:你|您)"
    r"|要是(?:你|您)|吗|？|不会|无法|没法|不能"
    r"|(?:你|您)(?:确认|回复|提供|同意|发来|告诉我|批准|决定|需要|愿意|想)"
)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def find_promises(reply: str) -> tuple[Claim, ...]:
    """Return the sentences that promise to tell the user something later."""
    reply = reply[:_LONGEST]
    return tuple(
        Claim(
            kind=PROMISE,
            sentence=reply[sentence.start : sentence.end],
            start=sentence.start,
            end=sentence.end,
            language="zh" if _CHINESE.search(sentence.text) else "en",
        )
        for sentence in split_prose(reply)
        if len(sentence.text) <= _LONGEST_SENTENCE and _promises(sentence.text)
    )


def _promises(text: str) -> bool:
    if _CHINESE.search(text):
        found = _ZH.search(text)
        return bool(found and _ZH_LATER.search(text)) and not _ZH_OFFER.search(text)
    lower = text.lower().replace("’", "'")
    if lower.rstrip("*_ )").endswith("?") or _OFFER.search(lower) or _CANNOT.search(lower):
        return False
    if _STRONG.search(lower):
        return True
    return bool((_WEAK.search(lower) or _PASSIVE.search(lower)) and _LATER.search(lower))
