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
from hookline.paths import open_nonblocking
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

FORMAT = 1
_KEPT_VERSIONS = 8
_LARGEST = 1 << 20  # bytes of one file


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

    versions: Mapping[str, set[str]]
    revoked: set[str]
    absent: set[str]


class Switch(Frozen):
    """Hooks that are off: in a folder (`root`, "" everywhere), all or one definition."""

    root: str = ""
    definition: str = ""
    command: str = ""


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
        self.now = clock

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
            elif rest.endswith(".json"):
                versions.setdefault(definition, set()).add(rest.removesuffix(".json"))
        return Approvals(versions=versions, revoked=marks["revoked"], absent=marks["absent"])

    def list_owners(self) -> tuple[str, ...]:
        """Return the keys of all owners; raises as `read_approvals`."""
        return self._list_names("approvals")

    def read_version(self, owner: str, definition: str, content: str) -> Approval:
        """Return one approved version; raises as `read_approvals`."""
        path = f"{self.folder}/approvals/{owner}/{definition}.{content}.json"
        tree = _read_json(path)
        known = {name: tree[name] for name in Approval.__fields__ if name in tree}
        try:
            known["files"] = tuple(
                (key, digest, is_executable, is_writable)
                for key, digest, is_executable, is_writable in known.get("files", ())
            )
            return Approval(**known)
        except (TypeError, ValueError):
            raise _make_error(path, "its fields are none of hookline's") from None

    def list_versions(self, owner: str, definition: str) -> list[Approval]:
        """Return approved versions of a definition, latest first; raises as `read_approvals`."""
        contents = self.read_approvals(owner).versions.get(definition, ())
        found = [self.read_version(owner, definition, content) for content in contents]
        return sorted(found, key=lambda each: -each.at)

    def read_switches(self) -> tuple[Switch, ...]:
        """Return everything that is switched off; raises as `read_approvals`."""
        trees = [_read_json(f"{self.folder}/off/{name}") for name in self._list_names("off")]
        return tuple(
            Switch(**{field: tree.get(field, "") for field in Switch.__fields__}) for tree in trees
        )

    def _list_names(self, name: str) -> tuple[str, ...]:
        """Return the names of the files in a folder of the store; none if there is no such one."""
        path = self.folder
        try:
            for part in ("", *name.split("/")):
                path = os.path.join(path, part) if part else path
                found = os.stat(path)
                if not stat.S_ISDIR(found.st_mode) or _is_writable_by_others(found):
                    raise _make_exposed_error(path)
            return tuple(each for each in sorted(os.listdir(path)) if not each.startswith("."))
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise _make_error(path, error.strerror) from None

    # -- writing: everything raises TrustError `trust.unwritable` ------------------------------

    def approve(self, approvals: Iterable[Approval], *, is_first_use: bool = False) -> None:
        """Write versions. A person's approval ends a revocation; a first use does not."""
        for each in approvals:
            folder = self._record("approved", each)
            fields = {name: getattr(each, name) for name in Approval.__fields__}
            _write(folder, f"{each.definition}.{each.content}.json", fields)
            if not is_first_use:
                _remove(f"{folder}/{each.definition}.revoked")
                _drop_versions(folder, each.definition, _KEPT_VERSIONS)

    def revoke(self, approvals: Iterable[Approval]) -> None:
        """Write revocations, then delete the versions."""
        for each in approvals:
            folder = self._record("revoked", each)
            _write(folder, f"{each.definition}.revoked", {"who": each.who})
            _drop_versions(folder, each.definition, 0)

    def forget(self, approvals: Iterable[Approval], *, may_be_absent: bool = False) -> None:
        """Delete versions of hooks that are gone.

        Or note that they may be gone on some branches.
        """
        for each in approvals:
            folder = self._record("may be absent" if may_be_absent else "forgotten", each)
            if may_be_absent:
                _write(folder, f"{each.definition}.absent", {})
            else:
                _drop_versions(folder, each.definition, 0)

    def set_switch(self, switch: Switch, *, is_on: bool, record: Mapping[str, Any]) -> None:
        """Turn hooks on or off."""
        self._write_record({"did": "on" if is_on else "off", **record})
        key = f"{switch.root}\0{switch.definition}".encode("utf-8", "surrogateescape")
        name = f"{sha256(key)[:32]}.json"
        if is_on:
            _remove(f"{self.folder}/off/{name}")
        else:
            fields = {field: getattr(switch, field) for field in Switch.__fields__}
            _write(f"{self.folder}/off", name, fields)

    def _record(self, did: str, each: Approval) -> str:
        """Write the record of a change into the journal, and return the folder of its owner."""
        names = ("hook", "command", "file", "owner", "content", "who", "how")
        told = {name: getattr(each, name) for name in names}
        self._write_record({"did": did, "native": each.event, "identity": each.definition, **told})
        return f"{self.folder}/approvals/{each.owner}"

    def _write_record(self, record: dict[str, Any]) -> None:
        if self.write_record is not None:
            with contextlib.suppress(OSError, HookError):
                self.write_record(record)


