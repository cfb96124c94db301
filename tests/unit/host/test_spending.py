"""What a run has spent, against its budgets."""

from __future__ import annotations

import pytest

from hookline.host.spending import Spending
from tests.unit.host.support import read

FILE = """
agents:
  root: {model: openai/gpt-4o-mini, budgets: [shared]}
  other: {model: openai/gpt-4o-mini, budgets: [shared]}
  free: {model: openai/gpt-4o-mini}
budget: {max_tokens: 100}
budgets:
  shared: {max_cost: 1.5, max_time: 10s}
"""


@pytest.fixture
def file(tmp_path):
    return read(tmp_path, FILE)


def spend(spending, agent, tokens=0, cost=None, seconds=0.0):
    spending.add(agent, usage={"input_tokens": tokens}, cost=cost)
    spending.add_seconds(agent, seconds)


def test_a_shared_budget_is_for_all_of_its_agents(file):
    """What one spends, the others lack; agents without it go on."""
    spending = Spending(file)
    spend(spending, file.agents["root"], cost=1.0)
    assert spending.explain_excess(file.agents["other"]) == ""

    spend(spending, file.agents["other"], cost=0.5)

    for name in ("root", "other"):
        said = spending.explain_excess(file.agents[name])
        assert said == "the budget `shared` is spent: 1.5 of 1.5 cost"
    assert spending.explain_excess(file.agents["free"]) == ""


def test_the_budget_of_the_run_is_for_all(file):
    """Each agent spends it."""
    spending = Spending(file)
    spend(spending, file.agents["root"], tokens=60)
    spend(spending, file.agents["free"], tokens=40)

    for name in file.agents:
        said = spending.explain_excess(file.agents[name])
        assert said == "the budget of the run is spent: 100 of 100 tokens"


def test_time_and_unknown_costs(file):
    """A reply without a price costs nothing, and seconds count."""
    spending = Spending(file)
    spend(spending, file.agents["root"], cost=None, seconds=9.5)
    assert spending.explain_excess(file.agents["root"]) == ""

    spend(spending, file.agents["root"], seconds=0.5)

    said = spending.explain_excess(file.agents["root"])
    assert said == "the budget `shared` is spent: 10 of 10 seconds"
