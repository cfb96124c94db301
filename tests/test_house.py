"""The house rules that a program can check: sizes, sentences, a test for each module, what is loaded, what tables may say."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from hookline.engine.catalog import NAMES, make_dialect
from hookline.model import kinds

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src/hookline"
MODULES = sorted(SOURCE.rglob("*.py"))
TESTS = sorted(path for path in (ROOT / "tests").rglob("*.py"))
LONGEST = 500

# Modules whose tests stand elsewhere than in `tests/unit` under their own name: the file, and why.
ELSEWHERE = {
    "config/layouts.py": ("tests/unit/config/test_read.py", "a folder is read by its layout"),
    "__main__.py": (
        "tests/transcripts",
        "it looks at the first word only; each command is a transcript",
    ),
    "errors.py": ("tests/unit/model/test_problem.py", "codes are read through problems"),
    "model/frozen.py": (
        "tests/laws/test_frozen_values.py",
        "its contract is that of dataclasses, as laws",
    ),
    "text/backtracking.py": (
        "tests/laws/test_patterns.py",
        "its contract is a law over any text",
    ),
    "text/globs.py": ("tests/laws/test_patterns.py", "as above"),
    "text/glob_regex.py": ("tests/laws/test_patterns.py", "as above"),
    "text/suggestions.py": ("tests/laws/test_patterns.py", "as above"),
    "engine/firing.py": ("tests/unit/engine/test_engine.py", "an engine is what is fired"),
    "engine/doctor/probe.py": (
        "tests/unit/engine/doctor/test_checkup.py",
        "a checkup is what asks",
    ),
    "engine/doctor/finding.py": (
        "tests/unit/engine/doctor/test_static_checks.py",
        "what is found is what is looked for",
    ),
    "remote/grpc_client.py": (
        "tests/unit/remote/test_client.py",
        "it is the client's way with gRPC",
    ),
    "remote/limits.py": (
        "tests/unit/remote/test_bridge.py",
        "each bound is seen where it is reached",
    ),
    "remote/connection.py": ("tests/unit/remote/test_handlers.py", "handlers and engines dial"),
    "remote/listener.py": (
        "tests/unit/remote/test_engine_server.py",
        "an engine listens when it is opened",
    ),
    "remote/hook_registry.py": (
        "tests/unit/remote/test_handlers.py",
        "it is what handlers are registered in",
    ),
    "remote/stream.py": (
        "tests/unit/remote/test_link.py",
        "both ends of every stream go through it",
    ),
    "remote/proto/bridge_pb2.py": (
        "tests/unit/remote/test_definitions.py",
        "generated, and compared with its source by `make docs`",
    ),
    "remote/proto/bridge_pb2_grpc.py": ("tests/unit/remote/test_grpc_transport.py", "as above"),
    "core/dispatch.py": ("tests/plays", "the dispatcher is played, not called"),
    "core/plan.py": ("tests/plays/test_order.py", "an order is seen in a play"),
    "core/fold.py": ("tests/plays/test_folding.py", "and in tests/laws/test_stances_only_grow.py"),
    "core/fit.py": ("tests/plays/test_folding.py", "and in tests/laws/test_stances_only_grow.py"),
}
# Whole folders whose modules are parts of one thing that is tested as one.
AS_A_WHOLE = {
    "dialects": (
        "tests/conformance/vectors",
        "a dialect is pinned by its vectors, which play all of its modules",
    ),
    "a3s": ("tests/unit/test_a3s.py", "a facade, tested from its front"),
    "handlers": ("tests/unit/handlers", "runners are tested by what their processes do"),
    "chat": ("tests/unit/test_chat.py", "a surface, tested by what it answers"),
    "cli": ("tests/transcripts", "a command is tested by what it prints"),
}


def name(path: Path) -> str:
    """A module by its path inside the package."""
    return path.relative_to(SOURCE).as_posix()


# -- sizes and sentences -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_no_module_is_long(path: Path) -> None:
    """A file near the cap is split before it is extended."""
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST


@pytest.mark.parametrize("path", [path for path in MODULES if path.stat().st_size], ids=name)
def test_a_module_opens_with_a_sentence(path: Path) -> None:
    """It could be its whole documentation."""
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    first = said.partition("\n\n")[0].replace("\n", " ")

    assert first[:1].isupper() or first.startswith(("hookline", "docker-agent", "a3s", "`"))
    assert first.endswith((".", ":"))


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_test_is_a_sentence(path: Path) -> None:
    """Each test has a docstring that says what holds."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    mute = [
        each.name
        for each in functions
        if each.name.startswith("test_")
        and not (ast.get_docstring(each) or "").rstrip().endswith((".", "?"))
    ]

    assert mute == []


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_test_sleeps_or_mocks(path: Path) -> None:
    """Time is an argument, and fakes implement the real protocol."""
    names = {
        node.attr
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
    }
    imported = {
        alias.name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }

    assert imported & {"mock", "unittest.mock", "MagicMock", "Mock", "patch"} == set()
    assert "MagicMock" not in names


