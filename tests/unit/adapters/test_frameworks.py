"""An adapter whose framework is missing says which command installs it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from hookline.adapters.frameworks import build_messages, make_missing_error, to_text
from hookline.installation import install_command

ADAPTERS = {
    "claude_agent_sdk": ("Claude Agent SDK", "claude-agent-sdk"),
    "langchain": ("LangChain", "langchain"),
    "openai_agents": ("OpenAI Agents SDK", "openai-agents"),
    "pydantic_ai": ("Pydantic AI", "pydantic-ai"),
}


def test_a_framework_is_absent_or_too_old() -> None:
    """The message says which, and the hint is a command."""
    absent = make_missing_error("Some AI", "langchain", ModuleNotFoundError("no"))
    old = make_missing_error("Some AI", "langchain", ImportError("no name `X`"))

    assert (absent.code, absent.message) == ("HKL5201", "Some AI is not installed")
    assert old.message == "Some AI cannot be used: no name `X`"
    assert absent.hint == old.hint == install_command(extra="langchain")


def test_messages_that_a_hook_left_are_the_same() -> None:
    """Each is used once, in its order; the others are built."""
    originals = ["a1", "b1", "a2"]
    entries = ["a", "x", "a", "b"]

    built = build_messages(entries, ["a", "b", "a"], originals, lambda entry: [f"new {entry}"])
    assert built == ["a1", "new x", "a2", "new b"]


def test_a_value_is_text_for_a_model() -> None:
    """A text is itself."""
    assert (to_text("é"), to_text({"a": "é"})) == ("é", '{"a": "é"}')


@pytest.mark.process
@pytest.mark.parametrize("module", ADAPTERS)
def test_an_adapter_without_its_framework_raises_one_error(module: str) -> None:
    """Wherever the framework would be imported first."""
    title, extra = ADAPTERS[module]
    code = (
        "import sys\n"
        "for name in ('pydantic_ai', 'pydantic', 'claude_agent_sdk', 'agents', 'langchain'):\n"
        "    sys.modules[name] = None\n"
        "from hookline import ConfigError\n"
        "try:\n"
        f"    import hookline.adapters.{module}\n"
        "except ConfigError as error:\n"
        "    print(error.code, error.message, error.hint, sep='|')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{code}"],
        capture_output=True,
        text=True,
        check=True,
    )

    expected = f"HKL5201|{title} is not installed|{install_command(extra=extra)}\n"
    assert done.stdout == expected
