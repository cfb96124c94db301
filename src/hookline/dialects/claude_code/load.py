"""Loads Claude Code's settings, and a plugin's `hooks.json` (docs/formats/claude-code.md 1, 2, 4)."""

from __future__ import annotations

import json

from hookline.dialects.claude_code.combine import read_flags
from hookline.dialects.claude_code.table import TABLE
from hookline.dialects.kit.handlers import FileFormat, TimeLimit
from hookline.dialects.kit.load import load_file
from hookline.dialects.kit.matcher import MatcherFormat
from hookline.model.spec import Never
from hookline.model.verdict import Stance
from hookline.wire.sources import NAMES, read_conditions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow, Loaded, Source
    from hookline.dialects.kit.handlers import Place
    from hookline.model.spec import Condition
    from hookline.wire.fields import Node


def load(source: Source, *, allow_local: bool = False) -> Loaded:
    """Return the hooks of a source.

    `allow_local`: HTTP hooks may be on this machine or in a private network.
    """
    form = _IN_AGENT if "agent" in source.names else FORMAT
    return load_file(source, form, allow_local=allow_local)


def _fields(hook: Node, place: Place, facts: dict[str, Any]) -> dict[str, Any]:
    """Return what only Claude Code's hooks have: `if`, `once`, background hooks, their identity."""
    row, source, given = place.row, place.source, hook.value
    conditions = read_conditions(hook, lambda: _read_rule(hook, row), "if")
    is_async, rewakes = given.get("async") is True, hook.flag("asyncRewake")
    in_background, timeout = is_async or rewakes, given.get("timeout")
    texts = {"message": hook.text("rewakeMessage"), "summary": hook.text("rewakeSummary")}
    is_prompt, strict = given.get("type") == "prompt", source.mode == "strict"
    known = {
        "async": is_async,
        "rewake": texts if rewakes else None,
        "timeout": max(0.0, float(timeout)) if isinstance(timeout, int | float) else 0.0,
        "plugin": source.names.get("plugin_root"),
        "continue_on_block": is_prompt and hook.flag("continueOnBlock"),
    }
    facts |= {fact: value for fact, value in known.items() if value}
    if in_background and row.can_block:
        why = f"a hook in the background blocks no `{row.native}`; the model reads its output later"
        key = "async" if is_async else "asyncRewake"
        hook.complain("hook.async", why, key, severity="warning")
    once = "skill" in source.names or strict
    ignored = (
        ("timeout", in_background and not strict, "a hook in the background runs up to an hour"),
        ("once", not once, "outside the front matter of a skill this hook runs every time"),
        (
            "continueOnBlock",
            is_prompt and row.judged is not Stance.HALT,
            f"`{row.native}` ends no turn",
        ),
        ("rewakeMessage", not rewakes, "it needs `asyncRewake`"),
        ("rewakeSummary", not rewakes, "it needs `asyncRewake`"),
    )
    for key, is_ignored, why in ignored:
        if is_ignored and given.get(key):
            message = f"`{key}` has no effect: {why}"
            hook.complain("key.ignored", message, key, severity="warning")
    fields: dict[str, Any] = {
        "conditions": conditions or (),
        "detached": in_background,
        "once": once and given.get("once") is True,
        "identity": _identify(hook, place),
    }
    if conditions is None and row.unmatched:
        fields["on_failure"] = row.unmatched
    return fields


def _identify(hook: Node, place: Place) -> str:
    """Return the handler's text, `if` included; a plugin's or a skill's copy is another hook.

    So is a hook that is not approved, or that hookline only records: it must not take the place of
    one that counts. A matcher that is not about the tool belongs to the text, because the host
    tells equal hooks apart before it looks at it.
    """
    source = place.source
    owner = source.names.get("plugin_root") or source.names.get("skill") or ""
    matcher = "" if place.row.subject == "tool" else place.matcher
    parts = [[owner, source.trusted, source.shadow], matcher, hook.value]
    return json.dumps(parts, sort_keys=True, default=str)


def _read_rule(hook: Node, row: EventRow) -> tuple[Condition, ...]:
    """Return the condition of a hook's `if`.

    Raises:
        ConfigError: `matcher.rule`, a rule that cannot be read.
    """
    text = hook.text("if")
    if not text:
        return ()
    if row.subject != "tool":
        why = f"the host reads `if` on tool events only, so on `{row.native}` this hook never runs"
        hint = "leave it out, and look at the payload in the hook"
        hook.complain("hook.never-runs", why, "if", hint=hint, severity="warning")
        return (Never(reason=why),)
    from hookline.core.rules import parse_rule  # noqa: PLC0415 - few hooks have a rule

    return (parse_rule(text),)


_VARIABLES = {
    "CLAUDE_PROJECT_DIR": ("project_dir", "${event.project}"),
    "CLAUDE_PLUGIN_ROOT": ("plugin_root", ""),
    "CLAUDE_PLUGIN_DATA": ("plugin_data", ""),
}
FORMAT = FileFormat(
    table=TABLE,
    matcher=MatcherFormat(alphabet=NAMES),
    types={
        "command": "command args shell async asyncRewake rewakeMessage rewakeSummary",
        "http": "url headers allowedEnvVars",
        "mcp_tool": "server tool input",
        "prompt": "prompt model continueOnBlock",
        "agent": "prompt model",
    },
    common="type if timeout statusMessage once onFailure",
    needs={
        "mcp_tool": "a connection to the host's MCP servers",
        "agent": "a language model with tools",
    },
    limits={
        "": TimeLimit(),
        "prompt": TimeLimit(default=30.0),
        "agent": TimeLimit(default=60.0),
    },
    shells={"": ("sh",), "bash": ("bash",), "powershell": ("pwsh", "powershell")},
    variables=_VARIABLES,
    substituted=_VARIABLES,
    # A script may ask which agent, or which session, it works for.
    host_env={"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "${event.session_id}"},
    drop_env=("OTEL_*",),
    prompt="hookline.dialects.claude_code.prompt_hook",
    named_by=("command", "url", "tool", "prompt", "type"),
    closes=("onFailure", "block"),
    flags=read_flags,
    fields=_fields,
)
# In a subagent's front matter `Stop` means the subagent's.
_IN_AGENT = FORMAT.replace(rows={**TABLE.rows, "Stop": TABLE.rows["SubagentStop"]})
