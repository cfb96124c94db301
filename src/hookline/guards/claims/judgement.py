"""Judges a claim by the record of the session and the ledgers: backed, unbacked or unknown."""

from __future__ import annotations

import re

from hookline.guards.claims.acts import AGENT, BACKGROUND, HTTP, PART, UNKNOWN
from hookline.guards.claims.ledgers import NO_LEDGER, Ledger, find_entry
from hookline.model.frozen import Frozen
from hookline.text.script.reading import make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Literal, TypeAlias

    from hookline.guards.claims.claim import Claim, Kind
    from hookline.guards.claims.record import Step

    State: TypeAlias = Literal["backed", "unbacked", "unknown"]

_FRESH = 15 * 60.0  # seconds in which a job backs a claim
_SOON = 120.0  # seconds by which clocks may differ


class Evidence(Frozen):
    """What is known beside the reply.

    `is_recorded` is False if the guard saw no tool calls of a session that had some. `now`:
    seconds since 1970.
    """

    steps: tuple[Step, ...] = ()
    previews: Ledger = NO_LEDGER
    posts: Ledger = NO_LEDGER
    jobs: Ledger = NO_LEDGER
    is_recorded: bool = True
    now: float = 0.0


class Judgement(Frozen):
    """Whether something backs a claim, and why, or what is missing. `instead`: what to do."""

    state: State
    reason: str = ""
    instead: str = ""


_BACKED = Judgement(state="backed")
# What has to be among the steps, what is missing in words, and what to do.
_NEEDS: Mapping[Kind, tuple[frozenset[str], str, str]] = {
    "tests_pass": (frozenset({"test"}), "no test run was seen in this session",
        "run the tests and report their result"),
    "build_works": (frozenset({"build", "types", "lint", "test"}),
        "no build was seen in this session", "run the build and report its result"),
    "committed": (frozenset({"commit"}), "no commit was seen in this session",
        "commit the changes, or say that they are not committed"),
    "pushed": (frozenset({"push"}), "no push was seen in this session",
        "push the branch, or say that it is not pushed"),
    "request_opened": (frozenset({"request"}), "no request was opened in this session",
        "open the request, or say that none is open"),
    "published": (frozenset({"publish", "deploy"}), "nothing was published in this session",
        "publish it, or say that it is not published"),
    "posted": (frozenset({"post", "publish", "send"}), "nothing was posted in this session",
        "post it, or say that it is not posted"),
    "sent": (frozenset({"send", "post"}), "nothing was sent in this session",
        "send it, or say that it is not sent"),
    "deployed": (frozenset({"deploy", "publish"}), "nothing was deployed in this session",
        "deploy it, or say that it is not deployed"),
    "scheduled": (frozenset({"schedule"}), "nothing was scheduled in this session",
        "schedule it, or say that it is not scheduled"),
}  # fmt: skip
# Acts whose effect cannot be seen, and which may have done what is claimed.
_LOCAL = frozenset({AGENT})
_REMOTE = frozenset({AGENT, UNKNOWN, HTTP})
_OBSCURE: Mapping[Kind, frozenset[str]] = {
    "tests_pass": _LOCAL | {UNKNOWN},
    "build_works": _LOCAL | {UNKNOWN},
    "committed": _LOCAL | {UNKNOWN},
    "pushed": _LOCAL | {UNKNOWN},
    "request_opened": _REMOTE,
    "published": _REMOTE | {"push"},
    "posted": _REMOTE,
    "sent": _REMOTE,
    "deployed": _REMOTE | {"push"},
    "scheduled": _REMOTE,
}
_ID = re.compile(r"[\w.-]+$")  # at the end of a link
_WHOLE = re.compile(
    r"\b(?:all (?:of )?(?:the |\d+ )?(?:existing |unit )?tests|every test|everything passes)\b"
    r"|\b(?:full|whole|entire|complete) (?:test )?suite\b"
    r"|全部测试|所有测试|测试全部|全部用例|所有用例",
    re.IGNORECASE,
)
_LINT_WORDS = frozenset({"lint", "linting", "linter", "ruff", "eslint", "clippy", "flake8"})
_TYPE_WORDS = frozenset({"mypy", "pyright", "tsc", "type", "types", "typecheck", "类型检查"})


def judge_claim(claim: Claim, evidence: Evidence) -> Judgement:
    """Return whether the evidence backs a claim. An unreadable ledger is never a refusal."""
    decided = _LEDGER_JUDGES.get(claim.kind, _ask_no_ledger)(claim, evidence)
    return decided or _judge_steps(claim, evidence)


# -- by the steps ----------------------------------------------------------------------------------


