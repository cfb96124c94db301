"""Flavours of regular expressions: what each host's engine accepts, and how hookline runs it."""

from __future__ import annotations

import re
import warnings

from hookline.errors import ConfigError
from hookline.text.backtracking import compile_backtracking
from hookline.text.re2_regex import Regex, compile_re2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


# A repetition without a lower bound, which RE2 reads as plain text.
_NO_LOWER_BOUND = re.compile(r"(?s)(\\.|\[\^?\]?(?:\\.|[^\\\]])*\])|\{,(\d+)\}")
# A brace that opens no repetition, which the `regex` package may read as a fuzzy match.
_LITERAL_BRACE = re.compile(r"(?s)(\\.|\[\^?\]?(?:\\.|[^\\\]])*\])|\{(?!\d+(?:,\d*)?\}|,\d+\})")
_LONGEST = 10_000  # characters
_ESCAPE = re.compile(r"(?s)\\(.)")


class Flavour:
    r"""One engine's syntax of regular expressions.

    Args:
        title: the engine's name in messages.
        check: raises ValueError, with the reason, for what the engine refuses.
        translate: writes an expression in the syntax that RE2 and the `regex` package share; raises
            as `check`.
        finish: adapts that to the `regex` package.
        backtracks: the engine has look-around and back-references.
        ascii_only: `\w`, `\d` and `\b` of the engine know ASCII only.
    """

    __slots__ = ("_ascii_only", "_backtracks", "_check", "_finish", "_title", "_translate")

    def __init__(
        self,
        title: str,
        *,
        check: Callable[[str], object] = str,
        translate: Callable[[str], str] = str,
        finish: Callable[[str], str] = str,
        backtracks: bool = False,
        ascii_only: bool = False,
    ) -> None:
        self._title = title
        self._check, self._translate, self._finish = check, translate, finish
        self._backtracks, self._ascii_only = backtracks, ascii_only

    def compile(self, source: str) -> Regex:
        """Compile an expression: on RE2 if that can run it, else on the `regex` package.

        Raises:
            ConfigError: `matcher.regex`; the engine refuses the expression, or it is too large.
        """
        if len(source) > _LONGEST:
            raise self._refused(f"{source[:60]}…", f"it has more than {_LONGEST} characters")
        try:
            self._check(source)
            if not self._backtracks:
                compile_re2(source)
            translated = self._translate(source)
        except RecursionError:
            raise self._refused(source, "it has too many nested groups") from None
        except (ValueError, OverflowError) as error:
            raise self._refused(source, str(error)) from None
        try:
            return compile_re2(translated, source)
        except ConfigError:
            if not self._backtracks:
                raise
        return compile_backtracking(self._finish(translated), source, ascii_only=self._ascii_only)

    def accepts(self, source: str) -> bool:
        """Return whether the engine itself accepts an expression."""
        try:
            self._check(source)
            self._translate(source)
        except (ValueError, OverflowError, RecursionError):
            return False
        return True

    def _refused(self, source: str, why: str) -> ConfigError:
        return ConfigError(
            f"invalid expression `{source}`: {why}",
            name="matcher.regex",
            hint=f"this host reads {self._title} expressions",
        )


# -- engines that are like RE2 ---------------------------------------------------------------------


def _refuses(letters: str) -> Callable[[str], None]:
    """Return a check that refuses escapes which RE2 has and the engine lacks."""

    def check(source: str) -> None:
        for found in _ESCAPE.finditer(source):
            if found[1] in letters:
                raise ValueError(f"unknown escape `{found[0]}` at character {found.start() + 1}")

    return check


def _count_from_zero(source: str) -> str:
    return _NO_LOWER_BOUND.sub(lambda found: found[1] or f"{{0,{found[2]}}}", source)


# -- Python ----------------------------------------------------------------------------------------


def _check_python(source: str) -> None:

    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # Python warns of what a later version may read otherwise
            re.compile(source)
    except re.error as error:
        where = "" if error.pos is None else f" at character {error.pos + 1}"
        raise ValueError(f"{error.msg}{where}") from None


def _escape_braces(source: str) -> str:
    return _LITERAL_BRACE.sub(lambda found: found[1] or r"\{", source)


# -- JavaScript ------------------------------------------------------------------------------------

