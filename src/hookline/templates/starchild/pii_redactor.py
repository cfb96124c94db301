#!/usr/bin/env python3
"""Masks e-mail addresses and phone numbers in results and replies.

Copy it to an absolute path, make it executable, and name it in `config/shell_hooks.yaml` once for
each event: `transform_tool_result`, `on_response_end`.
`pii_redactor.py --self-test` tries it.
"""

import sys

try:
    from hookline.engine.guard_scripts import run
except ImportError:
    sys.exit("pii_redactor.py: this Python has no hookline; name one that has in the first line")

GUARDS = [
    {"use": "pii", "with": {"kinds": ["email", "phone"]}},
]
TESTS = [
    (
        "an address",
        {"event": "on_response_end", "response": "Write to ada@firma.de"},
        "[redacted: an e-mail address]",
    ),
    (
        "a phone number",
        {"event": "on_response_end", "response": "Call +49 30 1234567"},
        "[redacted: a phone number]",
    ),
    ("an ordinary reply", {"event": "on_response_end", "response": "All done."}, ""),
]

if __name__ == "__main__":
    run(GUARDS, tests=TESTS)
