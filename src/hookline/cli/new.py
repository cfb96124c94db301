"""`hookline new guard`: a guard as a script of your own, with the entries of a dialect."""

from __future__ import annotations

import os
import shutil
import sys
from importlib.resources import as_file, files

from hookline.cli.options import FOLDER, change_folder, option, usage_error
from hookline.cli.output import OK
from hookline.engine.catalog import NAMES, make_dialect
from hookline.engine.convert import convert
from hookline.engine.engine import Engine
from hookline.errors import ConfigError, did_you_mean
from hookline.guards.table import GUARDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.cli.output import Document, Paint, Printer

_OWN = "hookline"
_TEMPLATES = ("auto_formatter", "completion_gate")
_SCRIPT = '''\
#!{python}
"""A guard: it {summary}.

Change the options, add guards or tests, and try it: `./{name}.py --self-test`.
"""

from hookline.engine.guard_scripts import run

# Entries as in a `hookline.yaml`; the options of a guard are under `with`.
GUARDS = [{{"use": "{name}"}}]
# Name, payload, and a text that the answer must have in it; empty: no answer.
TESTS = []

if __name__ == "__main__":
    run(GUARDS, dialect="{dialect}", tests=TESTS)
'''
# Where the entries of a dialect belong, if they are in a file that has other things in it.
_PLACES = {
    "starchild": "config/shell_hooks.yaml",
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
    "cursor": ".cursor/hooks.json",
    "agenthooks": ".agents/hooks",
    "docker-agent": "the agent's file",
}


def new(
    printer: Printer,
    *,
    what: list[str] = option("guard NAME...", "a guard, by its name", complete="guards"),
    dialect: str = option(
        "--dialect NAME", "the format of the host that runs it", default=_OWN, complete="hosts"
    ),
    folder: str = FOLDER,
) -> int:
    """Write a guard as a folder that you can change: a script, and the entries that run it.

    It overwrites nothing.
    """
    name = what[1] if what[:1] == ["guard"] and len(what) > 1 else ""
    known = [*GUARDS, *_TEMPLATES]
    if name not in known:
        why = f"there is no guard `{name}`" if name else "no guard is named"
        raise usage_error(why, did_you_mean(name, known) or f"one of {', '.join(known)}")
    if dialect not in NAMES:
        hint = did_you_mean(dialect, NAMES) or f"one of {', '.join(NAMES)}"
        raise usage_error(f"there is no dialect `{dialect}`", hint)
    change_folder(folder)
    target = os.path.abspath(name)
    if os.path.exists(target):
        hint = "choose another folder with -C, or move it away"
        why = "is there already; nothing was written"
        raise ConfigError(why, name="config.unwritable", place=target, hint=hint)
    try:
        written = (_copy if name in _TEMPLATES else _write)(name, dialect, target)
    except OSError as error:
        why = f"cannot be written: {(error.strerror or '').lower()}"
        raise ConfigError(why, name="config.unwritable", place=target) from None
    document = {
        "schema": "hookline.written/1",
        "guard": name,
        "dialect": dialect,
        "files": written,
        "place": _PLACES.get(dialect, ""),
    }
    printer.print(document, _show)
    return OK


def _write(name: str, dialect: str, target: str) -> list[str]:
    """Write the script and the entries of a guard, and return the paths."""
    script = os.path.join(target, f"{name}.py")
    guard = GUARDS[name]
    text = _SCRIPT.format(python=sys.executable, summary=guard.summary, name=name, dialect=dialect)
    written = {script: text, **_make_entries(name, dialect, target, script)}
    for path, content in written.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "x", encoding="utf-8") as file:
            file.write(content)
        is_program = content.startswith("#!")
        os.chmod(path, 0o755 if is_program else 0o644)
    return list(written)


def _make_entries(name: str, dialect: str, target: str, script: str) -> Mapping[str, str]:
    """Return the texts of the files with the entries, by path."""
    events = GUARDS[name].events
    if dialect == _OWN:
        lines = [f"  - {{on: {event}, run: [./{name}.py]}}\n" for event in events]
        path = os.path.join(target, "hookline.yaml")
        return {path: "".join(("version: 1\n", "hooks:\n", *lines))}
    hooks: list[dict[str, Any]] = [{"on": event, "run": [script]} for event in events]
    tree = {"version": 1, "hooks": hooks}
    with Engine.from_config(tree, dialect=_OWN, trust="all") as engine:
        found = convert(engine, make_dialect(dialect), plain=True)
    return {os.path.join(target, path): text for path, text in sorted(found.files.items())}


def _copy(name: str, dialect: str, target: str) -> list[str]:
    """Copy a template, and return the paths of its files.

    Raises:
        ConfigError: it is written for hookline.yaml only.
    """
    if dialect != _OWN:
        hint = f"write it, then: hookline convert {name}/hookline.yaml --to {dialect}"
        raise usage_error(f"`{name}` is written for hookline.yaml", hint)
    with as_file(files("hookline") / "templates" / name) as source:
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    paths = sorted(os.path.join(target, each) for each in os.listdir(target))
    for path in paths:
        os.chmod(path, 0o755 if path.endswith((".py", ".sh")) else 0o644)
    return paths


def _show(document: Document, _paint: Paint) -> Iterator[str]:
    yield from (f"wrote {path}" for path in document["files"])
    name = document["guard"]
    if document["dialect"] == _OWN:
        yield "to switch it on, add to your hookline.yaml:"
        yield "sources:"
        yield f"  - path: {os.path.join(os.path.dirname(document['files'][0]), 'hookline.yaml')}"
    elif document["place"]:
        yield f"to switch it on, put its entries into {document['place']}"
    script = next((path for path in document["files"] if path.endswith(f"{name}.py")), "")
    if script and name not in _TEMPLATES:
        yield f"to try it: {script} --self-test"
    yield "in a project, let it run: hookline approve"
