#!/usr/bin/env bash
# Notification: asks the terminal for a desktop notice (OSC 9). Control characters are taken out of the text.
set -u

jq '{terminalSequence: ("\u001b]9;" + ((.title // "Claude Code") + ": " + (.message // "") | gsub("[[:cntrl:]]"; " ")) + "\u0007")}'
