"""Importing: what an interpreter loads by a name before, or for, what it is told to run, and how a user's hook is kept from a clone's."""

from __future__ import annotations

import os
import re

from hookline.handlers.sight.contents import contents
from hookline.handlers.sight.covering import Covering
from hookline.handlers.sight.named import is_librarys, module_files, modules_named, repository
from hookline.paths import real_path
from hookline.text.embedded import values
from hookline.text.required import is_nodes_own, required

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hookline.text.programs import Reading

# Texts, which `re` compiles and remembers when the first hook needs one: most need none.
_MODULE = r"(?s)-[A-VYZa-z]*?m(.*)"
_SAFE = (
    r"python3\.(?:1[1-9]|[2-9]\d)"  # whose `-P` keeps the working folder out of what is imported
)
_SUFFIXES = ("", ".js", ".cjs", ".mjs", ".ts", ".json", ".node", "/index.js", "/package.json")


class Loading:
    """How an interpreter is told to load something first: `names` are the options behind which a name or a path stands.

    `folders`: those that say where a name is found; `here`: a name is also found from the working folder; `data`: files that may say more.
    """

    __slots__ = ("data", "folders", "here", "names")

    def __init__(
        self,
        *names: str,
        folders: tuple[str, ...] = (),
        here: bool = False,
        data: tuple[str, ...] = (),
    ) -> None:
        self.names = names
        self.folders = folders
        self.here = here
        self.data = data


_NODE = Loading(
    "-r", "--require", "--import", "--loader", "--experimental-loader", here=True, data=("--env-file", "--env-file-if-exists"),
)  # fmt: skip
_LOADINGS: Mapping[str, Loading] = {
    **dict.fromkeys(("node", "nodejs", "tsx", "ts-node"), _NODE),
    "bun": Loading("-r", "--preload", "--require", "--import", here=True),
    "perl": Loading("-M", "-m", folders=("-I",)),
    "ruby": Loading("-r", "--require", folders=("-I",)),
    **dict.fromkeys(("lua", "luajit"), Loading("-l", here=True)),
}
_VERSION = "0123456789."


class Importing(Covering):
    """A hook's files, with those that are loaded by a name.

    `foreign`: folders from which nothing is to be imported, and `kept`: what is not because of that. `sealed`: something was put into its words.
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
        super().__init__(cwd, env, near, root=root, inherited=inherited)
        self.foreign = tuple(real_path(each) for each in foreign if each)
        self.kept: list[str] = []
        self.sealed = False

    def imports(self, words: list[str], found: Reading, path: str, cwd: str) -> list[str]:
        """The words of `python -c` and `-m`, and of one that is fed, which import from the working folder first.

        For a hook that is not of the project that folder is a stranger's: it is left out, where this Python can do that.
        """
        at = found.program_at
        module = _module_of(words[at + 1 :]) if found.unknown else ""
        own = [*module_files(module, cwd)]
        shadows = [*modules_named(words[at + 1 :], cwd)]
        real = real_path(cwd)
        is_foreign = any(real == each or real.startswith(f"{each}/") for each in self.foreign)
        if (
            is_foreign
            and (not own or is_librarys(module))
            and re.fullmatch(_SAFE, os.path.basename(real_path(path)))
        ):
            self.kept += shadows
            self.sealed = True
            return [*words[: at + 1], "-P", *words[at + 1 :]]
        for file in own:
            self.watch("module", file)
        for file in shadows:
            if file not in own:
                self.watch("named", file)
        return words

    def loads(self, words: Sequence[str], found: Reading, cwd: str) -> None:
        """What an interpreter loads by its options, and Node because of code among the words."""
        name = os.path.basename(words[found.program_at]).rstrip(_VERSION)
        row = _LOADINGS.get(name)
        if row is None:
            return
        options = words[found.program_at + 1 : found.at]
        told = values(options, row.names)
        folders = [
            *values(options, row.folders),
            *(each for each in told if each.startswith("lib=")),
        ]
        for each in told:
            self._load(name, each, cwd, here=row.here)
        if folders and (found.is_code or told):
            self.open.append(f"what `{name}` finds in `{folders[0]}`")
        self.open += [f"what `{name}` is told by `{each}`" for each in values(options, row.data)]
        for each in _required(options) if found.is_code and row is _NODE else ():
            if _is_path(each):
                self.name(_resolved(each, cwd), [cwd])
            else:
                self.open.append(
                    f"what `{name}` loads by the name `{each}`"
                    if each
                    else f"what `{name}` loads by a name that its code makes"
                )

    def _load(self, name: str, what: str, cwd: str, *, here: bool) -> None:
        """What is loaded first: a path is run for certain; a name may be found in the working folder, or in those around it."""
        if _is_path(what):
            for file in _resolved(what, cwd):
                self.watch("script", file)
        elif here and not is_nodes_own(what):
            self.open.append(f"what `{name}` loads by the name `{what}`")

    def surrounded(self, words: Sequence[str], found: Reading, cwd: str) -> None:
        """What a project around the working folder has a tool run, before what it is told to run: a stranger's, in a hook that is none of it."""
        name = words[found.program_at]
        for at, end in found.around:
            if "/" not in name and not found.family.name:
                self.open.append(f"what `{name}` is: what runs it finds it")
            elif words[at + 1] != "run":
                self.open.append(
                    f"what `{os.path.basename(words[at])}` is told by the project around it"
                )
            elif self.foreign:
                folder = os.path.join(cwd, *found.folders)
                script = (
                    os.path.join(folder, words[found.at])
                    if found.program_at == at and found.at is not None
                    else ""
                )
                self._around(words[at + 2 : end], script, folder)

    def _around(self, options: Sequence[str], script: str, folder: str) -> None:
        from hookline.handlers.sight.around import files_around  # noqa: PLC0415 - few hooks are run by uv

        strangers = self._strangers()
        # For a script uv looks around that script; older ones looked around the working folder.
        apart = os.path.isabs(script) and not any(
            real_path(script).startswith(f"{each.rstrip('/')}/") for each in strangers
        )
        for role, path in files_around(
            options, contents(script) if script else None, folder, strangers
        ):
            if apart:
                pass  # it is told
            elif role == "interpreter":
                self.interpreter(path, path)
            else:
                self.cover(role, path)
            self.open.append(f"what `uv` runs because of `{path}`")

    def _strangers(self) -> Sequence[str]:
        """The folders that are a stranger's, with the repositories that they lie in; none that the user's home lies in."""
        home = f"{real_path(self.home)}/"
        return [
            each
            for own in self.foreign
            for each in (own, repository(own))
            if each and not home.startswith(f"{each.rstrip('/')}/")
        ]


def _module_of(words: Sequence[str]) -> str:
    """The module after `-m`."""
    for word, after in zip(words, [*words[1:], ""], strict=True):
        if found := re.fullmatch(_MODULE, word):
            return found[1] or after
    return ""


def _required(words: Sequence[str]) -> Iterator[str]:
    return (name for word in words for name in required(word))


def _is_path(name: str) -> bool:
    return name.startswith(("./", "../", "/", "file:")) or name in {".", ".."}


def _resolved(name: str, cwd: str) -> list[str]:
    """The files that a path may mean to Node, which puts suffixes behind it."""
    full = os.path.join(cwd, name.removeprefix("file://"))
    return [full + suffix for suffix in _SUFFIXES if os.path.isfile(full + suffix)]