def _is_writable_by_others(found: os.stat_result) -> bool:
    is_ours = found.st_uid in (0, os.geteuid())
    return not is_ours or bool(found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def _read_json(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb", opener=_open_without_links) as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or _is_writable_by_others(found):
                raise _make_exposed_error(path)
            tree = json.loads(file.read(_LARGEST))
    except OSError as error:
        raise _make_error(path, error.strerror) from None
    except ValueError:
        raise _make_error(path, "it is no JSON") from None
    if not isinstance(tree, dict) or not isinstance(tree.get("format"), int):
        raise _make_error(path, "it is no file of hookline's")
    if tree["format"] > FORMAT:
        message = f"a newer hookline wrote `{path}`"
        raise TrustError(message, name="trust.newer", hint="update hookline")
    return tree


def _open_without_links(path: str, flags: int) -> int:
    return open_nonblocking(path, flags | os.O_NOFOLLOW)


def _write(folder: str, name: str, fields: Mapping[str, Any]) -> None:
    """Write a file atomically, so that it is complete or absent also after a crash."""
    temporary = f"{folder}/.{name}.{os.getpid()}.{time.monotonic_ns()}"
    text = json.dumps({"format": FORMAT, **fields}, sort_keys=True)
    try:
        _make_folder(folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        with open(os.open(temporary, flags, 0o600), "w", encoding="ascii") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.rename(temporary, f"{folder}/{name}")
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise _make_unwritable_error(folder, error) from None


def _make_folder(folder: str) -> None:
    """Make a folder and those above it for the user alone; `os.makedirs` would ask the umask."""
    if folder and not os.path.isdir(folder):
        _make_folder(os.path.dirname(folder))
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700)


def _drop_versions(folder: str, definition: str, kept: int) -> None:
    """Delete all but the latest versions of a definition."""
    with contextlib.suppress(OSError):
        names = [name for name in os.listdir(folder)
                 if name.startswith(f"{definition}.") and name.endswith(".json")]  # fmt: skip
        names.sort(key=lambda name: os.stat(f"{folder}/{name}").st_mtime_ns, reverse=True)
        for name in names[kept:]:
            _remove(f"{folder}/{name}")


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _make_unwritable_error(os.path.dirname(path), error) from None


def _make_unwritable_error(folder: str, error: OSError) -> TrustError:
    message = f"`{folder}` cannot be written: {(error.strerror or str(error)).lower()}"
    hint = f"make it a folder that you may write, then try again: {folder}"
    return TrustError(message, name="trust.unwritable", hint=hint)


def _make_error(path: str, why: str | None) -> TrustError:
    message = f"the approvals in `{path}` cannot be read: {(why or 'it is unreadable').lower()}"
    hint = "move it away and approve again: hookline approve"
    return TrustError(message, name="trust.store", hint=hint)


def _make_exposed_error(path: str) -> TrustError:
    message = f"others may write `{path}`, or it is no plain file"
    hint = f"chmod go-w {path}; then look through the approvals: hookline list"
    return TrustError(message, name="trust.exposed", hint=hint)
