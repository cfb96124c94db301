"""Go's text/template syntax as jinja2's: translates the tokens of jinja2's own lexer.

It covers what docker-agent documents: fields (`{{ .ToolName }}`, `{{ .tool_input.cmd }}`), the whole payload
(`{{ . }}`), calls (`{{ toJSON .ToolInput }}`, `{{ truncate 200 .ToolInput.cmd }}`) and pipelines
(`{{ .ToolInput | toJSON | truncate 200 }}`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import TemplateSyntaxError
from jinja2.ext import Extension
from jinja2.lexer import Token

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jinja2.lexer import TokenStream

# The functions that a template may call, and the name of the whole payload.
GO_FUNCTIONS = ("toJSON", "truncate")
PAYLOAD_NAME = "payload"
_GO_WORDS = frozenset(
    (
        "if",
        "else",
        "end",
        "range",
        "with",
        "define",
        "template",
        "block",
        "break",
        "continue",
        "print",
        "printf",
        "println",
        "index",
        "len",
    )
)


class GoTemplateExtension(Extension):
    """Translates Go's fields, calls and pipelines to jinja2's."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        tokens = iter(stream)
        for token in tokens:
            yield token
            if token.type == "variable_begin":
                inside: list[Token] = []
                for each in tokens:
                    if each.type == "variable_end":
                        yield from _translate_tokens(inside)
                        yield each
                        break
                    inside.append(each)


def _translate_tokens(tokens: list[Token]) -> Iterator[Token]:
    """Yield the tokens between two pairs of braces as jinja2's; tokens that are not Go's stay as they are.

    Raises:
        TemplateSyntaxError: Go's syntax goes beyond fields, `toJSON` and `truncate`.
    """
    first = tokens[0] if tokens else Token(1, "eof", "")
    word = first.value if first.type == "name" else ""
    applied = len(tokens) == 1 or tokens[1].type in ("dot", "string", "integer", "name")
    if (
        word in _GO_WORDS
        and applied
        and not (len(tokens) > 1 and tokens[1].value in ("if", "is", "in", "and", "or", "not"))
    ):
        raise TemplateSyntaxError(
            f"`{word}` is of Go's templates, of which prompts have the plain part only",
            first.lineno,
        )
    if first.type != "dot" and not (
        word in GO_FUNCTIONS and len(tokens) > 1 and tokens[1].type in ("dot", "string", "integer")
    ):
        return iter(tokens)
    return iter(_Pipeline(tokens).translate())


class _Pipeline:
    """A pipeline of Go's: commands with `|` between them; each is an operand, or a function with its operands."""

    def __init__(self, tokens: list[Token]) -> None:
        self.left = list(reversed(tokens))
        self.line = tokens[0].lineno

    def translate(self) -> list[Token]:
        made = self._operand() if self._next() == "dot" else self._call()
        while self.left:
            made += [self._take("pipe"), *self._call()]
        return made

    def _call(self) -> list[Token]:
        name = self._take("name")
        if name.value not in GO_FUNCTIONS:
            raise TemplateSyntaxError(f"there is no function `{name.value}`", name.lineno)
        made: list[Token] = []
        while self._next() in ("dot", "string", "integer"):
            made += [Token(self.line, "comma", ","), *self._operand()]
        return (
            [name, Token(self.line, "lparen", "("), *made[1:], Token(self.line, "rparen", ")")]
            if made
            else [name]
        )

    def _operand(self) -> list[Token]:
        if self._next() != "dot":
            return [self.left.pop()]
        made = [Token(self.line, "name", PAYLOAD_NAME)]
        alone = len(self.left) == 1 or self.left[-2].type not in ("dot", "name")
        while self._next() == "dot":
            dot = self.left.pop()
            if not alone:
                made += [dot, self._take("name")]
        return made

    def _next(self) -> str:
        return self.left[-1].type if self.left else ""

    def _take(self, kind: str) -> Token:
        if self._next() != kind:
            found = f"`{self.left[-1].value}`" if self.left else "the end"
            raise TemplateSyntaxError(f"{found} is not expected here", self.line)
        return self.left.pop()
