"""Progressive disclosure: metadata at load, a list for the prompt, and a hook's text on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hookline import ConfigError, Engine, TrustError

if TYPE_CHECKING:
    from pathlib import Path

BODY = "# Guard\n\n---\n\nIt denies what it must."


def write(
    folder: Path,
    name: str = "guard",
    *,
    trigger: str = "before_tool",
    more: str = "",
    script: str = "exit 0\n",
) -> Path:
    """A hook's folder."""
    (folder / name / "scripts").mkdir(parents=True)
    (folder / name / "scripts/run.sh").write_text(script, encoding="utf-8")
    front = (
        f"---\nname: {name}\ndescription: Says <no> & why\ntrigger: {trigger}\n{more}---\n\n"
        f"{BODY}\n\n"
    )
    (folder / name / "HOOK.md").write_text(front, encoding="utf-8")
    return folder


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, Any]:
    """A user with two hooks and a project with one, as arguments of `discover`."""
    user = write(
        write(tmp_path / "home/.config/agents/hooks", "z-last", trigger="session_end"),
        more="matcher: {tool: Shell}\n",
    )
    write(tmp_path / "project/.agents/hooks", "style")
    assert user.is_dir()
    return {
        "cwd": tmp_path / "project",
        "environ": {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"},
        "dialect": "agenthooks",
    }


def test_the_listing_shows_what_counts_in_load_order(machine: dict[str, Any]) -> None:
    """By level and folder, whatever their events.

    Nothing that a clone brought along before it is approved.
    """
    home = machine["environ"]["HOME"]
    here = f"{home}/.config/agents/hooks"

    assert Engine.discover(**machine).available_hooks() == (
        "<available_hooks>\n"
        "<hook>\n<name>guard</name>\n<description>Says &lt;no&gt; &amp; why</description>\n"
        "<trigger>before_tool</trigger>\n"
        f"<location>{here}/guard/HOOK.md</location>\n<matcher>\n<tool>Shell</tool>\n</matcher>\n"
        f"</hook>\n"
        "<hook>\n<name>z-last</name>\n<description>Says &lt;no&gt; &amp; why</description>\n"
        "<trigger>session_end</trigger>\n"
        f"<location>{here}/z-last/HOOK.md</location>\n</hook>\n"
        "</available_hooks>"
    )
    assert "<name>style</name>" in Engine.discover(**machine, trust="all").available_hooks()


def test_the_listing_keeps_the_order_of_the_arguments(tmp_path: Path) -> None:
    """The list keeps the order of the arguments, whatever the folders and events are."""
    folder = write(write(write(tmp_path, "b", trigger="session_end"), "a"), "c")

    engine = Engine.load(folder / "c").add_source(folder / "b").add_source(folder / "a")
    listed = engine.available_hooks()

    names = [line for line in listed.splitlines() if line.startswith("<name>")]
    assert names == ["<name>c</name>", "<name>b</name>", "<name>a</name>"]


def test_what_cannot_run_is_not_available(tmp_path: Path) -> None:
    """A hook without a script, a refused one, a shadow hook, and one that is off are left out."""
    hooks = write(write(tmp_path / "hooks"), "off")
    write(hooks, "refused", more="timeout: soon\n")
    (write(hooks, "bare") / "bare/scripts/run.sh").unlink()
    (hooks / "hooks.toml").write_text("[[hooks.disable]]\nname = 'off'\n", encoding="utf-8")
    listed = (
        Engine.load(hooks)
        .add_source(write(tmp_path / "watched", "watched"), shadow=True)
        .available_hooks()
    )

    assert [line for line in listed.splitlines() if line.startswith("<name>")] == [
        "<name>guard</name>"
    ]


def test_without_hooks_of_such_a_format_there_is_no_listing() -> None:
    """Other formats have nothing of the kind; a folder without hooks has an empty one."""
    assert Engine().available_hooks() == ""
    assert Engine.from_config({"hooks": {}}, dialect="claude-code").available_hooks() == ""


def test_a_hooks_text_is_read_on_demand(tmp_path: Path) -> None:
    """From the file as it is then, also when the process has moved on."""
    hooks = write(tmp_path / "hooks")
    engine = Engine.load(hooks)
    assert engine.hook_body("agenthooks/guard") == BODY
    file = hooks / "guard/HOOK.md"
    file.write_text(file.read_text(encoding="utf-8").replace("must", "may"), encoding="utf-8")

    assert engine.hook_body("agenthooks/guard").endswith("what it may.")


def test_a_file_is_found_again_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although it was named as seen from a folder that is no longer the current one."""
    write(tmp_path / "hooks")
    monkeypatch.chdir(tmp_path)
    engine = Engine.load("hooks")
    monkeypatch.chdir("/")

    assert engine.hook_body("agenthooks/guard") == BODY


def test_a_hook_keeps_no_text_of_its_body(tmp_path: Path) -> None:
    """Each call reads the text again from the file."""
    engine = Engine.load(write(tmp_path / "hooks"))

    assert "Guard" not in repr(engine.hooks)


def test_no_model_reads_the_text_of_a_hook_without_approval(machine: dict[str, Any]) -> None:
    """A person who opens the file can read the text; a model cannot."""
    engine = Engine.discover(**machine)
    with pytest.raises(TrustError) as caught:
        engine.hook_body("agenthooks/style")

    assert caught.value.code == "HKL3001"
    assert Engine.discover(**machine, trust="all").hook_body("agenthooks/style") == BODY


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    """A name that no hook has, and a file that is gone or no longer a hook's."""
    hooks = write(tmp_path / "hooks")
    engine = Engine.load(hooks)
    with pytest.raises(
        ConfigError,
        match=r"no hook has the id `agenthooks/gaurd` \(did you mean `agenthooks/guard`\?\)",
    ):
        engine.hook_body("agenthooks/gaurd")
    file = hooks / "guard/HOOK.md"
    file.write_text("# no longer a hook\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="does not begin with front matter"):
        engine.hook_body("agenthooks/guard")
    file.unlink()
    with pytest.raises(ConfigError, match="cannot be read"):
        engine.hook_body("agenthooks/guard")


def test_a_hook_of_another_format_has_no_text(tmp_path: Path) -> None:
    """Nor has a tree, a Python function, or a file of settings."""
    (tmp_path / "hooks.toml").write_text("[hooks]\n", encoding="utf-8")
    engine = Engine.from_config(
        {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}},
        dialect="claude-code",
    )
    engine.add_source(
        {"name": "tree", "description": "d", "trigger": "pre-session"}, dialect="agenthooks"
    ).add_source(tmp_path)

    @engine.on("tool.before", name="mine")
    def mine(event: object) -> None:
        """Nothing to say."""

    assert {
        engine.hook_body(hook)
        for hook in (
            "config#Stop.true-svdmtg",
            "agenthooks/tree",
            "python#mine",
            "agenthooks/hooks.toml",
        )
    } == {""}
