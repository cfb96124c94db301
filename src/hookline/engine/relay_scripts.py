"""Makes the command line by which a converted hook keeps its own dialect under another host.

It is `hookline answer` with the hook's own entry on it. So the hook's conditions, its environment
and its failure rule are the original's, whatever the new host's files can say.
"""

from __future__ import annotations

import json
import os
import shlex
from copy import deepcopy

from hookline.config.hook_files import is_program, is_single_hook_file
from hookline.core.dialect import Source
from hookline.model.spec import Command, HookSpec
from hookline.wire.json_reader import without_comments
from hookline.wire.sources import read_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.engine.engine import Engine
    from hookline.engine.sources import LoadedSource


def format_command(spec: HookSpec) -> str:
    """Return a hook's command as one line for a shell."""
    handler = spec.handler
    assert isinstance(handler, Command)  # noqa: S101 - the caller has checked
    return handler.script or shlex.join(handler.argv)


def is_plain_words(command: str) -> bool:
    """Whether a line is only quoted words, so that no shell is needed to split it."""
    try:
        return shlex.join(shlex.split(command)) == command
    except ValueError:  # an open quote
        return False


class Originals:
    """The hooks of an engine as their sources declare them; each source is read once."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._of = {
            held.id: shelved for shelved in engine.snapshot.sources for held in shelved.loaded.specs
        }
        self._trees: dict[int, Any] = {}

    def find_source(self, spec: HookSpec) -> LoadedSource:
        """Return the source of a hook."""
        return self._of[spec.id]

    def list_others(self, spec: HookSpec) -> list[HookSpec]:
        """Return the other hooks of its event."""
        return [
            entry.spec
            for entry in self.engine.registry.of_kind(spec.kind)
            if entry.spec.id != spec.id
        ]

    def format_relay(self, spec: HookSpec, target: str) -> str:
        """Return a command line that asks this one hook about an event of the target's host."""
        shelved = self.find_source(spec)
        words = ["hookline", "answer", target, "--relay", "--dialect", spec.dialect]
        words += ["--match-tools", "canonical"]
        if shelved.source.mode != "fidelity":
            words += ["--mode", shelved.source.mode]
        for name, value in self.engine.loader.dialects.get_options(shelved.dialect).items():
            text = str(value).lower() if isinstance(value, bool) else value
            words += ["--option", f"{name}={text}"]
        return shlex.join([*words, "--config", self.config(spec)])

    def config(self, spec: HookSpec) -> str:
        """Return the configuration of the one hook: its folder, or its entry as a tree."""
        return self._folder(spec) or self._entry(spec)

    def load_alone(self, spec: HookSpec) -> HookSpec | None:
        """Return the hook as the relay loads it; None if that is not one hook."""
        shelved = self.find_source(spec)
        if self._folder(spec):
            return next(held for held in shelved.loaded.specs if held.id == spec.id)
        own = Source(tree=json.loads(self.config(spec)), mode=shelved.source.mode, placed=False)
        specs = shelved.dialect.combine(shelved.dialect.load(own).specs).specs
        return specs[0] if len(specs) == 1 else None

    def _folder(self, spec: HookSpec) -> str:
        """Return the folder or program that is the hook.

        Empty if a file with several hooks declares it.
        """
        source = self.find_source(spec).source
        if is_program(source.file, spec.dialect):
            return os.path.abspath(source.file)
        if is_single_hook_file(source.file, spec.dialect):
            return source.names.get("folder") or source.file
        return ""

    def _entry(self, spec: HookSpec) -> str:
        source = self.find_source(spec).source
        if id(source) not in self._trees:
            self._trees[id(source)] = _read_tree(source)
        whole = self._trees[id(source)]
        steps = _split_pointer(whole, spec.origin.pointer)
        tree = _cut_out(whole, steps, beside=False)
        entry = _find_entry(tree, steps)
        argv = getattr(spec.handler, "argv", ())
        if argv and isinstance(entry.get("command"), str) and not entry.get("args"):
            # A path that is relative to the file in the entry is absolute in `argv`.
            entry["command"] = shlex.join(argv)
        # Cursor drops a file in which a command holds `://` (docs/formats/cursor.md); to JSON the
        # escaped text is the same.
        return json.dumps(tree, ensure_ascii=False).replace("://", ":\\/\\/")


def _read_tree(source: Source) -> Any:
    """Return a source as a tree; JSON may have comments."""
    if source.text is not None and source.file.endswith(".json"):
        source = source.replace(text=without_comments(source.text))
    return read_tree(source, []).value


def _split_pointer(tree: Any, pointer: str) -> list[str | int]:
    """Return the keys of a pointer through a tree; a key may contain a dot."""
    steps: list[str | int] = []
    node, left = tree, pointer
    while left:
        keys = range(len(node)) if isinstance(node, list) else node
        step = max(
            (key for key in keys if left == str(key) or left.startswith(f"{key}.")),
            key=lambda key: len(str(key)),
        )
        steps.append(step)
        node, left = node[step], left[len(str(step)) + 1 :]
    return steps


def _cut_out(node: Any, steps: list[str | int], *, beside: bool) -> Any:
    """Return a tree with only one part.

    `beside`: keep plain values beside it, such as a group's matcher.
    """
    if not steps:
        return deepcopy(node)
    step, rest = steps[0], steps[1:]
    if isinstance(node, list):
        return [_cut_out(node[int(step)], rest, beside=True)]
    kept: dict[str, Any] = {}
    if beside:
        kept = {key: value for key, value in node.items() if not isinstance(value, dict | list)}
    return {**kept, step: _cut_out(node[step], rest, beside=False)}


def _find_entry(tree: Any, steps: list[str | int]) -> dict[str, Any]:
    node = tree
    for step in steps:
        node = node[0] if isinstance(node, list) else node[step]
    return node if isinstance(node, dict) else {}
