"""Handlers as Copilot's files declare them: shell commands, programs, and the types that are not run here (docs/formats/copilot.md)."""

from __future__ import annotations

from hookline.dialects.copilot.table import TABLE
from hookline.model.handler import Command
from hookline.text.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.core.dialect import EventRow
    from hookline.model.handler import Handler
    from hookline.wire.fields import Node

_COMMON = ("type", "matcher", "timeoutSec", "timeout", "comment")
_OWN: Mapping[str, tuple[str, ...]] = {
    "command": ("bash", "powershell", "command", "exec", "args", "cwd", "env"),
    "http": ("url", "headers", "allowedEnvVars"),
    "prompt": ("prompt",),
}
# What the types that are not run would need.
_NEEDS: Mapping[str, str] = {"prompt": "the host's own prompt line"}
_LARGEST = 10 << 20  # bytes of an answer over HTTP (docs/formats/copilot.md 6)
# Keys that VS Code reads in the same files, and the CLI does not (docs/formats/copilot.md 7).
_OF_VSCODE = ("windows", "linux", "osx")
# Key -> the interpreters of its text; the first key that is there counts. `command` is for whatever machine it is.
_SHELLS: Mapping[str, tuple[str, ...]] = {
    "bash": ("bash",),
    "command": ("bash", "sh"),
    "powershell": ("pwsh", "powershell"),
}
# Where files lie in a project, as seen from its folder.
_IN_PROJECT = ("/.github/hooks", "/.github/copilot")

# What the host sets for every hook (docs/formats/copilot.md 4).
_HOST_ENV = {
    "COPILOT_CLI": "1",
    "COPILOT_PROJECT_DIR": "${event.project}",
    "CLAUDE_PROJECT_DIR": "${event.project}",
}


def handler(
    hook: Node, row: EventRow, names: Mapping[str, str], *, mode: str, allow_local: bool
) -> Handler | None:
    """The handler of a hook; every key that does not belong to its type is complained about."""
    kind = hook.text("type", "command")
    if kind not in _OWN:
        hint = did_you_mean(kind, _OWN) or f"one of {', '.join(f'`{known}`' for known in _OWN)}"
        hook.complain("handler.type", f"unknown hook type `{kind}`", "type", hint=hint)
        return None
    severity = TABLE.severity_of_unknown_key("hook", mode)
    hook.check_known_keys(
        (*_COMMON, *_OWN[kind], *_OF_VSCODE), f"a `{kind}` hook", severity=severity
    )
    for key in _OF_VSCODE:
        if key in hook.value:
            hook.complain(
                "key.ignored",
                f"`{key}` is read by VS Code only",
                key,
                hint="write `bash` or `powershell`",
                severity="warning",
            )
    if kind in _NEEDS:
        _unsupported(hook, kind, row)
        return None
    if kind == "http":
        from hookline.wire.http_spec import read_http_spec  # noqa: PLC0415 - few hooks are called

        return read_http_spec(hook, allow_local=allow_local, only_https=True, largest=_LARGEST)
    return _command(hook, names, kill_leftovers=mode == "strict")


def _unsupported(hook: Node, kind: str, row: EventRow) -> None:
    hook.complain(
        "handler.unsupported",
        f"`{kind}` hooks need {_NEEDS[kind]}, which this version does not have",
        "type",
    )
    if kind == "prompt" and row.kind != "session.start":
        hook.complain(
            "key.misplaced",
            f"a `prompt` hook stands on `sessionStart` only, not on `{row.native}`",
            "type",
        )


def _command(hook: Node, names: Mapping[str, str], *, kill_leftovers: bool) -> Handler | None:
    folder = names.get("folder", "")
    common = Command(
        env=hook.mapping("env"),
        host_env=_HOST_ENV | ({"COPILOT_HOOK_DIR": folder} if folder else {}),
        expand="shell",
        working_dir=_directory(hook, names),
        kill_leftovers=kill_leftovers,
    )
    texts = {key: hook.text(key) for key in (*_SHELLS, "exec")}
    given = [key for key, text in texts.items() if text.strip()]
    if not given:
        hook.complain(
            "handler.command", "a command hook needs `bash`, `powershell`, `command` or `exec`"
        )
        return common
    if "exec" not in given:
        if "args" in hook.value:
            hook.complain(
                "key.ignored",
                "`args` belong to `exec`, so they are ignored",
                "args",
                severity="warning",
            )
        return common.replace(script=texts[given[0]], shell=_SHELLS[given[0]])
    if len(given) > 1:
        hook.complain(
            "key.misplaced",
            f"`exec` runs without a shell, so it cannot stand beside `{given[0]}`",
            "exec",
            hint="keep one of them",
        )
    return common.replace(argv=(texts["exec"], *hook.texts("args")))


def _directory(hook: Node, names: Mapping[str, str]) -> str:
    """`cwd`: absolute, or relative to the project, which for a file in no project is where the event happens."""
    path, folder = hook.text("cwd"), names.get("folder", "")
    root = next(
        (folder.removesuffix(ending) for ending in _IN_PROJECT if folder.endswith(ending)), ""
    )
    return f"{root}/{path}" if path and root and not path.startswith("/") else path
