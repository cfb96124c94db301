"""`hookline schema`: prints the JSON Schema of a document."""

from __future__ import annotations

import json
from typing import Annotated

from hookline.cli import command_options, completions
from hookline.cli.exit_codes import OK, print_text
from hookline.cli.schema_files import list_schemas, read_schema

_Name = Annotated[
    str,
    command_options.argument(
        metavar="NAME",
        help="which one; without it, their names",
        autocompletion=completions.complete_documents,
    ),
]


def schema(*, name: _Name = "") -> int:
    """The JSON Schema of a document that hookline prints."""
    print_text(
        json.dumps(read_schema(name), indent=2, ensure_ascii=False) + "\n"
        if name
        else "".join(f"{known}\n" for known in list_schemas())
    )
    return OK
