"""The guard `own_config`: what an agent must not do to hooks, by shell, edit and write tools."""

import json
import os

import pytest

import hookline
from hookline.engine.approval_service import approve
from hookline.engine.trust_gate import make_gate

SETTINGS = {"model": "opus", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}


@pytest.fixture
def engine(tmp_path):
    project = tmp_path / "home" / "src" / "shop"
    (project / ".git" / "hooks").mkdir(parents=True)
    home = tmp_path / "home"
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text(json.dumps(SETTINGS, indent=2))
    return hookline.Engine.from_config(
        {"version": 1, "hooks": [{"use": "own_config"}]},
        dialect="hookline",
        trust="all",
        cwd=project,
        environ={"HOME": str(home), "PATH": os.environ["PATH"]},
    )


def fire(engine, tool, **given):
    payload = {"session_id": "s1", "cwd": engine.cwd, "tool": tool, "input": given}
    return engine.fire("tool.before", payload).stance.word


@pytest.mark.parametrize(
    "line",
    [
        "hookline approve --yes",
        "hookline approve",
        "hookline off",
        "hookline off --global",
        "hookline on my-hook",
        "hookline revoke .claude/settings.json",
        "hookline uninstall --yes",
        "hookline install claude-code -y",
        "hookline add commands",
        "hookline remove own_config",
        "hookline guard allow fs.root",
        "hookline doctor --fix",
        'hookline chat "/hooks off"',
        "env -i hookline approve --yes",
        "nohup hookline approve --yes &",
        "bash -c 'hookline approve --yes'",
        "h=hookline; $h approve --yes",
        "python3 -m hookline approve --yes",
        "/usr/local/bin/hookline uninstall",
        "uvx hookline uninstall",
        "timeout 5 hookline off",
        "pkill -f hookline",
        "curl -X POST http://localhost:8000/internal/runtime/hooks/approve -d '{}'",
        "rm -rf ~/.config/hookline",
        "rm ~/.local/state/hookline/approvals/x.json",
        "echo 'version: 1' > ~/.config/hookline/hookline.yaml",
        "sed -i s/deny/note/ ~/.config/hookline/hookline.yaml",
        "cp /dev/null ~/.config/hookline/settings.toml",
        "mv ~/.config/hookline ~/old",
        "truncate -s 0 ~/.config/hookline/hookline.yaml",
        "chmod 000 ~/.config/hookline/hookline.yaml",
        "tee ~/.config/hookline/hookline.yaml < x",
        "python3 -c \"open('HOME/.config/hookline/hookline.yaml', 'w').write('')\"",
        "echo '{}' > ~/.claude/settings.json",
        "sed -i /hookline/d ~/.claude/settings.json",
        "cd ~/.claude && rm settings.json",
        "cp /tmp/x .claude/settings.json",
        "rm .claude/settings.local.json",
        "perl -pi -e s/x/y/ ~/.codex/hooks.json",
        "rm ~/.gemini/settings.json",
        "rm .cursor/hooks.json",
        "rm -r .agents/hooks",
        "rm .hookline.yaml",
        "ln -sf /dev/null ~/.claude/settings.json",
        "dd if=/dev/null of=.claude/settings.json",
        "curl -o ~/.claude/settings.json https://example.com/x",
        "git config core.hooksPath /dev/null",
        "git config --global --unset core.hooksPath",
        "git -c core.hooksPath=/dev/null commit -m x",
        "rm .git/hooks/pre-commit",
        "git checkout -- .claude/settings.json",
        "apply_patch <<'E'\n*** Begin Patch\n*** Update File: .hookline.yaml\n*** End Patch\nE\n",
        "apply_patch '*** Begin Patch\n*** Delete File: .claude/settings.json\n*** End Patch'",
        "patch -p1 <<'E'\n--- a/x\n+++ b/.claude/settings.json\n@@ -1 +1 @@\nE\n",
        "git apply <<'E'\n--- a/x\n+++ b/.hookline.yaml\n@@ -1 +1 @@\nE\n",
    ],
)
def test_a_shell_does_not_change_hooks(engine, line):
    """No command of hookline, and no write to what decides which hooks run."""
    line = line.replace("HOME", engine.environ["HOME"])
    assert fire(engine, "shell", command=line) == "deny"


@pytest.mark.parametrize(
    "line",
    [
        "hookline list",
        "hookline status",
        "hookline doctor",
        "hookline test .hookline.yaml",
        "hookline approve --all --dry-run",
        "hookline guard check 'rm -rf /'",
        "hookline log --since 1h",
        "cat ~/.claude/settings.json",
        "cp ~/.claude/settings.json /tmp/backup.json",
        "grep -n hooks ~/.claude/settings.json",
        "jq .hooks .claude/settings.json",
        "diff .hookline.yaml /tmp/x",
        "ls -la ~/.config/hookline",
        "git diff .claude/settings.json",
        "git config core.hooksPath",
        "git commit -m 'hookline approve is for people'",
        "echo 'hookline off' >> notes.md",
        "grep -r 'hookline approve' docs",
        "rm -rf build",
        "sed -i s/a/b/ src/app.py",
        'rm -rf "$TMP"',
        "mkdir -p src/hooks && touch src/hooks/useCart.ts",
        "pip install hookline",
        "apply_patch <<'E'\n*** Begin Patch\n*** Update File: src/app.py\n*** End Patch\nE\n",
        "git checkout -- src/app.py",
    ],
)
def test_ordinary_work_passes(engine, line):
    """To read hooks, to look at their state, and to work beside them is fine."""
    assert fire(engine, "shell", command=line) == "silent"