# -- a test for each module --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [path for path in MODULES if path.name != "__init__.py"], ids=name)
def test_a_module_has_its_test(path: Path) -> None:
    """Under its own name in `tests/unit`, or where a reasoned list says."""
    module = path.relative_to(SOURCE)
    own = ROOT / "tests/unit" / module.parent / f"test_{module.name}"
    elsewhere, reason = (
        ELSEWHERE.get(module.as_posix()) or AS_A_WHOLE.get(module.parts[0]) or ("", "")
    )

    assert own.exists() or (elsewhere and (ROOT / elsewhere).exists() and reason)


def test_the_lists_of_exceptions_are_not_longer_than_needed() -> None:
    """A module that has a test under its own name is no exception, and one that is gone is not listed."""
    needless = [
        module
        for module in ELSEWHERE
        if (ROOT / "tests/unit" / Path(module).parent / f"test_{Path(module).name}").exists()
    ]

    assert needless == []
    assert [module for module in ELSEWHERE if not (SOURCE / module).exists()] == []
    assert [folder for folder in AS_A_WHOLE if not (SOURCE / folder).exists()] == []


# -- what is loaded ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        ("hookline", ("hookline.engine", "json", "re")),
        ("hookline.engine.engine", ("typing", "dataclasses", "re2", "regex", "ruamel", "asyncio", "threading", "subprocess", "inspect", "pathlib", "logging", "wcmatch", "tree_sitter", "typer")),
        ("hookline.cli.answer", ("typing", "dataclasses", "re2", "regex", "ruamel", "asyncio", "subprocess", "inspect", "typer", "rich")),
        ("hookline.cli.fire", ("typing", "dataclasses", "re2", "ruamel", "asyncio", "subprocess", "inspect", "typer", "rich", "pathlib", "argparse", "ipaddress")),
        ("hookline.trust.inspection", ("typing", "dataclasses", "re2", "subprocess", "pathlib", "tree_sitter", "shlex", "ast", "hookline.text.shell", "hookline.trust.resolver")),
        ("hookline.trust.gate", ("typing", "dataclasses", "re2", "subprocess", "pathlib", "sqlite3", "hashlib", "datetime")),
    ],
)  # fmt: skip
def test_a_module_is_loaded_without_what_it_may_never_need(
    module: str, unwanted: tuple[str, ...]
) -> None:
    """`hookline answer` starts for every tool call of a host, so heavy modules wait until somebody uses them."""
    code = f"import sys; before = set(sys.modules); import {module}; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())

    assert {name for name in unwanted if name in loaded} == set()


# -- tables ------------------------------------------------------------------------------------------------------------

