"""Rules about Git: what throws away work or history."""

from __future__ import annotations

import shlex

from hookline.guards.commands.arguments import read_arguments
from hookline.guards.commands.hits import Hit
from hookline.text import lazy_re as re
from hookline.text.script.reading import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from hookline.guards.commands.arguments import Arguments
    from hookline.guards.commands.hits import Rules
    from hookline.guards.commands.places import Context
    from hookline.text.script.reading import Call

_GLOBAL_VALUED = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env",
                  "--super-prefix", "--exec-path")  # fmt: skip
_FROM_FILE = "--pathspec-from-file"
# Options of subcommands that take the next word.
_VALUED = {
    "reset": (_FROM_FILE, "-U", "--unified", "--inter-hunk-context"),
    "checkout": ("-b", "-B", "--orphan", "--conflict", _FROM_FILE, "-U", "--unified",
                 "--inter-hunk-context"),
    "restore": ("-s", "--source", _FROM_FILE, "--conflict", "-U", "--unified",
                "--inter-hunk-context"),
    "switch": ("-c", "-C", "--create", "--force-create", "--orphan", "--conflict"),
    "checkout-index": ("--prefix", "--stage"),
    "read-tree": ("--prefix", "--index-output", "--exclude-per-directory"),
    "clean": ("-e", "--exclude"),
    "branch": ("-u", "--sort", "--format", "--contains"),
    "push": ("-o", "--push-option", "--repo", "--receive-pack", "--exec"),
    "update-ref": ("-m",),
}  # fmt: skip
_REMOTE = re.compile(
    r"(?:refs/)?(?:remotes/)?origin(?:/|$)|(?:refs/)?remotes/|.*@\{(?:u|upstream|push)\}",
    re.IGNORECASE,
)  # fmt: skip
_UNFORCED = re.compile(r"clean\.requireforce=(?:false|0|no|off)", re.IGNORECASE)
_STASH = "keep the work with `git stash` or in a branch first"
_LEASE = "push with `--force-with-lease`"


def _git(call: Call, _context: Context) -> Iterator[Hit]:
    call = _expand_aliases(call)
    at = find_subcommand(call.words)
    if at >= len(call.words):
        return
    name = call.words[at].text.lower()
    judge = _SUBCOMMANDS.get(name)
    given = read_arguments(call, _VALUED.get(name, ()), begin=at + 1)
    if judge is None or not given.names.isdisjoint(("h", "help", "version")):
        return
    if name == "clean" and any(map(_UNFORCED.fullmatch, _list_settings(call, at))):
        given = given._replace(options=("--force", *given.options))
    yield from judge(given, call, at + 1)


def find_subcommand(words: Sequence[Word]) -> int:
    """Return the index of the subcommand; that of the end if there is none."""
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if words[at].text in _GLOBAL_VALUED else 1
    return at


def _expand_aliases(call: Call) -> Call:
    """Return a call with the words of its aliases; Git refuses an alias that leads to itself."""
    expanded: set[str] = set()
    while (at := find_subcommand(call.words)) < len(call.words):
        name = call.words[at].text
        alias = [] if name in expanded else _find_alias(_list_settings(call, at), name)
        if not alias:
            break
        expanded.add(name)
        call = call._replace(words=(*call.words[:at], *map(Word, alias), *call.words[at + 1 :]))
    return call


def _list_settings(call: Call, at: int) -> Iterator[str]:
    """Yield the settings before the subcommand and in variables, each as `KEY=VALUE`."""
    for word in call.words[1:at]:
        yield word.text.removeprefix("-c")
    given = {name: value.text for name, value in call.assigned}
    for name, key in given.items():
        if name.startswith("GIT_CONFIG_KEY_"):
            yield f"{key}={given.get(name.replace('KEY', 'VALUE'), '')}"
    yield from re.findall(r"'([^']*)'", given.get("GIT_CONFIG_PARAMETERS", ""))
    for word in call.words[1:]:  # `--config-env=KEY=VARIABLE`
        if word.text.startswith("--config-env="):
            key, _, name = word.text.removeprefix("--config-env=").rpartition("=")
            yield f"{key}={given.get(name, '')}"


