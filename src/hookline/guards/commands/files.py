"""Rules about files: recursive removal, overwriting, and permissions."""

from __future__ import annotations

from fnmatch import fnmatchcase
from itertools import pairwise

from hookline.guards.commands.arguments import read_arguments
from hookline.guards.commands.credentials import Secret, find_secret
from hookline.guards.commands.disks import judge_device
from hookline.guards.commands.hits import Hit
from hookline.guards.commands.places import Place, classify, resolve_path, strip_contents
from hookline.text import lazy_re as re
from hookline.text.script.find_arguments import is_narrow, list_roots, list_tests
from hookline.text.script.programs import FIND_NARROWS
from hookline.text.script.reading import UNKNOWN, Word, make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hookline.guards.commands.hits import Rules
    from hookline.guards.commands.places import Scene
    from hookline.text.script.reading import Call

_ROOTS = (Place.ROOT, Place.HOME, Place.SYSTEM)
_PERSONAL = (Place.PROJECT, Place.ABOVE, Place.PERSONAL)
_REMOVE_SINGLE = "remove single files or a folder of the project by their names"
_SERVICE_DATA = ("/var/lib/postgresql", "/var/lib/mysql", "/var/lib/docker", "/var/lib/redis",
                 "/var/lib/mongodb", "/var/lib/elasticsearch", "/var/lib/rabbitmq", "/data",
                 "/var/lib/etcd", "/var/lib/containerd", "/var/lib/kubelet")  # fmt: skip


# -- recursive removal ---------------------------------------------------------------------------


def _remove(call: Call, scene: Scene) -> Iterator[Hit]:
    given = read_arguments(call, ("--interactive",))
    is_recursive = given.has("r", "R", "recursive")
    if is_recursive and "no-preserve-root" in given.names:
        yield Hit("fs.root", "it switches off what protects the root", _REMOVE_SINGLE, ("/",))
    for word in given.operands:
        path = _name_usual(resolve_path(word, call.cwd, scene))
        if _ACCOUNT_FILE.match(path):
            yield Hit("fs.overwrite", "it removes a file that the system needs", _KEEP, (path,))
    if is_recursive or _is_found(call):
        # What a narrow search finds is known in part, and that part is where it began.
        words = [word for word in given.operands if not (_is_found(call) and not word.is_known)]
        yield from judge_removal(words, call.cwd, scene)


def judge_removal(words: Iterable[Word], cwd: str, scene: Scene) -> Iterator[Hit]:
    """Yield what the recursive removal of these words breaks."""
    for word in words:
        path = resolve_path(word, cwd, scene)
        if hit := _judge_removed(path, scene):
            yield hit


def _judge_removed(path: str, scene: Scene) -> Hit | None:
    place = classify(path, scene)
    folder, is_all = strip_contents(path)
    what = f"everything in {place.value}" if is_all else place.value
    if place in _ROOTS:
        return Hit("fs.root", f"it removes {what}", _REMOVE_SINGLE, (folder,))
    if place in _PERSONAL or _is_worth(folder, scene):
        what = what if place in _PERSONAL else "work or data that no tool brings back"
        return Hit("fs.local", f"it removes {what}", _REMOVE_SINGLE, (folder,))
    if place is Place.OUTSIDE:
        return Hit("fs.outside", f"it removes {what}", "leave it, or ask the user", (folder,))
    return None


def _is_worth(path: str, scene: Scene) -> bool:
    """Return whether a folder holds a repository, another project, or the data of a service."""
    if path.endswith("/.git"):
        return True
    if any(path == each or path.startswith(f"{each}/") for each in _SERVICE_DATA):
        return True
    parent = scene.project.rpartition("/")[0]
    return (
        bool(parent)
        and parent != scene.home
        and path.rpartition("/")[0] == parent
        and (classify(path, scene) is Place.OUTSIDE)
    )


def _find(call: Call, scene: Scene) -> Iterator[Hit]:
    texts = list_tests([word.text for word in call.words])
    if not any(
        text == "-delete" and before not in _FIND_VALUED for before, text in pairwise(texts)
    ):
        return
    narrow = is_narrow(texts)
    for word in list_roots(call.words[1:]):
        path = resolve_path(word, call.cwd, scene)
        place = classify(path, scene)
        if not narrow:
            yield from judge_removal((word,), call.cwd, scene)
        elif place in _ROOTS and not _is_rare(texts):
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


