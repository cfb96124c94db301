"""JSON as hosts and files hold it, with comments where a host allows them."""

from __future__ import annotations

import json
import re
from itertools import accumulate

from hookline.errors import CodecError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NoReturn


# Levels that are read as structure; jq 1.6 refuses 256 levels, serde 128.
NESTED = 100
# Levels that are accepted at all.
DEEPEST = 5000
_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_TOKEN = rf"{_STRING}|[{{}}\[\]]"
_STEPS: Mapping[str | int, int] = {
    "{": 1, "[": 1, "}": -1, "]": -1, **dict(zip(b"{[}]", (1, 1, -1, -1), strict=True)),
}  # fmt: skip
_NO_STRUCTURE = bytes(set(range(256)) - set(b'{}[]"'))
_BLANKS = b" \t\r\n"
_MARK = b"\xef\xbb\xbf"


def read_json(sent: str | bytes, what: str = "the payload", *, constants: bool = True) -> Any:
    """Return the value of a JSON text.

    Args:
        sent: the text, as UTF-8, UTF-16 or UTF-32 where it is bytes.
        what: what the text is, for the message of an error.
        constants: whether NaN and Infinity count as numbers.

    Raises:
        CodecError: it is not JSON, or is nested more than 5,000 levels deep.
    """
    text = sent if isinstance(sent, str) else _decode(sent, what)
    if text.count("{") + text.count("[") > NESTED:
        text = _flatten_deep_parts(text, what)
    refuse = None if constants else _refuse
    try:
        return json.loads(text, strict=False, parse_constant=refuse)
    except (ValueError, RecursionError):
        pass
    try:
        return json.loads(text, strict=False, parse_int=_integer, parse_constant=refuse)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise CodecError(
            f"{what} is no JSON: {error.msg.lower().removesuffix(' at')} at {place}"
        ) from None
    except RecursionError:
        raise CodecError(
            f"{what} is no JSON: it is nested too deeply, and its brackets do not pair"
        ) from None
    except ValueError as error:
        raise CodecError(f"{what} is no JSON: {error}") from None


def is_complete_json(sent: bytes) -> bool:
    """Return whether the bytes are one whole object or list, judged by brackets alone."""
    if not sent.removeprefix(_MARK).lstrip(_BLANKS).startswith((b"{", b"[")):
        return False
    if not sent.rstrip(_BLANKS).endswith((b"}", b"]")):
        return False
    left = re.sub(_STRING.encode(), b"", sent, flags=re.DOTALL).translate(None, _NO_STRUCTURE)
    opened, closed = (left.count(a) + left.count(b) for a, b in ((b"{", b"["), (b"}", b"]")))
    return b'"' not in left and opened == closed


def _decode(sent: bytes, what: str) -> str:
    """Decode bytes; a byte that is not UTF-8 becomes a lone surrogate, which JSON can express."""
    encoding = json.detect_encoding(sent)
    try:
        return sent.decode(encoding, "surrogatepass")
    except UnicodeDecodeError as error:
        if encoding.startswith("utf-8"):
            return sent.decode(encoding, "surrogateescape")
        raise CodecError(f"{what} is no JSON text in UTF-8: {error.reason}") from None


def _flatten_deep_parts(text: str, what: str) -> str:
    """Return the JSON text with the parts that are nested too deeply as texts.

    Raises:
        CodecError: the nesting is deeper than `DEEPEST`.
    """
    strings = re.sub(_STRING, "", text, flags=re.DOTALL)
    brackets = strings.encode("ascii", "ignore").translate(None, _NO_STRUCTURE + b'"')
    depths = accumulate(_STEPS[each] for each in _peel_brackets(brackets, NESTED))
    deepest = max(depths, default=0)
    if not deepest:
        return text
    if deepest > DEEPEST - NESTED:
        raise CodecError(f"{what} is nested more than {DEEPEST:,} levels deep")
    kept, depth, start, end = [], 0, 0, 0
    for token in re.finditer(_TOKEN, text, re.DOTALL):
        step = _STEPS.get(token[0], 0)
        if step > 0 and depth == NESTED:
            start = token.start()
        depth += step
        if step < 0 and depth == NESTED:
            kept += [text[end:start], json.dumps(_unescape_strings(text[start : token.end()]))]
            end = token.end()
    return "".join([*kept, text[end:]])


def _peel_brackets(brackets: bytes, levels: int) -> bytes:
    """Remove the innermost bracket pairs, `levels` times.

    Return empty bytes if the brackets do not pair.
    """
    for _ in range(levels):
        fewer = brackets.replace(b"{}", b"").replace(b"[]", b"")
        if len(fewer) == len(brackets):
            return b""
        brackets = fewer
    return brackets


def _unescape_strings(part: str) -> str:
    r"""Return a part without `\u` escapes, so that a pattern finds what a tool would read."""
    return re.sub(_STRING, _unescape, part, flags=re.DOTALL)


def _unescape(found: re.Match[str]) -> str:
    string = found[0]
    if "\\u" not in string:
        return string
    try:
        return json.dumps(json.loads(string, strict=False), ensure_ascii=False)
    except ValueError:
        return string


def _integer(digits: str) -> int | str:
    try:
        return int(digits)
    except ValueError:  # more digits than Python converts
        return digits


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"`{constant}` is no number")


# Skip each text as a whole, because `//` in a text is not a comment.
_TEXT_OR_COMMENT = r'"(?:[^"\\\n]|\\.)*"?|//[^\n\r]*|/\*.*?(?:\*/|\Z)'


def without_comments(text: str) -> str:
    """Blank out the `//` and `/* */` comments of a text; lines and columns stay as they are."""
    if "//" not in text and "/*" not in text:
        return text
    return re.sub(_TEXT_OR_COMMENT, _blank, text, flags=re.DOTALL)


def _blank(found: re.Match[str]) -> str:
    piece = found[0]
    return piece if piece.startswith('"') else re.sub(r"[^\n\r]", " ", piece)


def open_json(text: Any) -> Any:
    """Return the object or list that a text holds.

    Any other text (a patch, an output), and what is no text, as it is.
    """
    if not isinstance(text, str) or not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return read_json(text)
    except CodecError:
        return text


def close_json(value: Any, sent: Any = None) -> str:
    """Return a value as text: what the host sent, if that still has this value.

    Else JSON without blanks.

    Raises:
        TypeError, ValueError, RecursionError: JSON cannot express the value.
    """
    if isinstance(value, str):
        return value
    if isinstance(sent, str) and open_json(sent) == value:
        return sent
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
