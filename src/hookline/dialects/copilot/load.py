"""Loads Copilot's hook files, policies and settings (docs/formats/copilot.md 1, 2)."""

from __future__ import annotations

from hookline.dialects.copilot.table import (
    CLAUDE_NAMES,
    CONTRACTS,
    NAME,
    OLDER_NAMES,
    TABLE,
    runtime_names,
)
from hookline.dialects.kit.load import FileFormat, Place, TimeLimit, load_file
from hookline.dialects.kit.matcher import MatcherFormat
from hookline.errors import ConfigError
from hookline.model.frozen import Frozen
from hookline.model.spec import MANAGED, Command, HookSpec, Never, OneOf, Pattern
from hookline.text.regex import compile_regex
from hookline.wire.disable_flags import ALL_OFF, apply_flags, is_disable_flag, read_switches
from hookline.wire.sources import list_exact_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from hookline.core.dialect import EventRow, Loaded, Source
    from hookline.model.spec import Condition
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
    """Return the hooks of a source, those of a hook file as the file's own switch leaves them.

    The switch of a settings file travels to `combine`.

    `allow_local`: HTTP hooks may be on this machine or in a private network.
    """
    form = FORMAT.replace(allow_local=allow_local)
    if source.file.rpartition("/")[2] in ("settings.json", "settings.local.json"):
        return load_file(source, form.replace(keys=(), version=""))
    loaded = load_file(source, form)
    flags = [spec for spec in loaded.specs if is_disable_flag(spec) and spec.facts["on"]]
    left = apply_flags(loaded.specs, flags, lambda _flag, _spec: True)
    return left.replace(problems=(*loaded.problems, *left.problems))


def _read_flags(root: Node, source: Source) -> Iterable[HookSpec]:
    if source.scope != MANAGED:
        return read_switches(root, source, NAME)
    if root.flag(ALL_OFF):
        why = f"`{ALL_OFF}` does not reach hooks of a policy"
        root.warn("key.ignored", why, ALL_OFF)
    return ()


def _fields(hook: Node, place: Place, _facts: dict[str, Any]) -> Mapping[str, Any]:
    """Report what is out of place in a hook."""
    for key in _OF_VSCODE:
        if key in hook.value:
            why, hint = f"`{key}` is read by VS Code only", "write `bash` or `powershell`"
            hook.warn("key.ignored", why, key, hint=hint)
    if hook.value.get("type") == "prompt" and place.row.kind != "session.start":
        why = f"a `prompt` hook stands on `sessionStart` only, not on `{place.row.native}`"
        hook.complain("key.misplaced", why, "type")
    return {}


def _read_command(hook: Node, source: Source) -> Command:
    """Return the command of a hook.

    Its `cwd` is relative to the project, which for a file in no project is where the event happens.
    """
    folder, path = source.names.get("folder", ""), hook.text("cwd")
    project, in_project, _ = folder.rpartition("/.github/")
    if path and in_project and not path.startswith("/"):
        path = f"{project}/{path}"
    host_env = {
        "COPILOT_CLI": "1",
        "COPILOT_PROJECT_DIR": "${event.project}",
        "CLAUDE_PROJECT_DIR": "${event.project}",
    }
    command = Command(
        env=hook.mapping("env"),
        host_env=host_env | ({"COPILOT_HOOK_DIR": folder} if folder else {}),
        expand="shell",
        working_dir=path,
        kill_leftovers=source.mode == "strict",
    )
    texts = {key: hook.text(key) for key in (*_SHELLS, "exec")}
    given = [key for key, text in texts.items() if text.strip()]
    if not given:
        why = "a command hook needs `bash`, `powershell`, `command` or `exec`"
        hook.complain("handler.command", why)
        return command
    if "exec" not in given:
        if "args" in hook.value:
            why = "`args` belong to `exec`, so they are ignored"
            hook.warn("key.ignored", why, "args")
        return command.replace(script=texts[given[0]], shell=_SHELLS[given[0]])
    if len(given) > 1:
        why = f"`exec` runs without a shell, so it cannot stand beside `{given[0]}`"
        hook.complain("key.misplaced", why, "exec", hint="keep one of them")
    return command.replace(argv=(texts["exec"], *hook.texts("args")))


def _read_matcher(node: Node, row: EventRow, text: str, mode: str) -> tuple[Condition, ...]:
    """Return the condition of a matcher.

    Under a camelCase key `*` matches nothing, which strict mode refuses.

    Raises:
        ConfigError: `matcher.regex`, an expression that cannot be compiled.
    """
    if row.grouped and text in ("*", "**"):
        return ()
    if text == "*":
        why, hint = "`*` is no expression, so Copilot never runs this hook", _EVERY_TOOL
        if mode == "strict":
            raise ConfigError(why, name="matcher.regex", hint=hint)
        node.warn("hook.never-runs", why, "matcher", hint=hint)
        return (Never(reason=why),)
    if row.grouped and (names := list_exact_names(text)) is not None:
        if row.subject == "tool":  # Claude's name stands for all of the runtime's
            other = [OLDER_NAMES.get(name) or CLAUDE_NAMES.get(name, name) for name in names]
            names = names.union(other, *map(runtime_names, names))
        return (OneOf(field=row.subject, names=names),)
    regex: Any = compile_regex(text, TABLE.regex_flavour)
    if row.subject == "tool":
        regex = _OverNames(
            regex=regex,
            pascal=row.grouped,
            source=regex.source,
            may_time_out=regex.may_time_out,
        )
    return (Pattern(field=row.subject, source=text, regex=regex, full=not row.grouped),)


class _OverNames(Frozen):
    """An expression that is asked about other names of a tool than the event's own.

    Under a PascalCase key it sees Claude's name. Under a camelCase key it sees the runtime's too,
    because a host with a PascalCase key sends Claude's name.
    """

    regex: Any
    pascal: bool
    source: str
    may_time_out: bool

    def _names(self, tool: str) -> tuple[str, ...]:
        return (CLAUDE_NAMES.get(tool, tool),) if self.pascal else (tool, *runtime_names(tool))

    def is_full_match(self, tool: str) -> bool:
        """Return whether the expression matches the whole of one of the names."""
        return any(map(self.regex.is_full_match, self._names(tool)))

    def has_match_in(self, tool: str) -> bool:
        """Return whether the expression is found in one of the names."""
        return any(map(self.regex.has_match_in, self._names(tool)))


FORMAT = FileFormat(
    table=TABLE,
    what="a file of hooks",
    file="hooks/hooks.json",
    keys=("version", "disableAllHooks", "hooks", "description", "$schema"),
    version="error",
    flat=True,
    rows=CONTRACTS,
    matcher=MatcherFormat(everything=("",), full=True, read=_read_matcher),
    types={
        "command": "bash powershell command exec args cwd env",
        "http": "url headers allowedEnvVars",
        "prompt": "prompt",
    },
    common=f"type matcher timeoutSec timeout comment {' '.join(_OF_VSCODE)}",
    default="command",
    needs={"prompt": "the host's own prompt line"},
    limits={"": TimeLimit(keys=("timeoutSec", "timeout"))},
    http={"only_https": True, "largest": 10 << 20},  # bytes of an answer
    command=_read_command,
    named_by=("bash", "command", "powershell", "exec", "url", "prompt", "type"),
    flags=_read_flags,
    fails_open=True,
    fields=_fields,
)
