"""Providers of language models: the API, address and environment variables of each."""

from __future__ import annotations

import re

from hookline.errors import HandlerError, did_you_mean
from hookline.model.frozen import Frozen
from hookline.text.urls import describe_url, explain_refused_url, is_local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.model.spec import Model

OPENAI, ANTHROPIC = "openai", "anthropic"
# The characters that a key may have, so that a header can carry it.
_KEY = re.compile(r"[\x21-\x7e]+")


class Provider(Frozen):
    """One provider.

    `speaks`: whose API it implements. `keys`: variables for its key; the first one set counts; none
    if it needs no key. `at`: the variable that overrides `base_url`. `binds`: at its own address, a
    reply can be bound to a schema; elsewhere the schema is only part of the prompt.
    """

    name: str
    speaks: str
    base_url: str
    keys: tuple[str, ...] = ()
    at: str = ""
    binds: bool = False


def _row(
    name: str, base_url: str, *keys: str, speaks: str = OPENAI, at: str = "", binds: bool = False
) -> Provider:
    return Provider(name=name, speaks=speaks, base_url=base_url, keys=keys, at=at, binds=binds)


_ROWS = (
    _row("openai", "https://api.openai.com/v1", "OPENAI_API_KEY", at="OPENAI_BASE_URL", binds=True),
    _row(
        "anthropic",
        "https://api.anthropic.com",
        "ANTHROPIC_API_KEY",
        speaks=ANTHROPIC,
        at="ANTHROPIC_BASE_URL",
        binds=True,
    ),
    _row(
        "google",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "GOOGLE_API_KEY",
        "GEMINI_API_KEY",
    ),
    _row("mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    _row("xai", "https://api.x.ai/v1", "XAI_API_KEY"),
    _row("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    _row("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    _row("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    _row("ollama", "http://127.0.0.1:11434/v1"),
    _row("dmr", "http://127.0.0.1:12434/engines/v1"),  # Docker Model Runner
)
PROVIDERS: Mapping[str, Provider] = {row.name: row for row in _ROWS}


class Endpoint(Frozen):
    """Which model to call and where: everything about a call except the question.

    `key` is a secret.

    `local`: the address may be on this machine or in a private network, because the person who
    wrote it allows that.
    """

    provider: str
    speaks: str
    model: str
    base_url: str
    key: str
    binds: bool
    local: bool = False


def split_model_name(name: str, provider: str = "") -> tuple[str, str]:
    """Split a model's name into provider and own name: `provider/model` or `provider:model`.

    An unknown first part still counts as the provider if `provider` is empty.
    """
    slash, colon = name.partition("/"), name.partition(":")
    for head, mark, tail in (slash, colon):
        if mark and head in PROVIDERS:
            return head, tail
    if provider:
        return provider, name
    return (slash[0], slash[2]) if slash[1] else ("", name)


def explain_model_fault(model: Model) -> tuple[str, str]:
    """Return what is wrong with the model that a hook names, and how to fix it.

    Empty if nothing is.
    """
    name = model.names[0]
    if name.startswith("$"):
        return "", ""
    provider, own = split_model_name(name, model.provider)
    if not provider or not own:
        return (
            f"`{name:.80}` names no provider",
            "write `provider/model`, as in `openai/gpt-4o-mini`",
        )
    if provider not in PROVIDERS and not model.base_url:
        hint = (
            did_you_mean(provider, PROVIDERS)
            or f"one of {', '.join(PROVIDERS)}; or give it a `base_url` that speaks like OpenAI's"
        )
        return f"unknown provider `{provider:.80}`", hint
    why = explain_refused_url(model.base_url, allow_local=True) if model.base_url else ""
    return (f"{describe_url(model.base_url)} cannot be called: {why}", "") if why else ("", "")


def explain_borrowed_key(model: Model) -> str:
    """Return a warning if a hook sends one provider's key to another; empty if it does not."""
    provider, _ = split_model_name(model.names[0], model.provider)
    owner = next((row.name for row in _ROWS if model.key in row.keys), provider)
    if owner == provider:
        return ""
    where = describe_url(model.base_url) if model.base_url else f"`{provider:.80}`"
    return (
        f"the variable `{model.key}` holds the key of {owner}, and what it holds is sent to {where}"
    )


def list_key_variables(model: Model) -> tuple[str, ...]:
    """Return the variables for the key of a hook; the first one set counts.

    None where no key is sent.
    """
    if model.key:
        return (model.key,)
    row = PROVIDERS.get(split_model_name(model.names[-1], model.provider)[0])
    return row.keys if row is not None and not model.base_url else ()


def resolve_endpoint(model: Model, environ: Mapping[str, str]) -> Endpoint:
    """Return the model, address and key that a hook uses in this environment.

    Raises:
        HandlerError: no variable names a model, the provider is unknown, the address is refused, or
            the key is unset or invalid.
    """
    name = _name(model, environ)
    provider, own = split_model_name(name, model.provider)
    row = PROVIDERS.get(provider, Provider(name=provider, speaks=OPENAI, base_url=""))
    override = model.base_url or (environ.get(row.at, "").strip() if row.at else "")
    base_url = override or row.base_url
    if not provider or not own or not base_url:
        raise HandlerError(
            f"`{name:.80}` names no provider that is known",
            hint="write `provider/model`, as in `openai/gpt-4o-mini`",
        )
    if why := explain_refused_url(base_url, allow_local=True):
        raise HandlerError(f"{describe_url(base_url)} must not be called: {why}")
    key = _key(model, row, environ, own=not override)
    return Endpoint(
        provider=provider,
        speaks=row.speaks,
        model=own,
        base_url=base_url,
        key=key,
        binds=row.binds and not override,
        local=(bool(override) and model.allow_local) or is_local(base_url),
    )


def _name(model: Model, environ: Mapping[str, str]) -> str:
    for name in model.names:
        if found := environ.get(name[1:], "").strip() if name.startswith("$") else name:
            return found
    raise HandlerError(
        "no model is named", hint=f"set {' or '.join(name[1:] for name in model.names)}"
    )


def _key(model: Model, row: Provider, environ: Mapping[str, str], *, own: bool) -> str:
    """Return the key.

    An address from a file gets a provider's own key only if the file names its variable too.

    The provider's own address needs a key, and so does a variable that a file names.
    """
    places = (model.key,) if model.key else () if model.base_url else row.keys
    variable, found = next(
        ((name, value) for name in places if (value := environ.get(name, "").strip())), ("", "")
    )
    if not found and places and (own or model.key):
        names = " or ".join(f"`{name}`" for name in places)
        raise HandlerError(f"the variable {names}, which holds the key of {row.name}, is not set")
    if found and not _KEY.fullmatch(found):
        raise HandlerError(
            f"the variable `{variable}`, which holds the key of {row.name}, holds what no header"
            " can carry"
        )
    return found
