"""The nearest of some known words, for "did you mean"."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint such as "did you mean `PreToolUse`?", or an empty text where nothing known is near."""
    import difflib  # noqa: PLC0415 - only errors need it

    by_fold = {_fold(name): name for name in reversed(list(known))}  # of two spellings of one word, the first
    near = difflib.get_close_matches(_fold(word), by_fold, n=1, cutoff=0.6)
    return f"did you mean `{by_fold[near[0]]}`?" if near else ""


def _fold(word: str) -> str:
    return word.replace("_", "").replace("-", "").replace(".", "").lower()
