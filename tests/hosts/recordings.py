"""What real hosts sent and hookline answered, as files from which `make test` plays it again."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.hosts.machine import Machine

    # `words` of the command line, the `payload`, and `exit_code`, `stdout` and `stderr`.
    Exchange = dict[str, Any]

RECORDED = Path(__file__).parent / "recorded"
# A program that runs the interpreter beside it, and keeps what goes in and out.
_TEE = """\
#!/bin/sh
at="$0-exchanges/$(date +%s%N)-$$"
mkdir -p "$at"
printf '%s\\n' "$@" > "$at/words"
cat > "$at/payload"
"$0-real" "$@" < "$at/payload" > "$at/stdout" 2> "$at/stderr"
code=$?
echo "$code" > "$at/exit_code"
cat "$at/stderr" >&2
cat "$at/stdout"
exit "$code"
"""
# What differs from run to run, and what takes its place.
_SCRUBBED = (
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "0" * 8),
    (r"T\d\d-\d\d-[0-9a-f]{8}\b", "T00-00-00000000"),
    (r"\b20\d\d([-/])\d\d[-/]\d\d", r"2026\g<1>01\g<1>01"),
    (r"T\d\d([:-])\d\d[:-]\d\d(\.\d+)?", r"T00\g<1>00\g<1>00"),
    (r"\b1[78]\d{11}\b", "1767225600000"),
)
_NUMBERS = ("duration_ms", "timestamp")
# All that is said in these scenarios is kept, in the others only what hookline answers.
_WHOLE = ("call", "stop redo")


def record_answers(machine: Machine) -> None:
    """Have the interpreter of hookline keep what it is sent and what it answers."""
    machine.python.rename(f"{machine.python}-real")
    machine.python.write_text(_TEE, encoding="utf-8")
    machine.python.chmod(0o755)


def read_exchanges(machine: Machine) -> list[Exchange]:
    """Return what was kept, in the order in which it came, without what differs each time."""
    found = []
    for folder in sorted(Path(f"{machine.python}-exchanges").glob("*")):
        text = {
            path.name: _scrub(path.read_text(encoding="utf-8"), machine)
            for path in folder.iterdir()
        }
        words = text["words"].splitlines()
        if "exit_code" not in text or "answer" not in words:
            continue  # the host ended first
        found.append(
            {
                "words": words[words.index("answer") + 1 :],
                "payload": _scrub_numbers(json.loads(text["payload"])),
                "exit_code": int(text["exit_code"]),
                "stdout": text["stdout"],
                "stderr": text["stderr"],
            }
        )
    return found


def _scrub(text: str, machine: Machine) -> str:
    for folder, name in ((machine.home, "/home/ann"), (machine.project, "/work")):
        for mark in "/-":  # hosts name files by a folder
            text = text.replace(str(folder).replace("/", mark), name.replace("/", mark))
    for pattern, instead in _SCRUBBED:
        text = re.sub(pattern, instead, text)
    return text


def _scrub_numbers(tree: Any) -> Any:
    """Return a payload with times and durations set to 1."""
    if isinstance(tree, list):
        return [_scrub_numbers(value) for value in tree]
    if isinstance(tree, dict):
        return {
            key: 1 if key in _NUMBERS and isinstance(value, int | float) else _scrub_numbers(value)
            for key, value in tree.items()
        }
    return tree


def write_recording(host: str, scenarios: dict[str, list[Exchange]]) -> None:
    """Write the file of a host, an exchange a line."""
    parts = []
    for name, exchanges in scenarios.items():
        kept = [
            json.dumps(each, ensure_ascii=False)
            for each in exchanges
            if name in _WHOLE or each["exit_code"] or each["stdout"]
        ]
        if kept:
            parts.append(f"{json.dumps(name)}: [\n" + ",\n".join(kept) + "\n]")
    RECORDED.mkdir(exist_ok=True)
    text = "{\n" + ",\n".join(parts) + "\n}\n"
    (RECORDED / f"{host}.json").write_text(text, encoding="utf-8")
