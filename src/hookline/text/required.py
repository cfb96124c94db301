"""Required: what code for Node loads by a name, told from its text, and which of these names are Node's own."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# What Node itself answers to, whatever lies in the working folder.
_BUILTIN = frozenset({
    "assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto", "dgram", "diagnostics_channel", "dns",
    "domain", "events", "fs", "http", "http2", "https", "inspector", "module", "net", "os", "path", "perf_hooks", "process", "punycode",
    "querystring", "readline", "repl", "stream", "string_decoder", "sys", "timers", "tls", "trace_events", "tty", "url", "util", "v8", "vm",
    "wasi", "worker_threads", "zlib",
})  # fmt: skip
# Texts, which `re` compiles and remembers when the first hook needs one: most need none.
_LITERAL = r"""['"`]([^'"`$\\]*)['"`]"""
_LOADS = rf"\b(?:require|import)\s*\(\s*(?:{_LITERAL}\s*[,)])?|\b(?:import|from)\s*{_LITERAL}|\bcreateRequire\b|\b_load\b|\brequire\b(?!\s*[(.\w'])"
_LONGEST = 65536  # characters of code


def required(code: str) -> Iterator[str]:
    """The names that code loads something by, less Node's own; empty for one that only the code can tell."""
    for found in re.finditer(_LOADS, code[:_LONGEST]):
        name = found[1] or found[2] or ""
        if not is_nodes_own(name):
            yield name


def is_nodes_own(name: str) -> bool:
    """Whether a name is that of a module which Node has built in."""
    return name.startswith("node:") or name.partition("/")[0] in _BUILTIN
