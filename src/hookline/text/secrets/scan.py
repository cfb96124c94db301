"""Scans a text for secrets: rows and wallet keys, also where the secret is disguised or wrapped."""

from __future__ import annotations

import base64
import binascii
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import re2

from hookline.text import lazy_re as re
from hookline.text.secrets.checks import passes
from hookline.text.secrets.context import is_placeholder, measure_entropy
from hookline.text.secrets.finding import Found, Scan, mask, merge_found
from hookline.text.secrets.phrases import find_phrases
from hookline.text.secrets.prose import find_spoken_keys, find_spoken_passwords
from hookline.text.secrets.rows import CORE, GENERIC, read_shape_rows, read_vendor_rows
from hookline.text.secrets.wallets import find_arrays, find_long_keys

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hookline.text.secrets.rows import Row

_MOST = 1 << 20  # characters that are read
_MASKS = re.compile(r"\[redacted: [^\]\n]{1,60}\]|\S{2,6}\*\*\*\S{0,4} \[redacted\]|\[masked \d+\]")
# Where a value may be wrapped: a line end with what a log, a quotation or a diff puts before the
# next line, or two quotation marks with an operator between them.
_WRAP = r"(?:[\\=]?\r?\n[ \t>|│#*+-]{0,24}|\\n|[\"'][ \t\r\n+\\]{0,40}[\"'])"
_BREAK = re.compile(
    r"(?<=[A-Za-z0-9_/+=.-]{6})"
    + _WRAP
    + r"(?=(?P<rest>[A-Za-z0-9_/+.-]{3,}={0,2})(?:$|[\s\"'`,;)\]}>\\]))"
)
_WRAPPED = re2.compile(r"[A-Za-z0-9_/+=.-]{10}" + _WRAP + r"[A-Za-z0-9_/+.-]{3}")
_BASE64 = re2.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_HEXADECIMAL = re.compile(r"(?:[2-7][0-9a-f]|0[9ad])+", re.IGNORECASE)
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]+"
)
_WIDE = re.compile("[\uff10-\uff19\uff21-\uff3a\uff3f\uff41-\uff5a\U0001d400-\U0001d7ff]")
_ESCAPE = re.compile(
    r"\\+(?:u(?P<wide>[0-9a-fA-F]{4})|x(?P<byte>[0-9a-fA-F]{2})|(?P<sign>[nrt/\"']))"
    r"|%(?P<percent>[2-7][0-9A-Fa-f])|&#(?P<number>\d{2,3});|&(?P<entity>amp|lt|gt|quot);"
)
_SURROGATES = re.compile("[\ud800-\udfff]")
_SIGNS = {"n": "\n", "r": "\r", "t": "\t", "amp": "&", "lt": "<", "gt": ">", "quot": '"'}
_WITHOUT_LONG = frozenset(("pem-private-key", "putty-private-key", "gcp-service-account"))
_MOST_MEMORY = 64 << 20  # bytes for each expression
_HUGE = re2.compile(r"[A-Za-z0-9]{50}")  # in every text with a key of a wallet in one word
_LONG = re2.compile(r"[A-Za-z0-9_=~-]{15}")  # in every text with a key that its shape proves


def find_secrets(text: str) -> tuple[Found, ...]:
    """Return the secrets in a text, in order and without overlaps; it takes linear time."""
    return scan(text).found


def scan(text: str) -> Scan:
    """Return the secrets in a text, and what of it was not read."""
    unread = ""
    if len(text) > _MOST:
        unread = f"only the first {_MOST >> 20} MiB of the text were looked at"
        text = text[:_MOST]
    text = _drop_surrogates(text)
    found = list(_scan_plain(text))
    for other, offsets in _list_forms(text):
        found += [each._replace(start=offsets[each.start], end=offsets[each.end - 1] + 1)
                  for each in _scan_plain(other)]  # fmt: skip
    found += _scan_joined(text)
    found += _scan_encoded(text)
    return Scan(_drop_masks(text, merge_found(found)), unread)


