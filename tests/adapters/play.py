"""`python -m tests.adapters.play FRAMEWORK`: play everything, with a line of JSON for each play."""

from __future__ import annotations

import asyncio
import json
import sys
from importlib import import_module, metadata
from typing import Any

from hookline import Engine
from hookline.adapters.answers import RunStoppedError
from tests.adapters.limits import LIMITS, WAYS
from tests.adapters.plays import CANCELLED, OWN, PLAYS, Play, Played, find_faults, watch

_SECONDS = 60


def run_play(driver: Any, play: Play, way: str) -> list[str]:
    """Return what did not come of a play as it must."""
    engine, played, seen = Engine(), Played(), []
    watch(engine, seen)
    play.hooks(engine)

    async def ask(_: str) -> bool:
        return bool(play.asks)

    async def run() -> None:
        asked = None if play.asks is None else ask
        work = asyncio.ensure_future(driver.play(engine, play, asked, played, way))
        loop = asyncio.get_running_loop()
        played.cancel = lambda: loop.call_soon_threadsafe(work.cancel)
        done, _ = await asyncio.wait([work], timeout=_SECONDS)
        if not done:
            work.cancel()
            raise TimeoutError
        await work

    try:
        asyncio.run(run())
    except RunStoppedError as error:
        played.stopped = error.reason
    except asyncio.CancelledError:
        played.stopped = CANCELLED
    except Exception as error:  # noqa: BLE001 - of a framework, which is a fault
        return [f"{type(error).__name__}: {error}"]
    return find_faults(play, played, seen)


def main() -> None:
    """Play for the framework that the command line names."""
    name = sys.argv[1]
    driver = import_module(f"tests.adapters.drivers.{name}")
    print(json.dumps({"version": metadata.version(driver.PACKAGE)}))
    check = getattr(driver, "check", None)
    for way, lacks in WAYS[name].items():
        skips = LIMITS[name] | lacks | getattr(driver, "LACKS", {})
        for play in PLAYS:
            skip = skips.get(play.name, "")
            tell(way, play.name, skip, [] if skip else run_play(driver, play, way))
        if check is not None:
            tell(way, OWN, "", asyncio.run(check()))
            check = None  # once


def tell(way: str, play: str, skip: str, faults: list[str]) -> None:
    """Print what came of a play."""
    print(json.dumps({"way": way, "play": play, "skip": skip, "faults": faults}), flush=True)


if __name__ == "__main__":
    main()