def _sync(call: Call, scene: Scene) -> Iterator[Hit]:
    given = read_arguments(call, ("-e", "--rsh", "--exclude", "--include", "--filter", "-f"))
    deletes = any(name.startswith("del") for name in given.names)
    if not deletes or given.has("n", "dry-run") or len(given.operands) < 2:  # noqa: PLR2004
        return
    *sources, target = given.operands
    if ":" in target.text.partition("/")[0]:
        return
    if all(map(_is_empty, sources)):
        yield from judge_removal((target,), call.cwd, scene)
        return
    path = resolve_path(target, call.cwd, scene)
    place = classify(path, scene)
    if place in _ROOTS:
        instead = "sync into a folder of the project, or with --dry-run first"
        yield Hit("fs.root", f"it deletes what is only in {place.value}", instead, (path,))
    elif place in _PERSONAL:
        yield Hit("fs.local", f"it deletes what is only in {place.value}", _REMOVE_SINGLE, (path,))


_EMPTY = re.compile(r"(?:^|[/_.-])(?:empty|blank|void|nothing)(?:[_.-]?(?:dir|folder))?/?$")


def _is_empty(word: Word) -> bool:
    """Return whether a folder is an empty one: by its name, or what `mktemp -d` made."""
    text = word.text.rstrip("/")
    return bool(_EMPTY.search(text)) or (text == UNKNOWN and bool(word.calls))


def _move(call: Call, scene: Scene) -> Iterator[Hit]:
    given = read_arguments(call, ("-t", "--target-directory", "-S"))
    if not given.operands or given.operands[-1].text != "/dev/null":
        return
    yield from judge_removal(given.operands[:-1], call.cwd, scene)


def _archive(call: Call, scene: Scene) -> Iterator[Hit]:
    """Judge `tar --remove-files`."""
    given = read_arguments(call, ("-C", "--directory", "-f", "--file", "-T", "-X", "--exclude"))
    if given.has("remove-files"):
        folder = next((word.text for word in given.get("-C", "--directory")), call.cwd)
        yield from judge_removal(given.operands, folder, scene)


def _ansible(call: Call, scene: Scene) -> Iterator[Hit]:
    """Judge `ansible -m file -a 'path=/etc state=absent'`."""
    for word in call.words:
        if "state=absent" in word.text:
            paths = re.findall(r"(?:path|dest|name)=(\S+)", word.text)
            yield from judge_removal([Word(path) for path in paths], "", scene)


def _tidy(call: Call, scene: Scene) -> Iterator[Hit]:
    """Judge programs that remove all that they are given (`rimraf`, `shred`-like, `srm`)."""
    yield from judge_removal(read_arguments(call).operands, call.cwd, scene)


# -- overwriting -----------------------------------------------------------------------------------

_VITAL = re.compile(
    r"/etc/(?:passwd|shadow|gshadow|group|sudoers|fstab|crypttab|inittab|ld\.so\.\w+|nsswitch\.conf"
    r"|hosts|pam\.d/.*|ssh/(?:sshd_config|ssh_host_.*)|default/grub|machine-id|profile|securetty"
    r"|sudoers\.d|login\.defs|systemd/system\.conf)-?$"
    r"|/(?:boot|bin|sbin|lib|lib32|lib64|usr/bin|usr/sbin|usr/lib|usr/lib64|usr/libexec)/.+"
    r"|/(?:vmlinuz|initrd).*|/System/.+"
)
# Files that a glob such as `/etc/pass?d` may name.
_USUAL = tuple(
    sorted(
        make_set("""/etc/passwd /etc/shadow /etc/gshadow /etc/group /etc/sudoers /etc/fstab
/etc/crypttab /etc/hosts /etc/ssh/sshd_config /etc/nsswitch.conf /etc/profile /etc/login.defs
/bin/sh /bin/bash /usr/bin/env /usr/bin/sudo""")
    )
)
# Programs and libraries that a system does not work without.
_PROGRAMS = re.compile(
    r"/(?:usr/)?s?bin/(?:(?:ba|da|z|k)?sh|ls|cp|mv|rm|cat|ln|chmod|chown|mkdir|sudo|su|login|passwd"
    r"|mount|umount|init|systemd|systemctl|env|id|ps|kill|grep|sed|awk|tar|gzip|find|xargs|ssh|sshd"
    r"|getty|agetty|ip|apt|apt-get|dpkg|rpm|dnf|yum|apk|pacman|python3?|perl|useradd|usermod|visudo"
    r"|crontab|cron|reboot|shutdown|modprobe|fsck|dd)$"
    r"|/(?:usr/)?lib(?:32|64)?/(?:[\w-]+/)?(?:lib(?:c|m|dl|pthread|pam|crypto|ssl|systemd)|ld-linux\S*"
    r"|ld-musl\S*)[.-][\w.-]*$"
)
# Folders of the system's own keys.
_KEY_FOLDERS = ("/etc/", "/root/", "/var/lib/", "/usr/local/etc/")
_KEEP = "append, or write to a file of your own"


