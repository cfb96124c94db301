# The scene of the moving picture: what is prepared in an empty home, and what is typed there.
cat > hooks.yaml <<'EOF'
hooks:
  pre_tool_use:
    - matcher: shell
      hooks:
        - {type: command, command: ./guard.sh}
EOF
cat > guard.sh <<'EOF'
#!/bin/sh
if grep -q 'rm -rf'; then
  echo "nothing is removed here" >&2
  exit 2
fi
EOF
chmod +x guard.sh
cat > claude.json <<'EOF'
{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "rm -rf ~"}}
EOF
cat > gemini.json <<'EOF'
{"hook_event_name": "BeforeTool", "session_id": "s", "tool_name": "run_shell_command", "tool_input": {"command": "rm -rf ~"}}
EOF

# What is typed:
cat hooks.yaml

cat guard.sh

hookline validate hooks.yaml

hookline answer claude-code -c hooks.yaml --match-tools canonical < claude.json

hookline answer gemini -c hooks.yaml --match-tools canonical < gemini.json
