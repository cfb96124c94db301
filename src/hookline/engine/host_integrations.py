"""Finds hosts that call hookline from their own hook files.

Such a host runs the other hooks of these files itself.

Hooks left to a host are not asked here, so only a hook that would run counts as a call: never a
hook of a clone without approval, and no text that only looks like a call. Policy stays, unless
policy itself calls.
"""

from __future__ import annotations

import re

from hookline.errors import HookError
from hookline.model.spec import MANAGED, Command, Problem
from hookline.trust.policy import APPROVED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from hookline.engine.engine import Engine
    from hookline.model.spec import HookSpec

    Calls = Callable[[HookSpec], bool]


_NAME, _ANSWER = "hookline", "answer"
_ALONE = frozenset({"--relay"})  # of the options of `answer`, those that take no word
_BY_MODULE = r"\bpython[\d.]*((?:\s+-\S+)*)\s+-m\s+hookline\b"
_DEEPEST = 4  # shells in shells
_SHELLS = frozenset({"bash", "dash", "ksh", "sh", "zsh"})
# Words that may stand before `hookline`: programs that run another program, and their verbs.
_WRAPPERS = frozenset({
    "command", "env", "exec", "nice", "nohup", "pdm", "pipenv", "pipx", "poetry", "run", "timeout",
    "tool", "uv", "uvx",
})  # fmt: skip
# Of their long options, those that take no word.
_WITHOUT_VALUE = frozenset({
    "--", "--frozen", "--isolated", "--locked", "--no-dev", "--no-project", "--no-sync", "--offline",
    "--quiet", "--verbose",
})  # fmt: skip


def list_integrated_hosts(engine: Engine, also: Calls | None = None) -> dict[str, bool]:
    """Return the dialects whose hosts call hookline from their files, and whether policy does.

    `also` finds other calls.
    """
    found: dict[str, bool] = {}
    for spec in _list_calls(engine, also):
        if spec.trusted or is_approved(engine, spec):
            found[spec.dialect] = found.get(spec.dialect, False) or spec.origin.scope == MANAGED
    return found


def leave_to_host(engine: Engine, host: str) -> tuple[Problem, ...]:
    """Drop the hooks that this host runs itself.

    Return the problems of calls that are not approved.
    """
    hosts = list_integrated_hosts(engine)
    problems = tuple(
        problem
        for problem in list_call_problems(engine, hosts)
        if problem.name == "trust.unapproved-caller"
    )
    if host in hosts:
        engine.loader.drop_dialect(host, managed=hosts[host])
    return problems


def list_call_problems(
    engine: Engine, hosts: Mapping[str, bool] | None = None
) -> Iterator[Problem]:
    """Yield a warning for each call that leaves hooks to a host, and for each call that does not count."""
    hosts = list_integrated_hosts(engine) if hosts is None else hosts
    for spec in _list_calls(engine, None):
        host = spec.dialect
        if host not in hosts:
            message = f"`{spec.id}` would have hookline answer {host}. You have not approved it, so hookline also runs the hooks of {host}"
            yield _warn(
                spec, "trust.unapproved-caller", message, "look at it, then: hookline approve"
            )
            continue
        if _has_open_start(spec):
            message = f"`{spec.id}` starts hookline by `python -m`, which looks for modules in the folder where the agent is before all others"
            yield _warn(spec, "trust.open-start", message, f"python -I -m hookline answer {host}")
        left = [
            entry.spec
            for entry in engine.snapshot.whole.entries()
            if entry.spec.dialect == host
            and entry.spec.id != spec.id
            and (hosts[host] or entry.spec.origin.scope != MANAGED)
        ]
        if left:
            count = f"{len(left)} other hook{'' if len(left) == 1 else 's'}"
            message = f"`{spec.id}` has hookline answer {host}, which runs {count} of its files by itself, so hookline does not run them"
            yield _warn(spec, "trust.left-to-host", message)


def _warn(spec: HookSpec, name: str, message: str, hint: str = "") -> Problem:
    return Problem(
        name=name,
        message=message,
        hint=hint,
        severity="warning",
        origin=spec.origin,
        hook=spec.id,
    )


def is_integration(spec: HookSpec, environ: Mapping[str, str]) -> bool:
    """Whether the command of a hook has hookline answer the hook's own host."""
    handler = spec.handler
    if type(handler) is not Command:
        return False
    text = handler.script or " ".join(handler.argv)
    if _NAME not in text or _ANSWER not in text:
        return False
    if handler.argv:
        return spec.dialect in _parse_hosts(list(handler.argv), environ)
    return spec.dialect in _parse_script_hosts(handler.script, environ)


def _has_open_start(spec: HookSpec) -> bool:
    """Whether a call lets Python import hookline from the folder in which it starts."""
    handler = spec.handler
    assert isinstance(handler, Command)  # noqa: S101 - what calls us is one
    found = re.findall(_BY_MODULE, handler.script or " ".join(handler.argv))
    return any(not re.search(r"(?<!\S)-[A-Za-z]*[IP]", flags) for flags in found)


def is_approved(engine: Engine, spec: HookSpec) -> bool:
    """Whether a hook is approved as it is now."""
    gate = engine.runtime.gate
    try:
        states = gate.get().find_states([spec]) if gate is not None else ()
        return gate is not None and all(state.state == APPROVED for state in states)
    except HookError:  # what cannot be looked up is not approved
        return False


def _list_calls(engine: Engine, also: Calls | None) -> Iterator[HookSpec]:
    for entry in engine.snapshot.whole.entries():
        if is_integration(entry.spec, engine.environ) or (also is not None and also(entry.spec)):
            yield entry.spec


def _parse_script_hosts(text: str, environ: Mapping[str, str], depth: int = 0) -> Iterator[str]:
    """Yield the hosts that a shell text has hookline answer."""
    from hookline.text.shell_words import parse_commands  # noqa: PLC0415 - few files call us

    for simple in parse_commands(text, environ) or () if depth <= _DEEPEST else ():
        yield from _parse_hosts([word.value or "" for word in simple.words], environ, depth)


def _parse_hosts(words: Sequence[str], environ: Mapping[str, str], depth: int = 0) -> Iterator[str]:
    """Yield the hosts that a command line has hookline answer, itself or by the text of a shell.

    Before `hookline` there may be known wrappers, options with their values, and variables.
    """
    for at, word in enumerate(words):
        name, before = word.rpartition("/")[2], words[at - 1] if at else ""
        if name == _NAME:
            is_value = (
                before.startswith("--") and before not in _WITHOUT_VALUE and "=" not in before
            )
            if words[at + 1 : at + 2] == [_ANSWER] and not is_value:
                yield _find_positional(words[at + 2 :])
            return
        if name in _SHELLS and "-c" in words[at:-1]:
            yield from _parse_script_hosts(words[words.index("-c", at) + 1], environ, depth + 1)
            return
        is_wrapper = name in _WRAPPERS or name.startswith("python") or word.isdigit()
        if not (is_wrapper or before.startswith("-") or word.startswith("-") or "=" in word):
            return


def _find_positional(words: Sequence[str]) -> str:
    """Return the first word that is no option and no value of one."""
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            return word
        if "=" not in word and word not in _ALONE:
            next(rest, "")
    return ""
