"""Conditions that the shell's grammar decides: permission rules such as `Bash(git commit:*)`."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote, urlsplit

from hookline.core.shell_commands import runs_command
from hookline.errors import ConfigError
from hookline.model.spec import Rule, ShellCommand
from hookline.model.tools import list_paths
from hookline.text.globs import normalise_path, path_matches
from hookline.text.shell_syntax import parse_simple_commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.model.event import Event, Json

# A rule for one of these tools also covers tools that access files in the same way.
_FAMILIES: Mapping[str, frozenset[str]] = {
    "Edit": frozenset(("Edit", "MultiEdit", "Write", "NotebookEdit")),
    "Read": frozenset(("Read", "Grep", "Glob")),
}
# The keys under which known tools have a command line.
_COMMAND_KEYS = ("command", "cmd")
_DOMAIN = "domain:"
_ONE_RULE = (
    "one rule, such as `Bash(git commit:*)` or `Edit(*.ts)`; write a bracket that is text as `\\(`"
)


def parse_rule(source: str) -> Rule:
    """Parse a permission rule.

    Raises:
        ConfigError: `matcher.rule`; the text is empty, contains several rules, or its brackets do
            not match.
    """
    text = source.strip()
    name, bracket, _ = text.partition("(")
    whole_server = name.startswith("mcp__") and name.count("__") > 1
    tool = name.removesuffix("__*") if whole_server else name
    if not tool or not all(char.isalnum() or char in "_-.:" for char in tool):
        raise _malformed_error(source, "it does not begin with the name of one tool")
    tools = _FAMILIES.get(tool, frozenset((tool,)))
    if not bracket:
        return Rule(source=source, tools=tools)
    if _closing_bracket(text) != len(text) - 1:
        raise _malformed_error(source, "its brackets do not enclose one pattern")
    pattern = text[len(name) + 1 : -1].replace("\\(", "(").replace("\\)", ")").strip()
    if not pattern:
        raise _malformed_error(source, "there is nothing between its brackets")
    return Rule(source=source, tools=tools, pattern=None if pattern == "*" else pattern)


def _closing_bracket(text: str) -> int:
    """Return where the first bracket is closed; -1 if it never is."""
    depth = 0
    for at, char in enumerate(text):
        if char in "()" and text[at - 1] != "\\":
            depth += 1 if char == "(" else -1
            if not depth:
                return at
    return -1


def _malformed_error(source: str, why: str) -> ConfigError:
    return ConfigError(
        f"`{source}` is not a permission rule: {why}", name="matcher.rule", hint=_ONE_RULE
    )


def make_grammar_predicate(
    condition: Rule | ShellCommand, clock: Callable[[], float] | None = None
) -> Callable[[Event], bool]:
    """Return a rule, or a condition on shell commands, as a function of the event."""
    if isinstance(condition, ShellCommand):
        return lambda event: runs_command(condition, event.command, event.cwd, clock)
    return lambda event: is_covered(condition, event.tool, event.input, event.cwd)


def is_covered(rule: Rule, tool: str, tool_input: Json, cwd: str) -> bool:
    """Return whether a rule covers a call (docs/formats/claude-code.md 3).

    A command rule checks every simple command of the line. A command that cannot be parsed is
    covered, because the hook behind the rule must then see it.
    """
    if not any(_names_tool(name, tool) for name in rule.tools):
        return False
    if rule.pattern is None:
        return True
    if not isinstance(tool_input, dict):
        return False
    for key in _COMMAND_KEYS:
        if key in tool_input:
            return _command_holds(rule.pattern, tool_input[key])
    if rule.pattern.startswith(_DOMAIN):
        return _domain_holds(rule.pattern.removeprefix(_DOMAIN), tool_input.get("url"))
    return any(_path_holds(rule.pattern, path, cwd) for path in list_paths(tool_input))


def _names_tool(name: str, tool: str) -> bool:
    # `mcp__server` names a server; the tools of a server are `mcp__server__tool`.
    return name == tool or (
        name.startswith("mcp__") and name.count("__") == 1 and tool.startswith(f"{name}__")
    )


# -- commands --------------------------------------------------------------------------------------


def _command_holds(pattern: str, line: Json) -> bool:
    if not isinstance(line, str):
        return True
    commands = parse_simple_commands(line)
    return commands is None or any(
        _text_matches(pattern, text) for text in (line.strip(), *commands)
    )


def _text_matches(pattern: str, text: str) -> bool:
    """Return whether a text matches: `*` is any text.

    A final `:*` or ` *` is nothing or further words.
    """
    for ending in (":*", " *"):
        words = pattern.removesuffix(ending)
        if words != pattern:
            return _glob_matches(words, text) or _glob_matches(f"{words} *", text)
    return _glob_matches(pattern, text)


def _glob_matches(pattern: str, text: str) -> bool:
    # Piece by piece, each as early as possible, in linear time; an expression with many `.*` would
    # be slower.
    first, *rest = [piece.replace("\0", "*") for piece in pattern.replace("\\*", "\0").split("*")]
    if not rest:
        return text == first
    *middle, last = rest
    if not text.startswith(first) or not text.endswith(last):
        return False
    at = len(first)
    for piece in middle:
        found = text.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return at + len(last) <= len(text)


# -- domains ---------------------------------------------------------------------------------------


def _domain_holds(domain: str, url: Json) -> bool:
    host = _host(url) if isinstance(url, str) else ""
    domain = domain.strip().lower().rstrip(".")
    return bool(host) and (_glob_matches(domain, host) or _glob_matches(f"*.{domain}", host))


def _host(url: str) -> str:
    """Return the host that a browser would contact; empty if there is none."""
    # A browser takes `\` for `/`, so `https://evil.com\@good.com` leads to `evil.com`.
    address = "".join(url.split()).replace("\\", "/")
    scheme, _, rest = address.partition(":")
    address = rest if scheme.lower() in {"http", "https"} else address
    try:
        host = urlsplit(f"//{address.lstrip('/')}").hostname or ""
    except ValueError:
        return ""
    return unquote(host).lower().rstrip(".")


# -- paths -----------------------------------------------------------------------------------------


def _path_holds(pattern: str, path: str, cwd: str) -> bool:
    """Return whether a path, or a folder above it, matches the pattern, as in gitignore."""
    if pattern.startswith("~"):
        # The home folder is unknown here, so only paths that are themselves written with `~` can
        # match.
        return path.startswith("~") and _is_in(pattern, path)
    absolute = normalise_path(path, cwd)
    if pattern.startswith("//"):
        return _is_in(pattern[1:], absolute)
    bare = pattern.removeprefix("**/").rstrip("/")
    if "/" not in bare or pattern.startswith("**/"):
        return _is_in(f"**/{bare}", absolute)
    inside = _seen_from(cwd, absolute)
    return inside is not None and _is_in(pattern.removeprefix("./").strip("/"), inside)


def _is_in(pattern: str, path: str) -> bool:
    return path_matches(path, (pattern, f"{pattern.rstrip('/')}/**"), "")


def _seen_from(folder: str, path: str) -> str | None:
    """Return the path relative to the folder; None if it is elsewhere."""
    if not folder:
        return None if path.startswith(("/", "../")) else path
    # POSIX keeps exactly two leading slashes; to Linux they are one.
    root = posixpath.normpath(folder).lstrip("/")
    below = path.lstrip("/")
    if below == root or not root:
        return below or "."
    return below.removeprefix(f"{root}/") if below.startswith(f"{root}/") else None
