"""Draws docs/agent.svg: the terminal interface of the agent, while a hook refuses a call."""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path

from hookline import Engine
from hookline.host.hook_sources import add_hooks
from hookline.host.host import Host
from hookline.host.start import read_agent_file, set_model
from hookline.host.tui import HostApp

ROOT = Path(__file__).parents[1]
FILE = ROOT / "examples/docker-agent/hooks.yaml"
PROMPTS = ("List files in current dir", "Run: rm -rf /tmp/test")


async def draw() -> str:
    """Return the picture of a conversation of two prompts."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/notes")
        environ = {**os.environ, "HOME": folder}
        file = set_model(read_agent_file(str(FILE), print), "", "scripted/demo")
        engine = Engine(cwd=folder, environ=environ)
        add_hooks(engine, file)
        app = HostApp()
        async with Host(file, engine, app, cwd=folder, environ=environ) as host:
            app.connect(host, host.open_session())
            async with app.run_test(size=(96, 30)) as pilot:
                for prompt in PROMPTS:
                    await app.submit(prompt)
                    while app.is_running_agent:
                        await pilot.pause()
                await pilot.pause()
                return app.export_screenshot(title=f"hookline run {FILE.name}")


if __name__ == "__main__":
    (ROOT / "docs/agent.svg").write_text(asyncio.run(draw()), encoding="utf-8")
