"""The guard `own_config`: the agent does not approve, switch off, remove or rewrite hooks itself.

It judges what a call does openly: hookline's commands, and writes to the files that decide which
hooks run. It does not cover hidden ways: a program that the agent writes and starts, names that are
computed, another user's shell (docs/explanation/guards.md).
"""

from __future__ import annotations

import json
import posixpath

from hookline.errors import ConfigError
from hookline.guards.commands.arguments import list_dd_targets, read_arguments
from hookline.guards.commands.tool_input import find_folder, list_commands
from hookline.guards.finding import Answer, Finding
from hookline.model.event import ToolCall
from hookline.model.tools import families, list_paths
from hookline.model.verdict import Stance
from hookline.text import lazy_re as re
from hookline.text.script.reading import UNKNOWN, Word, make_set
from hookline.wire.parsers import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.guards.world import World
    from hookline.model.event import Event
    from hookline.text.script.reading import Call

# Commands of hookline that widen what may run, or take guards away.
_COMMANDS = make_set("approve revoke on off install uninstall add remove update")
_CHAT = re.compile(r"/hooks\s+(?:approve|revoke|on|off|install)")
_DAEMONS = make_set("pkill killall systemctl launchctl")
_API = re.compile(r"/(?:internal/runtime/)?hooks/(?:approve|revoke|on|off)\b|/v1/approve")
# Programs that write: all their operands, or the last one.
_WRITERS = {
    **dict.fromkeys(
        make_set("tee rm unlink shred truncate chmod chown chgrp touch rmdir mv vi vim nvim nano ed"
                 " emacs code patch srm trash"), "all",
    ),
    **dict.fromkeys(make_set("cp install ln rsync scp"), "last"),
}  # fmt: skip
_PATCHERS = make_set("apply_patch applypatch patch")
_IN_PLACE = {"sed": ("i", "in-place"), "perl": ("i",), "ruby": ("i",), "gawk": ("i",),
             "yq": ("i", "inplace"), "sponge": (), "jq": ("i",)}  # fmt: skip
_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$", re.MULTILINE)
_DIFFED = re.compile(r"^(?:\+\+\+|---) (?:[ab]/)?([^\t\n]+)", re.MULTILINE)
_CODE_WRITES = re.compile(r"""['"]([^'"\n]+)['"]\s*,\s*['"][waxr]?\+?[wax]|write|remove|unlink""")
_LITERAL = re.compile(r"""['"]([^'"\n]{2,300})['"]""")
# What makes an unknown path beside a writing program worth a question.
_HINT = re.compile(r"hookline|hooks|\.claude|\.codex|\.gemini|\.cursor|\.copilot|\.qwen|\.kimi")
_REASONS = {
    "store": ("own.store", "it writes hookline's own files"),
    "entry": ("own.entry", "it changes which hooks run"),
    "git": ("own.entry", "it changes the hooks of Git"),
    "covered": ("own.covered", "it changes a file that an approved hook runs"),
}
# Files of hosts that hold other settings beside hooks.
_SETTINGS = make_set("settings.json settings.local.json config.toml config.yaml")
_ASK_USER = "say to the user what should change, and let the user do it"


def judge(event: Event, _options: Mapping[str, Any], world: World) -> Answer | None:
    """Return what the guard `own_config` has against a call of a tool."""
    if not isinstance(event.body, ToolCall):
        return None
    findings: list[Finding] = []
    for text in list_commands(event.input):
        findings += _judge_command(text, event, world)
    kinds = families(event.tool, event.dialect)
    if "write" in kinds or "edit" in kinds:
        findings += _judge_edit(event, world)
    unique = {(each.rule, each.evidence): each for each in findings}
    return Answer(findings=tuple(unique.values())) if unique else None


# -- commands ------------------------------------------------------------------------------------


def _judge_command(text: str, event: Event, world: World) -> Iterator[Finding]:
    cwd = find_folder(event)
    # Calls of other tools hold no shell text.
    from hookline.text.script.evaluate import read_shell  # noqa: PLC0415

    reading = read_shell(text, cwd=cwd, home=world.home, clock=world.clock)
    for call in reading.calls:
        if _is_own_command(call):
            yield _make_finding("own.command", "it decides which hooks run", call.text, text)
        for word in (*_list_written(call), *_list_patched(call)):
            yield from _judge_path(word, call, world, text)


def _is_own_command(call: Call) -> bool:
    """Return whether a call is a command of hookline, or of Git, that decides which hooks run."""
    texts = call.texts
    name = call.program
    if name.startswith("python") and "hookline" in texts[:4] and "-m" in texts:
        texts = ["hookline", *texts[texts.index("hookline") + 1 :]]
        name = "hookline"
    operands = [text for text in texts[1:] if not text.startswith("-")]
    if name == "hookline":
        verb = operands[0] if operands else ""
        return (
            (verb in _COMMANDS and not {"--dry-run", "-n", "--diff", "--help"}.intersection(texts))
            or (verb == "guard" and "allow" in operands)
            or (verb == "doctor" and "--fix" in texts)
            or (verb == "chat" and any(map(_CHAT.search, texts)))
        )
    if name == "git":
        has_value = any(text.startswith("core.hooksPath=") for text in texts)
        return has_value or ("config" in operands and "core.hooksPath" in operands and (
            operands[-1] != "core.hooksPath" or "--unset" in texts
        ))  # fmt: skip
    if name in _DAEMONS:
        return any("hookline" in text for text in operands) and "status" not in operands
    return name in ("curl", "wget", "http") and any(map(_API.search, texts))


