"""Resume keys: by which handlers resume their place, also after a restart.

In a file that only this user can read.
"""

from __future__ import annotations

import json

from hookline.errors import ConfigError
from hookline.paths import read_private, write_private

_LONGEST = 1 << 16  # bytes


class ResumeKeys:
    """The key for each engine's address; without a `path`, they last as long as the process.

    Raises:
        ConfigError: the file belongs to another user, others may read it, or it contains no keys.
    """

    def __init__(self, path: str = "") -> None:
        self.path = path
        self._keys: dict[str, str] = {}
        try:
            found = json.loads(read_private(path, _LONGEST)) if path else {}
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._unusable_error(f"cannot be read: {error.strerror}") from None
        except ValueError:
            found = None
        if not isinstance(found, dict) or not all(isinstance(key, str) for key in found.values()):
            raise self._unusable_error("holds no keys")
        self._keys = found

    def find(self, address: str) -> str:
        return self._keys.get(address, "")

    def store(self, address: str, key: str) -> None:
        """Store a key.

        Raises:
            ConfigError: the file cannot be written.
        """
        if self._keys.get(address) != key:
            self._keys[address] = key
            try:
                if self.path:
                    write_private(self.path, json.dumps(self._keys).encode())
            except OSError as error:
                raise self._unusable_error(f"cannot be written: {error.strerror}") from None

    def _unusable_error(self, why: str) -> ConfigError:
        hint = "remove it, or name another with `state=`"
        return ConfigError(f"the file `{self.path}` {why}", name="remote.state", hint=hint)
