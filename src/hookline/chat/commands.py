"""Commands: runs one chat command, from the typed text to the answer."""

from __future__ import annotations

import os
import re
import shlex

from hookline.chat.advice import NAME, ON_AGAIN, SAID, append_hint, find_hint
from hookline.chat.listing import (
    describe_hook,
    describe_master_switch,
    list_findings,
    list_hook_lines,
)
from hookline.config.project_env import drop_project_env
from hookline.core.failure import explain_file_switch
from hookline.engine.approval_service import (
    approve_hooks,
    find_statuses,
    find_store_problem,
    list_off,
    revoke_hooks,
    switch_all,
    switch_single,
)
from hookline.engine.declared_hooks import group_broken, list_hooks
from hookline.engine.doctor.checkup import group_warnings, run_checkup
from hookline.engine.doctor.static_checks import list_errors
from hookline.engine.engine import Engine
from hookline.engine.hook_lookup import describe_run, find_by_command
from hookline.engine.journaling import open_journal
from hookline.engine.trust_gate import LazyGate, note_approvals
from hookline.errors import HookError, TrustError
from hookline.model.handler import Broken
from hookline.sessions.store import Sessions
from hookline.text.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Self

    from hookline.core.registry import Entry
    from hookline.engine.approval_service import HookStatus
    from hookline.engine.doctor.checkup import Checkup
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec

_HOW = "chat"
_LONGEST = 4000  # characters of a command
_EVERYWHERE = frozenset({"everywhere", "global", "--global", "—global", "–global"})  # noqa: RUF001 - a phone makes dashes of two hyphens
_EVENT = re.compile(r"[A-Za-z][\w.-]*")
_USAGE = """/hooks or /hooks list - is everything on, where hooks are declared, and how each stands
/hooks on | /hooks off - switch the hooks of this project on or off, at once
/hooks on everywhere | /hooks off everywhere - switch those of every project
/hooks on <command> | /hooks off <command> - switch a single hook
/hooks doctor - try each approved hook on a harmless event
/hooks approve <event> <command> - approve a hook of one event, live at once
/hooks approve <command> - approve it on every event that it is declared for
/hooks revoke <command> - take the approval back, at once
/hooks help - this text""".splitlines()
_EXAMPLE = """No ready-made scripts come with this version. A hook is declared in a file of the project; for example in config/shell_hooks.yaml:

hooks:
  - event: pre_tool_call
    command: /absolute/path/to/guard.py

Then: /hooks approve /absolute/path/to/guard.py""".splitlines()


