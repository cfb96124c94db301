"""Hosts are found by their program or their settings folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.bridges.detect import find_hosts, find_version, is_present
from hookline.bridges.hosts import HOSTS

if TYPE_CHECKING:
    from pathlib import Path


def test_hosts_are_found_by_folder_or_program(tmp_path: Path) -> None:
    """A host that has never run has a program and no folder."""
    (tmp_path / ".codex").mkdir()
    program = tmp_path / "bin/gemini"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    environ = {"HOME": str(tmp_path), "PATH": str(program.parent)}

    assert [host.name for host in find_hosts(environ)] == ["codex", "gemini"]
    assert not is_present(HOSTS["pi"], environ)


@pytest.mark.process
@pytest.mark.parametrize(
    ("printed", "host"), [("kimi, version 1.47.0", "kimi"), ("2.1.0", "kimi-code")]
)
def test_two_hosts_of_one_name_differ_in_what_they_print(
    tmp_path: Path, printed: str, host: str
) -> None:
    """The Python program and the TypeScript program of Kimi are both `kimi`."""
    program = tmp_path / "kimi"
    program.write_text(f"#!/bin/sh\necho '{printed}'\n")
    program.chmod(0o755)
    environ = {"HOME": str(tmp_path / "home"), "PATH": str(tmp_path)}

    assert [each.name for each in find_hosts(environ)] == [host]


@pytest.mark.process
@pytest.mark.parametrize(
    ("script", "version"),
    [
        ("echo '2.1.330 (Claude Code)'", "2.1.330"),
        ("echo 'version 1.2' >&2", "1.2"),
        ("exit 3", ""),
    ],
)
def test_a_version_is_what_the_program_prints(tmp_path: Path, script: str, version: str) -> None:
    """Some print it on stderr, and a broken program prints none."""
    program = tmp_path / "claude"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)

    assert find_version(HOSTS["claude-code"], {"PATH": str(tmp_path)}) == version
    assert find_version(HOSTS["claude-code"], {"PATH": ""}) == ""
