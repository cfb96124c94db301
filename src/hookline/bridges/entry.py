"""Entries: the commands by which a host calls hookline, and which refuse when hookline is broken.

Only entries before an action refuse. A broken hookline at a stop, a prompt or an after-event would
trap the user or the agent, and protect nothing.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys

from hookline.bridges.hosts import GROUPS, TABLES
from hookline.engine.catalog import make_dialect
from hookline.engine.doctor.probe import make_event
from hookline.errors import ConfigError
from hookline.installation import find_own_source
from hookline.model.frozen import Frozen
from hookline.model.kinds import ACTIONS
from hookline.model.spec import Builtin, HookSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeAlias

    from hookline.bridges.hosts import Host
    from hookline.core.dialect import EventRow

    # Where the list is in a file's tree, and the value that goes into it.
    Entry: TypeAlias = tuple[tuple[str, ...], Any]

SHORTEST, SPARE, REST = 60, 10, 5  # seconds
_TRIAL = 60  # seconds
_REFUSED = "hookline did not run"
_BETWEEN_WORDS = re.compile(r"[\s\"'`\\;&|()<>]+")
_TEMPORARY = re.compile(r"/uv/(?:archive|builds|environments)-v\d+/|/pipx/(?:\.cache|cache)/")


class Call(Frozen):
    """How hosts start hookline: the words before `answer`, and the limits that go with it.

    `seconds`: the least `timeout` of an entry. `limits`: the longest limit of hooks by the host
    that runs them itself; "" is of those that only hookline runs. `http`: the address of `hookline
    serve`, where a host is to call that.
    """

    words: tuple[str, ...]
    seconds: int = SHORTEST + SPARE
    limits: Mapping[str, int] = {}
    http: str = ""

    def make_words(self, host: Host, row: EventRow) -> list[str]:
        """Return the words that a host starts at an event, without the closing form."""
        seconds = max(1, self.find_seconds(host, row) - REST)
        options = ["--deadline", f"{seconds}"]
        if host.is_guest:  # it has other tools than the dialect's own host, and runs no hook itself
            options += ["--match-tools", "canonical", "--guest", host.name]
        return [*self.words, "answer", host.dialect, *options]

    def make_trial(self, host: Host, file: str) -> tuple[str, str]:
        """Return the command of a gate's entry, but without any hook, and a payload for it."""
        dialect = make_dialect(host.dialect)
        row = next(row for event in host.events if is_gate(row := dialect.table.rows[event]))
        spec = HookSpec(
            id="trial",
            dialect=host.dialect,
            kind=row.kind,
            native_event=row.native,
            handler=Builtin(name="trial"),
        )
        payload = dialect.encode_event(make_event(spec, dialect, os.sep), spec)
        options = ["--event", row.native, "--dialect", host.dialect, "--config", "{}"]
        command = shlex.join([*self.make_words(host, row), *options])
        return close(command, file) if host.is_wrapped else command, payload

    def make_entries(self, host: Host, file: str) -> list[Entry]:
        """Return the entries of a host, each with the path of its list in the file's tree."""
        rows = make_dialect(host.dialect).table.rows
        return [_place(host, rows[event], self._make_handler(host, rows[event], file))
                for event in host.events]  # fmt: skip

    def _make_handler(self, host: Host, row: EventRow, file: str) -> dict[str, Any]:
        gate = dict(host.gate) if is_gate(row) else {}
        seconds = self.find_seconds(host, row)
        if self.http:
            return {
                "type": "http",
                "url": f"{self.http}/v1/answer/{host.name}",
                "headers": {"Authorization": "Bearer $HOOKLINE_TOKEN"},
                "allowedEnvVars": ["HOOKLINE_TOKEN"],
                "timeout": seconds,
                **gate,
            }
        command = shlex.join(self.make_words(host, row))
        if is_gate(row) and host.is_wrapped:
            command = close(command, file)
        elif host.refuses_failed:
            command = f"{command}; s=$?; [ $s -eq 0 ] || [ $s -eq 2 ] || s=1; exit $s"
        limit = {host.timeout_key: seconds * host.unit} if host.unit else {}
        return {**host.entry, host.command_key: command, **limit, **gate}

    def find_seconds(self, host: Host, row: EventRow) -> int:
        """Return the limit of an entry, within the maximum of the host and of the event."""
        return int(min(each for each in (self.find_limit(host), host.longest, row.longest) if each))

    def find_limit(self, host: Host) -> int:
        """Return more seconds than each hook may take that hookline runs for a host."""
        limits = (limit for runner, limit in self.limits.items() if runner != host.name)
        return max(self.seconds, max(limits, default=0) + SPARE)

    def take_over(self, host: Host) -> Call:
        """Return the call when hookline runs also what the host ran itself."""
        longest = max(self.limits.get(host.name, 0), self.limits.get("", 0))
        return self.replace(limits={**self.limits, "": longest})


