"""`hookline fire EVENT`: fire one event at the hooks, and print the decision."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from hookline.cli.options import parser, selection
from hookline.errors import CodecError, HookError
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any

    from hookline.model.verdict import Decision

_EXAMPLES = """examples:
  hookline fire pre_tool_use --config hooks.yaml < payload.json
  hookline fire PreToolUse --config .claude/settings.json --input payload.json --json

exit codes: 0 silent, allow or ask; 1 deny or halt; 2 usage or configuration error
"""


def fire_main(words: list[str]) -> int:
    """Fire an event; returns the exit code."""
    arguments = parser("hookline fire", "Fire one event and print the decision.", _EXAMPLES)
    arguments.add_argument("event", metavar="EVENT", help="the event's native name, or a canonical one such as tool.before")
    arguments.add_argument("--input", default="-", metavar="FILE", help="the payload; - is standard input (default)")
    arguments.add_argument("--json", action="store_true", help="print the decision document")
    arguments.add_argument("--exit-zero", action="store_true", help="exit 0 also for a denial")
    given = arguments.parse_args(words)
    try:
        decision = _decide(given)
    except HookError as error:
        sys.stderr.write(f"hookline fire: {error}\n")
        return 2
    sys.stdout.write(json.dumps(decision.to_dict(), ensure_ascii=False) + "\n" if given.json else "\n".join(shown(decision)) + "\n")
    return 1 if decision.stance >= Stance.DENY and not given.exit_zero else 0


def _decide(given: argparse.Namespace) -> Decision:
    payload = read_payload(given.input)
    with selection(given).engine() as engine:
        for problem in engine.problems:
            sys.stderr.write(f"{problem}\n")
        return engine.fire(given.event, payload, dialect=given.dialect or None)


def read_payload(path: str) -> dict[str, Any]:
    """The payload in a file, or on standard input (`-`); nothing at all is an empty one.

    Raises:
        CodecError: it is no JSON object.
    """
    if path == "-" and sys.stdin.isatty():
        return {}
    try:
        sent = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise CodecError(f"the payload `{path}` cannot be read: {(error.strerror or '').lower()}") from None
    try:
        payload = json.loads(sent) if sent.strip() else {}
    except (ValueError, RecursionError) as error:
        raise CodecError(f"the payload is no JSON: {error}") from None
    if not isinstance(payload, dict):
        raise CodecError("the payload must be a JSON object")
    return payload


def shown(decision: Decision) -> Iterator[str]:
    """A decision for people."""
    yield f"{decision.stance.name.lower()}  {decision.native_event} ({decision.kind}, {decision.dialect}) in {_time(decision.seconds)}"
    if decision.reason:
        yield f"  reason: {_indented(decision.reason)}"
    if decision.redo:
        yield "  the agent goes on working"
    if decision.rewrite is not None:
        yield f"  {decision.rewrite.target}: {json.dumps(decision.rewrite.value, ensure_ascii=False)}"
    for text in decision.for_agent:
        yield f"  for the agent: {_indented(text)}"
    for text in decision.for_user:
        yield f"  for the user: {_indented(text)}"
    for entry in decision.lowered:
        yield f"  lowered: {entry.effect}: {entry.reason}"
    for verdict in decision.verdicts:
        fault = f"  {verdict.fault}" if verdict.fault else ""
        shadow = " (shadow)" if verdict.shadow else ""
        yield f"  {verdict.stance.name.lower():6} {verdict.hook_id}{shadow}  {_time(verdict.seconds)}{fault}"
    if not decision.verdicts:
        yield "  no hook took part"


def _time(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ")
