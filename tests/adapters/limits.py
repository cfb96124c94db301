"""What a framework cannot do: its driver -> the name of a play -> the reason."""

from __future__ import annotations

_NO_EVENT = "Claude Code has no event for it"

LIMITS: dict[str, dict[str, str]] = {
    "pydantic_ai": {},
    "claude_agent_sdk": {
        "answer for the tool": "Claude Code cannot replace a call",
        "ask, later": "the program waits for the answer",
        "rewrite prompt": "Claude Code cannot replace a prompt",
        "refuse request": _NO_EVENT,
        "rewrite messages": _NO_EVENT,
        "answer for the model": _NO_EVENT,
        "repeat request": _NO_EVENT,
        "refuse response": _NO_EVENT,
        "rewrite response": _NO_EVENT,
        "refuse sub-agent": "Claude Code cannot refuse one",
    },
    "langchain": {},
    "openai_agents": {
        "ask, later": "the call is refused",
        "redo sub-agent": "the outer agent reads the reason after the result",
    },
}
_NO_CANCEL = {"cancelled run": "a synchronous run cannot be cancelled"}
# The ways to run an agent, of which the first is the usual one, and what else each cannot do.
WAYS: dict[str, dict[str, dict[str, str]]] = {
    "pydantic_ai": {
        "run": {},
        "run_sync": _NO_CANCEL,
        "iter": {},
        "run_stream_events": {},
        "run_stream": {
            "redo at stop": "Pydantic AI leaves out the end of such a run",
            "refuse response": "Pydantic AI cannot repeat a streamed response",
            "rewrite response": "the caller has the text before the hook",
        },
    },
    "claude_agent_sdk": {"ClaudeSDKClient": {}, "query": {}},
    "langchain": {"ainvoke": {}, "invoke": _NO_CANCEL, "astream": {}, "stream": _NO_CANCEL},
    "openai_agents": {"run": {}, "run_sync": _NO_CANCEL, "run_streamed": {}},
}
TITLES = {
    "pydantic_ai": "Pydantic AI",
    "claude_agent_sdk": "Claude Agent SDK",
    "langchain": "LangChain",
    "openai_agents": "OpenAI Agents SDK",
}


def write_table(plays: list[str]) -> str:
    """Return the table of the guide: what each framework can do, for the usual way to run."""
    lines = [
        f"| the hooks | {' | '.join(TITLES.values())} |",
        "| --- " * (len(TITLES) + 1) + "|",
    ]
    for play in plays:
        reasons = (LIMITS[driver].get(play) for driver in TITLES)
        cells = (f"no: {reason}" if reason else "yes" for reason in reasons)
        lines.append(f"| {play} | {' | '.join(cells)} |")
    return "\n".join(lines)


def write_ways() -> str:
    """Return the table of the guide: the ways to run an agent, and what else each cannot do."""
    lines = ["| framework | you run it by | except |", "| --- | --- | --- |"]
    for driver, ways in WAYS.items():
        lacks = (f"`{way}`: {', '.join(plays)}" for way, plays in ways.items() if plays)
        names = ", ".join(f"`{way}`" for way in ways)
        lines.append(f"| {TITLES[driver]} | {names} | {'; '.join(lacks) or 'nothing'} |")
    return "\n".join(lines)
