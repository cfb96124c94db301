"""Loads Claude Code's settings, and a plugin's `hooks.json`; combines what all of them say.

Facts: docs/formats/claude-code.md 1, 2, 4, 5.
"""

from __future__ import annotations

import json
import re

from hookline.dialects.claude_code.table import NAME, SESSION_END_BUDGET, TABLE
from hookline.dialects.kit.load import FileFormat, Place, TimeLimit, load_file
from hookline.dialects.kit.matcher import MatcherFormat
from hookline.model.spec import MANAGED, Broken, HookSpec, Http, Never
from hookline.model.verdict import Stance
from hookline.text.regex import compile_regex
from hookline.wire.disable_flags import (
    ALL_OFF,
    apply_flags,
    find_all_off,
    make_disable_flag,
    read_switches,
    select_trusted_flags,
)
from hookline.wire.sources import NAMES, read_conditions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.core.dialect import EventRow, Loaded, Source
    from hookline.model.spec import Condition
    from hookline.wire.fields import Node

_MANAGED_ONLY = "allowManagedHooksOnly"
# What settings let HTTP hooks do; the lists of all files add up.
_URLS = "allowedHttpHookUrls"
_VARIABLE_NAMES = "httpHookAllowedEnvVars"
_SESSION_END = "SessionEnd"
_LONGEST_BUDGET = 60.0  # seconds


def load(source: Source, *, allow_local: bool = False) -> Loaded:
    """Return the hooks of a source.

    `allow_local`: HTTP hooks may be on this machine or in a private network.
    """
    form = _IN_AGENT if "agent" in source.names else FORMAT
    return load_file(source, form.replace(allow_local=allow_local))


def _fields(hook: Node, place: Place, facts: dict[str, Any]) -> dict[str, Any]:
    """Return what only Claude Code's hooks have: `if`, `once`, background hooks, their identity."""
    row, source, given = place.row, place.source, hook.value
    conditions: tuple[Condition, ...] | None = ()
    if given.get("if") is not None:
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
        hook.warn("hook.async", why, key)
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
            hook.warn("key.ignored", message, key)
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
        hook.warn("hook.never-runs", why, "if", hint=hint)
        return (Never(reason=why),)
    from hookline.core.rules import parse_rule  # noqa: PLC0415 - few hooks have a rule

    return (parse_rule(text),)


def _read_flags(root: Node, source: Source) -> Iterator[HookSpec]:
    """Yield the settings of a file that say something about other hooks."""
    yield from read_switches(root, source, NAME, (ALL_OFF, _MANAGED_ONLY))
    for key in (_URLS, _VARIABLE_NAMES):
        if root.value.get(key) is not None:
            facts = {"allowed": root.texts(key)}
            yield make_disable_flag(source, NAME, key, root.origin(key), facts)


