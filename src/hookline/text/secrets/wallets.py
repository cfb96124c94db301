"""Keys of wallets: seed phrases, byte arrays, keys in base58 and in hexadecimal digits."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import re2

from hookline.text.secrets.context import is_placeholder, make_set, says_hash, says_key
from hookline.text.secrets.finding import Found

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mnemonic import Mnemonic

_SIZES = (24, 21, 18, 15, 12)  # words of a phrase, the longest first
_WALLET = re2.compile(
    r"(?i)seed|mnemonic|recovery|phrase|wallet|metamask|phantom|ledger|trezor|backup|bip-?39"
    r"|secret words|private key|solana|keypair|钱包|助记词|私钥|恢复|种子"
)
_WORD = re.compile(r"[^\W\d_]+")
# Twelve and more words of the length of a word list's, with little between them.
_CANDIDATE = re2.compile(r"(?i)(?:\b[a-z]{3,8}\b[^a-z]{1,14}){11,}[a-z]{3,8}\b")
_MOST_CHECKS = 200  # of checksums in one text
# What may stand between two words of a phrase: blanks, line ends, commas, numbers with a sign.
_BETWEEN = re.compile(r"[\s,;|\"'`\[\]>*-]{0,8}(?:\d{1,2}\s?[.):\]]\s?)?[\s\"'`]{0,4}")
_PROSE = make_set("""
the a an of to in is it that for on with as are be this was by from or at we you i he she they
not but have has had will would can could should and if when then there their our your my his
her its which who what do does did so than them these those been were into out up down over
""")
_LANGUAGES = (
    "english", "chinese_simplified", "chinese_traditional", "japanese", "korean", "spanish",
    "french", "italian", "portuguese", "czech", "russian", "turkish",
)  # fmt: skip
_BYTES = re.compile(r"\[?\s*(?:\d{1,3}\s*,\s*){47,255}\d{1,3}\s*\]?")
_BASE58 = re.compile(
    r"(?<![1-9A-HJ-NP-Za-km-z])[1-9A-HJ-NP-Za-km-z]{64,90}(?![1-9A-HJ-NP-Za-km-z])"
)
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:0x)?[0-9a-fA-F]{64}(?![0-9A-Za-z])")
_NEAR = 160  # characters in which a wallet word tells what a value is


def find_wallet_keys(text: str) -> Iterator[Found]:
    """Yield the keys of wallets in a text."""
    yield from _find_phrases(text)
    if text.count(",") > 46:  # noqa: PLR2004 - one less than the numbers of a key
        yield from _find_arrays(text)
    yield from _find_base58(text)
    yield from _find_hexadecimal(text)


# -- seed phrases --------------------------------------------------------------------------------


@cache
def _read_words(language: str) -> frozenset[str]:
    return frozenset(_make_checker(language).wordlist)


@cache
def _make_checker(language: str) -> Mnemonic:
    from mnemonic import Mnemonic  # noqa: PLC0415 - few texts have so many words in a row

    return Mnemonic(language)


def _find_phrases(text: str) -> Iterator[Found]:
    if text.isascii() and not _CANDIDATE.search(text):
        return
    languages = ["english"] if text.isascii() else list(_LANGUAGES)
    has_wallet_word = bool(_WALLET.search(text))
    for language in languages:
        words = _read_words(language)
        for run in _list_runs(text, _split_words(text, language), words):
            yield from _judge_run(text, run, language, has_wallet_word=has_wallet_word)


def _split_words(text: str, language: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and lower-case text of each word; a sign is a word in Chinese."""
    for match in _WORD.finditer(text):
        word = match[0]
        if language.startswith("chinese") and len(word) > 1 and not word.isascii():
            for at, sign in enumerate(word):
                yield match.start() + at, match.start() + at + 1, sign
        else:
            yield match.start(), match.end(), word.lower()


def _list_runs(
    text: str, pieces: Iterable[tuple[int, int, str]], words: frozenset[str]
) -> Iterator[list[tuple[int, int, str]]]:
    """Yield runs of at least twelve words of the list with nothing but separators between them."""
    run: list[tuple[int, int, str]] = []
    for piece in pieces:
        fits = piece[2] in words
        joins = not run or _BETWEEN.fullmatch(text, run[-1][1], piece[0]) is not None
        if fits and joins:
            run.append(piece)
            continue
        if len(run) >= _SIZES[-1]:
            yield run
        run = [piece] if fits else []
    if len(run) >= _SIZES[-1]:
        yield run


