"""Finds what an English sentence claims: verbs in the past, nouns with them, and states."""

from __future__ import annotations

import re

from hookline.guards.claims import english_lexicon as lexicon
from hookline.guards.claims.english_clauses import Clause, has_condition_after, split_clauses
from hookline.guards.claims.english_states import find_states, is_report
from hookline.text.script.reading import make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.guards.claims.claim import Kind

_VERBS = {verb.past: verb for verb in lexicon.VERBS}
_MULTIPLE = {
    past: [verb for verb in lexicon.VERBS if verb.past == past] for past in _VERBS
}  # "posted" and "pushed" may have several rows
_PHRASES = {row[1] for row in lexicon.PHRASES}
_BASES = {verb.base: verb for verb in lexicon.VERBS}
_PROGRESSIVES = {verb.progressive: verb for verb in lexicon.VERBS}
# A sentence without any of these claims nothing.
_ANY_WORD = re.compile(
    rf"[{lexicon.CHECK_MARKS}]|\b(?:"
    + "|".join(
        sorted(
            {
                *_VERBS, *_BASES, *_PROGRESSIVES, *(row[1] for row in lexicon.PHRASES),
                *lexicon.MAKERS, *lexicon.PASSES, *lexicon.WORKS, *lexicon.COMPILES,
                *lexicon.SUCCEEDS, *lexicon.LIVE, *lexicon.ACTIVE, *lexicon.TEST_NOUNS,
                *lexicon.REQUESTS, *lexicon.REMINDERS, *lexicon.MAILS, *lexicon.STATE_WORDS,
                *lexicon.BUILD_NOUNS, "set", "cron", "place",
                "open", "ready", "let", "errors", "warnings", "failures", "pull",
                "github", "gitlab", "remote", "origin", "merge",
            }
        )
    )
    + r")\b",
    re.IGNORECASE,
)  # fmt: skip
_JOINTS = frozenset({",", "and", "or", "nor", "then", "&", "+"})
_BEFORE_NOUN = make_set("""
the a an your my our this that any each every these those newly previously of for to with in from
by as on no his her their its into about per
""")
_OBJECT_STARTS = make_set("""
the a an it this that these those them my your our his her its their new some
""")
_ENDED = ("finished", "done", "completed")
_AGENT = re.compile(
    r"me|us|myself|hand|using|default|running|mistake|calling|means|then|now|\d.*|\w+ing|"
    r"tomorrow|noon|monday|tuesday|wednesday|thursday|friday|eod|email|mail"
)
_NOT_ANY = frozenset({"nothing", "no", "none", "neither", "nowhere", "not"})
_ELSEWHEN = re.compile(lexicon.ELSEWHEN, re.IGNORECASE)
_HABITS = re.compile(lexicon.HABITS, re.IGNORECASE)
_HEARSAY = re.compile(lexicon.HEARSAY, re.IGNORECASE)
_CHAIN = lexicon.AUXILIARIES | lexicon.MODALS | lexicon.NEGATIONS | lexicon.ADVERBS
_UNDONE = lexicon.MODALS | lexicon.NEGATIONS | {"being", "to", "get", "gets", "getting"}
_GENERAL_SUBJECTS = ("each", "every", "any", "what")
# What follows these was there before, or is what a test looks at.
_NOTICES = make_set("""
found noticed discovered realized saw reported reports assertion assert asserts bug issue problem
shows showed suggests learned
""")
_BUGS = make_set("bug problem issue cause symptom error reason")
_DEFECTS = make_set(
    "twice wrong wrongly incorrectly accidentally mistakenly prematurely early late"
)
_AFTER_OBJECT = make_set("to that so with from via for of about in into on at")
_TICKETS = ("issue", "ticket", "bug", "task", "in", "for", "on", "fixes", "closes")
_AMOUNTS = make_set("ms seconds second minutes percent % true false none null zero")
_VERSION = re.compile(r"\bv?\d+\.\d+")
_NEAR, _FAR = 5, 9


