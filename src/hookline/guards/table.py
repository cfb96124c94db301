"""The guards: what each is for, its events, its options, its rules, and the module that judges."""

from __future__ import annotations

from hookline.model.frozen import Frozen
from hookline.model.spec import Builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.model.spec import Handler


class Option(Frozen):
    """An option of a guard. `shape`: `text`, `texts`, `flag`, `integer`, `number`, or choices."""

    shape: str
    meaning: str

    @property
    def choices(self) -> tuple[str, ...]:
        """Return the words of which it is one; empty if it is no choice."""
        return tuple(self.shape.split("/")) if "/" in self.shape else ()


class Guard(Frozen):
    """A guard of hookline.

    `module` has the function `judge(event, options, world) -> Answer | None`. `remembers`: it has a
    memory of the session. `rules`: each rule by its id, with what it refuses or marks. `observes`:
    it refuses and masks nothing, so its failure refuses nothing either. `is_recommended`:
    `hookline add --recommended` adds it.
    """

    summary: str
    module: str
    events: tuple[str, ...]
    options: Mapping[str, Option]
    rules: Mapping[str, str]
    remembers: bool = False
    observes: bool = False
    is_recommended: bool = False


def _read_options(text: str) -> Mapping[str, Option]:
    rows = (map(str.strip, line.split("|", 2)) for line in text.strip().splitlines())
    return {name: Option(shape=shape, meaning=meaning) for name, shape, meaning in rows}


def _read_rules(text: str) -> Mapping[str, str]:
    rows = (line.partition("|") for line in text.strip().splitlines())
    return {rule.strip(): meaning.strip() for rule, _, meaning in rows}


