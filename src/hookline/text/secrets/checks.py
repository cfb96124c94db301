"""Checks: proofs that a value is a secret: a checksum, a decoding, the words around it."""

from __future__ import annotations

import base64
import binascii
import json
from typing import TYPE_CHECKING

import re2

from hookline.text import lazy_re as re
from hookline.text.secrets.context import (
    is_placeholder,
    make_set,
    measure_entropy,
    says_hash,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_WIF_SIZES = (33, 34)  # bytes of a key, with the version and perhaps a mark
_OPAQUE = 3.0  # bits in each character of a random value
_DRAWN = 10  # characters of a random value
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_UUID_NAME = re.compile(
    r"api_?-?key|secret|passw|(?:access|auth|api|server|bearer|bot|personal)[_-]?token|[A-Z]_TOKEN"
    r"|access_?key"
)
_NAME_END = re.compile(r"[\w.-]+$")
_LONG_NAME = 40  # characters of a name that are read
_LONG_VALUE = 4000  # characters of a value; longer ones are texts
_EXPRESSION = re.compile(r"[A-Za-z_][\w.]*\[|[A-Z_]{4,}=|\[|[bfr]?[\"'{]")  # as `Optional[str]`
_BRACKET = re.compile(r"[\[\](){}<>]")
_BODY = re.compile(r"[A-Za-z0-9+/]{20}")
_PATTERN = re.compile(r"\[[^\]\s]*-[^\]\s]*\]|\\[dwsb]|\{\d+,?\d*\}|^\w+\(")
_VARIABLE = re.compile(r"^[A-Za-z_][\w.]*$|^[\w.-]+/[\w./-]+$|^\$|^--?[a-z]")
_DIGEST = re.compile(
    r"^(?:sha\d+[-:])|^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
    r"|^\d[\d.,:/_-]*$|^v?\d+\.\d+|^https?://|^/(?!.*=$)|^\.{0,2}/|^[A-Z][a-z]+$|^ssh-"
)
_NOT_SECRET_NAME = re.compile(
    r"(?:public|pub_?key|key_?id|token_?(?:type|url|uri|endpoint|count|limit|budget|ids?)|max_?tokens"
    r"|tokens?_(?:used|per|in|out)|auth_?(?:url|uri|type|method|mode|provider|domain|endpoint|user)"
    r"|author(?!iz)|authority|password_?(?:field|input|hash|policy|reset|min|max|length|file|label|confirm)"
    r"|secret_?(?:name|arn|ref|version|manager|id)|key_?name|credential_?(?:id|type|source|helper)"
    r"|keyboard|keyword|secretary|tokenizer|passwordless|authenticated|authorized|authorization_?(?:url|endpoint|code))",
    re.IGNORECASE,
)


def passes(check: str, text: str, start: int, end: int, name_start: int) -> bool:
    """Return whether a value is a secret by a check; `name_start`: where the match begins."""
    return not check or CHECKS[check](text, start, end, name_start)


def _check_base58(text: str, start: int, end: int, _: int) -> bool:
    import base58  # noqa: PLC0415 - few texts have such a value

    try:
        data = base58.b58decode_check(text[start:end])
    except ValueError:
        return False
    return end - start > 60 or len(data) in _WIF_SIZES  # noqa: PLR2004 - longer than such a key


def _check_pem(text: str, start: int, end: int, _: int) -> bool:
    """Agree if there is base64 between the two lines."""
    return _BODY.search(text[start:end]) is not None


def _check_jwt(text: str, start: int, end: int, _: int) -> bool:
    head = text[start:end].partition(".")[0]
    try:
        header = json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (ValueError, binascii.Error):
        return False
    return isinstance(header, dict) and ("alg" in header or "enc" in header)


_NO_PASSWORDS = make_set("""
password passwd pass pwd pw secret user x-oauth-basic postgres root guest admin token
""")


def _check_url(text: str, start: int, end: int, _: int) -> bool:
    value = text[start:end]
    return not is_placeholder(value) and value.lower() not in _NO_PASSWORDS


def _check_value(text: str, start: int, end: int, _: int) -> bool:
    return not is_placeholder(text[start:end])


def _check_key(text: str, start: int, end: int, _: int) -> bool:
    value = text[start:end]
    return not is_placeholder(value) and any(char.isdigit() for char in value)


def _check_opaque(text: str, start: int, end: int, _: int) -> bool:
    value = text[start:end]
    if is_placeholder(value) or measure_entropy(value) < _OPAQUE:
        return False
    return any(char.isdigit() for char in value) or not value.islower()


def _check_basic(text: str, start: int, end: int, _: int) -> bool:
    try:
        plain = base64.b64decode(text[start:end], validate=True).decode()
    except (ValueError, binascii.Error):
        return False
    user, sign, password = plain.partition(":")
    if not sign or not plain.isprintable() or is_placeholder(password):
        return False
    return password.lower() not in _NO_PASSWORDS and user != password


def _check_plain(text: str, start: int, end: int, _: int) -> bool:
    value = text[start:end]
    if is_placeholder(value) or not any(char.isdigit() for char in value):
        return False
    is_hexadecimal = bool(re.fullmatch(r"[0-9a-f-]{32,}", value))
    return not (is_hexadecimal and says_hash(text, start, end))


def _check_named(text: str, start: int, end: int, name_start: int) -> bool:
    """Agree if `name = value` names a secret, and the value is no word, path, call or reference."""
    value = text[start:end].rstrip(".,;:!?")
    head = _NAME_END.search(text[max(0, name_start - _LONG_NAME) : name_start])
    name = (head[0] if head else "") + text[name_start:start]
    if is_placeholder(value) or _NOT_SECRET_NAME.search(name):
        return False
    if _UUID.fullmatch(value):
        return _UUID_NAME.search(name) is not None
    if _DIGEST.match(value):
        return False
    if len(value) > _LONG_VALUE or " " in value.strip() or _PATTERN.search(value):
        return False
    if text[end : end + 1] in {"(", "["}:
        return False  # a call or an index
    if text[start - 1 : start] not in {'"', "'", "`"} and _EXPRESSION.match(value):
        return False
    kinds = count_kinds(value)
    if re.search(r"pass|pwd", name, re.IGNORECASE):
        is_plain = bool(_VARIABLE.match(value)) and not any(char.isdigit() for char in value)
        is_plain = is_plain or ("/" in value and is_wordy(value))
        return (
            kinds > 1 and not is_plain and not value.startswith(("(", "[", "{", "$", "<", "=", "-"))
        )
    if is_random(value):
        return len(value) > 11  # noqa: PLR2004 - shorter ones are ids
    if len(value) < 16 or _VARIABLE.match(value) or is_wordy(value):  # noqa: PLR2004 - as above
        return False  # a name of a program, or words
    return kinds > 1 and measure_entropy(value) > _OPAQUE and not _BRACKET.search(value)


def _check_given(text: str, start: int, end: int, name_start: int) -> bool:
    """Agree if a value beside a secret's name is random, or one beside `password` is no word."""
    value = text[start:end].rstrip(".,;:!?")
    if is_placeholder(value) or _DIGEST.match(value) or _PATTERN.search(value):
        return False
    if text[end : end + 1] in {"(", "["}:
        return False
    if re.search(r"pass|pwd", text[name_start:start], re.IGNORECASE) and "/" not in value:
        return count_kinds(value) > 2 or is_random(value)  # noqa: PLR2004 - of four kinds
    return is_random(value)


def _check_option(text: str, start: int, end: int, _: int) -> bool:
    """Agree if a value of an option for passwords is no word, number or path."""
    value = text[start:end]
    if (
        is_placeholder(value)
        or value.startswith(("/", "./", "~", "$", "-", "{"))
        or value.isdigit()
    ):
        return False
    return count_kinds(value) > 1 and not is_wordy(value) and not re.match(r"[\d.]+:\d", value)


_WORDY = re2.compile(
    r"_?(?:[A-Z]{1,3}\d{1,3})?(?:[A-Z]?[a-z]{2,}|[A-Z]{2,}|\d{1,8}|[_.:/@#-]|\bv\d+|s3|k8s|E[cd])+"
)


_NUMBERS = re.compile(r"\d+")
_CODE = 16  # characters of a code in capitals and digits


def is_wordy(value: str) -> bool:
    """Return whether a value consists of words, numbers and signs between them."""
    if len(value) >= _CODE and len(_NUMBERS.findall(value)) > 1 and value.isalnum():
        return False  # numbers inside of it, and nothing between them
    return _WORDY.fullmatch(value) is not None


def is_random(value: str) -> bool:
    """Return whether a value looks drawn, and not written: kinds of characters change in it."""
    if len(value) < _DRAWN or not any(char.isdigit() for char in value):
        return False
    return count_kinds(value) > 1 and measure_entropy(value) > _OPAQUE and not is_wordy(value)


def count_kinds(value: str) -> int:
    """Return how many of lower case, upper case, digits and signs a value has."""
    return (
        any(char.islower() for char in value)
        + any(char.isupper() for char in value)
        + any(char.isdigit() for char in value)
        + any(not char.isalnum() and char not in "_-" for char in value)
    )


CHECKS: Mapping[str, Callable[[str, int, int, int], bool]] = {
    "base58": _check_base58,
    "pem": _check_pem,
    "jwt": _check_jwt,
    "url": _check_url,
    "value": _check_value,
    "key": _check_key,
    "opaque": _check_opaque,
    "basic": _check_basic,
    "plain": _check_plain,
    "named": _check_named,
    "given": _check_given,
    "option": _check_option,
}
