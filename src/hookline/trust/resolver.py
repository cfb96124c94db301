"""Finds the files that a command runs and loads, as far as its text and their texts name them."""

from __future__ import annotations

import os
import sys

from hookline.text.shell_words import BUILTINS
from hookline.trust import languages
from hookline.trust.languages import (
    DATA_PROGRAMS,
    JAVASCRIPT,
    OTHER,
    PYTHON,
    SHELL,
    TOOLS,
    find_first_interpreter,
    find_interpreter,
    is_tool,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hookline.trust.source_reader import Reference
    from hookline.trust.started_command import FileTable, InspectedFile, StartedCommand

    Values = tuple[str, ...]  # what a word may be; empty if only a run can tell


MAX_FILES = 200
MAX_LOADED = 8 << 20  # bytes of all files that others load
MAX_NAMED = 64 << 20  # bytes of one file that the command itself names
_MAX_TEXTS = 1_000  # that are read for one command
_MAX_WORD = 64 << 10  # characters
_MAX_VALUES = 16
_MAX_LETTERS = 3  # options of one letter in a word; `-File` is one option
# Why a file is covered: a word names it, which must be code; something runs it or imports it; the entry lists it.
_WORD, _RUN, _IMPORT, _LISTED = "word", "run", "import", "listed"


class Scope:
    """What words of a text mean: working folders, names of its own file, folders where Python looks for modules, variables."""

    __slots__ = ("folders", "functions", "own", "search", "variables")

    def __init__(
        self, folders: Values, own: Values = (), search: Values = (), parent: Scope | None = None
    ) -> None:
        self.folders = folders
        self.own = own
        self.search = search
        self.variables: dict[str, Values] = dict(parent.variables) if parent else {}
        self.functions: set[str] = set(parent.functions) if parent else set()

    @property
    def own_folders(self) -> Values:
        return tuple(dict.fromkeys(map(os.path.dirname, self.own)))


class Resolver:
    """One look at one command.

    `covered`: files by path. `unseen`: what the command runs beside them. `missing`: the program or script that a command of one
    program lacks. `used`: the variables that the look depends on.
    """

    def __init__(self, command: StartedCommand, files: FileTable) -> None:
        self.covered: dict[str, InspectedFile] = {}
        self.unseen: set[str] = set()
        self.missing = ""
        self.used: dict[str, str | None] = {}
        self.has_python_file = False
        self._shielded: list[Scope] = []
        self.imports_covered_python = False
        self._command = command
        self._files = files
        self._waiting: list[tuple[str, InspectedFile | str, Scope]] = []
        self._queued: set[tuple[object, ...]] = set()
        self._loaded = -1  # bytes; below 0 while the command itself is read

    def resolve(self) -> None:
        """Follow the command and fill the attributes."""
        scope = Scope((self._command.cwd,))
        for listed in self._command.listed:
            path = os.path.join(self._command.root, listed)
            if not self._cover(path, scope, _LISTED):
                self.covered[path] = self._files.peek(path)
        if self._command.argv:
            self._run(self._command.argv, scope, is_alone=True)
        else:
            self._read(SHELL, self._command.text, scope)
        self._loaded = 0
        for _ in range(_MAX_TEXTS):
            if not self._waiting and not self._cover_unshielded():
                return
            if self._waiting:
                self._read(*self._waiting.pop(0))
        self.unseen.add("more files than hookline reads")

    def _read(self, language: str, source: InspectedFile | str, scope: Scope) -> None:
        name = "the command" if isinstance(source, str) else source.key
        references = self._files.references(language, source)
        if ("unsure",) in references:
            self.unseen.add(f"parts of {name} that hookline cannot read")
        if ("starts",) in references:
            self.unseen.add(f"what {name} starts")
        if language == SHELL:
            self._read_shell(references, scope)
        elif language == PYTHON:
            self._read_python(references, scope)
        elif language == JAVASCRIPT:
            self._read_javascript(references, scope)

    # -- shell ---------------------------------------------------------------------------------------------------------

    def _read_shell(self, references: Iterable[Reference], scope: Scope) -> None:
        is_alone = self._loaded < 0 and ("alone",) in references
        scope.functions.update(words[1] for words in references if words[0] == "function")
        for kind, *words in references:
            if kind == "set":
                known = (*scope.variables.get(words[0], ()), *self._expand(words[1], scope))
                scope.variables[words[0]] = tuple(dict.fromkeys(known))[:_MAX_VALUES]
            elif kind in {"run", "fed"}:
                self._run(words, scope, is_alone=is_alone, is_fed=kind == "fed")
                is_alone = False  # what follows are commands within it
            elif kind == "words":
                for word in words:
                    self._cover_word(self._expand(word, scope), scope)
            elif kind == "read":
                language = find_first_interpreter(words[0])
                values = self._expand(words[1], scope)
                self._cover_word(values, scope, _RUN if language else _WORD, language)
            elif kind == "body":
                language = find_first_interpreter(words[0])
                self._queue_texts(language, self._expand(words[1], scope), scope)

    def _run(
        self, words: Sequence[str], scope: Scope, *, is_alone: bool = False, is_fed: bool = False
    ) -> None:
        """Cover what one command runs. `is_alone`: the hook starts nothing else. `is_fed`: another program runs what it prints."""
        values = [self._expand(word, scope) for word in words]
        start = _find_program_index([_find_first(each) for each in values])
        is_alone = is_alone and start == 0
        if start < len(values) and _find_first(values[start]) in BUILTINS:
            lacking = self._run_builtin(_find_first(values[start]), values[start + 1 :], scope, is_fed=is_fed)  # fmt: skip
            self.missing = lacking if is_alone else self.missing
            return
        program = _find_first(values[start]) if start < len(values) else ""
        is_on_path = program != "" and "/" not in program and program not in scope.functions
        absent = self._note_program(program) if is_on_path else ""
        language = option = lacking = (
            ""  # what reads the next word, by which option; what is not there
        )
        found: Values = ()
        for at in range(start, len(values)):
            word, is_program = _find_first(values[at]), at == start
            if not found and _has_data_behind(word, is_program=is_program and not is_fed):
                break
            if option:
                self._run_option(language, option, values[at], scope)
                language = option = ""
            elif not found and find_interpreter(word):
                language = find_interpreter(word)
                absent = absent or self._find_interpreter(values[at], scope)
            elif language and (option := _find_code_option(language, word)):
                continue
            elif not values[at] and (language or is_program):
                self.unseen.add(_describe_word(words[at]))
                language = ""
            elif not is_program or "/" in word:
                role = _RUN if language or is_program else _WORD
                files = self._cover_word(values[at], scope, role, language, beside=found)
                is_needed = is_program or (language and _is_script_name(word))
                lacking = lacking or (word if is_needed and not files else "")
                found, language = found + files, "" if files else language
                self._check_program(files if is_program and is_alone else ())
        if is_alone:
            self.missing = absent or ("" if found else lacking)

    def _run_option(self, language: str, option: str, values: Values, scope: Scope) -> None:
        """Cover what an interpreter is told to run by an option: a text, or a module of the working folder."""
        if option != "m":
            self._queue_texts(language, values, scope)
            return
        inner = Scope(scope.folders, search=scope.folders)
        self._cover_shadows(scope.folders, inner)
        for module in values:
            self._import("0", module, ("__main__",), inner)

    def _run_builtin(
        self, program: str, values: list[Values], scope: Scope, *, is_fed: bool
    ) -> str:
        """Cover what the shell itself runs or reads; the name of a file that it lacks."""
        if program in {"cd", "pushd"} and values:
            gone = [os.path.join(folder, value) for folder in scope.folders for value in values[-1]]
            folders = dict.fromkeys((*scope.folders, *map(_normalize, gone)))
            scope.folders = tuple(folders)[:_MAX_VALUES]
        elif program in {".", "source"} and values:
            if not self._cover_word(values[0], scope, _RUN, SHELL):
                self.unseen.update(() if values[0] else (f"what `{program}` reads",))
                return _find_first(values[0])
        elif program == "eval":
            self._queue_texts(SHELL, (" ".join(map(_find_first, values)),), scope)
        elif program == "trap":
            self._queue_texts(SHELL, values[0] if values else (), scope)
        elif program == "alias" or is_fed:
            for each in values:
                self._cover_word(each, scope)
        return ""

    def _find_interpreter(self, values: Values, scope: Scope) -> str:
        """Cover an interpreter that is named by its path; the path if there is none."""
        is_path = "/" in _find_first(values)
        return _find_first(values) if is_path and not self._cover_word(values, scope, _RUN) else ""

    def _check_program(self, paths: Values) -> None:
        """Say of covered files that they cannot be started."""
        for path in self.covered.keys() & paths:
            if not self.covered[path].is_executable:
                self.covered[path] = self.covered[path].replace(problem="not executable")

    def _note_program(self, name: str) -> str:
        """Name a program as unseen; its name if it is not on PATH."""
        paths = (os.path.join(folder, name) for folder in find_path(self._command).split(":"))
        found = next((path for path in paths if os.access(path, os.X_OK)), "")
        if found:
            self._files.peek(found)  # so that another look is needed when it goes
            self.unseen.update(() if is_tool(name) else (name,))
        return "" if found else name

    # -- Python and JavaScript -----------------------------------------------------------------------------------------

    def _read_python(self, references: Iterable[Reference], scope: Scope) -> None:
        added = [words[1] for words in references if words[0] == "folder"]
        inner = [os.path.join(folder, name) for folder in scope.search for name in added]
        scope.search = (*scope.search, *map(_normalize, filter(os.path.isdir, inner)))[:_MAX_VALUES]
        for kind, *words in references:
            if kind == "import":
                self._import(words[0], words[1], words[2:], scope)

    def _import(self, level: str, module: str, names: Sequence[str], scope: Scope) -> None:
        """Cover a module, the packages around it, and those of the names that are modules in it."""
        parts = module.split(".") if module else []
        folders = scope.search
        if level != "0":
            up = [os.pardir] * (int(level) - 1)
            folders = tuple(_normalize(os.path.join(folder, *up)) for folder in scope.own_folders)
        elif parts[0] in sys.stdlib_module_names:
            return
        found = False
        for folder in folders:
            places = [(os.path.join(folder, *parts[:at]), part) for at, part in enumerate(parts)]
            places += [(os.path.join(folder, *parts), name) for name in ("__init__", *names)]
            covered = [self._cover_module(inside, name, scope) for inside, name in places]
            found = found or any(covered)
        self.imports_covered_python = self.imports_covered_python or found
        if not found and level == "0":
            self.unseen.add(f"Python module {parts[0]}")

    def _cover_module(self, folder: str, name: str, scope: Scope) -> bool:
        """Cover what `import` of a name can load from a folder."""
        entries = self._files.entries(folder)
        files = [entry for entry in entries if entry.startswith(f"{name}.") and entry.endswith(languages.MODULE_ENDINGS)]  # fmt: skip
        files += [f"{name}/__init__.py", f"{name}/__init__.pyc"] if name in entries else []
        paths = [os.path.join(folder, file) for file in sorted(files)]
        found = [self._cover(path, scope, _IMPORT, PYTHON) for path in paths]
        return any(found)

    def _cover_shadows(self, folders: Iterable[str], scope: Scope) -> None:
        """Cover what has the name of a standard module in a folder that Python looks into first."""
        for folder in folders:
            names = {entry.partition(".")[0] for entry in self._files.entries(folder)}
            for name in sorted(names & sys.stdlib_module_names):
                self._cover_module(folder, name, scope)

    def _read_javascript(self, references: Iterable[Reference], scope: Scope) -> None:
        self.unseen.update(f"JavaScript module {words[1]}" for words in references if words[0] == "module")  # fmt: skip
        for name in (words[1] for words in references if words[0] == "require"):
            for folder in scope.own_folders or scope.folders:
                path = os.path.join(folder, name)
                stem, ending = os.path.splitext(path)
                self._cover(path, scope, _WORD, JAVASCRIPT)
                for end in languages.JAVASCRIPT_ENDINGS:
                    self._cover(path + end, scope, _RUN, JAVASCRIPT)
                if ending in {".js", ".mjs", ".cjs"}:  # TypeScript names the file that it becomes
                    self._cover(stem + ending.replace("j", "t"), scope, _RUN, JAVASCRIPT)

    # -- values --------------------------------------------------------------------------------------------------------

    def _expand(self, word: str, scope: Scope) -> Values:
        found: list[str] = []
        for alternative in word.split("\1"):
            values = [""]
            for at, part in enumerate(alternative.split("\0")):
                pieces = self._value(part, scope) if at % 2 else (part,)
                joined = [value + piece for value in values for piece in pieces]
                values = [each for each in joined[:_MAX_VALUES] if len(each) < _MAX_WORD]
            found += map(_cut_last_parts, values)
        return tuple(dict.fromkeys(found))[:_MAX_VALUES]

    def _value(self, name: str, scope: Scope) -> Values:
        if name == "0":
            return scope.own
        if name == "PWD":
            return scope.folders
        if name == "git":
            return _find_repository(self._command.cwd)
        given = self._command.variables.get(name) if name else None
        if name:
            self.used[name] = given
        return (*scope.variables.get(name, ()), *(() if given is None else (given,)))

    def _queue_texts(self, language: str, texts: Iterable[str], scope: Scope) -> None:
        """Read texts that an interpreter runs, later."""
        for text in texts:
            key = (language, text, scope.folders)
            if language and key not in self._queued:
                self._queued.add(key)
                inner = Scope(scope.folders, scope.own, scope.folders, scope)
                self._waiting.append((language, text, inner))
                if language == PYTHON:
                    self._shielded.append(inner)

    def _cover_unshielded(self) -> bool:
        """Cover what Python code given as text loads from the working folder, if it is no shielded start.

        Returns:
            Whether there may be more to read.
        """
        is_shielded = self._command.is_shielded and not (self.has_python_file or self.unseen)
        if is_shielded or not self._shielded:
            return False
        scope = self._shielded.pop()
        self._cover_shadows(scope.folders, scope)
        return True

    # -- files ---------------------------------------------------------------------------------------------------------

    def _cover_word(
        self, values: Values, scope: Scope, role: str = _WORD, language: str = "", beside: Values = ()
    ) -> Values:  # fmt: skip
        """Cover the files that a word names; their paths."""
        folders = dict.fromkeys((*scope.folders, *scope.own_folders, *map(os.path.dirname, beside)))
        # A word of several lines is a text, unless it is what the command runs.
        words = [value for value in values if "\n" not in value or role == _RUN]
        names = [value for value in words if value and value[0] != "-"]
        names += [value.partition("=")[2] for value in words if "=" in value]
        paths = [os.path.join(folder, name) for name in names if name for folder in folders]
        paths += [f"{path}/__main__.py" for path in paths if language == PYTHON]
        found = [path for path in dict.fromkeys(map(_normalize, paths)) if self._cover(path, scope, role, language)]  # fmt: skip
        return (*found, *map(os.path.realpath, found))

    def _cover(self, path: str, scope: Scope, role: str, language: str = "") -> bool:
        """Whether a file lies there that is covered now, or named as unseen."""
        path = _normalize(path)
        file = self.covered.get(path) or self._files.peek(path)
        is_code = file.is_executable or file.head or file.problem or languages.guess_by_suffix(path)
        if file.problem in {"gone", "not a regular file"} or (role == _WORD and not is_code):
            return False
        if path not in self.covered:
            if self._is_unseen(file, role):
                return True
            file = self.covered[path] = self._files.open(file)
            if file.head.startswith("#!"):
                self._run(file.head[2:].split(), scope)
        language = language or languages.find_language(path, file.head)
        if not file.head.startswith("\0"):
            self._queue_file(file, language or (SHELL if file.is_executable else ""), scope, role)
        return True

    def _is_unseen(self, file: InspectedFile, role: str) -> bool:
        """Whether a file is not covered: a program of the system, a package that is installed, or too much."""
        is_system = os.path.isabs(file.key) and (
            (file.head == "\0" and role != _IMPORT)
            or os.path.dirname(file.path) in find_path(self._command).split(":")
        )
        is_package = not languages.PACKAGE_FOLDERS.isdisjoint(file.key.split("/"))
        if role != _LISTED and (is_system or is_package):
            self.unseen.update(() if is_system and is_tool(file.path) else (file.key,))
            return True
        limit = MAX_NAMED if self._loaded < 0 else MAX_LOADED - self._loaded
        if file.size > limit or len(self.covered) >= MAX_FILES:
            self.unseen.add(file.key)
            return True
        self._loaded += file.size if self._loaded >= 0 else 0
        return False

    def _queue_file(self, file: InspectedFile, language: str, scope: Scope, role: str) -> None:
        """Read a file for what it loads, later."""
        key = (file.path, language, scope.folders)
        if key in self._queued or not language:
            return
        self._queued.add(key)
        own = tuple(dict.fromkeys((file.path, os.path.realpath(file.path))))
        inner = Scope(scope.folders, own, scope.search if role == _IMPORT else (), scope)
        if language == OTHER:
            self.unseen.add(f"what {file.key} loads")
        if language == PYTHON:
            self.has_python_file = True
            if role != _IMPORT:
                inner.search = tuple(self._folders_above(inner.own_folders))
                self._cover_shadows(inner.own_folders, inner)
        self._waiting.append((language, file, inner))

    def _folders_above(self, folders: Iterable[str]) -> Iterable[str]:
        """Return the folders and their parents up to the root; without the root if they lie elsewhere."""
        given = self._command.root
        roots = {given, os.path.realpath(given)} if given else set()
        for folder in folders:
            root = next((each for each in roots if is_within(folder, each)), folder)
            above = folder
            while is_within(above, root):
                yield above
                above = os.path.dirname(above)


def is_within(path: str, folder: str) -> bool:
    """Whether a path is the folder or leads into it, by name."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def find_path(command: StartedCommand) -> str:
    """Return the PATH by which a command's programs are found."""
    return command.variables.get("PATH") or os.environ.get("PATH", os.defpath)


def _find_first(values: Values) -> str:
    return values[0] if values else ""


def _find_program_index(words: Sequence[str]) -> int:
    """Return the index of a command's program, after words such as `env NAME=value` and `timeout 5`."""
    at, is_led = 0, False
    while at < len(words):
        name = os.path.basename(words[at])
        if name == "find" and "-exec" in words:
            return words.index("-exec") + 1
        if name in languages.LAUNCHERS:
            is_led = True
        elif not is_led or not (words[at][:1] in {*"-+0123456789"} or "=" in words[at]):
            break
        at += 1
    return at


def _has_data_behind(word: str, *, is_program: bool) -> bool:
    """Whether the words after the program are data: of a linter, or of a tool that the command starts itself."""
    name = os.path.basename(word)
    return name in DATA_PROGRAMS or (is_program and name in TOOLS)


def _find_code_option(language: str, word: str) -> str:
    """Return the letter of an option that takes code or, "m", a module; empty for other words."""
    if language == JAVASCRIPT and word in {"--eval", "--print"}:
        return "e"
    letters = word[1:] if word.startswith("-") and word[1:2] != "-" else ""
    if language == SHELL:
        return "c" if "c" in letters else ""
    wanted = {PYTHON: "cm", JAVASCRIPT: "ep"}.get(language, "e")
    return letters[-1:] if len(letters) <= _MAX_LETTERS and letters[-1:] in wanted else ""


def _is_script_name(word: str) -> bool:
    return languages.guess_by_suffix(word) != "" and not word.startswith("-")


def _describe_word(word: str) -> str:
    """Return a word as text, variables with their `$`."""
    parts = word.partition("\1")[0].replace("\2", "/..").split("\0")
    return "".join(f"${part or '(...)'}" if at % 2 else part for at, part in enumerate(parts))


def _normalize(path: str) -> str:
    """Return the path without `.` and `..`, as the kernel reads it."""
    plain = os.path.normpath(path)
    if ".." in path and os.path.realpath(path) != os.path.realpath(plain):
        return os.path.realpath(path)
    return plain


def _cut_last_parts(value: str) -> str:
    """Return the value with the folder of each path that `source_reader` marked."""
    while "\2" in value:
        path, _, rest = value.partition("\2")
        value = os.path.dirname(path) + rest
    return value


def _find_repository(folder: str) -> Values:
    """Return the nearest folder above with a `.git`, if there is one."""
    while not os.path.lexists(os.path.join(folder, ".git")):
        if folder == os.path.dirname(folder):
            return ()
        folder = os.path.dirname(folder)
    return (folder,)
