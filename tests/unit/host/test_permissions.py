"""Permission rules: how a pattern is read, and which calls it matches or covers."""

from __future__ import annotations

import pytest

from hookline.errors import ConfigError
from hookline.host.permissions import (
    NO_RULES,
    covers_command,
    find_allowing_rule,
    find_denying_rule,
    parse_rule,
    suggest_grant,
)
from hookline.host.tool_call import ToolCall


def shell(command: str) -> ToolCall:
    """A call of the shell."""
    return ToolCall(tool="shell", arguments={"cmd": command}, cwd="/p", home="/home/u")


def write(path: object) -> ToolCall:
    """A call that writes a file."""
    return ToolCall(tool="write_file", arguments={"path": path}, cwd="/p", home="/home/u")


def denies(pattern: str, call: ToolCall) -> bool:
    """Whether a rule that denies matches."""
    return find_denying_rule((parse_rule(pattern),), call) is not None


def allows(pattern: str, call: ToolCall) -> bool:
    """Whether a rule that allows covers."""
    return find_allowing_rule((parse_rule(pattern),), call) is not None


def test_a_pattern_is_a_tool_and_arguments() -> None:
    """A colon without `argument=` belongs to the name or the glob."""
    rule = parse_rule("mcp:git:log:url=https://x:path=/a")

    assert rule.tool == "mcp:git:log"
    assert rule.arguments == (("url", "https://x"), ("path", "/a"))


@pytest.mark.parametrize("text", ["", ":cmd=x", "shell:cmd=[]", "shell:cmd=[z-a]"])
def test_a_pattern_that_says_nothing_is_an_error(text: str) -> None:
    """A rule that matches no call guards nothing."""
    with pytest.raises(ConfigError) as caught:
        parse_rule(text)
    assert caught.value.name == "permission.pattern"


@pytest.mark.parametrize(
    ("pattern", "tool", "matches"),
    [
        ("shell", "shell", True),
        ("SHELL", "shell", True),
        ("read_*", "read_file", True),
        ("*", "anything", True),
        ("read_*", "write_file", False),
        ("mcp:git:*", "mcp:git:log", True),
        ("too[lk]", "took", True),
        ("too[!l]", "tool", False),
        (r"a\*", "a*", True),
        (r"a\*", "ab", False),
        ("read", "read_file", False),
    ],
)
def test_the_name_of_a_tool(pattern: str, tool: str, matches: bool) -> None:
    """Whole, and without regard to case."""
    call = ToolCall(tool=tool)

    assert denies(pattern, call) is matches
    assert allows(pattern, call) is matches


@pytest.mark.parametrize(
    "command",
    [
        "git push",
        "git push --force",
        "cd x && git push",
        "true; git   push origin",
        "echo a | xargs git push",
        "sudo git push",
        "bash -c 'git push'",
        "/usr/bin/git push",
        "GIT PUSH",
        " git push",
    ],
)
def test_a_denied_command_is_found_wherever_it_stands(command: str) -> None:
    """Each command of a text is read."""
    assert denies("shell:cmd=git push*", shell(command))


@pytest.mark.parametrize(
    ("pattern", "command", "covered"),
    [
        ("shell:cmd=git*", "git log", True),
        ("shell:cmd=git*", "git", True),
        ("shell:cmd=git*", "gitk", False),
        ("shell:cmd=git *", "git log", True),
        ("shell:cmd=git log", "git log", True),
        ("shell:cmd=git log", "git log -p", False),
        ("shell:cmd=git*", "git log; rm x", False),
        ("shell:cmd=git*", "git log | sh", False),
        ("shell:cmd=git*", "git log\nrm x", False),
        ("shell:cmd=git*", "git $(rm x)", False),
        ("shell:cmd=git*", "git log > x", False),
        ("shell:cmd=*", "a; b", True),
        ("shell", "a; b", True),
        ("shell:cmd=git*:cwd=/p", "git log", False),
    ],
)
def test_an_allowed_command_is_read_narrowly(pattern: str, command: str, covered: bool) -> None:
    """One command, up to the end of a word; a condition on a missing argument covers nothing."""
    assert allows(pattern, shell(command)) is covered


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../etc/passwd", "/p/../etc/x", "/etc//x", "//etc/x", ["a", "/etc/x"]]
)
def test_a_denied_path_is_found_in_each_spelling(path: object) -> None:
    """Also as one of several."""
    assert denies("write_file:path=/etc/*", write(path))


@pytest.mark.parametrize(
    ("pattern", "path", "covered"),
    [
        ("src/*", "src/a.py", True),
        ("src/*", "/p/src/a.py", True),
        ("src/*", "./src/a.py", True),
        ("src/*", "src/../x", False),
        ("/p/src/*", "src/a", True),
        ("/p/src/*", "/p/src/../../etc/x", False),
        ("/home/u/*", "~/x", True),
        ("src/*", ["src/a", "src/b"], True),
        ("src/*", ["src/a", "b"], False),
        ("src/*", [], False),
        ("src/*", 3, False),
    ],
)
def test_an_allowed_path_is_read_without_detours(pattern: str, path: object, covered: bool) -> None:
    """And all of several must be covered."""
    assert allows(f"write_file:path={pattern}", write(path)) is covered


def test_a_grant_silences_a_hook_for_one_command_only() -> None:
    """Also if it is for the whole tool."""
    grant = (parse_rule("shell"),)

    assert covers_command(grant, shell("make"))
    assert not covers_command(grant, shell("make; rm x"))
    assert covers_command((parse_rule("write_file"),), write("x"))


@pytest.mark.parametrize(
    ("call", "pattern"),
    [
        (shell("make test"), "shell:cmd=make test*"),
        (shell("ls -la"), "shell:cmd=ls*"),
        (shell("git -C x log"), "shell:cmd=git -C*"),
        (shell("git"), "shell:cmd=git*"),
        (shell("a; b"), ""),
        (shell("$X y"), ""),
        (shell(""), ""),
        (write("x"), "write_file"),
    ],
)
def test_a_grant_is_suggested(call: ToolCall, pattern: str) -> None:
    """It covers the call that it was suggested for."""
    assert suggest_grant(call) == pattern
    assert not pattern or allows(pattern, call)


def test_a_grant_is_added_once() -> None:
    """Rules are values."""
    granted = NO_RULES.grant("shell")

    assert granted.grant("shell") is granted
    assert NO_RULES.allow == ()