def _drop_surrogates(text: str) -> str:
    """Return a text that can be written as UTF-8, with as many characters."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def mask_all(text: str, *, shows_ends: bool = False) -> str:
    """Return a text with each secret masked that can be."""
    return mask(text, (each for each in find_secrets(text) if each.masks), shows_ends=shows_ends)


def _drop_masks(text: str, found: tuple[Found, ...]) -> tuple[Found, ...]:
    """Return the findings that are no mask of an earlier scan."""
    if "[redacted" not in text and "[masked" not in text:
        return found
    masks = [match.span() for match in _MASKS.finditer(text)]
    return tuple(
        each
        for each in found
        if not any(each.start < end and start < each.end for start, end in masks)
    )


_BITCOIN = next(row for row in CORE if row.kind == "bitcoin-private-key")

# -- rows ------------------------------------------------------------------------------------------


@cache
def _compile(pattern: str) -> re2._Regexp:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MOST_MEMORY
    return re2.compile(pattern, options)


def _scan_plain(text: str) -> Iterator[Found]:
    is_long = _LONG.search(text) is not None
    for row in _list_rows(text):
        if is_long or row.kind in _WITHOUT_LONG or not (row.is_strict or row.is_vendor_key):
            yield from _match_row(row, text)
    if is_long and _HUGE.search(text):
        yield from _match_row(_BITCOIN, text)
        yield from find_long_keys(text)
    yield from find_arrays(text)
    yield from find_phrases(text)
    yield from find_spoken_passwords(text)
    if is_long:
        yield from find_spoken_keys(text)


def _list_rows(text: str) -> Iterator[Row]:
    """Yield the rows of which a keyword is in a text, in the order of the tables."""
    index = _index_rows()
    hits = index.keywords.Match(text.lower()) or ()
    places = {place for hit in hits for place in index.places[hit]}
    yield from (index.rows[place] for place in sorted(places))


class _Index(NamedTuple):
    """The rows by keyword.

    Attributes:
        rows: all of them, in the order of the tables.
        keywords: finds the numbers of all keywords in a text.
        places: for each keyword the places of its rows.
    """

    rows: Sequence[Row]
    keywords: re2.Set
    places: Sequence[Sequence[int]]


@cache
def _index_rows() -> _Index:
    rows = (*CORE, *read_shape_rows(), *read_vendor_rows(), *GENERIC)
    places: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        for keyword in row.keywords:
            places.setdefault(keyword, []).append(place)
    options = re2.Options()
    options.literal = True
    options.max_mem = _MOST_MEMORY
    keywords = re2.Set.SearchSet(options)
    for keyword in places:
        keywords.Add(keyword)
    keywords.Compile()
    return _Index(rows, keywords, tuple(places.values()))


def _match_row(row: Row, text: str) -> Iterator[Found]:
    for match in _compile(row.pattern).finditer(text):
        group = row.group if row.group >= 0 else _find_group(match)
        start, end = match.span(group)
        if start < 0:
            continue
        value = match[group]
        if row.entropy and measure_entropy(value) < row.entropy:
            continue
        if not row.is_strict and is_placeholder(value):
            continue
        if row.is_strict and _is_sample(value):
            continue
        if passes(row.check, text, start, end, match.start()):
            yield Found(start, end, row.kind, row.title, is_vendor_key=row.is_vendor_key)


def _find_group(match: re2._Match) -> int:
    """Return the first group of a match that has a text."""
    return next(at for at, group in enumerate(match.groups(), 1) if group is not None)


def _is_sample(value: str) -> bool:
    """Return whether a value with a decisive shape is one that documents print."""
    body = value[-20:]
    return len(set(body)) < 6 or bool(_SAMPLE.search(value) or _ROW_OF_DIGITS.search(body))  # noqa: PLR2004


_SAMPLE = re.compile(r"(?i)example|x{6,}|your|placeholder|\.{3}|\*{3}")
_ROW_OF_DIGITS = re.compile(r"1234567890|0123456789")


# -- disguises -------------------------------------------------------------------------------------


def _list_forms(text: str) -> Iterator[tuple[str, Sequence[int]]]:
    """Yield the text in plain letters, and without escapes, each with a map back."""
    offsets: Sequence[int] = range(len(text))
    if not text.isascii() and (_INVISIBLE.search(text) or _WIDE.search(text)):
        text, offsets = _make_plain(text)
        yield text, offsets
    if _ESCAPE.search(text):
        text, inner = _unescape(text)
        yield text, [offsets[at] for at in inner]


def _make_plain(text: str) -> tuple[str, Sequence[int]]:
    """Return a text without invisible characters, and with plain letters for wide ones."""
    chars: list[str] = []
    offsets: list[int] = []
    for at, char in enumerate(text):
        if not char.isascii() and _INVISIBLE.match(char):
            continue
        plain = unicodedata.normalize("NFKC", char) if _WIDE.match(char) else char
        chars += plain
        offsets += [at] * len(plain)
    return "".join(chars), offsets


def _unescape(text: str) -> tuple[str, Sequence[int]]:
    """Return a text without the escapes of JSON, addresses and HTML."""
    parts: list[str] = []
    offsets: list[int] = []
    at = 0
    for match in _ESCAPE.finditer(text):
        parts += [text[at : match.start()], _read_escape(match)]
        offsets += [*range(at, match.start()), match.end() - 1]
        at = match.end()
    parts.append(text[at:])
    offsets += range(at, len(text))
    return "".join(parts), offsets


def _read_escape(match: re.Match[str]) -> str:
    sign = match["sign"] or match["entity"]
    if sign:
        return _SIGNS.get(sign, sign)
    if match["number"]:
        return chr(int(match["number"]))
    return _drop_surrogates(chr(int(match["wide"] or match["byte"] or match["percent"], 16)))


def _scan_joined(text: str) -> Iterator[Found]:
    """Yield secrets that a line break splits."""
    if not any(sign in text for sign in "\n\"'\\") or not _WRAPPED.search(text):
        return
    cuts = [match.span() for match in _BREAK.finditer(text) if _is_part(match["rest"])]
    if not cuts:
        return
    joined, offsets = _cut(text, cuts)
    for each in (*_scan_strict(joined), *_scan_encoded(joined)):
        start, end = offsets[each.start], offsets[each.end - 1] + 1
        if end - start > each.end - each.start:
            yield each._replace(start=start, end=end)


def _is_part(rest: str) -> bool:
    """Return whether what stands behind a line break may be a part of a key, and not a word."""
    return any(char.isdigit() for char in rest) or not (rest.islower() or rest[1:].islower())


def _cut(text: str, cuts: Sequence[tuple[int, int]]) -> tuple[str, Sequence[int]]:
    """Return a text without some parts, and where each of its characters was."""
    parts: list[str] = []
    offsets: list[int] = []
    at = 0
    for start, end in cuts:
        parts.append(text[at:start])
        offsets += range(at, start)
        at = end
    parts.append(text[at:])
    offsets += range(at, len(text))
    return "".join(parts), offsets


def _scan_strict(text: str) -> Iterator[Found]:
    """Yield what its shape or its checksum proves."""
    for row in (*_list_rows(text), _BITCOIN):
        if row.is_strict or row is _BITCOIN:
            yield from _match_row(row, text)
    yield from find_long_keys(text)


def _scan_encoded(text: str) -> Iterator[Found]:
    """Yield texts in base64 or hexadecimal digits that hold a secret."""
    for match in _BASE64.finditer(text):
        plain = _decode(match[0])
        hit = next(_scan_plain(plain), None) if plain else None
        if hit is not None:
            title = f"{hit.title} in another form"
            start, end = match.span()
            yield Found(start, end, hit.kind, title)


def _decode(value: str) -> str:
    """Return the text that a text in base64 or hexadecimal digits holds; empty if none."""
    try:
        if _HEXADECIMAL.fullmatch(value):
            plain = bytes.fromhex(value).decode()
        else:
            value = value.rstrip("=").replace("-", "+").replace("_", "/")
            plain = base64.b64decode(value + "=" * (-len(value) % 4)).decode()
    except (ValueError, binascii.Error):
        return ""
    is_text = all(char.isprintable() or char in "\r\n\t" for char in plain)
    return plain if is_text else ""
