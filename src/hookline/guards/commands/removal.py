"""Rules about the removal of files: by `rm`, `find`, `rsync` and other programs."""

from __future__ import annotations

from itertools import pairwise

from hookline.guards.commands.arguments import gets_found_paths, read_arguments
from hookline.guards.commands.hits import Hit
from hookline.guards.commands.places import ROOTS, Place, classify, resolve_path, strip_contents
from hookline.guards.commands.system_files import ACCOUNT_FILE, INSTEAD, name_usual
from hookline.text import lazy_re as re
from hookline.text.script.find_arguments import is_narrow, list_roots, list_tests
from hookline.text.script.programs import FIND_NARROWS
from hookline.text.script.reading import UNKNOWN, Word, make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hookline.guards.commands.hits import Rules
    from hookline.guards.commands.places import Context
    from hookline.text.script.reading import Call

_PERSONAL = (Place.PROJECT, Place.ABOVE, Place.PERSONAL)
_REMOVE_SINGLE = "remove single files or a folder of the project by their names"
_SERVICE_DATA = ("/var/lib/postgresql", "/var/lib/mysql", "/var/lib/docker", "/var/lib/redis",
                 "/var/lib/mongodb", "/var/lib/elasticsearch", "/var/lib/rabbitmq", "/data",
                 "/var/lib/etcd", "/var/lib/containerd", "/var/lib/kubelet")  # fmt: skip


def _remove(call: Call, context: Context) -> Iterator[Hit]:
    given = read_arguments(call, ("--interactive",))
    is_recursive = given.has("r", "R", "recursive")
    if is_recursive and "no-preserve-root" in given.names:
        yield Hit("fs.root", "it switches off what protects the root", _REMOVE_SINGLE, ("/",))
    for word in given.operands:
        path = name_usual(resolve_path(word, call.cwd, context))
        if ACCOUNT_FILE.match(path):
            yield Hit("fs.overwrite", "it removes a file that the system needs", INSTEAD, (path,))
    is_found = gets_found_paths(call)
    if is_recursive or is_found:
        # What a narrow search finds is known in part, and that part is where it began.
        words = [word for word in given.operands if word.is_known or not is_found]
        yield from judge_removal(words, call.cwd, context)


def judge_removal(words: Iterable[Word], cwd: str, context: Context) -> Iterator[Hit]:
    """Yield what the recursive removal of these words breaks."""
    for word in words:
        path = resolve_path(word, cwd, context)
        if hit := _judge_removed(path, context):
            yield hit


def _judge_removed(path: str, context: Context) -> Hit | None:
    place = classify(path, context)
    folder, is_all = strip_contents(path)
    what = f"everything in {place.value}" if is_all else place.value
    if place in ROOTS:
        return Hit("fs.root", f"it removes {what}", _REMOVE_SINGLE, (folder,))
    if place in _PERSONAL or _is_worth(folder, context):
        what = what if place in _PERSONAL else "work or data that no tool brings back"
        return Hit("fs.local", f"it removes {what}", _REMOVE_SINGLE, (folder,))
    if place is Place.OUTSIDE:
        return Hit("fs.outside", f"it removes {what}", "leave it, or ask the user", (folder,))
    return None


def _is_worth(path: str, context: Context) -> bool:
    """Return whether a folder holds a repository, another project, or the data of a service."""
    if path.endswith("/.git"):
        return True
    if any(path == each or path.startswith(f"{each}/") for each in _SERVICE_DATA):
        return True
    parent = context.project.rpartition("/")[0]
    return (
        bool(parent)
        and parent != context.home
        and path.rpartition("/")[0] == parent
        and (classify(path, context) is Place.OUTSIDE)
    )


def _find(call: Call, context: Context) -> Iterator[Hit]:
    texts = list_tests(call.texts)
    if not any(
        text == "-delete" and before not in _FIND_VALUED for before, text in pairwise(texts)
    ):
        return
    narrow = is_narrow(texts)
    for word in list_roots(call.words[1:]):
        path = resolve_path(word, call.cwd, context)
        place = classify(path, context)
        if not narrow:
            yield from judge_removal((word,), call.cwd, context)
        elif place in ROOTS and not _is_rare(texts):
            instead = "search in the folder of the project"
            yield Hit("fs.root", f"it removes files in all of {place.value}", instead, (path,))


