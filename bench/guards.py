"""Prints what the guards find and flag by mistake, with counts and 95 % bounds, and their time.

Beside them: other guards on the same texts, and the test suites of two of them. What others stop is
told as `refused / refused or asked`.
"""

from __future__ import annotations

import argparse
import gc
from collections import defaultdict
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, NamedTuple

from bench.measure import table
from bench.peers import COMMANDS, SECRETS, Answer, MissingPeerError, ask_peer
from bench.public_suites import describe_commit, read_suite
from hookline.guards.commands.judge import judge_command
from hookline.guards.commands.profiles import PROFILES
from hookline.model.verdict import Stance
from hookline.text.secrets.scan import find_secrets
from tests.guards.claims.replay import load_replies, replay, report_replies
from tests.guards.commands.corpus import CWD, DISGUISES, HOME, PARTS, load_cases
from tests.guards.commands.test_commands import count_refused, count_stopped, judge, select
from tests.guards.measure import Share
from tests.guards.secrets.corpus import disguised, harmless, secrets
from tests.guards.secrets.test_secrets import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from bench.peers import Peer
    from tests.guards.commands.corpus import Case as CommandCase
    from tests.guards.secrets.corpus import Case

HOSTILE = ("a", "1,", "abandon ", "key=", "sk-", "QUJD", "\n", "-----BEGIN ")


def time_each(judge: Callable[[str], object], texts: Iterable[str]) -> str:
    """The median and the 99th percentile of one judgement, in microseconds."""
    spent = []
    for text in texts:
        judge(text)
        began = thread_time()
        judge(text)
        spent.append((thread_time() - began) * 1e6)
    return f"p50 {median(spent):.0f} us, p99 {quantiles(spent, n=100)[-1]:.0f} us"


