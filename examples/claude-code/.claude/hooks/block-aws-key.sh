#!/usr/bin/env bash
# UserPromptSubmit: blocks a prompt that holds something like an AWS access key. The key is not repeated.
set -u

prompt=$(jq -r '"prompt: " + .prompt')
if [ -z "$prompt" ]; then
  echo "block-aws-key: cannot read the prompt" >&2
  exit 2
fi

if grep -qE 'AKIA[0-9A-Z]{16}' <<<"$prompt"; then
  jq -n '{
    decision: "block",
    reason: "The prompt seems to hold an AWS access key. Remove it and send the prompt again."
  }'
fi