GUARDS: Mapping[str, Guard] = {
    "commands": Guard(
        summary="refuses shell commands that destroy data, or send credentials away",
        module="hookline.guards.commands.judge",
        events=("tool.before",),
        is_recommended=True,
        options=_read_options("""
profile | baseline/strict/paranoid | how much it refuses
rules   | texts                    | further rules that count, or with `-` before them do not
"""),
        rules=_read_rules("""
fs.root           | removing the root, a home folder, a system folder, or all that is in one
fs.overwrite      | overwriting or shredding system files or private keys
disk.erase        | formatting, wiping or overwriting a disk
dos.forkbomb      | a function or script that starts itself again and again
perm.recursive    | recursive permissions for every user, or on system folders
git.remote_reset  | resetting the work tree to the state of a remote
exfil.file        | sending a credential file away
exfil.env         | sending the environment or a printed secret away
exfil.commit      | pushing a credential file
git.discard       | discarding work or history that Git cannot bring back
fs.local          | removing the project, sources or documents
fs.outside        | removing a folder outside of the project
db.drop           | dropping or emptying a database
infra.destroy     | destroying infrastructure, workloads or buckets
container.prune   | removing all containers, or volumes
exfil.copy        | copying an environment file to another machine
exfil.encode      | printing a credential through an encoder
system            | switching the machine off, or ending all processes
read.secret       | showing a credential to the model
run.fetched       | running what the network sent
run.opaque        | running what cannot be read
net.upload        | uploading to a host
git.publish       | a forced push, or a new remote
exec.deferred     | schedulers, login files, services and Git hooks
system.guard      | switching off a firewall, auditing or security modules
"""),
    ),
    "own_config": Guard(
        summary="refuses that the agent approves, switches off, removes or rewrites hooks",
        module="hookline.guards.own_config",
        events=("tool.before",),
        is_recommended=True,
        options={},
        rules=_read_rules("""
own.command | a command of hookline that decides which hooks run
own.store   | a write to hookline's own files
own.entry   | a change of the hooks that a host or Git runs
own.covered | a write to a file that an approved hook runs
"""),
    ),
    "secrets": Guard(
        summary="refuses secrets that are pasted or written, and masks them in replies and results",
        module="hookline.guards.secrets",
        events=(
            "prompt.submit",
            "tool.before",
            "tool.after",
            "tool.result",
            "response.before",
            "message.outbound",
        ),
        is_recommended=True,
        options=_read_options("""
message_tools | texts | further tools whose input is a message to a person
"""),
        rules=_read_rules("""
secret.pasted  | a secret in a message of the user
secret.sent    | a secret that cannot be masked in a message to a person
secret.written | a secret in a file that a tool writes
secret.typed   | a secret in a command line (a note only)
"""),
    ),
    "pii": Guard(
        summary="masks e-mail addresses, phone, card, account and identity numbers",
        module="hookline.guards.pii",
        events=("tool.after", "tool.result", "response.before", "message.outbound"),
        options=_read_options("""
kinds | texts | only these: email, phone, card, iban, us-ssn, chinese-id
"""),
        rules={},
    ),
    "claims": Guard(
        summary="sends an agent back that says it did what nothing shows",
        module="hookline.guards.claims.guard",
        events=(
            "tool.before",
            "tool.after",
            "tool.failure",
            "response.before",
            "stop",
            "completion.claim",
        ),
        remembers=True,
        options=_read_options("""
previews | text    | the registry of previews, else `PREVIEWS_REGISTRY`
posts    | text    | the ledger of posts, else `AGENTX_LEDGER_FILE` or `AGENTX_LEDGER`
jobs     | text    | the registry of scheduled jobs, else `SCHEDULED_JOBS`
redos    | integer | how often a session is sent back, then a note follows; 2 by default
"""),
        rules=_read_rules("""
claim.tests_pass     | tests pass, without a run that passed after the last edit
claim.build_works    | the build works, without a build that passed after the last edit
claim.committed      | something is committed, without a commit
claim.pushed         | something is pushed, without a push after the last commit
claim.request_opened | a pull request is open, without one
claim.published      | something is published, which the registry or the session does not show
claim.posted         | something is posted, which the ledger or the session does not show
claim.sent           | something is sent, without a call that sends
claim.deployed       | something is deployed, without a deployment
claim.scheduled      | something is scheduled, without a job
"""),
    ),
    "code_changes": Guard(
        summary="asks for a test, build or lint run after code was edited",
        module="hookline.guards.claims.code_changes",
        events=("tool.before", "tool.after", "tool.failure", "stop"),
        remembers=True,
        options=_read_options("""
redos | integer | how often a session is sent back; 3 by default
"""),
        rules=_read_rules("""
code.unchecked | code that was edited, and neither tested nor built since
"""),
    ),
    "commitments": Guard(
        summary="sends an agent back that promises to tell you later, and cannot",
        module="hookline.guards.claims.commitments",
        events=("tool.before", "tool.after", "tool.failure", "stop"),
        remembers=True,
        options=_read_options("""
jobs  | text    | the registry of scheduled jobs, else `SCHEDULED_JOBS`
redos | integer | how often a session is sent back, then a note follows; 2 by default
"""),
        rules=_read_rules("""
promise.unkept | a promise to tell the user later, without what keeps it
"""),
    ),
    "tool_audit_log": Guard(
        summary="writes a JSON line for each call of a tool, without secrets",
        module="hookline.guards.tool_audit_log",
        observes=True,
        events=("tool.after", "tool.failure"),
        options=_read_options("""
file        | text    | the log file, `tool-calls.jsonl` in `logs` of hookline's state folder
results     | flag    | also write what the calls returned
largest_mib | integer | MiB at which the file is put aside as `FILE.1`; 16 by default
"""),
        rules={},
    ),
    "budget_alert": Guard(
        summary="tells you when a turn, or a session, costs more than a limit",
        module="hookline.guards.budget_alert",
        observes=True,
        events=("response.before",),
        remembers=True,
        options=_read_options("""
limit_usd         | number | US dollars a turn; 1 if no limit is given
session_limit_usd | number | US dollars a session
"""),
        rules={},
    ),
    "inject_website_reminder": Guard(
        summary="reminds the model to publish a website before it says that it did",
        module="hookline.guards.website_reminder",
        observes=True,
        events=("model.request", "prompt.submit"),
        remembers=True,
        options=_read_options("""
text | text | the reminder
"""),
        rules={},
    ),
    "runtime_footer": Guard(
        summary="replaces costs that a model typed under a reply by the true ones",
        module="hookline.guards.runtime_footer",
        observes=True,
        events=("response.before", "model.request"),
        options=_read_options("""
template | text | the line, with {model}, {cost}, {tokens}, {input}, {output}
nudge    | flag | tell the model at each request that it need not write costs
"""),
        rules={},
    ),
    "notifier": Guard(
        summary="tells you, on the desktop or by a webhook, that an agent is done or waits",
        module="hookline.guards.notifier",
        observes=True,
        events=("stop", "notification", "error", "stop.failure"),
        options=_read_options("""
webhook | text | an address that takes messages in the form of Slack, or `$NAME` of a variable
details | flag | also send the beginning of the agent's last reply
"""),
        rules={},
    ),
}


def find_rule_owner(rule: str) -> str:
    """Return the guard that a rule belongs to; empty if there is no such rule."""
    return next((name for name, guard in GUARDS.items() if rule in guard.rules), "")


def is_observer(handler: Handler | None) -> bool:
    """Return whether a handler is a guard that refuses and masks nothing."""
    return isinstance(handler, Builtin) and handler.name in GUARDS and GUARDS[handler.name].observes
