"""The guard `runtime_footer`: which lines it removes, which stay, and what it writes."""

import pytest

import hookline
from hookline.guards.runtime_footer import judge
from hookline.guards.world import World
from hookline.model.event import Event, Generation, Message

KNOWN = {"usage": {"input": 1200, "output": 34, "cache_read": 100}, "cost": 0.0123}
TOKENS_ONLY = {"usage": {"input": 1200, "output": 34}, "cost": 0.0}
UNKNOWN = {"usage": {}, "cost": 0.0}
TRUE = "─ acme/o3 · $0.0123"


def write(text, facts=UNKNOWN, environ=None, **options):
    """The reply that the guard makes of one; None if it leaves the reply as it is."""
    body = Message(text=text, facts={"model": "acme/o3", **facts})
    answer = judge(Event(kind="response.before", body=body), options, World(environ=environ or {}))
    return answer.rewrite.value if answer else None


@pytest.mark.parametrize(
    "line",
    [
        "─ acme/o3 · $0.42",
        "─ Claude Opus 4 · 1,234 tokens · $0.0123",
        "━━━ o3 | $1",
        "— gpt-4o · $0.01",
        "-- gpt-4o · 12k in / 3k out · $0.01",
        "Tokens: 1,234 · Cost: $0.0123",
        "_gpt-4o · 1.2k tokens · ~$0.01_",
        "(1200 tokens in | 34 tokens out | turn cost: $0.01)",
    ],
)
def test_a_typed_footer_is_removed(line):
    """Whether or not the host knows the usage; the true line takes its place only if it does."""
    assert write(f"It works.\n\n{line}\n") == "It works."
    assert write(f"It works.\n\n---\n{line}\n\n{line}") == "It works."
    assert write(f"It works.\n\n{line}", KNOWN) == f"It works.\n\n{TRUE}"


@pytest.mark.parametrize(
    "line",
    [
        "- Coffee · $4",
        "* gpt-4o · 1,000 tokens · $5",
        "• Rent · $900",
        "1. o3 · 1000 tokens · $2",
        "| o3 | 1000 tokens | $2 |",
        "> o3 · 1000 tokens · $2",
        "    ─ o3 · $2",
        "— Coffee · $4",
        "— Ada, on the price of $4",
        "gpt-4o · $5",
        "Total cost: $45",
        "Board of 12 in · $4",
        "12 in · $4",
        "It costs $4 · and more.",
        "─ o3 · price unknown",
        "---",
        "Use `$1` · the first argument.",
    ],
)
def test_what_the_reply_is_about_stays(line):
    """Prices in lists, tables, quotations and prose are the answer, not a footer."""
    assert write(f"Prices:\n\n{line}") is None
    assert write(f"Prices:\n\n{line}", KNOWN) == f"Prices:\n\n{line}\n\n{TRUE}"


def test_only_the_end_of_a_reply_is_cleaned():
    """A footer in the middle is quoted text."""
    text = "The log says\n─ o3 · $0.01\nat its end."
    assert write(text) is None


@pytest.mark.parametrize("text", ["", " \n", "─ o3 · $0.01"])
def test_no_reply_is_made_empty_and_none_is_invented(text):
    """An empty reply stays, and so does one of a footer alone without a true line to write."""
    assert write(text) is None
    assert write("─ o3 · $0.01", KNOWN) == TRUE


@pytest.mark.parametrize(
    ("facts", "line"),
    [
        (KNOWN, TRUE),
        (TOKENS_ONLY, "─ acme/o3 · 1,234 tokens"),
        ({"cost": 12.5}, "─ acme/o3 · $12.50"),
        ({"usage": {"prompt_tokens": 5, "completion_tokens": 6}}, "─ acme/o3 · 11 tokens"),
    ],
)
def test_the_true_line_needs_real_usage(facts, line):
    """A cost, or a count of tokens, of more than nothing."""
    assert write("Done.", facts) == f"Done.\n\n{line}"


@pytest.mark.parametrize(
    "facts",
    [UNKNOWN, {}, {"cost": True}, {"cost": "1"}, {"cost": -1}, {"usage": [1]},
     {"cost": float("nan")}],
)  # fmt: skip
def test_without_real_usage_there_is_no_line(facts):
    """The guard invents nothing."""
    assert write("Done.", facts) is None


@pytest.mark.parametrize(
    ("template", "line"),
    [
        ("{model}: {cost}, {input} in, {output} out", "acme/o3: $0.0123, 1,300 in, 34 out"),
        ("{tokens} tokens", "1,334 tokens"),
        ("{price}", TRUE),
        ("{model", TRUE),
        ("{model.__class__}", TRUE),
        ("free", TRUE),
    ],
)
def test_a_template_is_filled_or_the_usual_line_written(template, line):
    """A template with an unknown place, or with none, falls back; the environment goes first."""
    assert write("Done.", KNOWN, template=template) == f"Done.\n\n{line}"
    environ = {"HOOKLINE_FOOTER": template}
    assert write("Done.", KNOWN, environ, template="{model}") == f"Done.\n\n{line}"


@pytest.mark.parametrize("template", ["", "{model}: {cost}"])
def test_the_line_is_not_written_twice(template):
    """The guard's own line is replaced by itself."""
    once = write("Done.", KNOWN, template=template)
    assert write(once, KNOWN, template=template) is None


def test_long_replies_take_no_time():
    """What is no footer is left after a look at its last line."""
    assert write("$1 · " * 100_000) is None
    assert write("x\n" * 100_000 + "─ o3 · $1").endswith("x")


def test_the_nudge_is_off_unless_wished():
    """On `model.request` the guard speaks only with `nudge`."""
    event = Event(kind="model.request", body=Generation(model="o3"))
    assert judge(event, {}, World()) is None
    assert "Do not write what a reply cost" in judge(event, {"nudge": True}, World()).for_agent


def test_starchild_gets_the_new_reply():
    """Through an engine, in Starchild's own words."""
    engine = hookline.Engine.from_config(
        {"version": 1, "hooks": [{"use": "runtime_footer"}]}, dialect="hookline", trust="all"
    )
    payload = {
        "event": "on_response_end",
        "session_id": "s1",
        "cwd": "/",
        "response": "Done.\n─ o3 · $9.99",
        "model": "o3",
        "tokens": {"input": 10, "output": 5},
        "turn_cost_usd": 0.5,
    }
    decision = engine.fire("on_response_end", payload, dialect="starchild")
    assert decision.rewrite.value == "Done.\n\n─ o3 · $0.5000"
