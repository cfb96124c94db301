"""The clauses of an English sentence: the words of each, and what it depends on."""

from __future__ import annotations

import re
from typing import NamedTuple

from hookline.guards.claims import english_lexicon as lexicon
from hookline.guards.claims.prose import CODE, QUOTE, URL

_TOKEN = re.compile(
    rf"{CODE}+|{QUOTE}+|{URL}+"
    r"|[A-Za-z][A-Za-z0-9_]*(?:['’./-][A-Za-z0-9_]+)*"
    r"|\d[\d,./]*\d%?|\d%?|#\d+"
    rf"|[{lexicon.CHECK_MARKS}{lexicon.CROSSES}]"
    r"|[,;:—–()?!→=&+]|(?<=\s)-{1,2}(?=\s)"
)
_CONTRACTIONS = {
    "won't": ("will", "not"),
    "can't": ("can", "not"),
    "cannot": ("can", "not"),
    "let's": ("let",),
    "i'm": ("i", "am"),
    "gonna": ("going", "to"),
    "ain't": ("is", "not"),
}
_ENDINGS = {"ll": "will", "ve": "have", "re": "are", "d": "would", "s": "'s", "m": "am"}
_FIXED: dict[tuple[str, ...], str] = {
    ("as", "soon", "as"): "when",
    ("as", "if"): "if",
    ("as", "long", "as"): "if",
    ("so", "that"): "so-that",
    ("up", "to", "date"): "current",
    ("in", "case"): "if",
    ("even", "if"): "if",
    ("only", "if"): "if",
    ("provided", "that"): "if",
    ("now", "that"): "since",
    ("not", "only"): "both",
    ("not", "just"): "both",
    ("without", "further", "ado"): "now",
    ("yet", "to"): "not",
    ("at", "once"): "now",
    ("all", "at", "once"): "now",
    ("as", "before"): "again",
    ("no", "problem"): "now",
    ("both", "are"): "are",
    **{pair: "-".join(pair) for pair in lexicon.COMPOUNDS},
}
_LONGEST_FIXED = 3
_BREAKS = frozenset(";:—–()→-")
_CLOSERS = frozenset("?!")
_JOINTS = frozenset({",", "and", "or", "then", "&", "+", "nor"})
_SUBORDINATE = lexicon.CONDITIONS | lexicon.OCCASIONS
_OPENERS = _SUBORDINATE | lexicon.STRONG | {"so-that"}
_POLITE = frozenset(
    {"want", "need", "like", "have", "prefer", "wish", "care", "would", "are", "'re"}
)


class Token(NamedTuple):
    """A word in lower case, its spelling, and the code that it stands for."""

    text: str
    spelling: str
    code: str = ""


class Clause(NamedTuple):
    """A part of a sentence with one statement.

    `opener`: the word or sign before it. `under`: the conjunction of the clause that it depends
    on. `is_joined`: no comma and no other sign is between it and the clause before.
    `is_question`: it is asked.
    """

    words: tuple[str, ...]
    tokens: tuple[Token, ...]
    opener: str = ""
    under: str = ""
    is_joined: bool = False
    is_question: bool = False


def split_clauses(text: str, source: str) -> tuple[Clause, ...]:
    """Return the clauses of a sentence; `source` is its text before anything was masked."""
    tokens = _join_fixed(_read_tokens(text, source))
    ends_with_question = text.rstrip("*_ )\"'").endswith("?")
    clauses: list[Clause] = []
    for opener, is_joined, group in _group(tokens, ends_with_question):
        under = _find_dependence(clauses, opener, is_joined)
        words = tuple(token.text for token in group)
        clauses.append(Clause(words, tuple(group), opener, under, is_joined))
    return _mark_questions(clauses) if ends_with_question else tuple(clauses)


def has_condition_after(clauses: tuple[Clause, ...], place: int, *, is_present: bool) -> bool:
    """Return whether the next clause makes this one depend on something yet to come."""
    if place + 1 >= len(clauses):
        return False
    after = clauses[place + 1]
    if after.opener in ("unless", "provided", "assuming"):
        return True
    if not after.is_joined:
        return False
    if after.opener == "if":
        return not (after.words[:1] == ("you",) and bool(_POLITE & set(after.words[1:3])))
    return is_present and after.opener in lexicon.OCCASIONS | {"whenever"}


# -- words -----------------------------------------------------------------------------------------


def _read_tokens(text: str, source: str) -> list[Token]:
    tokens: list[Token] = []
    for found in _TOKEN.finditer(text):
        word = found[0]
        if word[0] == CODE:
            code = source[found.start() : found.end()].strip("` ")
            tokens.append(Token(_name_code(code), code, code))
        elif word[0] in (QUOTE, URL):
            link = source[found.start() : found.end()]
            is_request = word[0] == URL and ("/pull/" in link or "/merge_requests/" in link)
            tokens.append(Token("pr" if is_request else word[0], word[0]))
        else:
            tokens += _expand(word)
    return tokens


def _expand(word: str) -> list[Token]:
    lower = word.lower().replace("’", "'")
    if lower in _CONTRACTIONS:
        return [Token(part, part) for part in _CONTRACTIONS[lower]]
    stem, apostrophe, ending = lower.rpartition("'")
    if apostrophe and ending == "t" and stem.endswith("n"):
        return [Token(stem[:-1], stem[:-1]), Token("not", "not")]
    if apostrophe and ending in _ENDINGS:
        return [Token(stem, word[: len(stem)]), Token(_ENDINGS[ending], _ENDINGS[ending])]
    return [Token(lower, word)]


