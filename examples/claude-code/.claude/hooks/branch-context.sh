#!/usr/bin/env bash
# UserPromptSubmit: plain text on stdout becomes context for the model.
set -u

branch=$(git -C "${CLAUDE_PROJECT_DIR:-.}" branch --show-current 2>/dev/null)
echo "Current git branch: ${branch:-unknown}"
