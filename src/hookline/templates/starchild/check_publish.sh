#!/bin/sh
# Checks what the agent says it published. `verify_publish_claims.py` does this; use one of them.
exec python3 "$(dirname "$0")/verify_publish_claims.py" "$@"
