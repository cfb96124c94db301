"""What the tests of the host share: files in a folder, and problems in short."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookline.host.agent_file import load_agent_file

if TYPE_CHECKING:
    from pathlib import Path

    from hookline.host.agent_spec import AgentFile, LoadedAgentFile


def load(folder: Path, text: str, **files: str) -> LoadedAgentFile:
    """Load an agent file with this text; `files`: further ones, with `_` for `.` in their names."""
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_text(content, encoding="utf-8")
    path = folder / "agent.yaml"
    path.write_text(text, encoding="utf-8")
    return load_agent_file(str(path))


def read(folder: Path, text: str, **files: str) -> AgentFile:
    """Load an agent file that has no error."""
    loaded = load(folder, text, **files)
    assert loaded.errors == ()
    assert loaded.agent_file is not None
    return loaded.agent_file


def list_problems(loaded: LoadedAgentFile) -> list[tuple[int, str, str]]:
    """Return line, message and hint of each problem."""
    return [(each.origin.line, each.message, each.hint) for each in loaded.problems]
