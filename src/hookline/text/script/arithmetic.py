"""Calculates what `$((...))` is, where all of its numbers are known."""

from __future__ import annotations

import ast
import operator

from hookline.text import lazy_re as re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_LONGEST, _MOST = 64, 1 << 62  # characters of a text; the largest number
_NUMBER = re.compile(r"\b(?:(\d{1,2})#(\w+)|0[xX]([0-9a-fA-F]+)|(0[0-7]*)|([1-9]\d*))\b")
_ALLOWED = re.compile(r"[\d\s+*%/()<>&|^~-]+")
_BASES = range(2, 37)
_OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda left, right: int(left / right),
    ast.Mod: lambda left, right: left - int(left / right) * right,
    ast.LShift: lambda left, right: left << right if 0 <= right < _LONGEST else _MOST,
    ast.RShift: lambda left, right: left >> right if 0 <= right < _LONGEST else _MOST,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}


def calculate(text: str) -> int | None:
    """Return the value of an expression of numbers; None if it is longer or holds anything else."""
    if len(text) > _LONGEST:
        return None
    try:
        plain = _NUMBER.sub(_read_number, text).strip()
        if not _ALLOWED.fullmatch(plain):
            return None
        return _calculate(ast.parse(plain, mode="eval").body)
    except (ValueError, SyntaxError, ZeroDivisionError, OverflowError):
        return None


def _read_number(at: re.Match[str]) -> str:
    """Return a number of any base as a decimal one."""
    base, digits, hexadecimal, octal, decimal = at.groups()
    if base:
        return str(int(digits, int(base))) if int(base) in _BASES else "?"
    return str(int(hexadecimal, 16) if hexadecimal else int(octal or "0", 8) or int(decimal or "0"))


def _calculate(node: ast.expr) -> int:
    match node:
        case ast.Constant(value=int(value)):
            found = value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            found = -_calculate(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            found = _calculate(operand)
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            found = ~_calculate(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            found = _OPERATORS[type(op)](_calculate(left), _calculate(right))
        case _:
            raise ValueError
    if abs(found) >= _MOST:
        raise OverflowError
    return found
