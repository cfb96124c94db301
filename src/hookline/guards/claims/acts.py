"""What a tool call does for a claim: it tests, builds, commits, pushes, publishes, sends.

Only a program that would run counts. A word in an argument, a message or a search is no run.
"""

from __future__ import annotations

import re
from functools import lru_cache

from hookline.guards.claims import act_lexicon as lexicon
from hookline.model.tools import families

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from hookline.text.script.reading import Call

_LONGEST = 64 << 10  # characters of a command line

_ROWS: dict[str, list[tuple[tuple[str, ...], str]]] = {}
for _line in lexicon.PROGRAMS.strip().splitlines():
    _program, *_words, _act = _line.split()
    _ROWS.setdefault(_program, []).append((tuple(_words), _act))

_MOST_GLOBALS = 3  # words before a subcommand, such as the value of `-n`
_PARTS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
_SCRIPT_FILE = re.compile(r"(?:^|/)[\w.-]+\.(?:sh|py|js|ts|mjs|rb|pl|php)$|^\.{0,2}/")
_TEST_FILE = re.compile(r"^[\w./@-]+\.(?:py|[jt]sx?|rb|go|rs|java|php|exs|cs)$")
# What an unknown program, an agent or a request may have done.
UNKNOWN, HTTP, AGENT = "unknown", "http", "agent"


_PATH_FIELDS = ("file_path", "path", "notebook_path", "filename", "file")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.{1,300})$", re.MULTILINE)
_SOURCE = re.compile(
    r"\.(?:py|pyi|js|jsx|ts|tsx|mjs|cjs|vue|svelte|go|rs|java|kt|kts|scala|c|h|cc|cpp|hpp|cs|swift|m"
    r"|rb|php|pl|lua|ex|exs|erl|hs|ml|clj|dart|r|jl|zig|nim|sh|bash|sql|css|scss|html|proto|graphql"
    r"|ipynb)$|(?:^|/)(?:Makefile|Dockerfile)$",
    re.IGNORECASE,
)
_MOST_FILES = 12
_WRITES = (">", ">>", ">|", "&>", "&>>")
# Beside another act: it runs on after the call; it runs some of the tests only.
BACKGROUND, PART = "background", "part"


def is_source(path: str) -> bool:
    """Return whether a path is code, by its name; documents, data and temporary files are none."""
    return bool(_SOURCE.search(path)) and not path.startswith(("/tmp/", "/dev/"))  # noqa: S108 - a name


def find_edited_files(given: object, clock: Callable[[], float] | None = None) -> tuple[str, ...]:
    """Return the source files that a call of an editor or of a shell writes, as far as named.

    `clock`: seconds, to end the reading of a hostile line.
    """
    if not isinstance(given, dict):
        return ()
    command = given.get("command", given.get("cmd", ""))
    named = [given[key] for key in _PATH_FIELDS if isinstance(given.get(key), str)]
    patch = given.get("patch") or given.get("input")
    if isinstance(patch, str):
        named += _PATCHED.findall(patch)
    if isinstance(command, str) and command and not named:
        named = _find_written(command, clock)
    return tuple(dict.fromkeys(filter(is_source, named)))[:_MOST_FILES]


def _find_written(command: str, clock: Callable[[], float] | None) -> list[str]:
    """Return what redirections, `tee`, and `sed` and `perl` in place write."""
    named: list[str] = []
    for call in _read_calls(command, clock):
        words = call.texts[1:]
        named += [each.target.text for each in call.redirects if each.operator in _WRITES]
        flags = [word for word in words if word.startswith("-")]
        in_place = call.program in ("sed", "gsed", "perl", "ruby") and any(
            flag.startswith(("-i", "--in-place", "-pi", "-p -i")) for flag in flags
        )
        if in_place or call.program == "tee":
            named += [word for word in words if not word.startswith("-")]
    return named


def find_acts(
    tool: str, given: object, dialect: str = "", clock: Callable[[], float] | None = None
) -> tuple[str, ...]:
    """Return what a call of a tool does, in its order; empty if that backs no claim.

    `edit` is an edit of a file; `http` a request with data; `agent` another agent; `unknown` a
    script. `clock`: seconds, to end the reading of a hostile line.
    """
    kinds = families(tool, dialect)
    fields = given if isinstance(given, dict) else {}
    command = fields.get("command", fields.get("cmd", fields.get("script", "")))
    if isinstance(command, list):
        command = " ".join(map(str, command))
    if isinstance(command, str) and command and ("shell" in kinds or not kinds):
        acts = find_command_acts(command, clock)
        acts = ("edit", *acts) if find_edited_files(given, clock) else acts
        return (*acts, BACKGROUND) if fields.get("run_in_background") is True else acts
    if {"write", "edit"} & set(kinds):
        return ("edit",)
    if "agent" in kinds:
        return (AGENT,)
    return _find_tool_acts(tool)


@lru_cache(maxsize=2)  # what a line does, and what it writes, are two questions
def _read_calls(command: str, clock: Callable[[], float] | None) -> tuple[Call, ...]:
    # The grammar of the shell, which a call of another tool does not need.
    from hookline.text.script.evaluate import read_shell  # noqa: PLC0415

    return read_shell(command[:_LONGEST], clock=clock).calls


def find_command_acts(command: str, clock: Callable[[], float] | None = None) -> tuple[str, ...]:
    """Return what a command line does, in its order."""
    acts = [act for call in _read_calls(command, clock) for act in _find_call_acts(call)]
    return tuple(dict.fromkeys(acts))


