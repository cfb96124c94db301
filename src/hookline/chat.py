"""hookline in a chat: `command("/hooks ...")` takes the plain text that a person typed, and answers in plain text.

Whoever calls it vouches that a person typed the text: what a model or a web page wrote must never get here.
"""

from __future__ import annotations

import os
import re
import shlex
from importlib.resources import files

from hookline.engine.checkup import check
from hookline.engine.drift import drift
from hookline.engine.engine import Engine
from hookline.engine.gating import Late, noted
from hookline.engine.journaling import journal_of
from hookline.engine.sources import all_hooks, given_way
from hookline.engine.steering import (
    Footing,
    approve_declared,
    called,
    commanded,
    footings,
    gate_for,
    revoke_declared,
    turn_all,
    what_is_off,
)
from hookline.errors import HookError
from hookline.model.handler import Broken
from hookline.text.visible import visible
from hookline.trust.policy import CHANGED, MISSING, REVOKED, TRUSTED
from hookline.trust.switch import switches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Self

    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec

__all__ = ["command", "picked"]

_NAME = "/hooks"
_HOW = "chat"
_LONGEST = 4000  # characters of a command; nobody types more
_USAGE = """/hooks or /hooks list - is everything on, where hooks are declared, and how each stands
/hooks on | /hooks off - switch the hooks of this project on or off, at once
/hooks doctor - try each approved hook on a harmless event
/hooks approve <event> <command> - approve a hook of one event, live at once
/hooks approve <command> - approve it on every event that it is declared for
/hooks revoke <command> - take the approval back, at once
/hooks help - this text"""
_EXAMPLE = """No ready-made scripts come with this version. A hook is declared in a file of the project; for example in config/shell_hooks.yaml:

hooks:
  - event: pre_tool_call
    command: /absolute/path/to/guard.py

Then: /hooks approve /absolute/path/to/guard.py"""
_STATES: Mapping[str, str] = {
    TRUSTED: "✓ approved",
    CHANGED: "✗ changed since approval",
    REVOKED: "✗ NOT approved (revoked)",
    MISSING: "✗ its script is missing",
}
_NOT_APPROVED = "✗ NOT approved"
_NUMBERED = re.compile(r"^\s*(\d+)[.)]\s+`?([^\s`]+)`?", re.MULTILINE)
_SCRIPTS = (".py", ".sh", ".js", ".mjs")
_ALL = frozenset({"all", "install all", "everything", "*"})


def command(text: str, *, cwd: str = ".", who: str = "", environ: Mapping[str, str] | None = None, engine: Engine | None = None) -> str:
    """Do what a chat command says, and return the answer: plain text, of several lines, without a model and without a restart.

    `text`: as it was typed, `/hooks` first, because nothing else is a command (a bot's name after it, as `/hooks@bot`, is dropped). `cwd`: the project folder.
    `who`: the person, as the journal and the approvals shall name them; without it, the user of this process. `engine`: one
    that runs already, whose files are read anew first; without it the hooks that are found from `cwd`. Never raises for
    what is typed, nor for what is in a file (starchild.md 6.2).
    """
    try:
        with _Talk(cwd, who, environ, engine) as talk:
            return _shown(talk.answer(text))
    except HookError as error:
        hint = f" ({error.hint})" if error.hint else ""
        return _shown(f"✗ {error.code} {error.message}{hint}")
    except OSError as error:
        return _shown(f"✗ {(error.strerror or str(error)).lower()}")


def picked(reply: str, shown: str) -> tuple[str, ...]:
    """The names that a person's reply means, such as `1,3`, a name, or `install all`, in a numbered list as it was shown.

    A number counts in that very list, and never in another: the answer is what was read there.
    """
    listed = dict(_NUMBERED.findall(shown))
    said = reply.strip().strip("`").lower()
    if said in _ALL:
        return tuple(listed.values())
    by_name = {name.lower(): name for name in listed.values()} | {name.lower().rpartition(".")[0]: name for name in listed.values()}
    words = [word for word in re.split(r"[\s,;]+", said.removeprefix("install ")) if word not in ("", "and")]
    found = [listed.get(word.rstrip(".")) or by_name.get(word, "") for word in words]
    return tuple(dict.fromkeys(found)) if all(found) else ()


