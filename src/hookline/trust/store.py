"""Approvals as small files: `approvals/<owner>/<definition>.<files>.json`, `.revoked`, `.absent`.

Beside a version, `.texts` has the texts of its files, to show what changed since.

Every file is written under another name, synced and renamed, and `revoked` wins over approved
versions, so that each order of writers and each kill is safe without a lock.
"""

from __future__ import annotations

import json
import os
import stat
import time
from contextlib import suppress

from hookline.errors import HookError, TrustError
from hookline.model.frozen import Frozen
from hookline.paths import make_private_folder, read_private, write_private
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

    # -- reading: everything raises TrustError: `trust.store`, it cannot be read; `trust.exposed`,
    # others may write it; `trust.newer`, a newer hookline wrote it ------------------------------

    def read_approvals(self, owner: str) -> Approvals:
        """Return what is approved for an owner."""
        versions: dict[str, set[str]] = {}
        marks: dict[str, set[str]] = {"revoked": set(), "absent": set()}
        for name in self._list_names("approvals", owner):
            definition, _, rest = name.partition(".")
            if rest in marks:
                marks[rest].add(definition)
            elif rest.endswith(".json"):
                versions.setdefault(definition, set()).add(rest.removesuffix(".json"))
        return Approvals(versions=versions, revoked=marks["revoked"], absent=marks["absent"])

    def list_owners(self) -> list[str]:
        """Return the keys of all owners."""
        return self._list_names("approvals")

    def read_version(self, owner: str, definition: str, content: str) -> Approval:
        """Return one approved version."""
        path = f"{self.folder}/approvals/{owner}/{definition}.{content}.json"
        tree = _read_json(path)
        known = {name: tree[name] for name in Approval.__fields__ if name in tree}
        known |= {"definition": definition, "content": content}
        try:
            files = tuple((k, digest, x, w) for k, digest, x, w in tree.get("files", ()))
            return Approval(**known | {"files": files, "at": float(tree.get("at", 0))})
        except (TypeError, ValueError):
            raise _make_error(path, "its fields are not those of an approval") from None

    def list_versions(self, owner: str, definition: str) -> list[Approval]:
        """Return the approved versions of a definition, latest first."""
        contents = self.read_approvals(owner).versions.get(definition, ())
        found = [self.read_version(owner, definition, content) for content in contents]
        return sorted(found, key=lambda each: -each.at)

    def read_texts(self, approval: Approval) -> dict[str, str]:
        """Return the texts of an approved version's files by their keys; none if none were kept."""
        name = f"{approval.definition}.{approval.content}.texts"
        if name not in self._list_names("approvals", approval.owner):
            return {}
        texts = _read_json(f"{self.folder}/approvals/{approval.owner}/{name}").get("texts")
        return (
            {str(key): str(text) for key, text in texts.items()} if isinstance(texts, dict) else {}
        )

    def read_switches(self) -> list[Switch]:
        """Return everything that is switched off."""
        trees = [_read_json(f"{self.folder}/off/{name}") for name in self._list_names("off")]
        names = Switch.__fields__
        return [Switch(**{name: tree.get(name, "") for name in names}) for tree in trees]

    def _list_names(self, *parts: str) -> list[str]:
        """Return the names of the files in a folder of the store; none if it is not there."""
        path = self.folder
        try:
            for part in ("", *parts):
                path = os.path.join(path, part).rstrip("/")
                found = os.stat(path)
                is_ours = stat.S_ISDIR(found.st_mode) and found.st_uid in (0, os.geteuid())
                if not is_ours or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                    message = f"others may write `{path}`, or it is no folder"
                    hint = f"chmod go-w {path}; then look through the approvals: hookline list"
                    raise TrustError(message, name="trust.exposed", hint=hint)
            return [each for each in sorted(os.listdir(path)) if not each.startswith(".")]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _make_error(path, error.strerror or "it is unreadable") from None

    # -- writing: everything raises TrustError `trust.unwritable` ------------------------------

    def approve(
        self,
        approvals: Iterable[Approval],
        *,
        texts: Mapping[str, Mapping[str, str]] | None = None,
        is_first_use: bool = False,
    ) -> None:
        """Write versions. A person's approval ends a revocation; a first use does not.

        `texts`: of the files, by the `content` of their version.
        """
        for each in approvals:
            name = self._record("approved", each)
            if kept := (texts or {}).get(each.content):
                self._write(f"{name}.{each.content}.texts", {"texts": kept})
            self._write(f"{name}.{each.content}.json", each.as_dict())
            if not is_first_use:
                self._write(f"{name}.revoked", None)
                self._drop_versions(each, _KEPT_VERSIONS)

    def revoke(self, approvals: Iterable[Approval]) -> None:
        """Write revocations, then delete the versions."""
        for each in approvals:
            name = self._record("revoked", each)
            self._write(f"{name}.revoked", {"who": each.who})
            self._drop_versions(each, 0)

    def forget(self, approvals: Iterable[Approval], *, may_be_absent: bool = False) -> None:
        """Delete the versions of hooks that are gone, or note that they may be gone."""
        for each in approvals:
            name = self._record("may be absent" if may_be_absent else "forgotten", each)
            if may_be_absent:
                self._write(f"{name}.absent", {})
            else:
                self._drop_versions(each, 0)

    def set_switch(self, switch: Switch, *, is_on: bool, record: Mapping[str, Any]) -> None:
        """Turn hooks on or off."""
        self._write_record({"did": "on" if is_on else "off", **record})
        key = f"{switch.root}\0{switch.definition}".encode("utf-8", "surrogateescape")
        self._write(f"off/{sha256(key)[:32]}.json", None if is_on else switch.as_dict())

    def _record(self, did: str, each: Approval) -> str:
        """Write the record of a change into the journal; return how names of its files begin."""
        told = each.as_dict("hook", "command", "file", "owner", "content", "who", "how")
        self._write_record({"did": did, "native": each.event, "identity": each.definition, **told})
        return f"approvals/{each.owner}/{each.definition}"

    def _write_record(self, record: dict[str, Any]) -> None:
        if self.write_record is not None:
            with suppress(OSError, HookError):
                self.write_record(record)

    def _write(self, name: str, fields: Mapping[str, Any] | None) -> None:
        """Write a file, in folders for the user alone; without fields, remove it."""
        folder = self.folder
        try:
            if fields is None:
                with suppress(FileNotFoundError):
                    os.unlink(f"{folder}/{name}")
                return
            make_private_folder(os.path.dirname(f"{folder}/{name}"))
            text = json.dumps({"format": FORMAT, **fields}, sort_keys=True)
            write_private(f"{self.folder}/{name}", text.encode(), sync=True)
        except OSError as error:
            message = f"`{folder}` cannot be written: {(error.strerror or str(error)).lower()}"
            hint = f"make it a folder that you may write, then try again: {folder}"
            raise TrustError(message, name="trust.unwritable", hint=hint) from None

    def _drop_versions(self, approval: Approval, kept: int) -> None:
        """Delete all but the latest approved versions of a definition."""
        folder, start = f"approvals/{approval.owner}", f"{approval.definition}."
        with suppress(FileNotFoundError):  # another process drops them as well
            names = [name for name in self._list_names("approvals", approval.owner)
                     if name.startswith(start) and name.endswith(".json")]  # fmt: skip
            names.sort(key=lambda name: -os.stat(f"{self.folder}/{folder}/{name}").st_mtime_ns)
            for name in names[kept:]:
                self._write(f"{folder}/{name}", None)
                self._write(f"{folder}/{name.removesuffix('.json')}.texts", None)


def _read_json(path: str) -> dict[str, Any]:
    try:
        tree = json.loads(read_private(path, _LARGEST, secret=False))
    except OSError as error:
        raise _make_error(path, error.strerror or "it is unreadable") from None
    except ValueError:
        raise _make_error(path, "it is no JSON") from None
    if not isinstance(tree, dict) or not isinstance(tree.get("format"), int):
        raise _make_error(path, "it is no file of hookline's")
    if tree["format"] > FORMAT:
        message = f"a newer hookline wrote `{path}`"
        raise TrustError(message, name="trust.newer", hint="update hookline")
    return tree


def _make_error(path: str, why: str) -> TrustError:
    message = f"the approvals in `{path}` cannot be read: {why.lower()}"
    hint = "move it away and approve again: hookline approve"
    return TrustError(message, name="trust.store", hint=hint)
