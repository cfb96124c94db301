"""Look: what a command hook would run now, found as the runner finds it, read once, and sealed to be run as it was read."""

from __future__ import annotations

import os
import shlex
import stat

from hookline.errors import HandlerError
from hookline.handlers import command
from hookline.handlers.contents import contents, exposure
from hookline.handlers.sealing import Pieces, sealed_words
from hookline.model.handler import Command
from hookline.model.sight import Covered, Sealed, Sight
from hookline.text.programs import reading
from hookline.text.words import BUILTINS, commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hookline.core.dispatch import Run
    from hookline.handlers.contents import Contents
    from hookline.text.programs import Reading
    from hookline.text.words import Simple

# What a package manager of the system put there as root is the system's, whatever it is today.
_SYSTEM = ("/usr/", "/bin/", "/sbin/", "/lib", "/nix/store/", "/snap/")
_DEEPEST = 4  # shells in shells
_SOURCING = (".", "source")
_UNREADABLE = "what the shell text runs: it cannot be read for sure"
_NOTHING = Sight()


def look(run: Run, environ: Mapping[str, str]) -> Sight:
    """What a run would execute; nothing to see where its handler is no command."""
    handler = run.spec.handler
    if type(handler) is not Command:
        return _NOTHING
    try:
        what = command.program(handler, run.event, "", timeout=run.spec.timeout, cookie="", environ=environ)
    except HandlerError as error:
        return Sight(missing=(str(error),))
    return _Look(what.cwd or run.event.cwd or os.getcwd(), what.env).at(what.argv)


