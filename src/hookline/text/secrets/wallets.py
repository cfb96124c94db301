"""Keys of wallets: byte arrays, keys in base58 and in hexadecimal digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookline.text import lazy_re as re
from hookline.text.secrets.context import is_placeholder, says_hash, says_key
from hookline.text.secrets.finding import Found
from hookline.text.secrets.phrases import WALLET

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_BYTES = re.compile(r"\[?\s*(?:\d{1,3}\s*,\s*){47,255}\d{1,3}\s*\]?")
_BASE58 = re.compile(
    r"(?<![1-9A-HJ-NP-Za-km-z])[1-9A-HJ-NP-Za-km-z]{64,90}(?![1-9A-HJ-NP-Za-km-z])"
)
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:0x)?[0-9a-fA-F]{64}(?![0-9A-Za-z])")
_LISTED = re.compile(r" [ *][!-~]+\s*?(?:\n|$)")  # the line of a list of checksums
_PART = re.compile(r"(?i)(?:^|[^a-z])[rsv]\b[\s\"':=]{1,4}$")  # a part of a signature
_FEWEST = 47  # commas between the numbers of a key
_NEAR = 160  # characters in which a wallet word tells what a value is


def find_long_keys(text: str) -> Iterator[Found]:
    """Yield the keys of wallets that are written as one word."""
    yield from _find_base58(text)
    yield from _find_hexadecimal(text)


def find_arrays(text: str) -> Iterator[Found]:
    """Yield lists of 64 (or 48 and more beside a wallet word) numbers below 256."""
    if text.count(",") < _FEWEST:
        return
    for match in _BYTES.finditer(text):
        numbers = [int(number) for number in re.findall(r"\d+", match[0])]
        if any(number > 255 for number in numbers) or len(set(numbers)) < 16:  # noqa: PLR2004 - bytes
            continue
        is_near = WALLET.search(text[max(0, match.start() - _NEAR) : match.start()]) is not None
        is_key = len(numbers) == 64 and _is_key_pair(numbers) is True  # noqa: PLR2004 - both halves
        if is_near or is_key:
            yield Found(match.start(), match.end(), "byte-array-key", "a key as a list of bytes",
                        masks=False)  # fmt: skip


def _is_key_pair(numbers: Sequence[int]) -> bool | None:
    """Return whether the second half is the public key of the first, as Solana writes it.

    None if the library that calculates it is absent.
    """
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415 - optional
            Ed25519PrivateKey,
        )
    except ImportError:
        return None
    key = Ed25519PrivateKey.from_private_bytes(bytes(numbers[:32]))
    return key.public_key().public_bytes_raw() == bytes(numbers[32:])


def _find_base58(text: str) -> Iterator[Found]:
    for match in _BASE58.finditer(text):
        value = match[0]
        if value.isdigit() or not (any(c.isdigit() for c in value) and not value.islower()):
            continue
        is_pair = _read_pair(value)
        if is_pair:
            yield Found(*match.span(), "base58-key", "a wallet's key", masks=False)
        around = text[max(0, match.start() - _NEAR) : match.end() + _NEAR // 4]
        if is_pair is not None or not (says_key(text, *match.span()) or WALLET.search(around)):
            continue
        if says_key(text, *match.span()) or not says_hash(text, *match.span()):
            yield Found(*match.span(), "base58-key", "a wallet's key", masks=False)


def _read_pair(value: str) -> bool | None:
    """Return whether 64 bytes in base58 are a key pair and no signature.

    None if they are not 64 bytes, or it cannot be calculated.
    """
    import base58  # noqa: PLC0415 - few texts have such a value

    data = base58.b58decode(value)
    return _is_key_pair(data) if len(data) == 64 else None  # noqa: PLR2004 - both halves


def _find_hexadecimal(text: str) -> Iterator[Found]:
    for match in _HEX.finditer(text):
        value = match[0].removeprefix("0x")
        if is_placeholder(value) or len(set(value.lower())) < 8:  # noqa: PLR2004 - no random key
            continue
        if _LISTED.match(text, match.end()) or _PART.search(text[: match.start()][-12:]):
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
