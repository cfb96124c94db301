"""`python -m tests.adapters.play FRAMEWORK`: play everything, with a line of JSON for each play."""

from __future__ import annotations

import asyncio
import json
import sys
from importlib import import_module, metadata
from typing import Any

from hookline import Engine
from hookline.adapters.answers import RunStoppedError
from tests.adapters.plays import OWN, PLAYS, Play, Played, find_faults, watch

_SECONDS = 60


def run_play(driver: Any, play: Play) -> list[str]:
    """Return what did not come of a play as it must."""
    engine, played, seen = Engine(), Played(), []
    watch(engine, seen)
    play.hooks(engine)

    async def ask(_: str) -> bool:
        return bool(play.asks)

    async def run() -> None:
        asked = None if play.asks is None else ask
        await asyncio.wait_for(driver.play(engine, play, asked, played), _SECONDS)

    try:
        asyncio.run(run())
    except RunStoppedError as error:
        played.stopped = error.reason
    except Exception as error:  # noqa: BLE001 - of a framework, which is a fault
        return [f"{type(error).__name__}: {error}"]
    return find_faults(play, played, seen)


def main() -> None:
    """Play for the framework that the command line names."""
    driver = import_module(f"tests.adapters.drivers.{sys.argv[1]}")
    print(json.dumps({"version": metadata.version(driver.PACKAGE)}))
    for play in PLAYS:
        skip = driver.SKIPS.get(play.name, "")
        faults = [] if skip else run_play(driver, play)
        print(json.dumps({"play": play.name, "skip": skip, "faults": faults}), flush=True)
    check = getattr(driver, "check", None)
    skip = "" if check else "there is nothing of its own"
    faults = asyncio.run(check()) if check else []
    print(json.dumps({"play": OWN, "skip": skip, "faults": faults}), flush=True)


if __name__ == "__main__":
    main()
