"""What the how-to pages show is what happens."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from importlib import resources
from pathlib import Path
from runpy import run_path
from typing import TYPE_CHECKING

import pytest

from tests.transcripts.test_transcripts import Block, blocks, matches
from tests.unit.cli import test_managed
from tests.unit.handlers.serving import closed_port

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fork_server import ForkServer

ROOT = Path(__file__).parents[1]
HOME = "/home/ann"  # where the pages are at home
_FILE = re.compile(r"```\w+\n(?:#|//) ([\w./-]+\.\w+)\n(.*?)```", re.DOTALL)
_SHOWN = re.compile(r"```text\n(.*?)```", re.DOTALL)
_TYPED = re.compile(r"```console\n(.*?)```", re.DOTALL)
_END = re.compile(r"\n?\x1e(\d+)\x1e\n")
# What is another one each time: times, digests and ids, lengths, the shell of this machine.
_ANY = re.compile(
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?: UTC)?|\b\d+(?:\.\d+)? m?s\b"
    r"|\b(?:[0-9a-f]{64}|[0-9a-f]{32}|[0-9a-f]{16}|[0-9a-f]{12}|[0-9a-f]{8})\b"
    r"|\b\d+ bytes|(?<=interpreter )/\S+|\d{4}-\d\d-\d\d(?=\.\d{12}\.jsonl)|(?<=of ')\d+"
)
_DIGITS = re.compile(r"[0-9a-f]{8,}")
machine = test_managed.machine


def files(page: str, folder: Path, port: str = "", free: str = "") -> list[str]:
    """Write the files of a page into a folder, with a free port in place of the page's.

    Return what it says that they print.
    """
    shown = (ROOT / "docs/how-to" / page).read_text(encoding="utf-8")
    found = _FILE.findall(shown)
    assert found
    for name, text in found:
        path = folder / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            (text.replace(port, free) if port else text).replace(HOME, str(folder)),
            encoding="utf-8",
        )
        path.chmod(0o644)
    return _SHOWN.findall(shown)


def started(program: str, folder: Path) -> subprocess.Popen[str]:
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-X", "dev", program]
    if program.endswith(".sh"):
        environ |= {"PATH": f"{folder}{os.pathsep}{environ['PATH']}", "HOME": str(folder)}
        command = ["sh", "-eu", program]
    return subprocess.Popen(
        command,
        cwd=folder,
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.process
def test_remote_hooks(tmp_path: Path) -> None:
    """The gate is closed until the policy comes.

    It decides, is killed, leaves its gate closed, and takes its place again.
    """
    files("remote-hooks.md", tmp_path)
    host = started("host.py", tmp_path)
    assert line(host) == "open at unix:bridge.sock"
    assert asked(tmp_path).startswith("DENY Required hook 'policy:pre_tool_use' failed")
    said = []
    for _ in range(2):
        policy = started("policy.py", tmp_path)
        while "not `rm -rf build`" not in (told := asked(tmp_path)):
            assert "not attached" in told, told
        policy.send_signal(signal.SIGKILL)
        policy.communicate()
        said += [told, asked(tmp_path)]
    _, errors = host.communicate("\n", timeout=60)

    assert (
        said
        == [
            "DENY not `rm -rf build`",
            (
                "DENY Required hook 'guard' failed: could not be reached: the handlers `policy` "
                "are not attached"
            ),
        ]
        * 2
    )
    assert (host.returncode, wrong(errors)) == (0, "")


def asked(folder: Path) -> str:
    """What the agent of the page prints."""
    agent = started("agent.py", folder)
    out, errors = agent.communicate(timeout=60)
    assert (agent.returncode, wrong(errors)) == (0, "")
    return out.strip()


def wrong(errors: str) -> str:
    """What a program said to its user.

    A loop that is debugged also says which steps took long, as all do on a busy machine.
    """
    return "".join(
        each for each in errors.splitlines(keepends=True) if not each.startswith("Executing <")
    )


@pytest.mark.process
def test_model_hooks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The judges decide as the page says, and fail as it says without a model.

    The agent runs in this process, in which the clients of models are loaded.
    """

    def printed() -> str:
        run_path("agent.py", run_name="__main__")
        return capsys.readouterr().out

    monkeypatch.chdir(tmp_path)
    there, gone = files("model-hooks.md", tmp_path, "8099", str(closed_port()))
    provider = started("provider.py", tmp_path)
    try:
        assert line(provider) == "listening"
        assert printed() == there
    finally:
        provider.kill()
        provider.communicate()

    assert printed() == gone


