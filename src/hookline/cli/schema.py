"""`hookline schema`: prints the JSON Schema of a document."""

from __future__ import annotations

import json
from typing import Annotated

from hookline.cli import flags, offers
from hookline.cli.ending import OK, say
from hookline.cli.schema_files import list_schemas, read_schema

_Name = Annotated[
    str,
    flags.argument(
        metavar="NAME", help="which one; without it, their names", autocompletion=offers.documents
    ),
]


def schema(*, name: _Name = "") -> int:
    """The JSON Schema of a document that hookline prints."""
    say(
        json.dumps(read_schema(name), indent=2, ensure_ascii=False) + "\n"
        if name
        else "".join(f"{known}\n" for known in list_schemas())
    )
    return OK