def find_english(text: str, source: str, topic: str) -> list[Kind]:
    """Return the kinds that a sentence claims.

    Args:
        text: the sentence without what it only mentions.
        source: the whole sentence.
        topic: the noun that `it` stands for, from the sentence before.
    """
    if not _ANY_WORD.search(text):
        return []
    clauses = split_clauses(text, source)
    everything = frozenset(word for clause in clauses for word in clause.words)
    if _VERSION.search(text):
        everything |= {"version"}
    is_elsewhen = bool(_ELSEWHEN.search(text))
    is_habit = bool(_HABITS.search(text))
    is_hearsay = bool(_HEARSAY.search(text))
    found: list[Kind] = []
    for place, clause in enumerate(clauses):
        if clause.is_question or _is_hypothetical(clauses, place) or _is_embedded(clauses, place):
            continue
        for kind, at, is_active, is_present in _find_all(clauses, place, everything, topic, text):
            is_result = kind in ("tests_pass", "build_works")
            if not is_active and (is_elsewhen or (is_hearsay and not is_result)):
                continue
            if is_habit and kind != "scheduled":
                continue
            if kind not in found and _holds(clauses, place, at, (kind, is_active, is_present)):
                found.append(kind)
    return found


def _holds(
    clauses: tuple[Clause, ...], place: int, at: int, claimed: tuple[Kind, bool, bool]
) -> bool:
    """Return whether nothing around a claim makes it conditional, a draft, or a failure."""
    kind, is_active, is_present = claimed
    clause = clauses[place]
    if clause.opener == "before" and not is_active:
        return False
    if kind in ("published", "posted", "sent") and lexicon.DRAFT & set(clause.words[:at]):
        return False
    is_dependent = _is_dependent(clauses, place, is_present=is_present)
    return not is_dependent and not _is_withdrawn(clauses, place, kind)


def _find_all(
    clauses: tuple[Clause, ...], place: int, everything: frozenset[str], topic: str, text: str
) -> Iterator[tuple[Kind, int, bool, bool]]:
    """Give each claim of a clause: kind, place, whether in the active voice, whether present."""
    clause = clauses[place]
    for at, word in enumerate(clause.words):
        if word in _MULTIPLE:
            grammar = read_verb(clauses, place, at)
            for verb in _MULTIPLE[word] if grammar else ():
                if _fits(verb, clause, at, everything):
                    yield from _keep(verb.kind, at, grammar)
        elif word in lexicon.MAKERS:
            yield from _find_made(clauses, place, at)
        after = clause.words[at + 1 : at + 1 + _NEAR] if word in _PHRASES else ()
        phrase = next((kind for kind, verb, other, needed in lexicon.PHRASES if verb == word
            and other in after and (not needed or needed & everything)), None)  # fmt: skip
        if phrase and (read_verb(clauses, place, at) or _is_plain_subject(clause, at)):
            yield phrase, at, False, False
        yield from _find_finished(clauses, place, at)
    for kind, at, is_present in find_states(clauses, place, topic, text):
        yield kind, at, False, is_present


def _keep(
    kind: Kind, at: int, grammar: tuple[bool, bool] | None
) -> Iterator[tuple[Kind, int, bool, bool]]:
    if grammar is None:
        return
    is_active, is_present = grammar
    if is_present and kind == "sent":
        return
    yield kind, at, is_active, is_present


def _fits(verb: lexicon.Verb, clause: Clause, at: int, everything: frozenset[str]) -> bool:
    near = {*clause.words[max(0, at - _FAR) : at], *clause.words[at + 1 : at + 1 + _NEAR]}
    if verb.past == "committed" and clause.words[at + 1 : at + 2] == ("to",):
        target = clause.words[at + 2 : at + 5]  # `committed to main`, not `committed to quality`
        if not any(word in lexicon.BRANCHES or "/" in word for word in target):
            return False
    return not verb.excluded & near and (not verb.needs or bool(verb.needs & everything))


