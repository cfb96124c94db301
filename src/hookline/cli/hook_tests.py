"""`hookline test`: fires the events under `tests` of a `hookline.yaml`, and compares decisions."""

from __future__ import annotations

import os
import re

from hookline.cli.layout import fit_rows
from hookline.cli.options import FOLDER, change_folder, option
from hookline.cli.output import FINDINGS, OK, Paint, Printer, count_things
from hookline.config.places import find_own_file
from hookline.core.dialect import Source
from hookline.dialects.native.fields import CHOICES, EXPECT, TEST, read_keys
from hookline.engine.engine import Engine
from hookline.errors import ConfigError, HookError
from hookline.paths import read_text
from hookline.wire.sources import read_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookline.cli.output import Document
    from hookline.model.spec import Problem
    from hookline.model.verdict import Decision
    from hookline.wire.fields import Node


def run_tests(
    printer: Printer,
    *,
    paths: list[str] = option(
        "[PATH...]", "files of hooks with tests; default: your own hookline.yaml"
    ),
    run: str = option("--run EXPRESSION", "only tests whose name it is found in"),
    folder: str = FOLDER,
) -> int:
    """Whether the hooks of a file decide as its tests expect.

    The hooks run, so a project's file has to be named.
    """
    change_folder(folder)
    results = [result for path in _find_files(paths) for result in _run_file(path, run)]
    failed = sum(not each["passed"] for each in results)
    document = {"schema": "hookline.tests/1", "tests": results, "failed": failed}
    printer.print(document, _render)
    return FINDINGS if failed else OK


def _find_files(paths: list[str]) -> list[str]:
    """Return the files with tests: those that are named, or your own.

    Raises:
        ConfigError: there is none.
    """
    own = find_own_file(os.getcwd(), os.environ, user=True)
    if not paths and not os.path.isfile(own):
        project = find_own_file(os.getcwd(), os.environ, user=False)
        named = f"name this project's, if its hooks may run: hookline test {project}"
        raise ConfigError(
            f"there is no `{own}`",
            name="config.missing",
            hint=named if os.path.isfile(project) else "name a file, or write one: hookline init",
        )
    return paths or [own]


def _run_file(path: str, run: str) -> Iterator[dict[str, Any]]:
    """Yield the result of each test of a file.

    Raises:
        ConfigError: the file cannot be read, or a test is not written as tests are.
    """
    problems: list[Problem] = []
    root = read_tree(Source(file=path, text=read_text(path), placed=True), problems)
    tests = list(root.child("tests").children()) if isinstance(root.value, dict) else []
    cases = [_read_case(node) for node in tests]
    if problem := next((each for each in problems if each.severity == "error"), None):
        raise ConfigError(problem.message, name=problem.name, place=problem.origin.place,
                          hint=problem.hint)  # fmt: skip
    with Engine.load(path, dialect="hookline", trust="all") as engine:
        for case in cases:
            if re.search(run, case["name"]):
                yield _run_case(engine, path, case)


def _read_case(node: Node) -> dict[str, Any]:
    """Return a test: name, event, host, payload, and what must come out."""
    if not node.is_mapping("a test"):
        return {}
    case = {"host": "hookline", "payload": {}, **read_keys(node, TEST, "a test")}
    for key in ("on", "expect"):
        if key not in node.value:
            node.complain("key.missing", f"the test has no `{key}`", hint=f"add `{key}: ...`")
    case["payload"] = node.value.get("payload") or {}
    expect = node.value.get("expect")
    if isinstance(expect, dict):
        inner = node.child("expect")
        case["expect"] = read_keys(inner, EXPECT, "`expect`") | {
            key: expect[key] for key in ("rewrite",) if key in expect
        }
    else:
        case["expect"] = {"stance": node.choice("expect", CHOICES["answer"], "silent")}
    case.setdefault("name", f"{case.get('on', '')} is {expect}")
    return case


def _run_case(engine: Engine, path: str, case: dict[str, Any]) -> dict[str, Any]:
    result = {"file": path, "name": case["name"], "passed": False, "why": ""}
    try:
        decision = engine.fire(case["on"], case["payload"], dialect=case["host"])
    except HookError as error:
        return result | {"why": str(error)}
    why = "; ".join(_list_differences(case["expect"], decision))
    return result | {"passed": not why, "why": why}


def _list_differences(expect: dict[str, Any], decision: Decision) -> Iterator[str]:
    """Yield what a decision has else than a test expects."""
    stance = decision.stance.word
    wanted = expect.get("stance", stance)
    wanted = wanted if isinstance(wanted, str) else wanted.word
    if stance != wanted:
        told = f": {decision.reason}" if decision.reason else ""
        yield f"expected {wanted}, and it is {stance}{told}"
    texts = {"reason": decision.reason, "for_agent": "\n".join(decision.for_agent)}
    for key, text in texts.items():
        if key in expect and not re.search(expect[key], text):
            yield f"`{expect[key]}` is not in {key}: {text or 'it is empty'}"
    rewrite = decision.rewrite.value if decision.rewrite else None
    if "rewrite" in expect and rewrite != expect["rewrite"]:
        yield f"expected the input {expect['rewrite']}, and it is {rewrite}"


def _render(document: Document, paint: Paint) -> Iterator[str]:
    tests = document["tests"]
    rows = [("passed" if each["passed"] else "failed", each["name"], each["why"]) for each in tests]
    for word, *cells in fit_rows(rows):
        style = "good" if word.strip() == "passed" else "bad"
        yield f"{paint(style, word)}  {'  '.join(cells)}".rstrip()
    yield f"{count_things(len(tests), 'test')}: {document['failed']} failed"
