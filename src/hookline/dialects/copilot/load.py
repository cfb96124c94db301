"""Loads Copilot's files: hook files, policies, and the `hooks` of a settings file (docs/formats/copilot.md 1, 2)."""

from __future__ import annotations

from hookline.dialects.copilot.combine import apply_own_switch, is_settings
from hookline.dialects.copilot.matcher import read_own_matcher
from hookline.dialects.copilot.table import CONTRACTS, TABLE
from hookline.dialects.kit.handlers import HookFormat, TimeLimit
from hookline.dialects.kit.load import FileFormat, Place, check_version, load_file
from hookline.dialects.kit.matcher import MatcherFormat
from hookline.model.handler import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.core.dialect import EventRow, Loaded, Source
    from hookline.wire.fields import Node

# Keys that VS Code reads in the same files, and the CLI does not.
_OF_VSCODE = ("windows", "linux", "osx")
# Key -> the interpreters of its text; the first key that is there counts. `command` is for whatever machine it is.
_SHELLS: Mapping[str, tuple[str, ...]] = {
    "bash": ("bash",),
    "command": ("bash", "sh"),
    "powershell": ("pwsh", "powershell"),
}


def load(source: Source, *, allow_local: bool = False) -> Loaded:
    """Return the hooks of a source. `allow_local`: HTTP hooks may be on this machine or in a private network."""
    form = FORMAT.replace(keys=()) if is_settings(source) else FORMAT
    return load_file(source, form, allow_local=allow_local)


def _check(root: Node, source: Source) -> bool:
    """Return whether a file of hooks is of the version that the host reads."""
    return is_settings(source) or check_version(root, "error")


def _fields(hook: Node, place: Place) -> Mapping[str, object]:
    """Report what is out of place in a hook."""
    for key in _OF_VSCODE:
        if key in hook.value:
            why, hint = f"`{key}` is read by VS Code only", "write `bash` or `powershell`"
            hook.complain("key.ignored", why, key, hint=hint, severity="warning")
    if hook.value.get("type") == "prompt" and place.row.kind != "session.start":
        why = f"a `prompt` hook stands on `sessionStart` only, not on `{place.row.native}`"
        hook.complain("key.misplaced", why, "type")
    return {}


def _command(hook: Node, _row: EventRow, source: Source) -> Command:
    folder = source.names.get("folder", "")
    common = Command(
        env=hook.mapping("env"),
        host_env={
            "COPILOT_CLI": "1",
            "COPILOT_PROJECT_DIR": "${event.project}",
            "CLAUDE_PROJECT_DIR": "${event.project}",
            **({"COPILOT_HOOK_DIR": folder} if folder else {}),
        },
        expand="shell",
        working_dir=_directory(hook, folder),
        kill_leftovers=source.mode == "strict",
    )
    texts = {key: hook.text(key) for key in (*_SHELLS, "exec")}
    given = [key for key, text in texts.items() if text.strip()]
    if not given:
        why = "a command hook needs `bash`, `powershell`, `command` or `exec`"
        hook.complain("handler.command", why)
        return common
    if "exec" not in given:
        if "args" in hook.value:
            why = "`args` belong to `exec`, so they are ignored"
            hook.complain("key.ignored", why, "args", severity="warning")
        return common.replace(script=texts[given[0]], shell=_SHELLS[given[0]])
    if len(given) > 1:
        why = f"`exec` runs without a shell, so it cannot stand beside `{given[0]}`"
        hook.complain("key.misplaced", why, "exec", hint="keep one of them")
    return common.replace(argv=(texts["exec"], *hook.texts("args")))


def _directory(hook: Node, folder: str) -> str:
    """Return `cwd`: absolute, or relative to the project, which for a file in no project is where the event happens."""
    path = hook.text("cwd")
    project, in_project, _ = folder.rpartition("/.github/")
    return f"{project}/{path}" if path and in_project and not path.startswith("/") else path


FORMAT = FileFormat(
    table=TABLE,
    what="a file of hooks",
    file="hooks/hooks.json",
    keys=("version", "disableAllHooks", "hooks", "description", "$schema"),
    flat=True,
    groups_in=lambda row: (
        row.native == row.called
    ),  # under a PascalCase key, as in Claude Code's files
    rows=CONTRACTS,
    matcher=MatcherFormat(
        flavour=TABLE.regex_flavour, everything=("",), full=True, read=read_own_matcher
    ),
    hook=HookFormat(
        types={
            "command": ("bash", "powershell", "command", "exec", "args", "cwd", "env"),
            "http": ("url", "headers", "allowedEnvVars"),
            "prompt": ("prompt",),
        },
        common=("type", "matcher", "timeoutSec", "timeout", "comment", *_OF_VSCODE),
        default="command",
        needs={"prompt": "the host's own prompt line"},
        limits={"": TimeLimit(keys=("timeoutSec", "timeout"))},
        https_only=True,
        largest=10 << 20,  # bytes of an answer
        command=_command,
    ),
    named_by=("bash", "command", "powershell", "exec", "url", "prompt", "type"),
    finish=apply_own_switch,
    check=_check,
    fails_open=True,
    fields=_fields,
)
