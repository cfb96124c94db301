"""Prints what the guards find and flag by mistake, with counts and 95 % bounds, and their time."""

from __future__ import annotations

from collections import defaultdict
from statistics import median, quantiles
from time import perf_counter
from typing import TYPE_CHECKING

from hookline.text.secrets.scan import find_secrets
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


if __name__ == "__main__":
    report_secrets()