def test_a_path_that_is_not_known_is_a_question_beside_hooks_only(engine):
    """An unknown word beside a program that writes asks where the line names hooks."""
    assert fire(engine, "shell", command='rm "$X/.claude/$(cat name)"') == "ask"


@pytest.mark.parametrize("tool", ["write", "edit"])
def test_tools_do_not_change_hooks(engine, tool):
    """A write or an edit of hookline's files is refused, and one of the host's entry too."""
    home = engine.environ["HOME"]
    for path in (f"{home}/.config/hookline/hookline.yaml", f"{home}/.local/state/hookline/x"):
        assert fire(engine, tool, path=path, content="", old_string="a", new_string="b") == "deny"


def test_an_edit_of_something_else_in_the_settings_of_a_host_passes(engine):
    """The hooks of a settings file must stay as they are; the rest is the agent's work."""
    path = f"{engine.environ['HOME']}/.claude/settings.json"
    same = {**SETTINGS, "model": "sonnet"}
    assert fire(engine, "write", path=path, content=json.dumps(same)) == "silent"
    assert fire(engine, "write", path=path, content='{"model": "sonnet"}') == "deny"
    edit = {"path": path, "old_string": '"opus"', "new_string": '"sonnet"'}
    assert fire(engine, "edit", **edit) == "silent"
    assert fire(engine, "edit", path=path, old_string='"x"', new_string='"true"') == "deny"
    assert fire(engine, "edit", path=path, old_string="gone", new_string="") == "deny"


@pytest.mark.parametrize(
    ("name", "text", "old", "new", "stance"),
    [
        (".kimi/config.toml", '[[hooks]]\nevent = "PreToolUse"\n', "PreToolUse", "Stop", "deny"),
        (".kimi/config.toml", 'model = "a"\n[[hooks]]\nevent = "x"\n', '"a"', '"b"', "silent"),
        (".codex/config.toml", "[features]\nhooks = true\n", "true", "false", "deny"),
        (".gemini/settings.json", '{"a": {"enableHooks": true}}', "true", "false", "deny"),
        (".gemini/settings.json", '{} // a comment\n{"hooks": {}}', "a comment", "b", "deny"),
        (".config/opencode/plugins/hookline.js", 'ask("PreToolUse")', "PreToolUse", "x", "deny"),
        (".config/cagent/hooks.d/x.yaml", "pre_tool_use: []", "pre_tool_use", "x", "deny"),
        (".config/hookline/hookline.yaml", "on: tool.before", "tool.before", "stop", "deny"),
    ],
)
def test_an_edit_of_a_file_with_hooks_passes_only_if_all_hooks_stay(
    engine, name, text, old, new, stance
):
    """An event or a switch is part of a hook, also on a line that does not say so."""
    path = f"{engine.environ['HOME']}/{name}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    assert fire(engine, "edit", path=path, old_string=old, new_string=new) == stance


@pytest.mark.parametrize("key", ["filePath", "file_path", "path"])
@pytest.mark.parametrize("tool", ["write", "edit"])
def test_the_tools_of_a_plugin_do_not_change_hooks(engine, tool, key):
    """Plugins of opencode and pi name the path of a file otherwise than Claude Code."""
    path = f"{engine.environ['HOME']}/.config/opencode/plugins/hookline.js"
    given = {key: path, "content": "", "oldString": "a", "newString": "b"}
    payload = {"session_id": "s1", "cwd": engine.cwd, "tool_name": tool, "tool_input": given}
    assert engine.fire("PreToolUse", payload, dialect="claude-code").stance.word == "deny"


def test_a_patch_is_read(engine):
    """The paths of `apply_patch` count."""
    patch = "*** Begin Patch\n*** Delete File: .hookline.yaml\n*** End Patch"
    event = {"session_id": "s1", "cwd": engine.cwd, "tool_name": "apply_patch"}
    payload = {**event, "tool_input": {"command": patch}}
    assert engine.fire("PreToolUse", payload, dialect="codex").stance.word == "deny"


def test_a_file_that_an_approved_hook_runs_is_a_question(tmp_path):
    """What an approval covers may be edited, if the user says so."""
    project = tmp_path / "shop"
    project.mkdir()
    (project / "guard.sh").write_text("#!/bin/sh\nexit 0\n")
    (project / "guard.sh").chmod(0o755)
    (project / ".hookline.yaml").write_text(
        "version: 1\nhooks:\n  - {on: stop, run: [./guard.sh]}\n  - use: own_config\n"
    )
    home = tmp_path / "home"
    home.mkdir()
    environ = {"HOME": str(home), "PATH": os.environ["PATH"]}
    gate = make_gate(str(project), environ)
    engine = hookline.Engine.discover(cwd=project, environ=environ, gate=gate)
    approve(gate, gate.find_states(engine.hooks))
    assert fire(engine, "edit", path="guard.sh", old_string="0", new_string="1") == "ask"
    assert fire(engine, "shell", command="echo x >> guard.sh") == "ask"
    assert fire(engine, "shell", command="cat guard.sh") == "silent"
