"""Context: what the words around a value, or the value itself, say against its being a secret."""

from __future__ import annotations

import math
from collections import Counter

# A value that stands for another one, or is written in a document as an example.
from hookline.text import lazy_re as re

_PLACEHOLDER = re.compile(
    r"^[\s\"']*(?:\$\{?|\{\{|<|%\w|\[\w+\]|process\.env|os\.environ|env[.(\[]|getenv|config[.\[]"
    r"|settings\.|secrets\.|vault:|op://|arn:|file:|@|!|var\.|data\.|local\.|self\.|this\."
    r"|system\.|std::|import\.meta|args\.|params\.|request\.|req\.|os\.|input\()"
    r"|x{4,}|X{4,}|\*{3,}|\.{3}|\u2026|_{5,}|0{8,}|1{8,}|1234567890|123456789|abcdefgh|abcd1234"
    r"|deadbeef|cafebabe|changeme|change[_-]?me|example|sample|dummy|placeholder|redacted|masked"
    r"|your(?:[-_ ]|[a-z]{3})|my[-_]?(?:secret|token|key|password)|insert[-_ ]|replace[-_ ]"
    r"|(?<![a-z0-9+/])(?:todo|foo|fake|mock|xyz|test[-_]|tbd)|not[-_]?a[-_]?real|notreal|lorem"
    r"|<[^>]+>|^(?:none|null|true|false|undefined)\b|goes[-_]here"
    # What the documents of protocols and vendors print.
    r"|open sesame|gX1fBat3bV|SflKxwRJSMeKKF2QT4fwpM|4eC39HqLyjWDarjtT1zdp7dc|2YotnFZFEjr1z"
    r"|tGzv3JOkF0XG5Qx2|hh5s93j4hdidpola|nnch734d00sl2jdk"
    r"|secret[-_]?(?:here|value|key|name)|password[-_]?here|token[-_]?here|api[-_]?key[-_]?here",
    re.IGNORECASE,
)
_CALL = re.compile(r"[\w.]+\([^)]*\)?$")
_HASH_WORDS = re.compile(
    r"(?:tx|txid|transaction|hash|block|sha\d*|sha-?\d+|digest|checksum|commit|etag|integrity|root"
    r"|merkle|receipt|explorer|etherscan|tree|signature|signed|event|topic|log|nonce|uuid|guid"
    r"|build|image|content|address|contract|state|proof|leaf|fingerprint|cid|slot|revision|rev"
    r"|object|parent|blob|version|pubkey|public|bytecode|calldata|data|salt|交易|哈希|区块|地址)",
    re.IGNORECASE,
)
_KEY_WORDS = re.compile(
    r"(?:private|priv|secret|wallet|seed|mnemonic|deployer|signer|account|owner|import)[\s_-]*"
    r"(?:key|phrase)?|\bpk\b|\bsk\b|_pk\b|_key\b|\bkey\b|私钥|密钥|钱包|助记词",
    re.IGNORECASE,
)
_AROUND = 60  # characters before a value that tell what it is
_DIGITS = re.compile(r"(?:0x)?[0-9a-fA-F]{16,}")  # another value of the same kind
_LINE_END = re.compile(r"[\r\n]")


def make_set(words: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(words.split())


def make_slug(name: str) -> str:
    """Return a name in lower-case letters and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def is_placeholder(value: str) -> bool:
    """Return whether a value stands for another one, or is an example."""
    return bool(_PLACEHOLDER.search(value) or _CALL.match(value)) or len(set(value)) < 4  # noqa: PLR2004


def says_hash(text: str, start: int, end: int) -> bool:
    """Return whether the words beside a value call it a hash, an address or an id."""
    before, after = _words_around(text, start, end)
    return bool(_HASH_WORDS.search(before) or _HASH_WORDS.search(after))


def says_key(text: str, start: int, end: int) -> bool:
    """Return whether the words beside a value call it a private key."""
    before, after = _words_around(text, start, end)
    return bool(_KEY_WORDS.search(before) or _KEY_WORDS.search(after[:20]))


def _words_around(text: str, start: int, end: int) -> tuple[str, str]:
    before = _DIGITS.sub("", text[max(0, start - 4 * _AROUND) : start])[-_AROUND:]
    after = text[end : end + _AROUND // 2]
    *_, last = _LINE_END.split(before)
    if not last.strip(" \t\"'`:=>-|"):  # a value on a line of its own: the line before counts
        last = before
    return last, _LINE_END.split(after)[0]


def measure_entropy(value: str) -> float:
    """Return the bits of information in each character of a text, from its letters alone."""
    size = len(value)
    return -sum(count / size * math.log2(count / size) for count in Counter(value).values())
