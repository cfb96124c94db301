"""Samples of the published specification: front matter, scripts, payloads."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

SECURITY_CHECK = """---
name: security-check
trigger: before_tool
async: false # default, optional
---
"""
AUTO_FORMAT = """---
name: auto-format
trigger: after_tool
async: true
---
"""
WITH_MATCHER = """---
name: block-dangerous-commands
trigger: before_tool
matcher:
  tool: "Shell" # Tool name regex
  pattern: "rm -rf /|mkfs|>:/dev/sda" # Parameter content regex
---
"""
ENFORCE_TESTS = """---
name: enforce-tests
description: Ensure all tests pass before completing
trigger: before_stop
timeout: 60000
async: false
priority: 999
---
"""
PATTERN_1 = """---
name: block-dangerous-commands
description: Blocks dangerous system commands
trigger: before_tool
matcher:
  tool: Shell
  pattern: "rm -rf /|mkfs|dd if=/dev/zero"
timeout: 5000
async: false
priority: 999
---
"""
PATTERN_2 = """---
name: auto-format-python
description: Auto-format Python files after write
trigger: after_tool
matcher:
  tool: WriteFile
  pattern: "\\.py$"
timeout: 30000
async: true
---
"""
PATTERN_3 = """---
name: block-prod-deploy
description: Block production deployment operations
trigger: before_tool
matcher:
  tool: Shell
  pattern: "deploy.*prod|kubectl.*production"
timeout: 60000
async: false
---
"""
PATTERN_4 = """---
name: audit-log
description: Log all session activities
trigger: session_end
async: true
---
"""
PATTERN_5 = """---
name: enforce-test-coverage
description: Ensure tests pass before allowing completion
trigger: before_stop
timeout: 120000
async: false
priority: 999
---
"""
COMPLETE = """---
name: block-dangerous-commands
description: Blocks dangerous shell commands that could destroy data
trigger: before_tool
matcher:
  tool: Shell
  pattern: "rm -rf /|mkfs|dd if=/dev/zero|>:/dev/sda"
timeout: 5000
async: false
priority: 999
---

# Block Dangerous Commands

This hook prevents execution of dangerous system commands.

## Blocked Patterns

- `rm -rf /` - Recursive deletion of root
- `mkfs` - Filesystem formatting
- `dd if=/dev/zero` - Zeroing drives
- `>:/dev/sda` - Direct write to disk

## Exit Codes

- `0` - Command is safe, operation continues
- `2` - Command matches dangerous pattern, operation blocked

## Output

When blocking (exit code 2), outputs reason to stderr:

```
Dangerous command blocked: rm -rf / would destroy the system
```
"""

SAYS_ALLOW = """# Return decision via stdout JSON
echo '{"decision": "allow", "log": "Command validated"}'
exit 0
"""
SAYS_DENY = """echo "Dangerous command blocked: rm -rf / would destroy the system" >&2
exit 2
"""
LOGIC_1 = """# Check command content
echo "Dangerous command blocked: rm -rf / would destroy the system" >&2
exit 2
"""
LOGIC_3 = """echo "This operation affects production environment and is not allowed" >&2
exit 2
"""
LOGIC_5 = """#!/bin/bash
# enforce-quality.sh

# Read event data from stdin
event_data=$(cat)

# Check if tests pass
if ! npm test 2>&1; then
    echo "Tests must pass before completing" >&2
    exit 2
fi

# Check code formatting
if ! black --check . 2>&1; then
    echo "Code is not formatted. Run 'black .' first" >&2
    exit 2
fi

# All checks passed
exit 0
"""
RUN_SH = """#!/bin/bash
# Block dangerous commands hook

# Read event data from stdin
event_data=$(cat)

# Extract command from event
tool_input=$(echo "$event_data" | grep -o '"command": "[^"]*"' | head -1 | cut -d'"' -f4)

# Dangerous patterns
dangerous_patterns=("rm -rf /" "mkfs" "dd if=/dev/zero")

for pattern in "${dangerous_patterns[@]}"; do
    if echo "$tool_input" | grep -qE "\\b${pattern}\\b"; then
        echo "Dangerous command blocked: ${pattern} would destroy the system" >&2
        exit 2
    fi
done

# Command is safe
exit 0
"""

BASE = {"timestamp": "2024-01-15T10:30:00Z", "session_id": "sess-abc123"}
TOOL = {
    **BASE,
    "event_type": "before_tool",
    "tool_name": "Shell",
    "tool_input": {"command": "rm -rf /tmp/old-files"},
    "tool_use_id": "tool_123",
}
SUBAGENT = {
    **BASE, "event_type": "subagent_start", "subagent_name": "code-reviewer",
    "subagent_type": "coder",
    "task_description": "Review the authentication module",
}  # fmt: skip
START = {
    **BASE,
    "event_type": "session_start",
    "model": "kimi-latest",
    "args": {"ui": "shell", "agent": "default"},
}
END = {
    **BASE, "timestamp": "2024-01-15T11:30:00Z", "event_type": "session_end",
    "duration_seconds": 3600, "total_steps": 25,
    "exit_reason": "user_exit",
}  # fmt: skip
STOP = {
    **BASE, "timestamp": "2024-01-15T10:35:00Z", "event_type": "before_stop",
    "stop_reason": "no_tool_calls", "step_count": 5,
    "final_message": {"role": "assistant", "content": "Task completed successfully"},
}  # fmt: skip

needs_tools = pytest.mark.skipif(
    any(shutil.which(tool) is None for tool in ("bash", "grep", "cut", "head", "cat")),
    reason="the samples are shell scripts that need bash, grep, cut, head and cat",
)


def written(root: Path, front: str, script: str = "cat >/dev/null\n", *, mode: int = 0o755) -> Path:
    """A folder of hooks with one hook, called as its front matter says."""
    name = next(
        line.removeprefix("name: ") for line in front.splitlines() if line.startswith("name: ")
    )
    entry = root / "hooks" / name / "scripts" / "run.sh"
    entry.parent.mkdir(parents=True)
    (root / "hooks" / name / "HOOK.md").write_text(front, encoding="utf-8")
    entry.write_text(script, encoding="utf-8")
    entry.chmod(mode)
    return root / "hooks"


def with_tool(name: str, tool_input: dict[str, Any], event: str = "before_tool") -> dict[str, Any]:
    """The tool payload of the samples, for another call."""
    return {**TOOL, "event_type": event, "tool_name": name, "tool_input": tool_input}
