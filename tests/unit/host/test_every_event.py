"""Runs of the host fire every event of docker-agent's table, in order and with their payloads.

UPDATE_SEQUENCES=1 writes down what is fired now.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from pathlib import Path

import pytest

from hookline.dialects.docker_agent.table import TABLE
from tests.unit.host.play import Face, Play, agent, shell, write_script

pytestmark = pytest.mark.process
SEQUENCES = Path(__file__).with_name("sequences")
# The lane of `pre_tool_use` that is not the preempt one, as the host raises it.
DEFAULT_LANE = {"pre_tool_use:default": "pre_tool_use"}


LONG = 40


def play_a_team(folder):
    """A worktree, a sub-agent, a question to the person, and messages meanwhile."""
    work = folder / "work"
    work.mkdir()
    words = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for command in (["init", "-q"], [*words, "commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run(["git", *command], cwd=work, check=True)  # noqa: S607 - the user's git
    task = ("transfer_task", {"agent": "helper", "task": "look"})
    write_script(
        folder,
        scripts={"root": [task, "One.", "Two."], "helper": [shell("touch made"), "Found."]},
    )
    made = Play(folder, {"root": agent(sub_agents=["helper"]), "helper": agent()},
                permissions={"allow": ["transfer_task"]})  # fmt: skip

    async def write(run):
        run.session.queued.append("quick")
        run.session.follow_ups.append("more")

    made.run(face=Face("approve"), worktree="tour", during=write)
    return made


def play_limits(folder):
    """A limit of model calls that a person raises, and a conversation that is too long."""
    calls = [shell(f"echo {at}") for at in range(3)]
    write_script(folder, *calls, {"error": "overflow"}, "The summary.", "Done.")
    made = Play(folder, {"root": agent(max_iterations=2)}, permissions={"allow": ["shell"]})
    made.run(face=Face(interactive=True, extends=True))
    return made


def play_an_error(folder):
    """A model that fails."""
    write_script(folder, {"error": {"status": 500, "message": "broken"}})
    made = Play(folder, {"root": agent()})
    made.run()
    return made


def play_a_cancellation(folder):
    """A person who cancels while a program runs."""
    write_script(folder, shell("echo $$ > pid; sleep 60"))
    made = Play(folder, {"root": agent()}, permissions={"allow": ["shell"]})

    async def cancel(_):
        await made.wait_for_pid("pid")
        made.task.cancel()

    with pytest.raises(asyncio.CancelledError):
        made.run(during=cancel)
    return made


PLAYS = {
    "team": play_a_team,
    "limits": play_limits,
    "error": play_an_error,
    "cancellation": play_a_cancellation,
}


@pytest.mark.parametrize("name", PLAYS)
def test_the_sequence_of_events(tmp_path, name):
    """Every event of a run, in order, with its whole payload."""
    made = PLAYS[name](tmp_path)

    documents = [{"event": event.native_name} | event.raw for event in made.raised]
    for message in (each for document in documents for each in document.get("messages", ())):
        if len(message["content"]) > LONG:  # the framework's request for a summary
            message["content"] = message["content"][:LONG] + "..."
    lines = [json.dumps(each).replace(str(tmp_path), "/folder") for each in documents]
    path = SEQUENCES / f"{name}.jsonl"
    if os.environ.get("UPDATE_SEQUENCES"):
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert lines == path.read_text(encoding="utf-8").splitlines()


def test_every_event_is_in_a_sequence():
    """No event of the table is for other hosts only."""
    text = "".join((SEQUENCES / f"{name}.jsonl").read_text(encoding="utf-8") for name in PLAYS)
    fired = {json.loads(line)["event"] for line in text.splitlines()}

    assert set(TABLE.rows) - {DEFAULT_LANE.get(name, name) for name in fired} == set()
