"""Checks: proofs that a value is a secret: a checksum, a decoding, the words around it."""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import TYPE_CHECKING

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
_SPOKEN_WORDS = make_set("""
required incorrect wrong invalid correct missing empty expired reset changed stored hashed the
protected field manager policy prompt not too still only used never always stored here there
valid being from sent already set weak strong encrypted visible hidden optional confirmed a an
in on at for and or with same different your my our their length unknown what that this
generated rotated managed read asked input string value null
""")
_VARIABLE = re.compile(r"^[A-Za-z_][\w.]*$|^[\w.-]+/[\w./-]+$|^\$|^--?[a-z]")
_DIGEST = re.compile(
    r"^(?:sha\d+[-:])|^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
    r"|^\d[\d.,:/_-]*$|^v?\d+\.\d+|^https?://|^/|^\.{0,2}/|^[A-Z][a-z]+$|^ssh-"
)
_NOT_SECRET_NAME = re.compile(
    r"(?:public|pub_?key|key_?id|token_?(?:type|url|uri|endpoint|count|limit|budget|ids?)|max_?tokens"
    r"|tokens?_(?:used|per|in|out)|auth_?(?:url|uri|type|method|mode|provider|domain|endpoint|user)"
    r"|author|authority|password_?(?:field|input|hash|policy|reset|min|max|length|file|label|confirm)"
    r"|secret_?(?:name|arn|ref|version|manager|id)|key_?name|credential_?(?:id|type|source|helper)"
    r"|keyboard|keyword|secretary|tokenizer|passwordless|authenticated|authorized)",
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


def _check_jwt(text: str, start: int, end: int, _: int) -> bool:
    head = text[start:end].partition(".")[0]
    try:
        header = json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (ValueError, binascii.Error):
        return False
    return isinstance(header, dict) and ("alg" in header or "enc" in header)


_NO_PASSWORDS = make_set("""
password pass pwd secret user x-oauth-basic postgres root guest admin token
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
    return ":" in plain and plain.isprintable()


def _check_plain(text: str, start: int, end: int, _: int) -> bool:
    value = text[start:end]
    if is_placeholder(value) or not any(char.isdigit() for char in value):
        return False
    is_hexadecimal = bool(re.fullmatch(r"[0-9a-f-]{32,}", value))
    return not (is_hexadecimal and says_hash(text, start, end))


def _check_named(text: str, start: int, end: int, name_start: int) -> bool:
    """Agree if `name = value` names a secret, and the value is no word, path, call or reference."""
    value = text[start:end].rstrip(".,;:!?")
    name = text[name_start:start]
    if is_placeholder(value) or _NOT_SECRET_NAME.search(name) or _DIGEST.match(value):
        return False
    kinds = _count_kinds(value)
    is_password = bool(re.search(r"pass|pwd", name, re.IGNORECASE))
    if is_password:
        return kinds > 1 and not value.startswith(("(", "[", "{", "$", "<", "=", "-"))
    if _VARIABLE.match(value) and kinds < 3:  # noqa: PLR2004 - no digit: a name of a program
        return False
    return len(value) > 11 and kinds > 1 and measure_entropy(value) > _OPAQUE  # noqa: PLR2004


def _check_spoken(text: str, start: int, end: int, _: int) -> bool:
    """Agree if a sentence tells a password, and not that one is needed."""
    value = text[start:end].rstrip(".,;:!?)")
    if is_placeholder(value) or value.lower() in _SPOKEN_WORDS:
        return False
    return _count_kinds(value) > 1 and not (value.isalpha() and value[1:].islower())


def _count_kinds(value: str) -> int:
    """Return how many of lower case, upper case, digits and signs a value has."""
    return (
        any(char.islower() for char in value)
        + any(char.isupper() for char in value)
        + any(char.isdigit() for char in value)
        + any(not char.isalnum() and char not in "_-" for char in value)
    )


CHECKS: Mapping[str, Callable[[str, int, int, int], bool]] = {
    "base58": _check_base58,
    "jwt": _check_jwt,
    "url": _check_url,
    "value": _check_value,
    "key": _check_key,
    "opaque": _check_opaque,
    "basic": _check_basic,
    "plain": _check_plain,
    "named": _check_named,
    "spoken": _check_spoken,
}
