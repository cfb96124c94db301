"""Rules about overwriting: files that the system needs, private keys, sources of the project."""

from __future__ import annotations

from hookline.guards.commands.arguments import list_dd_targets, read_arguments
from hookline.guards.commands.credentials import Secret, find_secret
from hookline.guards.commands.disks import judge_device
from hookline.guards.commands.hits import Hit
from hookline.guards.commands.places import Place, classify, resolve_path, strip_contents
from hookline.guards.commands.removal import judge_move, judge_removal
from hookline.guards.commands.system_files import (
    ACCOUNT_OR_BOOT_FILE,
    INSTEAD,
    PROGRAMS,
    VITAL,
    name_usual,
)
from hookline.text import lazy_re as re
from hookline.text.script.reading import UNKNOWN, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hookline.guards.commands.hits import Rules
    from hookline.guards.commands.places import Context
    from hookline.text.script.reading import Call

# Folders of the system's own keys.
_KEY_FOLDERS = ("/etc/", "/root/", "/var/lib/", "/usr/local/etc/")


def _judge_overwrite(word: Word, cwd: str, context: Context, what: str) -> Iterator[Hit]:
    path = resolve_path(word, cwd, context).replace(f"/{UNKNOWN}/", "/")
    if not path or UNKNOWN in path:
        return
    path = name_usual(path)
    if VITAL.match(path) and not path.startswith("/usr/lib/node_modules"):
        yield Hit("fs.overwrite", f"it {what} a file that the system needs", INSTEAD, (path,))
    elif find_secret(path) is Secret.PRIVATE_KEY and (
        "/." in path or (what != "overwrites" and path.startswith(_KEY_FOLDERS))
    ):
        yield Hit("fs.overwrite", f"it {what} a private key", INSTEAD, (path,))


def judge_redirects(call: Call, context: Context) -> Iterator[Hit]:
    """Yield what the redirections of a call overwrite."""
    for redirect in call.redirects:
        if redirect.operator in (">", ">|", "&>"):
            is_empty = _prints_nothing(call)
            what = "empties" if is_empty else "overwrites"
            yield from _judge_overwrite(redirect.target, call.cwd, context, what)
            if is_empty and redirect.operator != "&>":
                yield from _judge_truncation(redirect.target, call.cwd, context)


def _prints_nothing(call: Call) -> bool:
    """Return whether a call has no output, so that its redirection empties a file."""
    texts = call.texts
    if not texts:  # a block: what it prints is its input
        return call.stdin is None or call.stdin == Word("")
    return texts[0] in (":", "true") or texts == ["cat", "/dev/null"]


_SOURCES = re.compile(
    r"\.(?:py|js|ts|tsx|jsx|mjs|go|rs|rb|java|kt|swift|c|cc|cpp|h|hpp|cs|php|scala|sql|vue|svelte"
    r"|ex|exs|erl|hs|ml|clj|lua|pl|sh|css|scss|html)$"
)


def _judge_truncation(word: Word, cwd: str, context: Context) -> Iterator[Hit]:
    """Yield that a source of the project is emptied."""
    path = resolve_path(word, cwd, context)
    is_found = UNKNOWN in path and (
        classify(path.partition(UNKNOWN)[0] + "x", context) is Place.SOURCE
    )
    place = classify(path, context)
    is_all = place is Place.PROJECT and strip_contents(path)[1]
    if is_found or is_all or (place is Place.SOURCE and _SOURCES.search(path)):
        yield Hit("fs.local", "it empties a source file", "edit the file", (path,))


def _tee(call: Call, context: Context) -> Iterator[Hit]:
    given = read_arguments(call)
    if given.has("a", "append"):
        return
    for word in given.operands:
        yield from _judge_overwrite(word, call.cwd, context, "overwrites")


def _truncate(call: Call, context: Context) -> Iterator[Hit]:
    given = read_arguments(call, ("-s", "--size", "-r", "--reference"))
    for word in given.operands:
        yield from _judge_overwrite(word, call.cwd, context, "empties")
        if any(size.text in ("0", "0K", "0M") for size in given.get("-s", "--size")):
            yield from _judge_truncation(word, call.cwd, context)


