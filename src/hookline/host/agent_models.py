"""Reads the models and providers of an agent file."""

from __future__ import annotations

from hookline.errors import ConfigError, did_you_mean
from hookline.host.agent_keys import MODEL, PROVIDER, check_keys
from hookline.host.agent_spec import SCRIPTED, ModelSpec, Price
from hookline.host.amounts import read_amounts
from hookline.model.frozen import Frozen
from hookline.text.urls import describe_url, explain_refused_url
from hookline.wire.providers import PROVIDERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from hookline.host.script_file import Script
    from hookline.wire.fields import Node

_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max", "adaptive")
# What a scripted model has of the settings; the others are for a provider.
_OF_SCRIPTS = ("context_window", "price", "compaction_threshold", "compaction_model")
_PRICES = ("input", "output", "cache_read", "cache_write")


class ModelReader(Frozen):
    """Resolves references to models: `name`, `provider/model` or `scripted/file`.

    Attributes:
        nodes: the mappings of the key `models`, by name.
        providers: what each custom provider gives its models; `provider` is whose API it has.
        read_script: returns the script of a path, or raises ConfigError.
        found: the models read so far, by name; None for one that is wrong.
        open: the names that are being read, to find a circle.
    """

    nodes: Mapping[str, Node]
    providers: Mapping[str, Mapping[str, Any]]
    read_script: Callable[[str], Script]
    found: dict[str, ModelSpec | None]
    open: set[str]

    def read_all(self) -> dict[str, ModelSpec]:
        """Return each model of the key `models` that is right."""
        read = {name: self._read_named(name) for name in self.nodes}
        return {name: model for name, model in read.items() if model is not None}

    def resolve(self, node: Node, key: str | int, reference: str) -> ModelSpec | None:
        """Return the model that a text refers to.

        None, and a problem at `key` of `node`, if there is none.
        """
        if reference in self.nodes:
            if reference in self.open:
                node.complain("model.unknown", f"the model `{reference}` leads to itself", key)
                return None
            return self._read_named(reference)
        if reference in self.found:
            return self.found[reference]
        provider, slash, own = reference.partition("/")
        if "," in reference or not slash or not provider or not own:
            self._complain_reference(node, key, reference)
            return None
        model = self._make(node, key, name=reference, provider=provider, model=own, fields={})
        self.found[reference] = model
        return model

    def resolve_key(self, node: Node, key: str) -> ModelSpec | None:
        """Return the model that the text under a key refers to; None without one."""
        reference = node.text(key)
        return self.resolve(node, key, reference) if reference else None

    def resolve_list(self, node: Node, key: str) -> tuple[ModelSpec, ...]:
        """Return the models that the texts under a key refer to."""
        if not (references := node.texts(key)):
            return ()
        listed = node.child(key)
        found = (self.resolve(listed, at, each) for at, each in enumerate(references))
        return tuple(model for model in found if model is not None)

    def _complain_reference(self, node: Node, key: str | int, reference: str) -> None:
        if "," in reference:
            hint = "name one model, and others under `fallback`"
        elif reference == "auto":
            hint = "hookline guesses no model; name several under `first_available` of a model"
        else:
            hint = did_you_mean(reference, self.nodes) or (
                "name a key of `models`, `provider/model` as in `openai/gpt-4o-mini`, or"
                " `scripted/FILE`"
            )
        node.complain("model.unknown", f"unknown model `{reference:.80}`", key, hint=hint)

    def _read_named(self, name: str) -> ModelSpec | None:
        if name not in self.found:
            self.open.add(name)
            self.found[name] = self._read_mapping(name, self.nodes[name])
            self.open.discard(name)
        return self.found[name]

    def _read_mapping(self, name: str, node: Node) -> ModelSpec | None:
        what = f"the model `{name}`"
        if not node.is_mapping(what):
            return None
        check_keys(node, MODEL, what)
        if node.value.get("first_available") is not None:
            return self._read_candidates(name, node)
        fields = _read_settings(node)
        if (threshold := node.number("compaction_threshold")) is not None:
            if 0 < threshold <= 1:
                fields["compaction_threshold"] = threshold
            else:
                why = f"`compaction_threshold: {threshold}` is no part of a window"
                node.complain("value.range", why, "compaction_threshold", hint="0.9 is 90 %")
        fields["price"] = _read_price(node)
        if (compaction := self.resolve_key(node, "compaction_model")) is not None:
            fields["compaction_model"] = compaction
        provider = node.text("provider", required=True)
        model = node.text("model", required=True)
        if not provider or not model:
            return None
        key = "provider" if provider != SCRIPTED else "model"
        return self._make(node, key, name=name, provider=provider, model=model, fields=fields)

    def _read_candidates(self, name: str, node: Node) -> ModelSpec | None:
        others = [key for key, value in node.value.items() if value and key != "first_available"]
        others = [key for key in others if key != "description"]
        if others:
            why = f"`{others[0]}` has no effect beside `first_available`"
            node.complain(
                "key.misplaced", why, others[0], hint="put it into the models named there"
            )
        candidates = self.resolve_list(node, "first_available")
        return ModelSpec(name=name, candidates=candidates) if candidates else None

    def _make(
        self,
        node: Node,
        key: str | int,
        *,
        name: str,
        provider: str,
        model: str,
        fields: Mapping[str, Any],
    ) -> ModelSpec | None:
        """Return a model with what its provider gives it; None and a problem if it has none."""
        if provider == SCRIPTED:
            try:
                script = self.read_script(model)
            except ConfigError as error:
                node.complain(error.name, error.message, key, hint=error.hint)
                return None
            own = {key: value for key, value in _drop_unset(fields).items() if key in _OF_SCRIPTS}
            return ModelSpec(name=name, provider=SCRIPTED, model=model, script=script, **own)
        given = self.providers.get(provider, {})
        merged = {key: value for key, value in given.items() if key != "provider"}
        merged |= _drop_unset(fields)
        speaks = given.get("provider", provider)
        if speaks not in PROVIDERS and not merged.get("base_url"):
            names = (*self.providers, *PROVIDERS, SCRIPTED)
            hint = did_you_mean(provider, names) or (
                f"one of {', '.join(PROVIDERS)}; or give it a `base_url` under `providers`"
            )
            node.complain("model.unknown", f"unknown provider `{provider:.80}`", key, hint=hint)
            return None
        reference = merged.get("compaction_model")
        if isinstance(reference, str):
            merged["compaction_model"] = self.resolve(node, key, reference)
        merged["provider_name"] = provider if provider in self.providers else ""
        return ModelSpec(name=name, provider=speaks, model=model, **merged)


