"""Finds states that an English clause asserts: tests that pass, sites that are live."""

from __future__ import annotations

import re

from hookline.guards.claims import english_lexicon as lexicon
from hookline.guards.claims.english_phrases import STATES
from hookline.guards.claims.prose import URL
from hookline.text.script.reading import make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.guards.claims.claim import Kind
    from hookline.guards.claims.english_clauses import Clause

_CLOCK = re.compile(r"\d ?[ap]\.?m\b|\d:\d\d|\bnoon\b", re.IGNORECASE)
_COUNTED = re.compile(lexicon.COUNTED)
_FAILED_COUNT = re.compile(
    r"(?<!the )(?<!these )(?<!those )(?<!all )(?<!fixed )(?<!both )"
    r"\b(?!0\b|zero\b|no\b)(?:\d+|one|two|three|four|five|six|seven|a few|some|several)"
    r"(?:\s+(?!pass|with|and|no\b|succe)[a-z]+){0,3}?"
    r"\s+(?:fail(?:s|ed|ing|ures?)?|errors?|errored|broken|still red)\b",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"\b(?!100)\d{1,2}(?:\.\d+)?\s?%")
_NO_FAILURE = re.compile(
    r"\b(?:no|zero|0|without(?: any| an?| a single)?|not a single)\s+(?:test\s+)?"
    r"(?:failures?|failing tests?|failed|failed tests?|errors?|regressions?"
    r"|type errors?|lint(?:ing)? errors?|warnings?|problems|issues)\b"
    r"|\bno (?:more )?complaints\b|\bnothing (?:failed|broke)|\bnone failed\b",
    re.IGNORECASE,
)
_RAN = make_set("""
ran run runs finished completed completes finishes exits exited passes passed reports reported back
reran re-ran rerun re-run executed verified checked
""")
_TO_GET = make_set("get getting keep keeping make making help see seeing want wants")
_OTHER_TEST_HEADS = make_set("""
file files config configuration output directory folder path data case name names argument flag
option id fixture fixtures runner command coverage plan script environment server account user
through along
""")
_DEFECTS = make_set("bug bugs regression regressions problem issue error cause culprit")
_ANEW = make_set("now again")
_ENDS_STATE = make_set("and , now again too on under without")
_INFINITIVE = 3  # words of `to really be live` before its state
_BEFORE_CHECKS = (("all",), ("the",), ("every",), ("both",), ("status",), ("ci",))
_LABEL = 4  # words that a label has at most
_PRONOUNS = make_set("it they both everything all")


def find_states(
    clauses: tuple[Clause, ...], place: int, topic: str, text: str
) -> Iterator[tuple[Kind, int, bool]]:
    """Give each state that a clause asserts: kind, place of its word, whether it is present."""
    clause = clauses[place]
    for at, word in enumerate(clause.words):
        is_working = word == "works" or (word in lexicon.WORKS and _has_link(clause, at))
        if word in lexicon.PASSES or is_working:
            yield from _find_passing(clauses, place, at, topic, text)
        for find in _FINDERS:
            yield from find(clause, at, text)
    yield from _find_no_failures(clauses, place, topic, text)
    yield from _find_labels(clauses, place)
    yield from _find_told(clause.words)
    yield from _find_worded(clause)


def _find_worded(clause: Clause) -> Iterator[tuple[Kind, int, bool]]:
    """Give the claims of states such as `The remote is up to date`, by their words."""
    joined = " ".join(clause.words)
    for kind, pattern in STATES:
        found = pattern.search(joined)
        is_defect = kind == "committed" and set(clause.words) & _DEFECTS
        if found is None or is_defect or "still" in clause.words:
            continue
        at = joined[: found.start()].count(" ")
        if _is_asserted(clause.words[:at]):
            yield kind, at, True


def _find_compiling(clause: Clause, at: int, _text: str) -> Iterator[tuple[Kind, int, bool]]:
    words = clause.words
    if words[at] in lexicon.COMPILES and _compiles(words, at) and _is_asserted(words[:at]):
        yield "build_works", at, words[at] in ("compiles", "builds")


