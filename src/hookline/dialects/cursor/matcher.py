"""Matchers: which events an entry takes part in, by the tool, the command line, the sub-agent, or a fixed word."""

from __future__ import annotations

from hookline.dialects.cursor.table import MCP, TABLE
from hookline.errors import ConfigError
from hookline.model.conditions import Never, Pattern
from hookline.text.re2_regex import MatchTimeoutError
from hookline.text.regex import compile_regex
from hookline.wire.matchers import EVERYTHING, is_ignored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import EventRow
    from hookline.model.conditions import Condition
    from hookline.wire.fields import Node


def matcher(hook: Node, row: EventRow) -> tuple[Condition, ...]:
    """The condition that an entry's matcher is: an expression, found anywhere in the subject.

    Raises:
        ConfigError: `matcher.regex`, an expression that cannot be compiled.
    """
    text = hook.text("matcher")
    if text in EVERYTHING or (not row.constant and is_ignored(hook, row, runs="this hook runs")):
        return ()
    if row.native == "preToolUse" and "Read" in text:
        hint = "guard `beforeReadFile` as well"
        message = "a read may raise no `preToolUse`, so this matcher may miss it"
        hook.complain("matcher.may-miss", message, "matcher", hint=hint, severity="warning")
    if not row.constant:
        regex = compile_regex(_spelled(text, row), TABLE.regex_flavour)
        return (Pattern(field=row.subject, source=text, regex=regex),)
    if _is_found(text, row.constant):
        return ()
    reason = f"on `{row.native}` a matcher is compared with `{row.constant}` only, so this hook never runs"
    hook.complain("hook.never-runs", reason, "matcher", hint="leave it out", severity="warning")
    return (Never(reason=reason),)


def _is_found(text: str, constant: str) -> bool:
    try:
        return compile_regex(text, TABLE.regex_flavour).has_match_in(constant)
    except MatchTimeoutError:
        raise ConfigError(
            f"invalid expression `{text}`: to match `{constant}` takes too long",
            name="matcher.regex",
            hint="write it without nested repetitions",
        ) from None


def _spelled(text: str, row: EventRow) -> str:
    """The MCP events name a tool without the prefix that the tool events give it; a matcher may have it on both."""
    return text.replace(MCP, f"(?:{MCP})?") if row.kind.startswith("mcp.") else text
