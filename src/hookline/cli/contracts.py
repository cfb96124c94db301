"""`hookline schema`: the JSON Schemas (draft 2020-12) of the documents that hookline prints, each complete in itself."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Annotated

from hookline.cli import flags, offers
from hookline.cli.ending import OK, say
from hookline.errors import ConfigError
from hookline.text.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_Name = Annotated[
    str,
    flags.argument(
        metavar="NAME", help="which one; without it, their names", autocompletion=offers.documents
    ),
]
_REFERENCE = re.compile(r'"urn:hookline:([a-z]+):1[#"]')


def schema(*, name: _Name = "") -> int:
    """The JSON Schema of a document that hookline prints."""
    say(
        json.dumps(contract(name), indent=2, ensure_ascii=False) + "\n"
        if name
        else "".join(f"{known}\n" for known in names())
    )
    return OK


def names() -> list[str]:
    """The documents that have a schema."""
    return sorted(
        file.name.removesuffix(".json")
        for file in _folder().iterdir()
        if file.name.endswith(".json")
    )


def contract(name: str) -> dict[str, Any]:
    """A schema, with the schemas that it refers to.

    Raises:
        ConfigError: no document of that name.
    """
    if name not in names():
        hint = did_you_mean(name, names()) or f"one of {', '.join(names())}"
        raise ConfigError(f"unknown document `{name}`", name="config.option", hint=hint)
    text = (_folder() / f"{name}.json").read_text(encoding="utf-8")
    read: dict[str, Any] = json.loads(text)
    others = {other: contract(other) for other in sorted(set(_REFERENCE.findall(text)) - {name})}
    return read | {"$defs": read.get("$defs", {}) | others} if others else read


def _folder() -> Any:
    return files("hookline.cli") / "schemas"
