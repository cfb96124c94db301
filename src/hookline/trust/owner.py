"""The owner of a hook: a repository with a project's folder in it, a settings folder, or a plugin."""

from __future__ import annotations

import os
import stat

from hookline.model.frozen import Frozen
from hookline.model.spec import CLONED
from hookline.paths import is_below, nearest_with, read_start, real_path
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.model.spec import HookSpec

_LONGEST_POINTER = 4096  # bytes of a `.git` file


class Owner(Frozen):
    """The owner of an approval.

    `key` names the folder of the store. `root` is the folder that files are named relative to.
    `folders` are all names of it. `label` is for people.
    """

    key: str
    root: str
    folders: tuple[str, ...] = ()
    label: str = ""
    is_project: bool = False


class Project(Frozen):
    """A project's folder, without links, and the work tree that it lies in."""

    folder: str
    work_tree: str
    owner: Owner

    def holds(self, path: str) -> bool:
        """Whether a path lies in the work tree."""
        return is_below(path, self.work_tree)


def find_project(folder: str, environ: Mapping[str, str]) -> Project | None:
    """Return the project of a folder; None where that is the user's home, or around it."""
    named, home = os.path.abspath(folder), find_home(environ)
    real = real_path(named)
    if is_below(home, real):
        return None
    work_tree = real_path(nearest_with(real, ".git") or real)
    if is_below(home, work_tree):
        work_tree = real
    inside = os.path.relpath(real, work_tree)
    key = _digest("project", _identify_repository(work_tree), inside)
    top = named
    while top != "/" and real_path(top) != work_tree:
        top = os.path.dirname(top)
    owner = Owner(
        key=key,
        root=work_tree,
        folders=tuple({work_tree, top} - {"/"}),
        label=real,
        is_project=True,
    )
    return Project(folder=real, work_tree=work_tree, owner=owner)


def _identify_repository(work_tree: str) -> str:
    """Return what stands for a repository: its `.git`, or that of which this is a linked worktree.

    Git believes a forged `.git` file, so the repository has to point back at the worktree.
    """
    git = f"{work_tree}/.git"
    try:
        found = os.lstat(git)
        if stat.S_ISDIR(found.st_mode):
            return git
        if not stat.S_ISREG(found.st_mode):
            return work_tree
        line = read_start(git, _LONGEST_POINTER).decode("utf-8", "surrogateescape")
        entry = real_path(os.path.join(work_tree, line.removeprefix("gitdir:").strip()))
        folder, worktrees = os.path.split(os.path.dirname(entry))
        back = read_start(f"{entry}/gitdir", _LONGEST_POINTER).decode("utf-8", "surrogateescape")
        points_back = real_path(os.path.join(entry, back.strip())) == git
    except (OSError, ValueError):
        return work_tree
    is_linked = line.startswith("gitdir:") and worktrees == "worktrees" and points_back
    return folder if is_linked else work_tree


def find_owner(spec: HookSpec, project: Project | None) -> Owner:
    """Return the owner of a hook: the project, the plugin, or the folder of its file."""
    if spec.origin.scope in CLONED and project is not None:
        return project.owner
    plugin = str(spec.facts.get("plugin") or "").rstrip("/")
    folder = os.path.dirname(os.path.abspath(spec.origin.file))
    if plugin:
        names = [name for name in plugin.split("/") if name and not name[:1].isdigit()]
        name = "/".join(names[-2:])
        folders = tuple({plugin, real_path(plugin)})
        return Owner(
            key=_digest("plugin", name),
            root=real_path(plugin),
            folders=folders,
            label=f"plugin {name}",
        )
    return Owner(key=_digest("own", real_path(folder)), root="", label=folder)


def find_home(environ: Mapping[str, str]) -> str:
    """Return the user's home, without links."""
    return real_path(environ.get("HOME") or os.path.expanduser("~"))


def _digest(kind: str, *parts: str) -> str:
    text = "\0".join(parts).encode("utf-8", "surrogateescape")
    return f"{kind}-{sha256(text)[:32]}"
