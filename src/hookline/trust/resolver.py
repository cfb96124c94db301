"""Finds the files that a command runs and loads, as far as its text and their texts name them."""

from __future__ import annotations

import json
import os
import re
import stat
import sys

from hookline.paths import is_below, list_parents, nearest_with, read_regular
from hookline.text import source_references as texts
from hookline.text.digest import sha256
from hookline.text.source_references import BUILTINS, DATA_PROGRAMS, OTHER, PYTHON, SHELL, TOOLS
from hookline.trust.inspection import (
    MAX_BYTES,
    InspectedFile,
    Inspection,
    StartedCommand,
    make_stamp,
    stamp_path,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from hookline.trust.inspection import Reference, Stamp

    Paths = tuple[str, ...]  # of one file: as it is named, and without links

MAX_FILES = 200
_MAX_TEXTS = 1_000  # that are read for one command
_MAX_WORD = 64 << 10  # characters
_HEAD = 1024  # bytes
# Seconds: a file that was touched later than that may change once more with the same times.
_CLOCK_GRAIN = 2.0
_UNSETTLED: Stamp = [-1]  # equal to no stamp
_UNKNOWN = "\0"  # in a word: what only a run can tell
_UNPASSABLE = "[\ud800-\udc7f\udd00-\udfff]"  # characters that no path can contain
_MODULE_ENDINGS = (".py", ".pyc", ".so", ".pyd")
# Folders of installed packages, which change without their user.
_PACKAGE_FOLDERS = frozenset({".venv", "venv", "node_modules", "site-packages"})
# Why a file is covered: a word names it, which must be code; something runs it or imports it; the
# entry lists it.
_WORD, _RUN, _IMPORT, _LISTED = "word", "run", "import", "listed"


class Resolver:
    """One look at one command.

    Working folders, variables and Python's path are added up over all texts that it reads: more is
    covered then, never less. `parsed`: the references of texts by language and digest, which are
    not parsed again.
    """

    def __init__(
        self,
        command: StartedCommand,
        parsed: Mapping[str, Sequence[Reference]],
        clock: Callable[[], float],
    ) -> None:
        path = command.variables.get("PATH")
        self._command = command
        self._parsed = parsed
        self._clock = clock
        self._programs = (path or os.environ.get("PATH", os.defpath)).split(":")
        self._used = {"PATH": path}
        self._folders = dict.fromkeys([command.cwd])
        self._variables: dict[str, str] = {}
        self._python_path: dict[str, None] = {}
        self._references: dict[str, Sequence[Reference]] = {}
        self._roles: set[tuple[str, str, str]] = set()  # of covered files: path, role, language
        self._covered: dict[str, InspectedFile] = {}
        self._unseen: set[str] = set()
        self._watched: dict[str, Stamp] = {}
        self._missing = ""
        self._has_python_file = self._has_python_text = self._imports_covered_python = False
        # Texts to read: their language, and the file they are of, by its paths and its key.
        self._waiting: list[tuple[str, bytes, Paths, str]] = []
        self._added: set[tuple[str, bytes, Paths]] = set()

    def resolve(self) -> Inspection:
        """Follow the command and return what it runs."""
        command = self._command
        for path in (os.path.join(command.root, listed) for listed in command.listed):
            if not self._cover(path, _LISTED):
                key = self._find_key(path)
                self._covered[path] = InspectedFile(path=path, key=key, problem="gone")
        if command.argv:
            self._run(command.argv, (), is_alone=True)
        else:
            self._read(SHELL, command.text.encode("utf-8", "replace"), (), is_all=True)
        self._read_waiting()
        is_shielded = command.is_shielded and not (self._unseen or self._has_python_file)
        for folder in self._folders if self._has_python_text and not is_shielded else ():
            self._cover_modules(folder, sys.stdlib_module_names)
        self._read_waiting()
        by_key = {file.key: file for file in self._covered.values()}
        files = tuple(by_key[key] for key in sorted(by_key))
        return Inspection(
            files=files, digest=sha256(json.dumps([file.facts for file in files]).encode()),
            unseen=sorted(self._unseen),
            missing_program=f"`{self._missing}` was not found" if self._missing else "",
            imports_covered_python=self._imports_covered_python, is_shielded=is_shielded,
            watched=self._watched, variables=self._used, references=self._references,
        )  # fmt: skip

    # -- texts ---------------------------------------------------------------------------------

    def _add_text(self, language: str, data: bytes, own: Paths, key: str = "") -> None:
        """Read a text later: that of the file with this key, or one that a command contains."""
        if language == PYTHON and not key:
            self._has_python_text = True
            self._python_path |= self._folders
        if len(self._added) == _MAX_TEXTS:
            self._unseen.add("more texts than hookline reads")
        elif (language, data, own) not in self._added:
            self._added.add((language, data, own))
            self._waiting.append((language, data, own, key))

    def _read_waiting(self) -> None:
        while self._waiting:
            self._read(*self._waiting.pop(0))

    def _read(
        self, language: str, data: bytes, own: Paths, key: str = "", *, is_all: bool = False
    ) -> None:
        """Follow the references of a text. `is_all`: the hook starts nothing else."""
        name = f"{language}-{sha256(data)}"
        references = self._references[name] = self._parsed.get(name) or texts.read_source(
            language, data
        )
        for kind, *words in references:
            if kind in {"run", "alone"}:
                self._run(words, own, is_alone=is_all and kind == "alone")
            elif kind == "import":
                self._import(int(words[0]), words[1], words[2:], own)
            elif kind == "set":
                value = self._expand(words[1], own)
                is_same = self._variables.setdefault(words[0], value) == value
                self._variables[words[0]] = value if is_same else _UNKNOWN
            else:
                self._unseen.add(words[0].format(key or "the command"))

    # -- commands ------------------------------------------------------------------------------

    def _run(self, words: Sequence[str], own: Paths, *, is_alone: bool = False) -> None:
        """Cover what one command runs.

        Args:
            words: of the command.
            own: the paths of the script that it stands in.
            is_alone: the hook starts nothing else, so that it needs this program.
        """
        values = [self._expand(word, own) for word in words]
        start = texts.find_program_index(values)
        values = values[start:]
        if not values:
            return
        program = values[0]
        is_named = "/" not in program and _UNKNOWN not in program and program not in BUILTINS
        is_found = not is_named or self._find_program(program)
        if program in BUILTINS:
            self._run_builtin(values, own)
        elif not (own and os.path.basename(program) in TOOLS):
            self._run_program(values, own)
        if is_alone and start == 0:
            self._missing = self._find_missing(values) if is_found else program

    def _run_program(self, values: Sequence[str], own: Paths) -> None:
        """Cover what a program runs by its words."""
        language = ""  # of the interpreter that reads the next file
        found: Paths = ()
        words = iter(values)
        for at, word in enumerate(words):
            option = texts.find_code_option(language, word)
            code = next(words, "") if option else ""
            is_path = "/" in word or _UNKNOWN in word
            if not found and os.path.basename(code or word) in DATA_PROGRAMS:
                return
            if option:
                code = f"import {code}.__main__" if option == "m" else code
                self._add_text(language, os.fsencode(code), own)
            elif not found and texts.find_interpreter(word):
                self._cover_word(word if is_path else "", own, SHELL)
                language = texts.find_interpreter(word)
                continue
            else:
                reader = SHELL if at == 0 and is_path else language
                found += self._cover_word(word, (*own, *found), reader)
            language = "" if option or found else language
        last = values[-1]
        if language and ("-" in values or last.startswith("-") or texts.find_interpreter(last)):
            self._has_python_text |= language == PYTHON
            self._unseen.add(f"what `{values[0]}` reads from its input")

    def _find_missing(self, values: Sequence[str]) -> str:
        """Return the file that a command needs and that is not there; empty if none is missing."""
        program, *words = values
        needed = texts.find_script(program, words) or program
        path = _normalize(os.path.join(self._command.cwd, needed))
        file = self._covered.get(path)
        if file and needed is program and not file.is_executable:
            self._covered[path] = file.replace(problem="not executable")
        if _UNKNOWN in needed or (needed is program and "/" not in program):
            return ""
        is_usable = os.access(path, os.R_OK) or os.access(path, os.X_OK)
        return "" if is_usable and os.path.isfile(path) else needed

    def _run_builtin(self, values: Sequence[str], own: Paths) -> None:
        """Cover what the shell itself runs or reads."""
        name, *words = values
        if name in {"cd", "pushd"} and words:
            paths = self._find_paths(words[-1], own)
            self._folders |= dict.fromkeys(filter(os.path.isdir, paths))
        elif name in {".", "source"} and words:
            self._cover_word(words[0], own, SHELL)
        elif name in {"eval", "trap"}:
            self._add_text(SHELL, os.fsencode(" ".join(words)), own)

    def _find_program(self, name: str) -> str:
        """Return where a program lies on PATH, and name it as unseen; empty if it is missing."""
        for folder in self._programs:
            path = os.path.join(folder, name)
            if os.access(path, os.X_OK):
                self._watch(path)  # so that another look is needed when it goes
                self._unseen.update(() if texts.is_tool(name) else (name,))
                return path
        for folder in self._programs:
            self._watch(folder)  # or when it comes
        return ""

    # -- Python --------------------------------------------------------------------------------

    def _import(self, level: int, module: str, names: Sequence[str], own: Paths) -> None:
        """Cover a module, the packages around it, and those of the names that are modules in it."""
        parts = module.split(".") if module else []
        folders = list(self._python_path)
        if level:
            folders = [_normalize(os.path.join(path, *[os.pardir] * level)) for path in own]
        elif parts[0] in sys.stdlib_module_names:
            return
        wanted = [*({part} for part in parts), set(names)]
        covered = [
            self._cover_modules(os.path.join(folder, *parts[:at]), some)
            for folder in folders
            for at, some in enumerate(wanted)
        ]
        self._imports_covered_python |= any(covered)
        if not any(covered) and not level:
            self._unseen.add(f"Python module {parts[0]}")

    def _cover_modules(self, folder: str, names: AbstractSet[str]) -> bool:
        """Cover what `import` of some names can load from a folder; return whether there is any."""
        found = False
        self._watch(folder)
        try:
            entries = sorted(os.listdir(folder))
        except OSError:
            entries = []
        for entry in entries:
            is_package = entry in names
            files = [f"{entry}/__init__.py", f"{entry}/__init__.pyc"] if is_package else [entry]
            if is_package or (entry.partition(".")[0] in names and entry.endswith(_MODULE_ENDINGS)):
                for file in files:
                    found |= self._cover(os.path.join(folder, file), _IMPORT, PYTHON)
        return found

    # -- words ---------------------------------------------------------------------------------

    def _expand(self, word: str, own: Paths) -> str:
        """Return a word of `text.source_references` with the values of its variables."""
        parts = word.split("\0")
        for at in range(1, len(parts), 2):
            name = parts[at]
            value: str | None = own[0] if own and name == "0" else None
            if name not in {"", "0"}:
                value = self._used[name] = self._command.variables.get(name)
                value = self._variables.get(name, value)
            parts[at] = _UNKNOWN if value is None else value
        return re.sub(_UNPASSABLE, "\ufffd", "".join(parts)[:_MAX_WORD])

    def _cover_word(self, word: str, near: Paths, language: str = "") -> Paths:
        """Cover the files that a word names; return their paths.

        `near`: files beside which it may lie. `language`: of the program that runs it.
        """
        names = [word.partition("=")[2], "" if word.startswith("-") else word]
        paths = [path for name in names if name for path in self._find_paths(name, near)]
        paths += [f"{path}/__main__.py" for path in paths if language == PYTHON]
        role = _RUN if language else _WORD
        found = [path for path in dict.fromkeys(paths) if self._cover(path, role, language)]
        if language and _UNKNOWN in word and not found:
            self._unseen.add(word.replace(_UNKNOWN, "$(...)"))
        return (*found, *map(os.path.realpath, found))

    def _find_paths(self, name: str, near: Paths) -> list[str]:
        """Return where a name may lie; behind what only a run can tell, in all likely folders."""
        above = list(map(os.path.dirname, near))
        folders = [*self._folders, *above]
        _, unknown, rest = name.rpartition(_UNKNOWN)
        if unknown:
            folders += [nearest_with(self._command.cwd, ".git"), *map(os.path.dirname, above)]
            folders += self._list_folders_above(above)
            name = rest.lstrip("/")
        paths = [os.path.join(each, name) for each in dict.fromkeys(folders) if each and name]
        return list(dict.fromkeys(map(_normalize, paths)))

    def _list_folders_above(self, folders: Iterable[str]) -> Iterator[str]:
        """Yield folders, each with its parents up to the root if it lies there."""
        root = self._command.root
        for folder in folders:
            yield folder
            yield from (each for each in list_parents(folder) if root and is_below(each, root))

    # -- files ---------------------------------------------------------------------------------

    def _cover(self, path: str, role: str, language: str = "") -> bool:
        """Whether a file can be read there, which is covered now or named as unseen."""
        if path in self._covered and (path, role, language) in self._roles:
            return True
        self._roles.add((path, role, language))
        now = self._clock()
        self._watch(os.path.dirname(path))
        if os.path.exists(path):
            self._watch(path)
        peeked = read_regular(path, _HEAD)
        if peeked is None:
            return False
        found, start = peeked
        line = os.fsdecode(start.partition(b"\n")[0]) if start.startswith(b"#!") else ""
        is_binary = b"\0" in start
        is_executable = bool(found.st_mode & stat.S_IXUSR)
        if role == _WORD and not (is_executable or line or is_binary or texts.find_language(path)):
            return False
        key = self._find_key(path)
        is_known = path in self._covered  # in another role, in which it may load other files
        if not is_known and self._is_unseen(path, key, found.st_size, role, is_binary=is_binary):
            return True
        found, data = read_regular(path, MAX_BYTES) or peeked
        stamp = make_stamp(found)
        is_settled = _is_settled(stamp, now)
        self._watched[path] = stamp if is_settled else _UNSETTLED
        self._covered.setdefault(path, InspectedFile(
            path=path, key=key, sha256=sha256(data), is_executable=is_executable,
            is_writable_by_all=bool(found.st_mode & stat.S_IWOTH), stamp=stamp,
            is_settled=is_settled,
        ))  # fmt: skip
        if line:
            self._run([*line[2:].split(), path], ())
        is_data = role == _LISTED and not is_executable and not texts.find_language(path, line)
        if not is_binary and not is_data:
            self._follow(
                path, key, data, texts.find_language(path, line) or language or SHELL, role
            )
        return True

    def _is_unseen(self, path: str, key: str, size: int, role: str, *, is_binary: bool) -> bool:
        """Whether a file is not covered: a system program, an installed package, or too much."""
        is_system = os.path.isabs(key) and (
            (is_binary and role != _IMPORT) or os.path.dirname(path) in self._programs
        )
        is_package = not _PACKAGE_FOLDERS.isdisjoint(key.split("/"))
        if role != _LISTED and (is_system or is_package):
            self._unseen.update(() if is_system and texts.is_tool(path) else (key,))
            return True
        size += sum(file.stamp[2] for file in self._covered.values() if file.stamp)
        if size > MAX_BYTES or len(self._covered) >= MAX_FILES:
            self._unseen.add(key)
            return True
        return False

    def _follow(self, path: str, key: str, data: bytes, language: str, role: str) -> None:
        """Read a file for what it loads, later."""
        own = tuple(dict.fromkeys((path, os.path.realpath(path))))
        if language == OTHER:
            self._unseen.add(f"what {key} loads")
            return
        if language == PYTHON:
            self._has_python_file = True
        if language == PYTHON and role != _IMPORT:
            folders = dict.fromkeys(map(os.path.dirname, own))
            self._python_path |= dict.fromkeys(self._list_folders_above(folders))
            for folder in folders:
                self._cover_modules(folder, sys.stdlib_module_names)
        self._add_text(language, data, own, key)

    def _watch(self, path: str) -> None:
        """Make the result depend on a file or folder."""
        if path not in self._watched:
            now, stamp = self._clock(), stamp_path(path)
            self._watched[path] = stamp if _is_settled(stamp, now) else _UNSETTLED

    def _find_key(self, path: str) -> str:
        """Return the real path within the root; else the path."""
        folder, name = os.path.split(path)
        real, root = os.path.join(os.path.realpath(folder), name), self._command.root
        return real[len(root) + 1 :] if root and real.startswith(f"{root}/") else path


def _is_settled(stamp: Stamp, now: float) -> bool:
    """Whether any change after `now` (seconds) is sure to give a file another stamp."""
    return not stamp or max(stamp[3:]) < (now - _CLOCK_GRAIN) * 1e9


def _normalize(path: str) -> str:
    """Return the path without `.` and `..`, as the kernel reads it."""
    return os.path.realpath(path) if ".." in path else os.path.normpath(path)
