"""How the benchmarks measure: interleaved rounds, no garbage collector, ratios to a floor."""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import statistics
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable, Sequence

_ENOUGH = 1 << 22
_QUIET = 0.5  # runnable processes a core, on average of the last minute
_LOOK_AGAIN = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One thing to time.

    `sample` does it so many times and returns the seconds that took; `floor` names its reference.
    """

    name: str
    sample: Callable[[int], float]
    floor: str = ""
    heading: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A case against another one: the target ratio, and the looser bound that CI enforces."""

    text: str
    case: str
    against: str
    target: float
    bound: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The seconds that one run of a case took, once for each round."""

    case: Case
    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)

    def quantile(self, part: float) -> float:
        """The time that this part of the rounds stayed below."""
        ordered = sorted(self.rounds)
        return ordered[min(len(ordered) - 1, int(part * len(ordered)))]

    def ratio(self, other: Measured) -> float:
        """The median of the ratios of all rounds; a disturbance changes both sides of a round."""
        return statistics.median(
            mine / theirs for mine, theirs in zip(self.rounds, other.rounds, strict=True)
        )


@dataclass(slots=True, kw_only=True)
class Report:
    """Everything that one benchmark found."""

    name: str
    unit: str
    results: dict[str, Measured]
    goals: tuple[Goal, ...] = ()
    notes: list[str] = field(default_factory=list)
    details: list[list[str]] = field(default_factory=list)  # a further table, its headings first

    def reached(self, goal: Goal) -> float:
        return self.results[goal.case].ratio(self.results[goal.against])


# -- sampling --------------------------------------------------------------------------------------


def calls(
    call: Callable[..., Any], *given: Any, clock: Callable[[], float] = time.perf_counter
) -> Callable[[int], float]:
    """Samples of a plain function.

    What never leaves its thread is best told by `time.thread_time`: others do not count.
    """

    def sample(times: int) -> float:
        began = clock()
        for _ in range(times):
            call(*given)
        return clock() - began

    return sample


def awaits(
    loop: asyncio.AbstractEventLoop,
    call: Callable[..., Awaitable[Any]],
    *given: Any,
    clock: Callable[[], float] = time.perf_counter,
) -> Callable[[int], float]:
    """Samples of a coroutine function, each batch awaited inside one run of the loop.

    `clock` as in `calls`.
    """

    async def batch(times: int) -> float:
        began = clock()
        for _ in range(times):
            await call(*given)
        return clock() - began

    return lambda times: loop.run_until_complete(batch(times))


def rounds_of(
    cases: Sequence[Case], *, rounds: int, batch: float, gap: float = 0.0
) -> dict[str, Measured]:
    """Time every case once a round, `rounds` times.

    `batch`: the seconds that one sample shall last, reached by repeating; 0: one shot each. `gap`:
    idle seconds before each sample, because hooks start in a process that was doing nothing.
    """
    times = {case.name: _calibrated(case, batch) for case in cases}
    taken: dict[str, list[float]] = {case.name: [] for case in cases}
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for case in cases:
                if gap:
                    time.sleep(gap)
                taken[case.name].append(case.sample(times[case.name]) / times[case.name])
    finally:
        gc.enable()
    return {case.name: Measured(case=case, rounds=tuple(taken[case.name])) for case in cases}


def _calibrated(case: Case, batch: float) -> int:
    """How many runs fill a batch; the first one, which may load things, only warms up."""
    case.sample(1)
    times = 1
    took = case.sample(times)
    while batch and took < batch / 4 and times < _ENOUGH:
        times *= 4
        took = case.sample(times)
    return max(1, round(times * batch / took)) if batch else 1


# -- the machine -----------------------------------------------------------------------------------


def wait_for_quiet(seconds: float) -> str:
    """Wait, at most so long, until others leave the cores idle.

    Returns what to say if they did not.
    """
    cores = os.cpu_count() or 1
    until = time.monotonic() + seconds
    while (load := os.getloadavg()[0]) > _QUIET * cores:
        if time.monotonic() >= until:
            return (
                f"BUSY: load {load:.1f} on {cores} cores after waiting {seconds:.0f} s; "
                "trust no figure of this run, repeat it"
            )
        time.sleep(_LOOK_AGAIN)
    return ""


def options(description: str, *, rounds: int) -> argparse.ArgumentParser:
    """The options that all benchmarks share."""
    made = argparse.ArgumentParser(description=description)
    made.add_argument(
        "--json", action="store_true", help="print one JSON document instead of tables"
    )
    made.add_argument(
        "--rounds",
        type=int,
        default=rounds,
        help=f"how often every case is timed (default {rounds})",
    )
    made.add_argument(
        "--wait",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="wait at most so long for a quiet machine (default 60)",
    )
    made.add_argument("--check", action="store_true", help="exit with 1 when a CI bound is missed")
    return made


def finish(report: Report, given: argparse.Namespace, busy: str) -> int:
    """Print a report as its reader wants it; returns the exit code."""
    if busy:
        report.notes.insert(0, busy)
    if given.json:
        print(json.dumps(_document(report), indent=2))
    else:
        print("\n".join(_text(report)))
    missed = [goal for goal in report.goals if report.reached(goal) > goal.bound]
    return 1 if given.check and missed else 0


# -- printing --------------------------------------------------------------------------------------

_UNITS = {"us": 1e6, "ms": 1e3}


def _text(report: Report) -> list[str]:
    lines = [f"{report.name}: {_machine()}", *(f"! {note}" for note in report.notes), ""]
    width = max(len(name) for name in report.results) + 2
    lines.append(f"{'':{width}}{'median':>10}{'p10':>10}{'p90':>10} {report.unit}   x floor")
    heading = ""
    for name, found in report.results.items():
        if found.case.heading != heading:
            heading = found.case.heading
            lines += ["", f"[{heading}]"]
        figures = "".join(
            f"{value * _UNITS[report.unit]:10.2f}"
            for value in (found.median, found.quantile(0.1), found.quantile(0.9))
        )
        lines.append(f"{name:{width}}{figures} {'':{len(report.unit)}}  {_ratio(report, found):>8}")
    if report.details:
        lines += ["", *table(report.details)]
    return [*lines, "", *table(_goal_rows(report))] if report.goals else lines


def _ratio(report: Report, found: Measured) -> str:
    floor = found.case.floor
    return f"{found.ratio(report.results[floor]):.2f}x" if floor else "floor"


def _goal_rows(report: Report) -> list[list[str]]:
    rows = [["goal", "reached", "target", "CI bound", ""]]
    for goal in report.goals:
        reached = report.reached(goal)
        rows.append(
            [
                goal.text,
                f"{reached:.2f}x",
                f"<= {goal.target:g}x",
                f"<= {goal.bound:g}x",
                judged(reached, goal.target, goal.bound),
            ]
        )
    return rows


def judged(reached: float, target: float, bound: float) -> str:
    """A figure against its two limits, in a word."""
    return "met" if reached <= target else "within bound" if reached <= bound else "MISSED"


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as aligned columns, the first row being the headings."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return [lines[0], "-" * max(map(len, lines)), *lines[1:]]


def _document(report: Report) -> dict[str, Any]:
    return {
        "benchmark": report.name,
        "machine": machine(),
        "notes": report.notes,
        "cases": [
            {
                "name": name,
                "median": found.median,
                "p10": found.quantile(0.1),
                "p90": found.quantile(0.9),
                "rounds": len(found.rounds),
                "floor": found.case.floor or None,
                "ratio": found.ratio(report.results[found.case.floor]) if found.case.floor else 1.0,
            }
            for name, found in report.results.items()
        ],
        "details": report.details,
        "goals": [
            {
                "goal": goal.text,
                "reached": (reached := report.reached(goal)),
                "target": goal.target,
                "bound": goal.bound,
                "judged": judged(reached, goal.target, goal.bound),
            }
            for goal in report.goals
        ],
    }


def machine() -> dict[str, Any]:
    """Where this was measured."""
    return {
        "python": platform.python_version(),
        "executable": sys.executable,
        "system": platform.platform(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
    }


def _machine() -> str:
    known = machine()
    return (
        f"Python {known['python']}, {known['cores']} cores, load {known['load']}, {known['system']}"
    )