def _name_usual(path: str) -> str:
    """Return the file of the system that a glob names; the path itself if it names none."""
    if not any(sign in path for sign in "*?["):
        return path
    return next((each for each in _USUAL if fnmatchcase(each, path)), path)


def _judge_overwrite(word: Word, cwd: str, scene: Scene, what: str) -> Iterator[Hit]:
    path = resolve_path(word, cwd, scene).replace(f"/{UNKNOWN}/", "/")
    if not path or UNKNOWN in path:
        return
    path = _name_usual(path)
    if _VITAL.match(path) and not path.startswith("/usr/lib/node_modules"):
        yield Hit("fs.overwrite", f"it {what} a file that the system needs", _KEEP, (path,))
    elif find_secret(path) is Secret.PRIVATE_KEY and (
        "/." in path or (what != "overwrites" and path.startswith(_KEY_FOLDERS))
    ):
        yield Hit("fs.overwrite", f"it {what} a private key", _KEEP, (path,))


def judge_redirects(call: Call, scene: Scene) -> Iterator[Hit]:
    """Yield what the redirections of a call overwrite."""
    for redirect in call.redirects:
        if redirect.operator in (">", ">|", "&>"):
            is_empty = _prints_nothing(call)
            what = "empties" if is_empty else "overwrites"
            yield from _judge_overwrite(redirect.target, call.cwd, scene, what)
            if is_empty and redirect.operator != "&>":
                yield from _judge_truncation(redirect.target, call.cwd, scene)


def _prints_nothing(call: Call) -> bool:
    """Return whether a call has no output, so that its redirection empties a file."""
    texts = [word.text for word in call.words]
    if not texts:  # a block: what it prints is its input
        return call.stdin is None or call.stdin == Word("")
    return texts[0] in (":", "true") or texts == ["cat", "/dev/null"]


_SOURCES = re.compile(
    r"\.(?:py|js|ts|tsx|jsx|mjs|go|rs|rb|java|kt|swift|c|cc|cpp|h|hpp|cs|php|scala|sql|vue|svelte"
    r"|ex|exs|erl|hs|ml|clj|lua|pl|sh|css|scss|html)$"
)


def _judge_truncation(word: Word, cwd: str, scene: Scene) -> Iterator[Hit]:
    """Yield that a source of the project is emptied."""
    path = resolve_path(word, cwd, scene)
    is_found = UNKNOWN in path and (
        classify(path.partition(UNKNOWN)[0] + "x", scene) is Place.SOURCE
    )
    place = classify(path, scene)
    is_all = place is Place.PROJECT and strip_contents(path)[1]
    if is_found or is_all or (place is Place.SOURCE and _SOURCES.search(path)):
        yield Hit("fs.local", "it empties a source file", "edit the file", (path,))


def _tee(call: Call, scene: Scene) -> Iterator[Hit]:
    given = read_arguments(call)
    if given.has("a", "append"):
        return
    for word in given.operands:
        yield from _judge_overwrite(word, call.cwd, scene, "overwrites")


def _truncate(call: Call, scene: Scene) -> Iterator[Hit]:
    given = read_arguments(call, ("-s", "--size", "-r", "--reference"))
    for word in given.operands:
        yield from _judge_overwrite(word, call.cwd, scene, "empties")
        if any(size.text in ("0", "0K", "0M") for size in given.get("-s", "--size")):
            yield from _judge_truncation(word, call.cwd, scene)


