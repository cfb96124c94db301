# The scene of the moving picture: what is prepared in an empty home, and what is typed there.
mkdir -p .claude .gemini .config/agents/hooks/no-delete/scripts
cat > .config/agents/hooks/no-delete/HOOK.md <<'EOF'
---
name: no-delete
description: refuses to remove whole folders
trigger: pre-tool-call
matcher:
  pattern: \brm\s+-rf\b
---
EOF
cat > .config/agents/hooks/no-delete/scripts/run.sh <<'EOF'
echo "remove single files, or ask me" >&2
exit 2
EOF
cat > claude.json <<'EOF'
{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "rm -rf ~"}}
EOF
cat > gemini.json <<'EOF'
{"hook_event_name": "BeforeTool", "session_id": "s", "tool_name": "run_shell_command", "tool_input": {"command": "rm -rf ~"}}
EOF

# What is typed:
cat .config/agents/hooks/no-delete/{HOOK.md,scripts/run.sh}

hookline install claude-code gemini --yes 2> changes.diff

# Claude Code wants to run `rm -rf ~`, and asks hookline:
hookline answer claude-code < claude.json

# Gemini CLI wants to run it too:
hookline answer gemini < gemini.json
