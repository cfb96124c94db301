"""Runs docker-agent's sample file with a scripted model, and shows each event with its verdict.

The model plays the four prompts that the file's header suggests. It fails if a call of a tool does
not end as the header says.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from hookline import Engine
from hookline.host.hook_sources import add_hooks
from hookline.host.host import Host
from hookline.host.start import read_agent_file, set_model

if TYPE_CHECKING:
    from hookline import Decision, Event
    from hookline.host.updates import Question, Update

FILE = Path(__file__).parent / "docker-agent" / "hooks.yaml"
# Each prompt, with how its call ends.
PROMPTS = {
    "Run: echo hello": "hello",
    "Run: rm -rf /tmp/test": "refused",
    "Run: sudo apt update": "refused",
    "List files in current dir": "ls -h",
}


class Timeline:
    """Prints what happens, and remembers how the calls ended. No person can be asked."""

    is_interactive = False

    def __init__(self) -> None:
        self.calls: list[str] = []

    def show(self, update: Update) -> None:
        facts = update.facts
        if update.kind == "tool.done":
            self.calls.append(facts["text"])
            print(f"    {'':28} the tool returned {facts['text'].strip()!r:.60}")
        elif update.kind == "tool.refused":
            self.calls.append("refused")
        elif update.kind == "tool.rewritten":
            self.calls.append(str(facts["after"]["cmd"]))
        elif update.kind == "reply" and facts["text"]:
            print(f"    {'':28} {facts['text']}")

    async def approve(self, _: Question) -> tuple[str, str]:
        return "reject", "no person is here"

    async def may_extend(self, _: int) -> bool:
        return False

    def observe(self, event: Event, decision: Decision) -> None:
        """Print an event that hooks answered."""
        if not decision.verdicts:
            return
        told = decision.reason or "; ".join((*decision.for_user, *decision.for_agent))
        name, stance = event.native_name.partition(":")[0], decision.stance.name.lower()
        print(f"    {name:28} {stance:7} {' '.join(told.split()):.70}".rstrip())


async def play(folder: str) -> bool:
    """Play each prompt in a session of its own; return whether all ended as they should."""
    timeline, as_expected = Timeline(), True
    environ = {**os.environ, "HOME": folder}
    file = set_model(read_agent_file(str(FILE), print), "", "scripted/demo")
    engine = Engine(cwd=folder, environ=environ, observe=timeline.observe)
    add_hooks(engine, file)
    async with Host(file, engine, timeline, cwd=folder, environ=environ) as host:
        for prompt, end in PROMPTS.items():
            print(f"\n> {prompt}")
            timeline.calls.clear()
            await host.open_session().run(prompt)
            if not any(end in call for call in timeline.calls):
                print(f"    NOT AS EXPECTED: {end}")
                as_expected = False
    return as_expected


if __name__ == "__main__":
    print(f"{FILE.name} of docker-agent, unchanged, with a script instead of a model")
    with tempfile.TemporaryDirectory() as made:
        Path(made, "notes.txt").write_text("A file to list.\n", encoding="utf-8")
        done = asyncio.run(play(made))
    sys.exit(0 if done else 1)
