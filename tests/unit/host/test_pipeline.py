"""Tool calls through hooks, rules and the person (docs/formats/docker-agent.md 6)."""

from __future__ import annotations

import json

import pytest

from tests.unit.host.play import Face, Play, agent, command_hook, shell, write_script

pytestmark = pytest.mark.process
ALLOW = {"allow": ["shell"]}


def answer(**fields: object) -> dict[str, object]:
    """Return a hook that prints fields of `hook_specific_output`."""
    document = json.dumps({"hook_specific_output": fields})
    return command_hook(f"printf '%s' '{document}'")


def refuse(reason: str) -> dict[str, object]:
    return command_hook(f"echo {reason} >&2; exit 2")


def play(folder, hooks, *steps, permissions=None, face=None, **rest):
    """Play some steps with hooks of tools, and return the play."""
    write_script(folder, *steps, "Done.")
    groups = {
        event: [{"matcher": "shell", "hooks": [hook], **more}]
        for event, (hook, more) in hooks.items()
    }
    made = Play(folder, {"root": agent(hooks=groups, **rest)}, permissions=permissions or {})
    made.run(face=face)
    return made


def sources(made: Play) -> list[str]:
    return [each["approval_source"] for each in made.payloads("on_tool_approval_decision")]


def test_a_transform_changes_the_input(tmp_path):
    """The tool, the later hooks and the person see the new input."""
    made = play(
        tmp_path,
        {"tool_input_transform": (answer(updated_input={"cmd": "echo two"}), {})},
        shell("echo one"),
        permissions=ALLOW,
    )

    for event in ("tool_guard", "pre_tool_use:default", "post_tool_use"):
        assert made.payloads(event)[0]["tool_input"] == {"cmd": "echo two"}, event
    assert made.payloads("post_tool_use")[0]["tool_response"] == "[stdout]\ntwo\n"
    [changed] = made.shown("tool.rewritten")
    assert (changed["before"], changed["after"]) == ({"cmd": "echo one"}, {"cmd": "echo two"})


def test_a_rewrite_that_the_rules_deny(tmp_path):
    """The rules judge the new input."""
    made = play(
        tmp_path,
        {"tool_input_transform": (answer(updated_input={"cmd": "touch made"}), {})},
        shell("echo one"),
        permissions={"allow": ["shell"], "deny": ["shell:cmd=touch*"]},
    )

    assert sources(made) == ["team_permissions_deny"]
    assert not (made.work / "made").exists()


def test_a_transform_refuses(tmp_path):
    """No guard is asked then."""
    made = play(tmp_path, {"tool_input_transform": (refuse("no"), {})}, shell("touch made"),
                permissions=ALLOW)  # fmt: skip

    assert sources(made) == ["tool_input_transform_deny"]
    assert "tool_guard" not in made.names
    [refused] = made.shown("tool.refused")
    assert refused["reason"] == (
        "The tool call was rejected by a tool_input_transform hook. Reason: no"
    )


@pytest.mark.parametrize("safety", ["autonomous", ""])
def test_a_guard_that_asks_always_prompts(tmp_path, safety):
    """Neither the mode nor a rule answers for the person, and no hook of `permission_request`."""
    face = Face("approve", "reject")
    made = play(
        tmp_path,
        {
            "tool_guard": (
                answer(permission_decision="ask", permission_decision_reason="sure?",
                       metadata={"risk": "high"}), {},
            ),
            "permission_request": (answer(permission_decision="allow"), {}),
        },
        shell("touch one"), shell("touch two"),
        permissions=ALLOW, face=face, safety=safety,
    )  # fmt: skip

    assert sources(made) == ["user_approved", "user_rejected"]
    assert "permission_request" not in made.names
    assert face.questions[0].facts["risk"] == "high"
    assert face.questions[0].reason == "sure?"
    assert (made.work / "one").exists()
    assert not (made.work / "two").exists()


def test_a_guard_that_asks_and_no_person(tmp_path):
    """It is a denial, also under `autonomous`."""
    made = play(tmp_path, {"tool_guard": (answer(permission_decision="ask"), {})},
                shell("touch made"), permissions=ALLOW, safety="autonomous")  # fmt: skip

    assert sources(made) == ["non_interactive_deny"]
    assert not (made.work / "made").exists()


def test_a_guard_denies_under_autonomous(tmp_path):
    """The mode skips no guard."""
    made = play(tmp_path, {"tool_guard": (refuse("never"), {})}, shell("touch made"),
                safety="autonomous")  # fmt: skip

    assert sources(made) == ["tool_guard_deny"]
    assert "pre_tool_use:default" not in made.names


