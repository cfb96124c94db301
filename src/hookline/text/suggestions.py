"""Suggestions for misspelt words: "did you mean"."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a hint such as "did you mean `PreToolUse`?"; empty if no known word is near."""
    import difflib  # noqa: PLC0415 - only errors need it

    by_fold: dict[str, list[str]] = {}
    for name in known:
        by_fold.setdefault(_fold(name), []).append(name)
    near = difflib.get_close_matches(_fold(word), by_fold, n=1, cutoff=0.6)
    if not near:
        return ""
    # Of several spellings of one word, take the one closest to the input.
    likest = max(
        by_fold[near[0]], key=lambda name: difflib.SequenceMatcher(None, word, name).ratio()
    )
    return f"did you mean `{likest}`?"


def _fold(word: str) -> str:
    return word.replace("_", "").replace("-", "").replace(".", "").lower()
