"""The hooks of a pack: its `hookline.yaml` as an author wrote it, and as hookline installs it."""

from __future__ import annotations

import io
import os
import re
import shlex

from ruamel.yaml import YAML

from hookline.core.dialect import Source
from hookline.dialects.native.load import load
from hookline.errors import ConfigError
from hookline.packs.lock import HOOKS, SEAL, Pack
from hookline.paths import read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.model.spec import HookSpec

_PROGRAM = re.compile(r"\s*(\S+)")
_FOREIGN = ("sources", "exceptions")  # what only a file of the user may have


def read_hooks(folder: str) -> tuple[str, tuple[HookSpec, ...]]:
    """Return the text of a pack's `hookline.yaml`, and its hooks.

    Raises:
        ConfigError: there is none, or it has an error.
    """
    path = f"{folder}/{HOOKS}"
    if not os.path.isfile(path) or os.path.islink(path):
        hint = f"a pack is a folder with a {HOOKS}"
        raise ConfigError(f"there is no {HOOKS}", name="pack.invalid", place=folder, hint=hint)
    text = read_text(path)
    loaded = load(Source(text=text, file=path, names={"folder": folder}))
    for each in loaded.problems:
        if each.severity == "error":
            raise ConfigError(each.message, name=each.name, place=each.origin.place, hint=each.hint)
    tree = YAML(typ="safe").load(text) or {}
    wrong = [f"it has `{key}`, which is no part of a pack" for key in _FOREIGN if key in tree]
    wrong += [] if loaded.specs else ["it declares no hook"]
    if wrong:
        hint = "change it, or ask its author to"
        raise ConfigError(wrong[0], name="pack.invalid", place=path, hint=hint)
    return text, loaded.specs


def write_hooks(text: str, pack: Pack, own: list[str]) -> str:
    """Return the hooks with absolute programs, so that they run as commands of this version.

    `own`: the pack's own files, relative to its root. They are listed, so that an approval covers
    them; so does the digest of the lock file, which has the digests of all others.
    """
    yaml = YAML()
    yaml.width = 1 << 20
    tree = yaml.load(text)
    folder = f"{pack.root}/{pack.folder}"
    environment = f"{pack.root}/venv" if pack.wheels else ""
    # Compiled modules that a run leaves behind would be files that no lock has.
    shared = {"HOOKLINE_FOLDER": folder, "PYTHONDONTWRITEBYTECODE": "1"}
    shared |= {"VIRTUAL_ENV": environment} if environment else {}
    for hook in tree["hooks"]:
        if hook.get("run") is None:
            continue
        run, program = _find_program(hook["run"], folder, environment)
        # `python -m` would import from the folder in which the agent works.
        is_module = environment and "-m" in (run if isinstance(run, list) else run.split())
        safe = {"PYTHONSAFEPATH": "1"} if is_module else {}
        given = [f"{pack.folder}/{path}" for path in hook.get("files") or ()]
        started = [] if os.path.islink(program) else [program] * bool(program)
        hook["run"] = run
        hook["env"] = {**shared, **safe, **(hook.get("env") or {})}
        paths = (os.path.normpath(os.path.join(pack.root, path)) for path in (SEAL, *given, *own))
        hook["files"] = list(dict.fromkeys((*paths, *started)))
    stream = io.StringIO()
    yaml.dump(tree, stream)
    return f"# Written by hookline from the {HOOKS} of the pack.\n{stream.getvalue()}"


def _find_program(run: Any, folder: str, environment: str) -> tuple[Any, str]:
    """Return what a hook runs with the whole path of its program, and that path.

    The path is empty for a program that is neither beside the hooks nor in their environment.
    """
    is_list = isinstance(run, list)
    found = _PROGRAM.match(str(run[0] if is_list else run))
    word = found[1] if found else ""
    path = f"{environment}/bin/{word}" if environment and "/" not in word else ""
    if word.startswith(("./", "../")):
        path = os.path.normpath(f"{folder}/{word}")
    if not os.path.exists(path):
        return run, ""
    return ([path, *run[1:]] if is_list else run.replace(word, shlex.quote(path), 1)), path