def _find_open(clause: Clause, at: int, _text: str) -> Iterator[tuple[Kind, int, bool]]:
    """Give the claim of `The PR is open`."""
    word, before = clause.words[at], clause.words[:at]
    is_open = word in ("open", "up") or clause.words[at : at + 3] == ("ready", "for", "review")
    is_request = set(before) & lexicon.REQUESTS and "still" not in before
    if is_open and is_request and _is_asserted(before) and _has_link(clause, at):
        yield "request_opened", at, True


def _find_active(clause: Clause, at: int, text: str) -> Iterator[tuple[Kind, int, bool]]:
    """Give the claim of `The reminder is set`."""
    word, before = clause.words[at], clause.words[:at]
    is_active = word in lexicon.ACTIVE or word == "place"
    is_reminder = is_active and _names(before, lexicon.REMINDERS) and before[-1] != "to"
    is_general = before[:1] in (("each",), ("every",), ("any",))
    is_value = is_general or ("to" in clause.words[at + 1 : at + 2] and not _CLOCK.search(text))
    if is_value:
        return
    if is_reminder and _is_asserted(before) and _has_link(clause, at):
        yield "scheduled", at, True


def _find_arrived(clause: Clause, at: int, _text: str) -> Iterator[tuple[Kind, int, bool]]:
    """Give the claims of `It is on GitHub` and `The email is in your inbox`."""
    words, before = clause.words, clause.words[:at]
    if words[at] == "on" and _is_on_remote(words, at) and _is_asserted(before):
        yield "pushed", at, True
    if words[at : at + 3] == ("on", "its", "way") and set(before) & lexicon.MAILS:
        yield "sent", at, True
    is_inbox = words[at : at + 3] in (("in", "your", "inbox"), ("in", "their", "inbox"))
    if is_inbox and set(before) & lexicon.MAILS and _is_asserted(before):
        yield "sent", at, True


# -- tests and builds ------------------------------------------------------------------------------


def _find_passing(
    clauses: tuple[Clause, ...], place: int, at: int, topic: str, text: str
) -> Iterator[tuple[Kind, int, bool]]:
    clause = clauses[place]
    words = clause.words
    before, after = words[:at], words[at + 1 :]
    if not _is_asserted(before) or set(before) & _TO_GET or _is_partial(clause, text):
        return
    hands_on = after[:1] and after[0] in ("a", "an", "the", "it", "them", "this")
    if hands_on and not set(after[:5]) & lexicon.TEST_NOUNS:
        return  # `The tests pass a client to the constructor`
    if after[:1] and after[0] in ("no", "none", "nothing", "of"):
        return
    word = words[at]
    is_present = word in ("pass", "passes", "passing", "green")
    kinds = _kinds_of(clause, at)
    if clause.opener == ":" and place and not kinds and not before:
        kinds = _kinds_of(clauses[place - 1], len(clauses[place - 1].words))
    if not kinds and word in lexicon.WORKS and {"run", "runs"} & set(before[-3:]):
        kinds = _kinds_of_topic(clauses[: place + 1], topic, word, before)
    if not kinds and word in lexicon.PASSES:
        near = after[:5]
        has_object = set(near) & lexicon.TEST_NOUNS and not {"to", "into", "as"} & set(near)
        is_head = not set(near) & _OTHER_TEST_HEADS
        is_number = (
            _is_count(before)
            and (word != "green" or not after)
            and word in ("passed", "passing", "green", "pass")
        )
        if (has_object and is_head) or is_number:
            kinds = ["tests_pass"]
        elif before[-1:] == ("all",) or set(before[-3:]) & _PRONOUNS:
            kinds = _kinds_of_topic(clauses[: place + 1], topic, word, before)
    for kind in kinds:
        yield kind, at, is_present


