"""Programs: which word of a command line is the script that its interpreter runs, told from the words alone."""

from __future__ import annotations

from hookline.text.launched import DEEPEST, is_acting, is_led, launched
from hookline.text.launchers import rows
from hookline.text.runners import is_opaque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hookline.text.launched import Launched


_NONE: frozenset[str] = frozenset()


class Family:
    """Programs that take a script by the same rules.

    `name` says how a script of theirs is run from memory ("copy": only from a file; "" = no interpreter). `code`: options after
    which code stands, and no script; `modules`: those after which a module stands; `valued`: options that take the next word, and
    `attached`: those whose value is the rest of their own; `verbs`: words before the script, as in `deno run x.ts`; `clusters`:
    one-letter options may be written together.
    """

    __slots__ = ("attached", "clusters", "code", "modules", "name", "valued", "verbs")

    def __init__(
        self,
        *,
        name: str,
        code: frozenset[str] = _NONE,
        modules: frozenset[str] = _NONE,
        valued: frozenset[str] = _NONE,
        attached: frozenset[str] = _NONE,
        verbs: frozenset[str] = _NONE,
        clusters: bool = True,
    ) -> None:
        self.name = name
        self.code = code
        self.modules = modules
        self.valued = valued
        self.attached = attached
        self.verbs = verbs
        self.clusters = clusters


class Reading:
    """What a command line runs.

    `program_at`: the place of the program among the words. `at`: that of its script, None where there is none. `text_at`: that of
    code for a shell. `is_code`: code for another language stands among the words, or a module. `is_fed`: what is run is read from
    the standard input. `unknown`: what is run cannot be told from the words, and why. `through`: the places of the programs that run
    it, if they are what their names say; where the program is the last of these, it runs nothing. `folders`: where these go before that,
    one from the other. `own`: one of them finds the program in ways of its own. `around`: the places of those that run what a project
    around the working folder says, each with the place of what it is told to run.
    """

    __slots__ = (
        "around",
        "at",
        "family",
        "folders",
        "is_code",
        "is_fed",
        "own",
        "program_at",
        "text_at",
        "through",
        "unknown",
    )

    def __init__(
        self,
        *,
        family: Family,
        program_at: int,
        at: int | None = None,
        text_at: int | None = None,
        is_code: bool = False,
        is_fed: bool = False,
        unknown: str = "",
    ) -> None:
        self.family = family
        self.program_at = program_at
        self.at = at
        self.text_at = text_at
        self.is_code = is_code
        self.is_fed = is_fed
        self.unknown = unknown
        self.through: tuple[int, ...] = ()
        self.folders: tuple[str, ...] = ()
        self.own = False
        self.around: tuple[tuple[int, int], ...] = ()

    def runs_nothing(self) -> bool:
        """Whether there is no word among these that is certainly run, but for the programs on the way."""
        is_idle = self.program_at in self.through or (
            bool(self.family.name) and self.at is None and self.text_at is None
        )
        return is_idle and not self.is_code


_PYTHON = Family(
    name="python",
    code=frozenset({"-c"}),
    modules=frozenset({"-m"}),
    valued=frozenset({"-W", "-X", "--check-hash-based-pycs"}),
)
_SHELL = Family(
    name="shell",
    code=frozenset({"-c"}),
    valued=frozenset({"-o", "+o", "-O", "+O", "--rcfile", "--init-file"}),
)
_NODE = Family(
    name="node",
    code=frozenset({"-e", "--eval", "-p", "--print", "-pe"}),
    modules=frozenset({"--run", "--test"}),
    valued=frozenset(
        {
            "-r",
            "--require",
            "--import",
            "--loader",
            "--experimental-loader",
            "-C",
            "--conditions",
            "--env-file",
            "--env-file-if-exists",
            "--title",
        }
    ),
    clusters=False,
)
_PERL = Family(
    name="perl",
    code=frozenset({"-e", "-E"}),
    valued=frozenset({"-I"}),
    attached=frozenset({"-0", "-C", "-D", "-F", "-M", "-V", "-d", "-i", "-m", "-x"}),
)
_UV = Family(name="uv", verbs=frozenset({"run"}))
_OTHER = Family(
    name="copy",
    code=frozenset({"-e", "-c", "-r", "--eval", "eval", "-Command", "-EncodedCommand"}),
    verbs=frozenset({"run"}),
    clusters=False,
)

# By the program's name, less the version at its end.
_FAMILIES: Mapping[str, Family] = {
    **dict.fromkeys(("python", "pypy"), _PYTHON),
    **dict.fromkeys(("bash", "sh", "dash", "ash", "ksh", "zsh", "rbash", "mksh", "lksh", "oksh", "pdksh", "yash"), _SHELL),
    **dict.fromkeys(("node", "nodejs"), _NODE),
    "perl": _PERL,
    **dict.fromkeys(
        (
            "ruby", "php", "lua", "luajit", "deno", "bun", "tsx", "ts-node", "Rscript", "fish", "csh", "tcsh", "tclsh", "expect", "guile",
            "pwsh", "powershell", "elixir", "escript", "groovy", "julia", "nu", "osascript", "racket", "raku", "runghc", "runhaskell", "xonsh",
        ),
        _OTHER,
    ),
}  # fmt: skip
_VERSION = "0123456789."
# Options with which an interpreter tells of itself, and runs nothing.
_TELLING = frozenset({"--version", "-V", "-v", "--help", "-h"})
_NO_FAMILY = Family(name="")


