"""The command line by which a hook goes on speaking its own dialect."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import pytest

import hookline
from hookline.engine.catalog import make_dialect
from hookline.engine.convert import convert
from hookline.engine.relay_scripts import is_plain_words
from tests.unit.engine.converting import claude, converted, docker

if TYPE_CHECKING:
    from pathlib import Path


def test_a_hook_keeps_everything_that_it_says() -> None:
    """Its command line holds the original entry, with its conditions and its failure rule."""
    tree = claude("Bash", **{"if": "Bash(git push *)", "timeout": 7, "onFailure": "block"})
    hook = docker(converted(tree, "claude-code", "docker-agent", mode="strict"))["hooks"][0]
    words = shlex.split(hook["command"])

    assert words[:4] == ["hookline", "answer", "docker-agent", "--relay"]
    assert words[words.index("--dialect") + 1] == "claude-code"
    assert words[words.index("--mode") + 1] == "strict"
    assert json.loads(words[words.index("--config") + 1]) == tree
    assert hook["timeout"] > 7


def test_a_dialects_options_go_with_its_hooks() -> None:
    """The older profile of docker-agent reads some answers otherwise."""
    tree = {"hooks": {"pre_tool_use": [{"hooks": [{"type": "command", "command": "x"}]}]}}
    text = converted(
        tree, "docker-agent", "claude-code", options={"profile": "d1", "exact": True}
    ).files["settings.json"]

    assert "--option profile=d1 --option exact=true" in text


def test_the_entry_of_one_hook_is_cut_out() -> None:
    """Of its group the matcher stays, of its neighbours nothing."""
    tree = claude("Bash")
    tree["hooks"]["PreToolUse"][0]["hooks"].append({"type": "command", "command": "./second.sh"})
    tree["hooks"]["Stop"] = [{"hooks": [{"type": "command", "command": "./third.sh"}]}]
    tree["model"] = "large"
    second = docker(converted(tree, "claude-code", "docker-agent"))["hooks"][1]
    words = shlex.split(second["command"])

    assert json.loads(words[words.index("--config") + 1]) == {
        "hooks": {
            "PreToolUse": [
                {"matcher": "Bash", "hooks": [{"type": "command", "command": "./second.sh"}]}
            ]
        }
    }


def test_comments_do_not_hide_a_hook(tmp_path: Path) -> None:
    """Some hosts write their settings with them."""
    folder = tmp_path / ".gemini"
    folder.mkdir()
    text = (
        '{\n  // ours\n  "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": '
        '"./x.sh"}]}]}\n}\n'
    )
    (folder / "settings.json").write_text(text, encoding="utf-8")
    conversion = convert(
        hookline.Engine.load(folder / "settings.json"), make_dialect("docker-agent")
    )

    assert "./x.sh" in conversion.files["hooks.yaml"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("./guard.sh", True),
        ("./guard.sh 'a b' c", True),
        ("a && b", False),
        ("a $B", False),
        ("a > b", False),
        ("a 'b", False),
    ],
)
def test_a_line_of_words_needs_no_shell(line: str, words: bool) -> None:
    """Anything that a shell would act on does."""
    assert is_plain_words(line) is words
