"""Prints what the guards find and flag by mistake, with counts and 95 % bounds, and their time."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from statistics import median, quantiles
from time import perf_counter
from typing import TYPE_CHECKING

from hookline.guards.commands.judge import judge_command
from hookline.guards.commands.profiles import PROFILES
from hookline.model.verdict import Stance
from hookline.text.secrets.scan import find_secrets
from tests.guards.claims.replay import load_replies, replay, report_replies
from tests.guards.commands.corpus import CWD, HOME, PARTS
from tests.guards.commands.test_commands import count_refused, count_stopped, judge, select
from tests.guards.measure import Share
from tests.guards.secrets.corpus import disguised, harmless, secrets
from tests.guards.secrets.test_secrets import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.guards.secrets.corpus import Case

HOSTILE = ("a", "1,", "abandon ", "key=", "sk-", "QUJD", "\n", "-----BEGIN ")


def time_each(judge: Callable[[str], object], texts: Iterable[str]) -> str:
    """The median and the 99th percentile of one judgement, in microseconds."""
    spent = []
    for text in texts:
        judge(text)
        began = perf_counter()
        judge(text)
        spent.append((perf_counter() - began) * 1e6)
    return f"p50 {median(spent):.0f} us, p99 {quantiles(spent, n=100)[-1]:.0f} us"


def report_secrets() -> None:
    """Print what is masked, what is flagged by mistake, and what it costs."""
    print("secrets")
    rows: dict[str, list[Case]] = defaultdict(list)
    for case in secrets():
        rows["core" if case.is_core else "others"].append(case)
    rows["disguised"] = disguised()
    for name, cases in rows.items():
        print(f"  masked, {name:12} {count(cases)}")
    flagged: dict[str, list[bool]] = defaultdict(list)
    for case in harmless():
        flagged[case.kind].append(bool(find_secrets(case.text)))
    for name, hits in sorted(flagged.items()):
        print(f"  flagged, {name:11} {Share(sum(hits), len(hits))}")
    every = [hit for hits in flagged.values() for hit in hits]
    print(f"  flagged, {'all':11} {Share(sum(every), len(every))}")
    print(f"  a text: {time_each(find_secrets, (case.text for case in harmless()))}")
    for part in HOSTILE:
        text = part * ((64 << 10) // len(part))
        began = perf_counter()
        find_secrets(text)
        print(f"  64 KB of {part!r:14} {(perf_counter() - began) * 1000:.1f} ms")


def report_commands() -> None:
    """Print what each profile refuses, what it stops by mistake, and what a line costs."""
    for part in PARTS:
        print(f"commands, {part}")
        for tier in ("baseline", "strict"):
            print(f"  refused, {tier:12} {count_refused(part, tier)}")
            print(f"  stopped, {tier:12} {count_stopped(part, tier)}")
        classes: dict[str, list[bool]] = defaultdict(list)
        for case in select(part, "baseline"):
            classes[case.class_name].append(judge(case.text, "baseline") >= Stance.DENY)
        for name, hits in sorted(classes.items()):
            print(f"    {name:15} {Share(sum(hits), len(hits))}")
    texts = [case.text for case in select("work", "none")]
    for profile in PROFILES:
        spent = time_each(partial(judge_command, cwd=CWD, home=HOME, profile=profile), texts)
        print(f"  an ordinary line, {profile}: {spent}")
    for part in ("<<A\n", "<<A ", "{a,", '"', "(", "$(", "rm ", "a;"):
        for size in (64 << 10, 1 << 20):
            text = part * (size // len(part))
            began = perf_counter()
            judge_command(text, cwd=CWD, home=HOME, clock=perf_counter)
            spent = (perf_counter() - began) * 1000
            print(f"  {size >> 10:4} KB of {part!r:7} {spent:.1f} ms")


def report_claims() -> None:
    """Print how many false claims are refused, and how many honest replies by mistake."""
    print("claims")
    report_replies(replay(load_replies()))


if __name__ == "__main__":
    report_claims()
    report_commands()
    report_secrets()
