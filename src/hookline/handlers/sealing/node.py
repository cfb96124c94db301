"""Node: a loader as `-e` that compiles a script's bytes as the CommonJS module that lies at its place."""

from __future__ import annotations

import os
import re

from hookline.handlers.sealing.pieces import before

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.handlers.contents import Contents
    from hookline.handlers.sealing.pieces import Pieces

# What tells Node that a file is an ES module, or may be one; an `await` in no function makes one, too.
_ESM = re.compile(
    rb"(?:^|[;}]|\*/)[ \t]*(?:import\b(?!\s*\()|export\b)|\bimport\.meta\b|^(?:(?:const|let|var)\b[^=(]*=\s*)?(?:for\s+)?await\b",
    re.MULTILINE,
)
# Options by which Node reads files in a way of its own.
_NODE_OWN = ("-r", "--require", "--import", "--loader", "--experimental", "--input-type", "--preserve-symlinks")
_LOADER = (
    "const [n,p,r]=process.argv.splice(1,3),M=require('module'),s=require('fs').readFileSync(+n,'utf8').replace(/^#!.*/,'');"
    "process.argv.splice(1,0,require('path').resolve(p));"
    "const m=new M(r,null);m.id='.';m.filename=r;m.paths=M._nodeModulePaths(require('path').dirname(r));"
    "process.mainModule=m;M._cache[r]=m;m._compile(s,r);m.loaded=true"
)


def sealed(words: Sequence[str], script: Contents, pieces: Pieces) -> list[str] | None:
    """The words that compile the bytes where the script is a plain CommonJS module."""
    if notices(words, script):
        return None
    return [*before(words), "-e", _LOADER, "--", pieces.take(script), words[-1], script.real]


def notices(words: Sequence[str], script: Contents) -> bool:
    """Whether a script is no plain CommonJS module, or Node is told to read it in a way of its own."""
    is_other = script.real.endswith((".mjs", ".ts", ".mts", ".cts", ".jsx", ".tsx", ".wasm", ".json"))
    has_own = any(word.startswith(_NODE_OWN) for word in words[1:-1])
    return is_other or has_own or _ESM.search(script.head) is not None or _is_module(script.real)


def _is_module(path: str) -> bool:
    """Whether the nearest `package.json` says that such a file is an ES module."""
    if path.endswith(".cjs"):
        return False
    folder = os.path.dirname(path)
    while True:
        try:
            with open(f"{folder}/package.json", "rb") as file:
                return re.search(rb'"type"\s*:\s*"module"', file.read(1 << 20)) is not None
        except OSError:
            if folder in ("/", ""):
                return False
            folder = os.path.dirname(folder)
