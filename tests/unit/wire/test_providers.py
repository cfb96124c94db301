"""Providers: which model service a hook asks, at which address, and with which key."""

from __future__ import annotations

import pytest

from hookline.errors import HandlerError
from hookline.model.spec import Model
from hookline.wire.providers import (
    PROVIDERS,
    explain_borrowed_key,
    explain_model_fault,
    list_key_variables,
    resolve_endpoint,
    split_model_name,
)

KEYS = {"OPENAI_API_KEY": "o", "ANTHROPIC_API_KEY": "a", "ACME_KEY": "c", "GEMINI_API_KEY": "g"}


def asked(*names: str, **fields: str) -> Model:
    return Model(names=names, prompt="?", **fields)  # type: ignore[arg-type]  # rows of a test


@pytest.mark.parametrize(
    ("name", "provider", "found"),
    [
        ("openai/gpt-4o", "", ("openai", "gpt-4o")),
        ("openai:gpt-4o", "", ("openai", "gpt-4o")),
        ("ollama/llama3:8b", "", ("ollama", "llama3:8b")),
        ("ollama:llama3:8b", "", ("ollama", "llama3:8b")),
        ("openrouter/meta/llama", "", ("openrouter", "meta/llama")),
        ("dmr/ai/qwen3", "", ("dmr", "ai/qwen3")),
        ("claude-haiku-4-5", "anthropic", ("anthropic", "claude-haiku-4-5")),
        ("openai/gpt-4o", "anthropic", ("openai", "gpt-4o")),
        ("acme/tiny", "", ("acme", "tiny")),
        ("gpt-4o", "", ("", "gpt-4o")),
    ],
)
def test_a_name_tells_its_provider(name: str, provider: str, found: tuple[str, str]) -> None:
    """Before a slash or a colon; otherwise the hook's dialect decides."""
    assert split_model_name(name, provider) == found


@pytest.mark.parametrize(
    ("model", "environ", "base_url", "key", "binds"),
    [
        (asked("openai/gpt-4o"), {}, "https://api.openai.com/v1", "o", True),
        (
            asked("openai/gpt-4o"),
            {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"},
            "http://127.0.0.1:1/v1",
            "o",
            False,
        ),
        (asked("claude-x", provider="anthropic"), {}, "https://api.anthropic.com", "a", True),
        (
            asked("google/gemini-x"),
            {},
            "https://generativelanguage.googleapis.com/v1beta/openai",
            "g",
            False,
        ),
        (asked("ollama/llama3"), {}, "http://127.0.0.1:11434/v1", "", False),
        (asked("acme/tiny", base_url="http://10.0.0.1/v1"), {}, "http://10.0.0.1/v1", "", False),
        (
            asked("acme/tiny", base_url="http://10.0.0.1/v1", key="ACME_KEY"),
            {},
            "http://10.0.0.1/v1",
            "c",
            False,
        ),
        # A provider's own key goes to no address that a file names.
        (
            asked("openai/x", base_url="https://elsewhere.example/v1"),
            {},
            "https://elsewhere.example/v1",
            "",
            False,
        ),
        (
            asked("openai/x", base_url="https://elsewhere.example/v1", key="OPENAI_API_KEY"),
            {},
            "https://elsewhere.example/v1",
            "o",
            False,
        ),
    ],
)
def test_an_endpoint_is_the_files_the_environments_or_the_providers_own(
    model: Model, environ: dict[str, str], base_url: str, key: str, *, binds: bool
) -> None:
    """Each endpoint gets only the key that belongs to it."""
    found = resolve_endpoint(model, {**KEYS, **environ})

    assert (found.base_url, found.key, found.binds) == (base_url, key, binds)


def test_the_first_name_that_is_set_counts() -> None:
    """A variable before the name that stands in for it."""
    model = asked(
        "$HOOKLINE_MODEL",
        "$ANTHROPIC_DEFAULT_HAIKU_MODEL",
        "claude-haiku-5-5",
        provider="anthropic",
    )

    assert resolve_endpoint(model, KEYS).model == "claude-haiku-5-5"
    assert (
        resolve_endpoint(model, {**KEYS, "ANTHROPIC_DEFAULT_HAIKU_MODEL": "claude-old"}).model
        == "claude-old"
    )
    assert (
        resolve_endpoint(
            model, {**KEYS, "ANTHROPIC_DEFAULT_HAIKU_MODEL": "c", "HOOKLINE_MODEL": "openai/gpt"}
        ).provider
        == "openai"
    )


@pytest.mark.parametrize(
    ("model", "environ", "why"),
    [
        (
            asked("openai/gpt-4o"),
            {},
            "the variable `OPENAI_API_KEY`, which holds the key of openai, is not set",
        ),
        (asked("openai/gpt-4o"), {"OPENAI_API_KEY": "  "}, "`OPENAI_API_KEY`"),
        (asked("google/g"), {}, "`GOOGLE_API_KEY` or `GEMINI_API_KEY`"),
        (
            asked("acme/x", base_url="http://127.0.0.1/v1", key="ACME_KEY"),
            {},
            "the variable `ACME_KEY`",
        ),
        (asked("$HOOKLINE_MODEL"), {}, "no model is named .set HOOKLINE_MODEL"),
        (asked("$HOOKLINE_MODEL"), {"HOOKLINE_MODEL": "gpt"}, "`gpt` names no provider"),
        (
            asked("openai/x"),
            {**KEYS, "OPENAI_BASE_URL": "http://169.254.169.254/"},
            "must not be called",
        ),
        (
            asked("openai/x"),
            {**KEYS, "OPENAI_BASE_URL": "file:///etc/passwd"},
            "must not be called",
        ),
        (
            asked("openai/x"),
            {"OPENAI_API_KEY": "sk\nx"},
            "`OPENAI_API_KEY`, which holds the key of openai, holds what no header can carry",
        ),
        (
            asked("openai/x"),
            {"OPENAI_API_KEY": "schlüssel"},
            "`OPENAI_API_KEY`, which holds the key of openai, holds what no header can carry",
        ),
    ],
)
def test_no_model_is_asked_without_a_name_an_address_and_a_key(
    model: Model, environ: dict[str, str], why: str
) -> None:
    """And the words say which variable would help, never what one holds."""
    with pytest.raises(HandlerError, match=why):
        resolve_endpoint(model, environ)


def test_every_provider_can_be_asked() -> None:
    """Its own address may be called, and its row is found by its name."""
    for name, row in PROVIDERS.items():
        environ = dict.fromkeys(row.keys, "k")
        assert resolve_endpoint(asked(f"{name}/m"), environ).base_url == row.base_url
        assert explain_model_fault(asked(f"{name}/m")) == ("", "")


@pytest.mark.parametrize(
    "url",
    [
        "https://me:secret@x.example/v1",
        "https://x.example:0/secret?key=secret",
        "http://169.254.169.254/secret?q=secret",
    ],
)
def test_an_address_is_said_without_what_may_be_secret(url: str) -> None:
    """Its scheme and its host; whether the file or the environment names it."""
    with pytest.raises(HandlerError, match=r"`https?://") as raised:
        resolve_endpoint(asked("openai/x"), {**KEYS, "OPENAI_BASE_URL": url})
    why, _ = explain_model_fault(asked("openai/x", base_url=url))

    assert why.startswith("`http")
    assert "secret" not in why + str(raised.value)


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (asked("openai/x"), ""),
        (asked("google/x", key="GEMINI_API_KEY"), ""),
        (asked("openai/x", key="OPENAI_API_KEY", base_url="https://proxy.example/v1"), ""),
        (asked("acme/x", key="ACME_KEY", base_url="http://10.0.0.1/v1"), ""),
        (
            asked("mistral/x", key="OPENAI_API_KEY"),
            (
                "the variable `OPENAI_API_KEY` holds the key of openai, and what it holds is sent "
                "to "
                "`mistral`"
            ),
        ),
        (
            asked("acme/x", key="GEMINI_API_KEY", base_url="http://10.0.0.1/v1?q=secret"),
            (
                "the variable `GEMINI_API_KEY` holds the key of google, and what it holds is sent "
                "to "
                "`http://10.0.0.1`"
            ),
        ),
    ],
)
def test_another_providers_key_is_odd(model: Model, why: str) -> None:
    """The problem tells a reader whose key it is and where it goes."""
    assert explain_borrowed_key(model) == why


