"""Tables of the resolver: which files are code, in which language, and whose words are data."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SHELL, PYTHON, OTHER = "shell", "python", "other"
# The language of a file by its suffix; a file with such a suffix is code.
_SUFFIXES = {
    **dict.fromkeys((".sh", ".bash", ".zsh", ".cmd", ".bat"), SHELL),  # `.cmd`: often shell as well
    ".py": PYTHON,
    **dict.fromkeys((".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"), OTHER),
    **dict.fromkeys((".rb", ".pl", ".php", ".lua", ".ps1", ".jar", ".wasm"), OTHER),
}
_INTERPRETERS = {
    **dict.fromkeys(("sh", "bash", "dash", "zsh", "ksh", "ash"), SHELL),
    **dict.fromkeys(("python", "pypy"), PYTHON),
    **dict.fromkeys(("node", "nodejs", "bun", "deno", "tsx", "ts-node"), OTHER),
    **dict.fromkeys(("ruby", "perl", "php", "lua", "pwsh", "powershell", "java"), OTHER),
}
MODULE_ENDINGS = (".py", ".pyc", ".so", ".pyd")
# Folders of installed packages, which change without their user.
PACKAGE_FOLDERS = frozenset({".venv", "venv", "node_modules", "site-packages"})
# Formatters, linters and test runners: the words behind them are data.
DATA_PROGRAMS = frozenset({
    "actionlint", "ava", "bandit", "bats", "biome", "black", "clang-format", "codespell", "ctest", "cypress", "dprint", "eslint",
    "flake8", "gofmt", "goimports", "golangci-lint", "hadolint", "isort", "jest", "ktlint", "markdownlint", "mocha", "mypy",
    "nox", "oxlint", "php-cs-fixer", "phpstan", "phpunit", "playwright", "pre-commit", "prettier", "pylint", "pyright", "pytest",
    "rspec", "rubocop", "ruff", "rustfmt", "semgrep", "shellcheck", "shfmt", "sqlfluff", "stylelint", "swiftlint", "tox", "tsc",
    "vitest", "yamllint", "yapf",
})  # fmt: skip
# Programs that run none of the files that they are given, and that every system has.
TOOLS = frozenset({
    "awk", "base64", "basename", "cat", "chmod", "chown", "cmp", "column", "comm", "cp", "curl", "cut", "date", "dd", "df",
    "diff", "dirname", "du", "egrep", "expr", "fgrep", "file", "git", "grep", "gzip", "head", "hostname", "id", "install", "join",
    "jq", "less", "ln", "logger", "ls", "md5sum", "mkdir", "mkfifo", "mktemp", "mv", "nl", "notify-send", "od", "osascript",
    "paste", "pgrep", "ps", "readlink", "realpath", "rg", "rm", "rmdir", "say", "sed", "seq", "sha256sum", "shasum", "sleep",
    "sort", "split", "stat", "tac", "tail", "tar", "tee", "tput", "tr", "tty", "uname", "uniq", "unzip", "wc", "wget", "which",
    "whoami", "yq", "zip",
})  # fmt: skip
# Words that run the program behind them.
LAUNCHERS = frozenset({
    "exec", "command", "builtin", "time", "nohup", "env", "sudo", "doas", "nice", "ionice", "timeout", "gtimeout", "setsid",
    "stdbuf", "caffeinate", "xargs", "!",
})  # fmt: skip


def find_interpreter(word: str) -> str:
    """Return the language that a program runs, by its name; empty for other programs."""
    name = word.rpartition("/")[2].removesuffix(".exe")
    return _INTERPRETERS.get(name) or _INTERPRETERS.get(name.rstrip("0123456789."), "")


def find_first_interpreter(command: str) -> str:
    """Return the language of the first interpreter in a command; empty if there is none."""
    return next(filter(None, map(find_interpreter, command.split())), "")


def is_tool(program: str) -> bool:
    """Whether a program is an interpreter, or runs nothing but what its words name."""
    name = program.rpartition("/")[2]
    return name in TOOLS or name in LAUNCHERS or find_interpreter(name) != ""


def find_language(path: str, first_line: str = "") -> str:
    """Return the language of a file by its `#!` line, else by its suffix; empty if it is data."""
    if first_line.startswith("#!"):
        uv = PYTHON if "uv" in first_line.split() else OTHER
        return find_first_interpreter(first_line[2:]) or uv
    name = path.rpartition("/")[2]
    return _SUFFIXES.get(name[name.rfind(".") :].lower(), "") if "." in name else ""


def find_program_index(words: Sequence[str]) -> int:
    """Return the index of a command's program, after such words as `env A=b` and `timeout 5`."""
    at, is_led = 0, False
    while at < len(words):
        name = words[at].rpartition("/")[2]
        if name == "find" and "-exec" in words:
            return words.index("-exec") + 1
        if name in LAUNCHERS:
            is_led = True
        elif not is_led or not (words[at][:1] in {*"-+0123456789"} or "=" in words[at]):
            break
        at += 1
    return at


def find_code_option(language: str, word: str) -> str:
    """Return the letter of an option that takes code or, "m", a module; empty for other words."""
    letters = word[1:] if word.startswith("-") and word[1:2] != "-" else ""
    if language == SHELL:
        return "c" if "c" in letters else ""
    return letters[-1:] if language == PYTHON and letters[-1:] in ("c", "m") else ""
