"""Adds, updates and removes packs: a plan builds and compares, and applying it switches over."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from contextlib import suppress
from itertools import count

from hookline.config.guard_entries import add_entry, remove_entries
from hookline.config.places import find_own_file
from hookline.errors import ConfigError, did_you_mean
from hookline.model.frozen import Frozen
from hookline.packs.differences import compare_packs
from hookline.packs.hooks_file import read_hooks, write_hooks
from hookline.packs.lock import (
    HOOKS,
    Pack,
    check_pack,
    digest_files,
    find_hooks_file,
    list_names,
    lock_pack,
    read_pack,
)
from hookline.packs.wheels import (
    digest_wheels,
    download_wheels,
    install_wheels,
    read_offer,
    read_package_name,
)
from hookline.paths import (
    data_folder,
    find_home,
    make_private_folder,
    read_text,
    shorten_home,
    state_folder,
    write_private,
)
from hookline.text.digest import sha256
from hookline.trust.owner import find_plugin_owner
from hookline.trust.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from hookline.model.spec import HookSpec

_PACKAGE = "pkg:"
_NAME = re.compile(r"[a-z][a-z0-9._-]*")
_MOST_FILES = 1000  # of a folder
_MOST_BYTES = 64 << 20  # of a folder
_LEFT_OUT = (".git", "__pycache__")


class Plan(Frozen):
    """What is to become of a pack: a version that is built already, and the file that names it.

    `before` and `after`: the installed version and the new one; None where there is none. `hooks`:
    of the new one. `config`: the user's `hookline.yaml`; `texts`: its text before and after.
    `diff`: how the versions differ.
    """

    name: str
    before: Pack | None = None
    after: Pack | None = None
    hooks: tuple[HookSpec, ...] = ()
    config: str = ""
    texts: tuple[str | None, str | None] = (None, None)
    diff: str = ""


def is_source(word: str) -> bool:
    """Whether a word names a folder or a package to install a pack from."""
    return word.startswith((_PACKAGE, "./", "../", "/", "~/")) or word in {".", ".."}


def plan_add(source: str, environ: Mapping[str, str]) -> Plan:
    """Build a pack from a folder or a package; nothing refers to it yet.

    Raises:
        ConfigError: it is no pack, cannot be got, or is installed already.
    """
    name, source = _read_source(source, environ)
    if not _NAME.fullmatch(name):
        hint = "a name begins with a letter; letters, digits, dots, hyphens and underscores follow"
        raise ConfigError(f"`{name}` is no name of a pack", name="pack.invalid", hint=hint)
    if name in list_names(environ):
        hint = f"hookline update {name}"
        raise ConfigError(f"the pack `{name}` is installed", name="config.option", hint=hint)
    after, hooks = _build(name, source, environ)
    return _edit_config(Plan(name=name, after=after, hooks=hooks), environ)


def plan_update(name: str, environ: Mapping[str, str]) -> Plan:
    """Build the present version of an installed pack; without `after` nothing has changed.

    Raises:
        ConfigError: there is no such pack, or its source is gone.
    """
    name = _read_name(name, environ)
    if name not in list_names(environ):
        raise _make_unknown_error(name, environ)
    before = read_pack(name, environ)
    after, hooks = _build(name, before.source, environ, before)
    plan = Plan(name=name, before=before, after=after, hooks=hooks)
    if after is None:
        return plan
    return _edit_config(plan.replace(diff=compare_packs(before, after)), environ)


def plan_remove(name: str, environ: Mapping[str, str]) -> Plan:
    """Return the plan to remove a pack, by its name or source: its entry, approvals and files.

    Raises:
        ConfigError: there is no such pack.
    """
    name = _read_name(name, environ)
    try:
        before = read_pack(name, environ)
    except ConfigError:  # a damaged pack is removed as well
        before = Pack(name=name)
    plan = _edit_config(Plan(name=name, before=before), environ)
    if not is_installed(name, environ) and plan.texts[0] == plan.texts[1]:
        raise _make_unknown_error(name, environ)
    return plan


def is_installed(name: str, environ: Mapping[str, str]) -> bool:
    """Whether a pack has files, or an entry in the user's file without them."""
    config = find_own_file("", environ, user=True)
    text = read_text(config) if os.path.exists(config) else ""
    return name in list_names(environ) or f"/hookline/packs/{name}/{HOOKS}" in text


def _make_unknown_error(name: str, environ: Mapping[str, str]) -> ConfigError:
    names = list_names(environ)
    hint = did_you_mean(name, names) or f"installed: {', '.join(names) or 'none'}"
    return ConfigError(f"there is no pack `{name}`", name="config.option", hint=hint)


def _read_name(word: str, environ: Mapping[str, str]) -> str:
    """Return the name that a name or a source means."""
    return _read_source(word, environ)[0] if is_source(word) else word


def _read_source(word: str, environ: Mapping[str, str]) -> tuple[str, str]:
    """Return the name that a pack has by its source, and the source with a whole path."""
    if word.startswith(_PACKAGE):
        return read_package_name(word.removeprefix(_PACKAGE)), word
    path = f"{find_home(environ)}{word[1:]}" if word.startswith("~/") else word
    return os.path.basename(os.path.abspath(path)).lower(), os.path.abspath(path)


# -- building ------------------------------------------------------------------------------------


