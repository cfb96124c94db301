#!/usr/bin/env bash
# PreToolUse, ^mcp__.*: a tool that only reads passes, every other one is put to the user.
set -u

tool=$(jq -r '.tool_name | strings')
if [ -z "$tool" ]; then
  echo "ask-before-mcp-write: cannot read the tool name" >&2
  exit 2
fi

case ${tool##*__} in
  get_* | list_* | read_* | search_*) exit 0 ;;
esac

jq -n --arg tool "$tool" '{hookSpecificOutput: {
  hookEventName: "PreToolUse",
  permissionDecision: "ask",
  permissionDecisionReason: ($tool + " may change something outside this project.")
}}'
