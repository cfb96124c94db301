"""`hookline guard`: lists guards, judges commands and files, and allows one thing for a while."""

from __future__ import annotations

import datetime as dt
import os
import sys
import time
from importlib.util import find_spec

from hookline.cli.guard_files import open_own_file, read_text, write_text
from hookline.cli.layout import fit_rows
from hookline.cli.options import FOLDER, Selection, option, usage_error
from hookline.cli.output import FINDINGS, OK, count_things
from hookline.config.agent_hosts import require_person
from hookline.config.guard_entries import add_entry
from hookline.config.places import find_own_file, project_root
from hookline.core.dialect import Source
from hookline.dialects.native.load import load
from hookline.errors import ConfigError, did_you_mean
from hookline.guards.exceptions import read_moment
from hookline.guards.table import GUARDS, find_rule_owner
from hookline.guards.verdict import ask_guard
from hookline.guards.world import World
from hookline.installation import install_command
from hookline.model.event import Event, ToolCall
from hookline.model.spec import Builtin
from hookline.paths import find_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.cli.output import Document, Paint, Printer

_USAGE = "list, check COMMAND, scan FILE, or allow RULE"
_HOUR = 3600.0  # seconds


def guard(
    printer: Printer,
    *,
    what: list[str] = option(
        "[list|check COMMAND|scan FILE|allow RULE...]",
        "show the guards, judge a command, look for secrets in files, or allow something",
    ),
    profile: str = option("--profile NAME", "check: this profile, instead of your own"),
    command: str = option("--command TEXT", "allow: only this command; `*` is any text"),
    path: str = option("--path GLOB", "allow: only these paths"),
    reason: str = option("--reason TEXT", "allow: why"),
    until: str = option("--until WHEN", "allow: the last day, or a moment; default: for an hour"),
    here: bool = option("--here", "allow: in this project only"),
    folder: str = FOLDER,
) -> int:
    """Look at guards, try one, or allow what one refuses."""
    verb, *given = what or ["list"]
    operand = " ".join(given)
    if verb not in _VERBS:
        raise usage_error(f"`guard {verb}` is nothing", did_you_mean(verb, _VERBS) or _USAGE)
    if verb != "list" and not operand:
        raise usage_error(f"`guard {verb}` needs an operand", _USAGE)
    if verb == "allow":
        wish = {"command": command, "path": path, "reason": reason, "until": until}
        return _allow(printer, operand, wish, folder, here=here)
    Selection(folder=folder).enter_folder()
    if verb == "scan":
        return _scan(printer, given)
    return _check(printer, operand, profile) if verb == "check" else _list(printer)


# -- list ----------------------------------------------------------------------------------------


def _list(printer: Printer) -> int:
    used = {name: _find_options(name) for name in GUARDS}
    document = {
        "schema": "hookline.guards/1",
        "guards": [
            {
                "guard": name,
                "summary": row.summary,
                "is_on": used[name] is not None,
                "options": {key: value for key, value in (used[name] or {}).items()
                            if key != "exceptions"},
                "is_recommended": row.is_recommended,
                "events": list(row.events),
                "rules": [{"rule": rule, "refuses": text} for rule, text in row.rules.items()],
            }
            for name, row in GUARDS.items()
        ],
        "missing": [
            {"guard": guard, "what": what, "hint": hint}
            for guard, module, what, hint in _list_extras()
            if find_spec(module) is None
        ],
    }  # fmt: skip
    printer.print(document, _show_list)
    return OK


def _list_extras() -> Iterator[tuple[str, str, str, str]]:
    """Yield what a guard does only with a further library: guard, its module, what, and how."""
    yield ("commands", "tree_sitter_powershell", "PowerShell is not read",
           install_command(extra="powershell"))  # fmt: skip
    yield ("secrets", "cryptography", "lists of bytes are taken for keys beside wallet words only",
           install_command(extra="secrets"))  # fmt: skip


def _show_list(document: Document, paint: Paint) -> Iterator[str]:
    rows = [("on" if each["is_on"] else "off", each["guard"], each["summary"])
            for each in document["guards"]]  # fmt: skip
    for is_on, *rest in fit_rows(rows):
        yield "  ".join((paint("good", is_on) if is_on.strip() == "on" else is_on, *rest))
    for each in document["missing"]:
        yield f"{each['guard']}: {each['what']} ({each['hint']})"
    yield ""
    yield "to switch one on: hookline add GUARD; its rules: hookline guard list --json"


def _find_options(name: str) -> Mapping[str, Any] | None:
    """Return the options of a guard in your own file, else in the project's; None if it is off."""
    for is_user in (True, False):
        path = find_own_file(os.getcwd(), os.environ, user=is_user)
        text = read_text(path)
        if text is None:
            continue
        for spec in load(Source(text=text, file=path)).specs:
            if isinstance(spec.handler, Builtin) and spec.handler.name == name:
                return spec.handler.options
    return None


# -- check -----------------------------------------------------------------------------------


