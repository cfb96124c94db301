"""The page of the Python API: each public name, for mkdocstrings to fill in from its docstring."""

from __future__ import annotations

import inspect
from importlib import import_module

_HEAD = """\
# Python

The public names of hookline. The [site](../index.md) shows their signatures and docstrings here;
in a checkout read them with `python -m pydoc NAME`. Names that are not on this page may change.
"""
_MODULES = {
    "hookline": "Engines, events, decisions, and what a Python hook returns.",
    "hookline.remote": "Hooks and agents in [other processes](../how-to/remote-hooks.md).",
    "hookline.a3s": "The API of [A3S](../formats/a3s.md).",
    "hookline.chat": "`/hooks` commands for a chat.",
}


def python_page() -> str:
    """Every name in `__all__` of the public modules, by the module that defines it."""
    parts = [_HEAD]
    for name, words in _MODULES.items():
        module = import_module(name)
        parts += [f"## {name}\n", f"{words}\n"]
        for public in module.__all__:
            found = getattr(module, public)
            if inspect.isclass(found) or inspect.isfunction(found):
                parts.append(f"::: {found.__module__}.{found.__qualname__}")
        parts.append("")
    return "\n".join(parts).rstrip("\n") + "\n"
