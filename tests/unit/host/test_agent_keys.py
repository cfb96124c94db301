"""The keys of an agent file, and the page that lists them."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel

from hookline.host import agent_keys
from hookline.host.agent_keys import MISSING_TOOLS, MISSING_TOOLSETS, TOOLSET_KEYS, TOOLSETS
from hookline.host.agent_spec import SandboxSettings, Toolset
from hookline.host.framework.tools import (
    make_background_jobs,
    make_filesystem,
    make_shell,
    make_team,
    make_think,
    make_todo,
    make_workspace,
)

if TYPE_CHECKING:
    from pydantic_ai.models.function import AgentInfo

PAGE = Path(__file__).parents[3] / "docs/formats/agent-file.md"
PARTS = {
    "file": agent_keys.TOP,
    "agent": agent_keys.AGENT,
    "model": agent_keys.MODEL,
    "provider": agent_keys.PROVIDER,
    "`runtime`": agent_keys.RUNTIME,
    "`hookline`": agent_keys.HOST,
}


@pytest.mark.parametrize("part", PARTS)
def test_the_page_lists_each_key(part: str) -> None:
    """In the column of what hookline does with it."""
    text = PAGE.read_text(encoding="utf-8")
    (row,) = [line for line in text.splitlines() if line.startswith(f"| {part} |")]
    columns = [set(cell.replace("`", "").split(", ")) for cell in row.split("|")[2:-1]]
    columns = [{name.strip() for name in cell} - {""} for cell in columns]

    treatments = (agent_keys.RUNS, agent_keys.ACCEPTED, agent_keys.IGNORED, agent_keys.REFUSED)
    assert columns == [
        {name for name, key in PARTS[part].items() if key.treatment == treatment}
        for treatment in treatments
    ]


def test_what_is_not_followed_has_a_reason() -> None:
    """A user reads it as the hint."""
    tables = (*PARTS.values(), agent_keys.REMOTE, agent_keys.LIFECYCLE, *TOOLSET_KEYS.values())

    assert all(
        bool(key.reason) == (key.treatment in {agent_keys.IGNORED, agent_keys.REFUSED})
        for table in tables
        for key in table.values()
    )


def list_arguments() -> dict[str, list[str]]:
    """The tools of an agent that has all toolsets, with their arguments as the page writes them."""
    found: dict[str, list[str]] = {}

    def read_tools(_: Any, info: AgentInfo) -> ModelResponse:
        for tool in info.function_tools:
            schema = tool.parameters_json_schema
            needed = schema.get("required", ())
            found[tool.name] = [
                name if name in needed else f"{name}?" for name in schema["properties"]
            ]
        return ModelResponse(parts=[TextPart("none")])

    files = make_filesystem(Toolset(type="filesystem"), "/", read_only=False)
    agent: Agent[Any, str] = Agent(
        FunctionModel(read_tools),
        toolsets=[
            make_shell({}),
            make_background_jobs({}, "/"),
            make_think(),
            make_team(transfers=True, hands_over=True),
        ],
        capabilities=[make_workspace("/", {}, SandboxSettings(), ()), files, make_todo()],
    )
    asyncio.run(agent.run("list your tools"))
    return found


def test_the_page_lists_each_tool_with_its_arguments() -> None:
    """Hooks and rules are written by it; the reader of `tools` knows the same names."""
    text = PAGE.read_text(encoding="utf-8").partition("| toolset | tool | arguments |")[2]
    rows = re.findall(r"\| `\w+` \| `(\w+)` \|(.*)\|", text.partition("\n\n")[0])
    tools = list_arguments()

    assert {name: re.findall(r"`(\S+)`", listed) for name, listed in rows} == tools
    known = {name for names in TOOLSETS.values() for name in names or ()}
    assert known == set(tools) - {"transfer_task", "handoff"}
    missing = {name for names in MISSING_TOOLS.values() for name in names}
    assert not missing & set(tools)


def test_each_toolset_has_keys() -> None:
    """And none is both had and missing."""
    assert set(TOOLSET_KEYS) == set(TOOLSETS)
    assert not set(TOOLSETS) & set(MISSING_TOOLSETS)
