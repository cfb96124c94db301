"""The ways by which hooks come to an engine, and the sources that are read from each."""

from __future__ import annotations

import os
import stat

from hookline.config.hook_files import (
    guess_dialect,
    list_files,
    make_stamp,
    make_too_many_error,
    read_source,
    split_files,
)
from hookline.config.places import MOST_FILES, find_places, is_taken_over
from hookline.core.dialect import Loaded, Source
from hookline.engine.catalog import OWN
from hookline.engine.pack_problems import explain_missing
from hookline.errors import ConfigError, TrustError
from hookline.model.frozen import Frozen
from hookline.model.spec import CLONED, MANAGED, Origin, Problem
from hookline.paths import (
    find_home,
    is_below,
    nearest_with,
    open_nonblocking,
    shorten_home,
    state_folder,
)
from hookline.text.re2_regex import RegexBudget
from hookline.trust.owner import find_project
from hookline.trust.state import is_of_root
from hookline.trust.store import Store
from hookline.wire.parsers import parse
from hookline.wire.sources import refuse_unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, TypeAlias

    from hookline.config.hook_files import Stamp
    from hookline.core.dialect import Dialect

    Way: TypeAlias = "Discovery | Named | Given"
    Key: TypeAlias = tuple[str, str]
    Listed: TypeAlias = tuple[Source, Dialect, ConfigError | None]


MOST_HOOKS = 200
_WORD = b"hooks"
_USUAL = {"match_tools": "native", "gated": False}  # of a hook as its dialect loads it
_HEAD = 1 << 20  # bytes of a file in which the word is looked for


class Search(Frozen):
    """The context of a search for files.

    `make` returns a dialect by its name. `dropped`: dialects with scopes that are left out.
    `placed`: find line numbers of everything. `gated`: approvals count.
    """

    cwd: str
    environ: Mapping[str, str]
    make: Callable[[str], Dialect]
    dropped: frozenset[tuple[str, str]] = frozenset()
    placed: bool = True
    gated: bool = False

    def is_dropped(self, dialect: str, scope: str, path: str) -> bool:
        """Whether a file is left out; what hookline took over from a host never is."""
        return (dialect, scope) in self.dropped and not is_taken_over(path)


class Discovery(Frozen):
    """A search of the places of one `dialect`, or of all, except those that the loader dropped.

    `parses_new`: whether that includes the files of a project without approvals.
    """

    trust: str
    mode: str
    match_tools: str
    dialect: str = ""
    parses_new: bool = True


class Named(Frozen):
    """A file or folder that the user named.

    `place`: its source without text; `base`: the folder that its path is relative to.
    """

    place: Source
    dialect: Dialect
    base: str


class Given(Frozen):
    """A tree or a text that is in no file."""

    source: Source
    dialect: Dialect


class LoadedSource(Frozen):
    """A source with its hooks, which are `loaded` after its text was read.

    `way`: how it was found. `error`: why it cannot be read. `stamp`: of its file before the last
    reading, empty without one. `key`: its whole path and its dialect, which name it among all
    files. `is_linked`: only a `hookline.yaml` names it, so that no host runs its hooks.
    `newer_problems`: those of a newer version that is not in force.
    """

    source: Source
    dialect: Dialect
    way: Way
    error: ConfigError | None = None
    stamp: Stamp = ()
    key: Key = ("", "")
    is_linked: bool = False
    loaded: Loaded = Loaded()
    newer_problems: tuple[Problem, ...] = ()

    def load(self) -> LoadedSource:
        """Return the source with its hooks; if it has problems, with line numbers."""
        source = self.source
        loaded = self._load_within_budget(source)
        if loaded.problems and source.text is not None and not source.placed:
            loaded = self._load_within_budget(source.replace(placed=True))
        if source.scope in CLONED:
            loaded = _apply_limit(loaded, source.file)
        given: dict[str, Any] = {"match_tools": source.match_tools, "gated": source.gated}
        if given != _USUAL:
            # A dialect of no host matches by canonical names, whatever a source says.
            specs = (
                spec.replace(**given)
                if spec.match_tools == "native"
                else spec.replace(gated=source.gated)
                for spec in loaded.specs
            )
            loaded = loaded.replace(specs=tuple(specs))
        return self.replace(loaded=loaded)

    def _load_within_budget(self, source: Source) -> Loaded:
        """Load a source, if its expressions together are not too large."""
        error = self.error
        if error is None:
            with RegexBudget() as budget:
                try:
                    loaded = self.dialect.load(source)
                except ConfigError:
                    if not budget.is_spent:
                        raise
                if not budget.is_spent:
                    return loaded
            error = ConfigError(
                "the expressions of this file need too much memory together",
                name="config.too-large",
                place=source.file,
                hint="use fewer or smaller counted repetitions, such as `{500}`",
            )
        return refuse_unreadable(source, self.dialect.table, error)


# -- listing -----------------------------------------------------------------------------------