class _Look:
    """One look at one command line: what was found, and what of it is sealed."""

    def __init__(self, cwd: str, env: Mapping[str, str]) -> None:
        self.cwd = cwd
        self.env = env
        self.files: dict[tuple[str, str], Covered] = {}
        self.open: list[str] = []
        self.missing: list[str] = []
        self.pieces = Pieces()
        self.sealed = self.watched = False
        self.executable = ""

    def at(self, argv: Sequence[str]) -> Sight:
        words = self._line(list(argv), self.cwd, certain=True) if argv else list(argv)
        sealed = Sealed(argv=tuple(words), pieces=tuple(self.pieces.pieces), executable=self.executable) if self.sealed else None
        return Sight(
            files=tuple(self.files.values()),
            open=tuple(dict.fromkeys(self.open)),
            missing=tuple(self.missing),
            sealed=sealed,
            watched=self.watched,
        )

    # -- words -----------------------------------------------------------------------------------------------------

    def _line(self, words: list[str], cwd: str, *, certain: bool, depth: int = 0) -> list[str]:
        """The words that run what these would run now. `certain`: the first is a program, and no function of a shell."""
        found = reading(words)
        path = self._program(words[found.program_at], cwd)
        if not path:
            if certain or "/" in words[found.program_at]:
                self._absent(f"`{words[found.program_at]}` was not found", certain=certain)
            return words
        if certain and found.program_at == 0:
            words = [path, *words[1:]] if "/" not in words[0] else words
        if found.unknown:
            self.open.append(found.unknown)
        if not found.family.name:
            return self._itself(words, found.program_at, path, cwd, depth)
        self._interpreter(words[found.program_at], path)
        if found.text_at is not None:
            text = self._text(words[found.text_at], cwd, depth + 1)
            return [*words[: found.text_at], text, *words[found.text_at + 1 :]]
        return self._script(words, found, cwd, certain=certain) if found.at is not None else words

    def _absent(self, what: str, *, certain: bool) -> None:
        """Note what is not there: a text may look for it, or make it, before it runs it."""
        (self.missing if certain else self.open).append(what)

    def _script(self, words: list[str], found: Reading, cwd: str, *, certain: bool) -> list[str]:
        """The words with the interpreter's script as it was read."""
        assert found.at is not None  # noqa: S101 - only such a reading comes here
        path = os.path.join(cwd, words[found.at])
        read = self._cover("script", path)
        if read is None:
            self._absent(f"`{words[found.at]}` was not found, or is no file that can be read", certain=certain)
            return words
        if read.data is None:
            return words
        self.sealed = True
        made = sealed_words(found.family.name, words[found.program_at : found.at + 1], read, self.pieces)
        return [*words[: found.program_at], *made, *words[found.at + 1 :]]

    def _itself(self, words: list[str], at: int, path: str, cwd: str, depth: int) -> list[str]:
        """The words of a program that is no interpreter: a script by its `#!` line, or a binary."""
        if _is_systems(os.path.realpath(path)):
            self._interpreter(words[at], path)
            return words
        read = self._cover("program", path)
        if read is None or read.data is None or not os.access(path, os.X_OK):
            return words  # what is wrong with it is said when it is run
        if read.data[:2] == b"#!":
            shown = words[at] if "/" in words[at] else path
            return [*words[:at], *self._by_its_line(read, shown, words[at + 1 :], cwd, depth)]
        self.sealed = True
        if not os.path.isdir("/proc/self/fd"):
            held = self.pieces.put(read.data, os.path.basename(read.real))
        else:
            held = f"/proc/self/fd/{self.pieces.put(read.data)}"
        if at == 0 and depth == 0:
            self.executable = held
            return words
        return [*words[:at], held, *words[at + 1 :]]

    def _by_its_line(self, read: Contents, shown: str, rest: list[str], cwd: str, depth: int) -> list[str]:
        """The words that the kernel would run for a script with a `#!` line."""
        line = os.fsdecode((read.data or b"")[2:].partition(b"\n")[0]).strip()
        interpreter, option = [*line.split(None, 1), "", ""][:2]
        before = [interpreter, *([option] if option else [])]
        if interpreter.endswith("/env") and option.startswith("-S"):
            before = [interpreter, *option.removeprefix("-S").split()]
        words = [*before, shown, *rest]
        found = reading(words)
        program = self._program(words[found.program_at], cwd) if interpreter else ""
        if not program:
            self._absent(f"the interpreter of `{shown}` was not found", certain=depth == 0)
            return [shown, *rest]
        self._interpreter(words[found.program_at], program)
        family = found.family.name if found.at == len(before) else "copy"
        start = found.program_at if found.at == len(before) else 0
        self.sealed = True
        return [*words[:start], *sealed_words(family, words[start : len(before) + 1], read, self.pieces), *rest]

    # -- text ------------------------------------------------------------------------------------------------------

    def _text(self, text: str, cwd: str, depth: int) -> str:
        """The shell text that runs what this one would run now: each word that names a script is replaced, nothing else."""
        found = commands(text, self.env) if depth <= _DEEPEST else None
        if found is None:
            self.open.append(_UNREADABLE)
            return text
        source, changed = text.encode("utf-8", "surrogatepass"), []
        base: str | None = cwd
        for at, simple in enumerate(found):
            values = [word.value for word in simple.words]
            if values[:1] == ["cd"]:
                base = os.path.join(cwd, values[1]) if at == 0 and len(values) == 2 and values[1] is not None else None  # noqa: PLR2004 - `cd X`
            else:
                changed += self._simple(simple, base, depth)
        for start, end, words in reversed(changed):
            source = source[:start] + os.fsencode(" ".join(map(shlex.quote, words))) + source[end:]
        return os.fsdecode(source) if changed else text

    def _simple(self, simple: Simple, base: str | None, depth: int) -> list[tuple[int, int, list[str]]]:
        """What to put in the place of which bytes, so that a command runs what was read."""
        words = simple.words
        while len(words) > 1 and words[0].value in ("exec", "command"):
            words = words[1:]
        values = []
        for word in words:
            if word.value is None:
                break
            values.append(word.value)
        if not values or values[0] == "eval":
            self.open.append("what a program does that only the shell can name")
            return []
        if values[0] in _SOURCING:
            return self._sourced(simple, values, base)
        if values[0] in BUILTINS:
            return []
        found = reading(values)
        run = [values[found.program_at], *([values[found.at]] if found.at is not None else [])]
        if base is None and any(not os.path.isabs(word) for word in run if word is not run[0] or "/" in word):
            self.open.append(f"`{' '.join(run)}`: from which folder is only known when it runs")
            return []
        whole = len(values) == len(words)
        if not whole and found.family.name and found.at is None and found.text_at is None:
            self.open.append(f"what `{values[0]}` runs is only known when it runs")
            return []
        made = self._line(list(values), base or self.cwd, certain=False, depth=depth)
        if made == values:
            return []
        return [(words[0].start, words[len(values) - 1].end, made)]

    def _sourced(self, simple: Simple, values: list[str], base: str | None) -> list[tuple[int, int, list[str]]]:
        """`. file`: read from memory, where it is a path that is known."""
        name = values[1] if len(values) > 1 else ""
        read = self._cover("sourced", os.path.join(base or "", name)) if "/" in name and (base or os.path.isabs(name)) else None
        if read is None or read.data is None:
            self.open.append(f"what `{values[0]} {name}` reads")
            return []
        self.sealed = True
        word = simple.words[1]
        return [(word.start, word.end, [f"/proc/self/fd/{self.pieces.put(read.data)}"])]

    # -- files -----------------------------------------------------------------------------------------------------

    def _program(self, name: str, cwd: str) -> str:
        if "/" in name:
            path = os.path.join(cwd, name)
            return path if os.path.isfile(path) else ""
        return command.on_path(name, self.env)

    def _cover(self, role: str, path: str) -> Contents | None:
        read = contents(path)
        if read is not None:
            self.files[role, path] = Covered(
                role=role, path=path, real=read.real, digest=read.digest, modified=read.modified, exposed=read.exposed
            )
            self.watched = self.watched or read.data is None
        return read

    def _interpreter(self, name: str, path: str) -> None:
        """An interpreter, or a program of the system: known by its place, and where it is the user's by size and time too."""
        real = os.path.realpath(path)
        try:
            found = os.stat(real)
        except OSError:
            self.missing.append(f"`{name}` was not found")
            return
        mark = "" if _is_systems(real) else f"{found.st_size}:{found.st_mtime_ns}"
        exposed = "" if _is_systems(real) else exposure(found, real)
        self.files["interpreter", path] = Covered(
            role="interpreter", path=path, real=real, digest=mark, modified=found.st_mtime, exposed=exposed
        )


def _is_systems(real: str) -> bool:
    if not real.startswith(_SYSTEM):
        return False
    try:
        found = os.stat(real)
    except OSError:
        return False
    return found.st_uid == 0 and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