def _shred(call: Call, context: Context) -> Iterator[Hit]:
    given = read_arguments(call, ("-n", "--iterations", "-s", "--size", "--random-source"))
    for word in given.operands:
        yield from _judge_overwrite(word, call.cwd, context, "shreds")
        yield from _judge_truncation(word, call.cwd, context)
    yield from (hit for hit in judge_removal(given.operands, call.cwd, context)
                if hit.rule == "fs.root")  # fmt: skip


def _copy(call: Call, context: Context) -> Iterator[Hit]:
    given = read_arguments(call, ("-t", "--target-directory", "-S", "-m", "-o", "-g"))
    if len(given.operands) >= 2 and given.operands[0].text in ("/dev/null", "/dev/zero"):  # noqa: PLR2004
        yield from _judge_overwrite(given.operands[-1], call.cwd, context, "empties")
        yield from _judge_truncation(given.operands[-1], call.cwd, context)
    elif call.program == "mv":
        yield from judge_move(call, context)
    yield from _put(call, context)


def _put(call: Call, context: Context) -> Iterator[Hit]:
    """Judge a copy or a move onto a program, or onto an account or boot file."""
    given = read_arguments(call, ("-t", "--target-directory", "-S", "-m", "-o", "-g"))
    folders = given.get("-t", "--target-directory")
    sources = given.operands if folders else given.operands[:-1]
    if not sources or call.program == "ln":
        return
    target = resolve_path((*folders, *given.operands)[0 if folders else -1], call.cwd, context)
    names = (word.text.rstrip("/").rpartition("/")[2] for word in sources)
    yield from _judge_put((target, *(f"{target}/{name}" for name in names)))


def _judge_put(paths: Iterable[str]) -> Iterator[Hit]:
    for path in map(name_usual, paths):
        if ACCOUNT_OR_BOOT_FILE.match(path) or PROGRAMS.match(path):
            yield Hit(
                "fs.overwrite", "it overwrites a file that the system needs", INSTEAD, (path,)
            )
            return


def _write_output(call: Call, context: Context) -> Iterator[Hit]:
    """Judge `curl -o FILE`, `wget -O FILE`, `sort -o FILE` and their kin."""
    given = read_arguments(call, _OUTPUTS[call.program])
    words = given.get(*_OUTPUTS[call.program]) or (
        given.operands if call.program == "sponge" and not given.has("a") else ()
    )
    yield from _judge_put(resolve_path(word, call.cwd, context) for word in words)


_OUTPUTS = {
    "curl": ("-o", "--output"),
    "wget": ("-O", "--output-document"),
    "sort": ("-o", "--output"),
    "gcc": ("-o",),
    "sponge": (),
}


_OPENS = re.compile(
    r"""open\(\s*['"]([^'"\n]+)['"]\s*,\s*['"][wx+]|(?:writeFile|writeFileSync|truncate|truncateSync"""
    r"""|File\.write|IO\.write|file_put_contents)\(?\s*['"]([^'"\n]+)['"]"""
    r"""|open\([^,(]*,\s*['"]\+?>['"],\s*['"]([^'"\n]+)['"]|['"]>\s*(/[^'"\n]+)['"]"""
    r"""|Path\(['"]([^'"\n]+)['"]\)\.write"""
)


def judge_written_code(call: Call, context: Context) -> Iterator[Hit]:
    """Yield the files that code of another language overwrites."""
    for match in _OPENS.finditer(call.code):
        path = next(filter(None, match.groups()))
        yield from _judge_overwrite(Word(path), call.cwd, context, "overwrites")
        yield from judge_device(Word(path), call.cwd, context, "writes to")


def _dd(call: Call, context: Context) -> Iterator[Hit]:
    for target in list_dd_targets(call):
        yield from _judge_overwrite(target, call.cwd, context, "overwrites")


OVERWRITE_RULES: Rules = {
    "tee": _tee,
    "truncate": _truncate,
    "shred": _shred,
    **dict.fromkeys(("cp", "install", "ln", "mv"), _copy),
    "dd": _dd,
    **dict.fromkeys(_OUTPUTS, _write_output),
}
