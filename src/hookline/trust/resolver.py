"""Finds the files that a command runs and loads, as far as its text and their texts name them."""

from __future__ import annotations

import json
import os
import stat
import sys

from hookline.paths import is_below, nearest_with
from hookline.text.digest import sha256
from hookline.text.shell_words import BUILTINS
from hookline.trust.inspection import (
    MAX_BYTES,
    InspectedFile,
    Inspection,
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

    from hookline.trust.inspection import Reference, Stamp, StartedCommand

    Paths = tuple[str, ...]  # of one file: as it is named, and without links

MAX_FILES = 200
_MAX_TEXTS = 1_000  # that are read for one command
_MAX_WORD = 64 << 10  # characters
_HEAD = 1024  # bytes
# Seconds: a file that was touched later than that may change once more with the same times.
_CLOCK_GRAIN = 2.0
_UNSETTLED: Stamp = [-1]  # equal to no stamp
_UNKNOWN = "\0"  # in a word: what only a run can tell
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
        parsed: Mapping[str, Sequence[Reference]],
        clock: Callable[[], float],
    ) -> None:
        self._command = command
        self._parsed = parsed
        self._clock = clock
        root = command.root
        self._roots = [root, os.path.realpath(root)] if root else []
        self._folders = dict.fromkeys([command.cwd])
        self._variables: dict[str, str] = {}
        self._functions: set[str] = set()
        self._python_path: dict[str, None] = {}
        self._references: dict[str, Sequence[Reference]] = {}
        self._covered: dict[str, InspectedFile] = {}
        self._unseen: set[str] = set()
        self._missing = ""
        self._has_python_file = self._has_python_text = self._imports_covered_python = False
        self._watched: dict[str, Stamp] = {}
        self._used: dict[str, str | None] = {}
        self._data: dict[str, bytes] = {}
        # Texts to read, with language, file ("" for a word), and the paths of the file around it.
        self._waiting: list[tuple[str, str, bytes, Paths]] = []
        self._queued: set[tuple[str, bytes, Paths]] = set()

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
            self._read(SHELL, "", _encode(command.text), (), is_alone=True)
        self._read_waiting()
        is_all_seen = not (self._unseen or self._has_python_file)
        if self._has_python_text and not (command.is_shielded and is_all_seen):
            self._cover_shadows(self._folders)
            self._read_waiting()
        by_key = {file.key: file for file in self._covered.values()}
        files = tuple(by_key[key] for key in sorted(by_key))
        facts = [(each.key, each.sha256, each.is_executable, each.is_writable_by_all)
                 for each in files]  # fmt: skip
        stamps = {file.path: file.stamp if file.is_settled else _UNSETTLED for file in files}
        return Inspection(
            files=files, digest=sha256(json.dumps(facts).encode()), unseen=sorted(self._unseen),
            missing_program=f"`{self._missing}` was not found" if self._missing else "",
            has_python_file=self._has_python_file, imports_covered_python=self._imports_covered_python,
            watched=self._watched | stamps, variables=self._used, references=self._references,
        )  # fmt: skip

    # -- texts ---------------------------------------------------------------------------------

    def _queue(self, language: str, key: str, data: bytes, own: Paths) -> None:
        """Read a text later."""
        if language and (language, data, own) not in self._queued:
            self._queued.add((language, data, own))
            self._waiting.append((language, key, data, own))

    def _queue_code(self, language: str, text: str, own: Paths) -> None:
        """Read the code that an interpreter is given as a word."""
        self._queue(language, "", _encode(text), own)
        if language == PYTHON:
            self._has_python_text = True
            self._python_path |= self._folders

    def _read_waiting(self) -> None:
        while self._waiting and len(self._queued) < _MAX_TEXTS:
            self._read(*self._waiting.pop(0))
        if self._waiting:
            self._unseen.add("more files than hookline reads")

    def _read(
        self, language: str, key: str, data: bytes, own: Paths, *, is_alone: bool = False
    ) -> None:
        """Follow the references of a text. `is_alone`: it is all that the hook starts."""
        name = f"{language}-{sha256(data)}"
        references = self._references[name] = self._parsed.get(name) or read_source(language, data)
        kinds = {reference[0] for reference in references}
        if "unsure" in kinds:
            self._unseen.add(f"parts of {key or 'the command'} that hookline cannot read")
        if "starts" in kinds:
            self._unseen.add(f"what {key or 'the command'} starts")
        self._functions |= {words[0] for kind, *words in references if kind == "function"}
        added = [words[0] for kind, *words in references if kind == "folder"]
        inner = [os.path.join(folder, name) for folder in self._python_path for name in added]
        self._python_path |= dict.fromkeys(map(_normalize, inner))
        is_alone = is_alone and "alone" in kinds
        for kind, *words in references:
            if kind == "run":
                self._run(words, own, is_alone=is_alone)
                is_alone = False  # what follows are commands within it
            elif kind == "import":
                self._import(int(words[0]), words[1], words[2:], own)
            elif kind == "set":
                value = self._expand(words[1], own)
                is_same = self._variables.setdefault(words[0], value) == value
                self._variables[words[0]] = value if is_same else _UNKNOWN
            elif kind == "body":
                self._queue_code(words[0], words[1], own)

    # -- commands ------------------------------------------------------------------------------

    def _run(self, words: Sequence[str], own: Paths, *, is_alone: bool = False) -> None:
        """Cover what one command runs.

        Args:
            words: of the command.
            own: the paths of the script that it stands in.
            is_alone: the hook starts nothing else, so that what this command lacks is missing.
        """
        values = [self._expand(word, own) for word in words]
        start = find_program_index(values)
        if start == len(values):
            return
        program = values[start]
        if program in BUILTINS:
            missing = self._run_builtin(program, values[start + 1 :], own)
        elif own and os.path.basename(program) in TOOLS:
            missing = self._note_program(program)
        else:
            missing = self._run_program(values[start:], own)
        if is_alone and start == 0:
            self._missing = missing
            path = _normalize(os.path.join(self._command.cwd, program))
            file = self._covered.get(path)
            if file and not file.is_executable:
                self._covered[path] = file.replace(problem="not executable")

    def _run_program(self, values: Sequence[str], own: Paths) -> str:
        """Cover what a program runs by its words; return what it lacks."""
        language = option = lacking = ""  # what reads the next word, by which option
        found: Paths = ()
        missing = self._note_program(values[0])
        for at, word in enumerate(values):
            is_path = "/" in word or _UNKNOWN in word
            if not found and os.path.basename(word) in DATA_PROGRAMS:
                break
            if option == "m":
                self._python_path |= self._folders
                self._cover_shadows(self._folders)
                self._import(0, word, ("__main__",), ())
                language = option = ""
            elif option:
                self._queue_code(language, word, own)
                language = option = ""
            elif not found and find_interpreter(word):
                language = find_interpreter(word)
                missing = word if is_path and not self._cover_word(word, own, language) else missing
            elif option := find_code_option(language, word):
                continue
            else:
                is_run = language or (SHELL if at == 0 and is_path else "")
                files = self._cover_word(word, own, is_run, found)
                if is_run and _UNKNOWN in word and not files:
                    self._unseen.add(word.replace(_UNKNOWN, "$(...)"))
                elif (at == 0 and is_path) or (language and find_language(word) and word[0] != "-"):
                    lacking = lacking or ("" if files else word)
                found, language = found + files, "" if files else language
        return missing or ("" if found else lacking)

    def _run_builtin(self, program: str, values: Sequence[str], own: Paths) -> str:
        """Cover what the shell itself runs or reads; return the name of a file that it lacks."""
        if program in {"cd", "pushd"} and values:
            paths = self._find_paths(values[-1], own)
            self._folders |= dict.fromkeys(filter(os.path.isdir, paths))
        elif program in {".", "source"} and values:
            if not self._cover_word(values[0], own, SHELL):
                self._unseen.update([f"what `{program}` reads"] if _UNKNOWN in values[0] else ())
                return values[0]
        elif program in {"eval", "trap"}:
            self._queue_code(SHELL, " ".join(values[: 1 if program == "trap" else None]), own)
        return ""

    def _note_program(self, name: str) -> str:
        """Name a program as unseen; return its name if it is not on PATH."""
        if "/" in name or _UNKNOWN in name or name in self._functions:
            return ""
        paths = (os.path.join(folder, name) for folder in self._command.path.split(":"))
        found = next((path for path in paths if os.access(path, os.X_OK)), "")
        if found:
            self._watch(found)  # so that another look is needed when it goes
            self._unseen.update(() if is_tool(name) else (name,))
        return "" if found else name

    # -- Python --------------------------------------------------------------------------------

    def _import(self, level: int, module: str, names: Sequence[str], own: Paths) -> None:
        """Cover a module, the packages around it, and those of the names that are modules in it."""
        parts = module.split(".") if module else []
        folders = list(self._python_path)
        if level:
            folders = [_normalize(os.path.join(path, *[os.pardir] * level)) for path in own]
        elif parts[0] in sys.stdlib_module_names:
            return
        found = False
        for folder in folders:
            places = [(os.path.join(folder, *parts[:at]), part) for at, part in enumerate(parts)]
            places += [(os.path.join(folder, *parts), name) for name in names]
            covered = [self._cover_module(inside, name) for inside, name in places]
            found = found or any(covered)
        self._imports_covered_python |= found
        if not found and not level:
            self._unseen.add(f"Python module {parts[0]}")

    def _cover_module(self, folder: str, name: str) -> bool:
        """Cover what `import` of a name can load from a folder."""
        files = [entry for entry in self._list_entries(folder)
                 if entry.startswith(f"{name}.") and entry.endswith(MODULE_ENDINGS)]  # fmt: skip
        files += [f"{name}/__init__.py", f"{name}/__init__.pyc"]
        covered = [self._cover(os.path.join(folder, file), _IMPORT, PYTHON) for file in files]
        return any(covered)

    def _cover_shadows(self, folders: Iterable[str]) -> None:
        """Cover what has the name of a standard module in folders that Python looks into first."""
        for folder in folders:
            names = {entry.partition(".")[0] for entry in self._list_entries(folder)}
            for name in sorted(names & sys.stdlib_module_names):
                self._cover_module(folder, name)

    # -- words ---------------------------------------------------------------------------------

    def _expand(self, word: str, own: Paths) -> str:
        """Return a word of `source_reader` with the values of its variables."""
        parts = word.split("\0")
        for at in range(1, len(parts), 2):
            name = parts[at]
            value: str | None = own[0] if own and name == "0" else None
            if name not in {"", "0"}:
                value = self._used[name] = self._command.variables.get(name)
                value = self._variables.get(name, value)
            parts[at] = _UNKNOWN if value is None else value
        return "".join(parts)[:_MAX_WORD]

    def _cover_word(self, word: str, own: Paths, language: str = "", beside: Paths = ()) -> Paths:
        """Cover the files that a word names; return their paths.

        `language`: of the program that runs them. `beside`: files that were named before it.
        """
        if "\n" in word and not language:
            return ()
        names = [word.partition("=")[2], "" if word.startswith("-") else word]
        paths = [path for name in names if name for path in self._find_paths(name, own, beside)]
        paths += [f"{path}/__main__.py" for path in paths if language == PYTHON]
        role = _RUN if language else _WORD
        found = [path for path in dict.fromkeys(paths) if self._cover(path, role, language)]
        return (*found, *map(os.path.realpath, found))

    def _find_paths(self, name: str, own: Paths, beside: Paths = ()) -> list[str]:
        """Return where a name may lie; behind what only a run can tell, in all likely folders."""
        above = list(map(os.path.dirname, own))
        folders = [*self._folders, *above, *map(os.path.dirname, beside)]
        _, unknown, rest = name.rpartition(_UNKNOWN)
        if unknown:
            folders += [nearest_with(self._command.cwd, ".git"), *map(os.path.dirname, above)]
            folders += self._list_folders_above(above)
            name = rest.lstrip("/")
        paths = [os.path.join(each, name) for each in dict.fromkeys(folders) if each and name]
        return list(dict.fromkeys(map(_normalize, paths)))

    def _list_folders_above(self, folders: Iterable[str]) -> Iterable[str]:
        """Yield the folders and their parents up to the root; themselves if they lie elsewhere."""
        for folder in folders:
            root = next((each for each in self._roots if is_below(folder, each)), folder)
            above = folder
            while is_below(above, root):
                yield above
                above = os.path.dirname(above)

    # -- files ---------------------------------------------------------------------------------

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
        if file.head != "\0":
            self._follow(file, find_language(path, file.head) or language or SHELL, role)
        return True

    def _is_unseen(self, file: InspectedFile, role: str) -> bool:
        """Whether a file is not covered: a system program, an installed package, or too much."""
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
        stamp, start = make_stamp(found), (data or b"")[:_HEAD]
        self._data[path] = data or b""
        line = os.fsdecode(start.partition(b"\n")[0]) if start.startswith(b"#!") else ""
        return file.replace(
            problem="unreadable" if data is None else "",
            sha256="" if data is None else sha256(data),
            stamp=stamp,
            is_settled=data is not None and _is_settled(stamp, now),
            is_executable=bool(found.st_mode & stat.S_IXUSR),
            is_writable_by_all=bool(found.st_mode & stat.S_IWOTH),
            head=line or ("\0" if b"\0" in start else ""),
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
        for name, root in zip((path, real), self._roots, strict=False):
            if name.startswith(f"{root}/"):
                return name[len(root) + 1 :]
        return path


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _is_settled(stamp: Stamp, now: float) -> bool:
    """Whether any change after `now` (seconds) is sure to give a file another stamp."""
    return not stamp or max(stamp[3:]) < (now - _CLOCK_GRAIN) * 1e9


def _normalize(path: str) -> str:
    """Return the path without `.` and `..`, as the kernel reads it."""
    plain = os.path.normpath(path)
    if ".." in path and os.path.realpath(path) != os.path.realpath(plain):
        return os.path.realpath(path)
    return plain
