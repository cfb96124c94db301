"""One page for each host, from the table of hosts and from what `hookline install` writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookline.bridges.entry import Call
from hookline.bridges.hosts import HOSTS, PLUGIN, SCRIPTS
from hookline.bridges.install import plan_install
from hookline.engine.catalog import make_dialect
from hookline.model.kinds import ACTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hookline.bridges.hosts import Host

_HOME = "/home/ann"
_CALL = Call(words=(f"{_HOME}/.venv/bin/python", "-I", "-m", "hookline"))
_LANGUAGES = {
    ".json": "json", ".toml": "toml", ".yaml": "yaml", ".js": "js", ".ts": "ts",
}  # fmt: skip
_HEAD = """\
# Hosts

A *host* is a program that runs an agent and raises events. `hookline install` makes the hosts on
your machine call hookline; `hookline uninstall` undoes it. Each page says what `install` writes,
and what a hook can do at each event. What real hosts did: [hosts](../formats/hosts.md).

| host | command | your file | a project's file | tried with version |
| --- | --- | --- | --- | --- |
"""


def host_pages() -> dict[str, str]:
    """Return the text of each page, by the name of its file; `README.md` lists them."""
    rows = [
        f"| [{host.title}]({name}.md) | `hookline install {name}` | {_code(_user_file(host))}"
        f" | {_code(host.project_file)} | {host.verified or 'none'} |"
        for name, host in HOSTS.items()
    ]
    pages = {"README.md": _HEAD + "\n".join(rows) + "\n"}
    return pages | {f"{name}.md": _page(host) for name, host in HOSTS.items()}


def _page(host: Host) -> str:
    parts = [
        f"# {host.title}\n",
        "```sh",
        f"hookline install {host.name} --diff   # shows what would change",
        f"hookline install {host.name}",
        "```\n",
        f"{host.title} then asks hookline, and hookline asks your hooks of every format.",
        f"What it gets and gives: [`{host.dialect}`](../formats/{host.dialect}.md).\n",
        *_facts(host),
        "\n## What `install` writes\n",
        *_files(host),
        *(() if host.form == PLUGIN else _events(host)),
    ]
    return "\n".join(parts).rstrip("\n") + "\n"


def _facts(host: Host) -> Iterable[str]:
    yield "| | |"
    yield "| --- | --- |"
    yield f"| your file | {_code(_user_file(host))}{_moved(host)} |"
    if host.project_file:
        yield f"| a project's file, with `--project` | `{host.project_file}` |"
    yield f"| tried with version | {host.verified or 'none: written after its documents'} |"
    if host.has_http:
        yield "| over HTTP | `--http http://127.0.0.1:8465`, where `hookline serve` listens |"
    if host.longest:
        yield f"| longest limit of an entry | {host.longest} s |"
    for note in host.notes:
        text = note.format(title=host.title)
        yield f"| note | {text[:1].upper()}{text[1:]} |"


def _files(host: Host) -> Iterable[str]:
    """Yield the files of an installation in an empty home, for two of the events."""
    gates = [event for event in host.events if _kind(host, event) in ACTIONS]
    others = [event for event in host.events if event not in gates]
    chosen = (*gates[:1], *others[-1:])
    if host.form != PLUGIN:
        yield f"The entries of `{'` and `'.join(chosen)}`; those of the other events are alike.\n"
    plan = plan_install(host.replace(events=chosen), _CALL, {"HOME": _HOME})
    for change in plan.changes:
        text = (change.after or b"").decode("utf-8").rstrip("\n")
        language = _LANGUAGES.get(f".{change.path.rpartition('.')[2]}", "sh")
        yield f"`{change.path.replace(_HOME, '~')}`:\n"
        yield f"```{language}\n{text}\n```\n"


def _events(host: Host) -> Iterable[str]:
    yield "## Events\n"
    yield "| event | canonical name | a hook can | when hookline does not run |"
    yield "| --- | --- | --- | --- |"
    table = make_dialect(host.dialect).table
    for event in host.events:
        row = table.rows[event]
        powers = ", ".join(sorted(row.powers)) or "watch"
        closed = "the call is refused" if row.kind in ACTIONS else "the host goes on"
        yield f"| `{event}` | `{row.kind}` | {powers} | {closed} |"


def _kind(host: Host, event: str) -> str:
    return str(make_dialect(host.dialect).table.rows[event].kind)


def _user_file(host: Host) -> str:
    path = host.find_file({"HOME": _HOME}).replace(_HOME, "~")
    return f"{path}/" if host.form == SCRIPTS else path


def _moved(host: Host) -> str:
    return f", moved by `{host.moved_by}`" if host.moved_by else ""


def _code(path: str) -> str:
    return f"`{path}`" if path else "-"
