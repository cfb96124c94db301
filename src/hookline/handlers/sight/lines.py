"""Lines: which words of a command line are files that it runs, and the words that run what was read of them."""

from __future__ import annotations

import os

from hookline.handlers.sealing.pieces import Pieces
from hookline.handlers.sealing.ways import sealed_words
from hookline.handlers.sight.lacking import Lacking
from hookline.paths import real_path
from hookline.text.launched import filed, unfolded
from hookline.text.launchers import COMMANDING
from hookline.text.programs import by_itself, reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hookline.handlers.sight.contents import Contents
    from hookline.text.programs import Reading
    from hookline.text.shell_words import Word

    Change = tuple[
        int, int, list[str]
    ]  # from where to where in a text, and the words to be put there

# Programs of the system that run nothing of what they are given; and those of them that write to it.
WRITERS = frozenset({"tee", "touch", "rm", "mkdir"})
READERS = WRITERS | {
    "[", "basename", "cat", "cd", "cmp", "cut", "diff", "dirname", "echo", "egrep", "fgrep", "file", "grep", "head", "jq", "ls", "md5sum",
    "printf", "pushd", "readlink", "realpath", "sha256sum", "shasum", "sort", "stat", "tail", "test", "tr", "uniq", "wc",
}  # fmt: skip
# Launchers that may wait before they run anything.
_WAITING = frozenset({"flock"})
# Launchers behind which a folder of the user's own may be closed, or not there.
_CHANGING = frozenset({"setpriv", "unshare"})
# Programs that run what they read.
_FEEDING = ("xargs", "parallel")
DEEPEST = 4  # shells in shells, and launchers in launchers


