"""Seed phrases: twelve to twenty-four words of one word list, with a checksum or a wallet word."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import re2

from hookline.text import lazy_re as re
from hookline.text.digest import sha256
from hookline.text.secrets.context import make_set
from hookline.text.secrets.finding import Found

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_SIZES = (24, 21, 18, 15, 12)  # words of a phrase, the longest first
_MOST_RUN = 512  # words of a run that are checked
_MOST_EXTRA = 2  # words beside a phrase of 24 words, whose checksum alone is proof
_BEFORE, _AFTER = 120, 60  # characters beside a run in which a wallet word counts
WALLET = re2.compile(
    r"(?i)seed|mnemonic|recovery|phrase|wallet|metamask|phantom|ledger|trezor|backup|bip-?39"
    r"|secret words|private key|solana|keypair|钱包|錢包|助记词|助記詞|私钥|私鑰|恢复|种子"
    r"|備份|备份|semilla|recuper|cartera|carteira|billetera|monedero|portefeuille|r[ée]cup[ée]ration"
    r"|portafoglio|seme|мнемоник|сид-?фраз|кошел|восстановлен|ニーモニック|シード|復元|ウォレット"
    r"|니모닉|시드|지갑|복구|c[üu]zdan|kurtarma|pen[ěe][žz]enk|obnov"
)
# Twelve and more words of the length of a word list's, with little between them.
_CANDIDATE = re2.compile(r"(?:[a-z]{3,9}[^a-z]+){11}[a-z]{3,9}")
_MARKS = re.compile("[\u0300-\u036f]+")
_WORD = re.compile(r"(?:[^\W\d_][\u0300-\u036f\u3099\u309a]*)+")
# What may stand between two words of a phrase: blanks, line ends, commas, numbers with a sign.
_BETWEEN = re.compile(
    r"[\s\uff0c,、;|\"'`\[\]>*·•/&+_.=~-]{0,24}"
    r"(?:\(?\d{1,2}\s?[.):\]、|-]?\s?)?[\s\"'`|]{0,4}"
)
_UNSPACED = re.compile(
    r"(?:助记词|助記詞|mnemonic)[^\u4e00-\u9fff\n]{1,6}([\u4e00-\u9fff]{12,24})(?![\u4e00-\u9fff])",
    re.IGNORECASE,
)
_LABELS = make_set("seed phrase secret word wallet recovery use try this enter import backup key")
_PROSE = make_set("""
the a an of to in is it that for on with as are be this was by from or at we you i he she they
not but have has had will would can could should and if when then there their our your my his
her its which who what do does did so than them these those been were into out up down over
""")
_LATIN = ("english", "spanish", "french", "italian", "portuguese", "czech", "turkish")
_CHINESE = ("chinese_simplified", "chinese_traditional")
# Letters that are in each phrase in a language, as Unicode's decomposition writes them.
_SCRIPTS = (
    (re.compile("[\u4e00-\u9fff]"), _CHINESE),
    (re.compile("[\u3041-\u3096]"), ("japanese",)),
    (re.compile("[\u1100-\u11ff]"), ("korean",)),
    (re.compile("[\u0430-\u044f]"), ("russian",)),
)
_FEWEST = 6  # different words of a phrase


class _Piece(NamedTuple):
    """A word in a text: where it stands, and its letters as the lists write them."""

    start: int
    end: int
    word: str


def find_phrases(text: str) -> Iterator[Found]:
    """Yield the seed phrases in a text."""
    lower = text.lower() if text.isascii() else unicodedata.normalize("NFKD", text.lower())
    languages = tuple(_list_languages(lower))
    if not languages:
        return
    present = set(_WORD.findall(lower))
    pieces: tuple[_Piece, ...] = ()
    for language in languages:
        words = _read_words(language)
        if sum(map(words.__contains__, present)) < _FEWEST:
            continue
        pieces = pieces or tuple(_split_words(text))
        for run in _list_runs(text, pieces, words):
            yield from _judge_run(text, run[:_MOST_RUN], words)
    yield from _find_unspaced(text)


def _list_languages(lower: str) -> Iterator[str]:
    """Yield the languages in which a text in lower case may have a phrase."""
    is_ascii = lower.isascii()
    plain = lower if is_ascii else _MARKS.sub("", lower).replace("\u0131", "i")
    if _CANDIDATE.search(plain):
        yield from _LATIN
    if not is_ascii:
        for letters, languages in _SCRIPTS:
            if letters.search(lower):
                yield from languages


@cache
def _read_words(language: str) -> Mapping[str, int]:
    """Return the words of a list, each with its number."""
    from mnemonic import Mnemonic  # noqa: PLC0415 - few texts have so many words in a row

    words = Mnemonic(language).wordlist
    return {unicodedata.normalize("NFKD", word): at for at, word in enumerate(words)}


def _split_words(text: str) -> Iterator[_Piece]:
    for match in _WORD.finditer(text):
        word = match[0].lower()
        plain = word if word.isascii() else unicodedata.normalize("NFKD", word)
        yield _Piece(match.start(), match.end(), plain)


def _list_runs(
    text: str, pieces: Sequence[_Piece], words: Mapping[str, int]
) -> Iterator[list[_Piece]]:
    """Yield runs of at least twelve words of the list with nothing but separators between them."""
    run: list[_Piece] = []
    for piece in pieces:
        fits = piece.word in words
        joins = not run or (
            piece.start > run[-1].end
            and _BETWEEN.fullmatch(text, run[-1].end, piece.start) is not None
        )
        if fits and joins:
            run.append(piece)
            continue
        if len(run) >= _SIZES[-1]:
            yield run
        run = [piece] if fits else []
    if len(run) >= _SIZES[-1]:
        yield run


def _judge_run(text: str, run: Sequence[_Piece], words: Mapping[str, int]) -> Iterator[Found]:
    """Yield the phrases in a run of words of one list.

    A phrase has the right checksum and is all of the run, or a wallet word stands beside it.
    """
    texts = [piece.word for piece in run]
    if texts == sorted(texts) or len(set(texts)) < len(texts) // 2:
        return  # an excerpt of a list
    start, end = run[0].start, run[-1].end
    around = f"{text[max(0, start - _BEFORE) : start]}\n{text[end : end + _AFTER]}"
    has_wallet_word = WALLET.search(around) is not None
    first, last = _strip_labels(texts)
    if has_wallet_word and last - first in _SIZES and not _PROSE.intersection(texts):
        yield _make_phrase(run[first], run[last - 1])
        return
    for first, size in _list_windows(text, run, anywhere=has_wallet_word):
        if _has_checksum(texts[first : first + size], words):
            yield _make_phrase(run[first], run[first + size - 1])


def _list_windows(text: str, run: Sequence[_Piece], *, anywhere: bool) -> Iterator[tuple[int, int]]:
    """Yield the parts of a run that may be a phrase: the first word's index, and the count.

    They are the whole run, without words such as `use`; each of its lines; with a wallet word
    beside it, every part.
    """
    count = len(run)
    spans = {(0, count), _strip_labels([piece.word for piece in run])}
    spans |= {(first, first + 24) for first in range(count - 23) if count <= 24 + _MOST_EXTRA}
    first = 0
    for at in range(1, count + 1):
        if at == count or "\n" in text[run[at - 1].end : run[at].start]:
            spans.add((first, at))
            first = at
    if anywhere:
        spans |= {(at, at + size) for size in _SIZES for at in range(count - size + 1)}
    for first, last in sorted(spans, key=lambda span: (span[0], -span[1])):
        if last - first in _SIZES:
            yield first, last - first


def _strip_labels(texts: Sequence[str]) -> tuple[int, int]:
    """Return the span of a run without the words before it that announce a phrase."""
    first = 0
    while first < len(texts) and texts[first] in _LABELS and len(texts) - first not in _SIZES:
        first += 1
    return first, len(texts)


def _has_checksum(texts: Sequence[str], words: Mapping[str, int]) -> bool:
    """Return whether the last bits of the words are the first ones of the hash of the others."""
    number = 0
    for word in texts:
        number = number << 11 | words[word]
    check_bits = len(texts) // 3
    entropy = (number >> check_bits).to_bytes(len(texts) * 4 // 3, "big")
    first_byte = int(sha256(entropy)[:2], 16)
    return first_byte >> (8 - check_bits) == number & ((1 << check_bits) - 1)


def _find_unspaced(text: str) -> Iterator[Found]:
    """Yield Chinese phrases without blanks, right behind a word that announces one."""
    for match in _UNSPACED.finditer(text):
        for language in _CHINESE:
            words = _read_words(language)
            texts = list(match[1])
            known = len(texts) in _SIZES and all(each in words for each in texts)
            if known and _has_checksum(texts, words):
                yield Found(*match.span(1), "seed-phrase", "a seed phrase", masks=False)


def _make_phrase(first: _Piece, last: _Piece) -> Found:
    return Found(first.start, last.end, "seed-phrase", "a seed phrase", masks=False)
