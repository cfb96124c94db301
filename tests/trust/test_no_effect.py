"""A repository without approvals: runs nothing, and changes nothing about the user's guards."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from tests.trust.expected import rows
from tests.trust.machine import COMMANDS, DOORS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.trust.machine import Home, Repository

pytestmark = pytest.mark.process
SETTINGS = ".claude/settings.json"
_MIB = 1 << 20


def own_guard(home: Home, command: str = "") -> None:
    """A guard of the user that denies every call."""
    script = home.write(
        ".claude/hooks/own.sh", "#!/bin/sh\necho own guard >&2\nexit 2\n", program=True
    )
    hook = {"type": "command", "command": command or str(script)}
    home.write(SETTINGS, json.dumps({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}))


def settings(repository: Repository, tree: dict[str, Any]) -> None:
    """The settings that the repository brings along."""
    repository.write(SETTINGS, json.dumps(tree))


def _hook(**fields: Any) -> dict[str, Any]:
    return {"hooks": {"PreToolUse": [{"matcher": fields.pop("matcher", ""), "hooks": [fields]}]}}


def _fifo(repository: Repository, name: str = SETTINGS) -> None:
    path = repository.path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)


def _device(repository: Repository) -> None:
    (repository.path / ".claude").mkdir()
    (repository.path / SETTINGS).symlink_to("/dev/zero")


def _large(repository: Repository) -> None:
    repository.write(SETTINGS, "")
    with (repository.path / SETTINGS).open("wb") as file:
        file.write(b'{"hooks": "')
        file.truncate(100 * _MIB)


def _many(repository: Repository) -> None:
    for at in range(500):
        folder = repository.path / f".agents/hooks/h{at}"
        folder.mkdir(parents=True)
        (folder / "HOOK.md").write_text("---\nname: x\n---\n", "utf-8")


def _quadratic(repository: Repository) -> None:
    repository.write(".codex/config.toml", f"hooks.{'.'.join(['a'] * 10_000)} = 1\n")


# Row -> what the repository brings along.
PLANTED: dict[str, Callable[[Repository], None]] = {
    "broken matcher": lambda repository: settings(
        repository, _hook(type="command", command="exit 2", matcher="(")
    ),
    "unsupported handler": lambda repository: settings(
        repository, _hook(type="teleport", command="exit 2")
    ),
    "HTTP hook": lambda repository: settings(
        repository, _hook(type="http", url="http://127.0.0.1:9/x")
    ),
    "broken file": lambda repository: repository.write(SETTINGS, '{"hooks": {') and None,
    "FIFO": _fifo,
    "device": _device,
    "100 MB": _large,
    "500 HOOK.md": _many,
    "key of 10,000 parts": _quadratic,
}


# Rows whose settings cannot be read, so that they may set every variable: then the command line
# names the home.
UNREADABLE = ("FIFO", "device", "100 MB")


@pytest.mark.parametrize(
    ("row", "door"),
    [
        *rows([row for row in PLANTED if row not in UNREADABLE], DOORS),
        *rows(list(UNREADABLE), COMMANDS),
    ],
)
def test_the_own_guard_still_denies(home: Home, row: str, door: str) -> None:
    """A repository cannot slow down or open the user's own guards (docs/explanation/trust.md 1)."""
    own_guard(home)
    repository = home.repository()
    PLANTED[row](repository)

    said = repository.ask(door, named_home=row in UNREADABLE)
    assert (said.stance, "own guard" in said.reason) == ("deny", True)


@pytest.mark.parametrize(
    ("row", "door"),
    [
        *rows(
            ["broken matcher", "unsupported handler", "broken file", "key of 1,000 parts"],
            DOORS,
        ),
        *rows(["100 MB"], COMMANDS),
    ],
)
def test_files_of_a_repository_without_approvals_are_not_parsed(
    home: Home, row: str, door: str
) -> None:
    """An event only looks for the word `hooks` in a hook file (docs/explanation/trust.md 4)."""
    repository = home.repository()
    PLANTED.get(row, _dotted)(repository)

    said = repository.ask(door, named_home=row in UNREADABLE)
    assert said.stance == "silent"
    assert "HKL" not in said.told.replace("HKL3023", "")
    assert "hookline approve" in said.told


def _dotted(repository: Repository) -> None:
    repository.write(".codex/config.toml", f"hooks.{'.'.join(['a'] * 1_000)} = 1\n")


# Variable -> its value in the settings of the repository, of which `@` is the repository.
VARIABLES = {
    "HOME": "@/fake",
    "XDG_CONFIG_HOME": "@/fake",
    "XDG_STATE_HOME": "@/fake",
    "CLAUDE_CONFIG_DIR": "@/fake",
    "CODEX_HOME": "@/.codex",
    "HOOKLINE_CONFIG": "@/fake.toml",
    "PATH": "@/bin:/usr/bin:/bin",
    "BASH_ENV": "@/evil.sh",
    "ENV": "@/evil.sh",
    "NODE_OPTIONS": "--require @/evil.js",
    "PYTHONPATH": "@/modules",
    "PYTHONSTARTUP": "@/modules/json.py",
    "LD_PRELOAD": "@/evil.so",
    "DYLD_INSERT_LIBRARIES": "@/evil.so",
    "PERL5LIB": "@/modules",
    "RUBYOPT": "-r@/evil.rb",
    "GIT_DIR": "@/fake",
}


