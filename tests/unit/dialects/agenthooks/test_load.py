"""Loading and linting a HOOK.md: lint is strict, load is lenient, neither ever raises."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookline.core.dialect import Companion, Source
from hookline.dialects.agenthooks import AgentHooks
from hookline.dialects.agenthooks.load import load
from hookline.dialects.agenthooks.table import table
from hookline.model.spec import Command

RUN = {"scripts/run.sh": Companion(path="scripts/run.sh", executable=True, head="#!/bin/bash")}
GOOD = "---\nname: guard\ndescription: d\ntrigger: pre-tool-call\n---\n\n# Body\n\n"


def source(text: str | None, **more: object) -> Source:
    return Source(
        **{"file": "/h/guard/HOOK.md", "text": text, "scope": "user", "companions": RUN, **more}
    )


def linted(*lines: str, directory: str = "guard", **more: object) -> list[tuple[str, str]]:
    text = "\n".join(["---", *lines, "---", ""])
    return [
        (problem.name, problem.severity)
        for problem in AgentHooks().lint(source(text, file=f"/h/{directory}/HOOK.md", **more))
    ]


NAMED = ("name: guard", "description: d")
FINE = (*NAMED, "trigger: pre-tool-call")


def test_a_good_hook_has_no_findings() -> None:
    """The format's own example is valid."""
    assert AgentHooks().lint(source(GOOD)) == ()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("name: guard\n", "frontmatter.absent"),
        ("---\nname: guard\n", "frontmatter.unclosed"),
        ("---\n- a\n---\n", "frontmatter.not-mapping"),
        ("---\na: [\n---\n", "frontmatter.yaml"),
        ("---\na: 1\na: 2\n---\n", "frontmatter.yaml"),
    ],
)
def test_lint_names_what_cannot_be_read(text: str, name: str) -> None:
    """A file without readable front matter is one error."""
    assert [(problem.name, problem.severity) for problem in AgentHooks().lint(source(text))] == [
        (name, "error")
    ]


@pytest.mark.parametrize(
    ("lines", "name", "severity"),
    [
        (("description: d", "trigger: pre-tool-call"), "name.missing", "error"),
        (("name: ' '", "description: d", "trigger: pre-tool-call"), "name.empty", "error"),
        (("name: guard", "trigger: pre-tool-call"), "description.missing", "warning"),
        (
            ("name: guard", "description: ' '", "trigger: pre-tool-call"),
            "description.empty",
            "error",
        ),
        (
            ("name: guard", f"description: ' {'d' * 1024}'", "trigger: pre-tool-call"),
            "description.length",
            "error",
        ),
        (NAMED, "trigger.missing", "error"),
        ((*NAMED, "trigger: pre-tool"), "trigger.unknown", "error"),
        ((*NAMED, "trigger: before_tool"), "trigger.legacy", "warning"),
        ((*FINE, "timeout: 1s"), "timeout.type", "error"),
        ((*FINE, "timeout: 99"), "timeout.range", "error"),
        ((*FINE, "priority: no"), "priority.type", "error"),
        ((*FINE, "priority: 1001"), "priority.range", "error"),
        ((*FINE, "matcher: Shell"), "matcher.type", "error"),
        ((*FINE, "matcher: {tool: '('}"), "matcher.regex", "error"),
        ((*FINE, "matcher: {tools: x}"), "matcher.unknown-field", "error"),
        ((*FINE, "command: x"), "field.unknown", "error"),
        (
            (*NAMED, "trigger: pre-session", "matcher: {tool: x}"),
            "matcher.not-applicable",
            "warning",
        ),
        ((*FINE, "async: true"), "async.cannot-block", "warning"),
        ((*NAMED, "trigger: pre-agent-turn-stop", "async: true"), "async.cannot-block", "warning"),
    ],
)
def test_lint_is_strict(lines: tuple[str, ...], name: str, severity: str) -> None:
    """Each row of the table of docs/formats/agenthooks.md 4, column lint."""
    assert linted(*lines) == [(name, severity)]


@pytest.mark.parametrize(
    ("name", "findings"),
    [
        ("Guard", ["name.case"]),
        ("my_guard", ["name.chars"]),
        ("-guard", ["name.hyphen-edge"]),
        ("guard--two", ["name.hyphen-double"]),
        ("g" * 65, ["name.length"]),
        ("g" * 64, []),
    ],
)
def test_lint_knows_the_rules_of_style(name: str, findings: list[str]) -> None:
    """A name is 1 to 64 lower-case letters, digits and single inner hyphens."""
    assert [found for found, _ in linted(f"name: {name}", *FINE[1:], directory=name)] == findings


def test_a_name_equals_its_directory_in_normal_form() -> None:
    """Composed and decomposed spellings of one name are the same."""
    assert linted("name: gru\u0308n", *FINE[1:], directory="grün") == []
    assert linted("name: guard", *FINE[1:], directory="other") == [("name.dir-mismatch", "warning")]


