"""Builds a version of a pack from a folder or a package, in a folder of its own."""

from __future__ import annotations

import os
import shutil
import tempfile
from itertools import count

from hookline.errors import ConfigError
from hookline.packs.hooks_file import read_hooks, write_hooks
from hookline.packs.lock import HOOKS, Pack, check_pack, digest_files, lock_pack
from hookline.packs.wheels import digest_wheels, download_wheels, install_wheels, read_offer
from hookline.paths import data_folder, make_private_folder, write_private
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.model.spec import HookSpec

PACKAGE = "pkg:"  # begins the source that is a package
_MOST_FILES = 1000  # of a folder
_MOST_BYTES = 64 << 20  # of a folder
_LEFT_OUT = (".git", "__pycache__")


def build_pack(
    name: str, source: str, environ: Mapping[str, str], before: Pack | None = None
) -> tuple[Pack, tuple[HookSpec, ...]]:
    """Return a new version of a pack, and its hooks; `before` if that is intact and the same.

    Raises:
        ConfigError: the source is no pack, or cannot be got.
    """
    package = source.removeprefix(PACKAGE) if source.startswith(PACKAGE) else ""
    with tempfile.TemporaryDirectory(prefix="hookline-pack-") as scratch:
        wheels = download_wheels(package, scratch, environ) if package else []
        digests = digest_wheels(wheels)
        offer = read_offer(name, wheels) if package else None
        version = offer.version if offer else _find_version(source)
        is_known = before and (before.version, before.wheels) == (version, digests)
        if before and is_known and not check_pack(name, environ):
            return before, ()
        root = _make_root(f"{find_versions(name, environ)}/{version}")
        pack = Pack(
            name=name, version=version, source=source, root=root, folder="files", wheels=digests
        )
        try:
            if offer:
                packages = install_wheels(f"{root}/venv", wheels, environ)
                pack = pack.replace(folder=f"{os.path.relpath(packages, root)}/{offer.folder}")
            else:
                ignore = shutil.ignore_patterns(*_LEFT_OUT)
                shutil.copytree(source, f"{root}/files", symlinks=True, ignore=ignore)
            text, hooks = read_hooks(f"{root}/{pack.folder}")
            own = pack.replace(files=digest_files(root)).list_own_files()
            own = [path for path in own if not path.endswith(".pyc")]
            write_private(f"{root}/{HOOKS}", write_hooks(text, pack, own).encode())
            return lock_pack(pack), hooks
        except BaseException:
            shutil.rmtree(root)
            raise


def find_versions(name: str, environ: Mapping[str, str]) -> str:
    """Return the folder with the versions of a pack."""
    return f"{data_folder(environ)}/pack-versions/{name}"


def _make_root(start: str) -> str:
    """Make a new folder for a version, and return it; each build has its own."""
    root = next(path for at in count(1) if not os.path.lexists(path := f"{start}-{at}"))
    make_private_folder(os.path.dirname(root))
    os.mkdir(root, 0o700)
    return root


def _find_version(folder: str) -> str:
    """Return what stands for the version of a folder: a digest of its files and their modes.

    Raises:
        ConfigError: it is no pack, or is too large.
    """
    read_hooks(folder)
    digests = digest_files(folder)
    for name in [each for each in digests if not {*_LEFT_OUT}.isdisjoint(each.split("/"))]:
        del digests[name]
    modes, size, problem, place = {}, 0, "", folder
    for name, digest in digests.items():
        path = f"{folder}/{name}"
        modes[name] = os.access(path, os.X_OK)
        if digest.startswith("->") or not os.path.isfile(path):
            problem, place = "a link, or no plain file", path
            break
        size += os.path.getsize(path)
    if len(digests) > _MOST_FILES or size > _MOST_BYTES:
        problem = f"more than {_MOST_FILES} files, or {_MOST_BYTES >> 20} MiB"
    if problem:
        hint = "name the folder of the pack alone, and have plain files in it only"
        raise ConfigError(problem, name="pack.invalid", place=place, hint=hint)
    return f"0+{sha256(repr([*digests.items(), *modes.items()]).encode())[:8]}"
