"""Hooks as documents."""

from __future__ import annotations

import pytest

import hookline
from hookline.cli.hook_documents import (
    describe_handler,
    list_in_order,
    make_hook_document,
    make_hooks_document,
)
from hookline.engine.explain import explain
from hookline.model.frozen import Frozen
from hookline.model.spec import Broken, Builtin, Command, HookSpec, Http, InProcess, Model

CLAUDE = {
    "PreToolUse": [
        {"matcher": "Bash", "hooks": [{"type": "command", "command": "guard"}]},
        {"matcher": "Read", "hooks": [{"type": "command", "command": "guard"}]},
    ]
}


def docker(hooks: object, **settings: object) -> hookline.Engine:
    """An engine with these hooks."""
    return hookline.Engine.from_config({"hooks": hooks}, dialect="docker-agent", **settings)


def test_equal_hooks_are_all_listed() -> None:
    """The event decides which of them runs."""
    engine = hookline.Engine.from_config({"hooks": CLAUDE}, dialect="claude-code")

    assert len([spec for spec in list_in_order(engine) if spec.kind == "tool.before"]) == 2


def test_a_broken_hook_stays_in_its_place() -> None:
    """The list says why it is broken."""
    document = make_hooks_document(
        docker({"stop": [{"type": "comand"}, {"type": "command", "command": "x"}]}), lambda _: True
    )

    assert [hook["state"] for hook in document["hooks"]] == ["broken", "ready"]
    assert "comand" in document["hooks"][0]["why"]


def test_an_untrusted_hook_is_listed() -> None:
    """The list says that it does not run."""
    document = make_hooks_document(
        docker({"stop": [{"type": "command", "command": "x"}]}, trust="none"), lambda _: True
    )

    assert [(hook["state"], hook["trusted"]) for hook in document["hooks"]] == [("new", False)]


def test_a_secret_in_the_environment_is_not_shown() -> None:
    """The document has the names of variables, and a fingerprint of the definition."""
    engine = docker({"stop": [{"type": "command", "command": "x", "env": {"TOKEN": "s3cret"}}]})

    document = make_hook_document(engine, next(list_in_order(engine)))

    assert document["handler"]["env"] == ["TOKEN"]
    assert "s3cret" not in str(document)
    assert len(document["identity"]) == 64


def test_an_address_is_listed_as_it_is_called() -> None:
    """The document names the variable of the key, and never holds the key."""
    entry = {
        "event": "on_stop",
        "type": "http",
        "url": "https://policy.example/hook",
        "secret_env": "KEY",
    }
    engine = hookline.Engine.from_config(
        {"hooks": [entry]}, dialect="starchild", environ={"KEY": "s3cret"}
    )
    document = make_hook_document(engine, next(list_in_order(engine)))

    assert (document["runs"], document["state"]) == ("POST https://policy.example/hook", "ready")
    assert document["handler"] == {
        "type": "http", "url": "https://policy.example/hook", "method": "POST", "headers": [],
        "env": [], "secret": "KEY", "allow_local": False, "largest": 0, "fills_body": False,
    }  # fmt: skip
    assert "s3cret" not in str(document)


def test_a_python_hook_is_listed_too() -> None:
    """It has its function's name."""
    engine = hookline.Engine()
    engine.on("tool.before", tool="bash")(_guard)

    document = make_hooks_document(engine, lambda _: True)

    assert [(hook["hook"], hook["when"], hook["runs"]) for hook in document["hooks"]] == [
        ("python#_guard", ["the tool is `bash`"], "python _guard")
    ]


def _guard(event: object) -> None:
    """Say nothing."""


class Odd(Frozen):
    """A value that JSON does not know."""

    part: str = "x"


def test_facts_are_what_json_can_say() -> None:
    """Also if a dialect adds values of its own types."""
    engine = docker({"stop": [{"type": "command", "command": "x"}]})
    spec = next(list_in_order(engine))

    document = make_hook_document(
        engine,
        spec.replace(
            facts={"a": (1, None), "b": {"c": frozenset({"d"})}, "e": Odd(), "f": "one\ntwo"}
        ),
    )

    assert document["facts"] == {
        "a": [1, None],
        "b": {"c": ["d"]},
        "e": "Odd(part='x')",
        "f": "one\ntwo",
    }


SWITCHES = [
    ("claude-code", {"disableAllHooks": False}, "PreToolUse"),
    ("claude-code", {"allowedHttpHookUrls": ["https://*"]}, "PreToolUse"),
    ("gemini", {"hooksConfig": {"enabled": True}}, "BeforeTool"),
    ("codex", {"hooks": {"state": {"x": {"enabled": False}}}}, "PreToolUse"),
]


@pytest.mark.parametrize(("dialect", "tree", "native"), SWITCHES)
def test_a_switch_is_no_hook(dialect: str, tree: dict[str, object], native: str) -> None:
    """What a file says about other hooks is neither listed nor explained."""
    engine = hookline.Engine().add_source(tree, dialect=dialect, scope="user")
    explained = explain(
        engine,
        engine.event(native, {"tool_name": "Bash", "tool_input": {}}, dialect=dialect),
        run=False,
    )

    assert len(engine.snapshot.sources[0].loaded.specs) == 1
    assert list(list_in_order(engine)) == explained["hooks"] == []
    assert [source["hooks"] for source in explained["sources"]] == [0]


_SPEC = HookSpec(id="a", dialect="x", kind="stop", native_event="stop", handler=Command())
HANDLERS = [
    (Command(script="one\ntwo"), "one …"),
    (Command(script="\n one"), "one"),
    (Command(argv=("a", "b")), "a b"),
    (Http(url="https://policy.example/hook"), "POST https://policy.example/hook"),
    (Model(names=("openai/m",), prompt="\nIs it safe?\nSay so."), "model openai/m: Is it safe? …"),
    (Model(names=("$ONE", "x/m"), prompt="Safe?"), "model $ONE, or x/m: Safe?"),
    (Model(names=("$ONE", "$TWO", "x/m"), prompt="Safe?"), "model $ONE, or $TWO, or x/m: Safe?"),
    (
        Model(
            names=("acme/m",),
            prompt="Safe?",
            base_url="https://llm.example/v1?team=secret",
            key="ACME_KEY",
        ),
        "model acme/m at `https://llm.example`: Safe?",
    ),
    (Builtin(name="add_date", args=("x",)), "builtin add_date x"),
    (InProcess(call=print, name="guard"), "python guard"),
    (Broken(reason="why"), "nothing: why"),
]


@pytest.mark.parametrize(
    ("handler", "said"), HANDLERS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_handler_is_a_line(handler: object, said: str) -> None:
    """For a command it is the first line."""
    assert describe_handler(_SPEC.replace(handler=handler)) == said  # type: ignore[arg-type]  # each of the union
