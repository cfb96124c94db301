"""Finds personal data: addresses, numbers of phones, cards and accounts, and national numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import re2

from hookline.text import lazy_re as re
from hookline.text.secrets.context import make_set
from hookline.text.secrets.finding import Found, merge_found

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SURROGATES = re.compile("[\ud800-\udfff]")
_EMAIL = re2.compile(
    r"[A-Za-z0-9][A-Za-z0-9._%+'-]{0,63}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,5}[A-Za-z]{2,24}\b"
)
_NO_EMAIL_NAMES = make_set("""
git hg noreply no-reply user username you name someone root deploy
""")
_NO_EMAIL_DOMAINS = re.compile(
    r"(?:^|\.)(?:example\.(?:com|org|net)|example|test|invalid|localhost|local|internal"
    r"|users\.noreply\.github\.com|noreply\.github\.com|png|jpe?g|svg|gif|webp|js|ts|py|css|json|service|socket|timer|target|mount|slice|scope)$",
    re.IGNORECASE,
)
_REMOTE = re.compile(
    r"(?:^|[\s;&|$`(])(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id|autossh|sshfs|et|cvs|svn|hg|git)\b"
    r"(?:\s+(?:-\S+|[\w./:~-]+)){0,6}\s+$"
)
_CARD = re2.compile(r"\b(?:\d[ -]?){12,18}\d\b")
# The first digits of the large issuers, each with the counts of digits that they use.
_ISSUED = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|2720\d{12}"
    r"|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11,13}|35\d{14}|6(?:011|4[4-9]\d|5\d\d)\d{12,15}"
    r"|62\d{14,17}|81\d{14}|9792\d{12}|220[0-4]\d{12,15}|(?:50|5[6-9]|6[037])\d{10,17}"
)
_IBAN = re2.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){3,8}\b")
_SSN = re2.compile(r"\b\d{3}-\d{2}-\d{4}\b")
_CHINESE_ID = re2.compile(r"\b\d{17}[\dXx]\b")
# Mobile numbers of China, and its numbers with an area code.
_CHINESE_PHONE = re.compile(
    r"(?<![\d.-])(?:(?:\+?86[ -]?)?1[3-9]\d(?:\d{8}| \d{4} \d{4}|-\d{4}-\d{4})|0\d{2,3}-\d{7,8})"
    r"(?!\d|[/-]|\.\d)"
)
_NAMED_PHONE = re.compile(
    r"(?i)(?<![a-z])(?:phone|tel|mobile|cell|fax)(?:_?(?:number|no|nr))?[\"']?\s?[:=]\s?[\"']?"
    r"(\+?\d{10,13})(?![\d.-])"
)
_NAMED_SSN = re.compile(
    r"(?i)(?<![a-z])(?:ssn|social security(?: number| no\.?)?|社会安全号码?)[^\w\n]{0,4}"
    r"(\d{3}([ -]?)\d{2}\2\d{4})(?![\d-])"
)
_PHONE_HINT = re2.compile(
    r"\+\d|\(\d{3}\)|\b\d{3}[-. ]\d{3,4}[-. ]\d{4}\b|\b0\d{2,4}[-/ ]\d{5,8}\b|\b0\d(?: \d\d){4}\b"
)
_AMERICAN = re.compile(r"(?:1[-. ])?\d{3}([-. ])\d{3}\1\d{4}")
_NUMBER_WORDS = re.compile(
    r"(?:order|invoice|ticket|issue|id|version|build|port|timestamp|epoch|size|bytes|row|line|part|sku"
    r"|tracking|ref|serial|isbn|imei|imsi|iccid|meid|gtin|ean|upc|asin|sequence|seq|nonce|block|height|chat_id|uid|commit|hash|count|total|offset|pid|price|amount|seed|订单|编号|单号)"
    r"(?:\s*(?:number|no|nr))?[\s#:=.№-]*$",
    re.IGNORECASE,
)
_BEFORE = 24  # characters that may say what a number is
_REGIONS = ("US", "GB", "DE", "FR")


def find_personal_data(text: str) -> tuple[Found, ...]:
    """Return the personal data in a text, in order and without overlaps."""
    if not text.isascii():
        text = _SURROGATES.sub("\ufffd", text)  # they cannot be written as UTF-8
    return merge_found(each for find in _FINDERS for each in find(text))


def _find_emails(text: str) -> Iterator[Found]:
    if "@" not in text:
        return
    for match in _EMAIL.finditer(text):
        name, _, domain = match[0].rpartition("@")
        before = text[max(0, match.start() - 80) : match.start()].rpartition("\n")[2]
        after = text[match.end() : match.end() + 2]
        is_remote = after.startswith((":", "/")) and not after.startswith((": ", ":\n"))
        is_address = before.endswith(("://", "/", "@")) or is_remote
        if (
            not is_address
            and not _REMOTE.search(before)
            and name.lower() not in _NO_EMAIL_NAMES
            and not _NO_EMAIL_DOMAINS.search(domain)
        ):
            yield Found(match.start(), match.end(), "email", "an e-mail address")


def _find_cards(text: str) -> Iterator[Found]:
    from stdnum import luhn  # noqa: PLC0415 - few texts have such a number

    for match in _CARD.finditer(text):
        digits = re.sub(r"[ -]", "", match[0])
        is_card = _ISSUED.fullmatch(digits) is not None
        groups = re.split(r"[ -]", match[0])
        is_grouped = len(groups) == 1 or all(len(group) in (4, 6, 5, 3) for group in groups)
        is_random = len(set(digits)) > 3  # noqa: PLR2004 - zeros and a few digits are examples
        is_number_of = _is_number_of(text, match.start())
        if is_card and is_grouped and is_random and luhn.is_valid(digits) and not is_number_of:
            yield Found(match.start(), match.end(), "card", "a card number")


def _find_ibans(text: str) -> Iterator[Found]:
    from stdnum import iban  # noqa: PLC0415 - as above

    for match in _IBAN.finditer(text):
        value = match[0]
        while len(value) > 14:  # noqa: PLR2004 - a following word may look like a part of it
            if iban.is_valid(value):
                yield Found(match.start(), match.start() + len(value), "iban", "an account number")
                break
            value = value.rpartition(" ")[0]


def _find_national(text: str) -> Iterator[Found]:
    from stdnum.cn import ric  # noqa: PLC0415 - as above
    from stdnum.us import ssn  # noqa: PLC0415 - as above

    for match in _SSN.finditer(text):
        if ssn.is_valid(match[0]) and not _is_number_of(text, match.start()):
            yield Found(match.start(), match.end(), "us-ssn", "a social security number")
    for match in _NAMED_SSN.finditer(text):
        if ssn.is_valid(re.sub(r"\D", "", match[1])):
            yield Found(*match.span(1), "us-ssn", "a social security number")
    for match in _CHINESE_ID.finditer(text):
        if ric.is_valid(match[0].upper()):
            yield Found(match.start(), match.end(), "chinese-id", "an identity number")


def _find_phones(text: str) -> Iterator[Found]:
    for written in _CHINESE_PHONE.finditer(text):
        if not _is_number_of(text, written.start()):
            yield Found(*written.span(), "phone", "a phone number")
    for named in _NAMED_PHONE.finditer(text):
        yield Found(*named.span(1), "phone", "a phone number")
    if not _PHONE_HINT.search(text):
        return
    import phonenumbers  # noqa: PLC0415 - as above

    for region in _REGIONS:
        for match in phonenumbers.PhoneNumberMatcher(
            text, region, leniency=phonenumbers.Leniency.STRICT_GROUPING, max_tries=200
        ):
            is_written = match.raw_string.startswith(("+", "(", "0")) or _AMERICAN.fullmatch(
                match.raw_string
            )
            if is_written and not _is_number_of(text, match.start):
                yield Found(match.start, match.end, "phone", "a phone number")


def _is_number_of(text: str, start: int) -> bool:
    """Return whether the words before a number say that it counts or names something else."""
    return bool(_NUMBER_WORDS.search(text[max(0, start - _BEFORE) : start]))


def _has_digits(find: Callable[[str], Iterator[Found]]) -> Callable[[str], Iterator[Found]]:
    """Return a finder that is not asked about texts with few digits."""

    def ask(text: str) -> Iterator[Found]:
        return find(text) if _MANY_DIGITS.search(text) else iter(())

    return ask


_MANY_DIGITS = re2.compile(r"(?:\d[ ()./-]{0,2}){8}")
_FINDERS = (
    _find_emails,
    *map(_has_digits, (_find_cards, _find_ibans, _find_national, _find_phones)),
)
