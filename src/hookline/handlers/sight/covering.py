"""Covering: the files of a hook that were looked at, each under what it is to the hook, and what could not be looked at."""

from __future__ import annotations

import os

from hookline.handlers.sight.contents import contents, exposure
from hookline.handlers.sight.named import among_systems, files_named, is_systems
from hookline.model.sight import LOOSE, Covered
from hookline.paths import real_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hookline.handlers.sight.contents import Contents

_HASHED = 1 << 20  # bytes of an interpreter that is hashed wherever it lies
# Variables by which a program loads or runs something else beside what it is told to.
_LEADING = frozenset({
    "BASH_ENV", "ENV", "GIT_CONFIG_COUNT", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_SYSTEM", "GIT_EXEC_PATH", "LD_AUDIT",
    "LD_LIBRARY_PATH", "LD_PRELOAD", "LESSCLOSE", "LESSOPEN", "MAKEFILES", "NODE_OPTIONS", "NODE_PATH", "PATH", "PERL5LIB", "PERL5OPT",
    "PROMPT_COMMAND", "PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP", "RSYNC_RSH", "RUBYLIB", "RUBYOPT", "TAR_OPTIONS", "ZDOTDIR",
})  # fmt: skip
_NOTHING = frozenset({"", "/dev/null"})  # values with which nothing is loaded
# Those of them whose file is loaded by any program of their kind; the others name folders, or count where a person types.
_LOADING = frozenset({"BASH_ENV", "LD_AUDIT", "LD_PRELOAD", "NODE_OPTIONS", "PERL5OPT", "RUBYOPT"})


class Covering:
    """What was found of one hook. `near`: folders whose interpreters are hashed, however large they are; `path`: where programs are.

    `root`: the project folder, from which what is named is seen, too. `inherited`: the path that the user's own environment has.
    `shelf`: where the digests of large files are kept.
    """

    def __init__(
        self,
        cwd: str,
        env: Mapping[str, str],
        near: Sequence[str] = (),
        *,
        root: str = "",
        inherited: str = "",
    ) -> None:
        self.cwd = cwd
        self.env = env
        self.home = env.get("HOME", "~")
        self.path = env.get("PATH", os.defpath)
        self.near = tuple(
            f"{real_path(each)}/"
            for each in (cwd, *near)
            if os.path.isabs(each) and each not in {"/", self.home}
        )
        self.root = root
        self.projects = among_systems(
            each for each in (cwd, *near, root) if each not in {"", "/", self.home}
        )
        self.inherited = frozenset(filter(os.path.isabs, inherited.split(os.pathsep)))
        self.chosen: set[str] = set()
        self.files: dict[tuple[str, str], Covered] = {}
        self.open: list[str] = []
        self.missing: list[str] = []
        self.watched = self.placed = False
        self.shelf = ""

    def declared(self, env: Iterable[str], files: Sequence[str]) -> None:
        """What a hook's variables name, and the files that it says it consists of."""
        self.assigned([(name, self.env.get(name)) for name in env if name != "PATH"], self.cwd)
        for path in files:
            if self.watch("listed", os.path.join(self.cwd, path)) is None:
                self.open.append(f"`{path}`, which it lists, was not found")

    def name(self, words: Iterable[str], folders: Sequence[str], *, anything: bool = False) -> None:
        """What words name, seen from these folders and from the project's."""
        seen = tuple(dict.fromkeys((*folders, self.root) if self.root else folders))
        for word in words:
            for file in files_named(
                word, seen, self.home, anything=anything, projects=self.projects
            ):
                real = real_path(file)
                if not any(
                    known.real == real for known in self.files.values()
                ):  # what is run for certain is not only named
                    self.cover("named", file)

    def runs(self, role: str, words: Iterable[str], folder: str, *, bare: bool = True) -> None:
        """What words name that is run for certain, whatever it looks like."""
        for word in words:
            for file in files_named(
                word, [folder], self.home, anything=True, bare=bare, projects=self.projects
            ):
                self.watch(role, file)

    def assigned(self, sets: Iterable[tuple[str, str | None]], cwd: str) -> None:
        """What variables name; one by which programs load something is told, for what else it leads to cannot be seen."""
        for name, value in sets:
            if name in _LOADING:
                self.runs("loaded", [value or ""], cwd)
            else:
                self.name([value or ""], [cwd], anything=name in _LEADING)
            if name == "PATH" and value is not None:
                self.path = value
            elif name in _LEADING and value not in _NOTHING:
                self.open.append(f"what is loaded because of the variable `{name}`")

    def lacks(self, what: str, *, certain: bool) -> None:
        """Note what is not there: a text may look for it, or make it, before it runs it."""
        (self.missing if certain else self.open).append(what)

    def program(self, name: str, cwd: str) -> str:
        """The program of that name; a folder of the path that is none, or no absolute one, is seen from where the hook runs."""
        for folder in ("",) if "/" in name else self.path.split(os.pathsep):
            full = os.path.join(cwd, f"{folder}/{name}" if folder else name)
            if os.path.isfile(full) and ("/" in name or os.access(full, os.X_OK)):
                if folder in self.inherited:
                    self.chosen.add(full)
                return full
        return ""

    def cover(self, role: str, path: str) -> Contents | None:
        read = contents(path, self.shelf)
        if read is not None:
            self.files[role, path] = Covered(
                role=role, path=path, real=read.real, digest=read.digest, modified=read.modified, exposed=read.exposed,
                chosen=path in self.chosen,
            )  # fmt: skip
        return read

    def watch(self, role: str, path: str) -> Contents | None:
        """Cover a file that is run, if it is, from where it lies."""
        self.watched = True
        self.placed = self.placed or role not in LOOSE
        return self.cover(role, path)

    def may_stay(self, file: Covered) -> bool:
        """Whether a file is run for certain, and maybe from where it lies: another one in its place may have had its say."""
        return file.role not in LOOSE and (file.role != "interpreter" or self.is_near(file.real))

    def is_near(self, real: str) -> bool:
        return real.startswith(self.near)

    def is_systems(self, real: str) -> bool:
        return is_systems(real, self.projects)

    def is_brought(self, path: str) -> bool:
        """Whether an interpreter is a script that lies here under such a name."""
        real = real_path(path)
        read = contents(path) if self.is_near(real) and not self.is_systems(real) else None
        return read is not None and read.head[:2] == b"#!"

    def interpreter(self, name: str, path: str) -> None:
        """An interpreter, or a program of the system: the system's is known by its place, one that came along or is small by its bytes.

        Any other by what nobody but root can set back.
        """
        real = real_path(path)
        try:
            found = os.stat(real)
        except OSError:
            self.missing.append(f"`{name}` was not found")
            return
        if self.is_systems(real):
            self.files["interpreter", path] = Covered(
                role="interpreter",
                path=path,
                real=real,
                modified=found.st_mtime,
                chosen=path in self.chosen,
            )
            return
        is_near = self.is_near(real)
        if is_near:
            self.watched = self.placed = True
        if (is_near or found.st_size <= _HASHED) and self.cover("interpreter", path) is not None:
            return
        mark = f"{found.st_ino}:{found.st_size}:{found.st_mtime_ns}:{found.st_ctime_ns}"
        self.files["interpreter", path] = Covered(
            role="interpreter", path=path, real=real, digest=mark, modified=found.st_mtime, exposed=exposure(found, real),
            chosen=path in self.chosen,
        )  # fmt: skip