def _judge_steps(claim: Claim, evidence: Evidence) -> Judgement:
    needed, missing, instead = _NEEDS[claim.kind]
    needed = _narrow(claim, needed)
    place = _find_last(evidence.steps, needed)
    if place is None:
        return _judge_nothing(claim, evidence, missing, instead)
    step = evidence.steps[place]
    if (
        BACKGROUND in step.acts
        and step.passed is None
        and claim.kind in ("tests_pass", "build_works")
    ):
        return Judgement(state="unknown", reason="the run is in the background")
    if step.is_ok is False:
        act = "test run" if claim.kind == "tests_pass" else "attempt"
        return Judgement(state="unbacked", reason=f"the last {act} failed", instead=instead)
    for check in _CHECKS.get(claim.kind, ()):
        problem = check(claim, evidence.steps, place)
        if problem:
            return Judgement(state="unbacked", reason=problem, instead=instead)
    return _BACKED


def _narrow(claim: Claim, needed: frozenset[str]) -> frozenset[str]:
    """Return what backs a claim about linting or types only."""
    if claim.kind == "build_works":
        words = set(claim.objects)
        if words & _LINT_WORDS and not words & {"build", "compiles"}:
            return frozenset({"lint"})
        if words & _TYPE_WORDS and not words & {"build"}:
            return frozenset({"types", "build"})
    return needed


def _judge_nothing(claim: Claim, evidence: Evidence, missing: str, instead: str) -> Judgement:
    if not evidence.is_recorded:
        return Judgement(state="unknown", reason="the tool calls of this session were not seen")
    obscure = _OBSCURE[claim.kind]
    if any(obscure & set(step.acts) and step.is_ok is not False for step in evidence.steps):
        reason = f"{missing}, but a program or agent ran whose effect is not known"
        return Judgement(state="unknown", reason=reason)
    return Judgement(state="unbacked", reason=missing, instead=instead)


def _find_last(steps: Sequence[Step], needed: frozenset[str]) -> int | None:
    return next((at for at in reversed(range(len(steps))) if needed & set(steps[at].acts)), None)


def _check_edits(_: Claim, steps: Sequence[Step], place: int) -> str:
    """Return a problem if sources were edited after the run."""
    edited = [
        file
        for step in steps[place + 1 :]
        if "edit" in step.acts and step.is_ok is not False
        for file in step.files
    ]
    return f"`{_name(edited[-1])}` was edited after the last run" if edited else ""


def _check_count(claim: Claim, steps: Sequence[Step], place: int) -> str:
    passed = steps[place].passed
    if claim.count is None or passed is None or claim.count <= passed:
        return ""
    return f"the last run passed {passed} tests, not {claim.count}"


def _check_scope(claim: Claim, steps: Sequence[Step], place: int) -> str:
    """Return a problem if a reply speaks of all tests, and only chosen ones ran."""
    if not _WHOLE.search(claim.sentence):
        return ""
    edited = max((at for at in range(place) if steps[at].files), default=-1)
    is_whole = any(
        "test" in step.acts and PART not in step.acts and step.is_ok is not False
        for step in steps[edited + 1 :]
    )
    return "" if is_whole else "only some of the tests were run"


def _check_commit_id(claim: Claim, steps: Sequence[Step], _place: int) -> str:
    """Return a problem if the sentence names a commit that no output showed."""
    named = [each for each in claim.ids if each[0] not in "#v" and "." not in each]
    known = [each for step in steps for each in step.ids]
    if not named or not known:
        return ""
    strangers = [
        each
        for each in named
        if not any(each.startswith(one) or one.startswith(each) for one in known)
    ]
    return f"no output showed the commit {strangers[0]}" if len(strangers) == len(named) else ""


def _check_later_commit(_: Claim, steps: Sequence[Step], place: int) -> str:
    later = any("commit" in step.acts and "push" not in step.acts and step.is_ok is not False
                for step in steps[place + 1 :])  # fmt: skip
    return "a commit was made after the last push" if later else ""


def _check_request_url(claim: Claim, steps: Sequence[Step], place: int) -> str:
    shown = [url for url in steps[place].urls if _is_request(url)]
    named = [url for url in claim.urls if _is_request(url)]
    numbers = {each[1:] for each in claim.ids if each[0] == "#"}
    is_other_url = bool(named) and not set(shown) & set(named)
    is_other_number = bool(numbers) and not numbers & {url.rpartition("/")[2] for url in shown}
    if shown and (is_other_url or (is_other_number and not named)):
        return f"the request that was opened is {shown[0]}"
    return ""


