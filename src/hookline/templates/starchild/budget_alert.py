#!/usr/bin/env python3
"""Tells the user when a turn costs more than a limit.

Copy it to an absolute path, make it executable, and name it in `config/shell_hooks.yaml` once for
each event: `on_response_end`.
`budget_alert.py --self-test` tries it.
"""

import sys

try:
    from hookline.engine.guard_scripts import run
except ImportError:
    sys.exit("budget_alert.py: this Python has no hookline; name one that has in the first line")

GUARDS = [
    {"use": "budget_alert", "with": {"limit_usd": 1}},
]
TESTS = [
    (
        "an expensive turn",
        {
            "event": "on_response_end",
            "session_id": "t",
            "response": "ok",
            "model": "m",
            "tokens": {"input": 1, "output": 1},
            "turn_cost_usd": 2.5,
        },
        "2.5",
    ),
    (
        "a cheap turn",
        {
            "event": "on_response_end",
            "session_id": "t",
            "response": "ok",
            "model": "m",
            "tokens": {"input": 1, "output": 1},
            "turn_cost_usd": 0.1,
        },
        "",
    ),
]

if __name__ == "__main__":
    run(GUARDS, tests=TESTS)
