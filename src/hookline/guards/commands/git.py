"""Rules about Git: what throws away work or history."""

from __future__ import annotations

import re
import shlex

from hookline.guards.commands.arguments import read_arguments
from hookline.guards.commands.hits import Hit
from hookline.text.script.reading import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from hookline.guards.commands.hits import Rules
    from hookline.guards.commands.places import Scene
    from hookline.text.script.reading import Call

_GLOBAL_VALUED = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env",
                  "--super-prefix", "--exec-path")  # fmt: skip
_REMOTE = re.compile(
    r"(?:refs/)?(?:remotes/)?origin(?:/|$)|(?:refs/)?remotes/|.*@\{(?:u|upstream|push)\}",
    re.IGNORECASE,
)  # fmt: skip
_UNFORCED = re.compile(r"clean\.requireforce=(?:false|0|no|off)", re.IGNORECASE)
_STASH = "keep the work with `git stash` or in a branch first"
_LEASE = "push with `--force-with-lease`"


def _git(call: Call, scene: Scene) -> Iterator[Hit]:
    at = find_subcommand(call.words)
    if at >= len(call.words):
        return
    name = call.words[at].text
    settings = [*(word.text for word in call.words[:at]), *_list_settings(call)]
    alias = _find_alias(settings, name)
    if alias:
        words = [Word("git"), *map(Word, shlex.split(alias)), *call.words[at + 1 :]]
        yield from _git(call._replace(words=tuple(words)), scene)
        return
    judge = _SUBCOMMANDS.get(name)
    if any(word.text in ("-h", "--help") for word in call.words[at:]):
        return
    if name == "clean" and any(map(_UNFORCED.fullmatch, settings)):
        yield from _clean(call._replace(words=(*call.words, Word("--force"))), at + 1)
    elif judge is not None:
        yield from judge(call, at + 1)


def find_subcommand(words: Sequence[Word]) -> int:
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if words[at].text in _GLOBAL_VALUED else 1
    return at


def _list_settings(call: Call) -> Iterator[str]:
    """Yield the settings in the variables of a call, each as `KEY=VALUE`."""
    given = {name: value.text for name, value in call.assigned}
    for name, key in given.items():
        if name.startswith("GIT_CONFIG_KEY_"):
            yield f"{key}={given.get(name.replace('KEY', 'VALUE'), '')}"
    yield from re.findall(r"'([^']*)'", given.get("GIT_CONFIG_PARAMETERS", ""))
    for word in call.words[1:]:  # `--config-env=KEY=VARIABLE`
        if word.text.startswith("--config-env="):
            key, _, name = word.text.removeprefix("--config-env=").rpartition("=")
            yield f"{key}={given.get(name, '')}"


def _find_alias(settings: Sequence[str], name: str) -> str:
    """Return what the setting `alias.NAME=TEXT` makes of a subcommand; empty if there is none."""
    for text in settings:
        key, _, value = text.partition("=")
        if (
            key.lower() == f"alias.{name}"
            and not value.startswith("!")
            and value.count('"') % 2 == 0
        ):
            return value
    return ""


# -- subcommands ---------------------------------------------------------------------------------


def _reset(call: Call, at: int) -> Iterator[Hit]:
    given = read_arguments(call, begin=at)
    if not any("hard".startswith(name) and name[:1] == "h" for name in given.names):
        return
    refs = [text for text in given.texts if text]
    if any(_REMOTE.match(ref) for ref in refs):
        reason = "it replaces local commits and changes by the state of a remote"
        yield Hit("git.remote_reset", reason, _STASH)
    else:
        yield Hit("git.discard", "it discards all changes that are not committed", _STASH)


def _checkout(call: Call, at: int) -> Iterator[Hit]:
    given = read_arguments(call, ("-b", "-B", "--orphan", "--conflict"), begin=at)
    texts = [word.text for word in call.words[at:]]
    if given.has("f", "force") or "discard-changes" in given.names:
        yield Hit("git.discard", "it discards changes that are not committed", _STASH)
    elif "--" in texts and not given.has("b", "B", "p", "patch"):
        if texts[texts.index("--") + 1 :]:
            yield Hit("git.discard", "it discards changes of files", _STASH)
    elif given.texts[-1:] and given.texts[-1] in (".", ":/", "*", "./", ":/*"):
        yield Hit("git.discard", "it discards all changes of the folder", _STASH)