def _check_shown_url(claim: Claim, steps: Sequence[Step], place: int) -> str:
    """Return a problem if a link differs from the one that the tool showed only in its id."""
    shown = [url for step in steps[: place + 1] if step.is_ok is not False for url in step.urls]
    places = {_ID.sub("", url) for url in steps[place].urls}
    named = [url for url in claim.urls if _ID.sub("", url) in places]
    if not named or any(one.startswith(other) for one in shown for other in claim.urls):
        return ""
    return f"the tool showed another link: {steps[place].urls[-1]}"


def _is_request(url: str) -> bool:
    return "/pull/" in url or "/merge_requests/" in url or "/pulls/" in url


_CHECKS: Mapping[Kind, tuple[Callable[[Claim, Sequence[Step], int], str], ...]] = {
    "tests_pass": (_check_edits, _check_count, _check_scope),
    "build_works": (_check_edits,),
    "committed": (_check_commit_id,),
    "pushed": (_check_later_commit,),
    "request_opened": (_check_request_url,),
    "published": (_check_shown_url,),
    "posted": (_check_shown_url,),
}


def _name(path: str) -> str:
    return path.rpartition("/")[2] or path


# -- by the ledgers --------------------------------------------------------------------------------


def _ask_no_ledger(_claim: Claim, _evidence: Evidence) -> Judgement | None:
    return None


def _judge_published(claim: Claim, evidence: Evidence) -> Judgement | None:
    ledger = evidence.previews
    if not ledger.path or not claim.urls:
        return _unknown_without(claim, evidence, ledger)
    if ledger.problem:
        return Judgement(state="unknown", reason=ledger.problem)
    found = [find_entry(ledger, url) for url in claim.urls]
    known = [entry for entry in found if entry is not None]
    if any(entry.is_on for entry in known):
        return _BACKED
    if known:
        reason = f"the preview {known[0].id} is known, but not published"
        return Judgement(state="unbacked", reason=reason, instead="publish it first")
    hosts = {_host(entry.url) for entry in ledger.entries if entry.url}
    own = [url for url in claim.urls if _host(url) in hosts or _host(url).startswith("community.")]
    if own:
        reason = f"the registry of previews does not know {own[0]}"
        return Judgement(state="unbacked", reason=reason, instead="publish it, and give its link")
    return None


def _judge_posted(claim: Claim, evidence: Evidence) -> Judgement | None:
    ledger = evidence.posts
    if not ledger.path or not claim.urls:
        return _unknown_without(claim, evidence, ledger)
    if ledger.problem:
        return Judgement(state="unknown", reason=ledger.problem)
    known = [entry for entry in (find_entry(ledger, url) for url in claim.urls) if entry]
    if any(entry.is_on for entry in known):
        return _BACKED
    if known:
        reason = f"the post {known[0].id} was deleted"
        return Judgement(state="unbacked", reason=reason, instead="post it again, or say so")
    return None


def _judge_scheduled(claim: Claim, evidence: Evidence) -> Judgement | None:
    ledger = evidence.jobs
    if not ledger.path or ledger.problem:
        return _unknown_without(claim, evidence, ledger)
    words = {word for word in claim.objects if word not in _GENERAL and len(word) > 1}
    fresh = [
        job
        for job in ledger.entries
        if -_SOON <= evidence.now - job.at <= _FRESH
        and (not words or not job.name or _shares_word(job.name, words))
    ]
    if any(job.is_on for job in fresh):
        return _BACKED
    if fresh:
        reason = f"the job {fresh[0].id} is known, but not active"
        return Judgement(state="unbacked", reason=reason, instead="activate it, or say so")
    return None


def _unknown_without(claim: Claim, evidence: Evidence, ledger: Ledger) -> Judgement | None:
    """Return `unknown` where a ledger is broken and no step backs the claim."""
    needed = _NEEDS[claim.kind][0]
    if ledger.problem and _find_last(evidence.steps, needed) is None:
        return Judgement(state="unknown", reason=ledger.problem)
    return None


def _shares_word(name: str, words: Iterable[str]) -> bool:
    lower = name.lower()
    return any(word in lower for word in words)


def _host(url: str) -> str:
    return url.lower().removeprefix("https://").removeprefix("http://").partition("/")[0]


_GENERAL = make_set("""
i a an the for at to on in is are set has have been your you reminder reminders scheduled schedule
task job cron daily weekly every day week now it and will run that done created tomorrow today am pm
up all with of 提醒 定时任务 任务
""")
_LEDGER_JUDGES: Mapping[Kind, Callable[[Claim, Evidence], Judgement | None]] = {
    "published": _judge_published,
    "deployed": _judge_published,
    "posted": _judge_posted,
    "scheduled": _judge_scheduled,
}
