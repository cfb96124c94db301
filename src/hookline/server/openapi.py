"""OpenAPI: what the server can be asked, in one document, with the schema of a decision as `hookline schema` prints it."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from hookline.engine.catalog import NAMES

if TYPE_CHECKING:
    from collections.abc import Mapping


def openapi(version: str, decision: Mapping[str, Any]) -> dict[str, Any]:
    """The document (OpenAPI 3.1); `decision` is the schema of that document, complete in itself."""
    made: dict[str, Any] = json.loads(
        (files("hookline.server") / "openapi.json").read_text(encoding="utf-8")
    )
    made["info"]["version"] = version
    made["components"]["schemas"]["decision"] = dict(decision)
    made["components"]["schemas"]["firing"]["properties"]["dialect"]["enum"] = [*NAMES, None]
    made["paths"]["/v1/answer/{dialect}"]["post"]["parameters"][0]["schema"]["enum"] = list(NAMES)
    return made
