"""Files that hold nothing but hookline's entries, as whole texts, for hosts that read a folder."""

from __future__ import annotations

import io
import json
import os
import shlex
from importlib.resources import files

from ruamel.yaml import YAML

from hookline.bridges.entry import explain_refusal, is_gate, names_call
from hookline.bridges.hosts import OWN, PLUGIN
from hookline.engine.catalog import make_dialect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.bridges.entry import Call
    from hookline.bridges.hosts import Host

_MARK = "Written by `hookline install"
# Cline's only refusal is an answer; an exit code goes on.
_SCRIPT = """\
#!/bin/sh
# Written by `hookline install cline`; `hookline uninstall cline` removes it.
{command}{closing}
"""


def make_files(host: Host, file: str, call: Call) -> dict[str, str]:
    """Return the text of each file, by its path, that the entries of a host need.

    `file`: the file of the host's row; of a host with scripts their folder.
    """
    if host.form == PLUGIN:
        return {file: _make_plugin(host, file, call)}
    if host.form == OWN:
        return {file: _make_own_file(host, file, call)}
    rows = make_dialect(host.dialect).table.rows
    return {
        os.path.join(file, event): _SCRIPT.format(
            command=shlex.join([*call.make_words(host, rows[event]), "--event", event]),
            closing=_make_closing(file) if is_gate(rows[event]) else "",
        )
        for event in host.events
    }


def _make_closing(folder: str) -> str:
    """Return what a script of Cline prints when hookline does not run."""
    answer = {"cancel": True, "errorMessage": explain_refusal(folder)}
    return f" || printf '%s' {shlex.quote(json.dumps(answer))}"


def is_own_file(text: str, host: Host) -> bool:
    """Return whether hookline wrote a file."""
    return _MARK in text or (host.form == OWN and names_call(text, host))


def _make_plugin(host: Host, file: str, call: Call) -> str:
    folder = files("hookline.bridges") / "plugins"
    ending = file.rpartition(".")[2]
    text = (folder / "call.js").read_text() + (folder / f"{host.name}.{ending}").read_text()
    row = make_dialect(host.dialect).table.rows["PreToolUse"]
    command = json.dumps(call.make_words(host, row))
    text = text.replace('"HOOKLINE_COMMAND"', command).replace(
        "install HOST", f"install {host.name}"
    )
    text = text.replace("uninstall HOST", f"uninstall {host.name}")
    text = text.replace('"HOOKLINE_REFUSAL"', json.dumps(explain_refusal(file)))
    return text.replace('"HOOKLINE_SECONDS"', str(call.find_limit(host)))


def _make_own_file(host: Host, file: str, call: Call) -> str:
    tree: dict[str, Any] = {}
    for keys, value in call.make_entries(host, file):
        *path, last = keys
        place = tree
        for key in path:
            place = place.setdefault(key, {})
        place.setdefault(last, []).append(value)
    yaml, stream = YAML(), io.StringIO()
    yaml.width = 1 << 20
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.dump(tree, stream)
    return (
        f"# {_MARK} {host.name}`; `hookline uninstall {host.name}` removes it.\n{stream.getvalue()}"
    )
