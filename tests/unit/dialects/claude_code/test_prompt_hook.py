"""Prompt hooks of Claude Code, from the settings to the decision, over a real connection."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hookline.core.dialect import Source
from hookline.dialects.claude_code import ClaudeCode
from hookline.dialects.claude_code.table import TABLE
from hookline.engine.engine import Engine
from hookline.model.spec import Model
from hookline.model.verdict import Stance
from tests.unit.handlers.asking import at, chat, message
from tests.unit.handlers.serving import saying, serving

STOP = {
    "session_id": "s1",
    "transcript_path": "",
    "cwd": "/w",
    "hook_event_name": "Stop",
    "stop_hook_active": False,
}
JUDGED = {
    "PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure", "PostToolBatch",
    "UserPromptSubmit", "UserPromptExpansion", "Stop",
    "SubagentStop", "TaskCreated", "TaskCompleted",
}  # fmt: skip


def settings(event: str = "Stop", **fields: Any) -> dict[str, Any]:
    return {
        "hooks": {
            event: [{"hooks": [{"type": "prompt", "prompt": "Are we done? $ARGUMENTS", **fields}]}]
        }
    }


def engine(environ: dict[str, str], **fields: Any) -> Engine:
    made = Engine(environ=environ)
    made.add_source(settings(**fields), dialect="claude-code")
    assert made.problems == ()
    return made


def test_a_judge_sends_the_agent_back() -> None:
    """The payload stands where `$ARGUMENTS` does, and the reason is the reply to the host."""
    with serving(
        saying(message('{"ok": false, "reason": "run the tests", "impossible": false}'))
    ) as service:
        reply = engine(at(service)).answer("claude-code", STOP)
    body = json.loads(service.sent[0].body)
    prompt = body["messages"][0]["content"][0]["text"]

    assert json.loads(reply.stdout) == {"decision": "block", "reason": "run the tests"}
    assert prompt.startswith("Are we done? {")
    assert json.loads(prompt.removeprefix("Are we done? "))["hook_event_name"] == "Stop"
    assert body["model"] == "claude-haiku-5-5"


@pytest.mark.parametrize(
    ("fields", "environ", "path", "model"),
    [
        ({}, {"HOOKLINE_MODEL": "openai/gpt-4o-mini"}, "/v1/chat/completions", "gpt-4o-mini"),
        ({}, {"ANTHROPIC_DEFAULT_HAIKU_MODEL": "claude-mine"}, "/v1/messages", "claude-mine"),
        (
            {"model": "haiku"},
            {"HOOKLINE_MODEL": "openai/gpt-4o-mini"},
            "/v1/messages",
            "claude-haiku-5-5",
        ),
        (
            {"model": "sonnet"},
            {"ANTHROPIC_DEFAULT_SONNET_MODEL": "claude-s"},
            "/v1/messages",
            "claude-s",
        ),
        ({"model": "opus"}, {}, "/v1/messages", "claude-opus-5-5"),
        ({"model": "claude-haiku-4-5"}, {}, "/v1/messages", "claude-haiku-4-5"),
        ({"model": "openai/gpt-4o"}, {}, "/v1/chat/completions", "gpt-4o"),
    ],
)
def test_a_judge_is_the_model_that_is_named(
    fields: dict[str, str], environ: dict[str, str], path: str, model: str
) -> None:
    """In the hook by its short or its full name; else in the environment.

    Else the small and fast one.
    """
    ok = '{"ok": true, "reason": "", "impossible": false}'
    with serving(
        lambda asked: asked.say(chat(ok) if "chat" in asked.path else message(ok))
    ) as service:
        decision = engine(at(service, **environ), **fields).fire(
            "Stop", STOP, dialect="claude-code"
        )
    (sent,) = service.sent

    assert (decision.stance, decision.for_user) == (Stance.SILENT, ())
    assert (sent.path, json.loads(sent.body)["model"]) == (path, model)


def test_a_judge_that_cannot_be_asked_blocks_nothing_and_is_shown() -> None:
    """A failure of a hook is no refusal there (docs/formats/claude-code.md 8)."""
    decision = engine({}).fire("Stop", STOP, dialect="claude-code")

    assert (decision.stance, decision.redo) == (Stance.SILENT, False)
    assert "`ANTHROPIC_API_KEY`" in decision.for_user[0]


@pytest.mark.parametrize("event", TABLE.rows)
def test_prompt_hooks_are_accepted_where_the_document_says(event: str) -> None:
    """On the events of tools, prompts, stops and tasks (docs/formats/claude-code.md 4).

    Elsewhere they are an error.
    """
    loaded = ClaudeCode().load(Source(tree=settings(event)))

    assert isinstance(loaded.specs[0].handler, Model) is (event in JUDGED)
    assert [problem.name for problem in loaded.problems] == (
        [] if event in JUDGED else ["key.misplaced"]
    )