class ChatCommand:
    """One command, with the engine that it concerns."""

    def __init__(
        self, cwd: str, who: str, environ: Mapping[str, str] | None, engine: Engine | None
    ) -> None:
        self._who = who
        self._own = engine is None
        self._told: list[str] = []
        self.engine = engine if engine is not None else self._discover(cwd, environ)

    def _discover(self, cwd: str, environ: Mapping[str, str] | None) -> Engine:
        given = drop_project_env(os.environ, cwd).environ if environ is None else environ
        journal = open_journal(given, self._told.append)
        return Engine.discover(
            cwd,
            environ=given,
            journal=journal,
            gate=LazyGate(cwd, given, write_record=note_approvals(journal)),
            sessions=Sessions.of(given),
        )

    def __enter__(self) -> Self:
        if not self._own:
            self.engine.reload_if_changed()
        return self

    def __exit__(self, *error: object) -> None:
        if self._own:
            self.engine.close()

    def answer(self, text: str) -> list[str]:
        """Return the answer to a command, line by line; for any other text, the usage."""
        first, rest = _first_word(text[:_LONGEST])
        if first.partition("@")[0].lower() != NAME:
            return [f"A command begins with `{NAME}`.", "", *_USAGE]
        first, rest = _first_word(rest)
        does = _DOES.get(first.lower() or "list")
        said = does(self, rest) if does else [f"There is no `{NAME} {first}`.", "", *_USAGE]
        return [*said, *(f"note: {line}" for line in self._told)]

    # -- reading ---------------------------------------------------------------------------------------------------

    def listing(self, _: str) -> list[str]:
        """Return the master switch, the files that declare hooks, and every hook with its approval and health."""
        if problem := find_store_problem(self.engine):
            raise TrustError(problem.message, name=problem.name, hint=problem.hint)
        stand = find_statuses(self.engine)
        entries = {entry.spec.id: entry for entry in self.engine.registry.entries()}
        lines = [
            *describe_master_switch(self.engine),
            *(f"config: {path}" for path in _configs(stand)),
        ]
        declared = list(list_hooks(self.engine.snapshot))
        broken = group_broken(declared)
        for spec in (
            each for each in declared if each.id in broken or not isinstance(each.handler, Broken)
        ):
            lines += [
                "",
                *list_hook_lines(
                    self.engine, spec, stand[spec.id], entries.get(spec.id), broken.get(spec.id, ())
                ),
            ]
        lines += [f"! {problem}" for problem in self.engine.problems if problem.severity == "error"]
        return lines if stand else [*lines, "", "No hooks here.", "", *_EXAMPLE]

    def doctor(self, _: str) -> list[str]:
        """Try each approved hook; warnings that several hooks share come once, at the end."""
        found = run_checkup(self.engine)
        common = group_warnings(found.to_dict())
        entries = {entry.spec.id: entry for entry in self.engine.registry.entries()}
        lines = [*describe_master_switch(self.engine)]
        broken = group_broken(one.spec for one in found.hooks)
        for one in (
            each
            for each in found.hooks
            if each.spec.id in broken or not isinstance(each.spec.handler, Broken)
        ):
            mark = (
                "✗"
                if any(each.severity == "error" for each in one.findings)
                else "!"
                if one.findings
                else "✓"
            )
            tried = (
                f"tried, {one.verdict.seconds:.2f} s" if one.verdict is not None else "not tried"
            )
            lines += [
                "",
                f"{mark} {describe_hook(one.spec, broken.get(one.spec.id, ()))} ({tried})",
            ]
            lines += list_findings(
                (each for each in one.findings if _words(each) not in common),
                entries.get(one.spec.id),
            )
        lines += ["", *_list_shared(found, common, entries)] if common else []
        rest = [
            each for each in found.findings if each.name not in ("check.off", "hook.off")
        ]  # the switches come first
        lines += ["", *list_findings(rest)] if rest else []
        return lines if found.hooks else [*lines, "", "No hooks here."]

    def help(self, _: str) -> list[str]:
        """Return the usage, and how to declare a hook."""
        return [*_USAGE, "", *_EXAMPLE]

    # -- changing --------------------------------------------------------------------------------------------------

    def on(self, words: str) -> list[str]:
        """Switch hooks on, or one of them."""
        return self._switch(words, on=True)

    def off(self, words: str) -> list[str]:
        """Switch hooks off, or one of them."""
        return self._switch(words, on=False)

    def _switch(self, words: str, *, on: bool) -> list[str]:
        first, rest = _first_word(words)
        everywhere = first.lower() in _EVERYWHERE
        meant = rest if everywhere else words
        if not meant:
            left = switch_all(self.engine, on=on, everywhere=everywhere, who=self._who, how=_HOW)
            return [*describe_master_switch(self.engine), *(f"! {why}" for why in left)]
        stand = switch_single(
            self.engine,
            self._find_hooks(meant),
            on=on,
            everywhere=everywhere,
            who=self._who,
            how=_HOW,
        )
        return [*(_describe_switched(each) for each in stand), *describe_master_switch(self.engine)]

    def approve(self, words: str) -> list[str]:
        """Approve a command's hook, on one event or on all."""
        if not words:
            return ["Approve what?", "", *_USAGE]
        done = approve_hooks(self.engine, self._find_hooks(words), who=self._who, how=_HOW)
        standing = done.statuses[0].trust
        lines = [
            f"✓ approved: {describe_run(standing.spec)}",
            f"events: {', '.join(done.events)}",
            f"mounted: {done.mounted}",
        ]
        covered = [file.path for file in standing.inspection.files]
        lines += [f"covers: {', '.join(('definition', *covered))}"] if standing.column else []
        lines += [f"not covered: {text}" for text in standing.inspection.unseen]
        lines += [
            f"! {append_hint(why, ON_AGAIN[switch])}" for switch, why in list_off(done.switches)
        ]
        lines += [
            f"! {append_hint(explain_file_switch(spec), ON_AGAIN['project'])}"
            for spec in [standing.spec]
            if spec.off
        ]
        entry = next(
            (
                entry
                for entry in self.engine.registry.entries()
                if entry.spec.id == standing.spec.id
            ),
            None,
        )
        broken = (
            list_errors(entry, self.engine.cwd, self.engine.environ, standing.inspection)
            if entry
            else ()
        )
        lines += [line.strip() for line in list_findings(broken, entry)]
        return lines

    def revoke(self, words: str) -> list[str]:
        """Revoke an approval."""
        if not words:
            return ["Revoke what?", "", *_USAGE]
        done = revoke_hooks(self.engine, self._find_hooks(words), who=self._who, how=_HOW)
        events = ", ".join(dict.fromkeys(standing.spec.native_event for standing in done))
        return [f"✓ revoked: {describe_run(done[0].spec)}", f"events: {events}"]

    # -- finding hooks ---------------------------------------------------------------------------------------------

    def _find_hooks(self, words: str) -> Sequence[HookSpec]:
        """Return the hooks that `<event> <command>` or `<command>` names.

        Raises:
            TrustError: no hook is declared so.
        """
        events = {name for spec in self.engine.hooks for name in (spec.native_event, spec.kind)}
        first, rest = _first_word(words)
        event, text = (first, rest) if first in events and rest else ("", words)
        try:
            return self._commanded(text, event)
        except TrustError as error:
            if error.name == "trust.unmatched" and not event and rest and _EVENT.fullmatch(first):
                self._check_event(first, rest, events)
            raise

    def _commanded(self, text: str, event: str) -> Sequence[HookSpec]:
        spellings = [text, *_unquote(text)]
        for spelling in spellings[:-1]:
            try:
                return find_by_command(self.engine.hooks, spelling, event)
            except HookError as error:
                if error.name == "trust.ambiguous":
                    raise
        return find_by_command(self.engine.hooks, spellings[-1], event)

    def _check_event(self, first: str, rest: str, events: set[str]) -> None:
        """Check whether a word before a command was meant as an event.

        Raises:
            TrustError: it was.
        """
        try:
            declared = [spec.native_event for spec in self._commanded(rest, "")]
        except TrustError:
            declared = []
        near = did_you_mean(first, declared or events)
        if declared or near:
            hint = near or f"it is declared for {', '.join(dict.fromkeys(declared))}"
            raise TrustError(
                f"no hook is declared for an event `{first}`", name="event.unknown", hint=hint
            ) from None


