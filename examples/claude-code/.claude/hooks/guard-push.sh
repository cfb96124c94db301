#!/usr/bin/env bash
# PreToolUse, Bash(git push *): denies a force push with a JSON answer.
# --force-with-lease passes. A payload that cannot be read is denied too.
set -u

command=$(jq -r '.tool_input.command | strings')
if [ -z "$command" ]; then
  echo "guard-push: cannot read the command" >&2
  exit 2
fi
command=${command//\\$'\n'/ } # joins continued lines

# --force, a group of short options with an f in it, or a +refspec.
forced='--force|-[a-zA-Z]*f[a-zA-Z]*|\+[^[:space:]]+'

if grep -qE "git[^;&|]*[[:space:]]push([[:space:]][^;&|]*)?[[:space:]][\"']?($forced)([[:space:];&|\"')]|\$)" <<<"$command"; then
  jq -n '{hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
    permissionDecisionReason: "Force pushes are not allowed here. Use --force-with-lease on your own branch."
  }}'
fi
