"""A long session: nothing leaks, and memory stays flat."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import threading
import time
from collections import Counter

import pytest

from hookline import Engine
from hookline.host.agent_file import load_agent_file
from hookline.host.hook_sources import add_hooks
from hookline.host.host import Host
from tests.unit.handlers.support import children, descriptors
from tests.unit.host.play import Face, agent, command_hook, shell

pytestmark = pytest.mark.process
TURNS = 200
CALLS = 5  # of a turn
WARM = 20  # turns, after which memory is flat
WINDOW = 10_000
LONGEST = 60.0  # seconds
GROWTH = 6.0  # MiB
MOST_THREADS = 20  # idle ones of pools, however long the session


class QuietFace(Face):
    """A person who reads nothing."""

    def show(self, update):
        pass


def write_files(folder):
    """Write an agent file with a script of so many turns; its helper gets a task now and then."""
    steps, tasks = [], 0
    for turn in range(TURNS):
        calls = [("think", {"thought": f"{turn} {at} " + "word " * 50}) for at in range(CALLS)]
        if turn % 10 == 5:
            calls[0] = shell(f"echo {turn}")
        if turn % 20 == 10:
            tasks += 1
            calls[1] = ("transfer_task", {"agent": "helper", "task": f"look {turn}"})
        named = [{"name": name, "arguments": given} for name, given in calls]
        usage = {"input_tokens": (turn % 15 + 1) * 650, "output_tokens": 50}
        steps.append({"tool_calls": named, "usage": usage})
    helped = [
        step
        for at in range(tasks)
        for step in ({"tool_calls": [{"name": "think", "arguments": {"thought": str(at)}}]},
                     {"text": "Found."})
    ]  # fmt: skip
    scripts = {
        "script": [*steps, {"text": "Done."}],
        "helper": helped,
        "summary": [{"text": f"Summary {at}."} for at in range(TURNS)],
    }
    for name, listed in scripts.items():
        (folder / f"{name}.yaml").write_text(json.dumps({"steps": listed}), encoding="utf-8")
    small = {"provider": "scripted", "provider_opts": {"context_size": WINDOW}}
    group = {"matcher": "shell", "hooks": [command_hook("cat > /dev/null")]}
    tools = [{"type": "shell"}, {"type": "think"}]
    rest = {"toolsets": tools, "redact_secrets": True, "add_date": True}
    path = folder / "agent.yaml"
    path.write_text(json.dumps({
        "agents": {
            "root": agent(model="long", sub_agents=["helper"], hooks={"pre_tool_use": [group]},
                          compaction_model="scripted/summary.yaml", **rest),
            "helper": agent(model="scripted/helper.yaml", **rest),
        },
        "models": {"long": {**small, "model": "script.yaml"}},
        "permissions": {"allow": ["*"]},
    }), encoding="utf-8")  # fmt: skip
    return path


def memory():
    """Return what the process holds, in MiB."""
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def test_a_long_session_leaks_nothing(tmp_path):
    """Neither processes, descriptors, threads and tasks, nor memory after the first turns."""
    work = tmp_path / "work"
    work.mkdir()
    loaded = load_agent_file(str(write_files(tmp_path)))
    assert loaded.agent_file is not None, loaded.problems
    counts: Counter[str] = Counter()
    sizes: list[float] = []

    def observe(event, _decision):
        counts[event.native_name] += 1
        turns = counts["turn_end"]
        if event.native_name == "turn_end" and turns >= WARM and turns % 10 == 0:
            sizes.append(memory())

    async def play():
        environ = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
        engine = Engine(cwd=str(work), environ=environ, observe=observe)
        add_hooks(engine, loaded.agent_file)
        async with Host(
            loaded.agent_file, engine, QuietFace(), cwd=str(work), environ=environ
        ) as host:
            result = await host.open_session().run("go")
        engine.close()
        return result, len(asyncio.all_tasks()) - 1

    before = (children(), descriptors(), threading.active_count())
    began = time.monotonic()
    result, tasks = asyncio.run(play())
    seconds = time.monotonic() - began

    assert (result.reason, result.text) == ("normal", "Done.")
    assert counts["post_tool_use"] + counts["subagent_stop"] >= TURNS * CALLS
    assert counts["after_compaction"] >= TURNS // 20
    assert tasks == 0
    assert (children(), descriptors()) == before[:2]
    assert threading.active_count() <= before[2] + MOST_THREADS
    assert seconds < LONGEST
    assert max(sizes) - sizes[0] < GROWTH
