"""Callers: hosts whose own files have hookline answer them; such a host runs the other hooks of these files by itself.

Whoever is left to a host is not asked here, so only a hook that would run may say that: never one that a clone brought and nobody
approved, and no words that merely look like a call. Policy stays, unless policy itself calls.
"""

from __future__ import annotations

from hookline.errors import HookError
from hookline.model.handler import Command
from hookline.model.spec import MANAGED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from hookline.engine.engine import Engine
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec

    Calls = Callable[[HookSpec], bool]

_NAME, _ANSWER = "hookline", "answer"
_ALONE = frozenset({"--relay"})  # of the options of `answer`, those that take no word
_BEFORE = ("exec", "command")


def callers(engine: Engine, also: Calls | None = None) -> dict[str, bool]:
    """The dialects whose hosts call us by their own files, and whether it is policy that does; `also` tells of other calls."""
    found: dict[str, bool] = {}
    for spec in _calling(engine, also):
        if spec.trusted or is_approved(engine, spec):
            found[spec.dialect] = found.get(spec.dialect, False) or spec.origin.scope == MANAGED
    return found


def leave_to_host(engine: Engine, host: str) -> tuple[Problem, ...]:
    """Have an engine ask no hook that this host runs by itself; returns what whoever looks should know."""
    hosts = callers(engine)
    told = tuple(problem for problem in called(engine, hosts) if problem.name == "trust.unapproved-caller")
    if host in hosts:
        engine.drop_dialect(host, managed=hosts[host])
    return told


def called(engine: Engine, hosts: Mapping[str, bool] | None = None) -> Iterator[Problem]:
    """Which hooks are left to their hosts because of a call, and which calls do not count."""
    from hookline.model.problem import Problem  # noqa: PLC0415 - few files call us

    hosts = callers(engine) if hosts is None else hosts
    for spec in _calling(engine, None):
        host = spec.dialect
        if host not in hosts:
            message = f"`{spec.id}` would have hookline answer {host}; nobody approved it, so hooks of {host} are asked here, too"
            yield Problem(
                name="trust.unapproved-caller", message=message, hint="look at it, then: hookline approve", severity="warning",
                origin=spec.origin, hook=spec.id,
            )  # fmt: skip
            continue
        left = [entry.spec for entry in engine.whole.entries() if entry.spec.dialect == host and entry.spec.id != spec.id]
        left = [each for each in left if hosts[host] or each.origin.scope != MANAGED]
        if left:
            message = f"`{spec.id}` has hookline answer {host}, which runs {_count(left)} of its files by itself: not asked for it here"
            yield Problem(name="trust.left-to-host", message=message, severity="warning", origin=spec.origin, hook=spec.id)


def calls_us(spec: HookSpec, environ: Mapping[str, str]) -> bool:
    """Whether the command of a hook has hookline answer the hook's own host."""
    handler = spec.handler
    if type(handler) is not Command or not _may_call(handler.script or " ".join(handler.argv)):
        return False
    if handler.argv:
        return _host_of(handler.argv) == spec.dialect
    from hookline.text.words import commands  # noqa: PLC0415 - few files call us

    found = commands(handler.script, environ) or ()
    return any(_host_of([word.value or "" for word in simple.words]) == spec.dialect for simple in found)


def is_approved(engine: Engine, spec: HookSpec) -> bool:
    """Whether somebody approved a hook as it is now."""
    from hookline.engine.gating import gate_of  # noqa: PLC0415 - most hooks are the user's own
    from hookline.trust.desk import survey  # noqa: PLC0415 - as above
    from hookline.trust.policy import TRUSTED  # noqa: PLC0415 - as above

    try:
        gate = gate_of(engine.gate)
        return gate is not None and all(standing.state == TRUSTED for standing in survey(gate, [spec]))
    except HookError:  # what cannot be looked up is not approved
        return False


def _calling(engine: Engine, also: Calls | None) -> Iterator[HookSpec]:
    for entry in engine.whole.entries():
        if calls_us(entry.spec, engine.environ) or (also is not None and also(entry.spec)):
            yield entry.spec


def _may_call(text: str) -> bool:
    return _NAME in text and _ANSWER in text


def _host_of(words: Sequence[str]) -> str:
    """The host that a command line has hookline answer; empty where it does not."""
    from hookline.text.programs import reading  # noqa: PLC0415 - few files call us

    rest = list(words)
    while len(rest) > 1 and rest[0] in _BEFORE:
        rest = rest[1:]
    if not rest:
        return ""
    rest = rest[reading(rest).program_at :]
    name = rest[0].rpartition("/")[2]
    if name.startswith("python"):
        rest = rest[rest.index("-m") + 1 :] if "-m" in rest and all(word.startswith("-") for word in rest[1 : rest.index("-m")]) else [""]
        name = rest[0] if rest else ""
    if name != _NAME or rest[1:2] != [_ANSWER]:
        return ""
    return _positional(rest[2:])


def _positional(words: Sequence[str]) -> str:
    """The first word that is no option, and belongs to none."""
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            return word
        if "=" not in word and word not in _ALONE:
            next(rest, "")
    return ""


def _count(hooks: Sequence[HookSpec]) -> str:
    return "1 other hook" if len(hooks) == 1 else f"{len(hooks)} other hooks"