# Tests and actions of find that take the next word.
_FIND_VALUED = (FIND_NARROWS - make_set("-empty -nouser -nogroup")) | make_set(
    "-fprint -fprint0 -fls -type -maxdepth -mindepth -printf"
)


def _is_rare(texts: list[str]) -> bool:
    """Return whether few files can fit: an old one, one owner's, or one name."""
    patterns = [
        texts[at + 1]
        for at, text in enumerate(texts[:-1])
        if text in ("-name", "-iname", "-path", "-regex", "-wholename", "-iregex")
    ]
    if any(pattern.strip("*?.") for pattern in patterns):
        return True
    return any(text in FIND_NARROWS and text not in ("-name", "-iname", "-path", "-regex", "-size")
               for text in texts)  # fmt: skip


def _sync(call: Call, context: Context) -> Iterator[Hit]:
    given = read_arguments(call, ("-e", "--rsh", "--exclude", "--include", "--filter", "-f"))
    deletes = any(name.startswith("del") for name in given.names)
    if not deletes or given.has("n", "dry-run") or len(given.operands) < 2:  # noqa: PLR2004
        return
    *sources, target = given.operands
    if ":" in target.text.partition("/")[0]:
        return
    if all(map(_is_empty, sources)):
        yield from judge_removal((target,), call.cwd, context)
        return
    path = resolve_path(target, call.cwd, context)
    place = classify(path, context)
    if place in ROOTS:
        instead = "sync into a folder of the project, or with --dry-run first"
        yield Hit("fs.root", f"it deletes what is only in {place.value}", instead, (path,))
    elif place in _PERSONAL:
        yield Hit("fs.local", f"it deletes what is only in {place.value}", _REMOVE_SINGLE, (path,))


_EMPTY = re.compile(r"(?:^|[/_.-])(?:empty|blank|void|nothing)(?:[_.-]?(?:dir|folder))?/?$")


def _is_empty(word: Word) -> bool:
    """Return whether a folder is an empty one: by its name, or what `mktemp -d` made."""
    text = word.text.rstrip("/")
    return bool(_EMPTY.search(text)) or (text == UNKNOWN and bool(word.calls))


def judge_move(call: Call, context: Context) -> Iterator[Hit]:
    given = read_arguments(call, ("-t", "--target-directory", "-S"))
    if not given.operands or given.operands[-1].text != "/dev/null":
        return
    yield from judge_removal(given.operands[:-1], call.cwd, context)


def _archive(call: Call, context: Context) -> Iterator[Hit]:
    """Judge `tar --remove-files`."""
    given = read_arguments(call, ("-C", "--directory", "-f", "--file", "-T", "-X", "--exclude"))
    if given.has("remove-files"):
        folder = next((word.text for word in given.get("-C", "--directory")), call.cwd)
        yield from judge_removal(given.operands, folder, context)


def _ansible(call: Call, context: Context) -> Iterator[Hit]:
    """Judge `ansible -m file -a 'path=/etc state=absent'`."""
    for word in call.words:
        if "state=absent" in word.text:
            paths = re.findall(r"(?:path|dest|name)=(\S+)", word.text)
            yield from judge_removal([Word(path) for path in paths], "", context)


def _remove_all(call: Call, context: Context) -> Iterator[Hit]:
    """Judge programs that remove all that they are given, such as `rimraf`."""
    yield from judge_removal(read_arguments(call).operands, call.cwd, context)


REMOVAL_RULES: Rules = {
    "rm": _remove,
    "grm": _remove,
    "unlink": _remove,
    "find": _find,
    "gfind": _find,
    "rsync": _sync,
    **dict.fromkeys(("rimraf", "srm", "del-cli", "wipe"), _remove_all),
    "tar": _archive,
    "ansible": _ansible,
}