def _list_written(call: Call) -> Iterator[Word]:
    """Yield the words of a call that name what it writes."""
    for redirect in call.redirects:
        if ">" in redirect.operator:
            yield redirect.target
    name = call.program
    if call.language:
        if _CODE_WRITES.search(call.code):
            yield from (Word(literal) for literal in _LITERAL.findall(call.code))
        return
    given = read_arguments(call, ("-t", "--target-directory", "-m", "-o", "-g", "-s", "-e"))
    how = _WRITERS.get(name, "")
    if how:
        yield from given.operands if how == "all" else given.operands[-1:]
        yield from given.get("-t", "--target-directory")
    elif name in _IN_PLACE and (not _IN_PLACE[name] or given.has(*_IN_PLACE[name])):
        yield from given.operands
    elif name == "dd":
        yield from list_dd_targets(call)
    elif name in ("curl", "wget"):
        yield from read_arguments(call, ("-o", "--output", "-O", "--output-document")).get(
            "-o", "--output", "-O", "--output-document"
        )
    elif name == "git" and {"checkout", "restore", "rm", "mv"}.intersection(given.texts):
        yield from given.operands[1:]


def _list_patched(call: Call) -> Iterator[Word]:
    """Yield the files that the patches in the words and on the input of a call change."""
    texts = call.texts[1:]
    if call.program not in _PATCHERS and (call.program != "git" or "apply" not in texts):
        return
    for text in (*texts, call.stdin.text if call.stdin else ""):
        for pattern in (_PATCHED, _DIFFED):
            yield from map(Word, pattern.findall(text))


def _judge_path(word: Word, call: Call, world: World, text: str) -> Iterator[Finding]:
    if not word.is_known:
        if _HINT.search(text):
            reason = "it writes to a path that hookline cannot tell, beside the name of hooks"
            yield _make_finding("own.entry", reason, call.text, text, stance=Stance.ASK)
        return
    path = _resolve(word.text, call.cwd, world)
    kind = world.find_guarded(path)
    if kind:
        rule, reason = _REASONS[kind]
        stance = Stance.ASK if kind == "covered" else Stance.DENY
        yield _make_finding(rule, reason, call.text or text, text, stance=stance, path=path)


def _resolve(path: str, cwd: str, world: World) -> str:
    if path == "~" or path.startswith("~/"):
        path = world.home + path[1:]
    return posixpath.normpath(posixpath.join(cwd or "/", path.replace(UNKNOWN, "?")))


# -- tools that write and edit ---------------------------------------------------------------------


def _judge_edit(event: Event, world: World) -> Iterator[Finding]:
    given = event.input
    texts = list(_list_texts(given))
    paths = [*list_paths(given), *(path for text in texts for path in _PATCHED.findall(text))]
    for path in dict.fromkeys(_resolve(each.strip(), event.cwd, world) for each in paths):
        kind = world.find_guarded(path)
        if not kind or (kind == "entry" and _keeps_hooks(given, path, world)):
            continue
        rule, reason = _REASONS[kind]
        stance = Stance.ASK if kind == "covered" else Stance.DENY
        yield _make_finding(rule, reason, path, "", stance=stance, path=path)


def _keeps_hooks(given: Any, path: str, world: World) -> bool:
    """Return whether a settings file has the same hooks after an edit of something else.

    It does not for a file that holds hooks only, or that cannot be read before and after.
    """
    if not isinstance(given, dict) or posixpath.basename(path) not in _SETTINGS:
        return False
    try:
        before = world.read_file(path) or ""
    except (OSError, ValueError):
        return False
    after = given.get("content", given.get("file_text"))
    if not isinstance(after, str):
        old = given.get("old_string", given.get("old_str"))
        new = given.get("new_string", given.get("new_str"))
        if not isinstance(old, str) or not isinstance(new, str) or not old or old not in before:
            return False
        after = before.replace(old, new)
    try:
        return _read_hooks(before, path) == _read_hooks(after, path)
    except ConfigError:
        return False


def _read_hooks(text: str, path: str) -> list[tuple[str, str]]:
    """Return each key of a file that names hooks, at any depth, with its value as JSON.

    Raises:
        ConfigError: the text cannot be read.
    """
    tree = parse(text, path, placed=False).value if text.strip() else {}
    return list(_list_hook_keys(tree))


def _list_hook_keys(tree: Any) -> Iterator[tuple[str, str]]:
    if isinstance(tree, list):
        for each in tree:
            yield from _list_hook_keys(each)
    elif isinstance(tree, dict):
        for key, value in tree.items():
            if "hook" in str(key).lower():
                yield str(key), json.dumps(value, default=str)
            else:
                yield from _list_hook_keys(value)


def _list_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _list_texts(inner)


def _make_finding(
    rule: str,
    reason: str,
    evidence: str,
    command: str,
    *,
    stance: Stance = Stance.DENY,
    path: str = "",
) -> Finding:
    return Finding(
        rule=rule,
        reason=reason,
        evidence=evidence,
        instead=_ASK_USER,
        stance=stance,
        command=command.strip(),
        paths=(path,) if path else (),
    )