def _shred(call: Call, scene: Scene) -> Iterator[Hit]:
    given = read_arguments(call, ("-n", "--iterations", "-s", "--size", "--random-source"))
    for word in given.operands:
        yield from _judge_overwrite(word, call.cwd, scene, "shreds")
        yield from _judge_truncation(word, call.cwd, scene)
    yield from (hit for hit in judge_removal(given.operands, call.cwd, scene)
                if hit.rule == "fs.root")  # fmt: skip


def _copy(call: Call, scene: Scene) -> Iterator[Hit]:
    given = read_arguments(call, ("-t", "--target-directory", "-S", "-m", "-o", "-g"))
    if len(given.operands) >= 2 and given.operands[0].text in ("/dev/null", "/dev/zero"):  # noqa: PLR2004
        yield from _judge_overwrite(given.operands[-1], call.cwd, scene, "empties")
        yield from _judge_truncation(given.operands[-1], call.cwd, scene)
    elif call.program == "mv":
        yield from _move(call, scene)
    yield from _put(call, scene)


_ACCOUNT_FILE = re.compile(r"/etc/(?:passwd|shadow|gshadow|group|sudoers|fstab|crypttab)$")
_ACCOUNTS = re.compile(r"/etc/(?:passwd|shadow|gshadow|group|sudoers|fstab|crypttab)-?$|/boot/.+")


def _put(call: Call, scene: Scene) -> Iterator[Hit]:
    """Judge a copy or a move onto a program, or onto an account or boot file."""
    given = read_arguments(call, ("-t", "--target-directory", "-S", "-m", "-o", "-g"))
    folders = given.get("-t", "--target-directory")
    sources = given.operands if folders else given.operands[:-1]
    if not sources or call.program == "ln":
        return
    target = resolve_path((*folders, *given.operands)[0 if folders else -1], call.cwd, scene)
    names = (word.text.rstrip("/").rpartition("/")[2] for word in sources)
    yield from _judge_put((target, *(f"{target}/{name}" for name in names)))


def _judge_put(paths: Iterable[str]) -> Iterator[Hit]:
    for path in map(_name_usual, paths):
        if _ACCOUNTS.match(path) or _PROGRAMS.match(path):
            yield Hit("fs.overwrite", "it overwrites a file that the system needs", _KEEP, (path,))
            return


def _write_output(call: Call, scene: Scene) -> Iterator[Hit]:
    """Judge `curl -o FILE`, `wget -O FILE`, `sort -o FILE` and their kin."""
    given = read_arguments(call, _OUTPUTS[call.program])
    words = given.get(*_OUTPUTS[call.program]) or (
        given.operands if call.program == "sponge" and not given.has("a") else ()
    )
    yield from _judge_put(resolve_path(word, call.cwd, scene) for word in words)


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


def judge_written_code(call: Call, scene: Scene) -> Iterator[Hit]:
    """Yield the files that code of another language overwrites."""
    for match in _OPENS.finditer(call.code):
        path = next(filter(None, match.groups()))
        yield from _judge_overwrite(Word(path), call.cwd, scene, "overwrites")
        yield from judge_device(Word(path), call.cwd, scene, "writes to")


def _dd(call: Call, scene: Scene) -> Iterator[Hit]:
    for word in call.words[1:]:
        if word.text.startswith("of="):
            target = word._replace(text=word.text[3:])
            yield from _judge_overwrite(target, call.cwd, scene, "overwrites")


# -- permissions -----------------------------------------------------------------------------------

_OCTAL = re.compile(r"[0-7]{1,5}$")
_SYMBOLIC = re.compile(r"[ugoa]*[-+=][rwxXstugo]*(?:,|$)")
_OWN = "give only the owner what is needed, such as `chmod -R u+rwX,go-w`"


def _change_mode(call: Call, scene: Scene) -> Iterator[Hit]:
    given = read_arguments(call, ("--reference",))
    mode = next((word.text for word in call.words[1:] if _is_mode(word.text)), "")
    if not (given.has("R", "recursive") or _is_found(call)) or not mode:
        return
    operands = [word for word in given.operands if word.text != mode and _counts(word, call)]
    paths = [resolve_path(word, call.cwd, scene) for word in operands]
    if _is_world_writable(mode):
        reason = f"it lets every user write ({mode})"
        yield Hit("perm.recursive", reason, _OWN, tuple(filter(None, paths)))
        return
    if _is_harmful(mode):
        yield from _judge_permissions(paths, scene, f"it sets the mode {mode}")


