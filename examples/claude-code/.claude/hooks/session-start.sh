#!/usr/bin/env bash
# SessionStart: sets a variable for later shell calls and tells the model the rules of the house.
set -u

how=$(jq -r '.source // "startup"') || how=startup

if [ -n "${CLAUDE_ENV_FILE:-}" ]; then
  echo 'export SHOP_ENV=development' >>"$CLAUDE_ENV_FILE"
fi

jq -n --arg how "$how" '{hookSpecificOutput: {
  hookEventName: "SessionStart",
  additionalContext: ("Session opened by " + $how + ". Tests run with `make test`. Never edit files under generated/.")
}}'
