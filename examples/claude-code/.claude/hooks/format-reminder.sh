#!/usr/bin/env bash
# PostToolUse, Edit|Write|MultiEdit: reminds the model of the formatter.
set -u

file=$(jq -r '.tool_input.file_path // empty') || exit 0

case $file in
  *.py) formatter="ruff format" ;;
  *.js | *.ts | *.css) formatter="prettier --write" ;;
  *) exit 0 ;;
esac

jq -n --arg file "$file" --arg formatter "$formatter" '{hookSpecificOutput: {
  hookEventName: "PostToolUse",
  additionalContext: ($file + " has changed. Run `" + $formatter + "` on it before you finish.")
}}'
