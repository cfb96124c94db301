"""Trust keys: the name under which Codex remembers what a user said of a hook (docs/formats/codex.md 2)."""

from __future__ import annotations

import re


def trust_key(path: str, native: str, group: int, handler: int) -> str:
    """`<source path>:<event in snake_case>:<group index>:<handler index>`, both counted from 0."""
    return f"{path}:{_snake(native)}:{group}:{handler}"


def _snake(native: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", native).lower()
