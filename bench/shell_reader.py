"""Prints what reading a command line costs: ordinary lines, and hostile ones of 64 KB and 1 MB."""

from __future__ import annotations

from functools import partial
from time import perf_counter

from bench.guards import time_each
from hookline.text.script.evaluate import read_shell
from tests.guards.commands.corpus import CWD, HOME
from tests.guards.commands.test_commands import select

PARTS = ("<<A\n", "<<A ", "{a,", '"', "(", "$(", "a=(", "x|", "f()", "x=)", "$'", "eval '")
SIZES = (64 << 10, 1 << 20)


def main() -> None:
    """Print the microseconds of an ordinary line, and the milliseconds of hostile ones."""
    read = partial(read_shell, cwd=CWD, home=HOME, clock=perf_counter)
    texts = [case.text for case in select("work", "none")]
    print(f"an ordinary line of {len(texts)}: {time_each(read, texts)}")
    for part in PARTS:
        for size in SIZES:
            text = part * (size // len(part))
            began = perf_counter()
            read(text)
            print(f"{size >> 10:5} KB of {part!r:7} {(perf_counter() - began) * 1000:6.1f} ms")


if __name__ == "__main__":
    main()