def _shown(text: str) -> str:
    return visible(text.rstrip("\n"), lines=True)


class _Talk:
    """One command, with the engine that it is about."""

    def __init__(self, cwd: str, who: str, environ: Mapping[str, str] | None, engine: Engine | None) -> None:
        self._who = who
        self._own = engine is None
        self._told: list[str] = []
        self.engine = engine if engine is not None else self._discovered(cwd, environ)

    def _discovered(self, cwd: str, environ: Mapping[str, str] | None) -> Engine:
        given = os.environ if environ is None else environ
        journal = journal_of(given, self._told.append)
        return Engine.discover(cwd, environ=given, journal=journal, gate=Late(cwd, given, tell=noted(journal)))

    def __enter__(self) -> Self:
        if not self._own:
            self.engine.reload_if_changed()
        return self

    def __exit__(self, *error: object) -> None:
        if self._own:
            self.engine.close()

    def answer(self, text: str) -> str:
        """The answer to a command; to what is none, the usage."""
        first, rest = _first_word(text[:_LONGEST])
        if first.partition("@")[0].lower() != _NAME:
            return f"A command begins with `{_NAME}`.\n\n{_USAGE}"
        first, rest = _first_word(rest)
        does = _DOES.get(first.lower() or "list")
        said = does(self, rest) if does else f"There is no `{_NAME} {first}`.\n\n{_USAGE}"
        return "\n".join((said, *(f"note: {line}" for line in self._told)))

    # -- looking ---------------------------------------------------------------------------------------------------

    def listing(self, _: str) -> str:
        """The master switch, where hooks are declared, every hook with its approval and health."""
        stand = footings(self.engine)
        lines = [*self._master(), *(f"config: {path}" for path in self._configs(stand))]
        for spec in all_hooks(self.engine):
            lines += ["", *self._hook(spec, stand[spec.id])]
        lines += [f"! {problem}" for problem in self.engine.problems if problem.severity == "error"]
        return "\n".join(lines if stand else [*lines, "", "No hooks here.", "", *_ready()])

    def _master(self) -> Iterator[str]:
        gate = gate_for(self.engine)
        off = what_is_off(switches(gate.known(), gate.root, gate.environ))
        yield "hooks: ON" if not off else "hooks: OFF"
        yield from (f"  {why} ({_typed(hint)})" for why, hint in off)

    def _configs(self, stand: Mapping[str, Footing]) -> list[str]:
        return list(dict.fromkeys(footing.standing.spec.origin.file for footing in stand.values() if footing.standing.spec.origin.file))

    def _hook(self, spec: HookSpec, footing: Footing) -> Iterator[str]:
        yield f"{spec.native_event}  {called(spec)}"
        if gone := given_way(self.engine, spec):
            yield f"  - left out: {gone}"
            return
        if isinstance(spec.handler, Broken):
            yield f"  ✗ broken: {spec.handler.reason}"
            return
        standing = footing.standing
        why = f": {standing.reason}" if standing.reason else ""
        yield f"  {_STATES.get(standing.state, _NOT_APPROVED)}{why}"
        yield from (f"    {line}" for line in drift(gate_for(self.engine), standing))
        if footing.runs and standing.state != TRUSTED:
            yield "    it runs nevertheless: it is the user's own"

    def doctor(self, _: str) -> str:
        """Each approved hook, tried."""
        found = check(self.engine)
        lines = [*self._master()]
        for one in found.hooks:
            mark = "✗" if any(each.severity == "error" for each in one.findings) else "!" if one.findings else "✓"
            tried = f"tried, {one.verdict.seconds:.2f} s" if one.verdict is not None else "not tried"
            lines += ["", f"{mark} {one.spec.native_event}  {called(one.spec)} ({tried})", *_findings(one.findings)]
        lines += ["", *_findings(found.findings)] if found.findings else []
        return "\n".join(lines if found.hooks else [*lines, "", "No hooks here."])

    def help(self, _: str) -> str:
        """The usage, and what is ready to be used."""
        return "\n".join((_USAGE, "", *_ready()))

    # -- doing -----------------------------------------------------------------------------------------------------

    def on(self, _: str) -> str:
        """Hooks on."""
        return self._turned(on=True)

    def off(self, _: str) -> str:
        """Hooks off."""
        return self._turned(on=False)

    def _turned(self, *, on: bool) -> str:
        turn_all(self.engine, on=on, who=self._who, how=_HOW)
        return "\n".join(self._master())

    def approve(self, words: str) -> str:
        """Approve what a command runs, on one event or on all."""
        if not words:
            return f"Approve what?\n\n{_USAGE}"
        done = approve_declared(self.engine, self._meant(words), who=self._who, how=_HOW)
        standing = done.footings[0].standing
        lines = [f"✓ approved: {called(standing.spec)}", f"events: {', '.join(done.events)}", f"mounted: {done.mounted}"]
        lines += [f"covers: {', '.join(_covered(standing.covers))}"] if standing.covers else []
        lines += [f"not covered: {text.removeprefix('not: ')}" for text in standing.covers if text.startswith("not: ")]
        lines += [f"! {why} ({_typed(hint)})" for why, hint in what_is_off(done.switches)]
        return "\n".join(lines)

    def revoke(self, words: str) -> str:
        """Take the approval back."""
        if not words:
            return f"Revoke what?\n\n{_USAGE}"
        done = revoke_declared(self.engine, self._meant(words), who=self._who, how=_HOW)
        events = ", ".join(dict.fromkeys(standing.spec.native_event for standing in done))
        return f"✓ revoked: {called(done[0].spec)}\nevents: {events}"

    def _meant(self, words: str) -> Sequence[HookSpec]:
        """The hooks that `<event> <command>` or `<command>` means.

        Raises:
            TrustError: none is declared so.
        """
        specs = self.engine.hooks
        events = {name for spec in specs for name in (spec.native_event, spec.kind)}
        first, rest = _first_word(words)
        event, text = (first, rest) if first in events and rest else ("", words)
        spellings = [text, *_unquoted(text)]
        for spelling in spellings[:-1]:
            try:
                return commanded(specs, spelling, event)
            except HookError as error:
                if error.name == "trust.ambiguous":
                    raise
                continue
        return commanded(specs, spellings[-1], event)


