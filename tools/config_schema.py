"""The JSON Schema of `hookline.yaml`, made from the tables by which its loader reads the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hookline.dialects.native.fields import (
    CHOICES,
    COMMAND,
    DEFAULTS,
    EXCEPTION,
    EXPECT,
    FILE,
    HANDLERS,
    HOOK,
    PATTERN,
    SOURCE,
    TEST,
)
from hookline.guards.table import GUARDS
from hookline.model import kinds
from hookline.model.builtins import BUILTINS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hookline.dialects.native.fields import Key

PATH = Path(__file__).parents[1] / "src" / "hookline" / "cli" / "schemas" / "config.json"
_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_OBJECT = {"type": "object"}
_PATTERN = {"$ref": "#/$defs/pattern"}
# Shape of a key -> the schema of its value.
_SHAPES: Mapping[str, Any] = {
    "version": {"const": 1},
    "text": _TEXT,
    "texts": _TEXTS,
    "words": {"anyOf": [_TEXT, _TEXTS]},
    "flag": {"type": "boolean"},
    "integer": {"type": "integer"},
    "seconds": {"type": "number", "exclusiveMinimum": 0},
    "object": _OBJECT,
    "mapping": _OBJECT | {"additionalProperties": {"type": ["string", "number", "boolean"]}},
    "builtin": {"enum": [*BUILTINS, *GUARDS]},
    "moment": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}"},
    "exceptions": {"type": "array", "items": {"$ref": "#/$defs/exception"}},
    "event": {"enum": [*kinds.NAMES]},
    "selector": {"anyOf": [_TEXT, _TEXTS, _PATTERN]},
    "when": _OBJECT | {"additionalProperties": {"anyOf": [_TEXT, _TEXTS, _PATTERN]}},
    "command": {"anyOf": [_TEXT, {"$ref": "#/$defs/command"}]},
    "expect": {"anyOf": [{"enum": [*CHOICES["answer"]]}, {"$ref": "#/$defs/expect"}]},
    "sources": {"type": "array", "items": {"$ref": "#/$defs/source"}},
    "hooks": {"type": "array", "items": {"$ref": "#/$defs/hook"}},
    "tests": {"type": "array", "items": {"$ref": "#/$defs/test"}},
    "defaults": _OBJECT
    | {
        "propertyNames": {"enum": [*kinds.NAMES]},
        "additionalProperties": {"$ref": "#/$defs/defaults"},
    },
    **{shape: {"enum": [*words]} for shape, words in CHOICES.items()},
}


def config_schema() -> Mapping[Path, str]:
    """Return the file of the schema, and its text."""
    hook = _describe(HOOK) | {
        "anyOf": [{"required": ["on"]}, {"required": ["use"]}],
        "oneOf": [{"required": [key]} for key in HANDLERS],
    }
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:hookline:config:1",
        "title": "hookline.yaml: hooks for all hosts",
        **_describe(FILE, ["version"]),
        "$defs": {
            "source": _describe(SOURCE, ["path"]),
            "hook": hook,
            "exception": _describe(EXCEPTION, ["rule", "reason", "until"]),
            "command": _describe(COMMAND, ["name"]),
            "pattern": _describe(PATTERN, ["regex"]),
            "defaults": _describe(DEFAULTS),
            "test": _describe(TEST, ["on", "expect"]),
            "expect": _describe(EXPECT),
        },
    }
    return {PATH: json.dumps(schema, indent=2, ensure_ascii=False) + "\n"}


def _describe(keys: Mapping[str, Key], required: Sequence[str] = ()) -> dict[str, Any]:
    """Return the schema of an object with these keys and no others."""
    return {
        "type": "object",
        "additionalProperties": False,
        **({"required": [*required]} if required else {}),
        "properties": {
            key: {**_SHAPES[row.shape], "description": row.meaning} for key, row in keys.items()
        },
    }
