#!/usr/bin/env python3
"""Sends the agent back that says it published, posted or scheduled what nothing shows.

Copy it to an absolute path, make it executable, and name it in `config/shell_hooks.yaml` once for
each event: `on_stop`, `on_completion_claim`, `on_response_end`,
`pre_tool_call`, `post_tool_call`.
`verify_publish_claims.py --self-test` tries it.

The ledgers are named by `PREVIEWS_REGISTRY`, `AGENTX_LEDGER_FILE` (or `AGENTX_LEDGER`) and
`SCHEDULED_JOBS`; a missing ledger warns and never blocks. The two events of tools let it see
what the agent did.
"""

import sys

try:
    from hookline.engine.guard_scripts import run
except ImportError:
    sys.exit(
        "verify_publish_claims.py: this Python has no hookline; name one that has in the first line"
    )

GUARDS = [
    {"use": "claims"},
]
TESTS = [
    (
        "a claim without a publication",
        {
            "event": "on_stop",
            "session_id": "t1",
            "response": "Published! https://community.iamstarchild.com/my-site",
            "tool_names": [],
        },
        "block",
    ),
    (
        "an offer",
        {
            "event": "on_stop",
            "session_id": "t2",
            "response": "I can publish it if you want.",
            "tool_names": [],
        },
        "",
    ),
    (
        "a claim in a goal",
        {
            "event": "on_completion_claim",
            "session_id": "t3",
            "goal": "publish",
            "summary": "done",
            "response": "Published! https://community.iamstarchild.com/my-site",
            "tool_names": [],
        },
        "block",
    ),
    (
        "an ordinary reply",
        {"event": "on_stop", "session_id": "t4", "response": "Here is the plan.", "tool_names": []},
        "",
    ),
]

if __name__ == "__main__":
    run(GUARDS, tests=TESTS)