def read_providers(node: Node | None) -> dict[str, dict[str, Any]]:
    """Return what each provider under `providers` gives its models."""
    if node is None or not node.is_mapping("`providers`"):
        return {}
    found: dict[str, dict[str, Any]] = {}
    for child in node.children():
        name = str(child.path[-1])
        if not child.is_mapping(f"the provider `{name}`"):
            continue
        check_keys(child, PROVIDER, f"the provider `{name}`")
        settings = _drop_unset(_read_settings(child))
        if reference := child.text("compaction_model"):
            settings["compaction_model"] = reference
        if address := child.text("unload_api"):
            settings["unload_api"] = address
        speaks = child.text("provider") or (name if name in PROVIDERS else "openai")
        if speaks not in PROVIDERS:
            hint = did_you_mean(speaks, PROVIDERS) or f"one of {', '.join(PROVIDERS)}"
            child.complain(
                "model.unknown", f"unknown provider `{speaks:.80}`", "provider", hint=hint
            )
            speaks = "openai"
        if name not in PROVIDERS and "provider" not in child.value and not child.text("base_url"):
            why = f"the provider `{name}` has no address"
            child.complain("key.missing", why, hint="add `base_url`, or `provider`")
        found[name] = {"provider": speaks, **settings}
    return found


def _read_settings(node: Node) -> dict[str, Any]:
    """Return the settings that models and providers share."""
    options = node.value.get("provider_opts")
    window: int | None = None
    if options is not None and node.child("provider_opts").is_mapping("`provider_opts`"):
        window = node.child("provider_opts").integer("context_size")
    return {
        "base_url": _read_url(node),
        "token_key": node.text("token_key"),
        "temperature": _read_range(node, "temperature", 0, 2),
        "max_tokens": _read_tokens(node, "max_tokens"),
        "top_p": _read_range(node, "top_p", 0, 1),
        "frequency_penalty": _read_range(node, "frequency_penalty", -2, 2),
        "presence_penalty": _read_range(node, "presence_penalty", -2, 2),
        "parallel_tool_calls": _read_flag(node, "parallel_tool_calls"),
        "context_window": window,
        "thinking_budget": _read_thinking(node),
    }


def _drop_unset(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that have a value; a temperature of 0 is one."""
    return {key: value for key, value in settings.items() if value is not None and value != ""}


def _read_flag(node: Node, key: str) -> bool | None:
    return node.flag(key) if node.value.get(key) is not None else None


def _read_url(node: Node) -> str:
    """Return the address of a model; one with references is judged when it is called."""
    url = node.text("base_url")
    if url and "$" not in url and (why := explain_refused_url(url, allow_local=True)):
        node.complain("handler.url", f"{describe_url(url)} cannot be called: {why}", "base_url")
    return url


def _read_range(node: Node, key: str, low: float, high: float) -> float | None:
    value = node.number(key)
    if value is not None and not low <= value <= high:
        node.complain("value.range", f"`{key}: {value}` is not between {low} and {high}", key)
        return None
    return value


def _read_tokens(node: Node, key: str) -> int | None:
    value = node.integer(key)
    if value is not None and value < 1:
        node.complain("value.range", f"`{key}: {value}` is no number of tokens", key)
        return None
    return value


def _read_thinking(node: Node) -> str | int | None:
    value = node.value.get("thinking_budget")
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= -1):
        return value
    if isinstance(value, str) and all(part in _EFFORTS for part in value.split("/", 1)):
        return value
    hint = f"a number of tokens, or one of {', '.join(_EFFORTS)}"
    node.complain("value.choice", f"`thinking_budget: {value!s:.40}` is not known",
                  "thinking_budget", hint=hint)  # fmt: skip
    return None


def _read_price(node: Node) -> Price | None:
    prices = read_amounts(node, "cost", _PRICES, what="price")
    return None if prices is None else Price(**prices)
