"""Which calls a permission rule covers, and which texts are no rule."""

from __future__ import annotations

import pytest

from hookline.core.rules import is_covered, list_paths, parse_rule
from hookline.errors import ConfigError

FOUR_EDITS = {"Edit", "MultiEdit", "Write", "NotebookEdit"}

# id, text, tools, pattern
SPELLED = [
    ("tool", "Bash", {"Bash"}, None),
    ("blanks-around", "  Bash(npm test) ", {"Bash"}, "npm test"),
    ("prefix", "Bash(git commit:*)", {"Bash"}, "git commit:*"),
    ("star-is-every-call", "Bash(*)", {"Bash"}, None),
    ("edit-family", "Edit(*.ts)", FOUR_EDITS, "*.ts"),
    ("read-family", "Read", {"Read", "Grep", "Glob"}, None),
    ("write-is-no-family", "Write(*.ts)", {"Write"}, "*.ts"),
    ("server", "mcp__memory", {"mcp__memory"}, None),
    ("server-with-a-star", "mcp__memory__*", {"mcp__memory"}, None),
    ("tool-of-a-server", "mcp__memory__read-all", {"mcp__memory__read-all"}, None),
    ("nested-brackets", "Bash(echo (a) (b))", {"Bash"}, "echo (a) (b)"),
    ("escaped-bracket", r"Bash(echo \()", {"Bash"}, "echo ("),
    ("list-inside-the-pattern", "Bash(cd * && rm *)", {"Bash"}, "cd * && rm *"),
]

# id, a text that is no rule, what the person is told
MALFORMED = [
    ("empty", "", "name of one tool"),
    ("blank", "  ", "name of one tool"),
    ("no-tool", "(rm *)", "name of one tool"),
    ("star-for-a-tool", "*", "name of one tool"),
    ("every-server", "mcp__*", "name of one tool"),
    ("two-tools", "Bash && Edit", "name of one tool"),
    ("alternatives", "Bash|Edit", "name of one tool"),
    ("blank-before-the-bracket", "Bash (rm *)", "name of one tool"),
    ("two-rules", "Bash(a) && Edit(b)", "enclose one pattern"),
    ("list-of-rules", "Bash(a), Edit(b)", "enclose one pattern"),
    ("never-closed", "Bash(rm *", "enclose one pattern"),
    ("closed-by-an-escaped-bracket", r"Bash(rm \)", "enclose one pattern"),
    ("closed-twice", "Bash(rm *))", "enclose one pattern"),
    ("never-opened", "Bash rm *)", "name of one tool"),
    ("text-behind", "Bash(rm *) x", "enclose one pattern"),
    ("nothing-inside", "Bash()", "nothing between its brackets"),
    ("blanks-inside", "Bash(  )", "nothing between its brackets"),
]


@pytest.mark.parametrize(
    ("text", "tools", "pattern"), [pytest.param(*row, id=name) for name, *row in SPELLED]
)
def test_a_rule_is_read(text: str, tools: set[str], pattern: str | None) -> None:
    """The name becomes the tools that it means, and the text in the brackets the pattern."""
    rule = parse_rule(text)
    assert (rule.source, rule.tools, rule.pattern) == (text, tools, pattern)


@pytest.mark.parametrize(("text", "why"), [pytest.param(*row, id=name) for name, *row in MALFORMED])
def test_a_malformed_rule_is_refused(text: str, why: str) -> None:
    """The error shows the text, says what is wrong, and how a rule looks."""
    with pytest.raises(ConfigError, match=why) as caught:
        parse_rule(text)
    assert caught.value.name == "matcher.rule"
    assert f"`{text}`" in caught.value.message
    assert "one rule" in caught.value.hint