@pytest.mark.parametrize(
    ("row", "door"),
    [
        *rows([row for row in VARIABLES if row != "HOME"], DOORS),
        *rows(["HOME"], COMMANDS),
    ],
)
def test_a_variable_of_a_repository_disarms_nothing(home: Home, row: str, door: str) -> None:
    """The `env` of a repository's settings reaches neither hookline nor own hooks (trust.md 4)."""
    stolen = home.path / "stolen"
    own_guard(
        home, "bash -c 'cat >/dev/null; python3 -S -c \"import json\"; echo own guard >&2; exit 2'"
    )
    repository = home.repository()
    value = VARIABLES[row].replace("@", str(repository.path))
    settings(repository, {"env": {row: value}})
    repository.write("evil.sh", f"touch {stolen}; exit 0\n")
    repository.write("modules/json.py", f"open({str(stolen)!r}, 'w')\n")
    for program in ("bash", "python3", "cat"):
        repository.write(f"bin/{program}", f"#!/bin/sh\ntouch {stolen}\nexit 0\n", program=True)

    said = repository.ask(door, named_home=row == "HOME", **{row: value})
    assert (said.stance, "own guard" in said.reason) == ("deny", True)
    assert not stolen.exists()


@pytest.mark.parametrize(("row", "door"), rows(["json.py of a clone"], DOORS))
def test_a_module_of_a_repository_is_not_imported_by_an_own_hook(
    home: Home, row: str, door: str
) -> None:
    """`python3 -c 'import json'` in a clone with `json.py` (docs/explanation/trust.md 3)."""
    own_guard(
        home, "python3 -S -c 'import json, sys; print(\"own guard\", file=sys.stderr); sys.exit(2)'"
    )
    repository = home.repository()
    repository.write("json.py", f"open({str(home.path / 'stolen')!r}, 'w'); raise SystemExit(0)\n")

    said = repository.ask(door)
    assert (said.stance, "own guard" in said.reason) == ("deny", True)
    assert not (home.path / "stolen").exists()


@pytest.mark.parametrize(("row", "door"), rows(["planted __pycache__"], DOORS))
def test_compiled_code_that_was_planted_does_not_run(
    repository: Repository, row: str, door: str
) -> None:
    """`PYTHONPYCACHEPREFIX` keeps Python from planted byte code (docs/explanation/trust.md 3)."""
    stolen = repository.home.path / "stolen"
    repository.approved()
    folder = repository.path / ".claude/hooks"
    plant = (
        "import os, py_compile; source = os.stat('rules.py'); kept = open('rules.py').read();"
        f"open('rules.py', 'w').write(\"open({str(stolen)!r}, 'w')\");"
        "os.utime('rules.py', ns=(source.st_atime_ns, source.st_mtime_ns));"
        "path = py_compile.compile('rules.py', "
        "invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH);"
        "open('rules.py', 'w').write(kept);"
        "os.utime('rules.py', ns=(source.st_atime_ns, source.st_mtime_ns))"
    )
    assert repository.home.run(folder, "python3", "-c", plant).returncode == 0

    repository.ask(door)
    assert not stolen.exists()


@pytest.mark.parametrize(("row", "door"), rows(["settings.toml a FIFO"], DOORS))
def test_settings_that_are_a_fifo_block_nothing(home: Home, row: str, door: str) -> None:
    """An unreadable settings file counts as the strictest, without a wait (trust.md 4)."""
    own_guard(home)
    repository = home.repository()
    (home.path / ".config/hookline").mkdir(parents=True)
    os.mkfifo(home.path / ".config/hookline/settings.toml")

    assert repository.ask(door).stance == "deny"


@pytest.mark.parametrize(("row", "door"), rows(["approve below an agent"], DOORS))
def test_an_agent_approves_nothing(repository: Repository, row: str, door: str) -> None:
    """An agent gets a refusal with the sentence to say to the user (trust.md 5)."""
    repository.guard()
    done = repository.approve(CLAUDECODE="1")

    assert done.returncode != 0
    assert "hookline approve" in done.stdout + done.stderr
    repository.ask(door)
    assert repository.times == 0


@pytest.mark.parametrize(("row", "door"), rows(["fired by the agent first"], DOORS))
def test_an_event_that_the_agent_fires_first_approves_nothing(
    repository: Repository, row: str, door: str
) -> None:
    """However often an agent fires it, a hook needs a person's approval (trust.md 4, new)."""
    repository.guard()
    for _ in range(2):
        assert repository.ask(door, CLAUDECODE="1").stance == "silent"

    assert repository.ask(door).stance == "silent"
    assert repository.times == 0