def _check(printer: Printer, command: str, profile: str) -> int:
    """Judge a shell command as the guard `commands` does, by its options in your own file."""
    options = {**(_find_options("commands") or {})}
    if profile:
        choices = GUARDS["commands"].options["profile"].choices
        if profile not in choices:
            raise usage_error(f"there is no profile `{profile}`", f"one of {', '.join(choices)}")
        options["profile"] = profile
    cwd = os.getcwd()
    world = World(
        now=time.time(),
        clock=time.thread_time,
        home=find_home(os.environ),
        project=project_root(cwd, os.environ) or cwd,
    )
    body = ToolCall(tool="shell", input={"command": command})
    event = Event(kind="tool.before", cwd=cwd, body=body)
    verdict, _ = ask_guard("commands", event, options, world)
    document = {
        "schema": "hookline.judgement/1",
        "command": command,
        "profile": options.get("profile", "baseline"),
        "stance": verdict.stance.word,
        "reason": verdict.reason,
        "notes": verdict.for_user,
        "findings": verdict.evidence or [],
    }
    printer.print(document, _show_check)
    return FINDINGS if verdict.stance.word in ("ask", "deny") else OK


def _show_check(document: Document, paint: Paint) -> Iterator[str]:
    style = {"deny": "bad", "ask": "warning"}.get(document["stance"], "good")
    word = "passes" if document["stance"] == "silent" else document["stance"]
    yield f"{paint(style, word)} ({document['profile']})"
    for text in (document["reason"], document["notes"]):
        if text:
            yield f"  {text}"


# -- scan ----------------------------------------------------------------------------------------


def _scan(printer: Printer, paths: list[str]) -> int:
    """Print where secrets are in files; `-` is standard input. The secrets are not printed."""
    # Only this command looks for secrets.
    from hookline.text.secrets.scan import scan  # noqa: PLC0415

    found, unread = [], []
    for path in paths:
        text = _read_scanned(path)
        done = scan(text)
        for each in done.found:
            before = text[: each.start]
            line, column = before.count("\n") + 1, each.start - before.rfind("\n")
            place = {"file": path, "line": line, "column": column}
            found.append({**place, "kind": each.kind, "title": each.title})
        if done.unread:
            unread.append({"file": path, "why": done.unread})
    document = {"schema": "hookline.scan/1", "found": found, "unread": unread}
    printer.print(document, _show_scan)
    return FINDINGS if found else OK


def _read_scanned(path: str) -> str:
    """Return the text of a file; what is no UTF-8 in it counts as unknown characters.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        if path == "-":
            return sys.stdin.buffer.read().decode("utf-8", "replace")
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace")
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        hint = "name a file, or `-` for standard input"
        raise ConfigError(why, name="config.unreadable", place=path, hint=hint) from None


def _show_scan(document: Document, paint: Paint) -> Iterator[str]:
    for each in document["found"]:
        place = f"{each['file']}:{each['line']}:{each['column']}"
        yield f"{place}: {paint('bad', each['title'])}"
    for each in document["unread"]:
        yield f"{each['file']}: {paint('warning', 'not all was read')}: {each['why']}"
    yield count_things(len(document["found"]), "secret")


# -- allow ---------------------------------------------------------------------------------------


def _allow(printer: Printer, rule: str, wish: Mapping[str, str], folder: str, *, here: bool) -> int:
    """Write an exception for one rule to your own file."""
    require_person(os.environ, f"hookline guard allow {rule}")
    if not find_rule_owner(rule):
        known = [each for row in GUARDS.values() for each in row.rules]
        raise usage_error(f"no guard has a rule `{rule}`", did_you_mean(rule, known))
    path = open_own_file(folder, is_project=False)
    until = wish["until"] or _format_moment(time.time() + _HOUR)
    try:
        read_moment(until)
    except ValueError:
        hint = "for example 2027-01-31"
        raise usage_error(f"`--until {until}` is no day and no moment", hint) from None
    entry = {
        "rule": rule,
        "reason": wish["reason"] or "allowed on the command line",
        "until": until,
    }
    entry |= {key: wish[key] for key in ("command", "path") if wish[key]}
    if here:
        entry["project"] = project_root(os.getcwd(), os.environ) or os.getcwd()
    before = read_text(path)
    if _find_options(find_rule_owner(rule)) is None or before is None:
        owner = find_rule_owner(rule)
        raise ConfigError(f"it has no guard `{owner}` to except from", name="config.option",
                          place=path, hint=f"hookline add {owner}")  # fmt: skip
    write_text(path, before, add_entry(before, "exceptions", entry, path=path))
    printer.print({"schema": "hookline.exception/1", "file": path, **entry}, _show_exception)
    return OK


def _show_exception(document: Document, _paint: Paint) -> Iterator[str]:
    what = document.get("command") or document.get("path") or "everything"
    yield f"{document['rule']} lets {what} pass until {document['until']}"
    yield f"to take it back: remove it from `exceptions` in {document['file']}"


def _format_moment(seconds: float) -> str:
    return dt.datetime.fromtimestamp(seconds).astimezone().isoformat(timespec="minutes")


_VERBS = ("list", "check", "scan", "allow")