def _restore(call: Call, at: int) -> Iterator[Hit]:
    given = read_arguments(call, ("-s", "--source", "--pathspec-from-file"), begin=at)
    is_index_only = given.has("S", "staged") and not given.has("W", "worktree")
    if not is_index_only and given.operands and not given.has("p", "patch"):
        yield Hit("git.discard", "it discards changes of files", _STASH)


def _switch(call: Call, at: int) -> Iterator[Hit]:
    given = read_arguments(call, ("-c", "-C", "--orphan"), begin=at)
    if given.has("f", "force", "discard-changes"):
        yield Hit("git.discard", "it discards changes that are not committed", _STASH)


def _clean(call: Call, at: int) -> Iterator[Hit]:
    given = read_arguments(call, ("-e", "--exclude"), begin=at)
    if given.has("f", "force") and not given.has("n", "dry-run", "i", "interactive"):
        instead = "look with `git clean -n` first, and remove files by name"
        yield Hit("git.discard", "it removes files that Git does not know", instead)


def _stash(call: Call, at: int) -> Iterator[Hit]:
    if call.words[at : at + 1] and call.words[at].text in ("drop", "clear"):
        yield Hit("git.discard", "it drops stashed work", "keep the stash")


def _branch(call: Call, at: int) -> Iterator[Hit]:
    given = read_arguments(call, ("-u", "--sort", "--format", "--contains"), begin=at)
    is_forced = given.has("f", "force") and given.has("d", "delete")
    if "D" in given.letters or is_forced:
        yield Hit("git.discard", "it deletes a branch, merged or not", "delete it with `-d`")


def _push(call: Call, at: int) -> Iterator[Hit]:
    given = read_arguments(call, ("-o", "--push-option", "--repo", "--receive-pack"), begin=at)
    if given.has("n", "dry-run"):
        return
    deletes = given.has("d", "delete") or any(text.startswith(":") for text in given.texts[1:])
    is_leased = any(name.startswith("force-with") for name in given.names)
    is_forced = ("f" in given.letters or "force" in given.names) and not is_leased
    is_forced = is_forced or any(text.startswith("+") for text in given.texts[1:])
    if deletes:
        yield Hit("git.discard", "it deletes a branch or tag of the remote", "ask the user")
    elif given.has("mirror", "prune"):
        yield Hit("git.discard", "it deletes what the remote has and you do not", "ask the user")
    elif is_forced:
        yield Hit("git.discard", "it overwrites the history of the remote", _LEASE)


def _rewrite(call: Call, at: int) -> Iterator[Hit]:
    if any(word.text in ("--analyze", "--dry-run") for word in call.words[at:]):
        return
    if call.words[at - 1].text == "lfs" and [word.text for word in call.words[at : at + 2]] != [
        "migrate", "import",
    ]:  # fmt: skip
        return
    yield Hit("git.discard", "it rewrites the history", "make a new commit")


def _reflog(call: Call, at: int) -> Iterator[Hit]:
    words = [word.text for word in call.words[at:]]
    if words[:1] in (["expire"], ["delete"]) and not {"--dry-run", "-n"} & set(words):
        yield Hit("git.discard", "it removes the way back to lost commits", "keep the reflog")


def _collect(call: Call, at: int) -> Iterator[Hit]:
    words = [word.text for word in call.words[at:]]
    if "--prune=now" in words or "--prune=all" in words:
        yield Hit("git.discard", "it removes commits that no branch has", "run `git gc`")


def _worktree(call: Call, at: int) -> Iterator[Hit]:
    given = read_arguments(call, begin=at)
    if given.texts[:1] == ("remove",) and given.has("f", "force"):
        yield Hit("git.discard", "it removes a work tree with its changes", "remove it unforced")


def _update_ref(call: Call, at: int) -> Iterator[Hit]:
    if read_arguments(call, ("-m",), begin=at).has("d"):
        yield Hit("git.discard", "it deletes a reference", "delete the branch with `-d`")


_SUBCOMMANDS: Mapping[str, Callable[[Call, int], Iterator[Hit]]] = {
    "reset": _reset,
    "checkout": _checkout,
    "restore": _restore,
    "switch": _switch,
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


def _shrink(_call: Call, _scene: Scene) -> Iterator[Hit]:
    yield Hit("git.discard", "it rewrites the history", "make a new commit")


def _run_jar(call: Call, scene: Scene) -> Iterator[Hit]:
    """Judge `java -jar bfg.jar`."""
    if any(re.search(r"(?:^|/)bfg[\w.-]*\.jar$", word.text) for word in call.words[1:]):
        yield from _shrink(call, scene)


GIT_RULES: Rules = {"git": _git, "bfg": _shrink, "java": _run_jar}
