"""Scripted models: how a script is read, and which step answers."""

from __future__ import annotations

import pytest

from hookline.host.script_file import START, Script, ScriptEndError, next_step, read_script

STORY = """\
scripts:
  - match: deploy
    agent: root
    steps:
      - tool_calls: [{name: shell, arguments: {cmd: make}}, {name: think, id: mine}]
        usage: {input_tokens: 10, output_tokens: 2}
      - text: deployed
  - match: deploy
    steps: [{text: again}]
steps:
  - error: rate_limit
  - error: {status: 503, message: down}
  - text: hello
"""


def script(text: str) -> Script:
    """A script that is right."""
    found, problems = read_script(text, "s.yaml")
    assert problems == ()
    assert found is not None
    return found


def user(text: str) -> list[dict[str, object]]:
    """A conversation whose last prompt is this."""
    return [{"role": "user", "content": text}, {"role": "assistant", "content": "x"}]


def test_steps_answer_in_turn() -> None:
    """Those of the first block that is for the prompt and the agent."""
    story = script(STORY)

    first, state = next_step(story, START, user("please deploy it"), "root")
    assert [(call.name, call.call_id) for call in first.tool_calls] == [
        ("shell", "call_1"),
        ("think", "mine"),
    ]
    assert first.usage is not None
    assert first.usage.input_tokens == 10
    second, state = next_step(story, state, user("please deploy it"), "root")
    third, state = next_step(story, state, user("deploy"), "root")
    fourth, _ = next_step(story, state, user("deploy"), "root")
    assert [second.text, third.text] == ["deployed", "again"]
    assert fourth.error is not None


def test_other_agents_and_prompts_have_other_steps() -> None:
    """Errors are steps too."""
    story = script(STORY)

    child, _ = next_step(story, START, user("deploy"), "child")
    first, state = next_step(story, START, user("hi"), "root")
    second, state = next_step(story, state, user("hi"), "root")
    third, _ = next_step(story, state, user("hi"), "root")
    assert child.text == "again"
    assert first.error is not None
    assert (first.error.kind, first.error.status) == ("rate_limit", 429)
    assert second.error is not None
    assert (second.error.kind, second.error.status, second.error.message) == ("http", 503, "down")
    assert third.text == "hello"


def test_a_state_is_a_value() -> None:
    """The same state gives the same step."""
    story = script("- text: a\n- text: b\n")

    assert next_step(story, START, []) == next_step(story, START, [])


def test_a_prompt_may_have_parts() -> None:
    """As providers write them."""
    story = script("scripts: [{match: go, steps: [{text: ok}]}]")
    messages = [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "go"}]}]

    assert next_step(story, START, messages)[0].text == "ok"


def test_the_end_of_a_script_is_an_error() -> None:
    """It names the place, and what to add."""
    story = script("- text: a\n")
    _, state = next_step(story, START, user("x"))

    with pytest.raises(ScriptEndError, match=r"s.yaml:1:1: the agent called .* all 1 steps"):
        next_step(story, state, user("x"))
    only = script("scripts: [{match: go, steps: [{text: ok}]}]")
    with pytest.raises(ScriptEndError, match="no steps for the agent `a` match the prompt `x`"):
        next_step(only, START, user("x"), "a")


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("a: [", 1, "not YAML"),
        ("{}", 1, "the script has no steps"),
        ("3", 1, "a script must be a mapping"),
        ("scripts: 3", 1, "`scripts` must be a list"),
        ("scripts: [{match: x}]", 1, "`steps` must be a list"),
        ("scripts: [{match: x, steps: []}]", 1, "`steps` must be a list"),
        ("- txt: a", 1, "unknown key `txt` in a step"),
        ("- {}", 1, "a step needs"),
        ("- a", 1, "a step must be a mapping"),
        ("- text: a\n- text: b\n  error: overflow", 3, "answers nothing else"),
        ("- error: full", 1, "`error: full` is not known"),
        ("- error: {status: 200}", 1, "needs the `status`"),
        ("- error: [x]", 1, "`error` must be a mapping"),
        ("- tool_calls: [{arguments: {}}]", 1, "the key `name` is missing"),
        ("- tool_calls: [{name: a, arguments: [1]}]", 1, "`arguments` must be"),
        ("- {text: a, usage: {input_tokens: -1}}", 1, "is no number of tokens"),
        ("- {text: a, usage: {tokens: 1}}", 1, "unknown key `tokens`"),
    ],
)
def test_a_wrong_script_says_where(text: str, line: int, problem: str) -> None:
    """Nothing of it runs."""
    found, problems = read_script(text, "s.yaml")

    assert found is None
    assert any(each.origin.line == line and problem in each.message for each in problems)
