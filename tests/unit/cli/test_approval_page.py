"""What is printed of hooks that wait for an approval."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hookline.cli.approve import list_scripts, list_summaries, make_document, render_approval
from hookline.cli.output import Paint

if TYPE_CHECKING:
    from tests.unit.cli.support import Desk

PLAIN = Paint(on=False)
HOOK: dict[str, Any] = {
    "hook": ".claude/settings.json#Stop.lint",
    "native_event": "Stop",
    "when": ["the tool is `Bash`", "it is late"],
    "runs": "./guard.sh",
    "file": "/p/.claude/settings.json",
    "line": 3,
    "scope": "project",
    "did": "shown",
    "standing": "changed",
    "reason": "`guard.sh` changed",
    "not_covered": ["make", "what guard.sh starts"],
    "files": [{
        "path": "/p/guard.sh", "name": "guard.sh", "sha256": "0123456789abcdef",
        "text": "new\n", "diff": "@@ -1 +1 @@\n-old\n+new",
    }],
    "since": ["approved on Monday by ada", "`guard.sh` changed", "`lib.sh` is gone"],
    "findings": [],
}  # fmt: skip


def test_a_summary_has_six_lines() -> None:
    """They stand below the declaring file, and repeat nothing of the reason."""
    assert list(list_summaries([HOOK], PLAIN)) == [
        "/p/.claude/settings.json (project)",
        "  .claude/settings.json#Stop.lint  Stop, when the tool is `Bash` and it is late, line 3",
        "    runs   ./guard.sh",
        "    files  guard.sh sha256:0123456789ab",
        "    also runs, unseen: make, what guard.sh starts",
        "    changed: `guard.sh` changed",
        "    approved on Monday by ada; `lib.sh` is gone",
    ]


def test_hooks_of_one_file_are_together() -> None:
    """The page names the file once. A function of a program has none."""
    other = {**HOOK, "file": "", "line": 0, "scope": "process"}
    lines = list(list_summaries([HOOK, HOOK, other], PLAIN))

    assert [line for line in lines if not line.startswith(" ")] == [
        "/p/.claude/settings.json (project)",
        "python (process)",
    ]


def test_many_files_are_counted() -> None:
    """The page names four of them."""
    files = [{"path": f"/p/{at}", "name": f"{at}.sh", "sha256": ""} for at in range(6)]
    lines = list(list_summaries([{**HOOK, "files": files}], PLAIN))

    assert lines[3] == "    files  0.sh, 1.sh, 2.sh, 3.sh and 2 more (--json lists all)"


def test_after_a_change_the_page_shows_what_differs() -> None:
    """Once for each file, however many hooks run it."""
    assert list(list_scripts([HOOK, HOOK], PLAIN)) == [
        "\nguard.sh (changed since you approved it)",
        "  @@ -1 +1 @@",
        "  -old",
        "  +new",
    ]


def test_what_was_never_approved_is_shown_whole() -> None:
    """A long script is cut, with the command that shows the rest; an unchanged one is left out."""
    (file,) = HOOK["files"]
    new = {**HOOK, "files": [{**file, "text": "line\n" * 70, "diff": None}]}
    same = {**HOOK, "files": [{**file, "diff": ""}]}
    lines = list(list_scripts([new], PLAIN))

    assert lines[0] == "\nguard.sh (70 lines)"
    assert (len(lines), lines[-1]) == (62, "  10 more lines: less /p/guard.sh")
    assert list(list_scripts([same], PLAIN)) == []


def test_a_line_says_what_was_done() -> None:
    """One line for each hook. Skipped hooks are counted if there is no other line."""
    done = ("approved", "already", "forgotten", "absent", "declined", "left")
    lines = render_approval(make_document({**HOOK, "did": did} for did in done), PLAIN)

    assert [line.partition("  .claude")[0] for line in lines] == [
        "approved",
        "approved already",
        "forgotten",
        "may be absent",
        "declined",
        "left out: `guard.sh` changed",
    ]
    assert list(render_approval(make_document([{**HOOK, "did": "left"}]), PLAIN))[1:] == [
        "nothing else waits for an approval; 1 hook left out"
    ]
    assert list(render_approval(make_document([]), PLAIN)) == ["nothing waits for an approval"]


def test_the_summary_names_what_is_unseen(desk: Desk) -> None:
    """An approval does not cover files that a program reads by itself."""
    hooks = [{"hooks": [{"type": "command", "command": "make lint"}]}]
    desk.file(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": hooks}}))

    assert "    also runs, unseen: make\n" in desk.type("approve", "--all", "--dry-run").out
