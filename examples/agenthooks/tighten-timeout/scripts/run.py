#!/usr/bin/env python3
"""pre-tool-call: lowers the time limit of a shell command."""

import json
import sys

LIMIT = 60

tool_input = json.load(sys.stdin)["tool_input"]
timeout = tool_input.get("timeout")

if timeout is None or timeout > LIMIT:
    answer = {
        "decision": "allow",
        "modified_input": {"timeout": LIMIT},
        "log": f"timeout: {timeout} -> {LIMIT}",
    }
    print(json.dumps(answer))
