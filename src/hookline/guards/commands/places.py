"""Classifies a path by what it leads to: a system folder, the project, a cache; without IO."""

from __future__ import annotations

import enum
import posixpath
from fnmatch import fnmatchcase
from functools import lru_cache

from hookline.text import lazy_re as re
from hookline.text.script.reading import UNKNOWN, make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hookline.text.script.budget import Budget
    from hookline.text.script.reading import Word


class Place(enum.Enum):
    """What a path leads to."""

    ROOT = "the root of the file system"
    HOME = "a home folder"
    SYSTEM = "a system folder"
    DEVICE = "a disk"
    PSEUDO = "a device without data"
    CACHE = "temporary files, a cache or build output"
    PROJECT = "the project"
    ABOVE = "a folder with the project in it"
    SOURCE = "a part of the project"
    PERSONAL = "documents or configuration of the user"
    OUTSIDE = "a folder outside of the project"
    UNKNOWN = "an unknown path"


# Places without which the system, or the user's account, does not work.
ROOTS = (Place.ROOT, Place.HOME, Place.SYSTEM)


class Context:
    """Where a command runs, and how long its judgement may take.

    Attributes:
        home: the home folder, an absolute path; may be empty.
        project: the folder of the project, an absolute path; may be empty.
        budget: the time; it takes no part in comparisons.
    """

    __slots__ = ("budget", "home", "project")

    def __init__(self, home: str, project: str, budget: Budget) -> None:
        self.home, self.project, self.budget = home, project, budget

    def __eq__(self, other: object) -> bool:
        """Whether a path leads to the same place in both."""
        return (
            isinstance(other, Context) and self.home == other.home and self.project == other.project
        )

    def __hash__(self) -> int:
        """The hash of the folders."""
        return hash((self.home, self.project))


# A folder: what it is itself, and what is below it. The longest one that fits counts.
_ROWS = """
/                                              | ROOT   | OUTSIDE
/bin /sbin /lib /lib32 /lib64 /libx32 /boot    | SYSTEM | SYSTEM
/dev /proc /sys /System /usr/bin /usr/sbin     | SYSTEM | SYSTEM
/usr/lib /usr/lib32 /usr/lib64 /usr/libexec    | SYSTEM | SYSTEM
/etc /usr /usr/local /usr/local/bin            | SYSTEM | OUTSIDE
/usr/local/lib /usr/share /usr/include         | SYSTEM | OUTSIDE
/opt /srv /run /mnt /media /usr/src            | SYSTEM | OUTSIDE
/var /var/lib /var/log /var/spool /var/db      | SYSTEM | OUTSIDE
/var/mail /var/lib/dpkg /var/lib/rpm           | SYSTEM | SYSTEM
/Library /Applications /private /private/etc   | SYSTEM | OUTSIDE
/private/var /Volumes /snap /var/www           | SYSTEM | OUTSIDE
/etc/ssh /etc/pam.d /etc/ssl /etc/systemd      | SYSTEM | SYSTEM
/etc/apt /etc/sudoers.d /etc/security          | SYSTEM | OUTSIDE
/etc/network /etc/netplan /etc/init.d          | SYSTEM | OUTSIDE
/etc/cron.d /etc/cron.daily /etc/kernel        | SYSTEM | OUTSIDE
/home /Users                                   | HOME   | OUTSIDE
/root                                          | HOME   | OUTSIDE
/tmp /var/tmp /private/tmp /dev/shm            | CACHE  | CACHE
/var/folders /var/cache /var/lib/apt/lists     | CACHE  | CACHE
/private/var/folders /run/user /run/lock       | CACHE  | CACHE
/usr/share/doc /usr/share/man                  | CACHE  | CACHE
/usr/share/locale /usr/share/info              | CACHE  | CACHE
/usr/lib/node_modules /usr/local/lib/node_modules | CACHE | CACHE
/var/lib/yum /var/lib/dnf /var/crash           | CACHE  | CACHE
~/.cache ~/.npm ~/.pnpm-store ~/.yarn/cache    | CACHE  | CACHE
~/.gradle/caches ~/.m2/repository ~/.ivy2      | CACHE  | CACHE
~/.cargo/registry ~/.cargo/git ~/go/pkg        | CACHE  | CACHE
~/.local/share/Trash ~/.local/share/pnpm       | CACHE  | CACHE
~/.nuget/packages ~/.bun/install/cache         | CACHE  | CACHE
~/.composer/cache ~/.gem ~/.bundle/cache       | CACHE  | CACHE
~/.terraform.d/plugin-cache ~/.conda/pkgs      | CACHE  | CACHE
~/.local/state ~/.local/share/virtualenvs      | CACHE  | CACHE
~/Library/Caches ~/Library/Developer           | CACHE  | CACHE
~/tmp ~/.tmp ~/.Trash ~/.pip ~/.node-gyp       | CACHE  | CACHE
~/Documents ~/Desktop ~/Pictures ~/Music       | PERSONAL | PERSONAL
~/Videos ~/Downloads ~/.config ~/.local        | PERSONAL | PERSONAL
~/.ssh ~/.gnupg ~/.aws ~/.kube ~/.docker       | PERSONAL | PERSONAL
~/.mozilla ~/.thunderbird ~/Library ~/.vim     | PERSONAL | PERSONAL
"""
_BUILD = make_set("""
node_modules dist build target out .venv venv env __pycache__ .cache .next .nuxt .output
coverage .coverage htmlcov .pytest_cache .mypy_cache .ruff_cache .tox .nox .gradle .turbo
.parcel-cache .terraform .eggs Pods DerivedData .nyc_output storybook-static _build bin obj tmp
temp .tmp cache caches logs log vendor .svelte-kit .angular .vite bower_components .hypothesis
.serverless .aws-sam cdk.out .dart_tool generated gen release debug Debug Release artifacts
artifact .build zig-cache zig-out .stack-work dist-newstyle elm-stuff .bloop .metals wheelhouse
.docusaurus .expo .yarn .pnp test-results playwright-report reports .scannerwork site lib-cov
builds staging scratch .idea .ipynb_checkpoints pip-wheel-metadata public tmpdir
""")
# Of these the ones that mean a cache or build output anywhere.
_STRONG = make_set("""
node_modules __pycache__ .cache .pytest_cache .mypy_cache .ruff_cache .next .nuxt .turbo .gradle
bower_components tmp .tmp cache caches
""")
_BUILD_ENDS = (".egg-info", ".dSYM", "-build", "_build", ".cache", ".tmp", ".log", ".bak", "-dist")
_BUILD_STARTS = ("cmake-build-", "build-", "build_", "tmp-", "tmp.", "tmp_", "dist-", "bazel-")
_PSEUDO = re.compile(
    r"/dev/(?:null|zero|full|u?random|tty\w*|std(?:in|out|err)|fd(?:/.*)?|pts/.*|ptmx|shm(?:/.*)?"
    r"|console|loop\w*|tcp/.*|udp/.*|kmsg|log|ptp\d*|fuse|net/.*|kvm|dri/.*|snd/.*|video\d*)$"
)
_TOP = ("bin", "boot", "dev", "etc", "home", "lib", "lib64", "opt", "proc", "root", "sbin", "srv",
        "sys", "usr", "var")  # fmt: skip