def _find_made(
    clauses: tuple[Clause, ...], place: int, at: int
) -> Iterator[tuple[Kind, int, bool, bool]]:
    """Give the claims of a verb such as `opened`, by the noun with it."""
    clause = clauses[place]
    verb = clause.words[at].removesuffix("-up").removeprefix("re-")
    grammar = read_verb(clauses, place, at)
    if grammar is None:
        return
    noun = _noun_after(clause, at) if grammar[0] else _noun_before(clause, at)
    if grammar[0] and noun is None:
        noun = _noun_before(clause, at)  # `Reminder set`
    if noun is None or _is_set_to(clause.words, at, noun):
        return
    kind, verbs = lexicon.NOUNS[noun]
    if verb in verbs or clause.words[at] in verbs:
        yield kind, at, *grammar


def _is_set_to(words: tuple[str, ...], at: int, noun: str) -> bool:
    """Return whether `set` gives a value, and whether `added to` names a text."""
    if words[at] == "added":
        return lexicon.NOUNS[noun][0] == "scheduled" and "to" in words[words.index(noun) :]
    return words[at + 1 : at + 2] == ("to",) and bool(_AMOUNTS & set(words[at + 2 : at + 5]))


def _noun_after(clause: Clause, at: int) -> str | None:
    for place in range(at + 1, min(len(clause.words), at + 1 + _FAR)):
        if clause.words[place] in lexicon.NOUNS and not _names_other(clause, place):
            return clause.words[place]
        if clause.words[place][0] == "#" and clause.words[place - 1] not in _TICKETS:
            return "pr"
        if clause.words[place] in _AFTER_OBJECT and place > at + 1:
            return None
    return None


def _noun_before(clause: Clause, at: int) -> str | None:
    for place in range(at):
        if clause.words[place] in lexicon.NOUNS and not _names_other(clause, place):
            return clause.words[place]
    return None


def _names_other(clause: Clause, place: int) -> bool:
    """Return whether the noun only says of what kind the next noun is."""
    after = clause.words[place + 1] if place + 1 < len(clause.words) else ""
    return after in lexicon.OTHER_HEADS or after == "'s"


def _find_finished(
    clauses: tuple[Clause, ...], place: int, at: int
) -> Iterator[tuple[Kind, int, bool, bool]]:
    """Give the claims of `finished deploying`, `managed to push` and `did push`."""
    words = clauses[place].words
    word = words[at]
    before = words[at - 1] if at else ""
    if word in _PROGRESSIVES and before in _ENDED:
        grammar = read_verb(clauses, place, at - 1)
        if grammar is not None:
            yield _PROGRESSIVES[word].kind, at, *grammar
    elif word in _BASES and before == "to" and words[at - 2 : at - 1] == ("managed",):
        if read_verb(clauses, place, at - 2) is not None:
            yield _BASES[word].kind, at, True, False
    elif word in _BASES and before == "did" and words[at - 2 : at - 1] in (("i",), ("we",)):
        yield _BASES[word].kind, at, True, False


# -- grammar ---------------------------------------------------------------------------------------


def read_verb(clauses: tuple[Clause, ...], place: int, at: int) -> tuple[bool, bool] | None:
    """Return how a verb in the past is used: is it active, is it present; None: it asserts nothing.

    A sentence asserts what the speaker did, or what was done to a thing.
    """
    clause = clauses[place]
    words = clause.words
    if _is_general(clauses, place, at) or _has_bad_right(words, at):
        return None
    start = at
    while start and words[start - 1] in _CHAIN:
        start -= 1
    chain, left = set(words[start:at]), words[:start]
    if chain & _UNDONE or _wants(left):
        return None
    if chain & lexicon.BE and not ("'s" in chain and left[-1:] in (("he",), ("she",))):
        is_told = _tells_of_bug(clauses, place, at) or _is_plural_in_general(clause, left)
        if is_told or _is_denied(left) or "be" in chain:
            return None
        return False, not chain & {"been", "was", "were", "now", "already", "just"}
    if chain & {"have", "has", "had"}:
        return (True, False) if _is_speaker(left) else None
    return _read_bare_verb(clause, at, left)


