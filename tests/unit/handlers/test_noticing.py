"""Which scripts would notice that they are run from memory?"""

from __future__ import annotations

import pytest

from hookline.handlers.contents import contents
from hookline.handlers.sealing.node import notices as node_notices
from hookline.handlers.sealing.shell import notices as shell_notices

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from hookline.handlers.contents import Contents


def script(folder: Path, name: str, text: str) -> Contents:
    """A script that was read."""
    (folder / name).write_text(text, encoding="utf-8")
    read = contents(str(folder / name))
    assert read is not None
    return read


@pytest.mark.parametrize(
    ("shell", "text", "notices"),
    [
        ("bash", 'cd "${BASH_SOURCE[0]%/*}" && echo "$BASH_SOURCE ${BASH_SOURCE:-} ${FUNCNAME[0]}"', False),
        ("bash", 'echo "${BASH_SOURCE[1]}"', True),
        ("bash", 'echo "${#BASH_SOURCE[@]}"', True),
        ("bash", 'echo "${BASH_SOURCE[$i]}"', True),
        ("bash", 'echo "${FUNCNAME[1]}"', True),
        ("bash", 'echo "${FUNCNAME[@]}"', True),
        ("bash", "f() { caller 0; }", True),
        ("bash", 'at=$(caller) || echo "${BASH_LINENO[0]}"', True),
        ("bash", "echo the caller; mycaller", False),
        ("bash", ". ./lib.sh", True),
        ("bash", 'source "$(dirname "$0")/lib.sh"', True),
        ("bash", "if true; then . ./lib.sh; fi", True),
        ("bash", ". ./plain.sh", False),
        ("bash", "#" * 100_001 + "\necho $BASH_SOURCE", True),
        ("sh", "#" * 100_001 + "\necho $0", False),
        ("zsh", "echo ${(%):-%x}", True),
        ("bash", "date +%N", False),
    ],
)
def test_a_shells_script_that_asks_who_called(shell: str, text: str, notices: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a row
    """Itself, or by a file beside it; its own name it may ask for."""
    script(tmp_path, "lib.sh", 'echo "${BASH_SOURCE[1]}"')
    script(tmp_path, "plain.sh", 'echo "${BASH_SOURCE[0]}"')

    assert shell_notices(shell, script(tmp_path, "x.sh", text)) is notices


@pytest.mark.parametrize(
    ("name", "text", "notices"),
    [
        ("x.js", "const a = require('./a');\nimport('./b.mjs');\nasync () => { await 1 }", False),
        ("x.js", "// import x from y is not what this does\nlet s = ' export';", False),
        ("x.cjs", "exports.a = 1", False),
        ("x.mjs", "1", True),
        ("x.ts", "1", True),
        ("x.js", "'use strict'; import a from './a.mjs'", True),
        ("x.js", "#!/usr/bin/env node\nexport {}", True),
        ("x.js", "console.log(import.meta.url)", True),
        ("x.js", "const { a } = await import('./a.mjs')", True),
    ],
)
def test_what_is_no_plain_commonjs(name: str, text: str, notices: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a row
    """By its name or its words."""
    assert node_notices(["node", name], script(tmp_path, name, text)) is notices


def test_a_package_and_options_say_so_too(tmp_path: Path) -> None:
    """The nearest `package.json`, for all but `.cjs`; and options that bring a loader."""
    read = script(tmp_path, "x.js", "1")
    assert not node_notices(["node", "--no-warnings", "x.js"], read)
    assert node_notices(["node", "-r", "./hook.js", "x.js"], read)

    script(tmp_path, "package.json", '{"type": "module"}')
    assert node_notices(["node", "x.js"], read)
    assert node_notices(["node", "x"], script(tmp_path, "x", "1"))
    assert not node_notices(["node", "x.cjs"], script(tmp_path, "x.cjs", "1"))