ROWS = [
    (dialect, row) for dialect in map(make_dialect, NAMES) for row in dialect.table.rows.values()
]
NOTE = "every host can be told something for its user"
# Words of a dialect's own, which no kind has: keys of its output that count on some events.
OWN_WORDS = {
    "docker-agent": {"metadata", "instruction_context", "transition"},
    "claude-code": {
        "terminal_sequence",
        "initial_message",
        "reload_skills",
        "hide_prompt",
        "classifier_context",
    },
    "a3s": {"modified", "max_retries"},
    "copilot": {"response", "result_type"},
    "cursor": {"plugin_paths"},
    "gemini": {"request", "clear_context"},
    "agenthooks": {"log"},
}
# What a row may say beyond its kind: dialect, power, and the rows; "*" for all of them. Each with its reason.
BEYOND = {
    ("docker-agent", "deny"): ({"before_agent_run", "after_agent_complete"}, "canonical events that the vocabulary lacks; they block (docs/formats/docker-agent.md 6)"),
    ("claude-code", "halt"): ({"*"}, "`continue: false` is a field of every event's output (docs/formats/claude-code.md 7)"),
    ("claude-code", "watch"): ({"SessionStart"}, "`watchPaths` (docs/formats/claude-code.md 7)"),
    ("claude-code", "allow"): ({"PreModelSwitch"}, "`permissionDecision` allow (docs/formats/claude-code.md 7)"),
    ("claude-code", "ask"): ({"PreModelSwitch"}, "`permissionDecision` ask (docs/formats/claude-code.md 7)"),
    ("claude-code", "deny"): ({"Elicitation"}, "exit 2 declines (docs/formats/claude-code.md 7)"),
    ("cursor", "allow"): ({"beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "beforeTabFileRead", "subagentStart"}, "a permission may be `allow` wherever there is one (docs/formats/cursor.md 5)"),
    ("cursor", "context"): ({"beforeShellExecution", "beforeMCPExecution"}, "`agent_message` goes with every permission (docs/formats/cursor.md 5)"),
    ("codex", "halt"): ({"UserPromptSubmit", "SubagentStop", "PreCompact", "PostCompact"}, "`continue: false` stops there, too (docs/formats/codex.md 5)"),
    ("a3s", "deny"): ({"*"}, "a handler may block any of its events (docs/formats/a3s.md 5)"),
    ("a3s", "retry"): ({"*"}, "a handler may ask for a retry of any of its events (docs/formats/a3s.md 5)"),
    ("agenthooks", "deny"): ({"*"}, "a decision belongs to every output; where nothing can be refused it is feedback (docs/formats/agenthooks.md 2)"),
    ("agenthooks", "allow"): ({"*"}, "a decision belongs to every output (docs/formats/agenthooks.md 8)"),
    ("copilot", "context"): ({"notification"}, "`additionalContext` is put before the session's next message (docs/formats/copilot.md 5)"),
    ("gemini", "halt"): ({"BeforeAgent"}, "`continue: false` ends the run there, too (docs/formats/gemini.md 4)"),
    ("qwen", "halt"): ({"PostToolBatch"}, "a block there stops the turn (docs/formats/qwen.md 5)"),
    ("hookline", "ask"): ({"*"}, "a program that reads decisions can ask a person about whatever is yet to happen"),
    ("hookline", "deny"): ({"*"}, "a program that reads decisions can refuse whatever is yet to happen"),
    ("agenthooks", "context"): ({"post-agent-turn"}, "`additional_context` is honoured there (docs/formats/agenthooks.md 8)"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("dialect", "row"), ROWS, ids=[f"{dialect.table.name}-{row.native}" for dialect, row in ROWS]
)
def test_a_row_says_no_more_than_its_kind(dialect, row) -> None:
    """The kind's effects are the cap; what goes beyond is on a list, with the document that says so."""
    beyond = (
        row.powers
        - kinds.kind(row.kind).powers
        - {"note"}
        - OWN_WORDS.get(dialect.table.name, set())
    )
    unlisted = {
        power
        for power in beyond
        if not {"*", row.native} & BEYOND.get((dialect.table.name, power), (set(), ""))[0]
    }

    assert unlisted == set()


@pytest.mark.parametrize(
    ("dialect", "row"), ROWS, ids=[f"{dialect.table.name}-{row.native}" for dialect, row in ROWS]
)
def test_a_row_is_of_a_kind_that_exists(dialect, row) -> None:
    """A canonical one, or one of the dialect's own."""
    assert row.kind in kinds.NAMES or row.kind == kinds.unknown_kind(dialect.table.name, row.native)


# hookline's own rows follow from `events.json`, whose columns name some fields like the payload's base, and one rewrite's
# text `delta`.
OWN_COLUMNS = {"session.delete", "file.changed", "shell.before", "message.display"}


@pytest.mark.parametrize(
    ("dialect", "row"),
    [
        (dialect, row)
        for dialect, row in ROWS
        if dialect.table.name != "hookline" or row.native not in OWN_COLUMNS
    ],
    ids=lambda value: value.table.name if hasattr(value, "table") else value.native,
)
def test_a_rows_facts_reach_its_body(dialect, row) -> None:
    """A rewrite that a row can express is one that its body can take, and no field is sent twice."""
    natives = [field.native for field in (*dialect.table.base, *row.fields)]

    assert len(set(natives)) == len(natives)
    assert {"input", "output", "text", "messages", "summary"} & row.powers <= set(
        row.body.rewritable
    )


@pytest.mark.parametrize(
    "dialect", [make_dialect(each) for each in NAMES], ids=lambda dialect: dialect.table.name
)
def test_a_tables_names_lead_to_its_rows(dialect) -> None:
    """Aliases and covers name rows that are there."""
    table = dialect.table

    assert [alias for alias, native in table.aliases.items() if native not in table.rows] == []
    assert [
        native
        for covered in table.covers.values()
        for native in covered
        if native not in table.rows
    ] == []
