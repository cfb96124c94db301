"""`hookline skill`: the skill that teaches agents to write hooks, where hosts look for skills."""

from __future__ import annotations

import os
import shutil
from importlib.resources import as_file, files

from hookline.bridges.detect import find_hosts
from hookline.bridges.hosts import HOSTS
from hookline.cli.options import FOLDER, Selection, option, usage_error
from hookline.cli.output import OK
from hookline.config.agent_hosts import require_person
from hookline.errors import ConfigError, did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.cli.output import Document, Paint, Printer

_NAME = "hookline"
_VERBS = ("install", "remove")
# Where each host looks for skills: below its settings folder, and in a project. From their pages
# on skills: code.claude.com, developers.openai.com/codex, geminicli.com, docs.github.com/copilot,
# cursor.com and opencode.ai; Qwen Code keeps the places of Gemini CLI, whose fork it is. Those of
# pi and of both Kimi are from their programs.
PLACES = {
    "claude-code": ("skills", ".claude/skills"),
    "codex": ("skills", ".agents/skills"),
    "gemini": ("skills", ".gemini/skills"),
    "copilot": ("skills", ".github/skills"),
    "cursor": ("skills", ".cursor/skills"),
    "opencode": ("skills", ".opencode/skills"),
    "qwen": ("skills", ".qwen/skills"),
    "pi": ("skills", ".pi/skills"),
    "kimi": ("skills", ".kimi/skills"),
    "kimi-code": ("skills", ".kimi-code/skills"),
}


def skill(
    printer: Printer,
    *,
    what: list[str] = option("install|remove [HOST...]...", "put it there, or take it away"),
    project: bool = option("--project", "in this project, for all who work in it"),
    dry_run: bool = option("-n, --dry-run", "print the folders, and change nothing"),
    folder: str = FOLDER,
) -> int:
    """Teach agents to write hooks: put a skill where hosts look for skills, or take it away.

    Without a host, all on this machine that have skills.
    """
    verb, *names = what or [""]
    if verb not in _VERBS:
        hint = did_you_mean(verb, _VERBS) or "install or remove"
        raise usage_error(f"`skill {verb}` is nothing", hint)
    for name in names:
        if name not in PLACES:
            hint = did_you_mean(name, PLACES) or f"one of {', '.join(PLACES)}"
            raise usage_error(f"`{name}` is no host with skills that hookline knows", hint)
    if not dry_run:
        require_person(os.environ, " ".join(["hookline skill", verb, *names]))
    Selection(folder=folder).enter_folder()
    chosen = names or [host.name for host in find_hosts(os.environ) if host.name in PLACES]
    if not chosen:
        raise ConfigError("no host with skills was found on this machine", name="install.host",
                          hint=f"name one of {', '.join(PLACES)}")  # fmt: skip
    change = _install if verb == "install" else _remove
    results = [change(name, _find_folder(name, os.environ, is_project=project), dry_run=dry_run)
               for name in dict.fromkeys(chosen)]  # fmt: skip
    printer.print({"schema": "hookline.skills/1", "hosts": results}, _show)
    return OK


def _find_folder(name: str, environ: Mapping[str, str], *, is_project: bool) -> str:
    below, in_project = PLACES[name]
    if is_project:
        return os.path.abspath(os.path.join(in_project, _NAME))
    return os.path.join(HOSTS[name].find_folder(environ), below, _NAME)


def _install(name: str, folder: str, *, dry_run: bool) -> dict[str, Any]:
    """Write the skill, over an older one of hookline's only."""
    is_new = not os.path.exists(folder)
    if not is_new and not _is_own(folder):
        return {"host": name, "folder": folder, "did": "left: another skill has this name"}
    if dry_run:
        return {"host": name, "folder": folder, "did": "would be written"}
    try:
        with as_file(files("hookline") / "templates" / "skill") as source:
            shutil.copytree(source, folder, dirs_exist_ok=True)
    except OSError as error:
        why = f"cannot be written: {(error.strerror or '').lower()}"
        raise ConfigError(why, name="config.unwritable", place=folder) from None
    return {"host": name, "folder": folder, "did": "written" if is_new else "updated"}


def _remove(name: str, folder: str, *, dry_run: bool) -> dict[str, Any]:
    if not os.path.exists(folder):
        return {"host": name, "folder": folder, "did": "not there"}
    if not _is_own(folder):
        return {"host": name, "folder": folder, "did": "left: another skill has this name"}
    if not dry_run:
        shutil.rmtree(folder)
    return {"host": name, "folder": folder, "did": "would be removed" if dry_run else "removed"}


def _is_own(folder: str) -> bool:
    """Return whether a folder is the skill that hookline wrote."""
    try:
        with open(os.path.join(folder, "SKILL.md"), encoding="utf-8") as file:
            return "# Hooks with hookline" in file.read()
    except (OSError, UnicodeDecodeError):
        return False


def _show(document: Document, _paint: Paint) -> Iterator[str]:
    for each in document["hosts"]:
        yield f"{HOSTS[each['host']].title}  {each['folder']}  {each['did']}"
