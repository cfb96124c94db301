"""Post-edit: runs the commands of an agent file after its agent has changed a file.

docs/formats/agent-file.md 3
"""

from __future__ import annotations

import asyncio
import os
import shlex
from fnmatch import fnmatchcase

from hookline.handlers.process import run_all
from hookline.handlers.process_spec import Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.host.agent_spec import AgentSpec
    from hookline.host.tool_call import ToolCall

_LONGEST = 60.0  # seconds of one command
_CHANGING = frozenset({"write_file", "edit_file"})


async def run_post_edit(spec: AgentSpec, call: ToolCall, environ: Mapping[str, str]) -> list[str]:
    """Run the commands for the file that a call changed; return what went wrong with them."""
    path = (call.arguments or {}).get("path")
    if call.category != "filesystem" or call.tool not in _CHANGING or not isinstance(path, str):
        return []
    path = os.path.join(call.cwd, path)
    programs = [
        Program(
            argv=("/bin/sh", "-c", each.command.replace("${file}", shlex.quote(path))),
            stdin=b"",
            cwd=call.cwd,
            env={**environ, "file": path},
            timeout=_LONGEST,
        )
        for toolset in spec.toolsets
        for each in toolset.post_edit
        if fnmatchcase(os.path.basename(path), each.pattern) or fnmatchcase(path, each.pattern)
    ]
    faults = []
    for program in programs:
        outcome = (await asyncio.to_thread(run_all, [program]))[0]
        if outcome.failure is not None or outcome.exit_code:
            why = outcome.stderr.strip() or outcome.detail or f"exit code {outcome.exit_code}"
            faults.append(f"`{program.argv[2]}` failed: {why:.200}")
    return faults