def test_metadata_keeps_its_types() -> None:
    """Numbers, lists and objects stay what they are."""
    front = (
        "---\nname: guard\ndescription: d\ntrigger: before_tool\nmetadata: {level: 3, of: {a: [1, "
        "x]}}\n---\n"
    )
    (spec,) = load(source(front), facts=table(approver=False)).specs

    assert spec.facts["metadata"] == {"level": 3, "of": {"a": [1, "x"]}}


def test_lint_reports_everything_at_once() -> None:
    """One pass finds all that is wrong, each with place and hook."""
    problems = AgentHooks().lint(
        source(
            "---\nname: Guard\ntrigger: before_tool\ntimeout: x\nfoo: 1\nmatcher: {tool: '(', "
            "pattern: ')'}\n---\n",
            companions={},
        )
    )

    assert sorted(problem.name for problem in problems) == [
        "description.missing", "entry.missing", "field.unknown", "matcher.regex", "matcher.regex",
        "name.case", "name.dir-mismatch",
        "timeout.type", "trigger.legacy",
    ]  # fmt: skip
    assert {problem.hook for problem in problems} == {"Guard"}
    assert (
        next(problem.origin.place for problem in problems if problem.name == "timeout.type")
        == "/h/guard/HOOK.md:4:1"
    )


def test_load_gives_the_script_its_environment() -> None:
    """The four variables of docs/formats/agenthooks.md 6.

    Those of the event are filled in when it runs.
    """
    (spec,) = AgentHooks().load(source(GOOD)).specs

    assert isinstance(spec.handler, Command)
    assert spec.handler.env == {
        "AGENT_HOOK_DIR": "/h/guard",
        "AGENT_HOOK_NAME": "guard",
        "AGENT_PROJECT_DIR": "${event.project}",
        "AGENT_SESSION_ID": "${event.session_id}",
    }
    assert "# Body" not in repr(spec)


def test_the_folder_that_the_reader_knows_wins_over_the_name_of_the_file() -> None:
    """A relative file name would otherwise be looked for in the event's folder."""
    (spec,) = AgentHooks().load(source(GOOD, file="HOOK.md", names={"folder": "/abs/guard"})).specs

    assert isinstance(spec.handler, Command)
    assert spec.handler.argv == ("/abs/guard/scripts/run.sh",)


def test_only_a_strict_source_kills_what_a_hook_leaves_running() -> None:
    """In fidelity mode a background child survives a normal exit (agenthooks.md 10, c)."""
    kills = [
        AgentHooks().load(source(GOOD, mode=mode)).specs[0].handler.kill_leftovers
        for mode in ("fidelity", "strict")
    ]  # type: ignore[union-attr]

    assert kills == [False, True]


def test_a_tree_is_front_matter() -> None:
    """A configuration given as a tree needs no file."""
    loaded = AgentHooks().load(
        source(
            None, file="", tree={"name": "guard", "description": "d", "trigger": "pre-tool-call"}
        )
    )

    assert [spec.id for spec in loaded.specs] == ["~/agenthooks/guard"]
    assert loaded.problems == ()


def test_a_tree_that_contains_itself_is_read() -> None:
    """A program, unlike a file, can give such a tree."""
    metadata: dict[str, object] = {}
    metadata["self"] = metadata

    assert AgentHooks().load(source(None, tree={"name": metadata, "metadata": metadata})).problems


def test_a_name_that_no_environment_can_hold_is_made_fit() -> None:
    """YAML escapes can say a null character."""
    text = GOOD.replace("name: guard", 'name: "a\\0b"')
    (spec,) = AgentHooks().load(source(text)).specs

    assert isinstance(spec.handler, Command)
    assert spec.handler.env["AGENT_HOOK_NAME"] == "ab"


KEYS = st.sampled_from(
    ["name", "description", "trigger", "matcher", "timeout", "async", "priority", "metadata", "x"]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["pre-tool-call", "before_stop", "(", "9" * 5000]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(max_size=8) | st.sampled_from(["tool", "pattern"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@settings(deadline=None)  # the first example pays for the imports
@given(tree=st.dictionaries(KEYS, VALUES))
def test_no_tree_makes_load_or_lint_raise(tree: dict[str, object]) -> None:
    """Whatever a person wrote, problems are values."""
    given_source = source(None, tree=tree)

    assert isinstance(AgentHooks().load(given_source).problems, tuple)
    assert isinstance(AgentHooks().lint(given_source), tuple)


@settings(deadline=None)  # the first example pays for the imports
@given(front=st.text(alphabet=list("abn:-'\"\\.dx{}[] \n\t#&*!|>\ufeff\u2028"), max_size=60))
def test_no_text_makes_load_or_lint_raise(front: str) -> None:
    """Whatever stands between the fences, problems are values."""
    given_source = source(f"---\n{front}\n---\n")

    assert isinstance(AgentHooks().load(given_source).problems, tuple)
    assert isinstance(AgentHooks().lint(given_source), tuple)
