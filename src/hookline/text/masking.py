"""What looks like a secret, and how a text or a value is masked."""

from __future__ import annotations

from hookline.text import lazy_re as re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

_NAMES = (
    r"(?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|access[_-]?key|private[_-]?key"
    r"|authorization|credential|cookie|signature|(?<![a-z])sig(?![a-z]))s?"
)
_SECRET_KEY = re.compile(_NAMES, re.IGNORECASE)
_MASKED = r"(?!\[masked )"  # leave masked values as they are
_DONE = re.compile(r"\[masked \d+\]")
_SCHEME = r"(?:bearer|basic|token|digest|negotiate|apikey)\s+"
_QUOTED = r"\"(?:[^\"\\\r\n]|\\.)+\"?|'(?:[^'\\\r\n]|\\.)+'?"
# `key=value`, `"key": "value"`, `--some-password value`, `;Pwd=value`; a quoted value counts whole.
_KEY_VALUE = re.compile(
    rf"({_NAMES}[\"']?\s*[=:]\s*|--(?:\w[\w-]{{0,40}}?[-_])?{_NAMES}[ \t]+|;\s*pwd\s*=\s*)"
    rf"{_MASKED}({_QUOTED}|(?!{_SCHEME})[^\s\"',;&]{{4,}})",
    re.IGNORECASE,
)
# The value after these extends to the end of the line or quote: `Authorization: Digest a="b",
# c="d"`.
_HEADER = re.compile(
    rf"((?:authorization|cookie2?)\s*:\s*(?:{_SCHEME})?+){_MASKED}([^\s'\"][^'\r\n]{{3,}}?)"
    r"(?=['\r\n]|\Z|\"(?:\s|\Z))",
    re.IGNORECASE,
)
_BEARER = re.compile(rf"(\b(?:bearer|basic)\s+){_MASKED}([^\s\"',;&]{{4,}})", re.IGNORECASE)
_USER = re.compile(
    r"((?:^|(?<=\s))(?:-u|-U|--(?:proxy-)?user)(?:[ \t]+|=)?[\"']?[^\s:\"'=]{1,128}:)"
    rf"{_MASKED}([^\s\"']+)"
)
# Everything before the last `@` of a URL's authority; and each value of a query, whatever its name.
_USER_INFO = re.compile(rf"(://){_MASKED}([^\s/?#\"'`<>]{{1,1024}})(?=@)")
_QUERY = re.compile(rf"([?&;][\w.~%\[\]-]{{1,128}}=){_MASKED}([^\s&;#\"'`<>]+)")
_PEM = re.compile(
    rf"(-----BEGIN [A-Z0-9 ]{{0,40}}PRIVATE KEY[A-Z ]{{0,20}}-----){_MASKED}(.+?)(?=-----END|\Z)",
    re.DOTALL,
)
_LONG = re.compile(r"[A-Za-z0-9_+=.-]{20,}")
_KNOWN = re.compile(
    r"\b(?:sk-|gh[opsu]_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|AIza|eyJ)[A-Za-z0-9_.-]{8,}"
)
_MANY_DIGITS = 4
# Environment variables whose names mark them as secrets. Shorter values occur in many texts by
# chance.
_SECRET_VARIABLE = re.compile(
    rf"{_NAMES}|(?:^|_)(?:api|auth|key|pat|pw)(?:_|$)|_pwd(?:_|$)", re.IGNORECASE
)
_SHORTEST = 6


def mask_value(value: Any) -> Any:
    """Mask a JSON value: all texts in it, and everything under a key such as `password`.

    Keys stay.
    """
    match value:
        case str():
            return mask_text(value)
        case dict():
            return {
                key: _mask_whole(part) if _SECRET_KEY.search(str(key)) else mask_value(part)
                for key, part in value.items()
            }
        case list() | tuple():
            return [mask_value(part) for part in value]
        case _:
            return value


def mask_text(text: str) -> str:
    """Mask keys, passwords and tokens in a text, by their name, their form or their randomness."""
    for form in (_PEM, _USER_INFO, _HEADER, _KEY_VALUE, _BEARER, _USER, _QUERY):
        text = form.sub(_mask_second_group, text)
    text = _KNOWN.sub(lambda found: _mark(found[0]), text)
    return _LONG.sub(lambda found: _mark(found[0]) if _is_mixed(found[0]) else found[0], text)


def find_secret_values(environ: Mapping[str, str]) -> set[str]:
    """Return the values of environment variables whose names mark them as secrets."""
    return {
        value
        for name, value in environ.items()
        if len(value) >= _SHORTEST and _SECRET_VARIABLE.search(name)
    }


def mask_secrets(text: str, secrets: Iterable[str]) -> str:
    """Mask each of these values in a text.

    The longest goes first, because it may contain another one.
    """
    for secret in sorted(secrets, key=len, reverse=True):
        if secret in text:
            text = text.replace(secret, _mark(secret))
    return text


def _mask_second_group(found: re.Match[str]) -> str:
    value = found[2]
    quote = value[0] if value[0] in "\"'" else ""
    end = quote if quote and len(value) > 1 and value.endswith(quote) else ""
    plain = value[len(quote) : len(value) - len(end)]
    return f"{found[1]}{quote}{plain if _DONE.fullmatch(plain) else _mark(plain)}{end}"


def _mark(text: str) -> str:
    return f"[masked {len(text)}]"


def _mask_whole(value: Any) -> Any:
    """Mask everything under a secret name; the structure stays."""
    match value:
        case dict():
            return {key: _mask_whole(part) for key, part in value.items()}
        case list() | tuple():
            return [_mask_whole(part) for part in value]
        case None | bool():
            return value
        case str() if _DONE.fullmatch(value):
            return value
        case _:
            return _mark(str(value))


def _is_mixed(text: str) -> bool:
    """Return whether a text mixes letters and digits as generated keys do.

    Long words and file names do not.
    """
    return sum(char.isdigit() for char in text) >= _MANY_DIGITS and any(
        char.isalpha() for char in text
    )
