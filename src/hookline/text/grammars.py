"""Makes parsers for the grammars of shells (tree-sitter), which are loaded at their first use.

Make a parser for each reading: two threads that use one at the same time crash the process, as soon
as the parser asks Python for text (`Parser.parse` with a function).
"""

from __future__ import annotations

from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Language, Parser


def make_bash_parser() -> Parser:
    """Return a new parser of bash."""
    from tree_sitter import Parser  # noqa: PLC0415 - only rules that look into commands need it

    return Parser(_load_bash())


def make_powershell_parser() -> Parser | None:
    """Return a new parser of PowerShell; None without its grammar, which the extra installs."""
    from tree_sitter import Parser  # noqa: PLC0415 - as above

    language = _load_powershell()
    return None if language is None else Parser(language)


@lru_cache(maxsize=1)
def _load_bash() -> Language:
    import tree_sitter_bash  # noqa: PLC0415 - as above
    from tree_sitter import Language  # noqa: PLC0415 - as above

    return Language(tree_sitter_bash.language())


@lru_cache(maxsize=1)
def _load_powershell() -> Language | None:
    try:
        import tree_sitter_powershell  # noqa: PLC0415 - as above
    except ImportError:  # some systems have no wheel of it
        return None
    from tree_sitter import Language  # noqa: PLC0415 - as above

    return Language(tree_sitter_powershell.language())
