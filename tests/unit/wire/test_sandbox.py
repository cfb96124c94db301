"""The sandbox: what a prompt may say, in two spellings, and everything that it may not reach or use up."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from hookline.errors import HandlerError
from hookline.wire.sandbox import check_template, fill_template, to_snake_case
from hookline.wire.template_parts import Inserted

PAYLOAD: dict[str, Any] = {
    "tool_name": "shell",
    "tool_use_id": "u1",
    "tool_input": {
        "cmd": 'echo "✓"',
        "items": [1, "two", {"a": None}],
        "in": "kw",
        "in_order": True,
    },
    "n": 3,
    "range": "shadow",
    "toJSON": "shadow",
    "_hidden": "no",
}
JINJA = [
    ("{{ tool_name }}", "shell"),
    ("{{ tool_input.items }}", '[1,"two",{"a":null}]'),
    ("{{ tool_input['cmd'] }}", 'echo "✓"'),
    ("{{ tool_input | toJSON | truncate(6) }}", '{"cmd"…'),
    ("{{ tool_input | tojson | length }}", "75"),
    ("{{ payload.tool_name }}", "shell"),
    ("{% if n > 2 and tool_name in ['shell'] %}yes{% else %}no{% endif %}", "yes"),
    ("{{ 'a' if absent is defined else 'b' }}", "b"),
    ("{{ absent | default('none') }}", "none"),
    (
        "{% for item in tool_input.items %}{{ loop.index }}:{{ item }} {% endfor %}",
        '1:1 2:two 3:{"a":null} ',
    ),
    ("{% for key, value in tool_input | items %}{{ key }} {% endfor %}", "cmd items in in_order "),
    ("{{ tool_input.items | join('-') }}", '1-two-{"a":null}'),
    ("{% for i in range(3) %}{{ i }}{% endfor %}", "012"),
    ("{{ not n }}{{ -n }}{{ tool_name | upper | lower | trim | first }}", "false-3s"),
    ("{% raw %}{{ .x }}{% endraw %}", "{{ .x }}"),
    ("line\n", "line\n"),
]
REFUSED = [
    ("{{", "unexpected"), ("{{ .a", "unexpected"), ("{% if %}", "Expected"),
    ("{{ if .ToolInput }}", "of Go's templates"), ("{{ end }}", "of Go's templates"), ("{{ else }}", "of Go's templates"),
    ("{{ range .x }}", "of Go's templates"), ("{{ with .x }}", "of Go's templates"), ('{{ printf "%s" .x }}', "of Go's templates"),
    ("{{ $x := .a }}", "unexpected char"), ("{{/* no */}}", "unexpected"), ("{{ .. }}", "not expected"), ("{{ .a[0] }}", "not expected"),
    ("{{ .a | nope }}", "no function `nope`"), ("{{ .a | }}", "not expected"), ("{{ toJSON }}", "must be called"), ("{{ range }}", "of Go's templates"),
    ("{{ 'a' in range(1500000000) }}", "for loops only"), ("{{ range(9) | join }}", "for loops only"), ("{{ toJSON(range(9)) }}", "for loops only"),
    ("{% for a in [range(9)] %}{% endfor %}", "for loops only"), ("{% for a in range(9) | items %}{% endfor %}", "for loops only"),
    ("{% if 1 %}" * 70 + "x" + "{% endif %}" * 70, "64 levels"), ("{{ " + "not " * 70 + "1 }}", "64 levels"), ("{{ x" + "|upper" * 70 + " }}", "64 levels"),
    ("{{ " + "(" * 20_000 + "1" + ")" * 20_000 + " }}", "RecursionError"), ("{{ " + "-" * 20_000 + "1 }}", "RecursionError"),
    ("".join(f"{{% for a{n} in [1] %}}" for n in range(25)) + "x" + "{% endfor %}" * 25, "SyntaxError"), ("{{ " + "1" * 5000 + " }}", "ValueError"),
    ("x" * (1 << 17), "longer than 65,536 characters"), ("{{a}}" * 12_000, "more than 10,000 parts"),
    ("{{ ''.__class__ }}", "no `__class__`"), ("{{ tool_name.upper() }}", "can be called"), ("{{ ().__class__.__bases__ }}", "no `__"),
    ("{{ self }}", "no `self`"), ("{{ _bounds }}", "no `_bounds`"), ("{{ cycler() }}", "can be called"), ("{{ lipsum() }}", "can be called"),
    ("{{ tool_name | attr('upper') }}", "no filter `attr`"), ("{{ [1] | map('string') }}", "no filter `map`"), ("{{ 'x' | center(9) }}", "no filter `center`"),
    ("{{ 'x' | replace('x', 'y') }}", "no filter `replace`"), ("{{ '%99d' | format(1) }}", "no filter `format`"), ("{{ n is callable }}", "no test `callable`"),
    ("{{ 'x' * 99999999 }}", "cannot have `mul`"), ("{{ 'x' ~ 'x' }}", "cannot have `concat`"), ("{{ 9 ** 9 }}", "cannot have `pow`"),
    ("{% set a = 1 %}", "cannot have `assign`"), ("{% macro a() %}{% endmacro %}", "cannot have `macro`"), ("{% include 'a' %}", "cannot have `include`"),
    ("{% import 'a' as b %}", "cannot have `import`"), ("{% extends 'a' %}", "cannot have `extends`"), ("{% block a %}{% endblock %}", "cannot have `block`"),
    ("{% filter upper %}{% endfilter %}", "cannot have `filterblock`"), ("{% with a = 1 %}{% endwith %}", "cannot have `with`"),
    ("{% for a in [1] recursive %}{{ loop([1]) }}{% endfor %}", "cannot call itself"), ("{{ toJSON(*tool_input) }}", "can be called"),
    ("{{ {'a': 1} }}", "cannot have `dict`"), ("{{ tool_name[1:2] }}", "cannot have `slice`"),
    ("(" * 3 + "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", "RecursionError"),
]  # fmt: skip


def fill(prompt: str, *, most: int = 1000) -> str:
    return "".join(fill_template(prompt, PAYLOAD, most=most, late=lambda: False))


@pytest.mark.parametrize(("prompt", "text"), JINJA)
def test_jinja2s_own_spelling_is_understood(prompt: str, text: str) -> None:
    """Conditions and loops over what the payload holds; a key never means a method."""
    assert check_template(prompt).error == ""
    assert fill(prompt) == text


@pytest.mark.parametrize(("prompt", "why"), REFUSED)
def test_what_a_prompt_may_not_say_is_refused_before_it_runs(prompt: str, why: str) -> None:
    """With its line; and it does not run either, whoever tries."""
    assert why in check_template(prompt).error
    with pytest.raises(HandlerError):
        fill(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "{{ tool_name['__class__'] }}",
        "{{ tool_input['__init__']['__globals__'] }}",
        "{% for x in [1] %}{{ loop['__class__'] }}{{ loop['_iterable'] }}{{ loop.cycle }}{% endfor %}",
        "{{ payload['__class__'] }}{{ tool_input.keys }}{{ tool_input.get }}",
        "{{ absent['__class__'] }}",
    ],
)
def test_attributes_of_python_are_nothing(prompt: str) -> None:
    """An entry that is not there, whatever the object behind it has."""
    assert fill(prompt) == ""


@pytest.mark.parametrize(
    "prompt",
    [
        "{% for a in range(1000000000) %}{% endfor %}",
        "{% for a in range(101) %}{% for b in range(101) %}{% endfor %}{% endfor %}",
        "{% for a in range(99999) %}{% if loop.length %}{% endif %}{% endfor %}",
        "{% for a in range(100000000000) if false %}{% endfor %}",
        "{% for a in range(1000000000000000000000000000000) %}{% endfor %}",
    ],
)
def test_loops_share_a_number_of_rounds(prompt: str) -> None:
    """However they are nested, and whatever they print."""
    with pytest.raises(HandlerError, match="more than 10,000 times"):
        fill(prompt)


def test_a_prompt_ends_when_it_is_far_too_long() -> None:
    """What would come behind is not worked out."""
    with pytest.raises(HandlerError, match="grows far beyond 5,000 characters"):
        fill("{% for a in range(9999) %}" + "x" * 1000 + "{% endfor %}", most=5000)


@pytest.mark.parametrize(
    "prompt",
    [
        "{{ l | join(payload) }}",
        "{{ payload | toJSON }}",
        "{{ toJSON([l, l, l]) }}",
        "{{ l | join(l | join(x)) }}",
    ],
)
def test_no_step_makes_more_than_a_prompt_shows(prompt: str) -> None:
    """It stops on the way, and does not cut what it made."""
    rounds = itertools.count()

    class Counted(list[Any]):
        def __iter__(self) -> Any:
            return ((next(rounds) and None) or each for each in super().__iter__())

    payload = {"l": Counted(["é" * 1000] * 100_000), "x": "y" * 100_000}
    parts = fill_template(prompt, payload, most=1000, late=lambda: False)

    assert len("".join(parts)) <= 64 << 10
    assert next(rounds) < 10_000


def test_values_are_told_from_the_authors_words() -> None:
    """By their type, part by part."""
    parts = fill_template(
        "a {{ tool_name }}{% for i in range(2) %}{{ i }}b{% endfor %}",
        PAYLOAD,
        most=99,
        late=lambda: False,
    )

    assert [part for part in parts if isinstance(part, Inserted)] == ["shell", "0", "1"]


def test_escapes_upon_escapes_do_not_grow_beyond_bounds() -> None:
    """Each round of `toJSON` doubles backslashes; what is longer than any prompt shows is cut on the way."""
    text = fill("{{ tool_input" + " | toJSON" * 40 + " | length }}")

    assert int(text) < 10 << 20


def test_a_prompt_that_takes_too_long_is_stopped() -> None:
    """Between two rounds of its loops, by whoever watches the time."""
    ticks = itertools.count()

    with pytest.raises(HandlerError, match="too long to fill in"):
        fill_template(
            "{% for a in range(5000) %}{% endfor %}",
            PAYLOAD,
            most=10,
            late=lambda: next(ticks) > 100,
        )


def test_the_fields_that_a_prompt_names_are_told() -> None:
    """So that a typo can be pointed at; its own variables and helpers are none."""
    prompt = "{{ .ToolNam }} {{ x.y }} {% for i in items %}{{ i.z }}{{ loop.index }}{% endfor %} {{ toJSON . }} {{ payload.q }}"

    assert sorted(check_template(prompt).fields) == ["ToolNam", "items", "q", "x"]


def test_a_field_of_the_payload_cannot_stand_in_for_a_helper() -> None:
    """Keys that are called like one are still there as entries of the payload."""
    assert (
        fill("{{ toJSON(1) }}{% for i in range(1) %}{{ i }}{% endfor %}{{ .range }}{{ .toJSON }}")
        == "10shadowshadow"
    )


@pytest.mark.parametrize(
    ("name", "key"),
    [("ToolName", "tool_name"), ("ToolUseID", "tool_use_id"), ("SessionID", "session_id"), ("Cwd", "cwd"), ("tool_name", "tool_name"), ("HTTPCode2X", "http_code2_x")],
)  # fmt: skip
def test_a_name_in_go_leads_to_a_key(name: str, key: str) -> None:
    """Words begin with capitals there."""
    assert to_snake_case(name) == key