def _find_call_acts(call: Call) -> Iterable[str]:
    program, words = call.program, call.texts[1:]
    if call.language and not program:
        return (UNKNOWN,)
    acts = _find_program_acts(program, words, call.words[0].text if call.words else "")
    runner = call.via[-1].split()[0] if call.via and call.via[-1] else ""
    if (
        not acts and runner in lexicon.RUNNERS
    ):  # `hatch run test` names a target, `uv run` has options
        return _find_target_acts(runner, [program, *words], [program, *words])
    return acts


def _find_program_acts(program: str, words: Sequence[str], path: str) -> Sequence[str]:
    flags = {word.partition("=")[0] for word in words}
    idle = lexicon.NOT_A_RUN_OF.get(program) or lexicon.NOT_A_RUN_OF.get(
        " ".join([program, *words[:1]]), frozenset()
    )
    if flags & (lexicon.NOT_A_RUN | idle):
        return ()
    if program in ("python", "python3", "py") and words[:1] == ["-m"] and len(words) > 1:
        program, words = words[1], words[2:]
    acts = [
        act for needed, act in _ROWS.get(program, ()) if _has_subcommand(program, words, needed)
    ]
    if "test" in acts and _is_part(words):
        acts.append(PART)
    if acts:
        return acts
    if program in lexicon.CLIENTS:
        return (HTTP,) if _sends_data(words) else ()
    return _find_named_acts(program, words, path)


def _find_named_acts(program: str, words: Sequence[str], path: str) -> Sequence[str]:
    """Return the acts of a target such as `make test`, or of a script, by its name."""
    plain = [word for word in words if not word.startswith("-") and "=" not in word]
    if program in lexicon.RUNNERS:
        return _find_target_acts(program, words, plain)
    if program in lexicon.SCRIPTS and plain:
        name = plain[0].rpartition("/")[2]
        if name in _ROWS:
            return _find_program_acts(name, words[words.index(plain[0]) + 1 :], "")
        return _name_acts((name,)) or (UNKNOWN,)
    if _SCRIPT_FILE.search(path):
        return _name_acts((program,)) or (UNKNOWN,)
    return ()


def _find_target_acts(program: str, words: Sequence[str], plain: Sequence[str]) -> Sequence[str]:
    """Return the acts of `npm run test`, or of `pnpm vitest`, which runs a program."""
    targets = [word for word in plain if word not in ("run", "run-script", "exec", "dlx")]
    if not targets:
        return ("build",) if program in ("make", "ninja", "ant") else ()
    is_target = program == "make" or bool({"run", "run-script"} & set(words[:2]))
    if not is_target and lexicon.INSTALLS & set(targets[:3]):
        return ()
    inner = next((word for word in targets[:3] if word in _ROWS), "")
    if inner:
        return _find_program_acts(inner, words[words.index(inner) + 1 :], "")
    return _name_acts(targets[:3])


def _name_acts(names: Iterable[str]) -> tuple[str, ...]:
    parts = [part.lower() for name in names for part in _PARTS.findall(name)]
    return tuple(dict.fromkeys(lexicon.NAMES[part] for part in parts if part in lexicon.NAMES))


def _find_tool_acts(tool: str) -> tuple[str, ...]:
    """Return what a tool that is no shell and no editor does, by the words of its name."""
    server, _, name = tool.rpartition("__")
    parts = [part.lower() for part in _PARTS.findall(name or tool)]
    words = set(parts)
    has_reader = bool(lexicon.READERS & set(parts[:1])) or bool(
        (lexicon.READERS - lexicon.NO_VERBS) & set(parts[1:2])  # `telegram_get_updates`
    )
    if not parts or has_reader or lexicon.REMOVERS & words:
        return ()
    joined = "_".join(parts)
    is_request = "pull_request" in joined or "merge_request" in joined or words & {"pr", "mr"}
    if is_request and words & {"create", "open", "submit"}:
        return ("request",)
    if lexicon.PREPARERS & words:
        return ()
    if joined in ("create_or_update_file", "push_files"):
        return ("commit", "push")
    named = _name_acts((name or tool, *(lexicon.REMOTES & set(_PARTS.findall(server)))))
    # A tool of a server, or of a browser, may do what its name does not say.
    is_open = bool(server) or bool(lexicon.OPEN & words)
    return named or ((HTTP,) if is_open else ())


def _is_part(words: Sequence[str]) -> bool:
    """Return whether a test run is of chosen tests: by a file, a name or a filter."""
    return any(
        word.partition("=")[0] in lexicon.FILTERS or "::" in word or bool(_TEST_FILE.search(word))
        for word in words
    )


def _has_subcommand(program: str, words: Sequence[str], needed: Sequence[str]) -> bool:
    """Return whether words hold a subcommand in its order, options between them aside."""
    if not needed:
        return True
    plain = [word for word in words if not word.startswith("-")]
    if program in ("git", "hg"):
        plain = _drop_git_options(words)
        return tuple(plain[: len(needed)]) == tuple(needed)
    flags = [word for word in words if word.startswith("-")]
    if needed[0].startswith("-"):
        return needed[0] in flags
    if needed[0] not in plain[:_MOST_GLOBALS]:
        return False
    rest = iter(plain)
    return all(any(word == wanted for word in rest) for wanted in needed)


def _drop_git_options(words: Sequence[str]) -> list[str]:
    """Return the words after the options that stand before a subcommand, without further ones."""
    place = 0
    while place < len(words) and words[place].startswith("-"):
        place += 2 if words[place] in ("-C", "-c") else 1
    return [word for word in words[place:] if not word.startswith("-")]


def _sends_data(words: Sequence[str]) -> bool:
    joined = " ".join(words)
    method = re.search(r"(?:-X|--request|--method)[ =]?(?:POST|PUT|PATCH)|\bPOST\b|--post-", joined)
    return bool(method) or any(word.partition("=")[0] in lexicon.DATA_FLAGS for word in words)
