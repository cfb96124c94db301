#!/usr/bin/env bash
# Stop: sends the model back once. stop_hook_active says that it has been sent back already.
set -u

active=$(jq -r '.stop_hook_active // false')
[ "$active" = false ] || exit 0 # true, or a payload that cannot be read

jq -n '{
  decision: "block",
  reason: "Before you stop, run `make test` and say in one sentence what it printed."
}'
