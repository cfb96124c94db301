"""Texts that run later or by other programs: schedules, login files, pagers, Git's settings."""

from __future__ import annotations

from itertools import pairwise

from hookline.text import lazy_re as re
from hookline.text.script.reading import UNKNOWN, make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from hookline.text.script.reading import Word

# Variables whose value a program runs.
_VARIABLES = make_set("""
PAGER EDITOR VISUAL BROWSER MANPAGER GIT_EDITOR GIT_PAGER GIT_SEQUENCE_EDITOR GIT_SSH_COMMAND
GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS PROMPT_COMMAND LESSOPEN
""")
_CONFIG_VALUE = re.compile(r"GIT_CONFIG_VALUE_\d+")
# Settings of Git whose value a shell runs.
_SETTINGS = re.compile(
    r"(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass)|pager\.\w+|sequence\.editor"
    r"|diff\.external|(?:diff|merge)\.\w+\.(?:command|driver|textconv)|difftool\.\w+\.cmd"
    r"|mergetool\.\w+\.cmd|gpg\.program)=(.*)",
    re.IGNORECASE | re.DOTALL,
)
_ALIAS = re.compile(r"(?:alias\.[\w-]+|credential\.helper)=!(.*)", re.IGNORECASE | re.DOTALL)
_SCHEDULE = re.compile(r"\s*(?:@\w+|(?:\S+\s+){4}\S+)\s+(.*)")
_SCHEDULERS = make_set("at batch")
# Files of which a shell, the scheduler or Git runs what is in them.
_LOGIN = re.compile(
    r".*/(?:\.(?:bash|zsh|k?sh)(?:rc|_profile|_login|_logout|env)|\.profile|\.z?(?:login|logout)"
    r"|\.zprofile|\.xprofile|\.xinitrc|profile\.d/.*|\.git/hooks/.*|\.husky/.*|rc\.local"
    r"|cron\.(?:hourly|daily|weekly|monthly)/.*|init\.d/.*)"
)
_TABLES = re.compile(r".*/(?:crontab|cron\.d/.*|crontabs/.*)")
_UNITS = re.compile(r".*/systemd/.*\.(?:service|timer)")
_STARTS = re.compile(r"^Exec(?:Start|StartPre|StartPost|Stop)=[-@:+!]*(.*)$", re.MULTILINE)


def list_deferred(
    name: str,
    words: Sequence[Word],
    stdin: Word | None,
    assigned: Sequence[tuple[str, Word]],
) -> Iterator[tuple[str, str]]:
    """Yield the shell texts that a call hands on, each with the name of the way."""
    for variable, value in assigned:
        if variable in _VARIABLES or _CONFIG_VALUE.fullmatch(variable):
            yield value.text, variable
    if name == "git":
        yield from _list_git([word.text for word in words])
    if stdin is not None and name in _SCHEDULERS:
        yield stdin.text, name
    if stdin is not None and name == "crontab":
        for text in list_scheduled(stdin.text):
            yield text, name


def _list_git(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what `git -c`, `submodule foreach`, `bisect run` and `rebase --exec` run."""
    yield from ((text, "git -c") for text in _list_settings(texts))
    if "config" in texts:  # `git config alias.x '!TEXT'`
        pairs = [f"{key}={value}" for key, value in pairwise(texts)]
        yield from ((text, "git config") for text in _list_settings(pairs))
    for verb, after in (("submodule", "foreach"), ("bisect", "run")):
        if verb in texts and after in texts[texts.index(verb) :]:
            rest = texts[texts.index(after, texts.index(verb)) + 1 :]
            while rest and rest[0].startswith("-"):
                rest = rest[1:]
            yield " ".join(rest), f"git {verb}"
    if "rebase" in texts:
        for option, text in pairwise(texts):
            if option in ("-x", "--exec"):
                yield text, "git rebase"


def _list_settings(texts: Iterable[str]) -> Iterator[str]:
    """Yield what a shell runs of settings of Git, each as `KEY=VALUE`."""
    for each in texts:
        text = each.removeprefix("-c")
        match = _SETTINGS.fullmatch(text) or _ALIAS.fullmatch(text)
        if match:
            yield match[1]


def list_scheduled(table: str) -> Iterator[str]:
    """Yield the commands of a table of the scheduler."""
    for line in table.split("\n"):
        match = _SCHEDULE.fullmatch(line)
        if match and UNKNOWN not in line and not line.lstrip().startswith("#"):
            yield match[1]


def list_written(files: Mapping[str, Word]) -> Iterator[tuple[str, str]]:
    """Yield what a login, the scheduler or Git runs of the written files, each with its path."""
    for path, word in files.items():
        if _LOGIN.fullmatch(path):
            yield word.text, path
        elif _TABLES.fullmatch(path):
            for text in list_scheduled(word.text):
                yield re.sub(r"^(?:root|\w+)\s+(?=\S)", "", text), path
        elif _UNITS.fullmatch(path):
            for match in _STARTS.finditer(word.text):
                yield match[1], path
