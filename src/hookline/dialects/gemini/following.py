"""What a hook that runs in turn is shown of the answers before it, beside a new tool input (docs/formats/gemini.md 6)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.event import Event
    from hookline.model.verdict import Verdict


def prompted(event: Event, verdict: Verdict) -> Event:
    """The prompt with the context that a hook added, as the model will read it."""
    prompt = event.body.value("prompt")
    if not verdict.for_agent or not isinstance(prompt, str):
        return event
    return event.replace(body=event.body.replace(prompt=f"{prompt}\n\n{verdict.for_agent}"))


def requested(event: Event, verdict: Verdict) -> Event:
    """The model's request with what a hook changed of it beside the messages, which are a rewrite."""
    changes = verdict.effects.get("request")
    if not changes:
        return event
    before = event.body.value("llm_request")
    request = {**(before if isinstance(before, dict) else {}), **changes}
    return event.replace(
        body=event.body.replace(
            model=request.get("model"), facts={**event.body.facts, "llm_request": request}
        )
    )