class Lines(Lacking):
    """The command lines of one hook. `given`: the file that a redirection has the next program read; `fed`: one may run what it reads; `sure`: one does.

    `changes`: what else must be put into the text around a line. `source`: the text in hand; `sets`, `aliases`: what was assigned so far. `held`: what is run gets the words and the
    open files that it is given here; else it is run from where it lies. `prompt`: nothing that takes its time, or writes, is run beside it.
    """

    def __init__(
        self,
        cwd: str,
        env: Mapping[str, str],
        near: Sequence[str] = (),
        *,
        root: str = "",
        inherited: str = "",
        foreign: Sequence[str] = (),
    ) -> None:
        super().__init__(cwd, env, near, root=root, inherited=inherited, foreign=foreign)
        self.pieces = Pieces(env, lambda name: self.program(name, cwd))
        self.source = b""
        self.sets: dict[str, str | None] = {}
        self.aliases: dict[str, str] = {}
        self.fed = self.sure = False
        self.held = self.prompt = True
        self.executable = ""
        self.shell = "/bin/sh"
        self.given: Word | None = None
        self.changes: list[Change] = []

    def text(self, text: str, cwd: str | None, depth: int) -> str:
        """The shell text that runs what this one would run now. `cwd`: None where that is not known."""
        raise NotImplementedError

    def launched(
        self, words: list[str], found: Reading, path: str, cwd: str, depth: int
    ) -> list[str]:
        """The words, where what their program runs of them was looked at."""
        raise NotImplementedError

    def line(
        self, words: list[str], cwd: str, *, certain: bool, depth: int = 0, own: bool = False
    ) -> list[str]:
        """The words that run what these would run now.

        `certain`: the first is a program, and no function of a shell. `own`: it is found by whoever runs it.
        """
        whole = self._unfolded(words)
        made = self._line(list(whole), cwd, certain=certain, depth=depth, own=own)
        return words if made == whole else made

    def _unfolded(self, words: list[str]) -> list[str]:
        """The words with those of `env -S` one by one, if that is the `env` that everybody knows."""
        whole = unfolded(words)
        through = reading(whole).through if whole != words else ()
        return (
            whole
            if all(self.is_as_named(self.program(whole[at], self.cwd)) for at in through)
            else words
        )

    def _line(
        self, words: list[str], cwd: str, *, certain: bool, depth: int, own: bool
    ) -> list[str]:
        found = self.reading(words, cwd)
        sure = (certain or self.alone) and not (own or found.own)
        is_lacking = self.lacking(words, found, cwd, certain=certain, own=own)
        name, cwd = words[found.program_at], os.path.join(cwd, *found.folders)
        path = self.program(name, cwd)
        if is_lacking:
            self.arguments(words, found, "", cwd)
            return words
        if certain and found.program_at == 0 and path:
            words = [path, *words[1:]] if "/" not in words[0] else words
        words = self.launched(words, found, path, cwd, depth)
        self.arguments(words, found, path, cwd)
        if found.unknown:
            self.open.append(found.unknown)
        if not found.family.name:
            return (
                words
                if (own or found.around) and "/" not in name
                else self._itself(words, found.program_at, path, cwd, depth)
            )
        if path:
            self.interpreter(name, path)
        return self._interpreted(words, found, path, cwd, certain=sure, depth=depth)

    def _interpreted(
        self, words: list[str], found: Reading, path: str, cwd: str, *, certain: bool, depth: int
    ) -> list[str]:
        if found.text_at is not None:
            self.alone = certain and depth == 0 and self.starts_bare(words, path)
            outer, self.shell = self.shell, path or "/bin/sh"
            text = self.text(words[found.text_at], cwd, depth + 1)
            self.shell = outer
            return [*words[: found.text_at], text, *words[found.text_at + 1 :]]
        if found.is_fed:
            self.feeds(words[found.program_at], cwd)
        self.loads(words, found, cwd)
        if (found.is_code or found.is_fed) and found.family.name == "python":
            return self.imports(words, found, path, cwd)
        return self._script(words, found, cwd, certain=certain) if found.at is not None else words

    def reading(self, words: list[str], cwd: str) -> Reading:
        """What the words run, where a program that only has the name of one which runs its arguments is itself what is run."""
        found = reading(words)
        for at in found.through:
            path = self.program(words[at], cwd)
            if path and not self.is_as_named(path):
                return by_itself(at)
            if path and at != found.program_at:
                self.interpreter(words[at], path)
        if found.through:  # `env X=1 program`
            self.assigned(
                [pair for word in words[: found.program_at] if (pair := _assignment(word))], cwd
            )
        self.surrounded(words, found, cwd)
        is_script = found.family.name and self.is_brought(
            self.program(words[found.program_at], cwd)
        )
        return by_itself(found.program_at) if is_script else found

    def is_as_named(self, path: str) -> bool:
        """Whether a program is what its name says: it is the system's, or found on the user's own path, or came along with nothing."""
        real = real_path(path)
        root = real_path(self.root) if self.root else ""
        is_inside = self.is_near(real) or (
            root not in {"", "/", real_path(self.home)} and real.startswith(f"{root}/")
        )
        return self.is_systems(real) or path in self.chosen or not is_inside

    def assigned(self, sets: Iterable[tuple[str, str | None]], cwd: str) -> None:
        made = list(sets)
        self.pieces.env = {**self.pieces.env, **{name: value or "" for name, value in made}}
        super().assigned(made, cwd)
        for name, value in made:
            if name in COMMANDING and value:
                self.later(value, cwd)

    def later(self, text: str, cwd: str | None) -> None:
        """Look at a text that somebody else runs, from where things lie."""
        held, self.held = self.held, False
        self.text(text, cwd, DEEPEST)
        self.held = held
        self.watched = self.placed = True

    def holds(self, read: Contents) -> bool:
        """Whether what is run can be handed over as it was read; else it is run from its place, and looked at again."""
        if not self.held:
            self.pieces.in_place.add(read.real)
        return self.held

    def feeds(self, name: str, cwd: str) -> None:
        """`sh < file`: it is read from memory, where it is a path that is known. What else an interpreter reads cannot be seen."""
        given, self.given = self.given, None
        read = (
            self.cover("script", os.path.join(cwd, given.value))
            if given is not None and given.value
            else None
        )
        if given is None or read is None:
            self.open.append(f"what `{name}` is given to read")
            self.fed = self.sure = True
            return
        if not self.holds(read):
            return
        self.sealed = True
        self.changes.append((given.start, given.end, [self.pieces.file(read)]))

    def arguments(self, words: Sequence[str], found: Reading, path: str, cwd: str) -> None:
        """The files that are named beside what is run."""
        if os.path.basename(path) in READERS and self.is_systems(real_path(path)):
            return
        named = {found.program_at, found.at, found.text_at, *found.through}
        others = [word for at, word in enumerate(words) if at not in named]
        folders = [cwd]
        if (
            found.unknown
        ):  # it may go there first, as `make -C`, or run what is in it, as `run-parts`
            folders += [full for word in others if os.path.isdir(full := os.path.join(cwd, word))]
            self.fed = self.fed or words[found.program_at].endswith(_FEEDING)
            for folder in folders[1:] if os.path.basename(path) == "run-parts" else ():
                self.runs("script", _entries(folder), folder)
        for folder in folders:
            self.runs("script", filed(words[: found.at], found.program_at) if path else (), folder)
        self.name(others, folders)

    def _script(self, words: list[str], found: Reading, cwd: str, *, certain: bool) -> list[str]:
        """The words with the interpreter's script as it was read."""
        assert found.at is not None  # noqa: S101 - only such a reading comes here
        read = self.cover("script", os.path.join(cwd, words[found.at]))
        if read is None:
            is_sure = certain and self.is_gone(words, found, cwd)
            self.lacks(
                f"`{words[found.at]}` was not found, or is no file that can be read",
                certain=is_sure,
            )
            return words
        self.sealed = True
        family = found.family.name if self.holds(read) else "copy"
        made = sealed_words(family, words[found.program_at : found.at + 1], read, self.pieces)
        return [*words[: found.program_at], *made, *words[found.at + 1 :]]

    def _itself(self, words: list[str], at: int, path: str, cwd: str, depth: int) -> list[str]:
        """The words of a program that is no interpreter: a script by its `#!` line, or a binary."""
        if self.is_systems(real_path(path)):
            self.interpreter(words[at], path)
            return words
        read = self.cover("program", path)
        if read is None:
            return words  # what is wrong with it is said when it is run
        runs = os.access(path, os.X_OK)
        if read.head[:2] == b"#!":
            shown = words[at] if "/" in words[at] else path
            made = self._by_its_line(read, shown, words[at + 1 :], cwd, depth, runs=runs)
            return [*words[:at], *made] if self.held else words
        if not runs or not self.holds(read):
            return words
        if b"\0" not in read.head:
            return self._by_a_shell(read, words, at, path, depth)
        self.sealed = True
        if os.path.isdir("/proc/self/fd"):
            through = {*map(os.path.basename, words[:at])}
            called = (
                ""
                if (at == 0 and depth == 0) or through & _CHANGING
                else os.path.basename(words[at])
            )
            held = self.pieces.binary(read, called, prompt=self.prompt and not through & _WAITING)
        else:
            held = self.pieces.take(read, os.path.basename(read.real))
        if at == 0 and depth == 0:
            self.executable = held
            return words
        return [*words[:at], held, *words[at + 1 :]]

    def _by_a_shell(
        self, read: Contents, words: list[str], at: int, path: str, depth: int
    ) -> list[str]:
        """The words for a script without a `#!` line, which the kernel refuses: the shell that was told to run it runs it itself.

        So does the C library for a program that runs its arguments, with `/bin/sh`; nobody does for a command without a shell.
        """
        if at == 0 and depth == 0:
            return words
        shell = self.shell if at == 0 else "/bin/sh"
        shown = words[at] if "/" in words[at] else path
        self.sealed = True
        return [
            *words[:at],
            *sealed_words("shell", [shell, shown], read, self.pieces),
            *words[at + 1 :],
        ]

    def _by_its_line(
        self, read: Contents, shown: str, rest: list[str], cwd: str, depth: int, *, runs: bool
    ) -> list[str]:
        """The words that the kernel would run for a script with a `#!` line.

        Where its mode lets nobody run it, they stay as they are; its interpreter counts all the same, so that whoever makes it
        executable changes nothing that was approved.
        """
        line = os.fsdecode(read.head[2:].partition(b"\n")[0]).strip(" \t")
        interpreter, option = [*line.split(None, 1), "", ""][:2] if "\r" not in line else (line, "")
        before = [interpreter, *([option] if option else [])]
        if interpreter.endswith("/env") and option.startswith("-S"):
            before = [interpreter, *option.removeprefix("-S").split()]
        words = [*before, shown, *rest]
        found = self.reading(words, cwd)
        program = self.program(words[found.program_at], cwd) if interpreter else ""
        if program and shown in self.chosen:  # whoever chose the script chose what runs it
            self.chosen.add(program)
        if not program:
            why = ": its first line ends with a carriage return" if "\r" in line else ""
            self.lacks(f"the interpreter of `{shown}` was not found{why}", certain=depth == 0)
            return [shown, *rest]
        self.interpreter(words[found.program_at], program)
        self.open += [found.unknown] if found.unknown else []
        if not runs:
            return [shown, *rest]
        family = found.family.name if found.at == len(before) and self.holds(read) else "copy"
        start = found.program_at if found.at == len(before) else 0
        self.sealed = True
        return [
            *words[:start],
            *sealed_words(family, words[start : len(before) + 1], read, self.pieces),
            *rest,
        ]


def _assignment(word: str) -> tuple[str, str] | None:
    name, sign, value = word.partition("=")
    return (name, value) if sign and name.isidentifier() else None


def _entries(folder: str) -> list[str]:
    """What lies in a folder and may be executed."""
    try:
        return sorted(
            entry for entry in os.listdir(folder) if os.access(f"{folder}/{entry}", os.X_OK)
        )
    except OSError:
        return []