def _kinds_of(clause: Clause, at: int) -> list[Kind]:
    kinds: list[Kind] = []
    for place, noun in enumerate(clause.words[:at]):
        following = clause.words[place + 1] if place + 1 < len(clause.words) else ""
        if following in _OTHER_TEST_HEADS:
            continue
        if noun in lexicon.TEST_NOUNS and "tests_pass" not in kinds:
            kinds.append("tests_pass")
        elif noun in lexicon.BUILD_NOUNS and "build_works" not in kinds:
            kinds += ["build_works"] if following not in lexicon.TEST_NOUNS else []
    return kinds


def _kinds_of_topic(
    clauses: tuple[Clause, ...], topic: str, word: str, before: tuple[str, ...]
) -> list[Kind]:
    """Return what `it`, `they` and `everything` stand for."""
    earlier = [noun for clause in clauses for noun in clause.words]
    for noun in [*reversed(earlier), topic]:
        if noun in lexicon.TEST_NOUNS:
            return ["tests_pass"]
        if noun in lexicon.BUILD_NOUNS:
            return ["build_works"]
    is_whole = bool({"all", "everything"} & set(before[-3:]))
    return ["tests_pass"] if is_whole and word in ("passes", "green", "passing") else []


def _is_count(before: tuple[str, ...]) -> bool:
    return bool(before) and before[-1][:1].isdigit() and "%" not in before[-1]


def _is_partial(clause: Clause, text: str) -> bool:
    """Return whether some tests fail, by the sentence itself."""
    lower = text.lower()
    if set(clause.words) & lexicon.PARTIAL or any(part in lower for part in lexicon.EXCEPTIONS):
        return True
    counted = _COUNTED.search(lower)
    if counted and counted[1] != counted[2]:
        return True
    return bool(_FAILED_COUNT.search(text) or _PERCENT.search(text))


def _find_no_failures(
    clauses: tuple[Clause, ...], place: int, topic: str, text: str
) -> Iterator[tuple[Kind, int, bool]]:
    clause = clauses[place]
    words = clause.words
    joined = " ".join(words)
    found = _NO_FAILURE.search(joined)
    if not found or not _is_asserted(words[:0]) or set(words) & lexicon.MODALS:
        return
    at = joined[: found.start()].count(" ")
    earlier = [word for each in clauses[: place + 1] for word in each.words]
    nouns = set(earlier)
    is_run = (
        bool(nouns & _RAN)
        or any(word[:1].isdigit() for word in earlier[:-2])
        or len(earlier) <= _LABEL
    )
    failed = _FAILED_COUNT.search(text)
    is_test = "test" in found[0] or ({"ran", "reran"} & nouns and "fail" in found[0])
    if is_test and not failed:
        yield "tests_pass", at, False
    elif nouns & lexicon.TEST_NOUNS or topic in lexicon.TEST_NOUNS:
        if is_run and not failed and not set(words) & {"if", "until"}:
            yield "tests_pass", at, False
    elif (nouns & (lexicon.BUILD_NOUNS - {"project", "bundle"}) and is_run and not failed) or (
        re.search(r"no (?:type|lint)", found[0], re.IGNORECASE) and not failed
    ):
        yield "build_works", at, False


def _compiles(words: tuple[str, ...], at: int) -> bool:
    before, after = words[:at], words[at + 1 :]
    is_well = bool(set(after[:3]) & lexicon.WELL) or bool(set(before[-1:]) & lexicon.WELL)
    is_clean = bool(_NO_FAILURE.search(" ".join(after[:5])))
    if words[at] in ("compiles", "builds"):
        ends = not after or after[0] in _ENDS_STATE
        is_anew = bool(set(words) & _ANEW)
        return bool(before) and before[-1] not in ("the", "nightly", "of") and (
            is_well
            or is_clean
            or (ends and (words[at] == "compiles" or before[-1] == "it" or is_anew))
        )  # fmt: skip
    return is_well or is_clean


# -- what is done, live, open ----------------------------------------------------------------------