def _is_general(clauses: tuple[Clause, ...], place: int, at: int) -> bool:
    """Return whether a verb is part of a noun, or is said of things in general."""
    clause = clauses[place]
    before = clause.words[:at]
    if before and (before[-1] in _BEFORE_NOUN or before[0] in _GENERAL_SUBJECTS):
        return True
    if "what" in before:
        return True
    return clause.opener == "that" and place > 0 and bool(_NOTICES & set(clauses[place - 1].words))


def _is_plural_in_general(clause: Clause, left: tuple[str, ...]) -> bool:
    """Return whether a subject is things of a kind: `Parachutes are deployed at 1,500 metres`."""
    if len(left) != 1 or not left[0].endswith("s") or not left[0].isalpha():
        return False
    is_thing = any(map(_is_thing, (left[0], left[0][:-1], left[0].removesuffix("es"))))
    return not is_thing and left[0] not in lexicon.ALL and clause.tokens[0].spelling[:1].isupper()


def _tells_of_bug(clauses: tuple[Clause, ...], place: int, at: int) -> bool:
    """Return whether a clause describes a defect: `The bug: it was sent twice`."""
    clause = clauses[place]
    is_story = clause.opener == ":" and place > 0 and _BUGS & set(clauses[place - 1].words)
    return bool(is_story or _DEFECTS & set(clause.words[at + 1 : at + 5]))


def _read_bare_verb(clause: Clause, at: int, left: tuple[str, ...]) -> tuple[bool, bool] | None:
    """Read a verb without an auxiliary: `I pushed`, `Pushed it`, `Changes pushed`."""
    after = clause.words[at + 1 : at + 2]
    if not left:
        is_relative = clause.opener in ("which", "who", "that", "where")
        return None if is_relative or _is_adjective(clause.words, at) else (True, False)
    if _is_speaker(left):
        return True, False
    if clause.opener in ("that", "which", "who"):
        return None  # `the keys that the host sent`
    if left[-1] in _JOINTS:
        return _read_joined(left)
    if set(left) & (lexicon.OTHERS | lexicon.MODALS | lexicon.NEGATIONS | lexicon.DOES):
        return None
    if after and (after[0] in _OBJECT_STARTS or clause.tokens[at + 1].spelling[:1].isupper()):
        return None  # `Alice pushed the branch`
    if len(left) == 1 and clause.tokens[0].spelling[:1].isupper() and not _is_thing(left[0]):
        return None
    if _has_verb_after(clause.words, at):
        return None  # `The job posted in the ad is remote`
    is_short = len(left) <= _FAR and not set(left) & (lexicon.AUXILIARIES | lexicon.PASSES)
    return (False, False) if is_short else None


def _has_verb_after(words: tuple[str, ...], at: int) -> bool:
    """Return whether the clause goes on to a verb, so that the one here belongs to its subject."""
    for word in words[at + 1 : at + 1 + _FAR]:
        if word in _JOINTS:
            return False
        if word in {"is", "are"} | lexicon.MODALS:
            return True
    return False


def _read_joined(left: tuple[str, ...]) -> tuple[bool, bool] | None:
    """Read a verb that shares its subject and its auxiliary with the one before."""
    words = set(left)
    first = next((word for word in left if word not in _JOINTS | lexicon.ADVERBS), "")
    has_did_not = any(
        left[place] in lexicon.DOES and left[place + 1 : place + 2] == ("not",)
        for place in range(len(left))
    )
    if words & lexicon.NEGATIONS and not has_did_not:
        return None
    if words & lexicon.MODALS:
        return None
    if words & lexicon.SELF or not first:
        return True, False
    if words & lexicon.BE:
        return False, False
    if words & lexicon.OTHERS:
        return None
    is_verb = first.endswith("ed") or first in ("wrote", "made", "ran", "built", "sent", "set")
    return (True, False) if is_verb or any(map(_is_thing, left)) else None


def _is_speaker(left: tuple[str, ...]) -> bool:
    rest = [word for word in left if word not in lexicon.ADVERBS]
    return not rest or rest[-1] in lexicon.SELF or rest[-1] == "have"