# id, rule, command line, whether the rule covers it
COMMANDS = [
    ("no-pattern", "Bash", "ls", True),
    ("exact", "Bash(npm test)", "npm test", True),
    ("exact-with-more", "Bash(npm test)", "npm test -- -u", False),
    ("exact-with-blanks", "Bash(npm test)", "  npm   test ", True),
    ("exact-in-a-list", "Bash(npm test)", "cd x && npm test", True),
    ("prefix-alone", "Bash(git commit:*)", "git commit", True),
    ("prefix-and-more", "Bash(git commit:*)", "git commit -m x", True),
    ("prefix-of-a-word", "Bash(git commit:*)", "git committed", False),
    ("prefix-elsewhere", "Bash(git commit:*)", "echo git commit", False),
    ("prefix-with-a-star", "Bash(git -C * commit:*)", "git -C x commit -m y", True),
    ("star-behind-a-blank", "Bash(rm *)", "rm -rf x", True),
    ("star-behind-a-blank-alone", "Bash(rm *)", "rm", True),
    ("star-behind-a-blank-of-a-word", "Bash(rm *)", "rmdir x", False),
    ("star-in-a-word", "Bash(rm*)", "rmdir x", True),
    ("star-in-the-middle", "Bash(git * main)", "git push origin main", True),
    ("star-in-the-middle-of-other", "Bash(git * main)", "git push origin other", False),
    ("star-first", "Bash(* --version)", "node --version", True),
    ("stars-share-no-text", "Bash(ab*ba)", "aba", False),
    ("star-over-lines", "Bash(echo *z)", "echo 'a\n/z'", True),
    ("escaped-star", r"Bash(ls \*)", "ls '*'", True),
    ("escaped-star-is-no-star", r"Bash(ls \*)", "ls x", False),
    ("case-matters", "Bash(rm *)", "RM x", False),
    ("whole-line", "Bash(cd * && rm *)", "cd a && rm b", True),
    ("whole-line-with-quotes", "Bash(echo 'a')", "echo 'a'", True),
    # -- hiding
    ("hidden-in-quotes", "Bash(rm *)", "r\"\"m 'x'", True),
    ("hidden-by-a-backslash", "Bash(rm *)", r"\rm x", True),
    ("hidden-by-ansi-c", "Bash(rm *)", r"$'\x72\x6d' x", True),
    ("hidden-by-an-assignment", "Bash(rm *)", "FOO=1 rm x", True),
    ("hidden-by-a-redirection", "Bash(git commit:*)", "git >/dev/null commit", True),
    ("hidden-in-a-substitution", "Bash(git push:*)", 'echo "$(git push)"', True),
    ("hidden-in-back-quotes", "Bash(rm *)", r"echo `echo \`rm x\``", True),
    ("hidden-in-a-loop", "Bash(rm *)", "for f in *; do rm $f; done", True),
    ("hidden-in-a-here-document", "Bash(rm *)", "cat <<E\n$(rm x)\nE\n", True),
    ("hidden-behind-a-false-comment", "Bash(rm *)", "echo \r#; rm x", True),
    ("words-in-quotes-are-no-command", "Bash(rm *)", "echo 'a; rm b'", False),
    ("words-in-a-comment-are-no-command", "Bash(rm *)", "ls # rm x", False),
    ("other-substitution", "Bash(rm *)", "echo $(date)", False),
    ("other-loop", "Bash(rm *)", "for f in a b; do echo $f; done", False),
    ("cannot-be-parsed", "Bash(rm *)", "ls 'x", True),
    ("nothing-to-run", "Bash(rm *)", "", False),
]


@pytest.mark.parametrize(
    ("text", "line", "covered"), [pytest.param(*row, id=name) for name, *row in COMMANDS]
)
def test_a_command_rule_looks_into_the_line(text: str, line: str, covered: bool) -> None:
    """Each command of the line and the line as a whole are compared.

    What cannot be parsed is covered.
    """
    assert is_covered(parse_rule(text), "Bash", {"command": line}, "/w") is covered


