"""Which language is a file in, and which program reads it?"""

from __future__ import annotations

import pytest

from hookline.trust.languages import (
    DATA_PROGRAMS,
    LAUNCHERS,
    TOOLS,
    find_interpreter,
    find_language,
)


@pytest.mark.parametrize(
    ("word", "language"),
    [
        ("bash", "shell"),
        ("/usr/bin/zsh", "shell"),
        ("python3.12", "python"),
        ("python.exe", "python"),
        ("node22", "other"),
        ("ruby3.2", "other"),
        ("jq", ""),
        ("x.sh", ""),
        ("", ""),
    ],
)
def test_an_interpreter_is_known_by_its_name(word: str, language: str) -> None:
    """Without its folder and version."""
    assert find_interpreter(word) == language


@pytest.mark.parametrize(
    ("path", "first_line", "language"),
    [
        ("/a/x.sh", "", "shell"),
        ("/a/x.PY", "", "python"),
        ("/a/x", "#!/usr/bin/env -S uv run --script", "python"),
        ("/a/x.sh", "#! /usr/bin/env node", "other"),
        ("/a/x", "#!/opt/own", "other"),
        ("/a.sh/x", "", ""),
        ("/a/x.json", "", ""),
    ],
)
def test_a_file_is_in_the_language_of_its_first_line(
    path: str, first_line: str, language: str
) -> None:
    """The suffix counts where there is no such line."""
    assert find_language(path, first_line) == language


def test_a_suffix_is_enough_to_be_code() -> None:
    """Data has none of them."""
    assert find_language("guard.ps1") == "other"
    assert find_language("settings.json") == ""


def test_a_program_is_in_one_table() -> None:
    """A linter, a tool, and what starts the program behind it are treated each in its own way."""
    assert not DATA_PROGRAMS & TOOLS
    assert not LAUNCHERS & (DATA_PROGRAMS | TOOLS)
    assert not any(find_interpreter(name) for name in DATA_PROGRAMS | TOOLS | LAUNCHERS)
