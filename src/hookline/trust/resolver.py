"""Finds the files that a command runs and loads, as far as its text and their texts name them."""

from __future__ import annotations

import os
import stat
import sys

from hookline.paths import is_below, nearest_with
from hookline.text.digest import sha256
from hookline.text.shell_words import BUILTINS
from hookline.trust.inspected_files import (
    InspectedFile,
    Inspection,
    digest_files,
    make_stamp,
    read_file,
    stamp_path,
)
from hookline.trust.languages import (
    DATA_PROGRAMS,
    MODULE_ENDINGS,
    OTHER,
    PACKAGE_FOLDERS,
    PYTHON,
    SHELL,
    TOOLS,
    find_code_option,
    find_interpreter,
    find_language,
    find_program_index,
    is_tool,
)
from hookline.trust.source_reader import read_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from hookline.trust.inspected_files import Stamp, StartedCommand
    from hookline.trust.source_reader import Reference

    Values = tuple[
        str, ...
    ]  # what a word may be; a NUL character stands for what only a run can tell

MAX_FILES = 200
MAX_BYTES = 64 << 20  # of all covered files
_MAX_TEXTS = 1_000  # that are read for one command
_MAX_WORD = 64 << 10  # characters
_MAX_VALUES = 16
_HEAD = 1024  # bytes
# Seconds: a file that was touched later than that may change once more with the same times.
_CLOCK_GRAIN = 2.0
_UNSETTLED: Stamp = (-1,)  # equal to no stamp
# Why a file is covered: a word names it, which must be code; something runs it or imports it; the
# entry lists it.
_WORD, _RUN, _IMPORT, _LISTED = "word", "run", "import", "listed"


