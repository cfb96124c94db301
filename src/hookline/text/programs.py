"""Programs: which word of a command line is the script that its interpreter runs, told from the words alone."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_NONE: frozenset[str] = frozenset()


class Family:
    """Programs that take a script by the same rules.

    `name` says how a script of theirs is run from memory ("copy": only from a file; "" = no interpreter). `code`: options after
    which code stands, and no script; `modules`: those after which a module stands; `valued`: options that take the next word;
    `verbs`: words before the script, as in `deno run x.ts`; `clusters`: one-letter options may be written together.
    """

    __slots__ = ("clusters", "code", "modules", "name", "valued", "verbs")

    def __init__(
        self,
        *,
        name: str,
        code: frozenset[str] = _NONE,
        modules: frozenset[str] = _NONE,
        valued: frozenset[str] = _NONE,
        verbs: frozenset[str] = _NONE,
        clusters: bool = True,
    ) -> None:
        self.name = name
        self.code = code
        self.modules = modules
        self.valued = valued
        self.verbs = verbs
        self.clusters = clusters


class Reading:
    """What a command line runs.

    `program_at`: the place of the program among the words. `at`: that of its script, None where there is none. `text_at`: that of
    code for a shell. `unknown`: what is run cannot be told from the words, and why.
    """

    __slots__ = ("at", "family", "program_at", "text_at", "unknown")

    def __init__(self, *, family: Family, program_at: int, at: int | None = None, text_at: int | None = None, unknown: str = "") -> None:
        self.family = family
        self.program_at = program_at
        self.at = at
        self.text_at = text_at
        self.unknown = unknown


_PYTHON = Family(
    name="python", code=frozenset({"-c"}), modules=frozenset({"-m"}), valued=frozenset({"-W", "-X", "--check-hash-based-pycs"})
)
_SHELL = Family(name="shell", code=frozenset({"-c"}), valued=frozenset({"-o", "+o", "-O", "+O", "--rcfile", "--init-file"}))
_NODE = Family(
    name="node",
    code=frozenset({"-e", "--eval", "-p", "--print", "-pe", "--run", "--test"}),
    valued=frozenset({"-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file", "--title"}),
    clusters=False,
)
_PERL = Family(name="perl", code=frozenset({"-e", "-E"}), valued=frozenset({"-I"}))
_OTHER = Family(
    name="copy",
    code=frozenset({"-e", "-c", "-r", "--eval", "eval", "-Command", "-EncodedCommand"}),
    verbs=frozenset({"run"}),
    clusters=False,
)

_FAMILIES: tuple[tuple[re.Pattern[str], Family], ...] = (
    (re.compile(r"(?:python|pypy)[\d.]*"), _PYTHON),
    (re.compile(r"(?:bash|sh|dash|ash|ksh|zsh)[\d.]*"), _SHELL),
    (re.compile(r"(?:node|nodejs)[\d.]*"), _NODE),
    (re.compile(r"perl[\d.]*"), _PERL),
    (re.compile(r"(?:ruby|php|lua|luajit|deno|bun|tsx|ts-node|Rscript|fish|tclsh|guile|pwsh|powershell|uv|uvx)[\d.]*"), _OTHER),
)
# Programs that run their arguments: their options that take a word, and how many words stand before the program.
_WRAPPERS: Mapping[str, tuple[frozenset[str], int]] = {
    "env": (frozenset({"-u", "--unset", "-C", "--chdir"}), 0),
    "nohup": (frozenset(), 0),
    "setsid": (frozenset(), 0),
    "nice": (frozenset({"-n", "--adjustment"}), 0),
    "ionice": (frozenset({"-c", "-n", "--class", "--classdata"}), 0),
    "stdbuf": (frozenset({"-i", "-o", "-e", "--input", "--output", "--error"}), 0),
    "timeout": (frozenset({"-k", "--kill-after", "-s", "--signal"}), 1),
}
_OPAQUE = frozenset({"npx", "npm", "pnpm", "yarn", "make", "just", "task", "xargs", "find", "sudo", "doas", "parallel", "docker", "ssh"})
_NO_FAMILY = Family(name="")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=", re.ASCII)


def reading(words: Sequence[str], start: int = 0) -> Reading:
    """Which of the words is run, whatever runs it; a program that is no interpreter runs itself."""
    name = words[start].rpartition("/")[2]
    if name in _OPAQUE:
        return Reading(family=_NO_FAMILY, program_at=start, unknown=f"what `{name}` runs is only known to it")
    if name in _WRAPPERS:
        return _wrapped(words, start, name)
    for pattern, family in _FAMILIES:
        if pattern.fullmatch(name):
            return _script(words, start, family)
    return Reading(family=_NO_FAMILY, program_at=start)


def _wrapped(words: Sequence[str], start: int, name: str) -> Reading:
    valued, before = _WRAPPERS[name]
    at = start + 1
    while at < len(words):
        word = words[at]
        if name == "env" and word.startswith(("-S", "--split-string")):
            return Reading(family=_NO_FAMILY, program_at=start, unknown="what `env -S` runs is told in one word")
        if word.startswith("-") and word != "-":
            at += 2 if word in valued else 1
        elif name == "env" and (word == "-" or _ASSIGNMENT.match(word)):
            at += 1
        elif before:
            before, at = before - 1, at + 1
        else:
            return reading(words, at)
    return Reading(family=_NO_FAMILY, program_at=start)


def _script(words: Sequence[str], start: int, family: Family) -> Reading:
    at = start + 1
    while at < len(words):
        word = words[at]
        if word == "--":
            at += 1
            break
        if word == "-" or not word.startswith(("-", "+") if family is _SHELL else "-"):
            if word in family.verbs:
                at += 1
                continue
            break
        step = _option(word, family)
        if step == "code":
            return Reading(family=family, program_at=start, text_at=at + 1 if family is _SHELL and at + 1 < len(words) else None)
        if step == "module":
            return Reading(family=family, program_at=start, unknown=f"the module after `{word}` is found by `{words[start]}`")
        if step == "stdin":
            return Reading(family=family, program_at=start)
        at += 2 if step == "valued" else 1
    if at >= len(words) or words[at] == "-":
        return Reading(family=family, program_at=start)
    if words[start].rpartition("/")[2].startswith("uv") and not words[at].endswith(".py"):
        return reading(words, at)
    return Reading(family=family, program_at=start, at=at)


def _option(word: str, family: Family) -> str:
    """What an option does with the words after it."""
    if word in family.code:
        return "code"
    if word in family.modules:
        return "module"
    if word in family.valued:
        return "valued"
    if not family.clusters or word.startswith("--"):
        return ""
    for place, letter in enumerate(word[1:], 2):
        option = f"{word[0]}{letter}"
        if option in family.code:
            return "code"
        if option in family.modules:
            return "module"
        if family is _SHELL and option == "-s":
            return "stdin"
        if option in family.valued:  # its value is the rest of the word, or, where nothing is left, the next one
            return "valued" if place > len(word) - 1 else ""
    return ""
