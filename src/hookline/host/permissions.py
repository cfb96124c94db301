"""Permission rules: patterns such as `shell:cmd=git status*` that allow, ask or deny a tool call.

A rule that denies or asks reads a call widely, one that allows reads it narrowly: no way to write
a command or a path may escape the first, or slip into the second.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

from hookline.errors import ConfigError
from hookline.model.frozen import Frozen
from hookline.text.globs import list_path_forms
from hookline.text.regex import compile_regex
from hookline.text.script.evaluate import read_shell
from hookline.text.script.reading import make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from hookline.host.tool_call import ToolCall
    from hookline.text.re2_regex import Regex

_ARGUMENT = re.compile(r":(\w+)=")
_COMMAND_KEYS = frozenset({"cmd", "command"})
_PATH_KEYS = frozenset(
    {"path", "paths", "file", "files", "file_path", "directory", "dir", "source", "destination"}
)
_SIGNS = "*?[\\"
# What joins, pipes, redirects or substitutes commands.
_JOINS = re.compile(r"[;&|<>`\n\r]|\$[({]|\$'")
_NOTHING = r"[^\x00-\x{10FFFF}]"


class PermissionRule(Frozen):
    """One pattern: a glob over the tool's name, and one over each of some arguments.

    `text`: as written.
    """

    text: str
    tool: str
    arguments: tuple[tuple[str, str], ...] = ()


class PermissionRules(Frozen):
    """The rules of one scope: the team's, from the agent file, or the session's."""

    allow: tuple[PermissionRule, ...] = ()
    ask: tuple[PermissionRule, ...] = ()
    deny: tuple[PermissionRule, ...] = ()

    def grant(self, pattern: str) -> PermissionRules:
        """Return the rules with one more that allows.

        Raises:
            ConfigError: `permission.pattern`.
        """
        rule = parse_rule(pattern)
        return self if rule in self.allow else self.replace(allow=(*self.allow, rule))


NO_RULES = PermissionRules()


def parse_rule(text: str) -> PermissionRule:
    """Return the rule that a pattern describes: `tool`, or `tool:argument=glob:argument=glob`.

    A colon that no `argument=` follows is part of the name or of the glob.

    Raises:
        ConfigError: `permission.pattern`; it names no tool, or has an invalid bracket expression.
    """
    parts = _ARGUMENT.split(text.strip())
    tool, pairs = parts[0], tuple(zip(parts[1::2], parts[2::2], strict=True))
    if not tool:
        raise ConfigError(
            f"the pattern `{text:.80}` names no tool",
            name="permission.pattern",
            hint="write `tool`, or `tool:argument=glob` as in `shell:cmd=git status*`",
        )
    for glob in (tool, *(value for _, value in pairs)):
        if _compile(glob) is None:
            raise ConfigError(
                f"`{glob:.80}` is no glob: its bracket is empty, or its range is backwards",
                name="permission.pattern",
                hint="`*` stands for any text, `?` for one character, `[a-c]` for one of some",
            )
    return PermissionRule(text=text.strip(), tool=tool, arguments=pairs)


def find_denying_rule(rules: Iterable[PermissionRule], call: ToolCall) -> PermissionRule | None:
    """Return the first rule that any reading of the call matches; for rules that deny or ask."""
    return next((rule for rule in rules if _matches_widely(rule, call)), None)


def find_allowing_rule(rules: Iterable[PermissionRule], call: ToolCall) -> PermissionRule | None:
    """Return the first rule that covers all of the call; for rules that allow."""
    return next((rule for rule in rules if _covers(rule, call)), None)


def covers_command(rules: Iterable[PermissionRule], call: ToolCall) -> bool:
    """Return whether a grant of the session covers a call strictly enough to silence a hook's ask.

    For a shell it must cover a single command, and a prefix must end at the end of a word.
    """
    found = find_allowing_rule(rules, call)
    return found is not None and (not call.is_shell or is_single_command(call.command))


def is_single_command(text: str) -> bool:
    """Return whether a shell text is one command: it joins, pipes and substitutes nothing."""
    return bool(text.strip()) and not _JOINS.search(text)


def suggest_grant(call: ToolCall) -> str:
    """Return the pattern that allows calls like this one for the rest of a session.

    For a shell command its program, and for `git status` and its like the subcommand too. Empty if
    no pattern would cover it.
    """
    if not call.is_shell:
        return "" if any(sign in call.tool for sign in _SIGNS) else call.tool
    words = call.command.split()
    if not is_single_command(call.command) or not _is_plain(words[0]):
        return ""
    head = words[:2] if words[0] in _WITH_SUBCOMMANDS and len(words) > 1 else words[:1]
    head = head if all(_is_plain(word) for word in head) else words[:1]
    key = next(
        key for key in ("cmd", "command") if isinstance((call.arguments or {}).get(key), str)
    )
    return f"{call.tool}:{key}={' '.join(head)}*"


_WITH_SUBCOMMANDS = make_set(
    "cargo docker gh git go helm kubectl make npm pip pnpm poetry terraform uv yarn"
)


def _is_plain(word: str) -> bool:
    return re.fullmatch(r"[\w./+-]+", word) is not None


# -- matching --------------------------------------------------------------------------------------


def _matches_widely(rule: PermissionRule, call: ToolCall) -> bool:
    return _is_match(rule.tool, call.tool) and all(
        any(_is_match(glob, text) for text in _list_texts(call, key))
        for key, glob in rule.arguments
    )


def _list_texts(call: ToolCall, key: str) -> list[str]:
    """Return every text that an argument may be read as, for a rule that restricts."""
    values = _list_values(call, key)
    if key in _PATH_KEYS:
        return [form for text in values for form in (text, *_list_forms(text, call, climbs=True))]
    if key in _COMMAND_KEYS and call.is_shell:
        return [form for text in values for form in (text, text.strip(), *_list_calls(text, call))]
    return values


def _covers(rule: PermissionRule, call: ToolCall) -> bool:
    return _is_match(rule.tool, call.tool) and all(
        _covers_argument(key, glob, call) for key, glob in rule.arguments
    )


def _covers_argument(key: str, glob: str, call: ToolCall) -> bool:
    """Return whether a glob covers all values of an argument, in each spelling that counts."""
    values = _list_values(call, key)
    if not values:
        return False
    if key in _PATH_KEYS:
        return all(
            any(_is_match(glob, form) for form in _list_forms(text, call)) for text in values
        )
    if key in _COMMAND_KEYS and call.is_shell and glob.strip("*"):
        return all(is_single_command(text) and _covers_words(glob, text) for text in values)
    return all(_is_match(glob, text) for text in values)


def _covers_words(glob: str, text: str) -> bool:
    """Return whether a glob covers a command; a plain prefix must end at the end of a word."""
    prefix = glob.removesuffix("*")
    if prefix == glob or any(sign in prefix for sign in _SIGNS):
        return _is_match(glob, text)
    rest = text.lower().removeprefix(prefix.lower())
    return text.lower().startswith(prefix.lower()) and (
        not rest or rest[0].isspace() or prefix[-1:].isspace()
    )


def _list_values(call: ToolCall, key: str) -> list[str]:
    """Return an argument as texts: each item of a list, else the value; empty if it is missing."""
    given = call.arguments or {}
    if key not in given:
        return []
    value = given[key]
    items = value if isinstance(value, list | tuple) and value else [value]
    return [item if isinstance(item, str) else _write(item) for item in items]


def _write(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _list_forms(path: str, call: ToolCall, *, climbs: bool = False) -> tuple[str, ...]:
    """Return the spellings of a path without `.` and `..`, with the home folder for `~`."""
    if call.home and (path == "~" or path.startswith("~/")):
        path = call.home + path[1:]
    return list_path_forms(path, call.cwd, climbs=climbs)


@lru_cache(maxsize=64)
def _read_calls(text: str, cwd: str, home: str) -> tuple[str, ...]:
    found: list[str] = []
    for each in read_shell(text, cwd=cwd, home=home).calls:
        words = " ".join(word.text for word in each.words)
        bare = " ".join([each.program, *(word.text for word in each.words[1:])])
        found += (words, bare, *(f"{via} {words}" for via in each.via))
    return tuple(found)


def _list_calls(text: str, call: ToolCall) -> tuple[str, ...]:
    """Return each command that a shell text would run, also behind `sudo`, `xargs` or a pipe."""
    return _read_calls(text, call.command_folder, call.home)


@lru_cache(maxsize=1024)
def _compile(glob: str) -> Regex | None:
    """Return the expression of a glob over any text, without regard to case; None if invalid."""
    done, at = "", 0
    while at < len(glob):
        sign = glob[at]
        if sign == "[" and (found := _CLASS.match(glob, at)):
            inside = re.sub(
                r"\\(.)|([\[\]\\^])", lambda part: re.escape(part[1] or part[2]), found[2]
            )
            done += f"[{'^' if found[1] else ''}{inside}]"
            at = found.end()
        elif sign == "[" and glob.startswith("[]", at):
            return None
        elif sign == "\\" and at + 1 < len(glob):
            done += re.escape(glob[at + 1])
            at += 2
        else:
            done += {"*": ".*", "?": "."}.get(sign) or re.escape(sign)
            at += 1
    try:
        return compile_regex(f"(?is){done}")
    except ConfigError:
        return None


_CLASS = re.compile(r"(?s)\[([!^]?)((?:\\.|[^\]\\])+)\]")


def _is_match(glob: str, text: str) -> bool:
    regex = _compile(glob)
    return regex is not None and bool(regex.is_full_match(text))