_JS_PARTS = re.compile(
    r"""(?sx)
      (?P<escape>\\(?:
        x[0-9a-fA-F]{2} | u[0-9a-fA-F]{4} | c[A-Za-z] | (?=c) | k<[\w$]*> | [1-9][0-9]* | .))
    | (?P<set>\[(?:\\.|[^\]\\])*\])
    | (?P<group>\((?:\?(?:<?[=!] | : | <[A-Za-z_$][\w$]*> | (?!-?:)[ims]*(?:-[ims]*)?:) | (?!\?)))
    | (?P<close>\))
    | (?P<count>(?:[*+?] | \{\d+(?:,\d*)?\})\??)
    | (?P<anchor>[\^$])
    | (?P<or>\|)
    | (?P<char>.)
    """
)
_JS_CLASSES = "dDsSwW"
_JS_CONTROL: Mapping[str, str] = {"f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_LAST = chr(0x10FFFF)
_MOST_OCTAL = 0o377
_LOOK_BEHIND = ("(?<=", "(?<!")


def _literal(char: str) -> str:
    """Return a character as both engines write it, also inside a set."""
    if char.isalnum() or char in "_ ,:/" or ord(char) > 0x7F:  # noqa: PLR2004 - the last of ASCII
        return char
    return f"\\x{ord(char):02x}"


def _parts(source: str) -> Iterator[re.Match[str]]:
    """Yield the parts of a JavaScript expression.

    Raises:
        ValueError: JavaScript refuses a part. The first such part ends the search, which keeps the
            time linear.
    """
    for found in _JS_PARTS.finditer(source):
        at = found.start()
        if found.lastgroup == "char" and found[0] in "\\[(":
            if found[0] == "\\":
                raise ValueError("`\\` at the end")
            if found[0] == "[":
                raise ValueError(f"`[` is not closed at character {at + 1}")
            raise ValueError(f"invalid group `{source[at : at + 4]}` at character {at + 1}")
        yield found


class _JavaScript:
    """Writes a JavaScript expression in the shared syntax (ECMAScript 2025, no `u` flag)."""

    def __init__(self, source: str) -> None:
        self.source = source
        parts = [found for found in _parts(source) if found.lastgroup == "group"]
        self.names = [
            found[0][3:-1]
            for found in parts
            if found[0].startswith("(?<") and found[0] not in _LOOK_BEHIND
        ]
        self.groups = len(self.names) + sum(found[0] == "(" for found in parts)
        self.closed: set[str] = set()
        if len(set(self.names)) != len(self.names):
            raise ValueError("two groups have one name")

    def translate(self) -> str:
        """Return the expression in the shared syntax.

        Raises:
            ValueError: JavaScript refuses it.
        """
        written: list[str] = []
        opened: list[
            tuple[str, tuple[str, ...]]
        ] = []  # each with the number and the name of its group
        captured = 0
        repeatable = False
        for found in _JS_PARTS.finditer(self.source):
            part, sort, at = found[0], found.lastgroup, found.start()
            if sort == "group":
                name = part[3:-1] if part[:3] == "(?<" and part not in _LOOK_BEHIND else ""
                captured += part == "(" or bool(name)
                opened.append((part, (str(captured), name) if part == "(" or name else ()))
                written.append(f"(?P{part[2:]}" if name else part)
                repeatable = False
                continue
            if sort == "close":
                if not opened:
                    raise ValueError(f"unmatched `)` at character {at + 1}")
                # A look-ahead may be repeated, a look-behind may not.
                opening, called = opened.pop()
                self.closed.update(called)
                repeatable = opening not in _LOOK_BEHIND
                written.append(part)
            elif sort == "count":
                if not repeatable:
                    raise ValueError(f"nothing to repeat at character {at + 1}")
                self._check_count(part, at)
                repeatable = False
                written.append(part)
            elif sort in ("anchor", "or"):
                repeatable = False
                written.append(part)
            else:
                repeatable = part not in ("\\b", "\\B")
                written.append(self._atom(part, str(sort), at))
        if opened:
            raise ValueError("a group is not closed")
        return "".join(written)

    @staticmethod
    def _check_count(part: str, at: int) -> None:
        least, comma, most = part.rstrip("?").strip("{}").partition(",")
        if comma and most and int(least) > int(most):
            raise ValueError(f"numbers out of order in `{part}` at character {at + 1}")

    def _atom(self, part: str, sort: str, at: int) -> str:
        if sort == "escape":
            return self._escape(part[1:])
        if sort == "set":
            return self._set(part, at)
        return part if part == "." else _literal(part)

    def _escape(self, text: str, *, in_set: bool = False) -> str:
        if not text:
            return _literal("\\")  # `\c` without a letter
        head = text[0]
        if text in _JS_CLASSES or (text in ("b", "B") and not in_set):
            return f"\\{text}"
        if text == "b":
            return "\\x08"
        if head == "k" and self.names:
            if in_set or text[2:-1] not in self.names:
                raise ValueError("invalid named reference")
            return self._reference(text[2:-1], f"(?P={text[2:-1]})")
        if head.isdigit() and head.isascii():
            return self._number(text, in_set=in_set)
        if len(text) > 1:
            return self._coded(text)
        return _literal(_JS_CONTROL.get(text, text))

    def _number(self, text: str, *, in_set: bool) -> str:
        r"""Return the back-reference `\1` if there is such a group, else an octal character."""
        if not in_set and text[0] != "0" and int(text) <= self.groups:
            return self._reference(text, f"\\{text}")
        octal = ""
        for digit in text:
            if digit not in "01234567" or int(octal + digit, 8) > _MOST_OCTAL:
                break
            octal += digit
        rest = text[len(octal) :]
        return (_literal(chr(int(octal, 8))) if octal else "") + rest

    def _reference(self, group: str, reference: str) -> str:
        """Return a back-reference.

        JavaScript matches the empty text where the group has matched nothing yet.
        """
        return f"(?({group}){reference})" if group in self.closed else "(?:)"

    @staticmethod
    def _coded(text: str) -> str:
        r"""Return the character of `\x41`, `\u0041` or `\cA`.

        Without a named group, `\k<` is plain text.
        """
        if text[0] in "xu":
            return _literal(chr(int(text[1:], 16)))
        if text[0] == "c":
            return _literal(chr(ord(text[1]) % 32))
        return "".join(map(_literal, text))

    def _set(self, part: str, at: int) -> str:
        negated = part.startswith("[^")
        inner = part[2:-1] if negated else part[1:-1]
        if not inner:
            return f"[\\x00-{_LAST}]" if negated else f"[^\\x00-{_LAST}]"
        members = [self._member(found[0]) for found in _JS_MEMBERS.finditer(inner)]
        written: list[str] = []
        left = iter(range(len(members)))
        for at_member in left:
            first, *rest = members[at_member : at_member + 3]
            if len(rest) > 1 and rest[0] == "-" and not (_is_class(first) or _is_class(rest[1])):
                first, last = _inside(first), _inside(rest[1])
                if _code(first) > _code(last):
                    raise ValueError(f"range out of order in `{part}` at character {at + 1}")
                written.append(f"{first}-{last}")
                next(left), next(left)
            else:
                written.append(_inside(first))
        return f"[{'^' if negated else ''}{''.join(written)}]"

    def _member(self, text: str) -> str:
        """Return one member of a set.

        A lone `-` stays as it is, because it may stand for a range.
        """
        if text[0] == "\\":
            return self._escape(text[1:], in_set=True)
        return text if text == "-" else _literal(text)


_JS_MEMBERS = re.compile(
    r"(?s)\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|c[A-Za-z0-9_]|(?=c)|[0-3][0-7]{0,2}|[4-7][0-7]?|.)|."
)


def _is_class(member: str) -> bool:
    return len(member) > 1 and member[1] in _JS_CLASSES


def _inside(member: str) -> str:
    return _literal(member) if member == "-" else member


def _code(member: str) -> int:
    return int(f"0{member[1:]}", 0) if len(member) > 1 else ord(member)


def _from_javascript(source: str) -> str:
    return _JavaScript(source).translate()


def _end_of_text(source: str) -> str:
    """Make `$` match the end of the text only.

    The `regex` package also takes it for the place before a last newline.
    """
    return re.sub(
        r"(?s)(\\.|\[\^?\]?(?:\\.|[^\\\]])*\])|\$", lambda found: found[1] or r"\Z", source
    )


FLAVOURS: Mapping[str, Flavour] = {
    "re2": Flavour("RE2"),
    "go": Flavour("Go", check=_refuses("C")),
    "rust": Flavour("Rust", check=_refuses("CQEZ"), translate=_count_from_zero),
    "python": Flavour(
        "Python",
        check=_check_python,
        translate=_count_from_zero,
        finish=_escape_braces,
        backtracks=True,
    ),
    "javascript": Flavour(
        "JavaScript",
        translate=_from_javascript,
        finish=_end_of_text,
        backtracks=True,
        ascii_only=True,
    ),
}
