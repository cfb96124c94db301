"""Toolsets of an agent file, and MCP servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.host.support import list_problems, load, read

if TYPE_CHECKING:
    from pathlib import Path

    from hookline.host.agent_spec import Toolset


def with_tools(tools: str, rest: str = "") -> str:
    """An agent file whose agent has these toolsets."""
    return f"agents:\n  root:\n    model: openai/a\n    toolsets: {tools}\n{rest}"


def toolsets(folder: Path, tools: str, rest: str = "") -> tuple[Toolset, ...]:
    """The toolsets of an agent file that is right."""
    return read(folder, with_tools(tools, rest)).root.toolsets


def test_built_in_toolsets(tmp_path: Path) -> None:
    """With their options."""
    shell, files, todo = toolsets(
        tmp_path,
        "[{type: shell, env: {A: 1}},"
        " {type: filesystem, deny_list: [~/.ssh], readonly: true, tools: [read_file],"
        "  post_edit: [{path: '*.py', cmd: 'ruff ${file}'}], ignore_vcs: false},"
        " {type: todo, shared: true}]",
    )

    assert shell.env == {"A": "1"}
    assert files.read_only
    assert not files.ignore_vcs
    assert files.tools == ("read_file",)
    assert files.post_edit[0].command == "ruff ${file}"
    assert todo.shared


def test_mcp_servers(tmp_path: Path) -> None:
    """A program, an address, and a server of the file with changes."""
    program, address, named = toolsets(
        tmp_path,
        "[{type: mcp, command: npx, args: [-y, srv], lifecycle: {call_timeout: 5s}},"
        " {type: mcp, remote: {url: 'https://m.example.com', transport_type: sse}},"
        " {type: mcp, ref: git, tools: [log], env: {B: '2'}}]",
        "mcps: {git: {command: mcp-git, env: {A: '1'}}}\n",
    )

    assert (program.command, program.args, program.call_timeout) == ("npx", ("-y", "srv"), 5.0)
    assert (address.url, address.transport) == ("https://m.example.com", "sse")
    assert (named.name, named.command, named.tools) == ("git", "mcp-git", ("log",))
    assert named.env == {"A": "1", "B": "2"}


def test_shared_toolsets_come_last(tmp_path: Path) -> None:
    """In the order of `use_toolsets`."""
    text = with_tools("[{type: think}]", "toolsets: {sh: {type: shell}}\n")
    text = text.replace("    toolsets", "    use_toolsets: [sh]\n    toolsets", 1)

    assert [each.type for each in read(tmp_path, text).root.toolsets] == ["think", "shell"]


def test_a_server_of_the_catalog(tmp_path: Path) -> None:
    """Docker's gateway starts it."""
    direct, named = toolsets(
        tmp_path,
        "[{type: mcp, ref: 'docker:duckduckgo', tools: [search]}, {type: mcp, ref: hub}]",
        "mcps: {hub: {ref: 'docker:github'}}\n",
    )

    assert (direct.command, direct.args[-1]) == ("docker", "--servers=duckduckgo")
    assert direct.tools == ("search",)
    assert (named.name, named.args[-1]) == ("hub", "--servers=github")


def test_what_hookline_does_not_have_is_left_out(tmp_path: Path) -> None:
    """The agent runs without it, and a warning says so."""
    loaded = load(tmp_path, with_tools("[{type: memory, path: x}]"))

    assert loaded.agent_file is not None
    assert loaded.agent_file.root.toolsets == ()
    assert [each.name for each in loaded.problems] == ["key.ignored"]


@pytest.mark.parametrize(
    ("tools", "problem", "hint"),
    [
        ("{type: shell}", "`toolsets` must be a list", "- type"),
        ("[{type: shel}]", "unknown toolset `shel`", "did you mean `shell`?"),
        ("[{}]", "`type` is missing", ""),
        ("[{type: shell, path: x}]", "has no key `path`", "env"),
        ("[{type: shell, pth: x}]", "unknown key `pth`", ""),
        ("[{type: filesystem, tools: [read_fle]}]", "no tool `read_fle`", "`read_file`"),
        ("[{type: filesystem, tools: [directory_tree]}]", "no tool `directory_tree`", "find_files"),
        ("[{type: mcp}]", "exactly one of", ""),
        ("[{type: mcp, command: a, ref: b}]", "exactly one of", ""),
        ("[{type: mcp, ref: 'docker:--x'}]", "is no name of a server", "docker:NAME"),
        ("[{type: mcp, ref: chain}]", "refers to another server", "docker:NAME"),
        ("[{type: mcp, ref: gti}]", "unknown MCP server `gti`", "`git`"),
        ("[{type: mcp, remote: {url: 'file:///x'}}]", "cannot be called", ""),
        ("[{type: mcp, remote: {url: 'https://x.example', transport_type: ws}}]", "ws", ""),
        ("[{type: mcp, command: a, defer: true}]", "ignores `defer`", "from the start"),
        ("[{type: filesystem, post_edit: x}]", "must be a list", ""),
    ],
)
def test_problems_of_toolsets(tmp_path: Path, tools: str, problem: str, hint: str) -> None:
    """Each says what is wrong and what to do."""
    found = list_problems(
        load(tmp_path, with_tools(tools, "mcps: {git: {command: x}, chain: {ref: git}}\n"))
    )

    assert any(problem in message and hint in given for _, message, given in found)


def test_a_broken_server_is_reported_once(tmp_path: Path) -> None:
    """Where it stands, however often it is used."""
    text = with_tools(
        "[{type: mcp, ref: git}, {type: mcp, ref: git}]", "mcps: {git: {args: [a]}}\n"
    )

    assert len(load(tmp_path, text).problems) == 1
