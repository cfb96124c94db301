"""What a person types into a chat, and what is answered: dialogues, one a row."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from hookline.chat import command
from hookline.chat.commands import append_hint
from hookline.engine.approval_service import switch_hooks
from hookline.engine.trust_gate import make_gate
from tests.unit.engine.workspaces import URL, Workspace

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    """A workspace with two hooks on one script, and an address."""
    return Workspace(tmp_path)


def said(place: Workspace, text: str) -> str:
    """The answer, with the workspace's path as `WS` and without times."""
    answer = command(
        text.replace("WS", str(place.root)),
        cwd=str(place.root),
        who="telegram:ada",
        environ=place.environ,
    )
    answer = answer.replace(str(place.root), "WS")
    return re.sub(r"\d{4}-\d\d-\d\d [\d:]{8} UTC", "THEN", re.sub(r"\d+\.\d\d s", "0 s", answer))


EDIT = object()  # the script is edited
FALSE = object()  # the file of the agent says that there are to be no hooks
TRUE = object()  # it says that there are to be hooks
READ = object()  # what that file then holds
GUARD = "WS/hooks/guard.sh"
LISTED = "hooks: ON\nconfig: WS/config/shell_hooks.yaml\n"
APPROVED = f"✓ approved: {GUARD}\nevents: pre_tool_call, on_user_message\nmounted: 2\n"
DIALOGUES: dict[str, list[tuple[object, ...]]] = {
    "at first nothing is approved": [
        ("/hooks", LISTED,
            f"pre_tool_call  {GUARD}\n  ✗ NOT approved (new): you have not approved it\n",
            f"on_stop  POST {URL}\n  ✗ NOT approved"),
        ("/hooks list", LISTED),
        ("/hooks@starbot list", LISTED),
        ("/Hooks LIST", LISTED),
        ("/hooks\nlist", LISTED),
        (" \t/HOOKS@starbot\n\nlist ", LISTED),
    ],
    "a command is approved on all of its events": [
        (f"/hooks approve {GUARD}", APPROVED, "covers: definition, WS/hooks/guard.sh"),
        ("/hooks list", f"on_user_message  {GUARD}\n  ✓ approved\n",
            f"POST {URL}\n  ✗ NOT approved"),
    ],
    "a command is approved on one event": [
        (f"/hooks approve on_user_message {GUARD}", "events: on_user_message\nmounted: 1\n"),
        ("/hooks", f"pre_tool_call  {GUARD}\n  ✗ NOT approved",
            f"on_user_message  {GUARD}\n  ✓ approved"),
    ],
    "an event may have its canonical name": [
        (f"/hooks approve tool.before {GUARD}", "events: pre_tool_call\n"),
    ],
    "a line may be broken anywhere": [
        (f"/hooks approve\n{GUARD}", APPROVED),
        (f"/hooks\nrevoke\n pre_tool_call\t{GUARD}", "✓ revoked: ", "events: pre_tool_call"),
    ],
    "what has no /hooks before it does nothing": [
        (f"approve {GUARD}", "A command begins with `/hooks`."),
        ("off", "A command begins with `/hooks`."),
        (f"please /hooks approve {GUARD}", "A command begins with `/hooks`."),
        (f"/hooks-approve {GUARD}", "A command begins with `/hooks`."),
        (f"/hooksapprove {GUARD}", "A command begins with `/hooks`."),
        ("/hooksfoo", "A command begins with `/hooks`."),
        ("", "A command begins with `/hooks`."),
        ("/hooks", "hooks: ON",
            f"pre_tool_call  {GUARD}\n  ✗ NOT approved (new): you have not approved it\n"),
    ],
    "quotes are taken off": [
        (f'/hooks approve pre_tool_call "{GUARD}"', "mounted: 1\n"),
        (f"/hooks revoke '{GUARD}'", "✓ revoked: "),
    ],
    "an address is approved as it is, or as it is shown": [
        (f"/hooks approve on_stop {URL}", f"✓ approved: POST {URL}\nevents: on_stop\nmounted: 1"),
        (f"/hooks revoke POST {URL}", f"✓ revoked: POST {URL}\nevents: on_stop"),
        ("/hooks", f"POST {URL}\n  ✗ NOT approved (revoked): you revoked its approval"),
    ],
    "a script that was edited is said to be so": [
        (f"/hooks approve {GUARD}", APPROVED),
        (EDIT,),
        ("/hooks", "✗ changed since approval",
            "approved on THEN by telegram:ada (chat)\n    `hooks/guard.sh` changed"),
        (f"/hooks approve {GUARD}", APPROVED),
        ("/hooks", f"{GUARD}\n  ✓ approved\n"),
    ],
    "off is off and on is on": [
        (f"/hooks approve {GUARD}", APPROVED),
        ("/hooks off", "hooks: OFF\n  hooks are switched off in this project (/hooks on)"),
        ("/hooks", "hooks: OFF\n"),
        (f"/hooks approve {GUARD}", "mounted: 0\n",
            "! hooks are switched off in this project (/hooks on)"),
        ("/hooks ON", "hooks: ON"),
    ],
    "what the agent's own file switches off is told, and turned on": [
        (f"/hooks approve {GUARD}", APPROVED),
        (FALSE,),
        ("/hooks",
            ("hooks: OFF\n  `shell_hooks.enabled` is not true in "
             "WS/config/agent.yaml:2 (/hooks on)\n"),
            (f"pre_tool_call  {GUARD}\n  ✓ approved\n"
             f"  - `shell_hooks.enabled` is not true in `WS/config/agent.yaml:2`\n")),
        (f"/hooks approve {GUARD}", "mounted: 0\n",
            "! `shell_hooks.enabled` is not true in `WS/config/agent.yaml:2` (/hooks on)"),
        ("/hooks doctor",
            (f"! pre_tool_call  {GUARD} (not tried)\n"
             f"  ! it is switched off: `shell_hooks.enabled` is not true in "
             f"`WS/config/agent.yaml:2` (/hooks on)\n")),
        ("/hooks on", "hooks: ON\n"),
        ("/hooks",
            (f"hooks: ON\nconfig: WS/config/shell_hooks.yaml\n\npre_tool_call  {GUARD}\n"
             f"  ✓ approved\n\n")),
    ],
    "the agent's own file says the same as the list": [
        (TRUE,),
        ("/hooks", "hooks: ON\n"),
        ("/hooks off",
            ("hooks: OFF\n  hooks are switched off in this project (/hooks on)\n"
             "  `shell_hooks.enabled` is not true in WS/config/agent.yaml:2 (/hooks on)")),
        (READ, "shell_hooks:\n  enabled: false # mine\n"),
        ("/hooks on", "hooks: ON\n"),
        (READ, "shell_hooks:\n  enabled: true # mine\n"),
    ],
    "only this project is switched": [
        ("/hooks off everywhere", "There is no `/hooks off everywhere`."),
        (f"/hooks on {GUARD}", "There is no `/hooks on WS/hooks/guard.sh`.",
            "/hooks on | /hooks off"),
    ],
    "an event that is none is part of the command": [
        (f"/hooks approve pre_tool_use {GUARD}",
            f"✗ HKL3011 no hook is declared with command `pre_tool_use {GUARD}`"),
        ("/hooks approve python3 /bin/true",
            "✗ HKL3011 no hook is declared with command `python3 /bin/true`"),
    ],
    "what is not declared is not approved": [
        ("/hooks approve /bin/true", "✗ HKL3011 no hook is declared with command `/bin/true`"),
        ("/hooks approve hooks/guard.sh", "✗ HKL3011"),
        (f"/hooks approve on_stop {GUARD}", "✗ HKL3011"),
        (f"/hooks approve {GUARD}; rm -rf /", "✗ HKL3011"),
        (f"/hooks approve $(echo {GUARD})", "✗ HKL3011"),
        ("/hooks revoke nothing", "✗ HKL3011"),
    ],
    "without a command there is nothing to do": [
        ("/hooks approve", "Approve what?", "/hooks approve <event>"),
        ("/hooks revoke ", "Revoke what?"),
    ],
    "what is no command is answered by the usage": [
        ("/hooks help", "/hooks doctor - ", "No ready-made scripts come with this version"),
        ("/hooks aprove x", "There is no `/hooks aprove x`.", "/hooks approve <command>"),
        ("/hooks \x1b[31mred", "There is no `/hooks \\x1b[31mred`."),
        ("/hooks approve 'open", "✗ HKL3011 no hook is declared with command `'open`"),
        ("/hooks " + "x" * 10_000, "There is no `/hooks xxx"),
        ("/hooks \ud800", "There is no"),
    ],
    "a doctor tries what is approved, and nothing else": [
        ("/hooks doctor", f"pre_tool_call  {GUARD} (not tried)", "you have not approved it",
            f"(look at it, then: /hooks approve {GUARD})"),
        (f"/hooks approve pre_tool_call {GUARD}", "mounted: 1\n"),
        ("/hooks doctor", f"pre_tool_call  {GUARD} (tried, 0 s)",
            f"on_user_message  {GUARD} (not tried)", f"POST {URL} (not tried)"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("lines", DIALOGUES.values(), ids=DIALOGUES)
def test_a_dialogue(lines: list[tuple[object, ...]], place: Workspace) -> None:
    """Each answer has these texts in it."""
    for asked, *expected in lines:
        if asked is EDIT:
            place.write("guard.sh", "edited")
            continue
        if asked is FALSE:
            (place.yaml.parent / "agent.yaml").write_text(
                "shell_hooks:\n  enabled: false\n", encoding="utf-8"
            )
            continue
        if asked is TRUE:
            (place.yaml.parent / "agent.yaml").write_text(
                "shell_hooks:\n  enabled: true # mine\n", encoding="utf-8"
            )
            continue
        if asked is READ:
            assert [(place.yaml.parent / "agent.yaml").read_text(encoding="utf-8")] == expected
            continue
        answer = said(place, str(asked))
        assert [text for text in expected if str(text) not in f"{answer}\n"] == [], answer


def test_a_running_engine_takes_it_at_its_next_event(place: Workspace) -> None:
    """Without a restart: the engine reads files and approvals again."""
    engine = place.engine()
    new = place.write("new.sh", "brand new")
    place.declare({"event": "pre_tool_call", "command": str(new)})

    assert "mounted: 1" in command(f"/hooks approve {new}", engine=engine, who="web:bob")
    assert place.call(engine).reason == "brand new"
    assert command("/hooks off", engine=engine).startswith("hooks: OFF")
    assert place.call(engine).reason == ""
    command("/hooks on", engine=engine)
    assert "✓ revoked" in command(
        f"/hooks revoke {new}", cwd=str(place.root), environ=place.environ
    )
    assert place.call(engine).reason == ""
    assert [(note["did"], note["who"], note["how"]) for note in place.note_approvals()] == [
        ("approved", "web:bob", "chat"),
        ("off", "ada", "chat"),
        ("on", "ada", "chat"),
    ]


def test_an_approval_in_a_chat_is_in_the_journal(place: Workspace) -> None:
    """It names the user of the chat, also if no engine runs."""
    from hookline.journal.search import (  # noqa: PLC0415 - only this test reads it
        Query,
        Search,
    )

    said(place, f"/hooks approve pre_tool_call {GUARD}")
    search = Search(str(place.home / ".local/state/hookline/journal"))
    (note,) = search.events(Query(event="approval"))

    assert (note["did"], note["who"], note["how"], note["native"]) == (
        "approved",
        "telegram:ada",
        "chat",
        "pre_tool_call",
    )


def test_a_hook_that_is_broken_is_listed(place: Workspace) -> None:
    """The list says why."""
    place.declare({"event": "on_stop", "command": "'open"}, {"event": "on_stopp", "command": "x"})

    answer = said(place, "/hooks")

    assert "  ✗ broken: WS/config/shell_hooks.yaml:1:33: the command cannot be split" in answer
    assert "! WS/config/shell_hooks.yaml" in answer
    assert "HKL1203 unknown event `on_stopp`" in answer


def test_a_file_that_cannot_be_read_stands_once(place: Workspace) -> None:
    """The list has it once for all events."""
    place.yaml.write_text("hooks: [", encoding="utf-8")

    for asked in ("/hooks", "/hooks doctor"):
        answer = said(place, asked)
        assert len(re.findall(r"(?m)^(?:✗ )?\w+ and \d+ more  shell_hooks.yaml", answer)) == 1, (
            answer
        )
        assert len(re.findall(r"(?m)^  ✗ (?:broken|it could not be loaded): ", answer)) == 1, answer


def test_a_hook_that_cannot_be_started_cannot_be_approved(place: Workspace) -> None:
    """An approved hook that can no longer start has changed."""
    place.guard.chmod(0o644)
    answer = said(place, f"/hooks approve {GUARD}")
    assert answer.startswith("✗ HKL3005 ")
    assert (
        "`hooks/guard.sh` is not executable (there is nothing to approve yet: mend it, then run "
        "`/hooks approve " in answer
    )

    place.guard.chmod(0o755)
    said(place, f"/hooks approve {GUARD}")
    place.guard.chmod(0o644)
    listed = said(place, "/hooks")
    assert listed.count("✗ changed since approval: `hooks/guard.sh` is not executable") == 2
    assert "✓" not in listed
    assert (
        said(place, "/hooks doctor").count(
            "✗ `WS/hooks/guard.sh` is not executable (chmod +x WS/hooks/guard.sh)"
        )
        == 2
    )


def test_a_doctor_lists_the_findings_of_each_hook(place: Workspace) -> None:
    """Each hook has its own list, also if another has the same findings."""
    place.declare(
        *(
            {"event": "pre_tool_call", "matcher": name, "command": "make lint"}
            for name in ("a", "b")
        ),
        {"event": "on_stop", "command": "gone"},
    )

    answer = said(place, "/hooks doctor")

    assert answer.count("an approval does not cover all that it runs: make") == 2
    assert re.search(r"on_stop  gone [^\n]*\n  ✗ ", answer)


def test_two_hooks_are_told_apart_by_what_they_match(place: Workspace) -> None:
    """They run the same command on the same event."""
    place.declare(
        *(
            {"event": "pre_tool_call", "matcher": text, "command": str(place.guard)}
            for text in ("rm -rf", "mkfs")
        )
    )

    heads = [
        line for line in said(place, "/hooks").splitlines() if line.startswith("pre_tool_call")
    ]

    assert ("`rm -rf`" in heads[0], "`mkfs`" in heads[1]) == (True, True)
    assert all(line.endswith(GUARD) for line in heads)
    assert [
        line.count("`rm -rf`")
        for line in said(place, "/hooks doctor").splitlines()
        if "pre_tool_call" in line
    ] == [1, 0]


def test_policy_that_still_runs_is_told(place: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """All other hooks are off; policy cannot be switched off."""
    monkeypatch.setattr(
        "hookline.trust.state.States.is_managed", lambda _, spec: spec.native_event == "on_stop"
    )

    told = f"  policy, which no switch reaches, still runs: POST {URL}"
    assert told in said(place, "/hooks off")
    assert told in said(place, "/hooks")


def test_a_switch_above_is_told_with_its_folder(place: Workspace) -> None:
    """A switch of a folder holds for all folders in it."""
    switch_hooks(make_gate(place.root.parent, place.environ), None, on=False)

    assert f"hooks are switched off in `{place.root.parent}`, in which this project lies" in said(
        place, "/hooks on"
    )


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ("look at it, then: hookline approve", "look at it, then: /hooks approve make lint"),
        ("hookline on --global", "hookline on --global"),
        ("hookline approve -n shows what changed", "/hooks list shows what changed"),
        ("say `x`, or use `--mode strict`", "say `x`, or use `--mode strict`"),
        ("chmod +x guard.sh", "chmod +x guard.sh"),
        ("make it faster", "make it faster"),
    ],
)
def test_a_hint_is_for_a_person_without_a_shell(own: str, said: str) -> None:
    """A command that the chat has is translated; any other stays."""
    assert append_hint("it", own, "make lint") == f"it ({said})"


def test_an_empty_list_says_how_to_declare_one(place: Workspace) -> None:
    """A user without hooks may want some."""
    place.yaml.unlink()

    answer = said(place, "/hooks")

    assert answer.startswith("hooks: ON\n\nNo hooks here.\n")
    assert "- event: pre_tool_call\n    command: /absolute/path/to/guard.py" in answer


def test_a_store_that_cannot_be_read_is_said(place: Workspace) -> None:
    """The command raises nothing."""
    store = place.home / ".local/state/hookline"
    store.parent.mkdir(parents=True)
    store.write_bytes(b"no folder")

    for asked in (f"/hooks approve {GUARD}", "/hooks list", "/hooks off"):
        assert said(place, asked).startswith("✗ HKL30")
    assert str(store) in said(place, "/hooks doctor")


def test_the_doctor_warns_of_approvals_without_a_token(place: Workspace) -> None:
    """A setting lets programs of this machine approve hooks without a token."""
    path = place.home / ".config/hookline/settings.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[trust]\nself_approve = true\n", encoding="utf-8")

    assert (
        said(place, "/hooks doctor").count(
            "! `trust.self_approve` lets every program of this machine approve hooks "
            "without a token"
        )
        == 1
    )


def test_wrong_settings_are_said(place: Workspace) -> None:
    """The answer names their place."""
    path = place.home / ".config/hookline/settings.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[trust]\nchanged = 'sometimes'\n", encoding="utf-8")

    assert "`sometimes`" in said(place, "/hooks")