def test_the_preempt_lane(tmp_path):
    """Its hooks run in that lane only, and ask also under `autonomous`."""
    count = command_hook(
        """echo x >> ran; printf '%s' '{"hook_specific_output": {"permission_decision": "ask"}}'"""
    )
    made = play(
        tmp_path,
        {"pre_tool_use": (count, {"preempt_yolo": True})},
        shell("touch one"), shell("touch one"), shell("touch two"),
        safety="autonomous", face=Face("approve-tool", "reject"),
    )  # fmt: skip

    assert sources(made) == [
        "user_approved_tool", "session_permissions_allow", "session_permissions_allow",
    ]  # fmt: skip
    assert (made.work / "ran").read_text() == "x\n" * 3
    assert "permission_request" not in made.names


def test_a_grant_of_a_preempt_ask_covers_no_other_command(tmp_path):
    """Another program is another question."""
    made = play(
        tmp_path,
        {"pre_tool_use": (answer(permission_decision="ask"), {"preempt_yolo": True})},
        shell("touch one"), shell("mkdir two"),
        safety="autonomous", face=Face("approve-tool", "reject"),
    )  # fmt: skip

    assert sources(made) == ["user_approved_tool", "user_rejected"]


@pytest.mark.parametrize(
    ("hook", "source", "ran"),
    [
        (answer(permission_decision="allow"), "permission_request_hook_allow", True),
        (answer(permission_decision="deny", permission_decision_reason="no"),
         "permission_request_hook_deny", False),
        (answer(permission_decision="ask"), "user_approved", True),
        (refuse("no"), "permission_request_hook_deny", False),
    ],
)  # fmt: skip
def test_a_hook_answers_for_the_person(tmp_path, hook, source, ran):
    """Only what it leaves open is the person's to decide."""
    made = play(tmp_path, {"permission_request": (hook, {})}, shell("touch made"),
                face=Face("approve"))  # fmt: skip

    assert sources(made) == [source]
    assert (made.work / "made").exists() == ran
    if not ran:
        [refused] = made.shown("tool.refused")
        assert refused["reason"] == (
            "The tool call was rejected by a permission_request hook. Reason: no"
        )


def test_a_grant_of_the_session(tmp_path):
    """The person is asked once, and later calls run by the grant."""
    face = Face("approve-tool", "reject")
    made = play(tmp_path, {}, shell("touch one"), shell("touch two"), shell("mkdir three"),
                face=face)  # fmt: skip

    assert sources(made) == ["user_approved_tool", "session_permissions_allow", "user_rejected"]
    assert len(face.questions) == 2


@pytest.mark.parametrize(
    ("mode", "safe", "other"),
    [
        ("autonomous", "yolo", "yolo"),
        ("balanced", "mode_balanced", "non_interactive_deny"),
        ("restricted", "mode_restricted", "mode_restricted"),
        ("strict", "non_interactive_deny", "non_interactive_deny"),
        ("", "non_interactive_deny", "non_interactive_deny"),
    ],
)
def test_the_modes(tmp_path, mode, safe, other):
    """Each mode has its own answer to a call that no rule names."""
    rest = {"safety": mode} if mode else {}
    made = play(tmp_path, {}, shell("ls"), shell("touch made"), **rest)

    assert sources(made) == [safe, other]
    labels = [each["safety_label"] for each in made.payloads("on_tool_approval_decision")]
    assert labels == ["safe", "unknown"]
    shown = {each.get("safety_policy") for each in made.payloads("tool_guard")}
    assert shown == {mode or None}
    assert (made.work / "made").exists() == (mode == "autonomous")


@pytest.mark.parametrize(("reply", "mode"), [
    ("approve-autonomous", "autonomous"), ("approve-balanced", "balanced"),
])  # fmt: skip
def test_the_person_changes_the_mode(tmp_path, reply, mode):
    """Later calls are decided by the new mode."""
    made = play(tmp_path, {}, shell("touch one"), shell("ls"), face=Face(reply))

    after = {"autonomous": "yolo", "balanced": "mode_balanced"}[mode]
    assert sources(made) == [f"user_approved_{mode}", after]
    assert made.session.mode == mode


def test_a_read_only_tool_needs_no_question(tmp_path):
    """Without a mode, what only reads runs."""
    made = play(tmp_path, {}, ("list_directory", {"path": "."}))

    assert sources(made) == ["readonly_hint"]