_DOES: Mapping[str, Callable[[ChatCommand, str], list[str]]] = {
    "list": ChatCommand.listing,
    "on": ChatCommand.on,
    "off": ChatCommand.off,
    "doctor": ChatCommand.doctor,
    "approve": ChatCommand.approve,
    "revoke": ChatCommand.revoke,
    "help": ChatCommand.help,
}


def _first_word(text: str) -> tuple[str, str]:
    """Return the first word and the rest, separated by any white space, because phones break lines."""
    first, *rest = [*text.split(None, 1), ""][:2] if text.strip() else [""]
    return first, "".join(rest).strip()


def _unquote(text: str) -> list[str]:
    """Return a text without quotes around the whole, or an address without the method before it."""
    found = []
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    if len(words) == 1 and words[0] != text:
        found = words
    method, _, address = text.partition(" ")
    return [*found, *([address.strip()] if method.isupper() and "://" in address else [])]


def _words(finding: Problem) -> tuple[str, str, str]:
    return finding.code, finding.message, finding.hint


def _list_shared(
    found: Checkup,
    common: Mapping[tuple[str, str, str], Sequence[str]],
    entries: Mapping[str, Entry],
) -> Iterator[str]:
    """Yield each warning that several hooks share, with these hooks by their commands."""
    first = {_words(each): each for one in found.hooks for each in one.findings}
    for words, hooks in common.items():
        entry = entries.get(hooks[0])
        finding = first[words]
        hint = find_hint(
            finding.name, finding.hint, closes=entry.dialect.table.closes if entry else ""
        )
        runs = dict.fromkeys(describe_run(entries[hook].spec) for hook in hooks if hook in entries)
        yield f"! {len(hooks)} hooks: {append_hint(SAID.get(finding.name, finding.message), hint)}: {', '.join(runs)}"


def _configs(stand: Mapping[str, HookStatus]) -> list[str]:
    return list(
        dict.fromkeys(
            status.trust.spec.origin.file
            for status in stand.values()
            if status.trust.spec.origin.file
        )
    )


def _describe_switched(status: HookStatus) -> str:
    spec = status.trust.spec
    return f"{'- off' if status.off else '✓ on'}: {spec.native_event}  {describe_run(spec)}"