def list_sources(search: Search, way: Discovery | Named) -> Iterator[Listed]:
    """Yield the files of a way now, each as a source without text.

    A folder that cannot be listed comes with the reason.

    Raises:
        ConfigError: what was named is not there, or cannot be listed.
    """
    yield from _list_named(search, way) if isinstance(way, Named) else _discover(search, way)


def _list_named(search: Search, way: Named) -> Iterator[Listed]:
    path = os.path.join(way.base, way.place.file) if os.getcwd() != way.base else way.place.file
    files, error = split_files(path, list_files(path, way.dialect.table.name))
    for file in files:
        yield way.place.replace(file=file, placed=search.placed), way.dialect, None
    if error is not None:
        yield way.place.replace(file=path), way.dialect, error


def _discover(search: Search, way: Discovery) -> Iterator[Listed]:
    """Yield the files of all places; those of a project only where they are to be parsed."""
    counts: dict[tuple[str, str], int] = {}
    reads_project = way.parses_new or has_approvals(search.cwd, search.environ)
    for found in find_places(search.cwd, search.environ, way.dialect):
        is_cloned = found.scope in CLONED
        is_dropped = search.is_dropped(found.dialect, found.scope, found.path)
        if is_dropped or (is_cloned and not reads_project):
            continue
        dialect = search.make(found.dialect)
        # Policy that only root can have written runs without an approval.
        trusted = (
            way.trust == "all"
            or (way.trust == "user" and not is_cloned)
            or (found.scope == MANAGED and is_of_root(found.path))
        )
        place = Source(
            file=found.path, scope=found.scope, mode=way.mode, trusted=trusted,
            match_tools=way.match_tools, placed=search.placed,
            gated=search.gated and way.trust == "user",
        )  # fmt: skip
        if is_cloned and not os.path.isdir(found.path):
            folder, name = os.path.split(found.path)
            count = counts[found.dialect, folder] = counts.get((found.dialect, folder), 0) + 1
            if count > MOST_FILES:
                yield place.replace(file=folder), dialect, make_too_many_error(folder, name)
                continue
        try:
            listed = list_files(found.path, found.dialect, level=True)
        except ConfigError as error:
            yield place, dialect, error
            continue
        files, beyond = split_files(found.path, listed)
        for file in files:
            yield place.replace(file=file), dialect, None
        if beyond is not None:
            yield place, dialect, beyond


# -- reading -----------------------------------------------------------------------------------


def read_sources(search: Search, way: Way) -> list[LoadedSource]:
    """Return the sources of a way now, read and not yet loaded, with those that they link to.

    A file that is found and linked to counts once, as the link says.

    Raises:
        ConfigError: as `list_sources`.
    """
    if isinstance(way, Given):
        return [LoadedSource(source=way.source, dialect=way.dialect, way=way)]
    found = list(_read_files(search, way))
    linked = {link.key: link for each in found for link in _read_linked(search, each)}
    return [
        *(each for each in found if each.key not in linked),
        *(
            each.replace(is_linked=not (linked and _is_of_host(search, way, key)))
            for key, each in linked.items()
        ),
    ]


def _is_of_host(search: Search, way: Discovery | Named, key: Key) -> bool:
    """Return whether a host runs the hooks of a file, found or left to that host."""
    if isinstance(way, Named):
        return False
    file, dialect = key
    places = find_places(search.cwd, search.environ, way.dialect)
    return any(each.dialect == dialect and is_below(file, each.path) for each in places)


def _read_linked(search: Search, parent: LoadedSource) -> Iterator[LoadedSource]:
    """Yield the files under `sources` of a `hookline.yaml` (docs/formats/hookline.md 2).

    What is not written as it should be is left to the loader, which reports it.
    """
    text = parent.source.text or ""
    if parent.key[1] != OWN or "sources" not in text:
        return
    try:
        tree = parse(text, parent.source.file).value
    except ConfigError:
        return
    entries = tree.get("sources") if isinstance(tree, dict) else None
    project = search.cwd if parent.source.scope in CLONED else ""
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("path"), str):
            yield from _read_link(search, parent, entry, project)


def _read_link(
    search: Search, parent: LoadedSource, entry: Mapping[str, Any], project: str
) -> Iterator[LoadedSource]:
    source, home = parent.source, find_home(search.environ)
    named = entry["path"].replace("~", home, 1) if entry["path"].startswith("~/") else entry["path"]
    path = os.path.normpath(os.path.join(os.path.dirname(parent.key[0]), named))
    is_free = entry.get("trust") == "all" and not project
    place = source.replace(
        file=path,
        text=None,
        mode=entry.get("mode") or source.mode,
        gated=source.gated and not is_free,
        companions={},
    )
    if Origin(file=path).pack and not (is_free or getattr(parent.way, "trust", "") == "all"):
        # Other people's code: it needs an approval, in whatever way the link was found.
        place = place.replace(trusted=False, gated=search.gated)
    dialect, files, error = parent.dialect, [path], None
    try:
        dialect = search.make(entry.get("dialect") or guess_dialect(path))
        files, error = split_files(path, list_files(path, dialect.table.name))
    except ConfigError as missing:
        # Guards that were named and are not there are failed guards, also where a host goes on.
        error, place = (
            explain_missing(path, search.environ) or missing,
            place.replace(mode="strict"),
        )
    for file in files:
        yield _read_file(search, parent.way, place.replace(file=file), dialect, error, project)


