"""`hookline schema`: the JSON Schemas (draft 2020-12) of the documents that hookline prints."""

from __future__ import annotations

import json
import os
import re

from hookline.cli.options import option, usage_error
from hookline.cli.output import OK, print_text
from hookline.errors import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.cli.output import Document

_FOLDER = os.path.join(os.path.dirname(__file__), "schemas")
_REFERENCE = re.compile(r'"urn:hookline:([a-z]+):1[#"]')


def schema(
    *,
    name: str = option(
        "[NAME]", "a document; without it, print the names of all", complete="schemas"
    ),
) -> int:
    """Print the JSON Schema of a document that hookline prints or reads."""
    print_text(
        json.dumps(read_schema(name), indent=2, ensure_ascii=False) + "\n"
        if name
        else "".join(f"{known}\n" for known in list_schemas())
    )
    return OK


def list_schemas(_given: object = None) -> list[str]:
    """Return the names of the documents that have a schema."""
    names = os.listdir(_FOLDER)
    return sorted(name.removesuffix(".json") for name in names if name.endswith(".json"))


def read_schema(name: str) -> Document:
    """Return a schema, with the schemas that it refers to.

    Raises:
        ConfigError: no document of that name.
    """
    if name not in list_schemas():
        raise usage_error(
            f"unknown document `{name}`",
            did_you_mean(name, list_schemas()) or f"one of {', '.join(list_schemas())}",
        )
    with open(f"{_FOLDER}/{name}.json", encoding="utf-8") as file:
        text = file.read()
    read: Document = json.loads(text)
    others = {other: read_schema(other) for other in sorted(set(_REFERENCE.findall(text)) - {name})}
    return read | {"$defs": read.get("$defs", {}) | others} if others else read
