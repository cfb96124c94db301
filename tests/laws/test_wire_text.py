"""Wire text: one line that means what the payload means, and that a shell's echo leaves alone."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hookline.core.dialect import Table
from hookline.wire.payload import encode_wire_text
from tests.laws.strategies import DIALECTS, FEWER, LAW, finite_values, label, texts

if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import Dialect

payloads = st.dictionaries(texts, finite_values, max_size=5)
ECHO_SAFE = Table(name="x", rows={})
COMPACT = Table(name="x", rows={}, compact=True, ascii_only=True)
NASTY = {"t": 'a\tb\nc\rd\\e"f\bg\fh/i\u2028j\x00k\x7fl\ud800m\U0001f600n', "\\\n": ["\\n"]}


@LAW
@given(payloads)
@example(NASTY)
@pytest.mark.parametrize(
    "table",
    [ECHO_SAFE, COMPACT, ECHO_SAFE.replace(echo_safe=False)],
    ids=["echo-safe", "compact", "plain"],
)
def test_wire_text_means_the_payload(table: Table, payload: dict[str, Any]) -> None:
    """It is read back as the payload that it was made of."""
    assert payload == json.loads(encode_wire_text(payload, table))


@FEWER
@given(payloads)
@example(NASTY)
@pytest.mark.parametrize("dialect", DIALECTS, ids=label)
def test_wire_text_is_one_line(dialect: Dialect, payload: dict[str, Any]) -> None:
    """One newline, at the end, whatever the strings hold."""
    text = encode_wire_text(payload, dialect.table)

    assert text.endswith("}\n")
    assert text.count("\n") == 1
    assert "\r" not in text


@LAW
@given(payloads)
@example(NASTY)
@pytest.mark.parametrize("table", [ECHO_SAFE, COMPACT], ids=["blanks", "compact"])
def test_echo_finds_nothing_to_expand(table: Table, payload: dict[str, Any]) -> None:
    r"""Each backslash begins `\\uXXXX`, which no shell's echo reads (docs/architecture.md 4.8)."""
    text = encode_wire_text(payload, table)

    assert re.findall(r"\\(?!u[0-9a-f]{4})", text) == []


@FEWER
@given(payloads)
@example(NASTY)
@pytest.mark.parametrize("dialect", DIALECTS, ids=label)
def test_wire_text_is_always_utf8(dialect: Dialect, payload: dict[str, Any]) -> None:
    """A lone surrogate reaches a hook as an escape, never as bytes that its decoder refuses."""
    assert json.loads(encode_wire_text(payload, dialect.table).encode("utf-8")) == payload


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), {1}, object(), b"x"],
    ids=["nan", "infinity", "set", "object", "bytes"],
)
def test_what_json_cannot_say_is_refused(value: object) -> None:
    """A payload is never sent with something left out or made up."""
    with pytest.raises((TypeError, ValueError)):
        encode_wire_text({"x": value}, ECHO_SAFE)


def test_blanks_stand_after_colons_and_commas() -> None:
    """As most hosts write it, so that a script which greps the line finds what it looks for."""
    assert (
        encode_wire_text({"a": 1, "b": [1, 2], "c": ""}, ECHO_SAFE)
        == '{"a": 1, "b": [1, 2], "c": ""}\n'
    )
    assert encode_wire_text({"a": 1, "b": [1, 2]}, COMPACT) == '{"a":1,"b":[1,2]}\n'