def _is_mode(text: str) -> bool:
    if text.startswith("-") and not re.match(r"-[wxst]+$", text):
        return False
    return bool(_OCTAL.match(text) or _SYMBOLIC.match(text))


def _is_world_writable(mode: str) -> bool:
    if _OCTAL.match(mode):
        has_sticky = len(mode.lstrip("0")) > len("777") and mode.lstrip("0")[0] == "1"
        return int(mode[-1]) & 2 != 0 and not has_sticky
    for part in mode.split(","):
        who, _, what = part.replace("=", "+").partition("+")
        if "w" in what and ("o" in who or "a" in who):
            return True
    return False


def _is_harmful(mode: str) -> bool:
    if _OCTAL.match(mode):
        digits = mode.rjust(4, "0")
        return digits[-3:] == "000" or digits[-4] in "4567" or mode.strip("0") == ""
    return bool(re.search(r"[ua]?[+=][rwxX]*s|^(?:a|ugo)?(?:=$|-[rwx]+$)", mode))


def _change_owner(call: Call, scene: Scene) -> Iterator[Hit]:
    given = read_arguments(call, ("--reference", "--from"))
    if not (given.has("R", "recursive") or _is_found(call)):
        return
    operands = given.operands if given.get("--reference") else given.operands[1:]
    operands = tuple(word for word in operands if _counts(word, call))
    paths = [resolve_path(word, call.cwd, scene) for word in operands]
    yield from _judge_permissions(paths, scene, "it changes the owner")


def _change_acl(call: Call, scene: Scene) -> Iterator[Hit]:
    given = read_arguments(call, ("-m", "--modify", "-x", "--remove", "-M", "-X", "--set"))
    if not (given.has("R", "recursive") or _is_found(call)):
        return
    paths = [resolve_path(word, call.cwd, scene) for word in given.operands]
    yield from _judge_permissions(paths, scene, "it changes the access list")


def _judge_permissions(paths: Iterable[str], scene: Scene, what: str) -> Iterator[Hit]:
    for path in paths:
        place = classify(path, scene)
        if place in _ROOTS:
            yield Hit("perm.recursive", f"{what} of all that is in {place.value}", _OWN, (path,))


def _is_found(call: Call) -> bool:
    """Return whether `find` or `xargs` gives the call all that a folder holds."""
    if any(each.startswith("find ") for each in call.via):
        return True
    has_items = any(each in ("xargs", "parallel") for each in call.via)
    return has_items and any(word.calls for word in call.words[1:])


def _counts(word: Word, call: Call) -> bool:
    """Return whether a path counts: not what a narrow search finds."""
    return word.is_known or not any(each.startswith("find ") for each in call.via)


# -- users and schedules ---------------------------------------------------------------------------


def _remove_user(call: Call, _scene: Scene) -> Iterator[Hit]:
    given = read_arguments(call)
    if given.has("r", "remove", "remove-home", "remove-all-files"):
        yield Hit("fs.local", "it removes an account with its home folder", "lock the account")


def _crontab(call: Call, _scene: Scene) -> Iterator[Hit]:
    given = read_arguments(call, ("-u",))
    if given.has("r") and "e" not in given.letters and "l" not in given.letters:
        yield Hit("fs.local", "it removes all schedules", "remove one line with `crontab -e`")


FILE_RULES: Rules = {
    "rm": _remove,
    "grm": _remove,
    "unlink": _remove,
    "find": _find,
    "gfind": _find,
    "rsync": _sync,
    **dict.fromkeys(("rimraf", "srm", "del-cli", "wipe"), _tidy),
    "tar": _archive,
    "ansible": _ansible,
    "tee": _tee,
    "truncate": _truncate,
    "shred": _shred,
    **dict.fromkeys(("cp", "install", "ln", "mv"), _copy),
    "dd": _dd,
    **dict.fromkeys(_OUTPUTS, _write_output),
    "chmod": _change_mode,
    **dict.fromkeys(("chown", "chgrp"), _change_owner),
    "setfacl": _change_acl,
    **dict.fromkeys(("userdel", "deluser"), _remove_user),
    "crontab": _crontab,
}