# Where the full name of a model stands, and what it is otherwise.
_HAIKU = ("$ANTHROPIC_DEFAULT_HAIKU_MODEL", "claude-haiku-5-5")
_PROMPT: Mapping[str, Any] = {
    "names": ("$HOOKLINE_MODEL", *_HAIKU),
    "provider": "anthropic",
    "short": {
        "haiku": _HAIKU,
        "sonnet": ("$ANTHROPIC_DEFAULT_SONNET_MODEL", "claude-sonnet-5-5"),
        "opus": ("$ANTHROPIC_DEFAULT_OPUS_MODEL", "claude-opus-5-5"),
    },
    "judged": True,
    "keys": (
        "`ok` is true if the condition holds; if not, `reason` says what is wrong or still to be "
        "done, and `impossible` is true if the condition can never hold."
    ),
    "properties": {
        "ok": {"type": "boolean", "description": "whether the condition holds"},
        "reason": {"type": "string", "description": "why not, where it does not hold"},
        "impossible": {"type": "boolean", "description": "whether it can never hold"},
    },
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
    variables="""
        CLAUDE_PROJECT_DIR=project_dir!${event.project}
        CLAUDE_PLUGIN_ROOT=plugin_root
        CLAUDE_PLUGIN_DATA=plugin_data
    """,
    substituted="""
        ${CLAUDE_PROJECT_DIR}=project_dir!${event.project}
        ${CLAUDE_PLUGIN_ROOT}=plugin_root
        ${CLAUDE_PLUGIN_DATA}=plugin_data
    """,
    # A script may ask which agent, or which session, it works for.
    host_env={"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "${event.session_id}"},
    drop_env=("OTEL_*",),
    prompt=_PROMPT,
    named_by=("command", "url", "tool", "prompt", "type"),
    closes=("onFailure", "block"),
    flags=_read_flags,
    fields=_fields,
)
# In a subagent's front matter `Stop` means the subagent's.
_IN_AGENT = FORMAT.replace(rows={**TABLE.rows, "Stop": TABLE.rows["SubagentStop"]})


def combine(specs: tuple[HookSpec, ...]) -> Loaded:
    """Return the hooks that the settings of all files leave, within the limits that they set.

    The hooks of `SessionEnd` share a budget (docs/formats/claude-code.md 5): the largest timeout
    that one of them names, unless a plugin's. They run at once, so it limits each of them.
    """
    settings = select_trusted_flags(specs)
    of_policy = [flag for flag in settings if flag.origin.scope == MANAGED]
    flags = find_all_off(specs)
    only = [flag for flag in of_policy if flag.native_event == _MANAGED_ONLY]
    if only and only[-1].facts["on"]:
        flags.append(only[-1])
    loaded = apply_flags(specs, flags, _reaches)
    named = [SESSION_END_BUDGET]
    hooks = []
    for spec in loaded.specs:
        if spec.native_event == _SESSION_END and "plugin" not in spec.facts:
            named.append(spec.facts.get("timeout", 0.0))
        # Only policy's own lists reach a hook of policy.
        lists = of_policy if spec.origin.scope == MANAGED else settings
        hooks.append(_limit_call(spec, lists) if type(spec.handler) is Http else spec)
    budget = min(_LONGEST_BUDGET, max(named))
    for at, spec in enumerate(hooks):
        if spec.native_event == _SESSION_END:
            timeout = min(spec.facts.get("timeout", budget), budget)
            hooks[at] = spec.replace(timeout=timeout)
    return loaded.replace(specs=tuple(hooks))


def _reaches(flag: HookSpec, spec: HookSpec) -> bool:
    """Return whether a flag disables a hook; of policy's only its own `disableAllHooks` does."""
    by_policy = flag.origin.scope == MANAGED and flag.native_event == ALL_OFF
    return by_policy or spec.origin.scope != MANAGED


def _limit_call(spec: HookSpec, settings: list[HookSpec]) -> HookSpec:
    """Return an HTTP hook with the variables that it may know; broken if no list has its address.

    What the files list adds up. Where no file has a list, everything is allowed.
    """
    call: Any = spec.handler
    urls, variables = (
        [flag.facts["allowed"] for flag in settings if flag.native_event == key]
        for key in (_URLS, _VARIABLE_NAMES)
    )
    if urls and not any(covers_url(pattern, call.url) for listed in urls for pattern in listed):
        why, place = f"`{_URLS}` does not list its address (add it there)", spec.origin.place
        reason = f"{place}: {why}" if place else why
        return spec.replace(handler=Broken(reason=reason, url=call.url))
    if variables:
        env = [name for name in call.env if any(name in listed for listed in variables)]
        return spec.replace(handler=call.replace(env=tuple(env)))
    return spec


def covers_url(pattern: str, url: str) -> bool:
    """Return whether a pattern, in which `*` matches any text, is the address."""
    parts = map(re.escape, pattern.split("*"))
    return compile_regex(f"(?s)^{'.*'.join(parts)}$").has_match_in(url)
