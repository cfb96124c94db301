"""Formats the documents of `list` and `show` as text."""

from __future__ import annotations

import json

from hookline.cli import phrases
from hookline.cli.hook_documents import BROKEN, READY
from hookline.cli.pages import count_things, format_columns
from hookline.model.spec import MANAGED
from hookline.trust.policy import APPROVED, NEW, STATES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookline.cli.pages import Paint

# Reasons that only repeat the state.
_STATE_REASONS = ("", "you have not approved it", "you revoked its approval")


def render_hooks(document: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Yield the hooks event by event.

    At the end each unreadable file, which counts as a broken hook of many events.
    """
    broken: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for hook in document["hooks"]:
        if hook["state"] == BROKEN:
            fault = hook["file"], hook["line"], hook["column"], hook["why"]
            broken.setdefault(fault, []).append(hook)
    files = [same for same in broken.values() if len({hook["kind"] for hook in same}) > 1]
    of_files = {hook["hook"] for same in files for hook in same}
    kind = ""
    for hook in document["hooks"]:
        if hook["hook"] in of_files:
            continue
        if hook["kind"] != kind:
            if kind:
                yield ""
            kind = hook["kind"]
            yield paint("strong", kind)
        when = f", when {' and '.join(hook['when'])}" if hook["when"] else ""
        yield f"  {paint('name', hook['hook'])}  {hook['native_event']}{when}"
        yield f"    {hook['runs']}"
        yield f"    {paint('dim', _format_place(hook))}  {_describe_state(hook, paint)}"
    for first, *others in files:
        if kind:
            yield ""
        kind = f"{first['kind']} and {count_things(len(others), 'other event')}"
        yield paint("strong", kind)
        yield f"  {paint('name', first['name'])}"
        yield "    nothing: the file takes part in each of them as a hook that failed"
        state = _describe_state({**first, "why": "nothing of it counts"}, paint)
        yield f"    {paint('dim', _format_place(first))}  {state}"


def _format_place(hook: dict[str, Any]) -> str:
    return ":".join(str(part) for part in (hook["file"] or "python", hook["line"]) if part)


def _describe_state(hook: dict[str, Any], paint: Paint) -> str:
    """Describe the state of a hook, its effect, and its unusual flags."""
    state = hook["standing"] or (APPROVED if hook["trusted"] else NEW)
    is_broken = hook["state"] not in (READY, *STATES)
    if state == APPROVED:
        marks = [MANAGED if hook["managed"] else APPROVED]
    else:
        does = "runs" if hook["state"] == READY else "does not run"
        why = "" if hook["why"] in _STATE_REASONS or is_broken else f", {hook['why']}"
        marks = [paint("warning", f"{state}: {does}{why}")]
    marks += hook["flags"]
    if is_broken:
        marks.append(paint("bad", f"{hook['state']}: {hook['why']}"))
    return ", ".join(marks)


def render_hook(hook: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Yield one hook, field by field."""
    yield paint("name", hook["hook"])
    own, limit = hook["timeout"], hook["time_limit"]
    ignored = f", as of every hook in the background; its own of {own:g} s is not enforced"
    shown = {
        "event": f"{hook['native_event']} of {hook['dialect']} ({hook['kind']})",
        "name": hook["name"] if hook["name"] != hook["hook"] else "",
        "when": " and ".join(hook["when"]) or "always",
        **_describe_handler(hook["handler"], hook["runs"]),
        "timeout": f"{limit:g} s{ignored if own != limit else ''}",
        "on failure": f"it {phrases.ON_FAILURE[hook['on_failure']]}",
        "rank": f"{hook['rank']} (lower runs first)",
        "mode": "strict" if hook["strict"] else "fidelity",
        "from": f"{_format_place(hook)}{' ' * bool(hook['pointer'])}{hook['pointer']} ({hook['scope']})",
        "state": _describe_state(hook, paint),
        "identity": hook["identity"][:12],
    }
    yield from format_columns(shown.items())
    facts = ((name, _format_value(value)) for name, value in hook["facts"].items())
    yield from format_columns(("fact", f"{name}: {text}") for name, text in facts)


def _describe_handler(handler: dict[str, Any], runs: str) -> dict[str, str]:
    """Return what a hook runs, with the whole text of a script or a prompt, and where."""
    shown = {"runs": runs}
    if handler.get("script"):
        shells = ", else ".join(handler["shell"]) or "sh"
        shown["runs"] = f"a script in {shells}\n{handler['script'].strip()}"
    elif handler.get("prompt"):
        keys = ", else ".join(f"${name}" for name in handler["keys"])
        asked = f"the model {', or '.join(handler['names'])}\n{handler['prompt'].strip()}"
        place = handler["base_url"] or "the provider's own, or the one that the environment names"
        shown = {"asks": asked, "address": place, "key": f"in {keys}" if keys else "none"}
    return {
        **shown,
        "env": ", ".join(handler.get("env") or ()),
        "folder": handler.get("working_dir") or "",
    }


def _format_value(value: Any) -> str:
    """Return a field as text; empty if it says nothing."""
    if isinstance(value, str):
        return value.rstrip("\n")
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ", ".join(value)
    return json.dumps(value, ensure_ascii=False)


def render_kind(kind: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Yield one event: its class, its names, and its row in each supported dialect."""
    yield f"{paint('strong', kind['kind'])}, {phrases.CLASSES[kind['class']]}"
    powers = phrases.describe_powers(kind["powers"], redo=kind["redo"])
    called = [f"{', '.join(natives)} ({dialect})" for dialect, natives in kind["natives"].items()]
    shown = {
        "a hook may": "\n".join(powers) or "look",
        "payload": ", ".join(kind["payload"]),
        "called": "\n".join(called),
    }
    yield from format_columns(shown.items())
    for row in kind["rows"]:
        yield ""
        yield f"{paint('name', row['native_event'])} of {row['dialect']}"
        yield from format_columns(_list_row(row, redo=kind["redo"]).items())
    if kind["hooks"]:
        yield ""
        yield from format_columns([("hooks here", "\n".join(kind["hooks"]))])


def _list_row(row: dict[str, Any], *, redo: bool) -> dict[str, str]:
    return {
        "can block": "yes" if row["can_block"] else "no",
        "a failure": phrases.ON_FAILURE[row["on_failure"]],
        "plain stdout": "context for the model" if row["plain_context"] else "no context",
        "hooks run": "all at once" if row["parallel"] else "one after the other",
        "matcher": f"compared with the {row['matched']}" if row["matched"] else "",
        "a hook may": "; ".join(phrases.describe_powers(row["powers"], redo=redo)) or "look",
        "payload": ", ".join(row["fields"]),
    }
