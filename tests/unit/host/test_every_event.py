"""Runs of the host fire every event of docker-agent's table."""

from __future__ import annotations

import subprocess

import pytest

from hookline.dialects.docker_agent.table import TABLE
from tests.unit.host.play import Face, Play, agent, shell, write_script

pytestmark = pytest.mark.process
# The lane of `pre_tool_use` that is not the preempt one, as the host raises it.
DEFAULT_LANE = {"pre_tool_use:default": "pre_tool_use"}


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


def test_every_event_is_fired(tmp_path):
    """No event of the table is for other hosts only."""
    fired = set()
    for play in (play_a_team, play_limits, play_an_error):
        folder = tmp_path / play.__name__
        folder.mkdir()
        fired |= {DEFAULT_LANE.get(name, name) for name in play(folder).names}

    assert set(TABLE.rows) - fired == set()
