"""Is a session told once, by whichever process, and is it known who did something?"""

from __future__ import annotations

import pytest

from hookline.trust.store import Store
from hookline.trust.told import Told, record_of, user_of
from tests.unit.trust.test_store import approval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


def test_a_session_is_told_once(tmp_path: Path) -> None:
    """Also by another process; one without a name, and one that nobody can remember, every time."""
    path = str(tmp_path / "state/trust.db")
    first, second = Told(Store(path)), Told(Store(path))
    said = [
        each.once(session, "x")
        for each, session in (
            (first, "s"),
            (first, "s"),
            (second, "s"),
            (second, "t"),
            (first, ""),
            (first, ""),
        )
    ]
    nowhere = Told(Store("/proc/nowhere/trust.db"))

    assert said == [False, True, True, False, False, False]
    assert [nowhere.once("s", "x"), Told(Store("/proc/nowhere/trust.db")).once("s", "x")] == [
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("environ", "who"), [({"SUDO_USER": "ann", "USER": "root"}, "ann"), ({"USER": "ada"}, "ada")]
)
def test_who_it_is(environ: dict[str, str], who: str) -> None:
    """Behind `sudo`, who called it; without a name in the environment, the system's."""
    assert user_of(environ) == who
    assert user_of({})


def test_an_approval_without_a_hook_is_told_of_in_full() -> None:
    """By the words that it was written down in."""
    given = approval().replace(hook="h", command="./guard.sh", file="/p/f", root="/p", event="e")

    assert record_of(given, "forgotten", who="ada", how="command line") == {
        "what": "forgotten", "hook": "h", "event": "e", "command": "./guard.sh", "file": "/p/f", "root": "/p", "identity": "i",
        "content": "c", "who": "ada", "how": "command line",
    }  # fmt: skip
