"""Codex' trust: has `codex app-server` trust entries, because Codex silently skips all others.

Codex trusts an entry at its position in its file. So one that moves up when hookline's are removed
needs its trust again. The hashes are always those that Codex says.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from contextlib import suppress

import hookline
from hookline.bridges.detect import find_program
from hookline.bridges.entry import names_call
from hookline.errors import ConfigError
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType
    from typing import Any, Self

    from hookline.bridges.hosts import Host

_SECONDS = 20.0  # for all questions to the server
_LINE = 1 << 16  # bytes that are read at once
_TRUSTED = ("trusted", "managed")
_REVIEW = "start codex, type /hooks, and review the entries of hookline; until then it skips them"


class CodexHook(Frozen):
    """An entry as Codex sees it. `key`: its file and position; `digest`: of what it runs."""

    key: str
    event: str
    file: str
    command: str
    digest: str
    status: str

    @property
    def is_trusted(self) -> bool:
        """Whether Codex runs it."""
        return self.status in _TRUSTED


def list_codex_hooks(host: Host, environ: Mapping[str, str], folder: str) -> list[CodexHook]:
    """Return the hooks that Codex sees in a folder, with their trust.

    Raises:
        ConfigError: there is no Codex, or it cannot be asked.
    """
    with _AppServer(host, environ, folder) as server:
        return server.list_hooks()


def trust_own(host: Host, environ: Mapping[str, str], folder: str, file: str) -> None:
    """Have Codex trust the entries of hookline in a file.

    Raises:
        ConfigError: Codex does not run them; the hint says what to do.
    """
    with _AppServer(host, environ, folder) as server:
        own = [each for each in server.list_hooks() if _is_own(each, host, file)]
        server.write({each.key: each.digest for each in own if not each.is_trusted})
        now = [each for each in server.list_hooks() if _is_own(each, host, file)]
    if not now:
        hint = "start codex in this folder, and answer that you trust it; then install again"
        raise _make_error(f"Codex does not read {file}", hint)
    if not all(each.is_trusted for each in now):
        raise _make_error("Codex did not accept the trust in the entries of hookline", _REVIEW)


def is_untrusted(host: Host, environ: Mapping[str, str], folder: str, file: str) -> bool:
    """Whether Codex skips an entry of hookline in a file; False where it cannot be asked."""
    try:
        hooks = list_codex_hooks(host, environ, folder)
    except ConfigError:
        return False
    return any(not each.is_trusted for each in hooks if _is_own(each, host, file))


def restore_trust(
    host: Host, environ: Mapping[str, str], folder: str, before: Sequence[CodexHook]
) -> int:
    """Have Codex trust again what it trusted before, and forget it where it was before.

    Return how many entries have their trust again. `before`: the hooks before entries of hookline
    were removed.

    Raises:
        ConfigError: Codex cannot be asked.
    """
    trusted = {(each.event, each.digest) for each in before if each.is_trusted}
    with _AppServer(host, environ, folder) as server:
        now = server.list_hooks()
        again = {
            each.key: each.digest
            for each in now
            if not each.is_trusted and (each.event, each.digest) in trusted
        }
        gone = {
            each.key
            for each in before
            if names_call(each.command, host) or each.digest in again.values()
        }
        server.write(again, forget=sorted(gone - {each.key for each in now}))
    return len(again)


def list_moved(host: Host, before: bytes | None, after: bytes | None) -> list[str]:
    """Return the commands of other tools whose position in a file changes, and so their trust."""
    old, new = (_list_positions(text) for text in (before, after))
    kept = {(event, *where): command for event, where, command in new}
    return [
        command
        for event, where, command in old
        if kept.get((event, *where)) != command and not names_call(command, host)
    ]


def _list_positions(text: bytes | None) -> list[tuple[str, tuple[int, int], str]]:
    """Return event, position and command of each handler of a file."""
    try:
        hooks = json.loads(text or b"{}").get("hooks", {})
        return [
            (event, (at, index), str(handler.get("command")))
            for event, groups in hooks.items()
            for at, group in enumerate(groups)
            for index, handler in enumerate(group.get("hooks", ()))
        ]
    except (ValueError, AttributeError, TypeError):  # no JSON, or of another shape
        return []


def _is_own(hook: CodexHook, host: Host, file: str) -> bool:
    is_here = os.path.realpath(hook.file) == os.path.realpath(file)
    return is_here and names_call(hook.command, host)


class _AppServer:
    """A running `codex app-server`, which is asked by lines of JSON."""

    def __init__(self, host: Host, environ: Mapping[str, str], folder: str) -> None:
        program = find_program(host, environ)
        if not program:
            raise _make_error("there is no codex on the PATH to trust the entries", _REVIEW)
        self.folder = folder
        self._count = 0
        self._unread = b""
        self._until = time.monotonic() + _SECONDS
        try:
            self._process = subprocess.Popen(
                [program, "app-server"],
                env=dict(environ),
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except OSError as error:
            raise _make_error(f"codex cannot be started: {error.strerror}", _REVIEW) from None

    def __enter__(self) -> Self:
        try:
            info = {"name": "hookline", "version": hookline.__version__}
            self._ask("initialize", {"clientInfo": info})
            self._send({"method": "initialized"})
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def list_hooks(self) -> list[CodexHook]:
        """Return the hooks of the folder."""
        answer = self._ask("hooks/list", {"cwds": [self.folder]})
        try:
            return [
                CodexHook(
                    key=each["key"],
                    event=each["eventName"],
                    file=each["sourcePath"],
                    command=each.get("command") or "",
                    digest=each["currentHash"],
                    status=each["trustStatus"],
                )
                for place in answer["data"]
                for each in place["hooks"]
            ]
        except (KeyError, TypeError, AttributeError):
            raise _make_error("this codex answers `hooks/list` in another form", _REVIEW) from None

    def write(self, trusted: Mapping[str, str], forget: Sequence[str] = ()) -> None:
        """Have Codex note its trust in the hooks of these keys, and forget other keys."""
        edits: list[dict[str, Any]] = [
            {"keyPath": f"hooks.state.{json.dumps(key)}", "value": None, "mergeStrategy": "replace"}
            for key in forget
        ]
        if trusted:
            value = {key: {"trusted_hash": digest} for key, digest in trusted.items()}
            edits.append({"keyPath": "hooks.state", "value": value, "mergeStrategy": "upsert"})
        if edits:
            self._ask("config/batchWrite", {"edits": edits, "reloadUserConfig": True})

    def _ask(self, method: str, params: Mapping[str, Any]) -> Any:
        """Return the result of a request; what the server says besides is passed over."""
        self._count += 1
        self._send({"id": self._count, "method": method, "params": params})
        while True:
            try:
                message = json.loads(self._read_line())
            except ValueError:
                continue  # a log line
            if isinstance(message, dict) and message.get("id") == self._count:
                if "result" in message:
                    return message["result"]
                why = str((message.get("error") or {}).get("message", "no reason given"))
                raise _make_error(f"codex refused `{method}`: {why}", _REVIEW)

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None  # noqa: S101 - a pipe
        with suppress(BrokenPipeError):  # then there is no answer either
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()

    def _read_line(self) -> bytes:
        assert self._process.stdout is not None  # noqa: S101 - a pipe
        descriptor = self._process.stdout.fileno()
        while b"\n" not in self._unread:
            left = max(0.0, self._until - time.monotonic())
            ready, _, _ = select.select([descriptor], [], [], left)
            if not ready:
                raise _make_error(f"codex did not answer within {_SECONDS:g} s", _REVIEW)
            part = os.read(descriptor, _LINE)
            if not part:
                raise _make_error("this codex has no `app-server` that lists hooks", _REVIEW)
            self._unread += part
        line, _, self._unread = self._unread.partition(b"\n")
        return line

    def _end(self) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _make_error(why: str, hint: str) -> ConfigError:
    return ConfigError(why, name="install.trust", hint=hint)