def is_gate(row: EventRow) -> bool:
    """Return whether an event comes before an action that hooks can refuse."""
    return row.kind in ACTIONS and row.can_block


def _place(host: Host, row: EventRow, handler: dict[str, Any]) -> Entry:
    """Return where the handler of an event stands, and the value that stands there."""
    if host.form == TABLES:
        return ("hooks",), {"event": row.native, **handler}
    if host.at_root:
        return (row.native,), {"hooks": [handler]} if row.grouped else handler
    return ("hooks", row.native), {"hooks": [handler]} if host.form == GROUPS else handler


def explain_refusal(file: str) -> str:
    """Return what a host says when hookline is gone or broken, and what to do."""
    return (
        f"{_REFUSED}, so this call is refused. Install hookline again, or remove its entries from"
        f" {file}"
    )


def close(command: str, file: str) -> str:
    """Return a command that also refuses when hookline is gone or broken.

    Some hosts go on after exit 2 without a text, and after any other exit code (docs/formats/
    hosts.md 2), so the text is needed.
    """
    closed = f"{{ echo {shlex.quote(explain_refusal(file))} >&2; exit 2; }}"
    return f"{command}; s=$?; [ $s -eq 0 ] || [ $s -eq 2 ] || {closed}; exit $s"


# -- recognising ---------------------------------------------------------------------------------


def find_own_commands(value: Any, host: Host) -> list[str]:
    """Return the calls in an entry of a file that does nothing but call hookline for this host.

    Empty for any other entry. A marker key would not do: some hosts refuse a key that they do not
    know.
    """
    if not isinstance(value, dict):
        return []
    handlers = value.get("hooks")
    if isinstance(handlers, list):
        found = [find_own_commands(each, host) for each in handlers]
        return [command for each in found for command in each] if all(found) else []
    texts = [value.get(key) for key in dict.fromkeys((host.command_key, "command", "url"))]
    return [text for text in texts if isinstance(text, str) and names_call(text, host)]


def names_call(text: str, host: Host) -> bool:
    """Return whether a command or an address has hookline answer this host."""
    words = _BETWEEN_WORDS.split(text)
    for at, word in enumerate(words):
        if word.rpartition("/")[2] == "hookline" and words[at + 1 : at + 2] == ["answer"]:
            return host.dialect in words[at + 2 :]
    return text.endswith(f"/v1/answer/{host.name}")


def find_program(text: str) -> str:
    """Return the program that a command of an entry starts; empty for an address."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        word = lexer.get_token() or ""
    except ValueError:  # an open quote
        word = ""
    return "" if "://" in word else word


# -- this hookline -------------------------------------------------------------------------------


def find_words() -> tuple[str, ...]:
    """Return the words that start this hookline from anywhere, whatever the environment says.

    Raises:
        ConfigError: it lies in an environment that is removed after use.
    """
    if _TEMPORARY.search(f"{sys.prefix}/"):
        raise ConfigError(
            f"this hookline is in a temporary environment (`{sys.prefix}`), which is removed later",
            name="install.temporary",
            hint=f"install it for good, then run it again: uv tool install {find_own_source()}",
        )
    flags = ["-E", "-P"] if _is_in_user_site() else ["-I"]
    return (sys.executable, *flags, "-m", "hookline")


def _is_in_user_site() -> bool:
    import site  # noqa: PLC0415 - only an installation needs it

    return __file__.startswith(site.getusersitepackages() + os.sep)


def try_entry(command: str, payload: str, environ: Mapping[str, str]) -> None:
    """Run the command of an entry once, as a host would.

    Raises:
        ConfigError: it does not run, or does not answer in time.
    """
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            input=payload,
            env=dict(environ),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TRIAL,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _make_trial_error(command, f"no answer within {_TRIAL} s") from None
    # What the closing form prints hides why.
    said = [line for line in done.stderr.splitlines() if line and not line.startswith(_REFUSED)]
    if done.returncode != 0:
        raise _make_trial_error(command, f"exit code {done.returncode}: {''.join(said[-1:])}")


def _make_trial_error(command: str, why: str) -> ConfigError:
    return ConfigError(
        f"hookline does not run as a host would start it ({why}), so nothing was written",
        name="install.trial",
        hint=f"run it yourself: {command} < /dev/null",
    )
