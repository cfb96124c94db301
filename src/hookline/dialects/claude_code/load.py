"""Loads Claude Code's settings, and the same tree in a plugin's `hooks.json` (docs/formats/claude-code.md 1, 2, 4)."""

from __future__ import annotations

import json

from hookline.dialects.claude_code.combine import read_flags
from hookline.dialects.claude_code.table import TABLE
from hookline.dialects.kit.handlers import HookFormat, TimeLimit
from hookline.dialects.kit.load import FileFormat, Place, load_file
from hookline.dialects.kit.matcher import MatcherFormat
from hookline.model.conditions import Never
from hookline.model.verdict import Stance
from hookline.wire.matchers import NAMES, read_conditions
from hookline.wire.sources import resolve_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.core.dialect import EventRow, Loaded, Source
    from hookline.model.conditions import Condition
    from hookline.wire.fields import Node


def load(source: Source, *, allow_local: bool = False) -> Loaded:
    """Return the hooks of a source. `allow_local`: HTTP hooks may be on this machine or in a private network."""
    form = _IN_AGENT if "agent" in source.names else FORMAT
    return load_file(source, form, allow_local=allow_local)


def _fields(hook: Node, place: Place) -> dict[str, object]:
    """Return what only Claude Code's hooks have: `if`, `once`, background hooks, and what makes two hooks the same."""
    row, source = place.row, place.source
    own = read_conditions(hook, row, _rule, "if")
    facts: dict[str, object] = {"async": True} if hook.flag("async") else {}
    texts = {"message": hook.text("rewakeMessage"), "summary": hook.text("rewakeSummary")}
    if hook.flag("asyncRewake"):
        facts["rewake"] = texts
    fields: dict[str, object] = {
        "conditions": own or (),
        "detached": bool(facts),
        "once": hook.flag("once") and ("skill" in source.names or source.mode == "strict"),
        "identity": _identify(hook, place),
        "facts": facts,
    }
    if own is None or not place.matched:
        # Since 2.1.288 two events refuse where their matchers cannot be applied.
        fields["on_failure"] = max(row.unmatched, resolve_failure(row, source.mode))
    _warn(hook, place, facts)
    if isinstance(given := hook.value.get("timeout"), int | float) and given > 0:
        facts["timeout"] = float(given)
    if plugin := source.names.get("plugin_root"):
        facts["plugin"] = plugin
    if hook.value.get("type") == "prompt" and hook.flag("continueOnBlock"):
        facts["continue_on_block"] = True
    return fields


def _warn(hook: Node, place: Place, facts: Mapping[str, object]) -> None:
    """Report keys that have no effect. `facts`: what the hook says about running in the background."""
    row, fidelity = place.row, place.source.mode != "strict"
    once, feeds_back = hook.value.get("once"), hook.value.get("continueOnBlock")
    if facts and row.can_block:
        why = f"a hook in the background blocks no `{row.native}`; the model reads its output on the next turn"
        key = "async" if "async" in facts else "asyncRewake"
        hook.complain("hook.async", why, key, severity="warning")
    ignored: dict[str, str] = {}
    if facts and fidelity and hook.value.get("timeout") is not None:
        ignored["timeout"] = "a hook in the background runs up to an hour, except in strict mode"
    if once is True and fidelity and "skill" not in place.source.names:
        ignored["once"] = "outside the front matter of a skill this hook runs every time"
    if feeds_back is True and hook.value.get("type") == "prompt" and row.judged is not Stance.HALT:
        ignored["continueOnBlock"] = f"`{row.native}` ends no turn"
    if "rewake" not in facts:
        texts = [key for key in ("rewakeMessage", "rewakeSummary") if hook.value.get(key)]
        ignored |= dict.fromkeys(texts, "it needs `asyncRewake`")
    for key, why in ignored.items():
        hook.complain("key.ignored", f"`{key}` has no effect: {why}", key, severity="warning")


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


def _rule(hook: Node, row: EventRow) -> tuple[Condition, ...]:
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


FORMAT = FileFormat(
    table=TABLE,
    matcher=MatcherFormat(flavour=TABLE.regex_flavour, alphabet=NAMES),
    hook=HookFormat(
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
        variables={
            "CLAUDE_PROJECT_DIR": ("project_dir", "${event.project}"),
            "CLAUDE_PLUGIN_ROOT": ("plugin_root", ""),
            "CLAUDE_PLUGIN_DATA": ("plugin_data", ""),
        },
        substituted=True,
        # A script may ask which agent, or which session, it works for.
        host_env={"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "${event.session_id}"},
        drop_env=("OTEL_*",),
        prompt="hookline.dialects.claude_code.prompt_hook",
    ),
    named_by=("command", "url", "tool", "prompt", "type"),
    closes=("onFailure", "block"),
    kept={"statusMessage": "status"},
    flags=read_flags,
    fields=_fields,
)
# In a subagent's front matter `Stop` means the subagent's.
_IN_AGENT = FORMAT.replace(rows={**TABLE.rows, "Stop": TABLE.rows["SubagentStop"]})