def _build(
    name: str, source: str, environ: Mapping[str, str], before: Pack | None = None
) -> tuple[Pack | None, tuple[HookSpec, ...]]:
    """Return a new version of a pack, and its hooks; None if it equals an intact `before`."""
    package = source.removeprefix(_PACKAGE) if source.startswith(_PACKAGE) else ""
    with tempfile.TemporaryDirectory(prefix="hookline-pack-") as scratch:
        wheels = download_wheels(package, scratch, environ) if package else []
        digests = digest_wheels(wheels)
        offer = read_offer(name, wheels) if package else None
        version = offer.version if offer else _find_version(source)
        is_same = before and (before.version, before.wheels) == (version, digests)
        if is_same and not check_pack(name, environ):
            return None, ()
        root = _make_root(f"{_find_versions(name, environ)}/{version}")
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


def _find_versions(name: str, environ: Mapping[str, str]) -> str:
    return f"{data_folder(environ)}/pack-versions/{name}"


def _make_root(start: str) -> str:
    """Make a new folder for a version, and return it; each build has its own."""
    root = next(path for at in count(1) if not os.path.lexists(path := f"{start}-{at}"))
    make_private_folder(os.path.dirname(root))
    os.mkdir(root, 0o700)
    return root


def _find_version(folder: str) -> str:
    """Return what stands for the version of a folder: a digest of its files.

    Raises:
        ConfigError: it is no pack, or is too large.
    """
    read_hooks(folder)
    digests = digest_files(folder)
    for name in [each for each in digests if not {*_LEFT_OUT}.isdisjoint(each.split("/"))]:
        del digests[name]
    size, problem, place = 0, "", folder
    for name, digest in digests.items():
        path = f"{folder}/{name}"
        if digest.startswith("->") or not os.path.isfile(path):
            problem, place = "a link, or no plain file", path
            break
        size += os.path.getsize(path)
    if len(digests) > _MOST_FILES or size > _MOST_BYTES:
        problem = f"more than {_MOST_FILES} files, or {_MOST_BYTES >> 20} MiB"
    if problem:
        hint = "name the folder of the pack alone, and have plain files in it only"
        raise ConfigError(problem, name="pack.invalid", place=place, hint=hint)
    return f"0+{sha256(repr(sorted(digests.items())).encode())[:8]}"


def _edit_config(plan: Plan, environ: Mapping[str, str]) -> Plan:
    """Return a plan with the text of the user's file in which the pack is a source, or is none."""
    config, hooks = find_own_file("", environ, user=True), find_hooks_file(plan.name, environ)

    def is_meant(entry: Mapping[str, Any]) -> bool:
        path = str(entry.get("path", ""))
        return os.path.normpath(path.replace("~", find_home(environ), 1)) == hooks

    try:
        text = read_text(config) if os.path.exists(config) else None
        new = None if text is None else remove_entries(text, "sources", is_meant, path=config)
        if plan.after is not None:
            entry = {"path": shorten_home(hooks, environ), "dialect": "hookline"}
            # An entry that is there already stays as it is written.
            new = text if new != text else add_entry(text, "sources", entry, path=config)
    except ConfigError:
        discard(plan)
        raise
    return plan.replace(config=config, texts=(text, new))


# -- applying ------------------------------------------------------------------------------------


def apply(
    plan: Plan,
    environ: Mapping[str, str],
    write_record: Callable[[dict[str, Any]], object] | None = None,
) -> None:
    """Switch over to the new version in one step, or remove the pack and forget its approvals.

    The old version stays until the new one is in force. `write_record` is given a record of each
    approval that is forgotten.

    Raises:
        TrustError: the approvals cannot be read or written.
    """
    link = os.path.dirname(find_hooks_file(plan.name, environ))
    if plan.after is None:
        _write_config(plan)
        store, key = Store(state_folder(environ)), find_plugin_owner(link).key
        store.write_record = write_record
        for definition in store.read_approvals(key).versions:
            store.forget(store.list_versions(key, definition))
        with suppress(FileNotFoundError):
            os.unlink(link)
        shutil.rmtree(_find_versions(plan.name, environ), ignore_errors=True)
        return
    folder = os.path.dirname(link)
    make_private_folder(folder)
    draft = f"{folder}/.{plan.name}.{os.getpid()}"
    with suppress(FileNotFoundError):
        os.unlink(draft)
    os.symlink(plan.after.root, draft)
    os.replace(draft, link)
    _write_config(plan)
    if plan.before is not None:
        shutil.rmtree(plan.before.root, ignore_errors=True)


def discard(plan: Plan) -> None:
    """Remove what a plan has built."""
    if plan.after is not None:
        shutil.rmtree(plan.after.root, ignore_errors=True)
        with suppress(OSError):  # another version is there
            os.rmdir(os.path.dirname(plan.after.root))


def _write_config(plan: Plan) -> None:
    """Write the user's file through its links; one with nothing left in it goes."""
    before, after = plan.texts
    target = os.path.realpath(plan.config)
    if after is None and before is not None:
        os.unlink(target)
    elif after is not None and after != before:
        make_private_folder(os.path.dirname(target))
        mode = os.stat(target).st_mode & 0o777 if before is not None else 0o600
        write_private(target, after.encode(), sync=True)
        os.chmod(target, mode)
