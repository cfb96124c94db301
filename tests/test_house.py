"""House rules that a program can check: sizes, sentences, tests, imports, and tables."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from hookline.engine.catalog import NAMES, make_dialect
from hookline.model import kinds

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src/hookline"
MODULES = sorted(SOURCE.rglob("*.py"))
TESTS = sorted(path for path in (ROOT / "tests").rglob("*.py"))
LONGEST = 500
IMPORTS = (ast.Import, ast.ImportFrom)
POLLS = ROOT / "tests/unit/handlers/support.py"  # the one place that asks again until it is true
# What a file has that mocks or sleeps, or that imports what is private.
_SUSPECT = re.compile(r"[mM]ock\b|import .*\bpatch\b|sleep\([\d.]*[1-9]")
_PRIVATE = re.compile(r"from hookline\S* import .*\b_[a-z]")

# Modules whose tests stand elsewhere than in `tests/unit` under their own name: the file, and why.
ELSEWHERE = {
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
    "engine/choices.py": ("tests/unit/cli/test_usage_errors.py", "a wrong value is an error"),
    "engine/lazy_gate.py": (
        "tests/unit/engine/test_trust_gate.py",
        "a gate is made and asked there",
    ),
    "remote/proto/bridge_pb2.py": (
        "tests/unit/remote/test_messages.py",
        "generated, and compared with its source by `make docs`",
    ),
    "remote/proto/bridge_pb2_grpc.py": ("tests/unit/remote/test_grpc_transport.py", "as above"),
    "adapters/answers.py": (
        "tests/unit/adapters/test_agent_hooks.py",
        "values without behaviour, which its methods return",
    ),
    "adapters/claude_agent_sdk.py": ("tests/adapters", "played in its framework, `make adapters`"),
    "adapters/langchain.py": ("tests/adapters", "as above"),
    "adapters/openai_agents.py": ("tests/adapters", "as above"),
    "adapters/openai_models.py": ("tests/adapters", "as above"),
    "adapters/openai_tools.py": ("tests/adapters", "as above"),
    "adapters/agent_sessions.py": (
        "tests/unit/adapters/test_pydantic_ai.py",
        "sessions are seen in runs",
    ),
    "core/dispatch.py": ("tests/plays", "the dispatcher is played, not called"),
    "core/plan.py": ("tests/plays/test_order.py", "an order is seen in a play"),
    "core/fold.py": ("tests/plays/test_folding.py", "and in tests/laws/test_stances_only_grow.py"),
    "engine/guarded_paths.py": ("tests/unit/guards/test_own_config.py", "by the guard that asks"),
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
    "templates": ("tests/unit/templates", "a template is tested by what its copy does"),
    "host": ("tests/unit/host", "a host is tested by the events of real runs"),
    "guards": ("tests/unit/guards", "a guard is tested by what it says about events"),
    "text/secrets": ("tests/guards/secrets", "what it finds is measured on a corpus"),
    "text/script": ("tests/unit/text/script/test_evaluate.py", "its parts read one text together"),
}


def name(path: Path) -> str:
    """A file by its path inside the repository."""
    return path.relative_to(ROOT).as_posix()


@cache
def read(path: Path) -> str:
    """The text of a file."""
    return path.read_text(encoding="utf-8")


def parse(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(read(path))


# -- sizes and sentences ---------------------------------------------------------------------------


def test_no_file_is_long() -> None:
    """A file near the cap is split before it is extended."""
    lengths = {path: len(read(path).splitlines()) for path in (*MODULES, *TESTS)}

    assert {name(path): length for path, length in lengths.items() if length > LONGEST} == {}


def test_a_module_opens_with_a_sentence() -> None:
    """It could be its whole documentation."""
    opening = {path: (ast.get_docstring(parse(path)) or "") for path in MODULES if read(path)}
    first = {path: text.partition("\n\n")[0].replace("\n", " ") for path, text in opening.items()}

    assert [
        name(path)
        for path, text in first.items()
        if not (text[:1].isupper() or text.startswith(("hookline", "docker-agent", "a3s", "`")))
        or not text.endswith((".", ":"))
    ] == []


def test_a_test_is_a_sentence() -> None:
    """Each test has a docstring that says what holds."""
    mute = [
        f"{name(path)}::{node.name}"
        for path in TESTS
        for node in parse(path).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
        and not (ast.get_docstring(node) or "").rstrip().endswith((".", "?"))
    ]

    assert mute == []


def test_no_test_sleeps_or_mocks() -> None:
    """Time is an argument, and fakes implement the real protocol."""
    assert [
        f"{name(path)}:{node.lineno}"
        for path in TESTS
        if _SUSPECT.search(read(path))
        for node in ast.walk(parse(path))
        if is_a_mock(node) or (is_a_sleep(node) and path != POLLS)
    ] == []


def is_a_mock(node: ast.AST) -> bool:
    """Whether a node imports or names what replaces any object."""
    mocks = {"mock", "unittest.mock", "MagicMock", "Mock", "patch"}
    named = {each.name for each in node.names} if isinstance(node, IMPORTS) else set()
    return bool(named & mocks) or (isinstance(node, ast.Attribute) and node.attr == "MagicMock")


def is_a_sleep(node: ast.AST) -> bool:
    """Whether a node lets a fixed time pass; `sleep(0)` does not."""
    return (
        isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith("sleep")
        and isinstance(node.args[0], ast.Constant)
        and bool(node.args[0].value)
    )


def test_no_test_reaches_into_another_package() -> None:
    """A test of a package may use what is private there, and that of no other package."""
    assert [
        f"{name(path)}:{node.lineno}: {node.module}"
        for path in TESTS
        if _PRIVATE.search(read(path))
        for node in ast.walk(parse(path))
        if isinstance(node, ast.ImportFrom)
        and any(each.name.startswith("_") for each in node.names)
        and str(node.module).startswith("hookline.")
        and str(node.module).split(".")[1] not in path.parts
    ] == []


# -- a test for each module ------------------------------------------------------------------------


def test_a_module_has_its_test() -> None:
    """Under its own name in `tests/unit`, or where a reasoned list says."""
    untested = []
    for path in MODULES:
        module = path.relative_to(SOURCE)
        own = ROOT / "tests/unit" / module.parent / f"test_{module.name}"
        whole = AS_A_WHOLE.get(module.parts[0]) or AS_A_WHOLE.get(module.parent.as_posix())
        listed = ELSEWHERE.get(module.as_posix()) or whole
        if path.name != "__init__.py" and not own.exists():
            elsewhere, reason = listed or ("", "")
            if not (elsewhere and reason and (ROOT / elsewhere).exists()):
                untested.append(name(path))

    assert untested == []


def test_the_lists_of_exceptions_are_not_longer_than_needed() -> None:
    """Every listed module exists, and has no test under its own name."""
    needless = [
        module
        for module in ELSEWHERE
        if (ROOT / "tests/unit" / Path(module).parent / f"test_{Path(module).name}").exists()
    ]

    assert needless == []
    assert [module for module in ELSEWHERE if not (SOURCE / module).exists()] == []
    assert [folder for folder in AS_A_WHOLE if not (SOURCE / folder).exists()] == []


# -- what is loaded --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        ("hookline", ("hookline.engine", "json", "re")),
        ("hookline.engine.engine",
            ("typing", "dataclasses", "re2", "regex", "ruamel", "asyncio", "threading",
                "subprocess", "inspect", "pathlib", "logging", "wcmatch", "tree_sitter")),
        ("hookline.cli.answer",
            ("typing", "dataclasses", "re2", "regex", "ruamel", "asyncio", "subprocess",
                "inspect")),
        ("hookline.cli.fire",
            ("typing", "dataclasses", "re2", "ruamel", "asyncio", "subprocess", "inspect",
                "pathlib", "argparse", "ipaddress")),
        ("hookline.trust.inspection",
            ("typing", "dataclasses", "re2", "subprocess", "pathlib", "tree_sitter", "shlex", "ast",
                "hookline.text.shell_syntax", "hookline.trust.resolver")),
        ("hookline.trust.gate",
            ("typing", "dataclasses", "re2", "subprocess", "pathlib", "sqlite3", "hashlib",
                "datetime")),
    ],
)  # fmt: skip
def test_a_module_is_loaded_without_what_it_may_never_need(
    module: str, unwanted: tuple[str, ...]
) -> None:
    """`hookline answer` starts for every tool call, so it loads heavy modules only on use."""
    code = (
        f"import sys; before = set(sys.modules); import {module}; "
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())

    assert {name for name in unwanted if name in loaded} == set()


# -- tables ----------------------------------------------------------------------------------------

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
# What a row may say beyond its kind: dialect, power, and the rows; "*" for all of them. Each with
# its reason.
BEYOND = {
    ("docker-agent", "deny"): ({"before_agent_run", "after_agent_complete"},
        "canonical events that the vocabulary lacks; they block (docs/formats/docker-agent.md 6)"),
    ("claude-code", "halt"): ({"*"},
        "`continue: false` is a field of every event's output (docs/formats/claude-code.md 7)"),
    ("claude-code", "watch"): ({"SessionStart"}, "`watchPaths` (docs/formats/claude-code.md 7)"),
    ("claude-code", "allow"): ({"PreModelSwitch"},
        "`permissionDecision` allow (docs/formats/claude-code.md 7)"),
    ("claude-code", "ask"): ({"PreModelSwitch"},
        "`permissionDecision` ask (docs/formats/claude-code.md 7)"),
    ("claude-code", "deny"): ({"Elicitation"}, "exit 2 declines (docs/formats/claude-code.md 7)"),
    ("cursor", "allow"): (
        {"beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "beforeTabFileRead",
            "subagentStart"},
        "a permission may be `allow` wherever there is one (docs/formats/cursor.md 5)"),
    ("cursor", "context"): ({"beforeShellExecution", "beforeMCPExecution"},
        "`agent_message` goes with every permission (docs/formats/cursor.md 5)"),
    ("codex", "halt"): ({"UserPromptSubmit", "SubagentStop", "PreCompact", "PostCompact"},
        "`continue: false` stops there, too (docs/formats/codex.md 5)"),
    ("a3s", "deny"): ({"*"}, "a handler may block any of its events (docs/formats/a3s.md 5)"),
    ("a3s", "retry"): ({"*"},
        "a handler may ask for a retry of any of its events (docs/formats/a3s.md 5)"),
    ("agenthooks", "deny"): ({"*"},
        "every output has a decision; it may be feedback only (docs/formats/agenthooks.md 2)"),
    ("agenthooks", "allow"): ({"*"},
        "a decision belongs to every output (docs/formats/agenthooks.md 8)"),
    ("copilot", "context"): ({"notification"},
        "`additionalContext` is put before the session's next message (docs/formats/copilot.md 5)"),
    ("gemini", "halt"): ({"BeforeAgent"},
        "`continue: false` ends the run there, too (docs/formats/gemini.md 4)"),
    ("qwen", "halt"): ({"PostToolBatch"}, "a block there stops the turn (docs/formats/qwen.md 5)"),
    ("hookline", "ask"): ({"*"},
        "a program that reads decisions can ask a person about whatever is yet to happen"),
    ("hookline", "deny"): ({"*"},
        "a program that reads decisions can refuse whatever is yet to happen"),
    ("agenthooks", "context"): ({"post-agent-turn"},
        "`additional_context` is honoured there (docs/formats/agenthooks.md 8)"),
}  # fmt: skip


def test_a_row_says_no_more_than_its_kind() -> None:
    """The kind's effects are the cap.

    What goes beyond is on a list, with the document that says so.
    """
    beyond = [
        (dialect.table.name, row.native, power)
        for dialect, row in ROWS
        for power in row.powers - kinds.kind(row.kind).powers - {"note"}
        if power not in OWN_WORDS.get(dialect.table.name, set())
    ]

    assert [
        (dialect, native, power)
        for dialect, native, power in beyond
        if not {"*", native} & BEYOND.get((dialect, power), (set(), ""))[0]
    ] == []


def test_a_row_is_of_a_kind_that_exists() -> None:
    """A canonical one, or one of the dialect's own."""
    own = {
        (id(dialect), row.native): kinds.unknown_kind(dialect.table.name, row.native)
        for dialect, row in ROWS
    }

    assert [
        (dialect.table.name, row.native)
        for dialect, row in ROWS
        if row.kind not in kinds.NAMES and row.kind != own[id(dialect), row.native]
    ] == []


# hookline's own rows follow from `events.json`, whose columns name some fields like the payload's
# base, and one rewrite's text `delta`.
OWN_COLUMNS = {"session.delete", "file.changed", "shell.before", "message.display"}


def test_a_rows_facts_reach_its_body() -> None:
    """A body has a field for each rewrite that its row can express, and sends no field twice."""
    rewrites = {"input", "output", "text", "messages", "summary"}
    for dialect, row in ROWS:
        if dialect.table.name == "hookline" and row.native in OWN_COLUMNS:
            continue
        natives = [field.native for field in (*dialect.table.base, *row.fields)]

        assert len(set(natives)) == len(natives), (dialect.table.name, row.native)
        assert rewrites & row.powers <= set(row.body.rewritable), (dialect.table.name, row.native)


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
