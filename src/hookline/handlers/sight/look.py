"""Look: what a command hook would run now, found as the runner finds it, read once, and sealed to be run as it was read."""

from __future__ import annotations

import os
import re

from hookline.errors import HandlerError
from hookline.handlers import command
from hookline.handlers.sight.launching import Launching
from hookline.handlers.sight.lines import DEEPEST, READERS, WRITERS
from hookline.handlers.sight.reaching import way_to
from hookline.handlers.signing_key import state_folder
from hookline.model.handler import Command
from hookline.model.sight import Sealed, Sight
from hookline.model.spec import USER
from hookline.text.launched import UNSURE, is_acting, unfolded
from hookline.text.shell_words import (
    BUILTINS,
    find_callbacks,
    is_plain_command,
    parse_commands,
    skip_prefix_words,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hookline.core.dispatch import Run
    from hookline.handlers.sight.lines import Change
    from hookline.text.shell_words import SimpleCommand, Word

_SOURCING = (".", "source")
# Builtins whose words are names, values and numbers, and no files that anything runs.
_FILELESS = frozenset({
    "bg", "bind", "break", "caller", "compgen", "complete", "continue", "declare", "dirs", "disown", "exit", "export", "false", "fc", "fg",
    "getopts", "hash", "help", "history", "jobs", "kill", "let", "local", "logout", "mapfile", "popd", "pwd", "read", "readarray",
    "readonly", "return", "set", "shift", "shopt", "suspend", "times", "true", "type", "typeset", "ulimit", "umask", "unalias", "unset",
    "wait", ":",
})  # fmt: skip
# Programs, and builtins, that are soon over, and run and write none themselves.
_QUICK = (
    BUILTINS | READERS | {"date", "git", "hostname", "id", "mktemp", "sed", "uname", "whoami"}
) - {"eval", "trap", *_SOURCING}
# Programs that hand on what they are told, by files and by words.
_HANDING = frozenset({"cat", "echo", "head", "printf", "sed", "tac", "tail"})
_PARTING = (
    b"||",
    b"&&",
    b";",
    b"\n",
)  # what stands between two commands of which none reads the other
_UNREADABLE = "what the shell text runs: it cannot be read for sure"
# Texts, which `re` compiles and remembers when the first hook needs one: most need none.
# What a text that cannot be read for sure runs all the same: a path where a command stands, or behind a program that runs it.
_RUN = r"(?:^|[|;&({`\n]|\b(?:then|do|else|exec|time|source|(?:ba|da|k|z)?sh|python3?|node|perl|ruby)\b|(?<!\S)\.)[ \t]*\"?((?:~|\.{1,2})?/[\w./+@%-]+)"
_VARIABLE = rb'"?\$\{?(\w+)\}?"?'
_NOTHING = Sight()


def look(run: Run, environ: Mapping[str, str], root: str = "") -> Sight:
    """What a run would execute, in the project of that folder; nothing to see where its handler is no command."""
    handler = run.spec.handler
    if type(handler) is not Command:
        return _NOTHING
    try:
        what = command.build_program(
            handler, run.event, "", timeout=run.spec.timeout, cookie="", environ=environ
        )
    except HandlerError as error:
        return Sight(missing=(str(error),))
    near = (run.event.cwd, os.path.dirname(run.spec.origin.file))
    foreign = (run.event.cwd, root) if run.spec.origin.scope == USER else ()
    cwd = what.cwd or run.event.cwd or os.getcwd()
    looking = _Look(
        cwd, what.env, near, root=root, inherited=environ.get("PATH", ""), foreign=foreign
    )
    looking.shelf = f"{state_folder(environ)}/verified"
    looking.declared(handler.env, run.spec.files)
    return looking.at(what.argv)


class _Look(Launching):
    """One look at one command line: what was found, and what of it is sealed."""

    def at(self, argv: Sequence[str]) -> Sight:
        words = self.line(list(argv), self.cwd, certain=True) if argv else list(argv)
        sealed = (
            Sealed(argv=tuple(words), pieces=tuple(self.pieces.pieces), executable=self.executable)
            if self.sealed
            else None
        )
        in_place = self.pieces.in_place
        files = [
            file.replace(in_place=True) if file.real in in_place else file
            for file in self.files.values()
        ]
        if self.placed or in_place:
            files = [
                file.replace(way=way_to(file.path)) if self.may_stay(file) else file
                for file in files
            ]
        return Sight(
            files=tuple(files),
            open=tuple(dict.fromkeys(self.open)),
            missing=tuple(self.missing),
            sealed=sealed,
            watched=self.watched or bool(in_place),
        )

    # -- text ------------------------------------------------------------------------------------------------------

    def text(self, text: str, cwd: str | None, depth: int) -> str:
        """The shell text that runs what this one would run now: each word that names a script is replaced, nothing else."""
        base, cwd, alone, self.alone = cwd, cwd or self.cwd, self.alone, False
        found = parse_commands(text, self.env) if depth <= DEEPEST else None
        if found is None:
            self.open.append(_UNREADABLE)
            self.runs("program", re.findall(_RUN, text), cwd, bare=False)
            self.name([text], [cwd])
            return text
        path, fed, sure, self.fed = self.path, self.fed, self.sure, False
        prompt, self.prompt = (
            self.prompt,
            self.prompt and sum(not _is_quick(each) for each in found) <= 1,
        )
        outer, self.source = self.source, text.encode("utf-8", "surrogatepass")
        source, changed = self.source, []
        feeding: set[int] = set()
        for at, simple in enumerate(found):
            values = [word.value for word in simple.words]
            if values[:1] == ["cd"]:
                base = _gone(base, values[1:]) if at == 0 else None
            else:
                self.sure, self.alone = False, alone and is_plain_command(text, self.env)
                changed += self._simple(simple, base, depth)
                feeding |= _before(found, at, source) if self.sure else set()
        self._fed(found, feeding, base or cwd)
        self.source, self.prompt = outer, prompt
        self.path, self.fed, self.sure = path, fed or self.fed, sure or bool(feeding)
        if not changed:
            return text
        import shlex  # noqa: PLC0415 - few hooks are more than the name of a program

        for start, end, words in sorted(changed, reverse=True):
            source = source[:start] + os.fsencode(" ".join(map(shlex.quote, words))) + source[end:]
        return os.fsdecode(source)

    def _fed(self, found: Sequence[SimpleCommand], feeding: set[int], cwd: str) -> None:
        """What is run because something reads it: for certain, where it stands before that in a pipeline, or around it."""
        if not self.fed:
            return
        for at, simple in enumerate(found):
            words = [word.value for word in simple.words if word.value]
            if feeding and (at in feeding or not words):
                self.runs("fed", [word.value for word in simple.reads if word.value], cwd)
            if at in feeding and words and os.path.basename(words[0]) in _HANDING:
                self.runs("fed", words[1:], cwd, bare=os.path.basename(words[0]) == "cat")
        self.name(_words_of(found), [cwd], anything=True)

    def _simple(self, simple: SimpleCommand, base: str | None, depth: int) -> list[Change]:
        """What to put in the place of which bytes, so that a command runs what was read."""
        before = self.path
        self.assigned(simple.sets, base or self.cwd)
        self.sets.update(simple.sets)
        if not simple.words:
            return []
        words, by_default = skip_prefix_words(simple.words)
        if by_default:
            self.path = os.defpath
        made = self._stepped(simple, words, base, depth) if words else []
        self.path = before
        if simple.apart and made:  # there is a redirection in between
            self.in_vain()
            return []
        return made

    def _stepped(
        self, simple: SimpleCommand, words: Sequence[Word], base: str | None, depth: int
    ) -> list[Change]:
        values = _certain(words)
        if not values or values[0] == "eval":
            self.open.append("what a program does that only the shell can name")
            self.fed = True
            self._assigned_to(words[len(values) :], base)
            if values and len(values) == len(words) > 1:  # it is known, and runs from where it lies
                self.text(" ".join(values[1:]), base or self.cwd, depth + 1)
                self.watched = self.placed = True
            return []
        if values[0] in self.aliases:
            self.later(" ".join([self.aliases.pop(values[0]), *values[1:]]), base)
        if values[0] in _SOURCING:
            return self._sourced(words, values, base)
        if values[0] == "trap":
            return self._trapped(words, base, depth)
        if values[0] in BUILTINS and values[0] != "time":
            for called in find_callbacks(values):
                self.later(called, base)
            if values[0] == "alias":
                self.aliases.update(
                    (name, text)
                    for name, sign, text in (each.partition("=") for each in values[1:])
                    if sign
                )
            self.name(
                values[1:] if values[0] not in READERS | _FILELESS else (), [base or self.cwd]
            )
            return []
        return self._run(simple, words, values, base, depth)

    def _run(
        self,
        simple: SimpleCommand,
        words: Sequence[Word],
        values: list[str],
        base: str | None,
        depth: int,
    ) -> list[Change]:
        whole = unfolded(values)
        found = self.reading(whole, base or self.cwd)
        if base is None and self.is_lost(whole, found):
            return []
        if len(values) != len(words) and found.runs_nothing():
            self.open.append(f"what `{values[0]}` runs is only known when it runs")
            self.fed = True
            self._assigned_to(words[len(values) :], base)
            return []
        around, self.changes = self.changes, []
        self.given = (
            simple.reads[-1]
            if simple.reads and (base or os.path.isabs(simple.reads[-1].value or ""))
            else None
        )
        self.cut, self.lost = len(values) != len(words), base is None
        self.alone = self.alone and simple.words[0].value in (values[0], "exec")
        made = self.line(list(values), base or self.cwd, certain=False, depth=depth)
        self.cut = self.lost = False
        if made != values and UNSURE in values:
            self.in_vain()
            made = values
        own = [(words[0].start, words[len(values) - 1].end, made)] if made != values else []
        changes, self.changes, self.given = [*own, *self.changes], around, None
        return changes

    def _assigned_to(self, words: Sequence[Word], base: str | None) -> None:
        """What the first of these words runs, where it is a variable to which the text itself assigned a path."""
        name = (
            re.fullmatch(_VARIABLE, self.source[words[0].start : words[0].end]) if words else None
        )
        if name is not None:
            self.runs(
                "program", [self.sets.get(name[1].decode()) or ""], base or self.cwd, bare=False
            )

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
        read = (
            self.cover("sourced", os.path.join(base or "", name))
            if "/" in name and (base or os.path.isabs(name))
            else None
        )
        if read is None:
            self.open.append(f"what `{values[0]} {name}` reads")
            if found := self._on_path(name, base or self.cwd):
                self.watch("sourced", found)
            else:
                self.fed = self.sure = True
            return []
        if not self.holds(read):
            return []
        self.sealed = True
        return [(words[1].start, words[1].end, [self.pieces.file(read)])]

    def _on_path(self, name: str, cwd: str) -> str:
        """The file that a shell reads by a bare name: the first on the path, or else the one in the working folder."""
        full = (
            os.path.join(cwd, folder, name)
            for folder in (*self.path.split(os.pathsep), "")
            if name and "/" not in name
        )
        return next(filter(os.path.isfile, full), "")


def _is_quick(simple: SimpleCommand) -> bool:
    """Whether a simple command is over at once, and writes no program."""
    words, _ = skip_prefix_words(simple.words)
    return not words or (words[0].value in _QUICK and words[0].value == simple.words[0].value)


def _before(found: Sequence[SimpleCommand], at: int, source: bytes) -> set[int]:
    """The places of a simple command, of those before it in its pipeline, and of those inside of its words."""
    last, places = found[at], {at}
    for place, simple in enumerate(found):
        if (
            simple.words
            and last.words
            and last.words[0].start <= simple.words[0].start < last.words[-1].end
        ):
            places.add(place)
    for place in range(at - 1, -1, -1):
        before, after = found[place], found[place + 1]
        if not before.words or not after.words:
            break
        between = source[before.words[-1].end : after.words[0].start]
        if before.words[-1].end <= after.words[0].start and (
            b"|" not in between or any(each in between for each in _PARTING)
        ):
            break
        places.add(place)
    return places


def _gone(base: str | None, words: Sequence[str | None]) -> str | None:
    """The folder that `cd` goes to; None where that is not known."""
    folder = words[0] if len(words) == 1 else None
    return (
        os.path.join(base or "", folder)
        if folder is not None and (base is not None or os.path.isabs(folder))
        else None
    )


def _certain(words: Sequence[Word]) -> list[str]:
    """The words up to the first that only the shell can tell; of `find`, which says itself where its actions stand, all."""
    told = [UNSURE if word.value is None else word.value for word in words]
    if told and is_acting(told):
        return told
    values = []
    for word in words:
        if word.value is None:
            break
        values.append(word.value)
    return values


def _words_of(found: Iterable[SimpleCommand]) -> list[str]:
    """All words of a text that are certain, less those of programs that write to what they name."""
    words = [word for simple in found for word in simple.reads]
    silent = WRITERS | _FILELESS
    words += [
        word
        for simple in found
        if simple.words and simple.words[0].value not in silent
        for word in simple.words
    ]
    return [word.value for word in words if word.value]
