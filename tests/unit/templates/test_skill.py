"""The skill for agents: its front matter, its example, and the commands that it names."""

import re
from pathlib import Path

import hookline
from hookline.cli.commands import COMMANDS

FOLDER = Path(hookline.__file__).parent / "templates" / "skill"
TEXT = (FOLDER / "SKILL.md").read_text(encoding="utf-8")


def test_hosts_can_read_its_head():
    """A name and a description, which is at most 1,024 characters long."""
    head = TEXT.split("---")[1]
    name, description = (line.partition(": ")[2] for line in head.strip().splitlines())
    assert name == "hookline"
    assert 0 < len(description) <= 1024


def test_its_example_does_what_it_says(tmp_path):
    """The hook of the example passes its own tests."""
    block = re.search(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    assert block is not None
    text = "\n".join(line[3:] for line in block[1].splitlines())
    file = tmp_path / "hookline.yaml"
    file.write_text(text + "\n", encoding="utf-8")
    engine = hookline.Engine.load(file, dialect="hookline", trust="all")
    assert not [each for each in engine.problems if each.severity == "error"]
    for command, stance in (("git push origin main", "deny"), ("git status", "silent")):
        payload = {"session_id": "s", "cwd": "/", "tool": "shell", "input": {"command": command}}
        assert engine.fire("tool.before", payload).stance.word == stance


def test_it_names_commands_and_pages_that_exist():
    """Every `hookline WORD` is a command, and every link leads to a file of the skill."""
    texts = [path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.md")]
    words = set(re.findall(r"`hookline ([a-z]+)", "".join(texts)))
    assert words <= set(COMMANDS), words - set(COMMANDS)
    for link in re.findall(r"\]\(([^)]+)\)", TEXT):
        assert (FOLDER / link).exists(), link
