"""`hookline init`: writes a `hookline.yaml` with one hook and its tests; overwrites nothing."""

from __future__ import annotations

import json
import os

from hookline.cli.options import FOLDER, change_folder, option, usage_error
from hookline.cli.output import OK, print_message, print_text
from hookline.cli.schema import read_schema
from hookline.config.places import find_own_file
from hookline.errors import ConfigError, did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_EXAMPLES = os.path.join(os.path.dirname(__file__), "examples")
_SCHEMA = "hookline.schema.json"


def init(
    *,
    user: bool = option("--user", "your own file, for all projects"),
    example: str = option(
        "--example NAME",
        "what to begin with; `list` prints the names",
        default="guard",
        complete="examples",
    ),
    folder: str = FOLDER,
) -> int:
    """Write a file of hooks for all hosts, with a guard and its tests.

    A schema beside it lets editors complete and check it.
    """
    names = list_examples()
    if example == "list":
        print_text("".join(f"{name}\n" for name in names))
        return OK
    if example not in names:
        raise usage_error(
            f"there is no example `{example}`",
            did_you_mean(example, names) or f"one of {', '.join(names)}",
        )
    change_folder(folder)
    path = find_own_file(os.getcwd(), os.environ, user=user)
    hidden = "" if user else "."
    schema = f"{hidden}{_SCHEMA}"
    with open(f"{_EXAMPLES}/{example}.yaml", encoding="utf-8") as file:
        text = f"# yaml-language-server: $schema={schema}\n{file.read()}"
    _write_new(path, text)
    schema_path = os.path.join(os.path.dirname(path), schema)
    if not os.path.exists(schema_path):
        _write_new(schema_path, json.dumps(read_schema("config"), indent=2) + "\n")
    print_message(f"wrote {path}")
    print_message(f"try it: hookline test {path}")
    if not user:
        print_message("let it run: hookline approve")
    return OK


def list_examples(_given: Mapping[str, Any] | None = None) -> list[str]:
    """Return the names of the examples."""
    return sorted(name.removesuffix(".yaml") for name in os.listdir(_EXAMPLES))


def _write_new(path: str, text: str) -> None:
    """Write a file that does not exist yet.

    Raises:
        ConfigError: it exists, or cannot be written.
    """
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise ConfigError(
            "it exists, and init overwrites nothing",
            name="config.unwritable",
            place=path,
            hint="edit it, or move it away",
        ) from None
    except OSError as error:
        why = (error.strerror or "").lower()
        raise ConfigError(
            f"cannot be written: {why}", name="config.unwritable", place=path
        ) from None
