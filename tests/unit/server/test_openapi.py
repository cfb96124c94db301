"""The OpenAPI document says what the server does, and nothing else."""

from __future__ import annotations

import json
import re

import pytest
from jsonschema import Draft202012Validator
from starlette.routing import Route

from hookline.cli.schema import read_schema
from hookline.engine.engine import Engine
from hookline.server.metrics import Meter
from hookline.server.service import Service
from tests.unit.server.support import DOCUMENT

SCHEMAS = DOCUMENT["components"]["schemas"]


def test_every_endpoint_is_described_and_every_description_is_an_endpoint() -> None:
    """Path by path, method by method."""
    routes = Service(Engine(environ={}), meter=Meter(), contract=DOCUMENT).app().routes
    served = {
        (route.path, method.lower())
        for route in routes
        if isinstance(route, Route)
        for method in route.methods or ()
    }
    described = {
        (path, method) for path, methods in DOCUMENT["paths"].items() for method in methods
    }

    assert {(path, method) for path, method in served if method != "head"} == described


def test_a_decision_is_described_as_everywhere() -> None:
    """By the schema that `hookline schema decision` prints."""
    assert SCHEMAS["decision"] == read_schema("decision")


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_one(name: str) -> None:
    """Of draft 2020-12."""
    Draft202012Validator.check_schema(SCHEMAS[name])


def test_what_is_referred_to_is_there() -> None:
    """And what is there is referred to."""
    referred = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(DOCUMENT["paths"])))

    assert referred == set(SCHEMAS)
    assert {name for one in DOCUMENT["security"] for name in one} == set(
        DOCUMENT["components"]["securitySchemes"]
    )


def test_it_says_its_version() -> None:
    """That of hookline."""
    assert (DOCUMENT["openapi"], DOCUMENT["info"]["version"]) == ("3.1.0", "0")
