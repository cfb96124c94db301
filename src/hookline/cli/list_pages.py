"""Formats the documents of `list` and `show` as text."""

from __future__ import annotations

import json

from hookline.cli import phrases
from hookline.cli.hook_documents import BROKEN, READY
from hookline.cli.pages import count_things
from hookline.model.spec import MANAGED
from hookline.trust.policy import APPROVED, NEW, STATES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookline.cli.pages import Paint

_LABEL = 12
# Reasons that only repeat the state.
_SAID = ("", "you have not approved it", "you revoked its approval")


def render_hooks(document: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Yield the hooks event by event; at the end each unreadable file, which counts as a broken hook of many events."""
    kind = ""
    unread = _group_broken(document["hooks"])
    for hook in document["hooks"]:
        if _fault_key(hook) in unread:
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
    for hook, kinds in unread.values():
        if kind:
            yield ""
        kind = paint("strong", f"{kinds[0]} and {count_things(len(kinds) - 1, 'other event')}")
        yield kind
        yield f"  {paint('name', hook['name'])}"
        yield "    nothing: the file takes part in each of them as a hook that failed"
        yield f"    {paint('dim', _format_place(hook))}  {_describe_state({**hook, 'why': 'nothing of it counts'}, paint)}"


def _fault_key(hook: dict[str, Any]) -> tuple[Any, ...]:
    return hook["file"], hook["line"], hook["column"], hook["why"]


def _group_broken(
    hooks: list[dict[str, Any]],
) -> dict[tuple[Any, ...], tuple[dict[str, Any], list[str]]]:
    """Return the faults that break several events: the first hook of each, and the events."""
    found: dict[tuple[Any, ...], tuple[dict[str, Any], list[str]]] = {}
    for hook in hooks:
        if hook["state"] == BROKEN:
            found.setdefault(_fault_key(hook), (hook, []))[1].append(hook["kind"])
    return {fault: (hook, kinds) for fault, (hook, kinds) in found.items() if len(set(kinds)) > 1}


def _format_place(hook: dict[str, Any]) -> str:
    return ":".join(str(part) for part in (hook["file"] or "python", hook["line"]) if part)


def _describe_state(hook: dict[str, Any], paint: Paint) -> str:
    """Describe the state of a hook, its effect, and its unusual flags."""
    standing = hook["standing"] or (APPROVED if hook["trusted"] else NEW)
    holds = MANAGED if hook["managed"] else APPROVED
    marks = [
        holds
        if standing == APPROVED
        else paint("warning", f"{standing}: {_describe_effect(hook)}"),
        *hook["flags"],
    ]
    if hook["state"] not in (READY, *STATES):
        marks.append(paint("bad", f"{hook['state']}: {hook['why']}"))
    return ", ".join(marks)


def _describe_effect(hook: dict[str, Any]) -> str:
    """Describe whether a hook that is not approved runs, and why."""
    does = "runs" if hook["state"] == READY else "does not run"
    return (
        f"{does}, {hook['why']}"
        if hook["why"] not in _SAID and hook["state"] in (READY, *STATES)
        else does
    )


def render_hook(hook: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Yield one hook, field by field."""
    yield paint("name", hook["hook"])
    yield _format_field("event", f"{hook['native_event']} of {hook['dialect']} ({hook['kind']})")
    if hook["name"] and hook["name"] != hook["hook"]:
        yield _format_field("name", hook["name"])
    yield _format_field("when", " and ".join(hook["when"]) or "always")
    yield from _describe_handler(hook["handler"])
    yield _format_field("timeout", _describe_timeout(hook["timeout"], hook["time_limit"]))
    yield _format_field("on failure", f"it {phrases.ON_FAILURE[hook['on_failure']]}")
    yield _format_field("rank", f"{hook['rank']} (lower runs first)")
    yield _format_field("mode", "strict" if hook["strict"] else "fidelity")
    yield _format_field(
        "from",
        f"{_format_place(hook)}{' ' * bool(hook['pointer'])}{hook['pointer']} ({hook['scope']})",
    )
    yield _format_field("state", _describe_state(hook, paint))
    if hook["identity"]:
        yield _format_field("identity", hook["identity"][:12])
    yield from (
        _format_field("fact", f"{name}: {_format_fact(value)}")
        for name, value in hook["facts"].items()
    )


def _describe_timeout(own: float, counts: float) -> str:
    """Describe the enforced time limit, and the file's if that is not enforced."""
    if own == counts:
        return f"{own:g} s"
    return f"{counts:g} s, as of every hook in the background; its own of {own:g} s is not enforced"


def _format_fact(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _describe_handler(handler: dict[str, Any]) -> Iterator[str]:
    match handler:
        case {"type": "command", "script": script, "shell": shell} if script:
            yield _format_field("runs", f"a script in {', else '.join(shell) or 'sh'}")
            yield from (f"{'':{_LABEL + 4}}{line}" for line in script.strip("\n").splitlines())
        case {"type": "command", "argv": argv}:
            yield _format_field("runs", " ".join(argv))
        case {"type": "model", "names": names, "prompt": prompt}:
            yield _format_field("asks", f"the model {', or '.join(names)}")
            yield from (f"{'':{_LABEL + 4}}{line}" for line in prompt.strip("\n").splitlines())
            yield _format_field(
                "address",
                handler["base_url"] or "the provider's own, or the one that the environment names",
            )
            yield _format_field(
                "key",
                f"in {', else '.join(f'${name}' for name in handler['keys'])}"
                if handler["keys"]
                else "none",
            )
        case {"type": "broken", "reason": reason}:
            yield _format_field("runs", f"nothing, because it is broken: {reason}")
        case {"name": name, "type": kind}:
            yield _format_field("runs", " ".join((kind, name, *handler.get("args", ()))))
    if handler.get("env"):
        yield _format_field("env", ", ".join(handler["env"]))
    if handler.get("working_dir"):
        yield _format_field("folder", handler["working_dir"])


def render_kind(kind: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Yield one event: its class, its names, and its row in each supported dialect."""
    yield f"{paint('strong', kind['kind'])}, {phrases.CLASSES[kind['class']]}"
    may = phrases.describe_powers(kind["powers"], redo=kind["redo"])
    yield from _format_list("a hook may", may or ["look"])
    yield from _format_list("payload", [", ".join(kind["payload"])] if kind["payload"] else [])
    yield from _format_list(
        "called",
        [f"{', '.join(natives)} ({dialect})" for dialect, natives in kind["natives"].items()],
    )
    for row in kind["rows"]:
        yield ""
        yield f"{paint('name', row['native_event'])} of {row['dialect']}"
        yield from _render_row(row, redo=kind["redo"])
    if kind["hooks"]:
        yield ""
        yield from _format_list("hooks here", kind["hooks"])


def _render_row(row: dict[str, Any], *, redo: bool) -> Iterator[str]:
    yield _format_field("can block", "yes" if row["can_block"] else "no")
    yield _format_field("a failure", phrases.ON_FAILURE[row["on_failure"]])
    yield _format_field(
        "plain stdout", "context for the model" if row["plain_context"] else "no context"
    )
    yield _format_field("hooks run", "all at once" if row["parallel"] else "one after the other")
    if row["matched"]:
        yield _format_field("matcher", f"compared with the {row['matched']}")
    yield _format_field(
        "a hook may", "; ".join(phrases.describe_powers(row["powers"], redo=redo)) or "look"
    )
    yield _format_field("payload", ", ".join(row["fields"]))


def _format_field(label: str, text: str) -> str:
    return f"  {label:{_LABEL}}  {text}"


def _format_list(label: str, lines: list[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        yield _format_field("" if number else label, line)
