"""Compaction before and after calls, and budgets, in real runs (docs/formats/docker-agent.md 7)."""

from __future__ import annotations

import pytest
from pydantic_ai.models.function import FunctionModel

from hookline.host.compaction import is_nearly_full
from hookline.host.session import Session
from tests.unit.host.play import Play, agent, command_hook, shell, write_script

pytestmark = pytest.mark.process
ALLOW = {"allow": ["shell"]}
WINDOW = 1000
MODELS = {"small": {
    "provider": "scripted", "model": "script.yaml", "provider_opts": {"context_size": WINDOW},
}}  # fmt: skip


def step(*calls, text="", tokens=10):
    """Return a step whose request had so many tokens."""
    named = [{"name": name, "arguments": given} for name, given in calls]
    said = {"tool_calls": named} if named else {"text": text}
    return {**said, "usage": {"input_tokens": tokens, "output_tokens": 2}}


def play(folder, *steps, models=MODELS, **rest):
    write_script(folder, *steps)
    made = Play(folder, {"root": agent(**{"model": "small", **rest})}, models=models,
                permissions=ALLOW)  # fmt: skip
    return made, made.run()


FULL = [
    step(shell("echo 1")), step(shell("echo 2")), step(shell("echo 3"), tokens=950),
    "The summary.", "Done.",
]  # fmt: skip


def test_a_full_window_is_compacted_before_the_next_turn(tmp_path):
    """The model then reads the summary, and the last messages."""
    made, result = play(tmp_path, *FULL)

    assert result.text == "Done."
    assert made.payloads("pre_compact") == [{"source": "tool_overflow"}]
    counts = {
        "input_tokens": 950, "output_tokens": 6, "context_limit": WINDOW,
        "compaction_reason": "threshold",
    }  # fmt: skip
    assert made.payloads("before_compaction") == [counts]
    assert made.payloads("after_compaction") == [counts | {"summary": "The summary."}]
    order = [name for name in made.names if "compact" in name or name.startswith("turn_")]
    assert order[-6:-2] == ["pre_compact", "before_compaction", "after_compaction", "turn_end"]
    asked = made.payloads("before_llm_call")[-1]["messages"]
    assert asked[:2] == [
        {"role": "user", "content": "go"},
        {"role": "user", "name": "conversation_summary", "content": "The summary."},
    ]
    assert "The summary." in str(made.session.messages)
    [shown] = made.shown("compacted")
    assert (shown["reason"], shown["summary"]) == ("threshold", "The summary.")


def test_a_prompt_to_a_full_session_compacts_first(tmp_path):
    """The window is checked before the first turn too."""
    steps = [step(shell(f"echo {at}")) for at in range(3)]
    write_script(tmp_path, *steps, step(text="First.", tokens=950), "The summary.", "Second.")
    made = Play(tmp_path, {"root": agent(model="small")}, models=MODELS, permissions=ALLOW)

    async def again(run):
        await made.task
        made.task = made.host.continue_session(run).run("again")

    result = made.run(during=again)

    assert result.text == "Second."
    assert made.payloads("pre_compact") == [{"source": "auto"}]
    contents = [each["content"] for each in made.payloads("before_llm_call")[-1]["messages"]]
    assert contents[-1] == "again"


@pytest.mark.parametrize(
    ("rest", "models"),
    [
        ({"session_compaction": False}, MODELS),
        ({"compaction_threshold": 0.96}, MODELS),
        ({}, {"small": {"provider": "scripted", "model": "script.yaml"}}),
    ],
)
def test_when_nothing_is_compacted(tmp_path, rest, models):
    """The agent may not want it, may want it later, or its window is unknown."""
    made, result = play(tmp_path, *FULL, models=models, **rest)

    assert result.text == "The summary."
    assert "pre_compact" not in made.names


