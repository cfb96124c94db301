"""Node: a loader as `-e` that has Node's own start of a program serve a script's bytes as the module that lies at its place."""

from __future__ import annotations

import json
import os

from hookline.handlers.sealing.node_loader import LOADER
from hookline.handlers.sealing.pieces import before

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.handlers.sealing.pieces import Pieces
    from hookline.handlers.sight.contents import Contents

# What a file is by its name alone; the others are what their package says.
_FORMATS = {
    ".mjs": "module",
    ".cjs": "commonjs",
    ".mts": "module-typescript",
    ".cts": "commonjs-typescript",
}
_FOREIGN = (
    ".json",
    ".jsx",
    ".node",
    ".tsx",
    ".wasm",
)  # what Node reads as something else, or not at all
# Options that load something that may read the script in a way of its own (and that runs from its place anyway), that change what a
# script is, or that cannot stand beside `-e`.
_OWN = (
    "-r", "--require", "--import", "--loader", "--experimental-loader", "--experimental-default-type", "--experimental-detect-module",
    "--no-experimental-detect-module", "--experimental-require-module", "--no-experimental-require-module", "--experimental-policy",
    "--experimental-specifier-resolution", "--experimental-permission", "--permission", "--experimental-entry-url", "--entry-url",
    "--experimental-sea-config", "--input-type", "--preserve-symlinks", "--watch", "-c", "--check", "-i", "--interactive",
    "--build-snapshot", "--prof-process",
)  # fmt: skip
_STRIPPING = ("--experimental-strip-types", "--experimental-transform-types")
_LONGEST_PACKAGE = 1 << 20


def sealed(words: Sequence[str], script: Contents, pieces: Pieces) -> list[str] | None:
    """The words that have the bytes run as what the script was when it was read; None where Node is told to read it otherwise."""
    found = format_of(script.real)
    if found is None or any(word.startswith(_OWN) for word in words[1:-1]):
        return None
    if "typescript" not in found and any(word.startswith(_STRIPPING) for word in words[1:-1]):
        return None  # some versions would tell on stderr that they strip the loader
    return [
        *before(words),
        "-e",
        LOADER,
        "--",
        f"{pieces.take(script)}:{found}",
        words[-1],
        script.real,
    ]


def format_of(path: str) -> str | None:
    """What Node takes a file for: "module", "commonjs", "" where its own words decide, each also as TypeScript; None: nothing that is run."""
    extension = os.path.splitext(path)[1]
    if extension in _FORMATS:
        return _FORMATS[extension]
    declared = None if extension in _FOREIGN else _declared(path)
    if declared is None or extension in {"", ".js"}:
        return declared
    if extension == ".ts":
        return f"{declared}-typescript" if declared else "typescript"
    return None if declared == "module" else "commonjs"


def _declared(path: str) -> str | None:
    """The `type` of the nearest `package.json`: "module", "commonjs" or ""; None where Node would not read it."""
    folder = os.path.dirname(path)
    while os.path.basename(folder) != "node_modules":
        try:
            with open(f"{folder}/package.json", "rb") as file:
                found = json.loads(file.read(_LONGEST_PACKAGE))
        except OSError:
            if folder in ("/", ""):
                return ""
            folder = os.path.dirname(folder)
            continue
        except ValueError:
            return None
        kind = found.get("type") if isinstance(found, dict) else None
        return kind if kind in ("module", "commonjs") else ""
    return ""
