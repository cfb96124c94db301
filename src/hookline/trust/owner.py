"""Finds what an approval is for: the digest of what an entry does, and the owner of its file."""

from __future__ import annotations

import json
import os
import stat

from hookline.model.frozen import Frozen
from hookline.model.spec import CLONED, HookSpec
from hookline.paths import find_home, is_below, nearest_with, read_start
from hookline.text.digest import sha256
from hookline.text.re2_regex import Regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any


_LONGEST_POINTER = 4096  # bytes of a `.git` file


class Owner(Frozen):
    """The owner of an approval: a project, a plugin, or a settings folder.

    `key` names the folder of the store. `root` is the work tree or plugin, in which files have
    relative names; `folders` are all names of it. `label` is for people.
    """

    key: str
    root: str
    folders: tuple[str, ...] = ()
    label: str = ""


def find_project(folder: str, environ: Mapping[str, str]) -> Owner | None:
    """Return the project of a folder; None where that is the user's home, or around it."""
    home = os.path.realpath(find_home(environ))
    named, real = os.path.abspath(folder), os.path.realpath(folder)
    if is_below(home, real):
        return None
    work_tree = nearest_with(real, ".git") or real
    if is_below(home, work_tree):
        work_tree = real
    inside = os.path.relpath(real, work_tree)
    key = _make_key("project", _identify_repository(work_tree), inside)
    # The name of the work tree by which the folder was named.
    top = named if inside == "." else named.removesuffix(f"/{inside}")
    return Owner(key=key, root=work_tree, folders=(work_tree, top), label=real)


def _identify_repository(work_tree: str) -> str:
    """Return what stands for a repository: its `.git`, or that of which this is a linked worktree.

    Git believes a forged `.git` file, so the repository has to point back at the worktree.
    """
    git = f"{work_tree}/.git"
    try:
        mode = os.lstat(git).st_mode
        if stat.S_ISDIR(mode):
            return git
        line = _read_line(git) if stat.S_ISREG(mode) else ""
        entry = os.path.realpath(os.path.join(work_tree, line.removeprefix("gitdir: ")))
        repository, worktrees = os.path.split(os.path.dirname(entry))
        back = os.path.realpath(os.path.join(entry, _read_line(f"{entry}/gitdir")))
    except (OSError, ValueError):
        return work_tree
    return repository if (worktrees, back) == ("worktrees", git) else work_tree


def _read_line(path: str) -> str:
    return os.fsdecode(read_start(path, _LONGEST_POINTER)).strip()


def find_owner(spec: HookSpec, project: Owner | None) -> Owner:
    """Return the owner of a hook: the project, the plugin, or the folder of its file."""
    if spec.origin.scope in CLONED and project is not None:
        return project
    plugin = str(spec.facts.get("plugin") or "").rstrip("/")
    if plugin:
        return find_plugin_owner(plugin)
    folder = os.path.dirname(os.path.abspath(spec.origin.file))
    return Owner(key=_make_key("own", os.path.realpath(folder)), root="", label=folder)


def find_plugin_owner(folder: str) -> Owner:
    """Return the owner for the hooks of a plugin or pack: its folder's name, without a version."""
    names = [name for name in folder.split("/") if name and not name[:1].isdigit()]
    name, root = "/".join(names[-2:]), os.path.realpath(folder)
    return Owner(
        key=_make_key("plugin", name), root=root, folders=(folder, root), label=f"plugin {name}"
    )


def _make_key(kind: str, *parts: str) -> str:
    text = "\0".join(parts).encode("utf-8", "surrogateescape")
    return f"{kind}-{sha256(text)[:32]}"


# A new number asks for a new approval of every hook.
_VERSION = 3
# What stands in a definition for the folder of its owner. No file can contain it.
_ROOT = "\0root"
# The facts of a dialect that an entry declares and that change what the hook does, above all what
# its failure means. The others are places and names.
_FACTS = (
    "allow_result_rewrite", "continue_on_block", "fail_closed", "loop_limit", "max_retries",
    "metadata", "on_error", "rewake", "role", "strict_output",
)  # fmt: skip


def digest_definition(spec: HookSpec, folders: Iterable[str] = ()) -> str:
    """Return the SHA-256 of what a hook does, in hexadecimal (docs/explanation/trust.md 2).

    Name, description, order, line, mode and the user's options are no part of it. Defaults are
    left out, so that a new field of hookline needs no new approval.

    Args:
        spec: the hook.
        folders: names of its owner's folder. They stand for each other in the definition, so that
            a linked worktree and a plugin of another version keep their approvals.
    """
    names = ("dialect", "conditions", "handler", "timeout", "detached", "once", "shadow", "sworn")
    facts = {name: spec.facts[name] for name in _FACTS if spec.facts.get(name)}
    told = spec.as_dict(*names)
    told |= {"event": spec.native_event, "facts": facts}
    text = json.dumps([_VERSION, told], default=_to_json, sort_keys=True, separators=(",", ":"))
    for folder in sorted(folders, key=len, reverse=True):
        if folder.strip("/"):
            text = text.replace(json.dumps(folder)[1:-1], json.dumps(_ROOT)[1:-1])
    return sha256(text.encode("ascii"))


def _to_json(value: Any) -> Any:
    """Return a value as JSON; of a value class, only the declared fields that are no defaults."""
    if isinstance(value, Frozen):
        cls = type(value)
        return {"": cls.__name__} | {
            name: each
            for name, each in value.as_dict().items()
            if name not in cls.UNDECLARED and each != cls.__defaults__[name]
        }
    if isinstance(value, Regex):
        return value.source
    if isinstance(value, set | frozenset):
        return sorted(value)
    if hasattr(value, "keys"):
        return dict(value)
    return getattr(value, "__qualname__", type(value).__qualname__)