_ALL = frozenset(("*", ".*", "?*", "**", ".[!.]*", ".[^.]*", ".??*", "..?*", "{*,.*}", "*.*", "."))
_GLOB = re.compile(r"[*?\[]")
_STARS = re.compile(r"\*[*?]*")
_BRACKETS = re.compile(r"\[[^\[\]/]+\]")
_LONG, _LONGEST = 256, 4096
_VARIABLES = {"TMPDIR": "/tmp", "TMP": "/tmp", "TEMP": "/tmp",  # noqa: S108 - a value
                        "XDG_CACHE_HOME": "/tmp", "RUNNER_TEMP": "/tmp"}  # fmt: skip # noqa: S108


def _read_rows() -> tuple[dict[str, tuple[Place, Place]], dict[str, tuple[Place, Place]]]:
    fixed: dict[str, tuple[Place, Place]] = {}
    homely: dict[str, tuple[Place, Place]] = {}
    for line in _ROWS.strip().splitlines():
        paths, itself, below = (part.strip() for part in line.split("|"))
        for path in paths.split():
            rows = homely if path.startswith("~") else fixed
            rows[path.removeprefix("~")[1:]] = (Place[itself], Place[below])
    return fixed, homely


_FIXED, _HOMELY = _read_rows()


def resolve_path(word: Word, cwd: str, context: Context) -> str:
    """Return an absolute path, with the unknown mark for what is not known; empty if all is not.

    A path that is longer than any file's is not known. The signs of a long glob become fewer.
    """
    context.budget.check()
    text = word.text
    if len(text) > _LONG and _GLOB.search(text):
        text = _BRACKETS.sub("?", _STARS.sub("*", text))
    if len(text) > _LONGEST:
        return ""
    if text.startswith(UNKNOWN):
        known = next((_VARIABLES[name] for name in word.names
                      if name in _VARIABLES), "")  # fmt: skip
        if not known:
            return ""
        text = known + text[1:]
    if text == "~" or text.startswith("~/"):
        text = context.home + text[1:]
    if not text.startswith("/"):
        if not cwd:
            return ""
        text = f"{cwd}/{text}"
    path = posixpath.normpath(text)
    return path[1:] if path.startswith("//") else path


