#!/usr/bin/env python3
"""Writes one JSON line for each call of a tool, without secrets; it decides nothing.

Copy it to an absolute path, make it executable, and name it in `config/shell_hooks.yaml` once for
each event: `post_tool_call`.
`tool_audit_log.py --self-test` tries it.

The file is `logs/tool-calls.jsonl` in hookline's state folder; `with: {file: ...}` names another.
"""

import sys

try:
    from hookline.engine.guard_scripts import run
except ImportError:
    sys.exit("tool_audit_log.py: this Python has no hookline; name one that has in the first line")

GUARDS = [
    {"use": "tool_audit_log"},
]
TESTS = [
    (
        "a call",
        {"event": "post_tool_call", "session_id": "t", "tool_name": "bash", "tool_result": "ok"},
        "",
    ),
]

if __name__ == "__main__":
    run(GUARDS, tests=TESTS)
