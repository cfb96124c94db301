"""Makes the ids of hooks, from source, event and content or the author's name, not from positions.

docs/formats/hookline.md 8
"""

from __future__ import annotations

import json

from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from hookline.core.dialect import Source
    from hookline.model.spec import HookSpec
    from hookline.wire.fields import Node

# Keys that describe a hook or limit it. They are no part of what makes it this hook.
_DESCRIBING = frozenset({
    "name", "description", "comment", "statusMessage", "timeout", "timeoutSec", "timeout_ms",
})  # fmt: skip
# Keys whose value is a command line, or its words.
_COMMANDS = ("command", "bash", "exec", "powershell", "run")
# Words before the program that a command line is about.
_RUNNERS = frozenset({
    "!", "(", "[", "{", "bash", "bun", "bunx", "command", "deno", "do", "env", "exec", "if", "node",
    "nohup", "npx", "pwsh", "python", "python3", "run", "sh", "sudo", "test", "then", "time", "tsx",
    "uv", "uvx", "while", "zsh",
})  # fmt: skip
# A digest in an id has letters only, and no vowels: it is no word, and `text.masking` takes no id
# for a key.
_LETTERS = str.maketrans("0123456789abcdef", "bcdfghjkmnpqrstv")
_LENGTH = 6
_LONGEST = 40  # characters of a name
_MOST_WORDS = 16


def name_source(source: Source) -> str:
    """Return how ids name a source: by its label, else the name of its file, else `config`."""
    return source.label or source.file.rpartition("/")[2] or "config"


def make_hook_id(source: Source, event: str, node: Node) -> str:
    """Return `SOURCE#EVENT.NAME`, or `SOURCE#EVENT.PROGRAM-DIGEST` where the author gave no name.

    `SOURCE#EVENT` where the file has no list of the event's hooks. Equal entries of a file get
    equal ids here; `number_equal` tells them apart.

    Args:
        source: where the hook is declared.
        event: the event's name in the id.
        node: the hook in its file, or the group that cannot be read.
    """
    begin = f"{name_source(source)}#{event}"
    if not isinstance(node.path[-1], int):
        return begin
    given = node.value if isinstance(node.value, dict) else {}
    name = given.get("name")
    if not (isinstance(name, str) and (readable := _slug(name))):
        kept = {key: part for key, part in given.items() if key not in _DESCRIBING}
        content = [_find_matcher(node), kept or node.value]
        text = json.dumps(content, sort_keys=True, default=str)
        digest = sha256(text.encode())[:_LENGTH].translate(_LETTERS)
        readable = "-".join(filter(None, [_slug(_find_subject(given)), digest]))
    return f"{begin}.{readable}"


def number_equal(specs: Iterable[HookSpec], taken: set[str]) -> tuple[HookSpec, ...]:
    """Return hooks with ids that are not taken yet, and take them: a second `a` is `a~2`."""
    named = []
    for spec in specs:
        unique, count = spec.id, 1
        while unique in taken:
            count += 1
            unique = f"{spec.id}~{count}"
        taken.add(unique)
        named.append(spec if unique == spec.id else spec.replace(id=unique))
    return tuple(named)


def _find_matcher(node: Node) -> Any:
    """Return the matcher of the group that a hook lies in; "" without a group."""
    *steps, key, _ = node.path if len(node.path) > 1 else ("", "")
    group = node.tree.value
    for step in steps:
        group = group[step]
    is_group = key == "hooks" and isinstance(group, dict)
    return (group.get("matcher") or "") if is_group else ""


def _slug(text: str) -> str:
    """Return a text as part of an id: letters, digits, `.`, `_`, and `-` for everything else."""
    plain = "".join(each if each.isalnum() or each in "._" else " " for each in text[:_LONGEST])
    return "-".join(plain.split()).strip(".")


def _find_subject(entry: dict[str, Any]) -> str:
    """Return what an entry is about: its program, the host of its address, or its type."""
    for key in _COMMANDS:
        command = entry.get(key)
        if isinstance(command, str) and command.strip():
            given = entry.get("args")
            words = command.split(None, _MOST_WORDS)[:_MOST_WORDS]
            return _find_program([*words, *(given if isinstance(given, list) else ())])
        if isinstance(command, list):
            return _find_program(command[:_MOST_WORDS])
    address = str(entry.get("url") or "").partition("://")[2]
    if address:  # without a user and a password, a port and a path
        return address.partition("/")[0].partition("?")[0].rpartition("@")[2].partition(":")[0]
    return str(entry.get("type") or "")


def _find_program(words: list[Any]) -> str:
    """Return the name of the program that a command line is about; "" where none is plain."""
    runner = ""
    for word in map(str, words):
        if word.startswith("-") or word.count('"') % 2 or word.count("'") % 2:
            break
        if "=" in word:  # a variable for the program
            if "(" in word or "`" in word:
                break
            continue
        name = word.replace("\\", "/").strip("\"'").rpartition("/")[2]
        if name not in _RUNNERS:
            return name
        runner = name
    return runner
