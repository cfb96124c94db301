"""Adds, updates and removes packs: a plan builds and compares, and applying it switches over."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress

from hookline.config.source_links import Edit, apply_edit, has_link, plan_link, plan_unlink
from hookline.errors import ConfigError, did_you_mean
from hookline.model.frozen import Frozen
from hookline.packs.build import PACKAGE, build_pack, find_versions
from hookline.packs.differences import compare_packs
from hookline.packs.lock import (
    Pack,
    find_hooks_file,
    list_names,
    read_pack,
)
from hookline.packs.wheels import (
    read_package_name,
)
from hookline.paths import (
    find_home,
    make_private_folder,
    state_folder,
)
from hookline.trust.owner import find_plugin_owner
from hookline.trust.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from hookline.model.spec import HookSpec

_NAME = re.compile(r"[a-z][a-z0-9._-]*")


class Plan(Frozen):
    """What is to become of a pack: a version that is built already, and the file that names it.

    `before` and `after`: the installed version and the next one; None where there is none. They are
    the same where an update finds nothing new. `hooks`: of a new one. `edit`: the change of the
    user's file. `diff`: how the versions differ.
    """

    name: str
    edit: Edit
    before: Pack | None = None
    after: Pack | None = None
    hooks: tuple[HookSpec, ...] = ()
    diff: str = ""

    @property
    def has_new_version(self) -> bool:
        """Whether a version was built, which is not in force yet."""
        return self.after is not None and self.after != self.before


def is_source(word: str) -> bool:
    """Whether a word names a folder or a package to install a pack from."""
    return word.startswith((PACKAGE, "./", "../", "/", "~/")) or word in {".", ".."}


def plan_add(source: str, environ: Mapping[str, str]) -> Plan:
    """Build a pack from a folder or a package; nothing refers to it yet.

    Raises:
        ConfigError: it is no pack, cannot be got, or is installed already.
    """
    name, source = _read_source(source, environ)
    if not _NAME.fullmatch(name):
        hint = "a name begins with a letter; letters, digits, dots, hyphens and underscores follow"
        raise ConfigError(f"`{name}` is no name of a pack", name="pack.invalid", hint=hint)
    file = find_hooks_file(name, environ)
    edit = plan_link(file, environ)
    if name in list_names(environ) and has_link(file, environ):
        hint = f"hookline update {name}"
        raise ConfigError(f"the pack `{name}` is installed", name="config.option", hint=hint)
    after, hooks = build_pack(name, source, environ)
    return Plan(name=name, edit=edit, after=after, hooks=hooks)


def plan_update(name: str, environ: Mapping[str, str]) -> Plan:
    """Build the present version of an installed pack, if it differs.

    Raises:
        ConfigError: there is no such pack, or its source is gone.
    """
    name = _read_name(name, environ)
    if name not in list_names(environ):
        raise _make_unknown_error(name, environ)
    before, edit = read_pack(name, environ), plan_link(find_hooks_file(name, environ), environ)
    after, hooks = build_pack(name, before.source, environ, before)
    diff = compare_packs(before, after)
    return Plan(name=name, edit=edit, before=before, after=after, hooks=hooks, diff=diff)


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
    if not is_installed(name, environ):
        raise _make_unknown_error(name, environ)
    edit = plan_unlink(find_hooks_file(name, environ), environ)
    return Plan(name=name, edit=edit, before=before)


def is_installed(name: str, environ: Mapping[str, str]) -> bool:
    """Whether a pack has files, or an entry in the user's file without them."""
    return name in list_names(environ) or has_link(find_hooks_file(name, environ), environ)


def _make_unknown_error(name: str, environ: Mapping[str, str]) -> ConfigError:
    names = list_names(environ)
    hint = did_you_mean(name, names) or f"installed: {', '.join(names) or 'none'}"
    return ConfigError(f"there is no pack `{name}`", name="config.option", hint=hint)


def _read_name(word: str, environ: Mapping[str, str]) -> str:
    """Return the name that a name or a source means."""
    return _read_source(word, environ)[0] if is_source(word) else word


def _read_source(word: str, environ: Mapping[str, str]) -> tuple[str, str]:
    """Return the name that a pack has by its source, and the source with a whole path."""
    if word.startswith(PACKAGE):
        return read_package_name(word.removeprefix(PACKAGE)), word
    path = f"{find_home(environ)}{word[1:]}" if word.startswith("~/") else word
    return os.path.basename(os.path.abspath(path)).lower(), os.path.abspath(path)


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
        apply_edit(plan.edit)
        _forget_approvals(link, Store(state_folder(environ), write_record=write_record))
        with suppress(FileNotFoundError):
            os.unlink(link)
        shutil.rmtree(find_versions(plan.name, environ), ignore_errors=True)
        return
    if plan.has_new_version:
        _switch(link, plan.after.root)
    apply_edit(plan.edit)
    if plan.has_new_version and plan.before is not None:
        shutil.rmtree(plan.before.root, ignore_errors=True)


def _switch(link: str, root: str) -> None:
    """Let the link of a pack lead to a version, in one step."""
    folder, name = os.path.split(link)
    make_private_folder(folder)
    draft = f"{folder}/.{name}.{os.getpid()}"
    with suppress(FileNotFoundError):
        os.unlink(draft)
    os.symlink(root, draft)
    os.replace(draft, link)


def _forget_approvals(link: str, store: Store) -> None:
    """Forget the approvals of a pack, so that hookline misses none of its guards."""
    key = find_plugin_owner(link).key
    for definition in store.read_approvals(key).versions:
        store.forget(store.list_versions(key, definition))


def discard(plan: Plan) -> None:
    """Remove what a plan has built."""
    if plan.after is not None and plan.has_new_version:
        shutil.rmtree(plan.after.root, ignore_errors=True)
        with suppress(OSError):  # another version is there
            os.rmdir(os.path.dirname(plan.after.root))
