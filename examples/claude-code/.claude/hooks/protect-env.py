#!/usr/bin/env python3
"""PreToolUse: no tool reads a .env file. Exit 2 blocks, stderr is the reason.

A path or a shell word counts by its last part. A shell can still build the name from pieces.
"""

import json
import re
import sys

ALLOWED = {".env.example", ".env.sample", ".env.template"}
SECRET = re.compile(r"\.env([.*?\[{].*)?", re.IGNORECASE)
WORD_ENDS = re.compile(r"[\s'\"`=<>|;&(),:@]+")


def secret_files(tool_input):
    paths = [tool_input.get(key) or "" for key in ("file_path", "path", "glob")]
    for word in paths + WORD_ENDS.split(tool_input.get("command") or ""):
        name = re.split(r"[/\\]", word)[-1]
        if SECRET.fullmatch(name) and name.lower() not in ALLOWED:
            yield word


def main():
    try:
        found = list(secret_files(json.load(sys.stdin)["tool_input"]))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        print(f"protect-env: cannot read the payload: {error!r}", file=sys.stderr)
        return 2
    if found:
        print(
            f"{found[0]} holds secrets and must not be read. Look at .env.example instead.",
            file=sys.stderr,
        )
        return 2
    return 0


sys.exit(main())