# id, rule, path, cwd, whether the rule covers it
PATHS = [
    ("name-here", "Edit(*.ts)", "a.ts", "/w", True),
    ("name-at-any-depth", "Edit(*.ts)", "/w/x/y/a.ts", "/w", True),
    ("name-outside", "Edit(*.ts)", "/other/a.ts", "/w", True),
    ("other-name", "Edit(*.ts)", "a.tsx", "/w", False),
    ("name-of-a-folder", "Edit(src)", "x/src/y/a.ts", "/w", True),
    ("name-of-a-folder-with-a-slash", "Edit(src/)", "src/a.ts", "/w", True),
    ("hidden-file", "Read(.env)", "x/.env", "/w", True),
    ("here-only", "Read(./.env)", ".env", "/w", True),
    ("here-only-below", "Read(./.env)", "x/.env", "/w", False),
    ("dotted-folder", "Edit(.github/**)", ".github/x.yml", "/w", True),
    ("dotted-folder-only", "Edit(.github/**)", "github/x.yml", "/w", False),
    ("middle-slash-is-from-cwd", "Edit(src/*.ts)", "x/src/a.ts", "/w", False),
    ("double-star-first", "Edit(**/src/*.ts)", "x/src/a.ts", "/w", True),
    ("from-cwd", "Edit(/src/**)", "src/x/a.ts", "/w", True),
    ("from-cwd-absolute", "Edit(/src/**)", "/w/src/a.ts", "/w", True),
    ("from-cwd-elsewhere", "Edit(/src/**)", "/src/a.ts", "/w", False),
    ("from-cwd-never-leaves-it", "Edit(/**)", "/etc/passwd", "/w", False),
    ("from-cwd-is-cwd-itself", "Read(/**)", ".", "/w", True),
    ("from-the-root-as-cwd", "Edit(/src/**)", "/src/a.ts", "/", True),
    ("without-cwd", "Edit(/src/**)", "src/a.ts", "", True),
    ("without-cwd-above", "Edit(/**)", "../a.ts", "", False),
    ("cwd-with-dots", "Edit(/src/**)", "/w/src/a.ts", "/w/x/..", True),
    ("cwd-that-looks-like-a-pattern", "Edit(/src/**)", "/[w]/src/a.ts", "/[w]", True),
    ("cwd-is-no-prefix-of-a-name", "Edit(/**)", "/wide/a.ts", "/w", False),
    ("absolute", "Edit(//etc/**)", "/etc/passwd", "/w", True),
    ("absolute-elsewhere", "Edit(//etc/**)", "etc/passwd", "/w", False),
    ("home", "Edit(~/.ssh/*)", "~/.ssh/id", "/w", True),
    ("home-spelled-out", "Edit(~/.ssh/*)", "/home/ann/.ssh/id", "/w", False),
    # -- hiding
    ("hidden-by-dots", "Edit(/src/**)", "x/../src/./a.ts", "/w", True),
    ("escaping-by-dots", "Edit(/src/**)", "src/../secret", "/w", False),
    ("absolute-by-dots", "Edit(//etc/**)", "../../etc/passwd", "/w", True),
    ("hidden-by-two-slashes", "Edit(/src/**)", "//w//src/a.ts", "/w", True),
    ("absolute-by-two-slashes", "Edit(//etc/**)", "//etc/passwd", "/w", True),
    ("home-by-dots", "Edit(~/.ssh/*)", "~/x/../.ssh/id", "/w", True),
]


@pytest.mark.parametrize(
    ("text", "path", "cwd", "covered"), [pytest.param(*row, id=name) for name, *row in PATHS]
)
def test_a_path_rule_reads_like_gitignore(text: str, path: str, cwd: str, covered: bool) -> None:
    """A bare name at any depth, `/` is cwd, `//` the root, `~` only itself; a folder covers all."""
    rule = parse_rule(text)
    assert {is_covered(rule, tool, {"file_path": path}, cwd) for tool in rule.tools} == {covered}


