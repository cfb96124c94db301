"""`hookline explain`: the page of a code, and the account of an event."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from hookline.cli.explain import make_code_document
from hookline.errors import CODES, ConfigError
from tests.unit.cli.support import DOCKER, LS, SUDO, Desk


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    """codes.json has a meaning, an example and a remedy for every code."""
    pages = json.loads((files("hookline.cli") / "codes.json").read_text(encoding="utf-8"))

    assert set(CODES) == set(pages)
    for name, page in pages.items():
        assert set(page) == {"meaning", "example", "fix"}, name
        assert page["meaning"].endswith("."), name
        assert page["fix"].endswith("."), name
        assert page["example"], name
        assert all(line.strip() for line in page["example"]), name


@pytest.mark.parametrize("word", ["HKL1203", "hkl1203", "event.unknown"])
def test_a_code_is_found_by_number_and_by_name(word: str) -> None:
    """The case of the number does not matter."""
    assert make_code_document(word)["code"] == "HKL1203"


def test_an_unknown_code_is_a_usage_error() -> None:
    """A number that no problem has is refused."""
    with pytest.raises(ConfigError, match="unknown code"):
        make_code_document("HKL9999")


def test_a_code_needs_no_files_and_no_input(desk: Desk) -> None:
    """`explain CODE` does not read standard input."""
    told = desk.type("explain", "HKL4001", stdin=b"no json")

    assert told.code == 0
    assert told.out.startswith("HKL4001  wire.payload\n")


def test_an_event_is_told_hook_by_hook(desk: Desk) -> None:
    """The files, the selected hooks with their answers, the others with reasons, the decision."""
    told = desk.type("explain", "pre_tool_use", "-c", DOCKER, stdin=SUDO)

    assert told.code == 0
    assert (
        "1. docker-agent/hooks.yaml#root.pre_tool_use.kvbpbk  in turn\n       deny after"
        in told.out
    )
    assert "20 hooks of other events" in told.out
    assert "decision\n  deny  pre_tool_use" in told.out


def test_no_run_starts_nothing(desk: Desk) -> None:
    """With --no-run there is no decision, and no hook ran."""
    document = desk.type(
        "explain", "pre_tool_use", "-c", DOCKER, "--no-run", "--json", stdin=LS
    ).document

    assert document["decision"] is None
    assert {hook["asked"] for hook in document["hooks"]} == {None}
    assert [hook["order"] for hook in document["hooks"] if hook["selected"]] == [1, 2]


def test_an_unknown_event_is_a_usage_error(desk: Desk) -> None:
    """The hint names the nearest event."""
    told = desk.type("explain", "pre_tool_uze", "-c", DOCKER)

    assert told.code == 2
    assert (
        told.err
        == "hookline explain: HKL4002 unknown event `pre_tool_uze` of docker-agent (did you mean "
        "`pre_tool_use`?)\n"
    )
