"""One entry of `hooks`: when it takes part, how long it may take, and what its failure means."""

from __future__ import annotations

import re

from hookline.dialects.starchild.table import DEFAULT_TIMEOUT, LONGEST_TIMEOUT
from hookline.errors import ConfigError
from hookline.model.conditions import Flattened, Pattern
from hookline.model.event import ToolCall
from hookline.model.frozen import Frozen
from hookline.model.handler import Http
from hookline.model.verdict import Stance
from hookline.text.regex import compile_regex
from hookline.text.urls import describe_url, explain_refused_url
from hookline.wire.fields import Node, describe_value
from hookline.wire.sources import strict_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.core.dialect import EventRow
    from hookline.model.conditions import Condition
    from hookline.text.re2_regex import Regex

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LOCAL_HINT = "STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL=1 opens this machine and private networks"
_ON_ERROR = ("open", "closed", "ask")
_SWORN = ("timeout", "role", "on_error", "files", "allow_result_rewrite")


class Entry(Frozen):
    """An entry, the row of its event, and whether its file is read strictly."""

    node: Node
    row: EventRow
    strict: bool

    @property
    def is_guard(self) -> bool:
        """Whether it must not vanish; a role that cannot be read was meant to say so."""
        return self.node.value.get("role") is not None


def conditions(entry: Entry) -> tuple[Condition, ...]:
    """What must hold of an event: `tool` and `matcher`, both where both are given (docs/formats/starchild.md 4)."""
    return tuple(_conditions(entry))


def _conditions(entry: Entry) -> Iterator[Condition]:
    tool = _expression(entry, "tool")
    if tool is not None and entry.row.body is not ToolCall:
        message = f"`{entry.row.native}` has no tool, so nothing could match"
        entry.node.complain(
            "key.misplaced", message, "tool", hint="look into its text with `matcher`"
        )
    elif tool is not None:
        yield Pattern(field="tool", source=tool.source, regex=tool, full=True)
    matcher = _expression(entry, "matcher")
    if matcher is not None:
        yield Flattened(facts=entry.row.searched, source=matcher.source, regex=matcher)


def _expression(entry: Entry, key: str) -> Regex | None:
    """A compiled expression; none for an empty text, which always fires."""
    text = entry.node.text(key)
    if not text:
        return None
    if "\b" in text:
        hint = "in double quotes `\\b` is that control character; write the text in single quotes"
        entry.node.complain(
            "matcher.control", f"`{key}` has a backspace in it", key, hint=hint, severity="warning"
        )
    try:
        return compile_regex(text)
    except ConfigError as error:
        named = f"`{key}` of entry {entry.node.path[-1]} (`{entry.row.native}`)"
        entry.node.complain(error.name, f"{named}: {error.message}", key, hint=error.hint)
        return None


def timeout(node: Node, *, strict: bool = False) -> float:
    """Seconds. What is no time becomes the default, and what is too long the limit, with a warning; in strict mode an error."""
    given = node.value.get("timeout")
    if given is None:
        return float(DEFAULT_TIMEOUT)
    if isinstance(given, bool) or not isinstance(given, int):
        _corrected(
            node,
            "value.type",
            f"`timeout` must be whole seconds, not {describe_value(given)}",
            DEFAULT_TIMEOUT,
            strict=strict,
        )
        return float(DEFAULT_TIMEOUT)
    if given <= 0:
        _corrected(
            node,
            "value.range",
            f"`timeout: {given}` is no time to wait",
            DEFAULT_TIMEOUT,
            strict=strict,
        )
        return float(DEFAULT_TIMEOUT)
    if given > LONGEST_TIMEOUT:
        _corrected(
            node,
            "value.range",
            f"`timeout: {given!s:.20}` is too long",
            LONGEST_TIMEOUT,
            strict=strict,
        )
        return float(LONGEST_TIMEOUT)
    return float(given)


def _corrected(node: Node, name: str, message: str, seconds: int, *, strict: bool) -> None:
    node.complain(
        name,
        f"{message}; it counts as {seconds}",
        "timeout",
        hint="whole seconds, from 1 to 120",
        severity="error" if strict else "warning",
    )


def failure(entry: Entry) -> Stance:
    """What a failure of the hook means: its `on_error`, else closed for a guard, else open (docs/formats/starchild.md 7)."""
    node, row = entry.node, entry.row
    if node.value.get("role") is not None:
        node.choice("role", ("guard",), "guard")
    said = (
        node.choice("on_error", _ON_ERROR, "open") if node.value.get("on_error") is not None else ""
    )
    if said in ("closed", "ask") and not row.can_block:
        placed(entry, "on_error", fits=False)
    if not row.can_block or said == "open":
        return Stance.SILENT
    if said == "ask":
        return Stance.ASK if row.asks else row.blocks
    if said == "closed" or entry.is_guard:
        return row.blocks
    return strict_failure(row) if entry.strict else Stance.SILENT


def sworn(node: Node) -> dict[str, object]:
    """What of an entry is approved with it although other dialects leave it out (docs/formats/starchild.md 6): as it stands in the file."""
    return {key: node.value[key] for key in _SWORN if node.value.get(key) is not None}


def placed(entry: Entry, key: str, *, fits: bool) -> None:
    """Warn of a key that has no effect on this entry."""
    if not fits:
        message = f"`{key}` has no effect on this entry of `{entry.row.native}`"
        entry.node.complain("key.ignored", message, key, severity="warning")


def http(entry: Entry, *, allow_local: bool) -> Http:
    """An HTTP entry, its address checked as far as its text goes; what it resolves to is checked at each call."""
    node = entry.node
    url = node.text("url", required=True)
    if url or isinstance(node.value.get("url"), str):
        why = explain_refused_url(url, allow_local=allow_local)
        if why:
            hint = _LOCAL_HINT if not explain_refused_url(url, allow_local=True) else ""
            node.complain(
                "handler.url", f"{describe_url(url)} cannot be called: {why}", "url", hint=hint
            )
    for key in ("command", "env"):
        if node.value.get(key) is not None:
            placed(entry, key, fits=False)
    secret = node.text("secret_env")
    if node.value.get("secret_env") is not None and not VARIABLE.fullmatch(secret):
        hint = "the name of a variable that holds the key, never the key itself"
        node.complain(
            "value.type", "`secret_env` is no name of a variable", "secret_env", hint=hint
        )
    return Http(url=url, secret=secret, allow_local=allow_local)
