"""Regular expressions of configuration files, on RE2 where possible, so that no match is slow."""

from __future__ import annotations

from hookline.text.re2_regex import Regex, check_budget, compile_re2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.text.flavours import Flavour

_NAME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-:/ ,")
# Characters that every flavour reads alike, besides `.*` and `.+`.
_COMMON = _NAME | frozenset(".|^$")


def compile_regex(source: str, flavour: str = "re2") -> Regex:
    """Compile an expression.

    Args:
        source: the expression.
        flavour: the engine that the expression was written for, a key of `text.flavours.FLAVOURS`.

    Raises:
        ConfigError: `matcher.regex`; that engine refuses the expression, or hookline cannot run it.
            `config.too-large`; the budget is spent, and no other engine is tried.
    """
    check_budget()
    if flavour == "re2" or _is_common(source):
        return compile_re2(source)
    return _flavour(flavour).compile(source)


def accepts(source: str, flavour: str) -> bool:
    """Return whether an engine accepts an expression, even one that hookline cannot run."""
    return _flavour(flavour).accepts(source)


def _flavour(name: str) -> Flavour:
    from hookline.text.flavours import FLAVOURS  # noqa: PLC0415 - most expressions are `a.*`

    return FLAVOURS[name]


def _is_common(source: str) -> bool:
    """Return whether every flavour reads an expression alike, and RE2 runs it."""
    return _COMMON.issuperset(source.replace(".*", "").replace(".+", ""))