def _judge_run(
    text: str, run: Sequence[tuple[int, int, str]], language: str, *, has_wallet_word: bool
) -> Iterator[Found]:
    checker = _make_checker(language)
    at = 0
    while at + _SIZES[-1] <= min(len(run), _MOST_CHECKS):
        size = next((each for each in _SIZES if at + each <= len(run)
                     and _is_phrase(run[at : at + each], checker, language)), 0)  # fmt: skip
        if size:
            yield _make_phrase(run[at], run[at + size - 1])
            at += size
        else:
            at += 1
    texts = [piece[2] for piece in run]
    if len(run) > _SIZES[0] * 2 or texts == sorted(texts) or len(set(texts)) < len(texts) // 2:
        return  # an excerpt of a list
    covers = (run[-1][1] - run[0][0]) * 2 > len(text.strip())
    if (has_wallet_word or covers) and not _PROSE.intersection(texts):
        yield _make_phrase(run[0], run[-1])


def _is_phrase(run: Sequence[tuple[int, int, str]], checker: Mnemonic, language: str) -> bool:
    """Return whether words have the right checksum, and are no excerpt of a list."""
    texts = [piece[2] for piece in run]
    return texts != sorted(texts) and checker.check(_join(run, language))


def _join(run: Sequence[tuple[int, int, str]], language: str) -> str:
    return ("\u3000" if language == "japanese" else " ").join(piece[2] for piece in run)


def _make_phrase(first: tuple[int, int, str], last: tuple[int, int, str]) -> Found:
    return Found(first[0], last[1], "seed-phrase", "a seed phrase", masks=False)


# -- numbers -------------------------------------------------------------------------------------


def _find_arrays(text: str) -> Iterator[Found]:
    """Yield lists of 64 (or 48 and more beside a wallet word) numbers below 256."""
    for match in _BYTES.finditer(text):
        numbers = [int(number) for number in re.findall(r"\d+", match[0])]
        if any(number > 255 for number in numbers) or len(set(numbers)) < 16:  # noqa: PLR2004 - bytes
            continue
        is_near = _WALLET.search(text[max(0, match.start() - _NEAR) : match.start()]) is not None
        is_key = len(numbers) == 64 and _is_key_pair(numbers)  # noqa: PLR2004 - both halves
        if is_near or is_key:
            yield Found(match.start(), match.end(), "byte-array-key", "a key as a list of bytes",
                        masks=False)  # fmt: skip


def _is_key_pair(numbers: Sequence[int]) -> bool:
    """Return whether the second half is the public key of the first, as Solana writes it."""
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415 - optional
            Ed25519PrivateKey,
        )
    except ImportError:
        return False
    key = Ed25519PrivateKey.from_private_bytes(bytes(numbers[:32]))
    return key.public_key().public_bytes_raw() == bytes(numbers[32:])


def _find_base58(text: str) -> Iterator[Found]:
    for match in _BASE58.finditer(text):
        value = match[0]
        if value.isdigit() or not (any(c.isdigit() for c in value) and not value.islower()):
            continue
        around = text[max(0, match.start() - _NEAR) : match.end() + _NEAR // 4]
        if says_key(text, *match.span()) or _WALLET.search(around):
            if says_hash(text, *match.span()) and not says_key(text, *match.span()):
                continue
            yield Found(*match.span(), "base58-key", "a wallet's key", masks=False)


def _find_hexadecimal(text: str) -> Iterator[Found]:
    for match in _HEX.finditer(text):
        value = match[0].removeprefix("0x")
        if is_placeholder(value) or len(set(value.lower())) < 8:  # noqa: PLR2004 - no random key
            continue
        is_key, is_hash = says_key(text, *match.span()), says_hash(text, *match.span())
        if is_key or (match[0].startswith("0x") and not is_hash):
            if is_hash and not _outweighs(text, match.start()):
                continue
            yield Found(*match.span(), "hex-private-key", "a private key")


def _outweighs(text: str, start: int) -> bool:
    """Return whether the nearest word before a value calls it a key, and not a hash."""
    before = text[max(0, start - 24) : start].lower()
    return any(word in before for word in ("private", "secret", "priv_key", "privkey", "私钥"))
