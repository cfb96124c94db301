#!/usr/bin/env bash
# before_stop: denies once while the work dir holds a file .tests-failed.
set -u

event=$(cat)
work_dir=$(jq -r '.work_dir // "."' <<<"$event") || exit 1
active=$(jq -r '.stop_hook_active // false' <<<"$event") || exit 1

if [ "$active" != true ] && [ -e "$work_dir/.tests-failed" ]; then
  jq -n '{decision: "deny", reason: "The last test run failed. Make the tests pass before you stop."}'
fi