@pytest.mark.parametrize("threshold", [0.5, 0.99])
def test_the_threshold_of_a_model(tmp_path, threshold):
    """A model has its own, unless the agent says otherwise."""
    small = {**MODELS["small"], "compaction_threshold": threshold}
    steps = [step(shell("echo 1")), step(shell("echo 2")), step(shell("echo 3"), tokens=950)]
    made, _ = play(tmp_path, *steps, "The summary.", "Done.", models={"small": small})

    assert ("pre_compact" in made.names) == (threshold < 0.95)


def test_a_hook_steers_the_summary(tmp_path):
    """What it adds is in the prompt of the summary."""
    hooks = {"pre_compact": [command_hook("echo keep the names")]}
    made, _ = play(tmp_path, *FULL, hooks=hooks)

    assert made.payloads("after_compaction")[0]["summary"] == "The summary."


def test_a_hook_cancels_a_compaction(tmp_path):
    """The person gets a warning, and the run goes on."""
    hooks = {"pre_compact": [command_hook("echo not now >&2; exit 2")]}
    made, result = play(tmp_path, *FULL, hooks=hooks)

    assert result.text == "The summary."
    assert "before_compaction" not in made.names
    assert made.payloads("notification") == [{
        "notification_level": "warning",
        "notification_message": "a hook cancelled the compaction: not now",
    }]  # fmt: skip


def test_a_summary_that_fails(tmp_path):
    """The conversation stays, and the run goes on."""
    steps = [*FULL[:3], {"error": {"status": 500, "message": "broken"}}, "Done."]
    made, result = play(tmp_path, *steps)

    assert result.text == "Done."
    assert "after_compaction" not in made.names
    assert "on_error" in made.names
    assert len(made.payloads("before_llm_call")[-1]["messages"]) == 7


def test_an_empty_summary_replaces_nothing(tmp_path):
    """A hook that supplies blanks supplies no summary."""
    supply = """echo '{"hook_specific_output": {"summary": "  "}}'"""
    made, _ = play(tmp_path, *FULL, hooks={"before_compaction": [command_hook(supply)]})

    summaries = [each["summary"] for each in made.payloads("after_compaction")]
    assert summaries in ([], ["The summary."])


def test_each_call_keeps_its_result(tmp_path):
    """A compaction parts no result from its call, so that a provider takes the conversation."""
    made, _ = play(tmp_path, *FULL)

    asked = made.payloads("before_llm_call")[-1]["messages"]
    calls = [call["id"] for each in asked for call in each.get("tool_calls", ())]
    results = [each["tool_call_id"] for each in asked if each["role"] == "tool"]
    assert calls == results


def test_hooks_are_asked_before_the_summary_is_written(tmp_path):
    """It is a call of a model: no secret leaves by it that other calls do not have."""
    token = "ghp_" + "Q7x2Lm9Vt4Rb8Wc1Nd6Kf3Hs5Jg0Zy" + "Pq2T"
    write_script(tmp_path, *FULL)
    made = Play(tmp_path, {"root": agent(model="small", redact_secrets=True)}, models=MODELS,
                permissions=ALLOW)  # fmt: skip
    sent = []
    request = FunctionModel.request

    async def keep(model, messages, *rest):
        sent.append(str(messages))
        return await request(model, messages, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FunctionModel, "request", keep)
        result = made.run(f"my token is {token}")

    assert result.text == "Done."
    assert made.payloads("after_compaction")[0]["summary"] == "The summary."
    assert len(sent) == 5
    assert not [text for text in sent if token in text]
    assert "The summary." in sent[-1]  # although the hook rewrote the messages


def test_a_hook_refuses_the_call_for_the_summary(tmp_path):
    """The conversation stays as it is, and the run goes on."""
    refuse = """grep -q 'summarization assistant' && { echo no >&2; exit 2; }; true"""
    made, result = play(tmp_path, *FULL, hooks={"before_llm_call": [command_hook(refuse)]})

    assert result.text == "The summary."  # the next step of the script
    assert "after_compaction" not in made.names
    assert made.payloads("on_error")[0]["notification_message"] == (
        "the conversation could not be summarised: no"
    )


