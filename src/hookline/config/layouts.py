"""The files of a folder that belong to each dialect, and their companion files."""

from __future__ import annotations

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Layout(Frozen):
    """How a dialect's hooks lie in a folder.

    `files` are taken if they are there, `children` of each sub-folder.

    The last part of one of `files` may be a pattern. `endings`: how the names of files end that are
    taken, too; with `drop_ins`, in folders whose path ends so, and in no other. `companions`: files
    beside a source that its loader must know of, and with `whole` reads. `folders`: how the path of
    a folder ends that is this dialect's whatever lies in it. `bound`: no other folder is. `front`:
    of a file no more is loaded than its front matter. `stems`: names of files without their
    `endings`, in lower case. Each such file is the program of one hook, so that its text is not
    read as a configuration. `absent`: the format's own names for a path, file or folder that is not
    there.
    """

    files: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
    drop_ins: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    companions: tuple[str, ...] = ()
    whole: bool = False
    folders: tuple[str, ...] = ()
    bound: bool = False
    front: bool = False
    stems: frozenset[str] = frozenset()
    absent: Mapping[str, str] = {}


LAYOUTS: Mapping[str, Layout] = {
    "claude-code": Layout(
        files=(
            "settings.json",
            "settings.local.json",
            ".claude/settings.json",
            ".claude/settings.local.json",
            "hooks/hooks.json",
            "hooks.json",
            "managed-settings.json",
            "managed-settings.d/*.json",
        ),
        endings=(".json",),
        drop_ins=("managed-settings.d",),
    ),
    "starchild": Layout(
        files=("shell_hooks.yaml", "config/shell_hooks.yaml"),
        companions=("agent.yaml",),
        whole=True,
    ),
    "hermes": Layout(files=("config.yaml",), folders=(".hermes",), bound=True),
    "docker-agent": Layout(endings=(".yaml", ".yml")),
    "agenthooks": Layout(
        files=("hooks.toml",),
        children=("HOOK.md", "hook.md"),
        companions=("scripts/run", "scripts/run.sh", "scripts/run.py"),
        front=True,
        absent={"path": "path.missing", "file": "file.missing", "folder": "path.not-dir"},
    ),
    # After those whose files have names of their own.
    "codex": Layout(
        files=(
            "requirements.toml",
            "hooks.json",
            "config.toml",
            ".codex/hooks.json",
            ".codex/config.toml",
            "hooks/hooks.json",
        ),
        folders=(".codex", "etc/codex"),
    ),
    "kimi": Layout(files=("config.toml",), folders=(".kimi", ".kimi-code")),
    "cursor": Layout(files=("hooks.json", ".cursor/hooks.json"), folders=(".cursor", "cursor")),
    "copilot": Layout(
        files=("settings.json", "settings.local.json", "hooks/*.json"),
        endings=(".json",),
        drop_ins=(".github/hooks", ".copilot/hooks", "policy.d"),
        folders=(".github/hooks", ".copilot/hooks", "policy.d", ".copilot", ".github/copilot"),
        bound=True,
    ),
    "gemini": Layout(
        files=("settings.json", ".gemini/settings.json", "hooks/hooks.json"),
        folders=(".gemini", "gemini-cli"),
    ),
    "qwen": Layout(
        files=("settings.json", ".qwen/settings.json", "hooks/hooks.json"),
        folders=(".qwen", "qwen-code"),
    ),
    "openhands": Layout(files=("hooks.json", ".openhands/hooks.json"), folders=(".openhands",)),
    "cline": Layout(
        endings=(
            "",
            ".sh",
            ".bash",
            ".zsh",
            ".js",
            ".mjs",
            ".cjs",
            ".ts",
            ".mts",
            ".cts",
            ".py",
            ".ps1",
        ),
        stems=frozenset(
            (
                "taskstart",
                "taskresume",
                "taskcancel",
                "taskcomplete",
                "taskerror",
                "pretooluse",
                "posttooluse",
                "userpromptsubmit",
                "precompact",
                "notification",
                "sessionshutdown",
            )
        ),
        folders=(".clinerules/hooks", ".cline/hooks", "Cline/Hooks"),
        bound=True,
    ),
    "a3s": Layout(),
    "hookline": Layout(),
}