def test_a_response_transform_changes_what_the_model_reads(tmp_path):
    """The later hooks, the person and the model see the new result."""
    made = play(
        tmp_path,
        {"tool_response_transform": (answer(updated_tool_response="kept secret"), {})},
        shell("echo secret"),
        permissions=ALLOW,
    )

    assert made.payloads("tool_response_transform")[0]["tool_response"] == "[stdout]\nsecret\n"
    assert made.payloads("post_tool_use")[0]["tool_response"] == "kept secret"
    [done] = made.shown("tool.done")
    assert done["text"] == "kept secret"
    asked = made.payloads("before_llm_call")[1]["messages"]
    assert asked[-1]["content"] == "kept secret"


def test_an_empty_response_is_a_value(tmp_path):
    """A hook may remove the whole result."""
    made = play(tmp_path, {"tool_response_transform": (answer(updated_tool_response=""), {})},
                shell("echo secret"), permissions=ALLOW)  # fmt: skip

    assert made.payloads("post_tool_use")[0]["tool_response"] == ""
    assert "secret" not in json.dumps(made.payloads("before_llm_call")[1]["messages"][-1])


def test_a_failed_call_stays_failed_when_its_response_is_changed(tmp_path):
    """A hook changes the text only."""
    made = play(tmp_path, {"tool_response_transform": (answer(updated_tool_response="x"), {})},
                shell("exit 3"), permissions=ALLOW)  # fmt: skip

    [payload] = made.payloads("post_tool_use")
    assert (payload["tool_response"], payload["tool_error"]) == ("x", True)


def test_a_rewrite_of_pre_tool_use_is_checked_again(tmp_path):
    """The guard sees the new input once, and what it denies does not run."""
    judge = command_hook('[ "$(jq -r .tool_input.cmd)" = "touch made" ] && exit 2; exit 0')
    made = play(
        tmp_path,
        {
            "tool_guard": (judge, {}),
            "pre_tool_use": (answer(updated_input={"cmd": "touch made"}), {}),
        },
        shell("echo one"),
        permissions=ALLOW,
    )

    assert made.names.count("tool_guard") == 2
    assert made.names.count("pre_tool_use:default") == 1
    assert sources(made) == ["tool_guard_deny"]
    assert not (made.work / "made").exists()


def test_an_unknown_tool_has_no_hooks(tmp_path):
    """The model reads that there is none, and goes on."""
    made = play(tmp_path, {}, ("no_such_tool", {}), permissions=ALLOW)

    assert "tool_guard" not in made.names
    assert "no_such_tool" in made.payloads("before_llm_call")[1]["messages"][-1]["content"]
    assert made.payloads("turn_end")[-1] == {"reason": "normal"}


@pytest.mark.parametrize("arguments", ["no json", "[1]", {"command": "ls"}, {}])
def test_a_call_with_bad_arguments(tmp_path, arguments):
    """The model reads what is wrong, and goes on."""
    made = play(tmp_path, {}, ("shell", arguments), permissions=ALLOW)

    assert made.payloads("turn_end")[-1] == {"reason": "normal"}
    assert "tool_response_transform" not in made.names


def test_a_rewrite_to_an_input_that_the_tool_refuses(tmp_path):
    """The result is a failure, not the end of the run."""
    made = play(tmp_path, {"tool_input_transform": (answer(updated_input={"cmd": 5}), {})},
                shell("echo one"), permissions=ALLOW)  # fmt: skip

    assert made.payloads("turn_end")[-1] == {"reason": "normal"}
    [payload] = made.payloads("post_tool_use")
    assert payload["tool_error"] is True


def test_the_calls_of_a_batch_after_a_halt(tmp_path):
    """A call that waits for its turn does not run any more."""
    halt = command_hook('[ "$(jq -r .tool_input.cmd)" = "echo one" ] && exit 2; exit 0')
    slow = command_hook(
        'if [ "$(jq -r .tool_input.cmd)" = "touch made" ]; then sleep 0.5; fi; exit 0'
    )
    write_script(tmp_path, [shell("echo one"), shell("touch made")], "Never.")
    made = Play(
        tmp_path,
        {"root": agent(hooks={
            "post_tool_use": [{"matcher": "*", "hooks": [halt]}],
            "tool_guard": [{"matcher": "*", "hooks": [slow]}],
        })},
        permissions=ALLOW,
    )  # fmt: skip

    result = made.run()

    assert result.reason == "hook_blocked"
    assert not (made.work / "made").exists()
    texts = [each["text"] for each in made.shown("tool.done")]
    assert texts == ["[stdout]\none\n"]