def test_everything_that_is_used_counts(tmp_path):
    """The calls of sub-agents and those for summaries are in the tokens and in the cost."""
    models = {"small": {**MODELS["small"], "cost": {"input": 1000, "output": 0}}}
    task = ("transfer_task", {"agent": "helper", "task": "look"})
    write_script(tmp_path, scripts={
        "root": [
            step(task), step(shell("echo 2")), step(shell("echo 3"), tokens=950),
            step(text="The summary.", tokens=700), step(text="Done.", tokens=100),
        ],
        "helper": [step(text="Found.", tokens=40)],
    })  # fmt: skip
    made = Play(
        tmp_path, {"root": agent(model="small", sub_agents=["helper"]),
                   "helper": agent(model="small")},
        models=models, permissions={"allow": ["*"]},
    )  # fmt: skip

    made.run()

    assert made.session.input_tokens == 10 + 40 + 10 + 950 + 700 + 100
    assert made.session.output_tokens == 6 * 2
    assert made.session.cost == pytest.approx(1.81)


# -- budgets ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rest", "label"),
    [
        ({"budget": {"max_tokens": 20}}, "the budget of the run is spent: 24 of 20 tokens"),
        ({"budgets": {"small": {"max_tokens": 24}}},
         "the budget `small` is spent: 24 of 24 tokens"),
    ],
)  # fmt: skip
def test_a_spent_budget_ends_the_run(tmp_path, rest, label):
    """The person gets a warning, and no other turn begins."""
    write_script(tmp_path, shell("echo 1"), shell("echo 2"), "Never.")
    more = {"budgets": ["small"]} if "budgets" in rest else {}
    made = Play(tmp_path, {"root": agent(**more)}, permissions=ALLOW, **rest)

    result = made.run()

    assert (result.reason, result.error) == ("budget_exceeded", label)
    assert made.names.count("turn_start") == 2
    assert made.payloads("notification") == [
        {"notification_level": "warning", "notification_message": label}
    ]
    assert "on_error" not in made.names


def test_a_sub_agent_spends_the_budget_of_the_run(tmp_path):
    """The parent reads why its task failed, and ends too."""
    task = ("transfer_task", {"agent": "helper", "task": "look"})
    write_script(tmp_path, scripts={
        "root": [task, "Never."], "helper": [shell("echo 1"), shell("echo 2"), "Never."],
    })  # fmt: skip
    made = Play(tmp_path, {"root": agent(sub_agents=["helper"]), "helper": agent()},
                permissions={"allow": ["*"]}, budget={"max_tokens": 30})  # fmt: skip

    result = made.run()

    assert result.reason == "budget_exceeded"
    assert made.payloads("subagent_stop")[0]["stop_response"] == ""


@pytest.mark.parametrize(("rest", "spent"), [({"max_cost": 0.01}, True), ({"max_cost": 1}, False)])
def test_a_price_of_the_file_counts(tmp_path, rest, spent):
    """A budget in dollars counts what the file says that a model costs."""
    priced = {"priced": {
        "provider": "scripted", "model": "script.yaml", "cost": {"input": 1000, "output": 1000},
    }}  # fmt: skip
    write_script(tmp_path, shell("echo 1"), "Done.")
    made = Play(tmp_path, {"root": agent(model="priced")}, models=priced, permissions=ALLOW,
                budget=rest)  # fmt: skip

    result = made.run()

    assert (result.reason == "budget_exceeded") == spent
    assert made.payloads("after_llm_call")[0]["cost"] == pytest.approx(0.012)
    assert made.session.cost == pytest.approx(0.012 if spent else 0.024)


class Limited:
    """An agent with a context window."""

    def __init__(self, limit):
        self.context_limit = limit


@pytest.mark.parametrize(
    ("tokens", "limit", "full"), [(901, 1000, True), (900, 1000, False), (10**9, 0, False)]
)
def test_is_nearly_full(tmp_path, tokens, limit, full):
    """More than the threshold is full; a window of unknown size never is."""
    session = Session("a", "root", str(tmp_path))
    session.length = tokens

    assert is_nearly_full(session, Limited(limit), 0.9) is full
