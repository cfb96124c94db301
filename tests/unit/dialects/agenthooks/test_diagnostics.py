"""Each diagnostic of the format's description has an input that produces it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from hookline import ConfigError
from hookline.config.hook_files import list_files, make_no_hooks_error
from hookline.core.dialect import Companion, Source
from hookline.dialects.agenthooks import AgentHooks
from hookline.model.event import Event, ToolCall
from hookline.model.verdict import Outcome

if TYPE_CHECKING:
    from pathlib import Path

RUN = {"scripts/run": Companion(path="scripts/run", executable=True)}
# docs/formats/agenthooks.md 4, last paragraph; how hookline calls the three that belong to no file
# alone.
OURS = {"duplicate": "hook.duplicate", "override": "hook.override", "skipped": "hook.skipped"}


def front(**fields: object) -> str:
    """A HOOK.md; a field that is None is left out."""
    given = {"name": "guard", "description": "d", "trigger": "pre-tool-call", **fields}
    return "\n".join(
        [
            "---",
            *(
                f"{key.replace('-', '_')}: {value}"
                for key, value in given.items()
                if value is not None
            ),
            "---",
            "",
        ]
    )


FILES: dict[str, str] = {
    "async.cannot-block": front(**{"async": "true"}),
    "description.empty": front(description="' '"),
    "description.length": front(description="d" * 1025),
    "description.missing": front(description=None),
    "field.unknown": front(command="x"),
    "frontmatter.absent": "name: guard\n",
    "frontmatter.not-mapping": "---\n- a\n---\n",
    "frontmatter.unclosed": "---\nname: guard\n",
    "frontmatter.yaml": "---\nname: [\n---\n",
    "matcher.not-applicable": front(trigger="pre-session", matcher="{tool: x}"),
    "matcher.regex": front(matcher="{tool: '('}"),
    "matcher.type": front(matcher="Shell"),
    "matcher.unknown-field": front(matcher="{tools: x}"),
    "name.case": front(name="Guard"),
    "name.chars": front(name="my_guard"),
    "name.dir-mismatch": front(name="other"),
    "name.empty": front(name="' '"),
    "name.hyphen-double": front(name="a--b"),
    "name.hyphen-edge": front(name="-a"),
    "name.length": front(name="g" * 65),
    "name.missing": front(name=None),
    "priority.range": front(priority=1001),
    "priority.type": front(priority="high"),
    "timeout.range": front(timeout=99),
    "timeout.type": front(timeout="5s"),
    "trigger.missing": front(trigger=None),
    "trigger.unknown": front(trigger="pre-tool"),
}
ANSWERS: dict[str, object] = {
    "output.decision": {"decision": "block"},
    "output.ignored": {"suppress": True},
    "output.json": "text",
    "output.type": {"modified_input": "x"},
}


def loaded(
    text: str, *, scope: str = "user", folder: str = "guard", companions: dict[str, Companion] = RUN
) -> tuple[AgentHooks, Source]:
    return AgentHooks(), Source(
        file=f"/{scope}/{folder}/HOOK.md", text=text, scope=scope, companions=companions
    )


@pytest.mark.parametrize("code", FILES)
def test_a_faulty_file_is_reported(code: str) -> None:
    """The problem has code, hook and file, at load and at lint."""
    dialect, source = loaded(FILES[code])
    for problems in (dialect.load(source).problems, dialect.lint(source)):
        found = [problem for problem in problems if problem.name == code]

        assert [problem.origin.file for problem in found] == ["/user/guard/HOOK.md"]
        assert found[0].hook
        assert found[0].code.startswith("HKL1")


@pytest.mark.parametrize(
    ("code", "companions"),
    [
        ("entry.missing", {}),
        (
            "entry.not-executable",
            {"scripts/run": Companion(path="scripts/run", executable=False, head="echo")},
        ),
    ],
)
def test_a_faulty_script_is_reported(code: str, companions: dict[str, Companion]) -> None:
    """The script is missing, or cannot be run."""
    dialect, source = loaded(front(), companions=companions)

    assert [problem.name for problem in dialect.lint(source)] == [code]


def test_lint_reports_an_older_trigger() -> None:
    """At load it is as good as the newer one."""
    dialect, source = loaded(front(trigger="before_tool"))

    assert [problem.name for problem in dialect.lint(source)] == ["trigger.legacy"]
    assert dialect.load(source).problems == ()


@pytest.mark.parametrize(
    ("code", "second"),
    [
        ("duplicate", {"text": front(), "folder": "second"}),
        ("override", {"text": front(), "scope": "project"}),
        ("skipped", {"text": front(timeout="soon"), "scope": "project"}),
    ],
)
def test_a_replaced_copy_is_reported(code: str, second: dict[str, str]) -> None:
    """The problem names the hook that counts, and the place of the other."""
    specs = []
    for given in ({"text": front()}, second):
        dialect, source = loaded(**given)  # type: ignore[arg-type]  # a row of the table above
        specs += dialect.load(source).specs
    (problem,) = AgentHooks().combine(tuple(specs)).problems

    assert (problem.name, problem.hook) == (OURS[code], "guard")
    assert problem.origin.file


@pytest.mark.parametrize("code", ANSWERS)
def test_a_faulty_answer_is_reported(code: str) -> None:
    """The user's notes name the hook; the verdict has the failure too."""
    dialect, source = loaded(front())
    (spec,) = dialect.load(source).specs
    event = Event(
        kind="tool.before",
        dialect="agenthooks",
        native_name="pre-tool-call",
        body=ToolCall(tool="Shell", input={}),
    )
    answer = ANSWERS[code]
    stdout = answer if isinstance(answer, str) else json.dumps(answer)
    verdict = dialect.decode_outcome(Outcome(exit_code=0, stdout=stdout), spec, event)

    assert "hook `guard`" in verdict.for_user
    assert f"{code}: " in verdict.for_user


def test_a_faulty_path_is_reported(tmp_path: Path) -> None:
    """A missing path, a path that is no folder, and a folder without a file."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts/run.sh").write_text("exit 0\n", encoding="utf-8")
    found = {make_no_hooks_error(str(tmp_path), "agenthooks").name}
    for path in ("nowhere", "scripts/run.sh"):
        with pytest.raises(ConfigError) as caught:
            list_files(str(tmp_path / path), "agenthooks")
        found.add(caught.value.name)

    assert found == {"path.missing", "path.not-dir", "file.missing"}
