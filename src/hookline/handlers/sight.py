"""Look: what a command hook would run now, found as the runner finds it, read once, and sealed to be run as it was read."""

from __future__ import annotations

import os

from hookline.errors import HandlerError
from hookline.handlers import command
from hookline.handlers.lines import READERS, WRITERS, Lines
from hookline.model.handler import Command
from hookline.model.sight import Sealed, Sight
from hookline.text.words import BUILTINS, commands, stepped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hookline.core.dispatch import Run
    from hookline.handlers.lines import Change
    from hookline.text.words import Simple, Word

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
    near = (run.event.cwd, os.path.dirname(run.spec.origin.file))
    looking = _Look(what.cwd or run.event.cwd or os.getcwd(), what.env, near)
    looking.declared(handler.env, run.spec.files)
    return looking.at(what.argv)


class _Look(Lines):
    """One look at one command line: what was found, and what of it is sealed."""

    def at(self, argv: Sequence[str]) -> Sight:
        words = self.line(list(argv), self.cwd, certain=True) if argv else list(argv)
        sealed = Sealed(argv=tuple(words), pieces=tuple(self.pieces.pieces), executable=self.executable) if self.sealed else None
        in_place = self.pieces.in_place
        return Sight(
            files=tuple(file.replace(in_place=True) if file.real in in_place else file for file in self.files.values()),
            open=tuple(dict.fromkeys(self.open)),
            missing=tuple(self.missing),
            sealed=sealed,
            watched=self.watched or bool(in_place),
        )

    # -- text ------------------------------------------------------------------------------------------------------

    def text(self, text: str, cwd: str, depth: int) -> str:
        """The shell text that runs what this one would run now: each word that names a script is replaced, nothing else."""
        found = commands(text, self.env) if depth <= _DEEPEST else None
        if found is None:
            self.open.append(_UNREADABLE)
            self.name([text], [cwd])
            return text
        path, fed, self.fed = self.path, self.fed, False
        source, changed = text.encode("utf-8", "surrogatepass"), []
        base: str | None = cwd
        for at, simple in enumerate(found):
            values = [word.value for word in simple.words]
            if values[:1] == ["cd"]:
                base = os.path.join(cwd, values[1]) if at == 0 and len(values) == 2 and values[1] is not None else None  # noqa: PLR2004 - `cd X`
            else:
                changed += self._simple(simple, base, depth)
        if self.fed:
            self.name(_words_of(found), [base or cwd], anything=True)
        self.path, self.fed = path, fed or self.fed
        if not changed:
            return text
        import shlex  # noqa: PLC0415 - few hooks are more than the name of a program

        for start, end, words in sorted(changed, reverse=True):
            source = source[:start] + os.fsencode(" ".join(map(shlex.quote, words))) + source[end:]
        return os.fsdecode(source)

    def _simple(self, simple: Simple, base: str | None, depth: int) -> list[Change]:
        """What to put in the place of which bytes, so that a command runs what was read."""
        before = self.path
        self.assigned(simple.sets, base or self.cwd)
        if not simple.words:
            return []
        words, by_default = stepped(simple.words)
        if by_default:
            self.path = os.defpath
        made = self._stepped(simple, words, base, depth) if words else []
        self.path = before
        if simple.apart and made:  # there is a redirection in between
            self.watched = True
            return []
        return made

    def _stepped(self, simple: Simple, words: Sequence[Word], base: str | None, depth: int) -> list[Change]:
        values = _certain(words)
        if not values or values[0] == "eval":
            self.open.append("what a program does that only the shell can name")
            self.fed = True
            return []
        if values[0] in _SOURCING:
            return self._sourced(words, values, base)
        if values[0] == "trap":
            return self._trapped(words, base, depth)
        if values[0] in BUILTINS and values[0] != "time":
            self.name(values[1:] if values[0] not in READERS else (), [base or self.cwd])
            return []
        return self._run(simple, words, values, base, depth)

    def _run(self, simple: Simple, words: Sequence[Word], values: list[str], base: str | None, depth: int) -> list[Change]:
        found = self.reading(values, base or self.cwd)
        run = [values[found.program_at], *([values[found.at]] if found.at is not None else [])]
        if base is None and any(not os.path.isabs(word) for word in run if word is not run[0] or "/" in word):
            self.open.append(f"`{' '.join(run)}`: from which folder is only known when it runs")
            return []
        runs_nothing = found.program_at in found.through or (found.family.name and found.at is None and found.text_at is None)
        if len(values) != len(words) and runs_nothing and not found.is_code:
            self.open.append(f"what `{values[0]}` runs is only known when it runs")
            self.fed = True
            return []
        around, self.changes = self.changes, []
        self.given = simple.reads[-1] if simple.reads and (base or os.path.isabs(simple.reads[-1].value or "")) else None
        made = self.line(list(values), base or self.cwd, certain=False, depth=depth)
        own = [(words[0].start, words[len(values) - 1].end, made)] if made != values else []
        changes, self.changes, self.given = [*own, *self.changes], around, None
        return changes

    def _trapped(self, words: Sequence[Word], base: str | None, depth: int) -> list[Change]:
        """`trap text signals`: the text is run later."""
        at = next((at for at, word in enumerate(words[1:], 1) if word.value != "--"), 0)
        text = words[at].value if at else "-"
        if text is None:
            self.open.append("what a trap runs is only known when it runs")
        if not text or text.startswith("-") or len(words) <= at + 1:
            return []
        made = self.text(text, base or self.cwd, depth + 1)
        return [(words[at].start, words[at].end, [made])] if made != text else []

    def _sourced(self, words: Sequence[Word], values: list[str], base: str | None) -> list[Change]:
        """`. file`: read from memory, where it is a path that is known."""
        name = values[1] if len(values) > 1 else ""
        read = self.cover("sourced", os.path.join(base or "", name)) if "/" in name and (base or os.path.isabs(name)) else None
        if read is None:
            self.open.append(f"what `{values[0]} {name}` reads")
            self.fed = True
            return []
        self.sealed = True
        return [(words[1].start, words[1].end, [self.pieces.file(read)])]


def _certain(words: Sequence[Word]) -> list[str]:
    """The words up to the first that only the shell can tell."""
    values = []
    for word in words:
        if word.value is None:
            break
        values.append(word.value)
    return values


def _words_of(found: Iterable[Simple]) -> list[str]:
    """All words of a text that are certain, less those of programs that write to what they name."""
    words = [word for simple in found for word in simple.reads]
    words += [word for simple in found if not simple.words or simple.words[0].value not in WRITERS for word in simple.words]
    return [word.value for word in words if word.value]