class Resolver:
    """One look at one command.

    Working folders, variables, functions and Python's path are added up over all texts that it
    reads: more is covered then, never less. `parsed`: the references of texts by language and
    digest, which are not parsed again.
    """

    def __init__(
        self,
        command: StartedCommand,
        parsed: Mapping[str, tuple[Reference, ...]],
        clock: Callable[[], float],
    ) -> None:
        self._command = command
        self._parsed = parsed
        self._clock = clock
        self._folders = dict.fromkeys([command.cwd])
        self._variables: dict[str, Values] = {}
        self._functions: set[str] = set()
        self._python_path: dict[str, None] = {}
        self._references: dict[str, tuple[Reference, ...]] = {}
        self._covered: dict[str, InspectedFile] = {}
        self._unseen: set[str] = set()
        self._missing = ""
        self._has_python_file = self._has_python_text = self._imports_covered_python = False
        self._watched: dict[str, Stamp] = {}
        self._used: dict[str, str | None] = {}
        self._data: dict[str, bytes] = {}
        self._waiting: list[tuple[str, str, bytes, Values]] = []
        self._queued: set[tuple[str, bytes, Values]] = set()

    def resolve(self) -> Inspection:
        """Follow the command and return what it runs."""
        command = self._command
        for listed in command.listed:
            path = os.path.join(command.root, listed)
            if not self._cover(path, _LISTED):
                self._covered[path] = self._look(path)
        if command.argv:
            self._run(command.argv, (), is_alone=True)
        else:
            self._read(
                SHELL, "", command.text.encode("utf-8", "surrogateescape"), (), is_alone=True
            )
        for _ in range(_MAX_TEXTS):
            if self._waiting:
                self._read(*self._waiting.pop(0))
            elif self._has_python_text and not (command.is_shielded and self._is_all_seen()):
                self._has_python_text = False
                self._cover_shadows(self._folders)
            else:
                break
        else:
            self._unseen.add("more files than hookline reads")
        by_key = {file.key: file for file in self._covered.values()}
        files = tuple(by_key[key] for key in sorted(by_key))
        stamps = {file.path: file.stamp if file.is_settled else _UNSETTLED for file in files}
        return Inspection(
            files=files, digest=digest_files(files), unseen=tuple(sorted(self._unseen)),
            missing_program=f"`{self._missing}` was not found" if self._missing else "",
            has_python_file=self._has_python_file, imports_covered_python=self._imports_covered_python,
            watched=self._watched | stamps, variables=self._used, references=self._references,
        )  # fmt: skip

    def _is_all_seen(self) -> bool:
        """Whether nothing is unseen and no file is Python, so that the run gets PYTHONSAFEPATH."""
        return not (self._has_python_file or self._unseen)

    # -- texts ---------------------------------------------------------------------------------

    def _queue(self, language: str, key: str, data: bytes, own: Values) -> None:
        """Read a text later. `key`: its file; empty for a word. `own`: the paths of the file that it lies in."""
        if language and (language, data, own) not in self._queued:
            self._queued.add((language, data, own))
            self._waiting.append((language, key, data, own))

    def _queue_code(self, language: str, texts: Iterable[str], own: Values) -> None:
        """Read the code that an interpreter is given as a word."""
        for text in texts:
            self._queue(language, "", text.encode("utf-8", "surrogateescape"), own)
        if language == PYTHON:
            self._has_python_text = True
            self._python_path |= self._folders

    def _read(
        self, language: str, key: str, data: bytes, own: Values, *, is_alone: bool = False
    ) -> None:
        """Follow the references of a text. `is_alone`: it is all that the hook starts."""
        name = f"{language}-{sha256(data)}"
        references = self._references[name] = self._parsed.get(name) or read_source(language, data)
        kinds = {words[0] for words in references}
        if "unsure" in kinds:
            self._unseen.add(f"parts of {key or 'the command'} that hookline cannot read")
        if "starts" in kinds:
            self._unseen.add(f"what {key or 'the command'} starts")
        self._functions |= {words[1] for words in references if words[0] == "function"}
        added = [words[1] for words in references if words[0] == "folder"]
        inner = [os.path.join(folder, name) for folder in self._python_path for name in added]
        self._python_path |= dict.fromkeys(map(_normalize, inner[:_MAX_VALUES]))
        is_alone = is_alone and "alone" in kinds
        for kind, *words in references:
            if kind == "run":
                self._run(words, own, is_alone=is_alone, is_fed="fed" in kinds)
                is_alone = False  # what follows are commands within it
            elif kind == "import":
                self._import(words[0], words[1], words[2:], own)
            elif kind == "set":
                known = (*self._variables.get(words[0], ()), *self._expand(words[1], own))
                self._variables[words[0]] = tuple(dict.fromkeys(known))[:_MAX_VALUES]
            elif kind == "body":
                self._queue_code(words[0], words[1:], own)

    # -- commands ------------------------------------------------------------------------------

    def _run(
        self, words: Sequence[str], own: Values, *, is_alone: bool = False, is_fed: bool = False
    ) -> None:
        """Cover what one command runs.

        Args:
            words: of the command.
            own: the paths of the script that it stands in.
            is_alone: the hook starts nothing else, so that what this command lacks is missing.
            is_fed: an interpreter runs what it prints.
        """
        values = [self._expand(word, own) for word in words]
        start = find_program_index([each[0] for each in values])
        if start == len(values):
            return
        program = values[start][0]
        if program in BUILTINS:
            missing = self._run_builtin(program, values[start + 1 :], own, is_fed=is_fed)
        elif os.path.basename(program) in TOOLS and not is_fed:
            missing = self._note_program(program)
        else:
            missing = self._run_program(values[start:], words[start:], own)
        if is_alone and start == 0:
            self._missing = missing
            paths = {_normalize(os.path.join(self._command.cwd, each)) for each in values[0]}
            for path in self._covered.keys() & paths:
                if not self._covered[path].is_executable:
                    self._covered[path] = self._covered[path].replace(problem="not executable")

    def _run_program(self, values: Sequence[Values], words: Sequence[str], own: Values) -> str:
        """Cover what a program runs by its words; return what it lacks."""
        language = option = lacking = ""  # what reads the next word, by which option
        found: Values = ()
        missing = self._note_program(values[0][0])
        for at, each in enumerate(values):
            word = each[0]
            is_path = "/" in word or "\0" in word
            if not found and os.path.basename(word) in DATA_PROGRAMS:
                break
            if option:
                self._run_code(language, option, each, own)
                language = option = ""
            elif not found and find_interpreter(word):
                language = find_interpreter(word)
                missing = word if is_path and not self._cover_word(each, own, language) else missing
            elif language and (option := find_code_option(language, word)):
                continue
            else:
                is_run = language or (SHELL if at == 0 and is_path else "")
                files = self._cover_word(each, own, is_run, found)
                if is_run and "\0" in word and not files:
                    self._unseen.add(_describe_word(words[at]))
                elif (at == 0 and is_path) or (language and find_language(word) and word[0] != "-"):
                    lacking = lacking or ("" if files else word)
                found, language = found + files, "" if files else language
        return missing or ("" if found else lacking)

    def _run_code(self, language: str, option: str, values: Values, own: Values) -> None:
        """Cover what an interpreter runs by an option: a text, or with `m` a Python module."""
        if option != "m":
            self._queue_code(language, values, own)
            return
        self._python_path |= self._folders
        self._cover_shadows(self._folders)
        for module in values:
            self._import("0", module, ("__main__",), ())

    def _run_builtin(self, program: str, values: list[Values], own: Values, *, is_fed: bool) -> str:
        """Cover what the shell itself runs or reads; the name of a file that it lacks."""
        if program in {"cd", "pushd"} and values:
            paths = (path for value in values[-1] for path in self._find_paths(value, own))
            folders = [path for path in paths if os.path.isdir(path)]
            self._folders |= dict.fromkeys(folders[:_MAX_VALUES])
        elif program in {".", "source"} and values:
            if not self._cover_word(values[0], own, SHELL):
                self._unseen.update([f"what `{program}` reads"] if "\0" in values[0][0] else ())
                return values[0][0]
        elif program in {"eval", "trap"}:
            texts = [each[0] for each in values[: 1 if program == "trap" else None]]
            self._queue_code(SHELL, [" ".join(texts)], own)
        elif is_fed:
            for each in values:
                self._cover_word(each, own)
        return ""

    def _note_program(self, name: str) -> str:
        """Name a program as unseen; its name if it is not on PATH."""
        if "/" in name or "\0" in name or name in self._functions:
            return ""
        paths = (os.path.join(folder, name) for folder in self._command.path.split(":"))
        found = next((path for path in paths if os.access(path, os.X_OK)), "")
        if found:
            self._watch(found)  # so that another look is needed when it goes
            self._unseen.update(() if is_tool(name) else (name,))
        return "" if found else name

    # -- Python --------------------------------------------------------------------------------

    def _import(self, level: str, module: str, names: Sequence[str], own: Values) -> None:
        """Cover a module, the packages around it, and those of the names that are modules in it."""
        parts = module.split(".") if module else []
        folders = list(self._python_path)
        if level != "0":
            up = [os.pardir] * int(level)
            folders = [_normalize(os.path.join(path, *up)) for path in own]
        elif parts[0] in sys.stdlib_module_names:
            return
        found = False
        for folder in folders:
            places = [(os.path.join(folder, *parts[:at]), part) for at, part in enumerate(parts)]
            places += [(os.path.join(folder, *parts), name) for name in ("__init__", *names)]
            covered = [self._cover_module(inside, name) for inside, name in places]
            found = found or any(covered)
        self._imports_covered_python = self._imports_covered_python or found
        if not found and level == "0":
            self._unseen.add(f"Python module {parts[0]}")

    def _cover_module(self, folder: str, name: str) -> bool:
        """Cover what `import` of a name can load from a folder."""
        files = [entry for entry in self._list_entries(folder)
                 if entry.startswith(f"{name}.") and entry.endswith(MODULE_ENDINGS)]  # fmt: skip
        files += [f"{name}/__init__.py", f"{name}/__init__.pyc"]
        paths = [os.path.join(folder, file) for file in files]
        return bool([path for path in paths if self._cover(path, _IMPORT, PYTHON)])

    def _cover_shadows(self, folders: Iterable[str]) -> None:
        """Cover what has the name of a standard module in folders that Python looks into first."""
        for folder in folders:
            names = {entry.partition(".")[0] for entry in self._list_entries(folder)}
            for name in sorted(names & sys.stdlib_module_names):
                self._cover_module(folder, name)

    # -- values --------------------------------------------------------------------------------

    def _expand(self, word: str, own: Values) -> Values:
        """Return what a word of `source_reader` may be; never empty."""
        values = [""]
        for at, part in enumerate(word.split("\0")):
            pieces = self._find_value(part, own) if at % 2 else (part,)
            joined = [value + piece for value in values for piece in pieces or ("\0",)]
            values = [each for each in joined[:_MAX_VALUES] if len(each) < _MAX_WORD]
        return tuple(dict.fromkeys(values)) or ("",)

    def _find_value(self, name: str, own: Values) -> Values:
        """Return what a variable may be; empty if only a run can tell."""
        if name in {"", "0"}:
            return own if name else ()
        given = self._used[name] = self._command.variables.get(name)
        return (*self._variables.get(name, ()), *(() if given is None else (given,)))

    # -- files ---------------------------------------------------------------------------------

    def _cover_word(
        self, values: Values, own: Values, language: str = "", beside: Values = ()
    ) -> Values:
        """Cover the files that a word names; their paths. `language`: of the program that runs them."""
        # A word of several lines is a text, unless it is what the command runs.
        words = [value for value in values if language or "\n" not in value]
        names = [value for value in words if value[:1] not in {"", "-"}]
        names += [value.partition("=")[2] for value in words if "=" in value]
        paths = [path for name in names if name for path in self._find_paths(name, own, beside)]
        paths += [f"{path}/__main__.py" for path in paths if language == PYTHON]
        role = _RUN if language else _WORD
        found = [path for path in dict.fromkeys(paths) if self._cover(path, role, language)]
        return (*found, *map(os.path.realpath, found))

    def _find_paths(self, name: str, own: Values, beside: Values = ()) -> list[str]:
        """Return where a name may lie; one behind what only a run can tell, in all folders that may be meant."""
        above = list(map(os.path.dirname, own))
        folders = [*self._folders, *above, *map(os.path.dirname, beside)]
        _, unknown, rest = name.rpartition("\0")
        if unknown:
            folders += [nearest_with(self._command.cwd, ".git"), *map(os.path.dirname, above)]
            folders += self._list_folders_above(above)
            name = rest.lstrip("/")
        paths = [os.path.join(each, name) for each in dict.fromkeys(folders) if each and name]
        return list(dict.fromkeys(map(_normalize, paths)))

    def _cover(self, path: str, role: str, language: str = "") -> bool:
        """Whether a file lies there that is covered now, or named as unseen."""
        file = self._covered.get(path) or self._look(path, _HEAD)
        is_code = file.is_executable or file.head or file.problem or find_language(path)
        if file.problem in {"gone", "not a regular file"} or (role == _WORD and not is_code):
            return False
        if path not in self._covered:
            if self._is_unseen(file, role):
                return True
            file = self._covered[path] = self._look(path)
            if file.head.startswith("#!"):
                self._run(file.head[2:].split(), ())
        if not file.head.startswith("\0"):
            self._follow(file, find_language(path, file.head) or language or SHELL, role)
        return True

    def _is_unseen(self, file: InspectedFile, role: str) -> bool:
        """Whether a file is not covered: a program of the system, a package that is installed, or too much."""
        is_system = os.path.isabs(file.key) and (
            (file.head == "\0" and role != _IMPORT)
            or os.path.dirname(file.path) in self._command.path.split(":")
        )
        is_package = not PACKAGE_FOLDERS.isdisjoint(file.key.split("/"))
        if role != _LISTED and (is_system or is_package):
            self._unseen.update(() if is_system and is_tool(file.path) else (file.key,))
            return True
        size = sum(each.stamp[2] for each in (file, *self._covered.values()) if each.stamp)
        if size > MAX_BYTES or len(self._covered) >= MAX_FILES:
            self._unseen.add(file.key)
            return True
        return False

    def _follow(self, file: InspectedFile, language: str, role: str) -> None:
        """Read a file for what it loads, later."""
        own = tuple(dict.fromkeys((file.path, os.path.realpath(file.path))))
        if language == OTHER:
            self._unseen.add(f"what {file.key} loads")
            return
        if language == PYTHON:
            self._has_python_file = True
        if language == PYTHON and role != _IMPORT:
            folders = dict.fromkeys(map(os.path.dirname, own))
            self._python_path |= dict.fromkeys(self._list_folders_above(folders))
            self._cover_shadows(folders)
        self._queue(language, file.key, self._data.get(file.path, b""), own)

    def _list_folders_above(self, folders: Iterable[str]) -> Iterable[str]:
        """Yield the folders and their parents up to the root; without the root if they lie elsewhere."""
        roots = self._list_roots()
        for folder in folders:
            root = next((each for each in roots if is_below(folder, each)), folder)
            above = folder
            while is_below(above, root):
                yield above
                above = os.path.dirname(above)

    def _list_roots(self) -> list[str]:
        root = self._command.root
        return [root, os.path.realpath(root)] if root else []

    # -- the file system -----------------------------------------------------------------------

    def _look(self, path: str, most: int = MAX_BYTES) -> InspectedFile:
        """Read a file, or its first bytes; `problem` says if no regular file lies there."""
        now = self._clock()
        self._watch(os.path.dirname(path))
        file = InspectedFile(path=path, key=self._find_key(path), problem="gone")
        try:
            found = os.stat(path)
        except (OSError, ValueError):
            return file
        self._watch(path)
        if not stat.S_ISREG(found.st_mode):
            return file.replace(problem="not a regular file")
        found, data = read_file(path, most) or (found, None)
        self._data[path] = data or b""
        line = (data or b"")[:_HEAD].partition(b"\n")[0]
        text = os.fsdecode(line) if line.startswith(b"#!") else ""
        return file.replace(
            problem="unreadable" if data is None else "",
            sha256="" if data is None else sha256(data),
            stamp=make_stamp(found),
            is_settled=data is not None and _is_settled(make_stamp(found), now),
            is_executable=bool(found.st_mode & stat.S_IXUSR),
            is_writable_by_all=bool(found.st_mode & stat.S_IWOTH),
            head=text or ("\0" if b"\0" in (data or b"")[:_HEAD] else ""),
        )

    def _list_entries(self, folder: str) -> list[str]:
        """Return the names in a folder; none if it cannot be listed."""
        self._watch(folder)
        try:
            return sorted(os.listdir(folder))
        except OSError:
            return []

    def _watch(self, path: str) -> None:
        """Make the result depend on a file or folder."""
        if path not in self._watched:
            now, stamp = self._clock(), stamp_path(path)
            self._watched[path] = stamp if _is_settled(stamp, now) else _UNSETTLED

    def _find_key(self, path: str) -> str:
        """Return the path within the root, by name or by real path; else the path."""
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        for name, root in zip((path, real), self._list_roots(), strict=False):
            if name.startswith(f"{root}/"):
                return name[len(root) + 1 :]
        return path


def _is_settled(stamp: Stamp, now: float) -> bool:
    """Whether any change after `now` (seconds) is sure to give a file or folder another stamp."""
    return not stamp or max(stamp[3:]) < (now - _CLOCK_GRAIN) * 1e9


def _describe_word(word: str) -> str:
    """Return a word as text, variables with their `$`."""
    return "".join(
        f"${part or '(...)'}" if at % 2 else part for at, part in enumerate(word.split("\0"))
    )


def _normalize(path: str) -> str:
    """Return the path without `.` and `..`, as the kernel reads it."""
    plain = os.path.normpath(path)
    if ".." in path and os.path.realpath(path) != os.path.realpath(plain):
        return os.path.realpath(path)
    return plain
