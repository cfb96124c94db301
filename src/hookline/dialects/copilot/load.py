"""Loads Copilot's files: hook files, policies, and the `hooks` of a settings file (docs/formats/copilot.md 1, 2)."""

from __future__ import annotations

from hookline.dialects.copilot.table import (
    CLAUDE_NAMES,
    CONTRACTS,
    NAME,
    OLDER_NAMES,
    TABLE,
    runtime_names,
)
from hookline.dialects.kit.handlers import HookFormat, TimeLimit
from hookline.dialects.kit.load import FileFormat, Place, check_version, load_file
from hookline.dialects.kit.matcher import MatcherFormat
from hookline.errors import ConfigError
from hookline.model.conditions import Never, OneOf, Pattern
from hookline.model.handler import Command
from hookline.model.spec import MANAGED
from hookline.text.regex import compile_regex
from hookline.wire.disable_flags import ALL_OFF, read_switches, report_disabled_hooks
from hookline.wire.matchers import list_exact_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from hookline.core.dialect import EventRow, Loaded, Source
    from hookline.model.conditions import Condition
    from hookline.model.spec import HookSpec
    from hookline.wire.fields import Node

_EVERY_TOOL = "leave the matcher out to take everything"
# Keys that VS Code reads in the same files, and the CLI does not.
_OF_VSCODE = ("windows", "linux", "osx")
# Key -> the interpreters of its text; the first key that is there counts. `command` is for whatever
# machine it is.
_SHELLS: Mapping[str, tuple[str, ...]] = {
    "bash": ("bash",),
    "command": ("bash", "sh"),
    "powershell": ("pwsh", "powershell"),
}


def load(source: Source, *, allow_local: bool = False) -> Loaded:
    """Return the hooks of a source. `allow_local`: HTTP hooks may be on this machine or in a private network."""
    form = FORMAT.replace(keys=()) if _is_settings(source) else FORMAT
    return load_file(source, form, allow_local=allow_local)


def _is_settings(source: Source) -> bool:
    """Return whether a source is a settings file, of which the hooks are a part."""
    return source.file.rpartition("/")[2] in ("settings.json", "settings.local.json")


def _apply_own_switch(
    root: Node, source: Source, specs: tuple[HookSpec, ...]
) -> tuple[HookSpec, ...]:
    """Return a file's hooks as its own switch leaves them; the switch of a settings file travels to `combine`."""
    managed = source.scope == MANAGED
    if _is_settings(source) and not managed:
        return (*read_switches(root, source, NAME), *specs)
    if not root.flag(ALL_OFF):
        return specs
    if managed:
        why = f"`{ALL_OFF}` does not reach hooks of a policy"
        root.complain("key.ignored", why, ALL_OFF, severity="warning")
        return specs
    root.problems += report_disabled_hooks(root.origin(ALL_OFF), f"`{ALL_OFF}`", specs)
    return ()


def _check(root: Node, source: Source) -> bool:
    """Return whether a file of hooks is of the version that the host reads."""
    return _is_settings(source) or check_version(root, "error")


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


def _read_matcher(node: Node, row: EventRow, text: str, mode: str) -> tuple[Condition, ...]:
    """Return the condition of a matcher. Under a camelCase key `*` matches nothing, which strict mode refuses.

    Raises:
        ConfigError: `matcher.regex`, an expression that cannot be compiled.
    """
    pascal, of_tools = row.native == row.called, row.subject == "tool"
    if pascal and text in ("*", "**"):
        return ()
    if text == "*":
        why = "`*` is no expression, so Copilot never runs this hook"
        if mode == "strict":
            raise ConfigError(why, name="matcher.regex", hint=_EVERY_TOOL)
        node.complain("hook.never-runs", why, "matcher", hint=_EVERY_TOOL, severity="warning")
        return (Never(reason=why),)
    if pascal and (names := list_exact_names(text)) is not None:
        known = _all_names(names) if of_tools else names
        return (OneOf(field=row.subject, names=known),)
    regex: Any = compile_regex(text, TABLE.regex_flavour)
    if of_tools:
        regex = _OverNames(regex, pascal=pascal)
    return (Pattern(field=row.subject, source=text, regex=regex, full=not pascal),)


def _all_names(names: Iterable[str]) -> frozenset[str]:
    """Return every name that an event may give to these tools: Claude's stands for all of the runtime's."""
    found = set(names)
    for name in names:
        found |= {OLDER_NAMES.get(name, _claude_name(name)), *runtime_names(name)}
    return frozenset(found)


def _claude_name(tool: str) -> str:
    return CLAUDE_NAMES.get(tool, tool)


class _OverNames:
    """An expression that is asked about other names of a tool than the event's own.

    Under a PascalCase key it sees Claude's name. Under a camelCase key it sees the runtime's too,
    because a host with a PascalCase key sends Claude's name.
    """

    def __init__(self, regex: Any, *, pascal: bool) -> None:
        self.source, self.portable = regex.source, regex.portable
        self.may_time_out = regex.may_time_out
        self._regex, self._pascal = regex, pascal

    def _names(self, tool: str) -> tuple[str, ...]:
        return (_claude_name(tool),) if self._pascal else (tool, *runtime_names(tool))

    def is_full_match(self, tool: str) -> bool:
        """Return whether the expression matches the whole of one of the names."""
        return any(map(self._regex.is_full_match, self._names(tool)))

    def has_match_in(self, tool: str) -> bool:
        """Return whether the expression is found in one of the names."""
        return any(map(self._regex.has_match_in, self._names(tool)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _OverNames) and other.source == self.source

    def __hash__(self) -> int:
        return hash(self.source)


FORMAT = FileFormat(
    table=TABLE,
    what="a file of hooks",
    file="hooks/hooks.json",
    keys=("version", "disableAllHooks", "hooks", "description", "$schema"),
    flat=True,
    # Under a PascalCase key, as in Claude Code's files.
    groups_in=lambda row: row.native == row.called,
    rows=CONTRACTS,
    matcher=MatcherFormat(
        flavour=TABLE.regex_flavour, everything=("",), full=True, read=_read_matcher
    ),
    hook=HookFormat(
        types={
            "command": "bash powershell command exec args cwd env",
            "http": "url headers allowedEnvVars",
            "prompt": "prompt",
        },
        common=f"type matcher timeoutSec timeout comment {' '.join(_OF_VSCODE)}",
        default="command",
        needs={"prompt": "the host's own prompt line"},
        limits={"": TimeLimit(keys=("timeoutSec", "timeout"))},
        https_only=True,
        largest=10 << 20,  # bytes of an answer
        command=_command,
    ),
    named_by=("bash", "command", "powershell", "exec", "url", "prompt", "type"),
    finish=_apply_own_switch,
    check=_check,
    fails_open=True,
    fields=_fields,
)