def _find_alias(settings: Iterable[str], name: str) -> list[str]:
    """Return the words that the setting `alias.NAME=TEXT` puts for a subcommand; empty without one.

    Git runs nothing for an alias with a quotation that does not end.
    """
    for text in settings:
        key, _, value = text.partition("=")
        if key.lower() == f"alias.{name}" and not value.startswith("!"):
            try:
                return shlex.split(value)
            except ValueError:
                continue
    return []


# -- subcommands ---------------------------------------------------------------------------------


def _reset(given: Arguments, _call: Call, _at: int) -> Iterator[Hit]:
    modes = [name for name in given.names if len(name) > 1 or name == "h"]
    if any("merge".startswith(name) for name in modes):
        yield Hit("git.discard", "it discards changes that are not committed", _STASH)
    if not any("hard".startswith(name) for name in modes):
        return
    refs = [text for text in given.texts if text]
    if any(_REMOTE.match(ref) for ref in refs):
        reason = "it replaces local commits and changes by the state of a remote"
        yield Hit("git.remote_reset", reason, _STASH)
    else:
        yield Hit("git.discard", "it discards all changes that are not committed", _STASH)


# What is no name of a commit or branch, so that it is a path.
_PATH = re.compile(r"\.{0,2}$|\.{1,2}/|:|.*[*?\[]|.*/$", re.DOTALL)


def _checkout(given: Arguments, call: Call, at: int) -> Iterator[Hit]:
    texts = call.texts[at:]
    makes_branch = given.has("b", "B", "orphan", "t", "track", "d", "detach")
    is_asked = given.is_on("p", "patch")
    if given.is_on("f", "force") or "discard-changes" in given.names:
        yield Hit("git.discard", "it discards changes that are not committed", _STASH)
    elif is_asked or makes_branch:
        return
    elif "--" in texts:
        if texts[texts.index("--") + 1 :]:
            yield Hit("git.discard", "it discards changes of files", _STASH)
    elif given.texts[-1:] and given.texts[-1] in (".", ":/", "*", "./", ":/*"):
        yield Hit("git.discard", "it discards all changes of the folder", _STASH)
    elif given.has("ours", "theirs", "merge", "m"):  # it ends a conflict
        return
    elif given.get(_FROM_FILE) or _names_paths(given.operands):
        yield Hit("git.discard", "it discards changes of files", _STASH)


def _names_paths(operands: Sequence[Word]) -> bool:
    """Return whether the operands of `checkout` name files, as in `checkout REF FILE`."""
    if not operands or not operands[-1].text:
        return False
    last = operands[-1].text
    if len(operands) == 1 or not operands[-1].is_known:
        return bool(_PATH.match(last))
    # An unknown word before a name may be an option, or nothing.
    return any(word.is_known for word in operands[:-1]) or "/" in last or "." in last


def _restore(given: Arguments, _call: Call, _at: int) -> Iterator[Hit]:
    # Git takes the folder unless one of these is there, `--no-staged` too.
    is_in_worktree = given.is_on("W", "worktree")
    if is_in_worktree is None:
        is_in_worktree = given.is_on("S", "staged") is None
    names_files = bool(given.operands or given.get(_FROM_FILE))
    if is_in_worktree and names_files and not given.is_on("p", "patch"):
        yield Hit("git.discard", "it discards changes of files", _STASH)


def _switch(given: Arguments, _call: Call, _at: int) -> Iterator[Hit]:
    if given.is_on("f", "force") or given.is_on("f", "discard-changes"):
        yield Hit("git.discard", "it discards changes that are not committed", _STASH)


def _overwrite(given: Arguments, call: Call, at: int) -> Iterator[Hit]:
    """Judge `checkout-index` and `read-tree`, which write the files of the index or a tree."""
    is_read = call.words[at - 1].text.lower() == "read-tree"
    if given.get("--prefix"):  # it writes to another folder
        return
    writes = given.has("u") if is_read else given.has("a", "all") or bool(given.operands)
    if writes and (given.has("reset") if is_read else given.is_on("f", "force")):
        yield Hit("git.discard", "it discards changes that are not committed", _STASH)


