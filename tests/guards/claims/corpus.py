"""The cases of the claims guard: replies by template family, with what each claims."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ruamel.yaml import YAML

FOLDER = Path(__file__).parent
LANGUAGES = ("english", "chinese")
FORMS = ("offer", "negation", "quote", "question")


class Case(NamedTuple):
    """A reply; `kinds` is empty for one that claims nothing."""

    text: str
    kinds: frozenset[str]
    group: str
    language: str


def load_cases(*parts: str) -> list[Case]:
    """Return the cases of these parts, such as `work`."""
    return [
        case
        for part in parts
        for language in LANGUAGES
        for family in _load(f"{language}_{part}")
        for case in _expand(family, language)
    ]


def load_harmless(*names: str) -> list[Case]:
    """Return replies that claim nothing, each with the reason as its group."""
    return [
        Case(text, frozenset(), group, "english" if text.isascii() else "chinese")
        for name in names
        for group, texts in _load(name).items()
        for text in texts
    ]


def _expand(family: dict, language: str) -> list[Case]:
    kind = family["kind"]
    kinds = frozenset([kind] if isinstance(kind, str) else kind)
    claims = [Case(text, kinds, family["family"], language) for text in family["claims"]]
    return claims + [
        Case(text, frozenset(), form, language) for form in FORMS for text in family[form]
    ]


def _load(name: str):
    return YAML(typ="safe").load(FOLDER / f"{name}.yaml")
