"""The shadow repository of a work tree: writes and restores trees of its files, with Git.

It has its own Git folder, so that the repository of the user stays as it is. It holds trees and no
commits. docs/formats/docker-agent.md 9
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
import time
from contextlib import contextmanager, suppress

from hookline.errors import HandlerError
from hookline.handlers import command
from hookline.handlers.builtins.git import CAREFUL, make_environment
from hookline.handlers.process_spec import Cancel, Limits, Program
from hookline.handlers.process_tree import COOKIE
from hookline.model.frozen import Frozen
from hookline.paths import data_folder, is_below, make_private_folder, write_private
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

LARGEST_NEW = 2 << 20  # bytes of a file that is not tracked yet
BATCH = 100  # paths that are restored at once
DAYS = 7  # after which Git may remove a tree
_OUTPUT = 256 << 20  # bytes of a list of paths
_PAUSE = 0.02  # seconds, between two tries for the lock
_CONFIG = (
    "core.autocrlf=false",
    "core.longpaths=true",
    "core.symlinks=true",
    "core.untrackedCache=false",
    "core.bare=false",
    "gc.auto=0",
)
# Files are kept as they are, and no filter program runs; this overrides every `.gitattributes`.
_ATTRIBUTES = b"* -text -ident !eol !filter !working-tree-encoding -crlf\n"
_NO_PLACE = ("not a git repository", "must be run in a work tree")


class NoRepositoryError(HandlerError):
    """There is nothing to take a snapshot of: no Git, no folder, or no repository."""


class Git(Frozen):
    """How Git is run: the program, its variables, and the limits of each call.

    `until`: the time of `time.monotonic` by which all is done.
    """

    program: str
    environ: Mapping[str, str]
    until: float
    limits: Limits = Limits()
    cancel: Cancel | None = None

    def run(self, folder: str, *words: str, given: Iterable[str] = ()) -> str:
        """Run Git in a folder and return its output.

        `given`: paths for its standard input, which it gets separated by NUL.

        Raises:
            HandlerError: it failed, or there is no time left.
        """
        from hookline.handlers.process import run_all  # noqa: PLC0415 - few events start a program

        program = Program(
            argv=(self.program, *CAREFUL, *words),
            stdin="".join(f"{path}\0" for path in given).encode("utf-8", "surrogateescape"),
            cwd=folder,
            env=self.environ,
            timeout=max(self.until - time.monotonic(), 0.01),
            cookie=self.environ.get(COOKIE, "").rpartition(",")[2],
            undecodable="surrogateescape",
        )
        limits = self.limits.replace(kept=_OUTPUT)
        (outcome,) = run_all([program], limits=limits, cancel=self.cancel)
        if outcome.failure is None and outcome.exit_code == 0 and not outcome.truncated:
            return outcome.stdout
        why = outcome.stderr.strip() or outcome.detail
        if outcome.failure is not None:
            why = f"{outcome.failure.value} {outcome.detail}".strip()
        raise HandlerError(f"`git {words[0] if words else ''}` failed: {why}")


def prepare_git(
    environ: Mapping[str, str],
    *,
    seconds: float,
    limits: Limits | None = None,
    cancel: Cancel | None = None,
    declared: Iterable[str] = (),
    cookie: str = "",
) -> Git:
    """Return Git, to be run within so many seconds.

    Raises:
        NoRepositoryError: it is not on this machine.
    """
    program = command.find_on_path("git", environ)
    if not program:
        raise NoRepositoryError("`git` is not on the PATH")
    env = {**make_environment(environ, tuple(declared)), "GIT_LITERAL_PATHSPECS": "1"}
    mark = cookie or os.urandom(12).hex()
    env[COOKIE] = command.extend_cookies(environ, mark)
    until = time.monotonic() + seconds
    return Git(program=program, environ=env, until=until, limits=limits or Limits(), cancel=cancel)


class ShadowRepository(Frozen):
    """The shadow repository of one work tree.

    Attributes:
        git: runs Git.
        worktree: the top folder of the user's repository, without links.
        scope: the folder in it that is looked at, relative to it; empty: all of it.
        source_exclude: the user's own list of ignored files, `info/exclude`.
        folder: where the shadow repository and its history are.
    """

    git: Git
    worktree: str
    scope: str
    source_exclude: str
    folder: str

    @property
    def git_folder(self) -> str:
        """Return the folder of Git's own files."""
        return f"{self.folder}/git"

    def _run(self, *words: str, given: Iterable[str] = ()) -> str:
        options = [part for setting in _CONFIG for part in ("-c", setting)]
        places = (f"--git-dir={self.git_folder}", f"--work-tree={self.worktree}")
        return self.git.run(self.worktree, *places, *options, *words, given=given)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the shadow repository, which is made if it is missing.

        Raises:
            HandlerError: another process keeps the lock, or Git failed.
            OSError: a file cannot be written.
        """
        make_private_folder(self.folder)
        fd = os.open(f"{self.folder}/lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            while True:
                try:
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() >= self.git.until:
                        raise HandlerError(
                            f"another process keeps `{self.folder}` locked"
                        ) from None
                time.sleep(_PAUSE)
            self._make()
            yield
        finally:
            os.close(fd)

    def _make(self) -> None:
        info = f"{self.git_folder}/info"
        if not os.path.exists(f"{info}/attributes"):
            words = ("init", "--quiet", "--bare", "--template=", self.git_folder)
            self.git.run(self.folder, *words)
            make_private_folder(info)
            write_private(f"{self.folder}/worktree", os.fsencode(self.worktree) + b"\n")
            write_private(f"{info}/attributes", _ATTRIBUTES)
        # A process that was killed leaves this behind; under the lock no other one writes.
        with suppress(FileNotFoundError):
            os.unlink(f"{self.git_folder}/index.lock")

    # -- trees -------------------------------------------------------------------------------------

    def write_tree(self) -> str:
        """Return the tree of the files as they are now, without ignored and large new ones.

        Raises:
            HandlerError: Git failed.
            OSError: a file of the shadow repository cannot be written.
        """
        self._copy_exclude()
        scope = _to_pathspec(self.scope)
        gone = _split(self._run("ls-files", "-z", "-c", "-i", "--exclude-standard", *scope))
        new = _split(self._run("ls-files", "-z", "-o", "--exclude-standard", *scope))
        changed = dict.fromkeys(_split(self._run("ls-files", "-z", "-m", "-d", *scope)))
        gone += [path for path in changed if self._is_gone(path)]
        staged = [path for path in new if self._is_wanted(path, LARGEST_NEW)]
        staged += [path for path in changed if path not in set(gone) and self._is_wanted(path)]
        if gone:
            self._run("update-index", "-z", "--force-remove", "--stdin", given=gone)
        if staged:
            options = ("--add", "--remove", "--replace", "-z", "--stdin")
            self._run("update-index", *options, given=staged)
        return self._run("write-tree").strip()

    def _copy_exclude(self) -> None:
        try:
            with open(self.source_exclude, "rb") as file:
                listed = file.read(1 << 20)
        except OSError:
            listed = b""
        own = os.path.dirname(self.folder)
        if is_below(own, self.worktree):
            inside = re.sub(r"([\\*?\[ ])", r"\\\1", os.path.relpath(own, self.worktree))
            listed += b"\n/" + os.fsencode(inside) + b"/\n"
        path = f"{self.git_folder}/info/exclude"
        try:
            with open(path, "rb") as file:
                is_same = file.read() == listed
        except OSError:
            is_same = False
        if not is_same:
            write_private(path, listed)

    def _is_gone(self, path: str) -> bool:
        """Return whether a file is not there any more, or a link has taken its folder's place."""
        folder = f"{self.worktree}/{os.path.dirname(path)}".rstrip("/")
        return os.path.realpath(folder) != folder or not os.path.lexists(f"{self.worktree}/{path}")

    def _is_wanted(self, path: str, most: int = 0) -> bool:
        """Return whether Git can store a path: a link, or a file that is not too large."""
        whole = f"{self.worktree}/{path}"
        try:
            found = os.lstat(whole)
        except OSError:
            return False
        if stat.S_ISLNK(found.st_mode):
            return True
        is_small = not most or found.st_size <= most
        return stat.S_ISREG(found.st_mode) and is_small and os.access(whole, os.R_OK)

    def list_changes(self, before: str, after: str, scope: str) -> list[str]:
        """Return the files below a folder of the work tree that differ between two trees.

        Raises:
            HandlerError: Git failed.
        """
        words = ("diff-tree", "-r", "-z", "--no-renames", "--name-only", before, after)
        return _split(self._run(*words, *_to_pathspec(scope)))

    def list_files(self, tree: str, paths: Sequence[str]) -> set[str]:
        """Return those of some paths that a tree has as files.

        Raises:
            HandlerError: Git failed.
        """
        found: set[str] = set()
        for at in range(0, len(paths), BATCH):
            words = ("ls-tree", "-r", "-z", "--name-only", "--full-tree", tree, "--")
            found.update(_split(self._run(*words, *paths[at : at + BATCH])))
        return found.intersection(paths)

    # -- restoring ---------------------------------------------------------------------------------

    def restore(self, tree: str, paths: Sequence[str]) -> list[str]:
        """Make some files what they are in a tree: write them, or delete those it does not have.

        Return the paths that could not be restored.

        Raises:
            HandlerError: Git failed.
        """
        kept = self.list_files(tree, paths)
        failed = [path for path in paths if path not in kept and not self._delete(path)]
        written: list[str] = []
        for path in paths:
            if path in kept:
                (written if self._has_room(path) else failed).append(path)
        for at in range(0, len(written), BATCH):
            batch = written[at : at + BATCH]
            failed += self._write(tree, batch)
        return failed

    def _write(self, tree: str, paths: Sequence[str]) -> list[str]:
        """Write files of a tree, one by one if they cannot be written together."""
        try:
            self._run("checkout", "--quiet", tree, "--", *paths)
        except HandlerError:
            if len(paths) == 1:
                return list(paths)
            return [path for each in paths for path in self._write(tree, [each])]
        return []

    def _delete(self, path: str) -> bool:
        """Delete a file, and the folders that it leaves empty; return whether it is gone."""
        if not self._is_inside(path):
            return False
        whole = f"{self.worktree}/{path}"
        try:
            os.unlink(whole)
        except FileNotFoundError:
            return True
        except OSError as error:
            return error.errno == errno.ENOTDIR
        folder = os.path.dirname(path)
        while folder and folder != self.scope:
            try:
                os.rmdir(f"{self.worktree}/{folder}")
            except OSError:
                break
            folder = os.path.dirname(folder)
        return True

    def _is_inside(self, path: str) -> bool:
        """Return whether a path leads into the work tree, and not through a link elsewhere."""
        parts = path.split("/")
        if os.path.isabs(path) or ".." in parts or parts[0].lower() == ".git":
            return False
        folder = os.path.realpath(f"{self.worktree}/{os.path.dirname(path)}")
        return is_below(folder, self.worktree)

    def _has_room(self, path: str) -> bool:
        """Return whether writing a file removes nothing that no tree has."""
        if not self._is_inside(path):
            return False
        parts = path.split("/")
        above = (f"{self.worktree}/{'/'.join(parts[:at])}" for at in range(1, len(parts)))
        if not all(os.path.isdir(each) for each in above if os.path.lexists(each)):
            return False
        whole = f"{self.worktree}/{path}"
        if os.path.isdir(whole) and not os.path.islink(whole):
            with suppress(OSError):
                os.rmdir(whole)
            return not os.path.lexists(whole)
        return True

    def collect_garbage(self) -> None:
        """Remove what no checkpoint needs any more.

        Raises:
            HandlerError: Git failed.
        """
        self._run("gc", "--quiet", f"--prune={DAYS}.days")