@pytest.mark.parametrize(
    ("model", "environ", "local"),
    [
        (asked("openai/x"), {}, False),
        (asked("openai/x", allow_local=True), {}, False),
        (asked("openai/x"), {"OPENAI_BASE_URL": "https://llm.corp.example/v1"}, False),
        (
            asked("openai/x", allow_local=True),
            {"OPENAI_BASE_URL": "https://llm.corp.example/v1"},
            True,
        ),
        (asked("openai/x"), {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}, True),
        (asked("acme/x", base_url="http://10.0.0.1/v1"), {}, True),
        (asked("acme/x", base_url="http://ollama:11434/v1"), {}, True),
        (asked("acme/x", base_url="http://93.184.216.34/v1"), {}, False),
        (asked("ollama/x"), {}, True),
    ],
)
def test_an_address_is_local_where_its_author_said_so(
    model: Model, environ: dict[str, str], *, local: bool
) -> None:
    """In its own text, or with the option.

    A provider's own address never is by what its name resolves to.
    """
    assert resolve_endpoint(model, {**KEYS, **environ}).local is local


@pytest.mark.parametrize(
    ("model", "names"),
    [
        (asked("openai/x"), ("OPENAI_API_KEY",)),
        (asked("google/x"), ("GOOGLE_API_KEY", "GEMINI_API_KEY")),
        (asked("openai/x", key="MINE"), ("MINE",)),
        (asked("openai/x", base_url="http://10.0.0.1/v1"), ()),
        (asked("ollama/x"), ()),
        (
            Model(names=("$HOOKLINE_MODEL", "claude-x"), prompt="x", provider="anthropic"),
            ("ANTHROPIC_API_KEY",),
        ),
    ],
)
def test_it_is_known_where_a_key_stands(model: Model, names: tuple[str, ...]) -> None:
    """Its variables, never its value."""
    assert list_key_variables(model) == names