def _clean(given: Arguments, _call: Call, _at: int) -> Iterator[Hit]:
    is_asked = given.is_on("n", "dry-run") or given.is_on("i", "interactive")
    if given.is_on("f", "force") and not is_asked:
        instead = "look with `git clean -n` first, and remove files by name"
        yield Hit("git.discard", "it removes files that Git does not know", instead)


def _stash(given: Arguments, _call: Call, _at: int) -> Iterator[Hit]:
    if given.texts[:1] and given.texts[0] in ("drop", "clear"):
        yield Hit("git.discard", "it drops stashed work", "keep the stash")


def _branch(given: Arguments, _call: Call, _at: int) -> Iterator[Hit]:
    is_forced = given.has("f", "force") and given.has("d", "delete")
    if "D" in given.letters or is_forced:
        yield Hit("git.discard", "it deletes a branch, merged or not", "delete it with `-d`")


def _push(given: Arguments, _call: Call, _at: int) -> Iterator[Hit]:
    if given.is_on("n", "dry-run"):
        return
    deletes = given.has("d", "delete") or any(text.startswith(":") for text in given.texts[1:])
    # A lease beside `--force` does not count: Git forces.
    is_forced = given.is_on("f", "force") or any(text.startswith("+") for text in given.texts[1:])
    if deletes:
        yield Hit("git.discard", "it deletes a branch or tag of the remote", "ask the user")
    elif given.has("mirror", "prune"):
        yield Hit("git.discard", "it deletes what the remote has and you do not", "ask the user")
    elif is_forced:
        yield Hit("git.discard", "it overwrites the history of the remote", _LEASE)


def _rewrite(_given: Arguments, call: Call, at: int) -> Iterator[Hit]:
    if any(word.text in ("--analyze", "--dry-run") for word in call.words[at:]):
        return
    if call.words[at - 1].text == "lfs" and call.texts[at : at + 2] != [
        "migrate", "import",
    ]:  # fmt: skip
        return
    yield Hit("git.discard", "it rewrites the history", "make a new commit")


def _reflog(_given: Arguments, call: Call, at: int) -> Iterator[Hit]:
    words = call.texts[at:]
    if words[:1] in (["expire"], ["delete"]) and not {"--dry-run", "-n"} & set(words):
        yield Hit("git.discard", "it removes the way back to lost commits", "keep the reflog")


def _collect(_given: Arguments, call: Call, at: int) -> Iterator[Hit]:
    words = call.texts[at:]
    if "--prune=now" in words or "--prune=all" in words:
        yield Hit("git.discard", "it removes commits that no branch has", "run `git gc`")


def _worktree(given: Arguments, _call: Call, _at: int) -> Iterator[Hit]:
    if given.texts[:1] == ("remove",) and given.is_on("f", "force"):
        yield Hit("git.discard", "it removes a work tree with its changes", "remove it unforced")


def _update_ref(given: Arguments, _call: Call, _at: int) -> Iterator[Hit]:
    if given.has("d"):
        yield Hit("git.discard", "it deletes a reference", "delete the branch with `-d`")


_SUBCOMMANDS: Mapping[str, Callable[[Arguments, Call, int], Iterator[Hit]]] = {
    "reset": _reset,
    "checkout": _checkout,
    "restore": _restore,
    "switch": _switch,
    "checkout-index": _overwrite,
    "read-tree": _overwrite,
    "clean": _clean,
    "stash": _stash,
    "branch": _branch,
    "push": _push,
    "filter-branch": _rewrite,
    "filter-repo": _rewrite,
    "lfs": _rewrite,
    "reflog": _reflog,
    "gc": _collect,
    "worktree": _worktree,
    "update-ref": _update_ref,
}


def _shrink(_call: Call, _context: Context) -> Iterator[Hit]:
    yield Hit("git.discard", "it rewrites the history", "make a new commit")


def _run_jar(call: Call, context: Context) -> Iterator[Hit]:
    """Judge `java -jar bfg.jar`."""
    if any(re.search(r"(?:^|/)bfg[\w.-]*\.jar$", word.text) for word in call.words[1:]):
        yield from _shrink(call, context)


GIT_RULES: Rules = {"git": _git, "bfg": _shrink, "java": _run_jar}
