"""Permission rules such as `Bash(git commit:*)` and `Edit(*.ts)`: does one cover this tool call."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.conditions import Rule
    from hookline.model.event import Json


def rule_holds(rule: Rule, tool: str, tool_input: Json, cwd: str) -> bool:
    """Whether a rule covers a call (harnesses.md 2.3).

    A command rule looks into every simple command of the line; a command that cannot be parsed is covered, because the
    hook behind the rule must then see it.
    """
    raise NotImplementedError