def _name_code(code: str) -> str:
    """Return the noun that a command in inline code stands for, or the mark of code."""
    words = code.lower().replace("/", " ").split()
    known = set(words)
    if words[:1] == ["git"] and known & {"push", "commit"}:
        return "push" if "push" in known else "commit"
    if words[:2] == ["gh", "pr"]:
        return "pr"
    if len(words) > 1 and "publish" in known:
        return "publish"
    for noun in words:
        if len(words) > 1 or noun not in ("test", "tests", "build", "lint", "checks", "ci"):
            head = noun.partition(":")[0]
            if head in lexicon.TEST_NOUNS:
                return "tests"
            if head in lexicon.BUILD_NOUNS | {"make"}:
                return head if head in lexicon.LINT_NOUNS | lexicon.TYPE_NOUNS else "build"
    return CODE


def _join_fixed(tokens: list[Token]) -> list[Token]:
    joined: list[Token] = []
    place = 0
    while place < len(tokens):
        for size in range(_LONGEST_FIXED, 1, -1):
            part = tokens[place : place + size]
            fixed = _FIXED.get(tuple(token.text for token in part))
            if fixed:
                joined.append(Token(fixed, " ".join(token.spelling for token in part)))
                place += size
                break
        else:
            joined.append(tokens[place])
            place += 1
    return joined


# -- clauses ---------------------------------------------------------------------------------------


def _group(tokens: list[Token], is_question: bool) -> list[tuple[str, bool, list[Token]]]:  # noqa: FBT001
    groups: list[tuple[str, bool, list[Token]]] = [("", False, [])]
    for place, token in enumerate(tokens):
        word, (opener, _, group) = token.text, groups[-1]
        before = tokens[place - 1].text if place else ""
        if word in _CLOSERS:
            continue
        if word in _BREAKS:
            groups.append((word, False, []))
        elif word in _OPENERS and _opens_clause(tokens, place):
            is_joined = before not in _BREAKS and before != ","
            groups.append((word, is_joined, []))
        elif (word == "," and group and (opener in _SUBORDINATE or _is_interjection(group))) or (
            word in _JOINTS and group and _starts_clause(tokens, place, is_question=is_question)
        ):
            groups.append((word, False, []))
        else:
            group.append(token)
    return [(opener, is_joined, group) for opener, is_joined, group in groups if group or opener]


def _starts_clause(tokens: list[Token], place: int, *, is_question: bool) -> bool:
    """Return whether the word after a comma or `and` is the subject of a new clause."""
    after = place + 1
    while after < len(tokens) and (
        tokens[after].text in _JOINTS or tokens[after].text in lexicon.ADVERBS - {"all", "both"}
    ):
        after += 1
    if after >= len(tokens):
        return False
    word = tokens[after].text
    if is_question and word in lexicon.QUESTION_OPENERS:
        return True
    return word in lexicon.CLAUSE_SUBJECTS and _has_verb(tokens[after:])


def _opens_clause(tokens: list[Token], place: int) -> bool:
    """Return whether a clause follows; `after the refactor` and a lone `before` open none."""
    if tokens[place].text not in ("after", "before", "since"):
        return True
    rest = tokens[place + 1 :]
    end = next((at for at, token in enumerate(rest) if token.text == ","), len(rest))
    has_comma = end < len(rest)
    return bool(rest) and (
        rest[0].text in lexicon.PERSONS or (_has_verb(rest[:end]) and (has_comma or place > 0))
    )


def _is_interjection(tokens: list[Token]) -> bool:
    return all(token.text in lexicon.INTERJECTIONS for token in tokens)


def _has_verb(tokens: list[Token]) -> bool:
    verbs = lexicon.AUXILIARIES | lexicon.MODALS | lexicon.PASSES | lexicon.DOES
    for token in tokens[:9]:
        if token.text in _BREAKS:
            return False
        if token.text in verbs or token.text.endswith(("ed", "nt", "ut", "iles")):
            return True
    return False


def _find_dependence(clauses: list[Clause], opener: str, is_joined: bool) -> str:  # noqa: FBT001
    if opener in _SUBORDINATE:
        return opener
    if not clauses or is_joined or opener in _BREAKS or opener in lexicon.STRONG | {"so-that"}:
        return ""
    before = clauses[-1]
    if before.opener in _SUBORDINATE:
        # A clause of condition that stands first governs the next one; one that follows its main
        # clause governs nothing more.
        is_first = len(clauses) == 1 or not clauses[-2].words or not before.is_joined
        return before.opener if is_first else ""
    return before.under


def _mark_questions(clauses: list[Clause]) -> tuple[Clause, ...]:
    """Mark the first clause that opens like a question and all after it; without one, all."""
    first = 0
    for place, clause in enumerate(clauses):
        word = next((word for word in clause.words if word not in _JOINTS), "")
        if word in lexicon.QUESTION_OPENERS and clause.opener != "that":
            first = place
            break
    return (*clauses[:first], *(clause._replace(is_question=True) for clause in clauses[first:]))