_DOES: Mapping[str, Callable[[_Talk, str], str]] = {
    "list": _Talk.listing,
    "on": _Talk.on,
    "off": _Talk.off,
    "doctor": _Talk.doctor,
    "approve": _Talk.approve,
    "revoke": _Talk.revoke,
    "help": _Talk.help,
}


def _first_word(text: str) -> tuple[str, str]:
    """The first word, and what comes after it, whatever stands between: a phone breaks lines."""
    first, *rest = [*text.split(None, 1), ""][:2] if text.strip() else [""]
    return first, "".join(rest).strip()


def _unquoted(text: str) -> list[str]:
    """A text that stands in quotes as a whole, or as an address with its method before it, without these."""
    found = []
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    if len(words) == 1 and words[0] != text:
        found = words
    method, _, address = text.partition(" ")
    return [*found, *([address.strip()] if method.isupper() and "://" in address else [])]


def _covered(covers: Sequence[str]) -> list[str]:
    return [text for text in covers if not text.startswith("not: ")]


def _findings(findings: Sequence[Problem]) -> list[str]:
    return [f"  {'✗' if each.severity == 'error' else '!'} {each.message}{f' ({each.hint})' if each.hint else ''}" for each in findings]


def _typed(hint: str) -> str:
    """What to do, as it is done in a chat, where it can be."""
    return f"{_NAME} on" if hint == "hookline on" else hint


def _ready() -> list[str]:
    """The scripts that come with hookline, numbered; without any, how to declare one's own."""
    folder = files("hookline") / "templates"
    names = sorted(each.name for each in folder.iterdir() if each.name.endswith(_SCRIPTS)) if folder.is_dir() else []
    if not names:
        return _EXAMPLE.splitlines()
    return ["Ready-made scripts:", *(f"{number}. {name}" for number, name in enumerate(names, 1)), "Say which, by name."]