def _find_success(clause: Clause, at: int, _text: str) -> Iterator[tuple[Kind, int, bool]]:
    before, word = clause.words[:at], clause.words[at]
    is_success = word in lexicon.SUCCEEDS or clause.words[at : at + 2] in _WENT_WELL
    is_adjective = before[-1:] in (("a",), ("the",), ("an",))
    if not is_success or is_adjective or not _is_asserted(before) or set(before) & lexicon.PARTIAL:
        return
    for place, noun in enumerate(before):
        row = lexicon.NOUNS.get(noun)
        following = clause.words[place + 1]
        if row and noun in _PROCESSES and following not in lexicon.OTHER_HEADS:
            yield row[0], at, False
            return
    is_well = set(clause.words[at + 1 : at + 3]) & lexicon.WELL
    if set(before) & lexicon.TEST_NOUNS and word in ("completed", "finished", "done") and is_well:
        yield "tests_pass", at, False
    if set(before) & {"build", "compilation"} and word in ("worked", "went", "done"):
        yield "build_works", at, False


_WENT_WELL = (("went", "through"), ("went", "fine"), ("went", "well"), ("went", "smoothly"))
_PROCESSES = make_set("""
deployment deploy rollout redeploy redeployment push publish publishing publication release build
compilation commit
""")


def _find_live(clause: Clause, at: int, text: str) -> Iterator[tuple[Kind, int, bool]]:
    words = clause.words
    word, before, after = words[at], words[:at], words[at + 1 :]
    if word not in lexicon.LIVE or (after and after[0] in lexicon.NOT_LIVE_HEADS):
        return
    if not _is_asserted(before) or set(before) & (lexicon.OTHERS | {"i"}):
        return
    if before[-1:] in (("a",), ("an",), ("the",), ("goes",)):
        return  # `an online shop`, `The page goes live on Friday`
    opens = not before and bool(set(after[:1]) & {"at", "on", "now"})
    nouns = set(before)
    in_production = bool({"production", "prod", "staging"} & set(words))
    if (opens or _has_link(clause, at)) and _is_enough(word, nouns, text, is_on=in_production):
        yield _kind_of_live(nouns, is_on=in_production), at, True


def _is_enough(word: str, nouns: set[str], text: str, *, is_on: bool) -> bool:
    """Return whether a word such as `up` says, with what is beside it, that a thing is live."""
    has_url = URL in text
    if word in ("live", "online"):
        return True
    if word == "up":
        return is_on or has_url or bool(nouns & lexicon.POSTS)
    if word in ("running", "deployed"):
        return is_on
    is_own = (
        bool(nouns & {"your", "now"}) or f"{word} now" in text.lower()
    )  # and not `The documentation is available at ...`
    return has_url and word != "published" and is_own and bool(nouns & lexicon.PUBLISHED_THINGS)


def _kind_of_live(nouns: set[str], *, is_on: bool) -> Kind:
    if nouns & lexicon.REQUESTS:
        return "request_opened"
    if nouns & lexicon.POSTS and "blog" not in nouns:
        return "posted"
    if nouns & lexicon.REMINDERS and not is_on:
        return "scheduled"
    return "deployed" if is_on or nouns & lexicon.SERVICES else "published"


def _is_on_remote(words: tuple[str, ...], at: int) -> bool:
    before, after = words[:at], words[at + 1 : at + 4]
    remote = after[:1] and (
        after[0] in ("github", "gitlab", "remote", "bitbucket") or after[0].startswith("origin")
        or after[:2] == ("the", "remote")
    )  # fmt: skip
    things = lexicon.THINGS | {"it", "they"}
    linked = (
        bool(set(before[-1:]) & (lexicon.BE | {"now", "up", "out", "all", "already"}))
        and "based" not in before
    )
    return bool(remote) and linked and bool(set(before) & things)


