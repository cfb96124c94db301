"""Approvals as small files: `approvals/<owner>/<definition>.<files>.json`, `.revoked`, `.absent`.

Every file is written under another name, synced and renamed, and `revoked` wins over approved
versions, so that each order of writers and each kill is safe without a lock.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import time

from hookline.errors import HookError, TrustError
from hookline.model.frozen import Frozen
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

FORMAT = 1
_KEPT_VERSIONS = 8
_LARGEST = 1 << 20  # bytes of one file
_HEX = frozenset("0123456789abcdef")


class Approval(Frozen):
    """One approved version of a hook, with its details for the user.

    `files`: key, SHA-256, whether it is executable, whether all may write it. `at`: seconds since
    1970. `guards`: whether the hook can refuse an action of `kind`.
    """

    definition: str
    content: str
    owner: str = ""
    label: str = ""
    dialect: str = ""
    event: str = ""
    kind: str = ""
    guards: bool = False
    scope: str = ""
    command: str = ""
    file: str = ""
    hook: str = ""
    files: tuple[tuple[str, str, bool, bool], ...] = ()
    who: str = ""
    how: str = ""
    at: float = 0.0


class Approvals(Frozen):
    """The approvals of one owner: approved versions by definition, and two sets."""

    versions: Mapping[str, frozenset[str]] = {}
    revoked: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()


class Switch(Frozen):
    """Hooks that are off: in a folder (`root`, "" everywhere), all or one definition."""

    root: str = ""
    definition: str = ""
    command: str = ""


def has_old_approvals(folder: str) -> bool:
    """Whether a store holds approvals of an older hookline, and none of this one."""
    return not os.path.isdir(f"{folder}/approvals") and os.path.exists(f"{folder}/trust.db")


class Store:
    """The approvals and switches of one user. Safe from any thread and any process.

    `write_record` is given a record of each change before the change is made. Its errors are
    ignored: a journal that is full stops no approval.
    """

    def __init__(
        self,
        folder: str,
        *,
        clock: Callable[[], float] = time.time,
        write_record: Callable[[dict[str, Any]], object] | None = None,
    ) -> None:
        self.folder = folder
        self.write_record = write_record
        self._clock = clock

    # -- reading -------------------------------------------------------------------------------

    def read_approvals(self, owner: str) -> Approvals:
        """Return what is approved for an owner.

        Raises:
            TrustError: `trust.store`, a file or folder cannot be read; `trust.exposed`, others may
                write it; `trust.newer`, a newer hookline wrote it.
        """
        versions: dict[str, set[str]] = {}
        marks: dict[str, set[str]] = {"revoked": set(), "absent": set()}
        for name in self._list_names(f"approvals/{owner}"):
            definition, _, rest = name.partition(".")
            if rest in marks:
                marks[rest].add(definition)
            elif name.endswith(".json"):
                content = rest.removesuffix(".json")
                if not _HEX.issuperset(definition + content):
                    path = f"{self.folder}/approvals/{owner}/{name}"
                    raise _damaged_error(path, "its name is none of hookline's")
                versions.setdefault(definition, set()).add(content)
        return Approvals(
            versions={name: frozenset(each) for name, each in versions.items()},
            revoked=frozenset(marks["revoked"]),
            absent=frozenset(marks["absent"]),
        )

    def list_owners(self) -> tuple[str, ...]:
        """Return the keys of all owners.

        Raises:
            TrustError: the folder cannot be read.
        """
        return self._list_names("approvals")

    def read_version(self, owner: str, definition: str, content: str) -> Approval:
        """Return one approved version.

        Raises:
            TrustError: as `read_approvals`.
        """
        path = f"{self.folder}/approvals/{owner}/{definition}.{content}.json"
        tree = _read_json(path)
        known = {name: tree[name] for name in Approval.__fields__ if name in tree}
        try:
            known["files"] = tuple((str(each[0]), str(each[1]), bool(each[2]), bool(each[3]))
                                   for each in known.get("files", ()))  # fmt: skip
            known["at"] = float(known.get("at", 0.0))
            return Approval(**known)
        except (TypeError, ValueError, LookupError):
            raise _damaged_error(path, "its fields are none of hookline's") from None

    def list_versions(self, owner: str, definition: str) -> list[Approval]:
        """Return the approved versions of a definition, the latest first.

        Raises:
            TrustError: as `read_approvals`.
        """
        contents = self.read_approvals(owner).versions.get(definition, ())
        found = [self.read_version(owner, definition, content) for content in contents]
        return sorted(found, key=lambda each: -each.at)

    def read_switches(self) -> tuple[Switch, ...]:
        """Return everything that is switched off.

        Raises:
            TrustError: as `read_approvals`.
        """
        trees = [_read_json(f"{self.folder}/off/{name}") for name in self._list_names("off")]
        return tuple(
            Switch(**{field: str(tree.get(field, "")) for field in Switch.__fields__})
            for tree in trees
        )

    def _list_names(self, name: str) -> tuple[str, ...]:
        """Return the names of the files in a folder of the store; none if there is no such folder."""
        path = self.folder
        try:
            for part in ("", *name.split("/")):
                path = f"{path}/{part}" if part else path
                found = os.stat(path)
                if not stat.S_ISDIR(found.st_mode) or _is_writable_by_others(found):
                    raise _exposed_error(path)
            return tuple(each for each in sorted(os.listdir(path)) if not each.startswith("."))
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise _unreadable_error(path, error) from None

    # -- writing -------------------------------------------------------------------------------

    def approve(self, approvals: Iterable[Approval], *, is_first_use: bool = False) -> None:
        """Write versions. A person's approval ends a revocation; a first use does not.

        Raises:
            TrustError: `trust.unwritable`.
        """
        for each in approvals:
            self._record({"what": "approved", **_to_record(each)})
            folder = f"{self.folder}/approvals/{each.owner}"
            fields = {name: getattr(each, name) for name in Approval.__fields__}
            _write(folder, f"{each.definition}.{each.content}.json", {"format": FORMAT, **fields})
            if not is_first_use:
                _remove(f"{folder}/{each.definition}.revoked")
                self._drop_versions(each.owner, each.definition, _KEPT_VERSIONS)

    def revoke(self, approvals: Iterable[Approval]) -> None:
        """Write revocations, then delete the versions.

        Raises:
            TrustError: `trust.unwritable`.
        """
        for each in approvals:
            self._record({"what": "revoked", **_to_record(each)})
            folder = f"{self.folder}/approvals/{each.owner}"
            _write(folder, f"{each.definition}.revoked", {"format": FORMAT, "who": each.who})
            self._drop_versions(each.owner, each.definition, 0)

    def forget(self, approvals: Iterable[Approval], *, may_be_absent: bool = False) -> None:
        """Delete versions of hooks that are gone; or note that they may be gone on some branches.

        Raises:
            TrustError: `trust.unwritable`.
        """
        for each in approvals:
            what = "may be absent" if may_be_absent else "forgotten"
            self._record({"what": what, **_to_record(each)})
            if may_be_absent:
                folder = f"{self.folder}/approvals/{each.owner}"
                _write(folder, f"{each.definition}.absent", {"format": FORMAT})
            else:
                self._drop_versions(each.owner, each.definition, 0)

    def set_switch(self, switch: Switch, *, is_on: bool, record: Mapping[str, Any]) -> None:
        """Turn hooks on or off.

        Raises:
            TrustError: `trust.unwritable`.
        """
        self._record({"what": "on" if is_on else "off", **record})
        key = f"{switch.root}\0{switch.definition}".encode("utf-8", "surrogateescape")
        name = f"{sha256(key)[:32]}.json"
        if is_on:
            _remove(f"{self.folder}/off/{name}")
        else:
            fields = {field: getattr(switch, field) for field in Switch.__fields__}
            _write(f"{self.folder}/off", name, {"format": FORMAT, **fields})

    def now(self) -> float:
        """Return the time, in seconds since 1970."""
        return self._clock()

    def _drop_versions(self, owner: str, definition: str, kept: int) -> None:
        folder = f"{self.folder}/approvals/{owner}"
        with contextlib.suppress(OSError):
            names = [name for name in os.listdir(folder)
                     if name.startswith(f"{definition}.") and name.endswith(".json")]  # fmt: skip
            names.sort(key=lambda name: os.stat(f"{folder}/{name}").st_mtime_ns, reverse=True)
            for name in names[kept:]:
                _remove(f"{folder}/{name}")

    def _record(self, record: dict[str, Any]) -> None:
        if self.write_record is not None:
            with contextlib.suppress(OSError, HookError):
                self.write_record(record)


def _is_writable_by_others(found: os.stat_result) -> bool:
    """Whether another user may write what `os.stat` returned this of."""
    is_ours = found.st_uid in (0, os.geteuid())
    return not is_ours or bool(found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def _read_json(path: str) -> dict[str, Any]:
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(path, flags)
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or _is_writable_by_others(found):
                raise _exposed_error(path)
            tree = json.loads(os.read(descriptor, _LARGEST))
        finally:
            os.close(descriptor)
    except OSError as error:
        raise _unreadable_error(path, error) from None
    except ValueError:
        raise _damaged_error(path, "it is no JSON") from None
    if not isinstance(tree, dict) or not isinstance(tree.get("format"), int):
        raise _damaged_error(path, "it is no file of hookline's")
    if tree["format"] > FORMAT:
        raise TrustError(
            f"a newer hookline wrote `{path}`", name="trust.newer", hint="update hookline"
        )
    return tree


def _to_record(approval: Approval) -> dict[str, Any]:
    """Return the journal record of a change."""
    told = ("hook", "event", "command", "file", "owner", "definition", "content", "who", "how")
    return {name: getattr(approval, name) for name in told}


def _write(folder: str, name: str, tree: Mapping[str, Any]) -> None:
    """Write a file atomically, so that it is complete or absent also after a crash."""
    temporary = f"{folder}/.{name}.{os.getpid()}.{time.monotonic_ns()}"
    try:
        _make_folder(folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        descriptor = os.open(temporary, flags, 0o600)
        try:
            os.write(
                descriptor, json.dumps(tree, sort_keys=True).encode("utf-8", "surrogateescape")
            )
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.rename(temporary, f"{folder}/{name}")
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise TrustError(
            f"`{folder}` cannot be written: {(error.strerror or str(error)).lower()}",
            name="trust.unwritable",
            hint=f"make it a folder that you may write, then try again: {folder}",
        ) from None


def _make_folder(folder: str) -> None:
    """Make a folder and those above it for the user alone; `os.makedirs` would ask the umask."""
    if folder and not os.path.isdir(folder):
        _make_folder(os.path.dirname(folder))
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise TrustError(
            f"`{path}` cannot be deleted: {(error.strerror or str(error)).lower()}",
            name="trust.unwritable",
            hint="see who owns its folder",
        ) from None


def _unreadable_error(path: str, error: OSError) -> TrustError:
    return _damaged_error(path, (error.strerror or "it is unreadable").lower())


def _damaged_error(path: str, why: str) -> TrustError:
    return TrustError(
        f"the approvals in `{path}` cannot be read: {why}",
        name="trust.store",
        hint="move it away and approve again: hookline approve",
    )


def _exposed_error(path: str) -> TrustError:
    return TrustError(
        f"others may write `{path}`, or it is no plain file",
        name="trust.exposed",
        hint=f"chmod go-w {path}; then look through the approvals: hookline list",
    )