def find_repository(git: Git, cwd: str, environ: Mapping[str, str]) -> ShadowRepository:
    """Return the shadow repository of the repository that a folder is in.

    Raises:
        NoRepositoryError: the folder is in none.
        HandlerError: Git failed.
    """
    if not cwd or not os.path.isdir(cwd):
        raise NoRepositoryError(f"the folder `{cwd}` does not exist" if cwd else "there is no cwd")
    folder = os.path.realpath(cwd)
    words = ("rev-parse", "--path-format=absolute", "--show-toplevel", "--git-path", "info/exclude")
    try:
        top, exclude, *_ = git.run(folder, *words).split("\n")
    except HandlerError as error:
        if any(each in str(error).lower() for each in _NO_PLACE):
            raise NoRepositoryError(f"`{cwd}` is in no work tree of Git (git init)") from None
        raise
    worktree = os.path.realpath(top)
    name = sha256(os.fsencode(worktree))[:32]
    scope = os.path.relpath(folder, worktree) if is_below(folder, worktree) else "."
    return ShadowRepository(
        git=git,
        worktree=worktree,
        scope="" if scope == "." else scope,
        source_exclude=exclude,
        folder=f"{data_folder(environ)}/snapshot/{name}",
    )


def _to_pathspec(scope: str) -> tuple[str, ...]:
    return ("--", scope) if scope else ()


def _split(text: str) -> list[str]:
    return [path for path in text.split("\0") if path]