def _find_labels(clauses: tuple[Clause, ...], place: int) -> Iterator[tuple[Kind, int, bool]]:
    """Give the claims of `Tests: ✅`, `✅ Build` and `PR: URL`."""
    words = clauses[place].words
    if clauses[place].opener in (":", "→", "—", "–", "-") and place and words:
        label = clauses[place - 1].words
        if words[0] in lexicon.CHECK_MARKS and not any(word in lexicon.CROSSES for word in words):
            yield from ((kind, 0, False) for kind in _label_kinds(label))
        elif clauses[place].tokens[0].spelling == URL and len(label) <= _LABEL:
            if set(label) & lexicon.REQUESTS:
                yield "request_opened", 0, True
            elif set(label) & {"live", "published"}:
                yield "published", 0, True
    elif len(clauses) == 1 and words[:1] and words[0] in lexicon.CHECK_MARKS:
        yield from ((kind, 0, False) for kind in _label_kinds(words[1:]))


def _label_kinds(label: tuple[str, ...]) -> list[Kind]:
    if len(label) > _LABEL:
        return []
    found: list[Kind] = []
    for word in label:
        if word in lexicon.TEST_NOUNS:
            found.append("tests_pass")
        elif word in lexicon.BUILD_NOUNS:
            found.append("build_works")
        elif word in ("deploy", "deployment"):
            found.append("deployed")
        elif word in ("commit", "push", "publish"):
            found.append(lexicon.NOUNS[word][0])
    return list(dict.fromkeys(found))


def _find_told(words: tuple[str, ...]) -> Iterator[tuple[Kind, int, bool]]:
    """Give the claim of `I've let the team know`."""
    if "let" in words and "know" in words:
        at = words.index("let")
        before, between = words[:at], words[at + 1 : words.index("know")]
        is_past = {"have", "just", "already", "also"} & set(before) or "you" not in between
        blocked = set(before) & (lexicon.NEGATIONS | lexicon.MODALS | {"to", "do"})
        if is_past and "i" in before and between and not blocked and "me" not in between:
            yield "sent", at, False


# -- grammar ---------------------------------------------------------------------------------------


def _is_asserted(before: tuple[str, ...]) -> bool:
    """Return whether no word before a state denies it, plans it, or puts it as a wish."""
    found = {
        word
        for place, word in enumerate(before)
        if word not in ("check", "checks") or before[place - 1 : place] not in _BEFORE_CHECKS
    }
    if found & (lexicon.MODALS - {"ready"}) and not (
        {"can", "confirm"} <= found or "happy" in found
    ):
        return False
    if found & {"to"} and not {"report", "confirm", "say", "announce"} & found:
        last = len(before) - 1 - before[::-1].index("to")
        if len(before) - last <= _INFINITIVE and "up" not in before:
            return False
    last_comma = max((place for place, word in enumerate(before) if word == ","), default=-1)
    if set(before[last_comma + 1 :]) & (lexicon.NEGATIONS - {"without"}):
        return False
    if "be" in found or "being" in found:
        return False
    return not found & lexicon.ATTITUDES or is_report(found)


def is_report(found: set[str]) -> bool:
    """Return whether words such as `I verified that` assert what they introduce."""
    if found & lexicon.DOUBTS:
        return False
    has_checked = bool(found & lexicon.FOUND_OUT) and bool(found & lexicon.SELF)
    can_say = bool(found & lexicon.ABLE) and bool(found & lexicon.ANNOUNCES)
    return has_checked or can_say or {"made", "sure"} <= found


def _has_link(clause: Clause, at: int) -> bool:
    """Return whether a form of `be`, or nothing but a label, connects a word with its subject."""
    before = clause.words[max(0, at - 5) : at]
    links = lexicon.BE | {"went", "turned", "came", "now", "all", "back", "looks", "gone", "goes"}
    return bool(set(before) & links) or (clause.opener == ":" and at == 0)


def _names(before: tuple[str, ...], nouns: frozenset[str]) -> bool:
    return any(
        word in nouns and (place + 1 >= len(before) or before[place + 1] not in lexicon.OTHER_HEADS)
        for place, word in enumerate(before)
    )


_FINDERS = (
    _find_compiling,
    _find_success,
    _find_live,
    _find_open,
    _find_active,
    _find_arrived,
)
