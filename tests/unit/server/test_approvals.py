"""Who may have a hook approved by a request, what for, and from when on does it run?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hookline.errors import CodecError
from hookline.server.approvals import Approvals, read_approval
from hookline.server.responses import APPROVE as PATH
from hookline.server.responses import RequestError
from tests.unit.engine.workspaces import URL, Workspace
from tests.unit.server.support import PATIENCE, TOKEN, Place, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from starlette.types import Scope

    from tests.unit.server.support import Answer, Served

BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    """A workspace with two hooks on one script, and an address."""
    return Workspace(tmp_path / "person")


@pytest.fixture
def server(place: Workspace, tmp_path: Path) -> Iterator[Served]:
    """A server on this workspace."""
    with served(place.engine(), tmp_path) as running:
        yield running


@pytest.fixture(scope="module")
def refusing_place(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The same, of which nothing is approved."""
    return Workspace(tmp_path_factory.mktemp("refusing") / "person")


@pytest.fixture(scope="module")
def refusing(
    refusing_place: Workspace, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """A server on that workspace, for many requests that it refuses."""
    with served(refusing_place.engine(), tmp_path_factory.mktemp("refusing")) as running:
        yield running


def ask(at: Place, body: Any, **headers: str) -> Answer:
    """Ask with the token, on either socket."""
    return at.ask("POST", PATH, body, **{**BEARER, **headers})


def test_a_command_that_means_two_things_is_not_approved(server: Served, place: Workspace) -> None:
    """The reply names both hooks."""
    command = f"{place.root}/hooks/a b.sh"
    place.write("a b.sh", "no")
    place.declare(
        {"event": "pre_tool_call", "command": command},
        {"event": "on_stop", "command": f"'{command}'"},
    )
    answer = ask(server.tcp, {"command": command})

    assert (answer.status, answer.document["ok"], answer.document["code"]) == (
        400,
        False,
        "HKL3019",
    )
    assert f"`'{command}'`" in answer.document["error"]


# -- the format's own words ------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["tcp", "unix"])
def test_a_declared_command_is_approved_for_all_of_its_events(
    way: str, server: Served, place: Workspace
) -> None:
    """The reply has the format's keys: events, number of mounted hooks, master switch."""
    answer = ask(getattr(server, way), {"command": str(place.guard)})

    assert (answer.status, answer.document) == (
        200, {"ok": True, "events": ["pre_tool_call", "on_user_message"], "mounted": 2,
            "master_enabled": True},
    )  # fmt: skip
    assert ask(server.tcp, {"command": URL}).document["events"] == ["on_stop"]
    (first, *_) = place.note_approvals()
    assert (first["did"], first["who"], first["command"]) == ("approved", "ada", str(place.guard))
    assert (
        first["how"]
        == f"approve API, the token, from {'127.0.0.1' if way == 'tcp' else 'a unix socket'}"
    )


def test_from_script_to_guard_without_a_restart(server: Served, place: Workspace) -> None:
    """Declare a script and approve it by a request, and it blocks.

    Edited, it asks until it is approved again.
    """
    engine = server.service.engine
    new = place.write("new.sh", "brand new")
    place.declare({"event": "pre_tool_call", "command": str(new)})
    assert place.call(engine).reason == ""

    assert ask(server.tcp, {"command": str(new)}).document["mounted"] == 1
    assert place.call(engine).reason == "brand new"
    fired = server.tcp.fire(
        "pre_tool_call",
        {"tool_name": "bash", "tool_input": {"command": "rm -rf /"}, "cwd": str(place.root)},
        dialect="starchild",
    )
    assert (fired.document["stance"], fired.document["reason"]) == ("deny", "brand new")

    place.write("new.sh", "edited")
    changed = place.call(engine)
    assert "because `hooks/new.sh` changed. To review it: `hookline approve`" in changed.reason
    assert changed.verdicts[0].fault == "changed since it was approved: `hooks/new.sh` changed"

    assert ask(server.unix, {"command": str(new)}).status == 200
    assert place.call(engine).reason == "edited"


def test_the_master_switch_is_turned_on_unless_it_is_not_to_be(
    server: Served, place: Workspace
) -> None:
    """Then the hook is approved, and not live, which is said."""
    # Only this row needs it.
    from hookline.engine.approval_service import switch_all  # noqa: PLC0415

    switch_all(server.service.engine, on=False, who="ada", how="test")
    kept = ask(server.tcp, {"command": str(place.guard), "enable_master": False}).document
    turned = ask(server.tcp, {"command": str(place.guard)}).document
    switch_all(server.service.engine, on=False, everywhere=True, who="ada", how="test")
    elsewhere = ask(server.tcp, {"command": str(place.guard)}).document

    assert (kept["mounted"], kept["master_enabled"], kept["note"]) == (
        0,
        False,
        "hooks are switched off in this project (hookline on)",
    )
    assert (turned["mounted"], turned["master_enabled"], "note" in turned) == (2, True, False)
    assert (elsewhere["mounted"], elsewhere["note"]) == (
        0,
        "hooks are switched off everywhere (hookline on --global)",
    )


def test_a_file_that_says_no_is_no_master_that_is_on(server: Served, place: Workspace) -> None:
    """The reply says that the master switch is on only if hooks would run."""
    beside = place.yaml.parent / "agent.yaml"
    beside.write_text("# mine\nshell_hooks:\n  enabled: false\n", encoding="utf-8")
    kept = ask(server.tcp, {"command": str(place.guard), "enable_master": False}).document
    assert (kept["mounted"], kept["master_enabled"], kept["note"]) == (
        0,
        False,
        f"`shell_hooks.enabled` is not true in `{beside}:3`",
    )

    turned = ask(server.tcp, {"command": str(place.guard)}).document
    assert (turned["mounted"], turned["master_enabled"], "note" in turned) == (2, True, False)
    assert beside.read_text(encoding="utf-8") == "# mine\nshell_hooks:\n  enabled: true\n"
    notes = [
        (note["did"], note["who"], note["how"], note["root"])
        for note in place.note_approvals()
        if note["did"] == "on"
    ]
    assert notes == [("on", "ada", "approve API, the token, from 127.0.0.1", str(place.root))]
    assert place.call(server.service.engine).reason == "no"


# -- what is refused -------------------------------------------------------------------------------

BODIES = [
    ("a command that is not declared", {"command": "/bin/true"}, 400, "not declared"),
    ("a relative spelling", {"command": "hooks/guard.sh"}, 400, "not declared"),
    ("a spelling with dots", {"command": "{ws}/hooks/./guard.sh"}, 400, "not declared"),
    ("an empty command", {"command": ""}, 400, "`command` must be"),
    ("no command", {"enable_master": True}, 400, "`command` must be"),
    ("a list of commands", {"command": ["{ws}/hooks/guard.sh"]}, 400, "`command` must be"),
    ("an endless command", {"command": "x" * 5000}, 400, "`command` must be"),
    (
        "a switch that is a text",
        {"command": "{ws}/hooks/guard.sh", "enable_master": "yes"},
        400,
        "`enable_master` must be",
    ),
    (
        "a key of another's",
        {"command": "{ws}/hooks/guard.sh", "scope": "all"},
        400,
        "unknown key `scope`",
    ),
    ("a list", [], 400, "must be a JSON object"),
    ("no JSON", b"command=/bin/true", 400, "no JSON"),
    ("too large a body", {"command": "x" * (32 << 20)}, 413, "larger than"),
]


@pytest.mark.parametrize(
    ("body", "status", "said"), [row[1:] for row in BODIES], ids=[row[0] for row in BODIES]
)
def test_what_cannot_be_approved_is_refused_in_words(
    body: Any, status: int, said: str, refusing: Served, refusing_place: Workspace
) -> None:
    """The problem has the format's keys too: `ok` is false, and the error."""
    sent = (
        json.loads(json.dumps(body).replace("{ws}", str(refusing_place.root)))
        if isinstance(body, dict)
        else body
    )
    answer = ask(refusing.tcp, sent)

    assert (answer.status, answer.document["ok"]) == (status, False)
    assert said in answer.document["error"]
    assert refusing_place.note_approvals() == []


def test_a_file_that_cannot_be_read_is_told_with_the_approval(
    server: Served, place: Workspace
) -> None:
    """The hooks are those of before: what was approved is not what stands there now."""
    place.yaml.write_text("hooks: [\n", encoding="utf-8")
    before, new = (
        ask(server.tcp, {"command": str(place.guard)}).document,
        ask(server.tcp, {"command": "/new"}).document,
    )

    assert (before["ok"], before["events"]) == (True, ["pre_tool_call", "on_user_message"])
    assert f"{place.yaml}:" in before["note"]
    assert (new["ok"], new["error"]) == (False, "not declared")
    assert f"{place.yaml}:" in new["hint"]


@pytest.mark.parametrize("change", ["not executable", "gone"])
def test_what_cannot_run_cannot_be_approved(change: str, server: Served, place: Workspace) -> None:
    """There would be nothing to approve."""
    if change == "gone":
        place.guard.unlink()
    else:
        place.guard.chmod(0o644)
    refused = ask(server.tcp, {"command": str(place.guard)})

    assert (refused.status, refused.document["code"]) == (400, "HKL3005")


ATTACKS = [
    ("no token", {"Authorization": ""}, 401),
    ("a wrong token", {"Authorization": "Bearer wrong"}, 401),
    ("the token and more", {"Authorization": f"Bearer {TOKEN}x"}, 401),
    ("another scheme", {"Authorization": f"Basic {TOKEN}"}, 401),
    ("no letters of ours", {"Authorization": "Bearer ümlaut"}, 401),
    ("a page's origin", {"Origin": "https://attacker.example"}, 403),
    ("a sandboxed page", {"Origin": "null"}, 403),
    ("a browser, across sites", {"Sec-Fetch-Site": "cross-site"}, 403),
    ("a browser, on the same site", {"Sec-Fetch-Site": "same-origin"}, 403),
    ("a browser's form", {"Sec-Fetch-Mode": "navigate"}, 403),
    ("forwarded by a proxy", {"X-Forwarded-For": "203.0.113.9"}, 403),
    ("forwarded, in the standard's word", {"Forwarded": "for=203.0.113.9"}, 403),
    ("a form", {"Content-Type": "application/x-www-form-urlencoded"}, 415),
    ("a plain text", {"Content-Type": "text/plain"}, 415),
    ("compressed", {"Content-Encoding": "gzip"}, 415),
]


@pytest.mark.parametrize("way", ["tcp", "unix"])
@pytest.mark.parametrize(
    ("headers", "status"), [row[1:] for row in ATTACKS], ids=[row[0] for row in ATTACKS]
)
def test_a_client_of_another_user_is_refused(
    headers: dict[str, str], status: int, way: str, refusing: Served, refusing_place: Workspace
) -> None:
    """On a unix socket as well as over loopback; nothing is approved."""
    answer = ask(
        getattr(refusing, way),
        {"command": str(refusing_place.guard)},
        **{name.replace("-", "_"): value for name, value in headers.items()},
    )

    assert answer.status == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert refusing_place.note_approvals() == []


@pytest.mark.parametrize("host", ["attacker.example", "127.0.0.1.attacker.example", ""])
def test_a_name_that_was_made_to_point_here_is_refused(
    host: str, refusing: Served, refusing_place: Workspace
) -> None:
    """DNS rebinding."""
    assert ask(refusing.tcp, {"command": str(refusing_place.guard)}, Host=host).status == 403


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"])
@pytest.mark.parametrize("way", ["tcp", "unix"])
def test_there_is_one_method_and_never_a_404(method: str, way: str, refusing: Served) -> None:
    """A client would take 404 for an older runtime."""
    answer = getattr(refusing, way).ask(method, PATH, None, **BEARER)

    assert (answer.status, answer.headers["allow"]) == (405, "POST")


# -- peers that a test cannot be -------------------------------------------------------------------

PEERS = [
    ("loopback", ("127.0.0.1", 5000), ("127.0.0.1", 80), ""),
    ("another address of loopback", ("127.8.9.1", 5000), ("127.0.0.1", 80), ""),
    ("loopback of IPv6", ("::1", 5000), ("::1", 80), ""),
    ("loopback of IPv4 in IPv6", ("::ffff:127.0.0.1", 5000), ("::", 80), ""),
    ("a unix socket", None, ("/run/s", None), ""),
    ("another machine", ("203.0.113.9", 5000), ("0.0.0.0", 80), "this machine only"),
    ("another machine in IPv6", ("::ffff:203.0.113.9", 5000), ("::", 80), "this machine only"),
    ("a neighbour by its link", ("fe80::1%eth0", 5000), ("::", 80), "this machine only"),
    ("a name", ("localhost", 5000), ("127.0.0.1", 80), "this machine only"),
    ("an unknown client", None, ("127.0.0.1", 80), "this machine only"),
    ("an unknown client and server", None, None, "this machine only"),
]


@pytest.mark.parametrize("free", [False, True], ids=["with the token", "without"])
@pytest.mark.parametrize(
    ("client", "listening", "said"), [row[1:] for row in PEERS], ids=[row[0] for row in PEERS]
)
def test_only_this_machine_may_ask(client: Any, listening: Any, said: str, free: bool) -> None:
    """Requests from other machines are refused, with and without a token."""
    shown = [] if free else [(b"authorization", f"Bearer {TOKEN}".encode())]
    scope: Scope = {"type": "http", "client": client, "server": listening, "headers": shown}
    approving = Approvals(TOKEN, self_approve=free)

    if not said:
        assert approving.describe_admission(scope).startswith(
            f"approve API, {'no token (self_approve)' if free else 'the token'}, from "
        )
        return
    with pytest.raises(RequestError, match=said) as caught:
        approving.describe_admission(scope)
    assert caught.value.status == 403


def test_a_server_without_a_token_refuses_every_client() -> None:
    """An empty token is no token."""
    scope: Scope = {
        "type": "http",
        "client": None,
        "server": ("/run/s", None),
        "headers": [(b"authorization", b"Bearer ")],
    }

    with pytest.raises(RequestError, match="missing, or wrong"):
        Approvals().describe_admission(scope)


# -- without a token -------------------------------------------------------------------------------


def test_with_self_approve_an_agent_approves_by_itself(place: Workspace, tmp_path: Path) -> None:
    """As the format does it, without a step for the user.

    A browser still may not, and the journal says how.
    """
    approving = Approvals(TOKEN, self_approve=True)
    with served(place.engine(), tmp_path, approving=approving, open_to_all=(PATH,)) as running:
        body = {"command": str(place.guard)}
        done = running.tcp.ask("POST", PATH, body, Authorization="")
        page = running.tcp.ask("POST", PATH, body, Authorization="", Origin="http://localhost:8000")
        others = running.tcp.ask("GET", "/v1/metrics", None, Authorization="")

    assert (done.document["ok"], done.document["mounted"], page.status, others.status) == (
        True,
        2,
        403,
        401,
    )
    assert {note["how"] for note in place.note_approvals()} == {
        "approve API, no token (self_approve), from 127.0.0.1"
    }


def test_what_is_asked_is_a_command_and_a_switch() -> None:
    """The switch is on by default."""
    assert read_approval({"command": "x"}) == ("x", True)
    assert read_approval({"command": "x", "enable_master": False}) == ("x", False)
    with pytest.raises(CodecError):
        read_approval({"command": "x", "enable_master": None})


# -- the real server -------------------------------------------------------------------------------


@pytest.mark.process
@pytest.mark.parametrize("free", [False, True], ids=["with the token", "--self-approve"])
def test_a_running_server_approves(free: bool, place: Workspace, tmp_path: Path) -> None:
    """With the token of the file that it names, or with `--self-approve` and none."""
    path = str(tmp_path / "socket")
    command = [
        sys.executable,
        "-m",
        "hookline",
        "serve",
        "--unix",
        path,
        "--no-reload",
        *(["--self-approve"] if free else []),
    ]
    environ = {**place.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environ,
        cwd=place.root,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline() == f"unix:{path}\n"
            told = process.stderr.readline()
            new = place.write("new.sh", "brand new")
            place.declare({"event": "pre_tool_call", "command": str(new)})
            token = place.home / ".local/state/hookline/serve.token"
            shown = "" if free else f"Bearer {token.read_text(encoding='ascii').strip()}"
            refused = Place(path).ask(
                "POST", PATH, {"command": str(new)}, Authorization="Bearer wrong-and-long-enough"
            )
            done = Place(path).ask("POST", PATH, {"command": str(new)}, Authorization=shown)
            payload = {
                "tool_name": "bash",
                "tool_input": {"command": "rm -rf /"},
                "cwd": str(place.root),
            }
            fired = Place(path).fire("pre_tool_call", payload, dialect="starchild")
        finally:
            process.terminate()
            process.wait(PATIENCE)

    assert ("the token for approvals is in" in told) is not free
    assert refused.status == (200 if free else 401)
    assert done.document == {
        "ok": True,
        "events": ["pre_tool_call"],
        "mounted": 1,
        "master_enabled": True,
    }
    assert fired.document["reason"] == "brand new"
