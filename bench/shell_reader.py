"""Prints the processor time of judging a command line: ordinary lines, and hostile texts."""

from __future__ import annotations

from functools import partial
from statistics import median
from time import process_time, thread_time

from bench.guards import time_each
from bench.hostile_texts import REPEATED, generate_texts
from hookline.guards.commands.judge import judge_command
from hookline.text.script.evaluate import read_shell
from tests.guards.commands.corpus import CWD, HOME
from tests.guards.commands.test_commands import select

SIZES = (64 << 10, 1 << 20)
RUNS, GENERATED = 5, 2300


def measure(text: str, runs: int) -> list[float]:
    """Return the milliseconds of processor time that each judgement of a text takes."""
    spent = []
    for _ in range(runs):
        began = process_time()
        judge_command(text, cwd=CWD, home=HOME, clock=thread_time)
        spent.append((process_time() - began) * 1000)
    return spent


def main() -> None:
    """Print the microseconds of an ordinary line, and the milliseconds of hostile texts."""
    read = partial(read_shell, cwd=CWD, home=HOME, clock=thread_time)
    texts = [case.text for case in select("work", "none")]
    print(f"reading an ordinary line of {len(texts)}: {time_each(read, texts)}")
    print("judging, in ms of processor time")
    for part in REPEATED:
        for size in SIZES:
            spent = measure(part * (size // len(part)), RUNS)
            print(f"{size >> 10:5} KB of {part!r:16} {min(spent):6.1f} to {max(spent):.1f}")
    for size, count in zip(SIZES, (GENERATED, GENERATED // 10), strict=True):
        every = sorted(min(measure(text, 2)) for text in generate_texts(count, size))
        print(f"{size >> 10:5} KB, {count} generated texts")
        print(f"      median {median(every):.1f}, 99th percentile {every[count * 99 // 100]:.1f}")
        print(f"      worst {every[-1]:.1f}")


if __name__ == "__main__":
    main()
