"""Named: the files that words name, or code, and which of these look as if somebody could run them."""

from __future__ import annotations

import os
import re
import stat
import sys

from hookline.paths import nearest_with, real_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# What a package manager of the system put there as root is the system's, whatever it is today; in other places of a system root may
# have put a binary, as images with a Python or a Node of their own do, but a script there is somebody's.
_PACKAGED = (
    "/usr/bin/", "/usr/sbin/", "/usr/lib", "/usr/share/", "/usr/games/", "/bin/", "/sbin/", "/lib", "/nix/store/", "/snap/",
)  # fmt: skip
_SYSTEM = (*_PACKAGED, "/usr/")
_SOURCES = ("/usr/src/",)  # where images put what they are about
_RUNNABLE = (
    ".sh", ".bash", ".zsh", ".ksh", ".fish", ".py", ".pyc", ".pyz", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx", ".rb",
    ".pl", ".pm", ".php", ".lua", ".awk", ".sed", ".jq", ".mk", ".tcl", ".exp", ".ps1", ".jar", ".so", ".dylib", ".r", ".R", ".go", ".bat",
    ".cmd", ".scm", ".el", ".vim", ".nix", ".wasm", "Makefile", "makefile",
)  # fmt: skip
# Texts, which `re` compiles and remembers when the first hook needs one: most need none.
# A word in quotes or behind a sign: `--file=./x.sh`, `system("./x.sh")`, `a:b`.
_PART = r"[\w@%+./~-]+"
_NAME = r"(?a)[A-Za-z_]\w*"
MOST = 256  # tokens of one word


def is_systems(real: str, projects: Sequence[str] = ()) -> bool:
    """Whether a file is the system's own: only root may write it, it lies where a system keeps its own, and in none of these projects.

    Where hookline runs as root, as in a container, an owner proves nothing: so does a place that is the agent's.
    """
    if (
        not real.startswith(_SYSTEM)
        or real.startswith(_SOURCES)
        or any(real.startswith(f"{each}/") for each in projects)
    ):
        return False
    return _is_roots(real) and (real.startswith(_PACKAGED) or not _is_script(real))


def _is_roots(path: str) -> bool:
    try:
        found = os.stat(path)
    except OSError:
        return False
    return found.st_uid == 0 and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _is_script(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return False


def among_systems(folders: Iterable[str]) -> tuple[str, ...]:
    """Of these folders, and of the repositories that they lie in, those that lie among the system's own."""
    below = {real_path(each) for each in folders if os.path.isabs(each)}
    below = {each for each in below if f"{each}/".startswith(_SYSTEM)}
    return tuple(
        each
        for each in {*below, *map(repository, below)}
        if each and not any(f"{own}/".startswith(f"{each}/") for own in _SYSTEM)
    )


def repository(folder: str) -> str:
    """The nearest repository that a folder lies in; empty where there is none."""
    return nearest_with(folder, ".git")


def files_named(
    word: str,
    folders: Sequence[str],
    home: str,
    *,
    anything: bool = False,
    bare: bool = False,
    projects: Sequence[str] = (),
) -> Iterator[str]:
    """The files that a word names, as a whole or in parts, seen from these folders, less the system's own that lie in no project.

    Those that look as if they could be run; `anything`: any. A word without a `/` is data: `exit 2` names no file `2`. Where a
    program takes its file by a bare name, `bare`.
    """
    for part in _tokens(word):
        if "/" not in part and not bare:
            continue
        path = home + part[1:] if part.startswith("~/") else part
        for folder in folders if not os.path.isabs(path) else ("",):
            full = os.path.join(folder, path)
            if (
                _is_file(full)
                and (anything or is_runnable(full))
                and not is_systems(real_path(full), projects)
            ):
                yield full


def _tokens(word: str) -> Iterable[str]:
    """The word; of a longer one each part that could be a path; and what is glued to a one-letter option."""
    tokens = [word]
    if not re.fullmatch(_PART, word):
        tokens += [
            each for each in re.findall(_PART, word)[:MOST] if "/" in each or "." in each.strip(".")
        ]
    if word.startswith("-"):
        tokens.append(word[2:])
    return dict.fromkeys(token for token in tokens if token.strip("./~-"))


def is_runnable(path: str) -> bool:
    """Whether a file looks as if somebody could run it: by its mode, its name or its first line."""
    try:
        if os.stat(path).st_mode & 0o111 or path.endswith(_RUNNABLE):
            return True
    except (OSError, ValueError):
        return False
    return _is_script(path)


def module_files(name: str, folder: str) -> Iterator[str]:
    """The files in a folder that `python -m` runs for a dotted name: those of each package on the way, and the module's own."""
    *packages, last = name.split(".")
    if not all(map(str.isidentifier, (*packages, last))):
        return
    for package in packages:
        folder = f"{folder}/{package}"
        yield from filter(_is_file, (f"{folder}/__init__.py",))
    own = [
        path
        for each in ("__init__.py", "__main__.py")
        if _is_file(path := f"{folder}/{last}/{each}")
    ]
    yield from own or filter(_is_file, (f"{folder}/{last}.py",))


def is_librarys(module: str) -> bool:
    """Whether a module is one of Python's own library, by its name."""
    return module.partition(".")[0] in sys.stdlib_module_names


def modules_named(code: Iterable[str], folder: str) -> Iterator[str]:
    """The files in a folder that Python takes for a module which the code names, or for one of its own library.

    What is given as code, or as a module, finds modules in the working folder first.
    """
    wanted = {name for word in code for name in re.findall(_NAME, word)} | sys.stdlib_module_names
    try:
        entries = sorted(os.listdir(folder))
    except OSError:
        return
    for entry in entries:
        stem, suffix = os.path.splitext(entry)
        if stem not in wanted:
            continue
        if suffix == ".py" and _is_file(f"{folder}/{entry}"):
            yield f"{folder}/{entry}"
        elif not suffix:
            yield from (
                path
                for name in ("__init__.py", "__main__.py")
                if _is_file(path := f"{folder}/{entry}/{name}")
            )


def _is_file(path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False
