"""Pages: the documents of `list` and `show` as text for people."""

from __future__ import annotations

import json

from hookline.cli import words
from hookline.cli.hooks import BROKEN, READY
from hookline.model.spec import MANAGED
from hookline.trust.policy import APPROVED, NEW, STATES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookline.cli.paint import Paint

_LABEL = 12
# Reasons that say no more than the state does.
_SAID = ("", "you have not approved it", "you revoked its approval")


def hooks_page(document: dict[str, Any], paint: Paint) -> Iterator[str]:
    """The hooks, event by event; at the end each file that has one on many events for the one reason that nothing of it counts."""
    kind = ""
    unread = _unread(document["hooks"])
    for hook in document["hooks"]:
        if _fault(hook) in unread:
            continue
        if hook["kind"] != kind:
            if kind:
                yield ""
            kind = hook["kind"]
            yield paint("strong", kind)
        when = f", when {' and '.join(hook['when'])}" if hook["when"] else ""
        yield f"  {paint('name', hook['hook'])}  {hook['native_event']}{when}"
        yield f"    {hook['runs']}"
        yield f"    {paint('dim', _place(hook))}  {_marks(hook, paint)}"
    for hook, kinds in unread.values():
        if kind:
            yield ""
        kind = paint("strong", f"{kinds[0]} and {words.counted(len(kinds) - 1, 'other event')}")
        yield kind
        yield f"  {paint('name', hook['name'])}"
        yield "    nothing: the file takes part in each of them as a hook that failed"
        yield f"    {paint('dim', _place(hook))}  {_marks({**hook, 'why': 'nothing of it counts'}, paint)}"


def _fault(hook: dict[str, Any]) -> tuple[Any, ...]:
    return hook["file"], hook["line"], hook["column"], hook["why"]


def _unread(hooks: list[dict[str, Any]]) -> dict[tuple[Any, ...], tuple[dict[str, Any], list[str]]]:
    """What is broken on several events for one reason: its first hook, and the events."""
    found: dict[tuple[Any, ...], tuple[dict[str, Any], list[str]]] = {}
    for hook in hooks:
        if hook["state"] == BROKEN:
            found.setdefault(_fault(hook), (hook, []))[1].append(hook["kind"])
    return {fault: (hook, kinds) for fault, (hook, kinds) in found.items() if len(set(kinds)) > 1}


def _place(hook: dict[str, Any]) -> str:
    return ":".join(str(part) for part in (hook["file"] or "python", hook["line"]) if part)


def _marks(hook: dict[str, Any], paint: Paint) -> str:
    """How it stands, what that means, and whatever else is not as usual."""
    standing = hook["standing"] or (APPROVED if hook["trusted"] else NEW)
    holds = MANAGED if hook["managed"] else APPROVED
    marks = [
        holds if standing == APPROVED else paint("warning", f"{standing}: {_means(hook)}"),
        *hook["flags"],
    ]
    if hook["state"] not in (READY, *STATES):
        marks.append(paint("bad", f"{hook['state']}: {hook['why']}"))
    return ", ".join(marks)


def _means(hook: dict[str, Any]) -> str:
    """What becomes of a hook that is not approved: whether it runs nevertheless, and why it stands so."""
    does = "runs" if hook["state"] == READY else "does not run"
    return (
        f"{does}, {hook['why']}"
        if hook["why"] not in _SAID and hook["state"] in (READY, *STATES)
        else does
    )


