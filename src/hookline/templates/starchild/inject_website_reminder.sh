#!/bin/sh
# Reminds the model, before each request, to publish a website before it says that it did.
# Event: pre_llm_call. `inject_website_reminder.sh --self-test` tries it.
reminder='A website counts as published only after the publish tool has said so. Publish it, and \
check its address, before you say that it is live.'
text=$(printf '%s' "$reminder" | sed 's/\\$//' | tr -d '\n')
answer=$(printf '{"context": "%s"}' "$text")
if [ "${1:-}" = --self-test ]; then
  case $answer in
    '{"context": "A website'*'live."}') echo "ok  the reminder" ;;
    *) echo "FAILED  $answer"; exit 1 ;;
  esac
  exit 0
fi
cat > /dev/null
printf '%s\n' "$answer"
