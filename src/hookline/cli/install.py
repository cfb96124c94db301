"""`hookline install` and `hookline uninstall`: show what changes in a host's files, ask, write."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import suppress
from math import ceil

from hookline.bridges.codex_trust import (
    is_untrusted,
    list_codex_hooks,
    restore_trust,
    trust_own,
)
from hookline.bridges.detect import find_hosts
from hookline.bridges.entry import Call, find_words, try_entry
from hookline.bridges.hosts import HOSTS
from hookline.bridges.install import apply_plan, plan_install, plan_uninstall
from hookline.bridges.off_switches import find_off_switches
from hookline.cli.approve import has_terminal
from hookline.cli.options import FOLDER, Selection, option, usage_error
from hookline.cli.output import (
    FINDINGS,
    OK,
    USAGE,
    Paint,
    Printer,
    count_things,
    format_error,
    print_message,
)
from hookline.cli.own_guard import (
    add_own_guard,
    plan_own_guard,
    plan_removal,
    remove_own_guard,
)
from hookline.config.agent_hosts import require_person
from hookline.config.places import is_taken_over
from hookline.config.settings import read_settings
from hookline.engine import approval_service
from hookline.engine.approval_service import find_statuses, get_gate_for
from hookline.engine.loader import list_hooks
from hookline.errors import ConfigError, TrustError, did_you_mean
from hookline.model.spec import USER
from hookline.trust.state import NEW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from hookline.bridges.codex_trust import CodexHook
    from hookline.bridges.host_files import FileChange
    from hookline.bridges.hosts import Host
    from hookline.bridges.install import Plan
    from hookline.cli.output import Document

HOSTS_ARGUMENT = option(
    "[HOST...]", "a host; default: those on this machine", complete="installable"
)
_OWN = option("--user", "in your own settings (default)")
_PROJECT = option("--project", "in the files of this project")
_SHOW = option("-n, --dry-run, --diff", "print what would change, and change nothing")
_YES = option("-y, --yes", "do not ask")
_TAKE_OVER = option("--take-over", "move your own hooks of the host to hookline, which runs them")
_HOME = option("--home DIR", "your home, whatever the environment says", is_rare=True)


def install(
    printer: Printer,
    *,
    hosts: list[str] = HOSTS_ARGUMENT,
    user: bool = _OWN,
    project: bool = _PROJECT,
    dry_run: bool = _SHOW,
    yes: bool = _YES,
    take_over: bool = _TAKE_OVER,
    http: str = option("--http URL", "let the host call `hookline serve` at this address"),
    folder: str = FOLDER,
    home: str = _HOME,
) -> int:
    """Have hosts call hookline. It shows what it would write to their files, and asks once.

    Each file has a backup. `hookline uninstall` restores it.
    """
    if not dry_run:
        require_person(os.environ, " ".join(["hookline install", *hosts]))
    selection = Selection(folder=folder, home=home)
    selection.enter_folder()
    chosen = choose_hosts(hosts)
    call = make_call(selection, http)
    _check_http(chosen, http)
    place = _find_project(user, project)
    plans, code = _make_plans(
        chosen,
        lambda host: plan_install(host, call, os.environ, place, takes_over=take_over),
    )
    guard = None if place else plan_own_guard(os.environ)
    done = _carry_out(
        printer, plans, lambda: _prepare(plans, call), guard=guard, dry_run=dry_run, yes=yes
    )
    return code or done


def uninstall(
    printer: Printer,
    *,
    hosts: list[str] = HOSTS_ARGUMENT,
    user: bool = _OWN,
    project: bool = _PROJECT,
    dry_run: bool = _SHOW,
    yes: bool = _YES,
    folder: str = FOLDER,
    home: str = _HOME,
) -> int:
    """Take hookline out of the files of hosts.

    A file that nothing else changed since gets back every byte that it had.
    """
    if not dry_run:
        require_person(os.environ, " ".join(["hookline uninstall", *hosts]))
    Selection(folder=folder, home=home).enter_folder()
    place = _find_project(user, project)
    chosen = choose_hosts(hosts) if hosts else list(HOSTS.values())
    if place:
        chosen = [host for host in chosen if hosts or host.project_file]
    plans, code = _make_plans(chosen, lambda host: plan_uninstall(host, os.environ, place))
    if not hosts:
        plans = [plan for plan in plans if plan.changes]
        if not plans and not code:
            print_message("no host calls hookline")
    is_last = not place and _is_last(chosen, plans)
    guard = plan_removal(os.environ) if is_last else None
    done = _carry_out(printer, plans, None, guard=guard, dry_run=dry_run, yes=yes)
    if is_last and done == OK and not dry_run:
        remove_own_guard(None, os.environ)
    return code or done


def _is_last(chosen: list[Host], plans: list[Plan]) -> bool:
    """Whether no host calls hookline after these plans."""
    others = [host for host in HOSTS.values() if host not in chosen]
    left, _ = _make_plans(others, lambda host: plan_uninstall(host, os.environ, ""))
    return bool(plans) and not any(plan.changes for plan in left)


# -- what is meant -------------------------------------------------------------------------------


def choose_hosts(names: list[str]) -> list[Host]:
    """Return the hosts of these names, or without a name those on this machine.

    Raises:
        ConfigError: an unknown name, or no host.
    """
    for name in names:
        if name not in HOSTS:
            hint = did_you_mean(name, HOSTS) or f"one of {', '.join(HOSTS)}"
            raise usage_error(f"`{name}` is no host that hookline can be installed into", hint)
    found = [HOSTS[name] for name in dict.fromkeys(names)] or find_hosts(os.environ)
    if not found:
        known = ", ".join(HOSTS)
        raise ConfigError(
            "no host was found on this machine: none of their programs is on the PATH, and none of"
            " their settings folders exists",
            name="install.host",
            hint=f"name one: hookline install HOST ({known})",
        )
    return found


def list_hosts(_given: object = None) -> list[str]:
    """Return the names of the hosts that hookline can be installed into."""
    return list(HOSTS)


def _find_project(user: bool, project: bool) -> str:  # noqa: FBT001 - flags of the command line
    if user and project:
        raise usage_error("`--user` and `--project` exclude each other")
    return os.getcwd() if project else ""


def _check_http(hosts: list[Host], http: str) -> None:
    """Refuse `--http` for hosts that cannot call a server.

    Raises:
        ConfigError: such a host, or an address of another machine.
    """
    if not http:
        return
    if not http.startswith(("http://127.0.0.1:", "http://localhost:", "http://[::1]:")):
        raise usage_error(
            f"`--http {http}` is no address of this machine", "for example http://127.0.0.1:8465"
        )
    for host in hosts:
        if not host.has_http:
            able = ", ".join(each.name for each in HOSTS.values() if each.has_http)
            raise usage_error(f"{host.title} has no HTTP hooks", f"these have: {able}")


def make_call(selection: Selection, http: str = "") -> Call:
    """Return how hosts start this hookline, and the longest limits of the hooks that it finds.

    Raises:
        ConfigError: this hookline lies in a temporary environment.
    """
    limits: dict[str, int] = {}
    with selection.engine() as engine:
        for spec in list_hooks(engine.snapshot):
            runner = "" if is_taken_over(spec.origin.file) else spec.dialect
            limits[runner] = max(limits.get(runner, 0), ceil(spec.timeout))
    return Call(words=find_words(), limits=limits, http=http.rstrip("/"))


def _make_plans(hosts: list[Host], plan: Callable[[Host], Plan]) -> tuple[list[Plan], int]:
    """Return the plans of hosts, and the exit code if one cannot be made."""
    plans, code = [], OK
    for host in hosts:
        try:
            plans.append(plan(host))
        except ConfigError as error:
            print_message(format_error(error, f"hookline: {host.title}"))
            code = USAGE
    return plans, code


# -- doing it ------------------------------------------------------------------------------------


def _carry_out(
    printer: Printer,
    plans: list[Plan],
    prepare: Callable[[], None] | None,
    *,
    guard: FileChange | None = None,
    dry_run: bool,
    yes: bool,
) -> int:
    """Show plans, ask, and carry them out. Return the exit code.

    `prepare` comes before an installation; without it, hookline is taken out. `guard`: the change
    of your hookline.yaml that belongs to it.
    """
    removes = prepare is None
    open_plans = [
        plan
        for plan in plans
        if plan.changes or (not removes and not dry_run and _is_skipped(plan))
    ]
    did = {plan.host.name: "shown" if dry_run else "declined" for plan in open_plans}
    shown = guard if open_plans else None
    if (
        open_plans
        and not dry_run
        and _is_wanted(open_plans, printer, guard=shown, yes=yes, removes=removes)
    ):
        if prepare is not None:
            prepare()
        did = {plan.host.name: _apply(plan, removes=removes) for plan in open_plans}
        if shown is not None and "failed" not in did.values():
            (remove_own_guard if removes else add_own_guard)(shown, os.environ)
        if not removes:
            _approve_own()
            _warn_of_switches(plan for plan in open_plans if did[plan.host.name] == "installed")
    document = _make_document(plans, did)
    if shown is not None:
        document["guard"] = {"file": shown.path, "diff": shown.diff().splitlines()}
    printer.print(document, _render)
    outcomes = set(did.values())
    return USAGE if "failed" in outcomes else FINDINGS if "declined" in outcomes else OK


def _is_skipped(plan: Plan) -> bool:
    """Whether the host has the entries, and does not trust them yet."""
    return plan.host.needs_trust and is_untrusted(plan.host, os.environ, os.getcwd(), plan.file)


def _apply(plan: Plan, *, removes: bool) -> str:
    """Write the changes of a plan, and have the host trust what needs it. Return what came of it.

    An error concerns this host only; the others follow.
    """
    host, here = plan.host, os.getcwd()
    before: list[CodexHook] = []
    if host.needs_trust and removes:
        with suppress(ConfigError):  # then nothing has to be trusted again
            before = list_codex_hooks(host, os.environ, here)
    try:
        apply_plan(plan, os.environ, removes=removes)
    except ConfigError as error:
        print_message(format_error(error, f"hookline: {host.title}"))
        return "failed"
    if host.needs_trust:
        try:
            if before:
                restore_trust(host, os.environ, here, before)
            elif not removes:
                trust_own(host, os.environ, here, plan.file)
        except ConfigError as error:
            print_message(format_error(error, f"hookline: {host.title}"))
    return "uninstalled" if removes else "installed"


def _warn_of_switches(plans: Iterable[Plan]) -> None:
    """Print why a host does not run its entries, although they are there."""
    for plan in plans:
        for reason in find_off_switches(plan.host, os.environ, os.getcwd()):
            print_message(f"{plan.host.title} does not run hookline: {reason}")


def _is_wanted(
    plans: list[Plan],
    printer: Printer,
    *,
    guard: FileChange | None,
    yes: bool,
    removes: bool,
) -> bool:
    """Show the diffs on standard error, and return whether a person wants them.

    Raises:
        TrustError: there is no terminal to ask on.
    """
    paint = printer.paint(sys.stderr)
    files = [change for plan in plans for change in plan.changes]
    files += [guard] if guard is not None else []
    for change in files:
        sys.stderr.writelines(f"{line}\n" for line in _color_diff(change.diff(), paint))
    for warning in (each for plan in plans for each in plan.warnings):
        print_message(f"{paint('warning', 'warning')}: {warning}")
    if yes:
        return True
    if printer.no_input or not has_terminal():
        raise TrustError(
            "there is no terminal to ask on",
            name="trust.unattended",
            hint="look at the changes with --diff, then add --yes",
        )
    trusting = [plan.host.title for plan in plans if plan.host.needs_trust]
    also = f", and have {' and '.join(trusting)} trust the entries" if trusting else ""
    also = "" if removes else also
    sys.stderr.write(f"write {count_things(len(files), 'file')}{also}? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _prepare(plans: list[Plan], call: Call) -> None:
    """Try the entry as a host would start it.

    Raises:
        ConfigError: the entry does not run, or your settings are wrong.
    """
    read_settings(os.environ)
    with tempfile.TemporaryDirectory() as state:
        # Neither your hooks nor your journal take part in the trial.
        environ = {**os.environ, "XDG_STATE_HOME": state}
        trials = [call.make_trial(plan.host, plan.file) for plan in plans if plan.changes]
        for command, payload in dict.fromkeys(trials):
            try_entry(command, payload, environ)


def _approve_own() -> None:
    """Record the approval of your own hooks that are there, those that were taken over too."""
    with Selection().open() as engine:
        states = [each.trust for each in find_statuses(engine).values()]
        own = [
            each
            for each in states
            if each.state == NEW
            and each.can_run
            and each.spec.origin.scope == USER
            and not each.spec.origin.pack  # a pack waits for its own review
        ]
        if own:
            approval_service.approve(get_gate_for(engine), own, how="command line, install")


# -- for people ----------------------------------------------------------------------------------


def _make_document(plans: list[Plan], did: Mapping[str, str]) -> Document:
    """Return a `hookline.installation/1`. `did`: what came of each host that changes."""
    return {
        "schema": "hookline.installation/1",
        "hosts": [
            {
                "host": plan.host.name,
                "title": plan.host.title,
                "scope": plan.scope,
                "did": did.get(plan.host.name, "unchanged"),
                "verified": plan.host.verified,
                "files": [change.path for change in plan.changes],
                "diff": [line for change in plan.changes for line in change.diff().splitlines()],
                "warnings": list(plan.warnings),
                "notes": list(plan.notes) if plan.host.name in did else [],
            }
            for plan in plans
        ],
    }


_WORDS = {
    "shown": "would change",
    "installed": "installed: it calls hookline",
    "uninstalled": "uninstalled: it does not call hookline any more",
    "unchanged": "nothing to change",
    "declined": "declined, nothing was written",
    "failed": "failed, nothing was written for this host",
}


def _render(document: Document, paint: Paint) -> Iterator[str]:
    for host in document["hosts"]:
        yield f"{paint('strong', host['title'])}  {_WORDS[host['did']]}"
        if host["did"] == "shown":
            yield from _color_diff("\n".join(host["diff"]), paint)
            yield from (f"  {paint('warning', 'warning')}: {each}" for each in host["warnings"])
        else:
            yield from (f"  {path}" for path in host["files"])
        if host["did"] in ("shown", "installed"):
            yield from (f"  note: {note}" for note in host["notes"])
            if not host["verified"]:
                yield f"  note: not verified with a real {host['title']}"
    yield from _render_guard(document, paint)


def _render_guard(document: Document, paint: Paint) -> Iterator[str]:
    """Yield what happens to the guard that keeps agents from changing hooks."""
    guard = document.get("guard")
    if guard is None:
        return
    outcomes = {host["did"] for host in document["hosts"]}
    if "shown" in outcomes:
        yield from _color_diff("\n".join(guard["diff"]), paint)
    elif "installed" in outcomes:
        yield f"own_config is on in {guard['file']}: agents cannot change hooks themselves"
        yield "guards against dangerous commands and leaked secrets: hookline add --recommended"
    elif "uninstalled" in outcomes:
        yield f"own_config is out of {guard['file']}"


def _color_diff(text: str, paint: Paint) -> Iterator[str]:
    styles = {"+": "good", "-": "bad", "@": "dim"}
    for line in text.splitlines():
        yield paint(styles[line[0]], line) if line[:1] in styles else line