def reading(words: Sequence[str], start: int = 0, depth: int = 0) -> Reading:
    """Which of the words is run, whatever runs it, if the programs are what their names say; one that is no interpreter runs itself."""
    name = words[start].rpartition("/")[2]
    family = _FAMILIES.get(name.rstrip(_VERSION))
    if family is not None:
        return _script(words, start, family)
    told = rows(name)
    read = ((row, launched(words, start, row)) for row in told)
    row, found = next(((row, found) for row, found in read if found is not None), (None, None))
    if (
        row is not None
        and found is not None
        and row.held
        and (found.text is None or found.text_at is not None)
        and depth < DEEPEST
    ):
        made = _handed(words, start, found, depth)
        made.around = (*(((start, found.at),) if row.around else ()), *made.around)
        return made
    is_held = bool(told) and told[0].held and not told[0].verbs
    if (
        is_opaque(name)
        or found is not None
        or is_held
        or is_acting(words, start)
        or is_led(words, start)
    ):
        return Reading(
            family=_NO_FAMILY, program_at=start, unknown=f"what `{name}` runs is only known to it"
        )
    return by_itself(start)


def by_itself(at: int) -> Reading:
    """What a program runs that is nothing but what lies at its path, whatever its name says."""
    return Reading(family=_NO_FAMILY, program_at=at)


def _handed(words: Sequence[str], start: int, inner: Launched, depth: int) -> Reading:
    """What is run by a launcher that hands its words on as they are."""
    if inner.text_at is not None:
        found = Reading(family=_SHELL, program_at=start, text_at=inner.text_at)
    elif inner.at >= inner.end:
        found = by_itself(start)
        found.through = (start,)
    elif inner.is_script:
        is_fed = words[inner.at] == "-"
        family = _UV if words[start].endswith("uv") else _OTHER
        found = Reading(
            family=family, program_at=start, at=None if is_fed else inner.at, is_fed=is_fed
        )
    else:
        found = reading(words, inner.at, depth + 1)
        found.through = (start, *found.through)
    found.folders = (*inner.folders, *found.folders)
    found.own = found.own or inner.own
    return found


def _script(words: Sequence[str], start: int, family: Family) -> Reading:
    at, step = _behind_options(words, start + 1, family)
    if step == "code":
        return _coded(words, start, at, family)
    if step == "module":
        unknown = (
            f"the module after `{words[at]}` is found by `{words[start]}`"
            if family is _PYTHON
            else f"what `{words[start]} {words[at]}` runs is only known to it"
        )
        return Reading(family=family, program_at=start, is_code=True, unknown=unknown)
    if step == "stdin" or at >= len(words) or words[at] == "-":
        return Reading(
            family=family, program_at=start, is_fed=not _TELLING.intersection(words[start:at])
        )
    return Reading(family=family, program_at=start, at=at)


def _behind_options(words: Sequence[str], at: int, family: Family) -> tuple[int, str]:
    """The place of the first word that is no option and no verb; or of the option that says what is run, and what it says."""
    while at < len(words):
        word = words[at]
        if word == "--":
            return at + 1, ""
        is_option = word != "-" and word.startswith(("-", "+") if family is _SHELL else "-")
        if not is_option and word not in family.verbs:
            return at, ""
        step = _option(word, family) if is_option else ""
        if step in {"code", "module", "stdin"}:
            return at, step
        at += 2 if step == "valued" else 1
    return at, ""


def _coded(words: Sequence[str], start: int, at: int, family: Family) -> Reading:
    """Code among the words. A shell's is the first word behind all of its options; any other's cannot be told apart from them."""
    if family is not _SHELL:
        return Reading(family=family, program_at=start, is_code=True)
    at += 1 + sum(
        words[at].count(letter) for letter in "oO"
    )  # in `-co pipefail` a name stands before the text
    while at < len(words) and words[at].startswith(("-", "+")):
        if words[at] in {"--", "-"}:
            at += 1
            break
        at += 2 if _option(words[at], family) == "valued" else 1
    return Reading(family=family, program_at=start, text_at=at if at < len(words) else None)


def _option(word: str, family: Family) -> str:
    """What an option does with the words after it."""
    if word in family.code or (word.startswith("--") and word.partition("=")[0] in family.code):
        return "code"
    if word in family.modules or (
        word.startswith("--") and word.partition("=")[0] in family.modules
    ):
        return "module"
    if word in family.valued:
        return "valued"
    return "" if not family.clusters or word.startswith("--") else _clustered(word, family)


def _clustered(word: str, family: Family) -> str:
    """The same of letters that are written together."""
    for place, letter in enumerate(word[1:], 2):
        option = f"{word[0]}{letter}"
        if option in family.code:
            return "code"
        if option in family.modules:
            return "module"
        if family is _SHELL and option == "-s":
            return "stdin"
        if option in family.attached:
            return ""
        if (
            option in family.valued
        ):  # its value is the rest of the word, or, where nothing is left, the next one
            return "valued" if place > len(word) - 1 else ""
    return ""
