"""The JSON Schemas (draft 2020-12) of the documents that hookline prints, each complete in itself."""

from __future__ import annotations

import json
import re

from hookline.errors import ConfigError
from hookline.text.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_REFERENCE = re.compile(r'"urn:hookline:([a-z]+):1[#"]')


def list_schemas() -> list[str]:
    """The documents that have a schema."""
    return sorted(
        file.name.removesuffix(".json")
        for file in _schema_folder().iterdir()
        if file.name.endswith(".json")
    )


def read_schema(name: str) -> dict[str, Any]:
    """A schema, with the schemas that it refers to.

    Raises:
        ConfigError: no document of that name.
    """
    if name not in list_schemas():
        hint = did_you_mean(name, list_schemas()) or f"one of {', '.join(list_schemas())}"
        raise ConfigError(f"unknown document `{name}`", name="config.option", hint=hint)
    text = (_schema_folder() / f"{name}.json").read_text(encoding="utf-8")
    read: dict[str, Any] = json.loads(text)
    others = {other: read_schema(other) for other in sorted(set(_REFERENCE.findall(text)) - {name})}
    return read | {"$defs": read.get("$defs", {}) | others} if others else read


def _schema_folder() -> Any:
    from importlib.resources import files  # noqa: PLC0415 - 8 ms, and few commands read a schema

    return files("hookline.cli") / "schemas"