def strip_contents(path: str) -> tuple[str, bool]:
    """Return the folder of which a glob names all contents, and whether there is such a glob."""
    folder, slash, name = path.rpartition("/")
    if slash and name in _ALL:
        return folder or "/", True
    return path, False


@lru_cache(maxsize=512)
def classify(path: str, context: Context) -> Place:
    """Return the place that an absolute path leads to; a glob that may name several, the worst."""
    if not path:
        return Place.UNKNOWN
    if path.startswith("/dev/") and not path.startswith("/dev/shm"):  # noqa: S108 - a rule
        return Place.PSEUDO if _PSEUDO.match(path) else Place.DEVICE
    path, _ = strip_contents(path)
    if UNKNOWN in path:
        return _classify_partly(path, context)
    if _GLOB.search(path):
        return _classify_glob(path, context)
    return _classify_known(path, context)


def _classify_known(path: str, context: Context) -> Place:
    if path == context.home or _is_home(path):
        return Place.HOME
    project = context.project
    if project and project != context.home:
        if path == project:
            return Place.PROJECT
        is_plain = _row_of(path, context) in (None, Place.OUTSIDE)
        if is_plain and path != "/" and project.startswith(f"{path}/"):
            return Place.ABOVE
        if path.startswith(f"{project}/"):
            return Place.CACHE if is_build(path[len(project) :]) else Place.SOURCE
    found = _row_of(path, context)
    if found is not None and found not in (Place.OUTSIDE, Place.PERSONAL):
        return found
    is_own = bool(context.home) and path.startswith(f"{context.home}/")
    if is_build(path) if is_own else _STRONG.intersection(path.split("/")):
        return Place.CACHE
    return found or Place.OUTSIDE


def _is_home(path: str) -> bool:
    parent, _, name = path.rpartition("/")
    return parent in ("/home", "/Users") and bool(name) and name != "Shared"


def _row_of(path: str, context: Context) -> Place | None:
    """Return the place by the rows; None for what no row but the root's covers."""
    home = context.home
    if home and path.startswith(f"{home}/"):
        found = _longest(path[len(home) + 1 :], _HOMELY)
        return found if found is not None else Place.OUTSIDE
    return _longest(path[1:], _FIXED)


def _longest(path: str, rows: dict[str, tuple[Place, Place]]) -> Place | None:
    if path in rows:
        return rows[path][0]
    folder = path
    while "/" in folder:
        folder = folder.rpartition("/")[0]
        if folder in rows:
            return rows[folder][1]
    return None


def is_build(path: str) -> bool:
    """Return whether a component of a path is a usual name of build output or of a cache."""
    return any(
        part in _BUILD or part.endswith(_BUILD_ENDS) or part.startswith(_BUILD_STARTS)
        for part in path.split("/")
    )


def _classify_partly(path: str, context: Context) -> Place:
    """Return the place of a path with unknown parts, by what comes before the first."""
    known = path.partition(UNKNOWN)[0]
    folder, _, begun = known.rpartition("/")
    if begun:  # `/home/ada/build-?`
        return Place.CACHE if is_build(known) else Place.UNKNOWN
    if folder in ("", "/home", "/Users"):
        # `/$X` is the root if `$X` is empty; `/home/$USER` is a home folder.
        rest = path[len(known) :].strip("/")
        if folder and "/" in rest:
            return Place.CACHE if is_build(rest) else Place.UNKNOWN
        return Place.HOME if folder else Place.ROOT
    place = _classify_known(folder, context)
    if place is Place.CACHE or is_build(path):
        return Place.CACHE
    below = _classify_known(f"{folder}/?", context)
    return below if below in (Place.SYSTEM, Place.CACHE) else Place.UNKNOWN


def _classify_glob(path: str, context: Context) -> Place:
    """Return the worst place that a glob names, with the usual names of the top."""
    parts = path.split("/")[1:]
    first = next(at for at, part in enumerate(parts) if _GLOB.search(part))
    before = "/".join(parts[:first])
    pattern, rest = parts[first], parts[first + 1 :]
    if not before:
        names: Iterable[str] = _TOP
    elif before in ("home", "Users"):
        names = (context.home.rpartition("/")[2] or "user",)
    elif context.home and f"/{before}" == context.home:
        names = [name.partition("/")[0] for name in _HOMELY]
    else:
        names = ()
    chosen = [name for name in names if fnmatchcase(name, pattern)]
    places = [classify("/" + "/".join(filter(None, (before, name, *rest))), context)
              for name in chosen]  # fmt: skip
    worst = [Place.HOME, Place.SYSTEM, Place.PROJECT, Place.ABOVE, Place.PERSONAL]
    for place in worst:
        if place in places:
            return place
    folder = f"/{before}"
    if is_build(path):
        return Place.CACHE
    return _classify_known(f"{folder}/x" if before else "/x", context)
