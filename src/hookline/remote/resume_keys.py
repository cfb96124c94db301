"""Resume keys: by which handlers resume their place, also after a restart; in a file that only this user can read."""

from __future__ import annotations

import json
import os
import stat
import tempfile

from hookline.errors import ConfigError

_LONGEST = 1 << 16  # bytes


class ResumeKeys:
    """The key for each engine's address; without a `path`, they last as long as the process.

    Raises:
        ConfigError: the file belongs to another user, others may read it, or it contains no keys.
    """

    def __init__(self, path: str = "") -> None:
        self.path = path
        self._keys = _read(path) if path else {}

    def find(self, address: str) -> str:
        return self._keys.get(address, "")

    def store(self, address: str, key: str) -> None:
        """Store a key.

        Raises:
            ConfigError: the file cannot be written.
        """
        if self._keys.get(address) == key:
            return
        self._keys[address] = key
        if self.path:
            _write(self.path, json.dumps(self._keys))


def _read(path: str) -> dict[str, str]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise _unusable_error(path, f"cannot be read: {(error.strerror or '').lower()}") from None
    with open(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
            raise _unusable_error(path, "is not yours")
        if stat.S_IMODE(found.st_mode) & 0o077:
            raise _unusable_error(path, "may be read by others", hint=f"chmod 600 {path}")
        text = file.read(_LONGEST)
    try:
        keys = json.loads(text)
    except ValueError:
        keys = None
    if not isinstance(keys, dict) or not all(isinstance(key, str) for key in keys.values()):
        raise _unusable_error(path, "holds no keys", hint="remove it")
    return keys


def _write(path: str, text: str) -> None:
    try:
        descriptor, draft = tempfile.mkstemp(dir=os.path.dirname(path) or ".")  # its mode is 0600
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(draft, path)
    except OSError as error:
        raise _unusable_error(
            path, f"cannot be written: {(error.strerror or '').lower()}"
        ) from None


def _unusable_error(
    path: str, why: str, *, hint: str = "name another with `state=`"
) -> ConfigError:
    return ConfigError(f"the file `{path}` {why}", name="remote.state", hint=hint)
