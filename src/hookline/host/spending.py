"""Spending: what the sessions of a host have used, against the budgets of the agent file."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.host.agent_spec import AgentFile, AgentSpec, Budget


class Spending:
    """Tokens, US dollars and seconds of turns: in all, and for each shared budget."""

    def __init__(self, file: AgentFile) -> None:
        self._file = file
        self._used: dict[str, dict[str, float]] = {}

    def add(self, agent: AgentSpec, *, usage: Mapping[str, int], cost: float | None) -> None:
        """Add what one reply to an agent has used."""
        tokens = usage.get("input_tokens", 0) + usage.get("output_tokens", 0)
        for used in self._find_used(agent):
            used["tokens"] += tokens
            used["cost"] += cost or 0.0

    def add_seconds(self, agent: AgentSpec, seconds: float) -> None:
        """Add the time of one turn of an agent."""
        for used in self._find_used(agent):
            used["seconds"] += seconds

    def _find_used(self, agent: AgentSpec) -> list[dict[str, float]]:
        return [
            self._used.setdefault(name, {"tokens": 0.0, "cost": 0.0, "seconds": 0.0})
            for name in ("", *agent.budgets)
        ]

    def explain_excess(self, agent: AgentSpec) -> str:
        """Return which budget of an agent is spent; empty if none is."""
        budgets: list[tuple[str, Budget]] = [
            (name, self._file.budgets[name]) for name in agent.budgets
        ]
        if self._file.budget is not None:
            budgets.insert(0, ("", self._file.budget))
        for name, budget in budgets:
            used = self._used.get(name, {})
            for what, most in (
                ("tokens", budget.tokens), ("cost", budget.cost), ("seconds", budget.seconds),
            ):  # fmt: skip
                if most is not None and used.get(what, 0.0) >= most:
                    label = f"the budget `{name}`" if name else "the budget of the run"
                    return f"{label} is spent: {used[what]:g} of {most:g} {what}"
        return ""