def hook_page(hook: dict[str, Any], paint: Paint) -> Iterator[str]:
    """One hook, field by field."""
    yield paint("name", hook["hook"])
    yield _field("event", f"{hook['native_event']} of {hook['dialect']} ({hook['kind']})")
    if hook["name"] and hook["name"] != hook["hook"]:
        yield _field("name", hook["name"])
    yield _field("when", " and ".join(hook["when"]) or "always")
    yield from _runs(hook["handler"])
    yield _field("timeout", _timeout(hook["timeout"], hook["time_limit"]))
    yield _field("on failure", f"it {words.ON_FAILURE[hook['on_failure']]}")
    yield _field("rank", f"{hook['rank']} (lower runs first)")
    yield _field("mode", "strict" if hook["strict"] else "fidelity")
    yield _field(
        "from", f"{_place(hook)}{' ' * bool(hook['pointer'])}{hook['pointer']} ({hook['scope']})"
    )
    yield _field("state", _marks(hook, paint))
    if hook["identity"]:
        yield _field("identity", hook["identity"][:12])
    yield from (_field("fact", f"{name}: {_fact(value)}") for name, value in hook["facts"].items())


def _timeout(own: float, counts: float) -> str:
    """The time limit that counts, and beside it the file's where it is not enforced."""
    if own == counts:
        return f"{own:g} s"
    return f"{counts:g} s, as of every hook in the background; its own of {own:g} s is not enforced"


def _fact(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _runs(handler: dict[str, Any]) -> Iterator[str]:
    match handler:
        case {"type": "command", "script": script, "shell": shell} if script:
            yield _field("runs", f"a script in {', else '.join(shell) or 'sh'}")
            yield from (f"{'':{_LABEL + 4}}{line}" for line in script.strip("\n").splitlines())
        case {"type": "command", "argv": argv}:
            yield _field("runs", " ".join(argv))
        case {"type": "model", "names": names, "prompt": prompt}:
            yield _field("asks", f"the model {', or '.join(names)}")
            yield from (f"{'':{_LABEL + 4}}{line}" for line in prompt.strip("\n").splitlines())
            yield _field(
                "address",
                handler["base_url"] or "the provider's own, or the one that the environment names",
            )
            yield _field(
                "key",
                f"in {', else '.join(f'${name}' for name in handler['keys'])}"
                if handler["keys"]
                else "none",
            )
        case {"type": "broken", "reason": reason}:
            yield _field("runs", f"nothing, because it is broken: {reason}")
        case {"name": name, "type": kind}:
            yield _field("runs", " ".join((kind, name, *handler.get("args", ()))))
    if handler.get("env"):
        yield _field("env", ", ".join(handler["env"]))
    if handler.get("working_dir"):
        yield _field("folder", handler["working_dir"])


def kind_page(kind: dict[str, Any], paint: Paint) -> Iterator[str]:
    """One event: what it is, its names, and the rows of the dialects that we speak."""
    yield f"{paint('strong', kind['kind'])}, {words.CLASSES[kind['class']]}"
    may = words.powers(kind["powers"], redo=kind["redo"])
    yield from _listing("a hook may", may or ["look"])
    yield from _listing("payload", [", ".join(kind["payload"])] if kind["payload"] else [])
    yield from _listing(
        "called",
        [f"{', '.join(natives)} ({dialect})" for dialect, natives in kind["natives"].items()],
    )
    for row in kind["rows"]:
        yield ""
        yield f"{paint('name', row['native_event'])} of {row['dialect']}"
        yield from _row(row, redo=kind["redo"])
    if kind["hooks"]:
        yield ""
        yield from _listing("hooks here", kind["hooks"])


def _row(row: dict[str, Any], *, redo: bool) -> Iterator[str]:
    yield _field("can block", "yes" if row["can_block"] else "no")
    yield _field("a failure", words.ON_FAILURE[row["on_failure"]])
    yield _field("plain stdout", "context for the model" if row["plain_context"] else "no context")
    yield _field("hooks run", "all at once" if row["parallel"] else "one after the other")
    if row["matched"]:
        yield _field("matcher", f"compared with the {row['matched']}")
    yield _field("a hook may", "; ".join(words.powers(row["powers"], redo=redo)) or "look")
    yield _field("payload", ", ".join(row["fields"]))


def _field(label: str, text: str) -> str:
    return f"  {label:{_LABEL}}  {text}"


def _listing(label: str, lines: list[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        yield _field("" if number else label, line)
