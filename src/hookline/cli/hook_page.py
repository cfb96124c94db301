"""The page of one hook with all its fields, and how `hookline show` finds it."""

from __future__ import annotations

import json

from hookline.cli.events import ON_FAILURE, make_kind_document, render_kind, suggest_event
from hookline.cli.hook_documents import (
    describe_state,
    find_store_fault,
    list_in_order,
    make_hook_document,
)
from hookline.cli.layout import format_columns, shorten_path
from hookline.cli.options import Selection, usage_error
from hookline.cli.output import (
    OK,
    USAGE,
    Paint,
    Printer,
    print_message,
)
from hookline.cli.positional_ids import to_lasting_id
from hookline.engine.hook_lookup import find_by_end, find_by_id
from hookline.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.cli.output import Document, Lines
    from hookline.engine.engine import Engine
    from hookline.model.spec import HookSpec


def show_found(selection: Selection, printer: Printer, what: str, kind: str) -> int:
    """Print the hook that is called so, else the event of this kind; return the exit code.

    Raises:
        ConfigError: neither is called so, or several hooks are.
    """
    engine = selection.engine()
    spec = _find_hook(engine, what)
    if spec is not None:
        if unreadable := find_store_fault(engine, [spec]):
            print_message(f"hookline show: {unreadable}")
        printer.print(make_hook_document(engine, spec), render_hook)
        return USAGE if unreadable else OK
    specs = [*list_in_order(engine)]
    if not kind:
        raise ConfigError(
            f"neither an event nor a hook is called `{what}`",
            name="event.unknown",
            hint=suggest_event(what, [spec.id for spec in specs]),
        )
    hooks = [spec.id for spec in specs if spec.kind == kind]
    printer.print(make_kind_document(kind, hooks), render_kind(selection.dialect))
    return OK


def _find_hook(engine: Engine, called: str) -> HookSpec | None:
    """Return the hook with that id, else the only one with that name.

    Raises:
        ConfigError: several hooks have that name.
    """
    specs = list(list_in_order(engine))
    found = find_by_id(specs, to_lasting_id(engine, called), engine.environ)
    found = found or [spec for spec in specs if spec.name == called] or find_by_end(specs, called)
    if len(found) > 1:
        listed = ", ".join(f"`{spec.id}`" for spec in found)
        raise usage_error(f"several hooks are called `{called}`: {listed}", "give the id of one")
    return found[0] if found else None


def render_hook(hook: Document, paint: Paint) -> Lines:
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
        "on failure": f"it {ON_FAILURE[hook['on_failure']]}",
        "rank": f"{hook['rank']} (lower runs first)",
        "mode": "strict" if hook["strict"] else "fidelity",
        "from": f"{_format_place(hook)} {hook['pointer']}".rstrip() + f" ({hook['scope']})",
        "state": describe_state(hook),
        "identity": hook["identity"][:12],
    }
    yield from format_columns(shown.items())
    facts = ((name, _format_value(value)) for name, value in hook["facts"].items())
    yield from format_columns(("fact", f"{name}: {text}") for name, text in facts)


def _format_place(hook: Document) -> str:
    file = shorten_path(hook["file"]) or "python"
    return ":".join(str(part) for part in (file, hook["line"]) if part)


def _describe_handler(handler: Document, runs: str) -> dict[str, str]:
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