# id, rule, URL, whether the rule covers it
DOMAINS = [
    ("exact", "WebFetch(domain:example.com)", "https://example.com/x", True),
    ("sub-domain", "WebFetch(domain:example.com)", "https://api.example.com", True),
    ("end-of-a-name", "WebFetch(domain:example.com)", "https://notexample.com", False),
    ("start-of-a-name", "WebFetch(domain:example.com)", "https://example.com.evil.org", False),
    ("in-the-path", "WebFetch(domain:example.com)", "https://evil.org/example.com", False),
    ("as-the-user", "WebFetch(domain:example.com)", "https://example.com@evil.org", False),
    ("behind-a-user", "WebFetch(domain:evil.org)", "https://example.com:x@evil.org:8080/", True),
    ("capitals", "WebFetch(domain:Example.com)", "HTTPS://EXAMPLE.COM", True),
    ("root-dot", "WebFetch(domain:example.com)", "https://example.com./x", True),
    ("no-scheme", "WebFetch(domain:example.com)", "example.com/x", True),
    (
        "backslash-ends-the-host",
        "WebFetch(domain:evil.org)",
        r"https://evil.org\@example.com",
        True,
    ),
    ("too-few-slashes", "WebFetch(domain:evil.org)", "https:/evil.org", True),
    ("percent-encoded", "WebFetch(domain:evil.org)", "https://%65vil.org", True),
    ("line-break-inside", "WebFetch(domain:evil.org)", "ht\ntps://ev\til.org", True),
    ("star", "WebFetch(domain:*.example.com)", "https://api.example.com", True),
    ("star-needs-a-name", "WebFetch(domain:*.example.com)", "https://example.com", False),
    ("no-host", "WebFetch(domain:example.com)", "file:///example.com", False),
    ("no-url", "WebFetch(domain:example.com)", "", False),
    ("broken-url", "WebFetch(domain:example.com)", "https://[example.com", False),
]


@pytest.mark.parametrize(
    ("text", "url", "covered"), [pytest.param(*row, id=name) for name, *row in DOMAINS]
)
def test_a_domain_rule_compares_the_host(text: str, url: str, covered: bool) -> None:
    """The host that a browser would ask is the domain or below it.

    The rest of the address does not count.
    """
    assert is_covered(parse_rule(text), "WebFetch", {"url": url}, "/w") is covered


# id, rule, tool, input, whether the rule covers it
CALLS = [
    ("other-tool", "Bash", "Edit", {}, False),
    ("no-pattern-needs-no-input", "Bash", "Bash", None, True),
    ("pattern-without-input", "Bash(rm *)", "Bash", None, False),
    ("pattern-without-anything-to-compare", "Task(x)", "Task", {"prompt": "x"}, False),
    ("domain-without-an-address", "WebFetch(domain:a.org)", "WebFetch", {"prompt": "x"}, False),
    ("command-under-another-key", "shell(rm *)", "shell", {"cmd": "rm x"}, True),
    ("command-that-is-no-text", "shell(rm *)", "shell", {"command": ["ls"]}, True),
    ("notebook", "Edit(*.ipynb)", "NotebookEdit", {"notebook_path": "/w/a.ipynb"}, True),
    ("one-of-many-paths", "Read(*.pem)", "Read", {"paths": ["a.txt", "b.pem"]}, True),
    (
        "folder-of-a-search",
        "Read(/secrets/**)",
        "Grep",
        {"pattern": "x", "path": "secrets/a"},
        True,
    ),
    ("edit-is-not-read", "Edit(*.ts)", "Read", {"file_path": "a.ts"}, False),
    ("tool-of-a-server", "mcp__memory", "mcp__memory__read", {}, True),
    ("tool-of-a-server-with-a-star", "mcp__memory__*", "mcp__memory__read", {}, True),
    ("other-server", "mcp__memory", "mcp__memory2__read", {}, False),
    ("one-tool-of-a-server", "mcp__memory__read", "mcp__memory__read__all", {}, False),
    ("server-in-a-plain-name", "Bash", "Bash__x", {}, False),
]


@pytest.mark.parametrize(
    ("text", "tool", "given", "covered"), [pytest.param(*row, id=name) for name, *row in CALLS]
)
def test_a_rule_looks_at_the_tool_first(text: str, tool: str, given: object, covered: bool) -> None:
    """A rule covers calls of its own tools, and with a pattern only calls with a value."""
    assert is_covered(parse_rule(text), tool, given, "/w") is covered


def test_many_stars_are_no_slower() -> None:
    """A pattern that would keep a backtracking engine busy for ages is answered at once."""
    rule = parse_rule(f"Bash({'*a' * 200}b)")
    assert not is_covered(rule, "Bash", {"command": "a" * 20_000}, "/w")


def test_the_paths_of_an_input_are_texts_only() -> None:
    """Keys that hold no path, and values that are no text, are passed over."""
    given = {"file_path": "a", "path": 1, "paths": ["b", None, "c"], "content": "d"}
    assert list(list_paths(given)) == ["a", "b", "c"]
    assert list(list_paths("a")) == []
