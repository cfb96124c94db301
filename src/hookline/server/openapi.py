"""OpenAPI: the document that describes the server's endpoints, with the schema of a decision."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from hookline.engine.catalog import NAMES

if TYPE_CHECKING:
    from collections.abc import Mapping


def make_openapi(version: str, decision: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document (OpenAPI 3.1); `decision` is the complete schema of a decision."""
    made: dict[str, Any] = json.loads(
        (files("hookline.server") / "openapi.json").read_text(encoding="utf-8")
    )
    made["info"]["version"] = version
    made["components"]["schemas"]["decision"] = dict(decision)
    made["components"]["schemas"]["firing"]["properties"]["dialect"]["enum"] = [*NAMES, None]
    made["paths"]["/v1/answer/{dialect}"]["post"]["parameters"][0]["schema"]["enum"] = list(NAMES)
    return made