def _read_files(search: Search, way: Discovery | Named) -> Iterator[LoadedSource]:
    """Yield the files of a way."""
    project = search.cwd if isinstance(way, Discovery) else ""
    for place, dialect, error in list_sources(search, way):
        yield _read_file(search, way, place, dialect, error, project)


def _read_file(
    search: Search,
    way: Way,
    place: Source,
    dialect: Dialect,
    error: ConfigError | None,
    project: str,
) -> LoadedSource:
    """Return a file with its text, or with why it cannot be read."""
    name = dialect.table.name
    stamp = make_stamp(place.file, name)
    if isinstance(way, Named) and not _is_plain(stamp):
        stamp = ()  # a named pipe is read once
    path = os.path.abspath(place.file)
    source = place.replace(label=label_file(path, place.scope, project, search.environ))
    if error is None:
        try:
            _check_file(place, stamp, project)
            source = read_source(source, name)
        except ConfigError as unreadable:
            error = unreadable
    return LoadedSource(
        source=source, dialect=dialect, way=way, error=error, stamp=stamp, key=(path, name)
    )


def label_file(path: str, scope: str, project: str, environ: Mapping[str, str]) -> str:
    """Return how ids name a file, by its path alone: in its project, below the home, or as a whole.

    Of a file that the user named, the last folder and the name. The version of a plugin, a folder
    whose name begins with a digit, is left out, so that its ids outlast an update.

    Args:
        path: the whole path.
        scope: of the file.
        project: the folder in which it was found; empty for a named file.
        environ: where the home is found.
    """
    if not project:
        return "/".join(path.rsplit("/", 2)[-2:])
    if scope in CLONED:
        return path.removeprefix(f"{os.path.abspath(project)}/")
    first, *folders, name = shorten_home(path, environ).split("/")
    if first != "~":
        return path
    return "/".join([first, *(each for each in folders if not each[:1].isdigit()), name])


def _check_file(place: Source, stamp: Stamp, project: str) -> None:
    """Check that a file may be read.

    `project`: the folder in which it was found; empty for a named file.

    Raises:
        ConfigError: reading it could block, or it is a project's and leads out of it.
    """
    if stamp and not _is_plain(stamp):
        raise ConfigError("is no plain file", name="config.unreadable", place=place.file)
    if project and place.scope in CLONED and not is_within(place.file, project):
        raise ConfigError("leads out of the repository", name="config.unreadable", place=place.file)


def _is_plain(stamp: Stamp) -> bool:
    return len(stamp[0]) == 1 or stat.S_ISREG(stamp[0][0])


# -- limits of a project's files ---------------------------------------------------------------


def is_within(path: str, project: str) -> bool:
    """Whether a path leads to what lies in the project, or in the repository around it."""
    real = os.path.realpath(path)
    roots = (os.path.realpath(project), os.path.realpath(nearest_with(project, ".git") or project))
    return any(real.startswith(f"{root.rstrip(os.sep)}{os.sep}") for root in roots)


def _apply_limit(loaded: Loaded, file: str) -> Loaded:
    """Return the hooks of a file up to the limit, and a problem where there are more."""
    if len(loaded.specs) <= MOST_HOOKS:
        return loaded
    first = loaded.specs[MOST_HOOKS].origin.with_line()
    problem = Problem(
        name="config.too-large",
        message=f"more than {MOST_HOOKS} hooks in this file: hookline loads none from here on",
        hint="remove the hooks that you do not use",
        origin=first if first.file else Origin(file=file),
    )
    return loaded.replace(specs=loaded.specs[:MOST_HOOKS], problems=(*loaded.problems, problem))


def has_approvals(project: str, environ: Mapping[str, str]) -> bool:
    """Whether a hook of this project is approved, or the approvals cannot be read.

    Also true for the user's home, which is no project.
    """
    found = find_project(project, environ)
    if found is None:
        return True
    folder = state_folder(environ)
    if not os.path.lexists(f"{folder}/approvals"):
        return False
    try:
        return bool(Store(folder).read_approvals(found.key).versions)
    except TrustError:
        return True


# -- files of a project without approvals --------------------------------------------------------


def may_hold_hooks(path: str, project: str) -> bool:
    """Whether a folder has an entry, or a file the word `hooks` in its first MiB.

    True if unreadable.
    """
    try:
        if os.path.isdir(path):
            with os.scandir(path) as entries:
                return any(True for _ in entries)
        if not stat.S_ISREG(os.stat(path).st_mode) or not is_within(path, project):
            return True
        with open(path, "rb", opener=open_nonblocking) as file:
            return _WORD in file.read(_HEAD)
    except OSError:
        return True