@pytest.mark.process
@pytest.mark.parametrize(
    "page", ["trust.md", "guards.md", "packs.md", "journal.md", "run-an-agent.md"]
)
def test_what_is_typed(page: str, tmp_path: Path, fork_server: ForkServer) -> None:
    """The commands of a page, typed in one shell in a new home, print what the page shows."""
    (tmp_path / "bin").mkdir()
    fork_server.write_program(tmp_path / "bin" / "hookline")
    port, free = "8465", str(closed_port())
    files(page, tmp_path, port, free)

    assert_page_holds(page, tmp_path, port=port, free=free)


@pytest.mark.process
def test_a_new_dialect(tmp_path: Path) -> None:
    """The dialect of the page works in a copy of the source, and its vector holds."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("conformance/player.py", "conformance/test_vectors.py"):
        (tmp_path / "tests" / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "tests" / part, tmp_path / "tests" / part)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    files("add-a-dialect.md", tmp_path)

    assert_page_holds("add-a-dialect.md", tmp_path, source=tmp_path / "src")


def assert_page_holds(
    page: str, folder: Path, *, source: Path = ROOT / "src", port: str = "", free: str = ""
) -> None:
    """Type the commands of a page in one shell, and compare what they print with the page."""
    shown = (ROOT / "docs/how-to" / page).read_text(encoding="utf-8")
    shown = (shown.replace(port, free) if port else shown).replace(HOME, str(folder))
    typed = [block for text in _TYPED.findall(shown) for block in blocks(text)]
    assert typed

    other = [
        "\n".join(["$ " + block.command[0], "--- page", *expected, "--- printed", *printed])
        for block, printed in zip(typed, run(typed, folder, source), strict=True)
        if not matches(printed, expected := [_masked(line) for line in block.printed])
    ]
    assert not other, "\n\n".join(other)


def run(typed: list[Block], home: Path, source: Path) -> list[list[str]]:
    """What each of these commands prints, in one shell.

    A server is waited for until it has said what the page shows.
    """
    (home / "bin").mkdir(exist_ok=True)
    for name, arguments in (("hookline", "-m hookline "), ("python", "")):
        program = home / "bin" / name
        if not program.exists():
            text = f'#!/bin/sh\nexec {sys.executable} {arguments}"$@"\n'
            program.write_text(text, encoding="utf-8")
            program.chmod(0o755)
    environ = {
        "HOME": str(home),
        "PATH": f"{home / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(source),
    }
    environ |= {"LANG": "C.UTF-8", "COLUMNS": "200", "USER": "ann", "TZ": "UTC"}
    script = "".join(
        f"{_started(block) or chr(10).join(block.command)}\nprintf '\\n\\x1e%s\\x1e\\n' $?\n"
        for block in typed
    )
    (home / "typed").write_text(script, encoding="utf-8")
    done = subprocess.run(
        ["bash", "typed"],  # noqa: S607 - the bash on the user's PATH
        cwd=home, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=120, check=False,
    )  # fmt: skip
    parts = _END.split(done.stdout.decode("utf-8"))
    assert parts[-1] == ""
    return [_lines(text, code) for text, code in zip(parts[:-1:2], parts[1::2], strict=True)]


def _started(block: Block) -> str:
    """A command that goes on beside the others, as it is typed by a program.

    Empty where it is none.
    """
    command = "\n".join(block.command)
    if not command.endswith(" &"):
        return ""
    reads = (
        f'for _ in {" ".join("1" * len(block.printed))}; do read -r line <&3; echo "$line"; done'
    )
    return (
        f"exec 3< <(exec {command[:-2]} 2>&1); served=$!; "
        f"trap 'kill $served; wait $served' EXIT; {reads}"
    )


def _masked(text: str) -> str:
    """A text without what is another one each time.

    Of digests and ids it stays how long they are.
    """
    return _ANY.sub(
        lambda found: f"<{len(found[0])} DIGITS>" if _DIGITS.fullmatch(found[0]) else "<ANY>", text
    )


def _lines(text: str, code: str) -> list[str]:
    lines = _masked(text.strip("\n")).splitlines()
    return [*(line.rstrip() for line in lines), *([f"[exit {code}]"] if code != "0" else [])]


@pytest.mark.process
def test_the_policy_of_the_page(machine: test_managed.Machine, tmp_path: Path) -> None:
    """Every host is refused what docker-agent's file forbids, whatever is switched off.

    And `hookline off` says that it goes on.
    """
    machine.policy.unlink()
    files("trust.md", tmp_path)
    for path in (tmp_path / "etc" / "hookline", tmp_path / "etc" / "hookline" / "hooks.d"):
        path.chmod(0o755)
    off = machine.types("off", "--global").stdout
    call = test_managed.CALL | {"cwd": str(machine.project), "tool_input": {"command": "sudo ls"}}
    answers = [
        machine.types("answer", "claude-code", sent=sent, HOOKLINE="0")
        for sent in (call, call | {"tool_input": {"command": "ls"}})
    ]

    policy = "/etc/hookline/hooks.d/10-no-sudo.yaml#pre_tool_use.no-sudo"
    assert f"policy, which no switch reaches, still runs: {policy}" in off
    assert ["policy: sudo is not allowed here" in answered.stdout for answered in answers] == [
        True,
        False,
    ]


@pytest.fixture
def any_language(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """The files of the page, while its server listens; and what it says that its agent prints."""
    (shown,) = files("any-language.md", tmp_path, "8465", str(closed_port()))
    port = str(closed_port())
    for path in tmp_path.iterdir():  # it has two ports
        path.write_text(path.read_text(encoding="utf-8").replace("8466", port), encoding="utf-8")
    (tmp_path / "hookline").write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -m hookline "$@"\n', encoding="ascii"
    )
    (tmp_path / "hookline").chmod(0o700)
    server = started("server.sh", tmp_path)
    try:
        assert [line(server).partition(":")[0] for _ in range(4)] == [
            "http",
            "unix",
            "unix",
            "127.0.0.1",
        ]
        yield tmp_path, shown
    finally:
        server.terminate()
        _, errors = server.communicate(timeout=60)
    assert (server.returncode, "Traceback" in errors) == (0, False)


@pytest.mark.process
def test_any_language_over_grpc(any_language: tuple[Path, str]) -> None:
    """Stubs from the published contract are enough, and the token is where the page says."""
    folder, shown = any_language
    protoc = pytest.importorskip("grpc_tools.protoc", reason="the compiler is not installed")
    (folder / "bridge.proto").write_bytes(
        (resources.files("hookline.remote.proto") / "bridge.proto").read_bytes()
    )
    assert (
        protoc.main(
            [
                "protoc",
                f"-I{folder}",
                f"--python_out={folder}",
                f"--grpc_python_out={folder}",
                "bridge.proto",
            ]
        )
        == 0
    )

    assert asked(folder) + "\n" == shown


@pytest.mark.process
@pytest.mark.skipif(shutil.which("curl") is None, reason="the page asks with curl")
def test_any_language_over_http(any_language: tuple[Path, str]) -> None:
    """On the unix socket without a token, and on TCP with it.

    A guard of `Bash` hears of `shell`.
    """
    asking = started("ask.sh", any_language[0])
    out, errors = asking.communicate(timeout=60)

    assert (asking.returncode, errors) == (0, "")
    decided = [json.loads(each) for each in out.splitlines()]
    assert [(each["stance"], each["reason"], len(each["verdicts"])) for each in decided] == [
        ("deny", "not here", 1)
    ] * 2


def test_agent_frameworks(tmp_path: Path) -> None:
    """The agent and the loop of the page print what it says."""
    shown = files("agent-frameworks.md", tmp_path)
    printed = [started(name, tmp_path).communicate(timeout=60) for name in ("agent.py", "loop.py")]

    assert [out for out, _ in printed] == shown
    assert [wrong(errors) for _, errors in printed] == ["", ""]