def report_secrets() -> None:
    """Print what is masked, what is flagged by mistake, and what it costs."""
    print("secrets")
    rows: dict[str, list[Case]] = defaultdict(list)
    for case in secrets():
        rows["core" if case.is_core else "others"].append(case)
    rows["disguised"] = disguised()
    for name, cases in rows.items():
        print(f"  masked, {name:12} {count(cases)}")
    flagged: dict[str, list[bool]] = defaultdict(list)
    for case in harmless():
        flagged[case.kind].append(bool(find_secrets(case.text)))
    for name, hits in sorted(flagged.items()):
        print(f"  flagged, {name:11} {Share(sum(hits), len(hits))}")
    every = [hit for hits in flagged.values() for hit in hits]
    print(f"  flagged, {'all':11} {Share(sum(every), len(every))}")
    print(f"  a text: {time_each(find_secrets, (case.text for case in harmless()))}")
    for part in HOSTILE:
        text = part * ((64 << 10) // len(part))
        began = perf_counter()
        find_secrets(text)
        print(f"  64 KB of {part!r:14} {(perf_counter() - began) * 1000:.1f} ms")


def report_commands() -> None:
    """Print what each profile refuses, what it stops by mistake, and what a line costs."""
    for part in PARTS:
        print(f"commands, {part}")
        for tier in ("baseline", "strict"):
            print(f"  refused, {tier:12} {count_refused(part, tier)}")
            print(f"  stopped, {tier:12} {count_stopped(part, tier)}")
        classes: dict[str, list[bool]] = defaultdict(list)
        for case in select(part, "baseline"):
            classes[case.class_name].append(judge(case, "baseline") >= Stance.DENY)
        for name, hits in sorted(classes.items()):
            print(f"    {name:15} {Share(sum(hits), len(hits))}")
    texts = [case.text for case in select("work", "none")]
    for profile in PROFILES:
        spent = time_each(partial(judge_command, cwd=CWD, home=HOME, profile=profile), texts)
        print(f"  an ordinary line, {profile}: {spent}")


def report_claims() -> None:
    """Print how many false claims are refused, and how many honest replies by mistake."""
    print("claims")
    report_replies(replay(load_replies()))


class Line(NamedTuple):
    """A command and where it would run."""

    text: str
    cwd: str = CWD
    home: str = HOME


def ask_hookline(lines: Sequence[Line], profile: str) -> list[Answer]:
    """Return the answer of the guard `commands` to each line."""
    answers = []
    gc.disable()
    for text, cwd, home in lines:
        ask = partial(judge_command, text, cwd=cwd, home=home, project=cwd, profile=profile)
        stance = max((each.stance for each in ask(clock=lambda: 0.0)), default=Stance.SILENT)
        said = "deny" if stance >= Stance.DENY else "ask" if stance > Stance.SILENT else "allow"
        began = thread_time()
        ask()
        answers.append(Answer(said, thread_time() - began))
    gc.enable()
    return answers


def ask_all(
    peers: Sequence[Peer], lines: Sequence[Line], *, install: bool
) -> Iterator[tuple[str, list[Answer]]]:
    """Yield each peer with its answers; print why a peer is missing."""
    for peer in peers:
        answers: dict[Line, Answer] = {}
        try:
            for home in {line.home for line in lines}:
                own = [line for line in lines if line.home == home]
                found = ask_peer(peer, [line.text for line in own], home=home, install=install)
                answers.update(zip(own, found, strict=True))
        except MissingPeerError as why:
            print(f"  {peer.name}: {why}")
        else:
            yield peer.name, [answers[line] for line in lines]


def ask_guards(lines: Sequence[Line], *, install: bool) -> Iterator[tuple[str, list[Answer]]]:
    """Yield each guard of commands with its answers, hookline first."""
    for profile in PROFILES:
        yield f"hookline {profile}", ask_hookline(lines, profile)
    yield from ask_all(COMMANDS, lines, install=install)


def describe_stops(answers: Sequence[Answer]) -> str:
    """Return how many are refused, and how many are refused or asked about, in per cent."""
    refused = sum(answer.said == "deny" for answer in answers)
    stopped = refused + sum(answer.said == "ask" for answer in answers)
    size = len(answers) or 1
    return f"{100 * refused / size:.1f} / {100 * stopped / size:.1f}"


def describe_time(answers: Sequence[Answer]) -> str:
    """Return the median and the 99th percentile of one answer, in microseconds."""
    spent = [answer.seconds * 1e6 for answer in answers]
    return f"{median(spent):.0f} / {quantiles(spent, n=100)[-1]:.0f}"


def list_columns(case: CommandCase) -> Iterator[str]:
    """Yield the columns that a labelled line counts in."""
    if case.tier == "baseline":
        yield "exfil" if case.rule.startswith("exfil") else "loss"
    if case.tier == "baseline" and case.class_name in DISGUISES:
        yield "disguised"
    if case.tier == "strict":
        yield "strict"
    if case.tier == "none":
        yield "ordinary"


def report_command_peers(*, install: bool) -> None:
    """Print hookline and its peers on the labelled lines, by hookline's labels."""
    cases = load_cases()
    columns = ("loss", "exfil", "disguised", "strict", "ordinary")
    tables: dict[str, list[list[str]]] = {
        part: [["", *columns, "p50 / p99 us"]] for part in ("work, held and blind", "blind")
    }
    lines = [Line(case.text, case.cwd, case.home) for case in cases]
    for name, answers in ask_guards(lines, install=install):
        for part, rows in tables.items():
            cells: dict[str, list[Answer]] = defaultdict(list)
            for case, answer in zip(cases, answers, strict=True):
                for column in list_columns(case) if case.part in part else ():
                    cells[column].append(answer)
            shares = [describe_stops(cells[column]) for column in columns]
            rows.append([name, *shares, describe_time(cells["ordinary"])])
    for part, rows in tables.items():
        print(f"commands of {part}, all guards, in per cent: refused / refused or asked")
        print_table(rows)


def report_suite(folder: Path, *, install: bool, is_listed: bool) -> None:
    """Print hookline and its peers on the tests of a peer, by that peer's labels."""
    suite = read_suite(folder)
    sizes = f"{len(suite.dangerous)} dangerous, {len(suite.ordinary)} ordinary"
    print(f"suite of {suite.name} ({sizes}), commit {describe_commit(suite, folder)}")
    texts = [*suite.dangerous, *suite.ordinary]
    rows = [["", "caught", "flagged"]]
    for name, answers in ask_guards([Line(text) for text in texts], install=install):
        dangerous, ordinary = answers[: len(suite.dangerous)], answers[len(suite.dangerous) :]
        rows.append([name, describe_stops(dangerous), describe_stops(ordinary)])
        if is_listed and name == "hookline strict":
            for text, answer in zip(texts, answers, strict=True):
                if answer.said != ("deny" if text in suite.dangerous else "allow"):
                    kind = "missed" if text in suite.dangerous else "flagged"
                    print(f"  {kind}, {answer.said}: {text!r}")
    print_table(rows)


def report_secret_peers(*, install: bool) -> None:
    """Print hookline and its peers on the labelled texts."""
    print("secrets, all guards, in per cent: at least 80 % of the secret found; texts flagged")
    found, plain = [*secrets(), *disguised()], harmless()
    rows = [["", "core", "all", "disguised", "flagged", "p50 / p99 us"]]
    rows.append(make_secret_row("hookline", found, plain, ask_for_secrets([*found, *plain])))
    texts = [Line(case.text) for case in [*found, *plain]]
    for name, answers in ask_all(SECRETS, texts, install=install):
        rows.append(make_secret_row(name, found, plain, answers))
    print_table(rows)


def ask_for_secrets(cases: Sequence[Case]) -> list[Answer]:
    """Return what hookline finds in each text, and the seconds that it took."""
    answers = []
    for case in cases:
        find_secrets(case.text)
        began = thread_time()
        spans = find_secrets(case.text)
        seconds = thread_time() - began
        answers.append(Answer([case.text[each.start : each.end] for each in spans], seconds))
    return answers


def make_secret_row(
    name: str, found: Sequence[Case], plain: Sequence[Case], answers: Sequence[Answer]
) -> list[str]:
    """Return the row of a guard of secrets."""
    hits: dict[str, list[bool]] = defaultdict(list)
    for case, answer in zip(found, answers[: len(found)], strict=True):
        is_covered = covers(case, answer.said)
        hits["disguised" if case.is_disguised else "all"].append(is_covered)
        if case.is_core and not case.is_disguised:
            hits["core"].append(is_covered)
    others = answers[len(found) : len(found) + len(plain)]
    hits["flagged"] = [bool(answer.said) for answer in others]
    columns = ("core", "all", "disguised", "flagged")
    shares = [f"{100 * sum(hits[each]) / (len(hits[each]) or 1):.1f}" for each in columns]
    return [name, *shares, describe_time(others)]


def covers(case: Case, strings: Iterable[str]) -> bool:
    """Whether the strings cover at least 80 % of the secret, where they stand in the text."""
    start = case.text.index(case.secret)
    seen = bytearray(len(case.text))
    for each in filter(None, strings):
        at = case.text.find(each)
        while at >= 0:
            seen[at : at + len(each)] = b"\1" * len(each)
            at = case.text.find(each, at + 1)
    return sum(seen[start : start + len(case.secret)]) >= 0.8 * len(case.secret)


def print_table(rows: Sequence[Sequence[str]]) -> None:
    """Print rows as columns, the first row being the headings."""
    print("\n".join(f"  {line}" for line in table(rows)))


def main() -> None:
    """Print what the options ask for."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--peers", action="store_true", help="install the other guards into your cache"
    )
    options.add_argument(
        "--suite",
        action="append",
        default=[],
        metavar="FOLDER",
        type=Path,
        help="a checkout of destructive_command_guard or cc-safety-net; prints only its tests",
    )
    options.add_argument(
        "--list", action="store_true", help="list what hookline answers otherwise than a suite"
    )
    given = options.parse_args()
    for folder in given.suite:
        report_suite(folder, install=given.peers, is_listed=given.list)
    if not given.suite:
        report_claims()
        report_commands()
        report_secrets()
        report_command_peers(install=given.peers)
        report_secret_peers(install=given.peers)


if __name__ == "__main__":
    main()
