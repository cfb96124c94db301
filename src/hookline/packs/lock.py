"""Installed packs: what their lock files say, and whether their files are still those."""

from __future__ import annotations

import hashlib
import json
import os

from hookline.errors import ConfigError
from hookline.model.frozen import Frozen
from hookline.model.spec import USER, Origin, Problem
from hookline.paths import data_folder, open_nonblocking, write_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HOOKS = "hookline.yaml"
LOCK, SEAL = "pack.lock", "pack.lock.sha256"
_NAMED = 3  # files that a check names


class Pack(Frozen):
    """One version of a pack, as its lock file describes it.

    `source`: `pkg:NAME`, or the path of a folder. `root`: the folder of this version. `folder`: the
    folder of its own files, relative to `root`. `wheels`: the SHA-256 of each wheel by its file
    name. `files`: the SHA-256 of each file by its path relative to `root`; of a link, its target.
    """

    name: str
    version: str = ""
    source: str = ""
    root: str = ""
    folder: str = ""
    wheels: Mapping[str, str] = {}
    files: Mapping[str, str] = {}

    def list_own_files(self) -> list[str]:
        """Return the paths of the pack's own files, relative to `root`."""
        return [path for path in self.files if path.startswith(f"{self.folder}/")]


def find_hooks_file(name: str, environ: Mapping[str, str]) -> str:
    """Return the path of the hooks of an installed pack; its folder is a link to its version."""
    return f"{data_folder(environ)}/packs/{name}/{HOOKS}"


def list_names(environ: Mapping[str, str]) -> list[str]:
    """Return the names of the installed packs."""
    try:
        names = os.listdir(f"{data_folder(environ)}/packs")
    except FileNotFoundError:
        return []
    return sorted(name for name in names if not name.startswith("."))


def list_packs(environ: Mapping[str, str]) -> list[Pack]:
    """Return the installed packs.

    Raises:
        ConfigError: a lock file cannot be read.
    """
    return [read_pack(name, environ) for name in list_names(environ)]


def read_pack(name: str, environ: Mapping[str, str]) -> Pack:
    """Return an installed pack.

    Raises:
        ConfigError: `pack.changed`, its lock file is not the one that hookline wrote.
    """
    root = os.path.realpath(os.path.dirname(find_hooks_file(name, environ)))
    try:
        with open(f"{root}/{LOCK}", "rb") as file, open(f"{root}/{SEAL}", "rb") as seal:
            text, sealed = file.read(), seal.read().strip()
        tree = json.loads(text) if _digest_bytes(text) == sealed else {}
        return Pack(root=root, **{key: tree[key] for key in Pack.__fields__ if key != "root"})
    except FileNotFoundError:
        raise _make_lock_error(name, root, "is gone") from None
    except (OSError, ValueError, KeyError, TypeError):
        raise _make_lock_error(name, root, "changed") from None


def lock_pack(pack: Pack) -> Pack:
    """Write the lock file of a version; return the pack with its files."""
    pack = pack.replace(files=digest_files(pack.root))
    names = (name for name in Pack.__fields__ if name != "root")
    text = json.dumps({"schema": "hookline.lock/1", **pack.as_dict(*names)}, indent=1).encode()
    write_private(f"{pack.root}/{LOCK}", text)
    write_private(f"{pack.root}/{SEAL}", _digest_bytes(text) + b"\n")
    return pack


def check_pack(name: str, environ: Mapping[str, str]) -> list[Problem]:
    """Return what differs between an installed pack and its lock file, with the remedy."""
    try:
        pack = read_pack(name, environ)
        found = list(_compare(pack))[:_NAMED]
        errors = [
            _make_error(name, f"{pack.root}/{path}", f"`{path}` {did}") for path, did in found
        ]
    except ConfigError as error:
        errors = [error]
    return [
        Problem(
            name=each.name, message=each.message, hint=each.hint,
            origin=Origin(file=each.place, scope=USER),
        )
        for each in errors
    ]  # fmt: skip


def _compare(pack: Pack) -> Iterator[tuple[str, str]]:
    """Yield each file that is not as the lock file says, and what became of it."""
    now = digest_files(pack.root)
    for path in sorted({*now, *pack.files}):
        if path not in now:
            yield path, "is gone"
        elif path not in pack.files:
            yield path, "is no file of it"
        elif now[path] != pack.files[path]:
            yield path, "changed"
        elif now[path].startswith("->") and not os.path.exists(f"{pack.root}/{path}"):
            yield path, "leads to nothing"


def digest_files(root: str) -> dict[str, str]:
    """Return the SHA-256 of each file below a folder by its path, without those of the lock.

    Of a link, its target.
    """
    found = {}
    for folder, folders, files in os.walk(root):
        links = [name for name in folders if os.path.islink(f"{folder}/{name}")]
        for path in (f"{folder}/{name}" for name in (*files, *links)):
            found[os.path.relpath(path, root)] = _digest(path)
    return {path: found[path] for path in sorted(found) if path not in (LOCK, SEAL)}


def _digest(path: str) -> str:
    try:
        if os.path.islink(path):
            return f"-> {os.readlink(path)}"
        with open(path, "rb", opener=open_nonblocking) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return "unreadable"


def _digest_bytes(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode()


def _make_lock_error(name: str, root: str, did: str) -> ConfigError:
    hint = f"remove it: hookline remove {name}; then add it again: hookline add SOURCE"
    return _make_error(name, f"{root}/{LOCK}", f"its lock file {did}", hint)


def _make_error(name: str, place: str, why: str, hint: str = "") -> ConfigError:
    """Return the error of a pack that is not as it was installed."""
    hint = hint or f"install it again: hookline update {name}; or remove it: hookline remove {name}"
    message = f"the pack `{name}` is not as it was installed: {why}"
    return ConfigError(message, name="pack.changed", place=place, hint=hint)