def _is_plain_subject(clause: Clause, at: int) -> tuple[bool, bool] | None:
    """Read `The page went live`, whose subject is a thing."""
    left = clause.words[:at]
    blocked = lexicon.MODALS | lexicon.NEGATIONS | lexicon.OTHERS | {"to"}
    is_blocked = bool(set(left) & blocked) or _has_bad_right(clause.words, at)
    return None if is_blocked or not left else (False, False)


def _is_thing(word: str) -> bool:
    return word in lexicon.NOUNS or word in lexicon.THINGS


def _is_adjective(words: tuple[str, ...], at: int) -> bool:
    """Return whether a participle that opens a sentence belongs to the noun after it."""
    after = words[at + 1 : at + 3]
    if len(after) > 1 and after[0].endswith("s") and after[0] not in ("this", "its"):
        return after[1].isalpha() and after[1] not in _AFTER_OBJECT | _JOINTS | lexicon.ADVERBS
    for place, word in enumerate(words[at + 1 : at + 4]):
        if word in _OBJECT_STARTS or word in _JOINTS:
            return False
        if place and word in lexicon.AUXILIARIES | lexicon.MODALS | {"run", "appear", "show"}:
            return True
    return False


def _is_denied(left: tuple[str, ...]) -> bool:
    """Return whether a word such as `no` or `none` before the subject denies the clause."""
    last = max((place for place, word in enumerate(left) if word == ","), default=-1)
    return bool(set(left[last + 1 :]) & (lexicon.NEGATIONS - {"without"}))


def _has_bad_right(words: tuple[str, ...], at: int) -> bool:
    after = words[at + 1 :]
    if after[:1] and after[0] in _NOT_ANY:
        return True
    for place, word in enumerate(after[:-1]):
        if word == "by" and not _AGENT.fullmatch(after[place + 1]):
            head = after[place + 1 : place + 4]
            return not any(_AGENT.fullmatch(each) for each in head[:1])
    return False


def _is_embedded(clauses: tuple[Clause, ...], place: int) -> bool:
    """Return whether the clause is what the one before it wants, checks or supposes."""
    if clauses[place].opener != "that" or not place:
        return False
    matrix = clauses[place - 1].words
    return _wants(matrix) or _is_denied(matrix)


def _wants(words: tuple[str, ...]) -> bool:
    found = set(words)
    if not found & lexicon.ATTITUDES:
        return False
    return not is_report(found)


# -- around the clause -----------------------------------------------------------------------------


def _is_hypothetical(clauses: tuple[Clause, ...], place: int) -> bool:
    clause = clauses[place]
    is_inverted = clause.words[:1] == ("had",)  # `Had the tests passed, I would have merged`
    is_purpose = clause.opener == "so-that"
    return is_inverted or is_purpose or bool({clause.under, clause.opener} & lexicon.CONDITIONS)


def _is_dependent(clauses: tuple[Clause, ...], place: int, *, is_present: bool) -> bool:
    clause = clauses[place]
    is_perfect = bool({"has", "have"} & set(clause.words)) and "i" not in clause.words
    if clause.opener in ("when", "once") or (clause.opener == "after" and is_perfect):
        return True
    if clause.under in lexicon.OCCASIONS and is_present:
        return True
    return has_condition_after(clauses, place, is_present=is_present)


def _is_withdrawn(clauses: tuple[Clause, ...], place: int, kind: Kind) -> bool:
    """Return whether the next clause says that it failed after all."""
    own = {noun for noun, (of, _) in lexicon.NOUNS.items() if of == kind}
    own |= {"it", "this", "they"} | (lexicon.TEST_NOUNS if kind == "tests_pass" else frozenset())
    own |= lexicon.BUILD_NOUNS if kind == "build_works" else frozenset()
    own |= {"health", "pods"} if kind == "deployed" else frozenset()
    for after in clauses[place + 1 :]:
        if after.opener in ("but", "however", "though", "although", ";", "—", "–", "-", ","):
            words = set(after.words)
            failed = words & lexicon.FAILURES or (
                "not" in words and words & {"go", "accepted", "land", "appear", "succeed", "work"}
            )
            if failed and own & set(after.words[:4]) and not {"no", "without"} & words:
                return True
    return False
