"""What of a hook is approved, and what may change without another approval?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from hookline.model.conditions import OneOf, Pattern
from hookline.model.handler import Command, Http, Model
from hookline.model.sight import Covered, Sealed, Sight
from hookline.text.re2_regex import Regex
from hookline.text.regex import compile_regex
from hookline.trust.fingerprint import (
    covers,
    fingerprint,
    has_another,
    head,
    identity,
    marks,
    plain,
)
from tests.unit.trust.support import hook

if TYPE_CHECKING:
    from pathlib import Path

FILE = Covered(role="script", path="/p/x.py", real="/p/x.py", digest="d")


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (Command(argv=("a",), env={"B": "b"}), {"": "Command", "argv": ["a"], "env": {"B": "b"}}),
        (Command(argv=("a",), sealed=Sealed(argv=(), pieces=())), {"": "Command", "argv": ["a"]}),
        (Http(url="u"), {"": "Http", "url": "u"}),
        (Command(argv=("a",), kill_leftovers=True), {"": "Command", "argv": ["a"]}),
        (Http(url="u", allow_local=True, largest=5), {"": "Http", "url": "u"}),
        (
            Model(names=("m",), prompt="p", allow_local=True, most_prompt=5),
            {"": "Model", "names": ["m"], "prompt": "p"},
        ),
        (
            Model(names=("m",), prompt="p", system="ours", schema={"type": "object"}),
            {"": "Model", "names": ["m"], "prompt": "p"},
        ),
        (
            Model(names=("m",), prompt="p", key="K", shape="s"),
            {"": "Model", "names": ["m"], "prompt": "p", "key": "K", "shape": "s"},
        ),
        (
            OneOf(field="tool", names=frozenset("ba")),
            {"": "OneOf", "field": "tool", "names": ["a", "b"]},
        ),
        (
            Pattern(field="tool", source="B", regex=compile_regex("B")),
            {"": "Pattern", "field": "tool", "source": "B", "regex": "B"},
        ),
        (len, "len"),
    ],
)
def test_a_value_is_told_without_what_is_so_by_default(value: object, told: object) -> None:
    """So a field that a later version adds changes no fingerprint; what a gate adds, and our own words, are none of it."""
    assert plain(value) == told


def test_a_users_hook_is_the_same_in_every_project() -> None:
    """A project's is another one in each."""
    assert identity(hook("x", scope="user"), "/a") == identity(hook("x", scope="user"), "/b")
    assert identity(hook("x"), "/a") != identity(hook("x"), "/b")


def test_a_project_is_itself_behind_a_link(tmp_path: Path) -> None:
    """What a host says of its place, in a hook's variables, is that place."""
    (tmp_path / "project").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "project")
    (tmp_path / "other").mkdir()
    root = str((tmp_path / "project").resolve())

    def seen_from(name: str) -> str:
        handler = Command(argv=("x",), env={"PROJECT_DIR": str(tmp_path / name)})
        return identity(hook("x").replace(handler=handler), root)

    assert seen_from("link") == seen_from("project")
    assert seen_from("other") != seen_from("project")


def test_what_a_dialect_wants_to_be_approved_is_a_part_of_it() -> None:
    """Limits are not, anywhere else."""
    assert identity(hook("x", timeout=5.0), "/a") == identity(hook("x"), "/a")
    assert identity(hook("x", sworn={"timeout": 5}), "/a") not in {
        identity(hook("x"), "/a"),
        identity(hook("x", sworn={"timeout": 6}), "/a"),
    }


@pytest.mark.parametrize(
    ("other", "differs"),
    [
        (FILE, set()),
        (FILE.replace(modified=5.0, path="/q/../p/x.py"), set()),
        (FILE.replace(digest="e"), {"content"}),
        (FILE.replace(real="/q/x.py"), {"places", "content"}),
        (FILE.replace(role="sourced"), {"places", "content"}),
    ],
)
def test_a_fingerprint_is_of_files_and_their_bytes(other: Covered, differs: set[str]) -> None:
    """Not of times, and not of the way to a file."""
    one, two = fingerprint("i", Sight(files=(FILE,))), fingerprint("i", Sight(files=(other,)))

    assert {
        name
        for name in ("identity", "places", "content")
        if getattr(one, name) != getattr(two, name)
    } == differs
    assert re.fullmatch("[0-9a-f]{64}", one.content)


@pytest.mark.parametrize(
    ("files", "another"),
    [
        ([FILE], False),
        ([FILE, FILE.replace(role="named", real="/p/new")], False),
        ([FILE, FILE.replace(role="named", real="/p/n", digest="e")], False),
        ([FILE, FILE.replace(role="listed", real="/p/l", digest="e")], True),
        ([FILE.replace(digest="e"), FILE.replace(role="named", real="/p/n")], True),
        ([FILE, FILE.replace(role="interpreter", real="/p/i", digest="e")], True),
    ],
)
def test_what_is_only_named_has_a_mark_of_its_own(files: list[Covered], another: bool) -> None:
    """So that what is new can be told from what is another; it is no part of the places."""
    before = fingerprint("i", Sight(files=(FILE, FILE.replace(role="named", real="/p/n"), FILE.replace(role="listed", real="/p/l"),
                                           FILE.replace(role="interpreter", real="/p/i"))))  # fmt: skip
    now = fingerprint("i", Sight(files=tuple(files)))

    assert has_another(before.content, now.content) is another
    assert len(marks(before.content)) == 3
    assert head(fingerprint("i", Sight(files=(FILE,))).content) == head(before.content)
    assert (
        fingerprint("i", Sight(files=(FILE, FILE.replace(role="named", real="/p/n")))).places
        == fingerprint("i", Sight(files=(FILE,))).places
    )


def test_it_is_said_what_an_approval_does_not_cover() -> None:
    """Imports never are, nor is what only a shell can tell."""
    shell = Covered(role="interpreter", path="/usr/bin/bash", real="/usr/bin/bash")
    node = Covered(role="interpreter", path="/h/node", real="/h/node", digest="5:7")

    assert covers(Sight(files=(shell, FILE), open=("what `x` runs",))) == (
        "definition",
        "interpreter /usr/bin/bash (by its place)",
        "script /p/x.py",
        "not: what `x` runs",
        "not: what these files import, source or start themselves",
    )
    own = Covered(role="interpreter", path="/p/node", real="/p/node", digest="d")
    assert covers(Sight(files=(node, own))) == (
        "definition",
        "interpreter /h/node (by its place, size and times)",
        "interpreter /p/node",
        "not: what these files import, source or start themselves",
    )
    assert covers(Sight(open=("what `make` runs",))) == ("definition", "not: what `make` runs")
    assert isinstance(compile_regex("x"), Regex)
