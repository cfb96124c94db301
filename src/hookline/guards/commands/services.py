"""Rules about infrastructure, containers, database tools and the machine: mostly table rows."""

from __future__ import annotations

import posixpath
from typing import NamedTuple

from hookline.guards.commands.arguments import read_arguments
from hookline.guards.commands.hits import Hit
from hookline.text import lazy_re as re
from hookline.text.script.reading import UNKNOWN, make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hookline.guards.commands.hits import Rules
    from hookline.guards.commands.places import Context
    from hookline.text.script.reading import Call


# -- one row a tool ------------------------------------------------------------------------------


class Row(NamedTuple):
    """Words that destroy something.

    `words`: the operands and options that the call must have, the operands in this order; a word
    with `|` has alternatives, `*` is any operand. `unless`: options with which it destroys nothing.
    """

    rule: str
    words: tuple[frozenset[str], ...]
    unless: frozenset[str]
    reason: str


_DRY = make_set(
    "--dry-run --dryrun --help -help --plan --check --what-if --noop --simulate --whatif"
)
_TEXT = """
[infra.destroy]
terraform tofu terragrunt terraform1 | destroy | | destroys infrastructure
terraform tofu terragrunt | apply -destroy|--destroy | | destroys infrastructure
terragrunt | run-all destroy | | destroys infrastructure
terraform tofu | state rm | | forgets infrastructure
terraform tofu | workspace delete | | deletes a workspace with its state
pulumi | destroy|down | --preview-only | destroys infrastructure
pulumi | stack rm | | deletes a stack with its state
cdk cdktf | destroy | | destroys infrastructure
serverless sls | remove | | removes a service
sst | remove | | removes a service
sam | delete | | deletes a stack
copilot | app|env|svc delete | | deletes a service
kubectl oc k | delete namespace|namespaces|ns|project|deployment|deployments|deploy|statefulset|
    statefulsets|sts|daemonset|daemonsets|ds|replicaset|replicasets|rs|node|nodes|no|pvc|pv|
    persistentvolumeclaim|
    persistentvolume|persistentvolumeclaims|crd|crds|all | can-i | deletes workloads or their data
kubectl oc k | delete --all | can-i | deletes all objects of a kind
kubectl oc k | delete -f|--filename|-k|--kustomize|-l|--selector | can-i | deletes several objects
helm | uninstall|delete|del|un | | deletes a release
helmfile | destroy|delete | | deletes releases
argocd | app delete | | deletes an application
flux | uninstall | | removes the deployments of a cluster
aws | s3 rb | | deletes a bucket
aws | s3 rm --recursive | | deletes the objects of a bucket
aws | s3api delete-bucket|delete-objects | | deletes a bucket or its objects
aws | ec2 terminate-instances|delete-volume|delete-vpc|delete-snapshot | | deletes machines or
    disks
aws | rds delete-db-instance|delete-db-cluster | | deletes a database
aws | dynamodb delete-table | | deletes a table
aws | cloudformation delete-stack | | deletes a stack
aws | eks delete-cluster|delete-nodegroup | | deletes a cluster
aws | ecs delete-cluster|delete-service | | deletes a cluster
aws | efs delete-file-system | | deletes a file system
aws | lambda delete-function | | deletes a function
aws | kms schedule-key-deletion | | deletes a key
aws | route53 delete-hosted-zone | | deletes a zone
aws | elasticache delete-cache-cluster|delete-replication-group | | deletes a cluster
eksctl | delete cluster|nodegroup | | deletes a cluster
gcloud | projects delete | | deletes a project
gcloud | compute instances|disks|snapshots|networks delete | | deletes machines or disks
gcloud | container clusters|node-pools delete | | deletes a cluster
gcloud | sql instances|databases delete | | deletes a database
gcloud | storage rm|buckets -r|-R|--recursive|delete | | deletes the objects of a bucket
gcloud | run services delete | | deletes a service
gcloud | functions delete | | deletes a function
gcloud | app services delete | | deletes a service
gsutil | rb | | deletes a bucket
gsutil | rm -r|-R|-rf|-a | | deletes the objects of a bucket
bq | rm | | deletes a table or dataset
az | group|vm|aks|sql|storage|disk|webapp|cosmosdb|keyvault delete | | deletes a resource
az | sql|storage|cosmosdb|network|vm * delete | | deletes a resource
doctl | compute droplet|volume|image|snapshot delete|rm|d | | deletes machines or disks
doctl | kubernetes cluster delete|rm | | deletes a cluster
doctl | databases delete|rm | | deletes a database
heroku | apps:destroy|apps:delete|pg:reset|addons:destroy | | deletes an app or its data
fly flyctl | apps|volumes|machine|machines|postgres destroy|delete|rm | | deletes an app or its
    data
fly flyctl | destroy | | deletes an app
vercel | remove|rm | | removes a deployment
netlify | sites:delete | | deletes a site
railway | down|delete | | removes a deployment
wrangler | delete | | deletes a service
wrangler | d1|r2|kv|kv:namespace|queues delete | | deletes data
wrangler | r2 bucket delete | | deletes a bucket
gh | repo delete | | deletes a repository
glab | repo|project delete | | deletes a repository
firebase | firestore:delete|projects:delete|hosting:disable | | deletes data
VBoxManage | unregistervm --delete | | deletes a virtual machine
virsh | destroy|undefine | | deletes a virtual machine
virsh | vol-delete|pool-delete|pool-destroy | | deletes a disk
vagrant | destroy | | deletes a virtual machine
multipass | delete|purge | | deletes a virtual machine
limactl colima | delete | | deletes a virtual machine
minikube | delete | | deletes a cluster
kind | delete cluster|clusters | | deletes a cluster
k3d | cluster delete | | deletes a cluster
qm pct | destroy | | deletes a virtual machine
nomad | job stop -purge | | deletes a job
nomad | system gc | | removes jobs
mc | rb | | deletes a bucket
mc | rm --recursive|-r | | deletes the objects of a bucket
rclone | purge|delete | -n -i --interactive | deletes the files of a remote
s3cmd | rb | | deletes a bucket
s3cmd | del|rm --recursive|-r | | deletes the objects of a bucket
linode-cli | linodes delete|rm | | deletes a machine
hcloud | server|volume|network delete | | deletes a machine or disk
openstack | server|volume|stack|project delete | | deletes machines or disks
ibmcloud | ks cluster rm | | deletes a cluster
ibmcloud | resource service-instance-delete | | deletes a service
[container.prune]
docker podman nerdctl | system|container|image|volume|network|builder|buildx|pod prune | |
    removes what no container uses
docker podman nerdctl | volume rm|remove | | removes a volume with its data
docker podman nerdctl | compose down -v|--volumes | | removes the volumes of the services
docker podman nerdctl | compose rm -v | | removes the volumes of the services
docker-compose podman-compose | down -v|--volumes | | removes the volumes of the services
podman | rm|rmi|kill -a|--all|-af|-fa | | removes all containers
podman | pod rm -a|--all|-af|-fa | | removes all pods
podman | system reset | | removes all containers and volumes
docker | swarm leave --force|-f | | leaves the swarm with its services
crictl | rmi|rmp|rm -a|--all|--prune | | removes all containers
ctr | containers|c|images rm|delete --all | | removes all containers
lxc incus | delete --force|-f | | deletes a container
[db.drop]
mvn mvnw gradle gradlew | flyway:clean|flywayClean|liquibase:dropAll|dropAll | | drops all objects
dropdb | * | | drops a database
dropuser | * | | drops a role
mysqladmin | drop | | drops a database
rails rake bin/rails | db:drop|db:reset|db:drop:all|db:purge|db:schema:load|db:truncate_all|
    db:migrate:reset | | drops or empties the database
prisma | migrate reset | | resets the database
prisma | db push --force-reset|--accept-data-loss | | resets the database
artisan | migrate:fresh|migrate:reset|migrate:refresh|db:wipe | | drops all tables
manage.py django-admin | flush|reset_db | | empties the database
manage.py django-admin | migrate * zero | | reverts all migrations
alembic | downgrade base | --sql | reverts all migrations
flask | db downgrade base | | reverts all migrations
sequelize sequelize-cli | db:drop|db:migrate:undo:all | | drops the database
knex | migrate:rollback --all | | reverts all migrations
typeorm | schema:drop | | drops all tables
mikro-orm | schema:drop|schema:fresh|migration:fresh | | drops all tables
mix | ecto.drop|ecto.reset | | drops the database
flyway | clean | | drops all objects
liquibase | drop-all|dropAll | | drops all objects
dbmate | drop | | drops the database
migrate | drop | | drops everything
goose | reset | | reverts all migrations
diesel | database reset|drop | | drops the database
sqlx | database|db drop|reset | | drops the database
hasura | metadata|migrate clear|delete | | drops metadata
supabase | db reset | | resets the database
console | doctrine:database:drop|doctrine:schema:drop | | drops the database
wp | db reset|drop|clean | | empties the database
drush | sql-drop|sql:drop | | drops all tables
etcdctl | del --prefix | | deletes all keys
influx | bucket delete | | deletes a bucket
influx | delete | | deletes data
kafka-topics kafka-topics.sh | --delete | | deletes a topic
rabbitmqctl | reset|force_reset | | resets the queues
consul | kv delete -recurse | | deletes all keys
pg_dropcluster | * | | drops a cluster of databases
turso | db destroy | | deletes a database
pscale | database|branch delete | | deletes a database
neonctl | projects|databases|branches delete | | deletes a database
drizzle-kit | drop | | drops migrations
[system]
ansible | * reboot|shutdown | | switches machines off
shutdown poweroff reboot halt | | -c --help --show -k -w /a /? | switches the machine off
systemctl | poweroff|reboot|halt|kexec|soft-reboot|emergency|rescue | | switches the machine off
init telinit | 0|6|1 | | switches the machine off
killall5 | | | ends all processes
Stop-Computer Restart-Computer | | -WhatIf | switches the machine off
[system.guard]
ufw | disable|reset | | switches the firewall off
setenforce | 0|Permissive | | switches a security module off
systemctl | stop|disable|mask auditd|firewalld|ufw|apparmor|fail2ban|nftables|iptables | |
    switches a protection off
service | auditd|firewalld|ufw|apparmor|fail2ban stop | | switches a protection off
iptables ip6tables | -F|--flush | | removes all rules of the firewall
nft | flush ruleset | | removes all rules of the firewall
auditctl | -e|-D | | switches auditing off
aa-teardown aa-disable aa-complain | | | switches a security module off
csrutil | disable | | switches a protection off
spctl | --master-disable | | switches a protection off
"""
INSTEAD = {
    "infra.destroy": "show the plan, and let the user run it",
    "container.prune": "remove one container or image by its name",
    "db.drop": "make a migration, or delete rows with a WHERE clause",
    "system": "let the user do it",
    "system.guard": "let the user do it",
}


def _read_rows() -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = {}
    rule = ""
    for line in _join_lines(_TEXT):
        if line.startswith("["):
            rule = line.strip("[]")
            continue
        # The alternatives of a word have no blanks around their bars.
        names, words, unless, reason = (part.strip() for part in re.split(r" \|(?= |$)", line))
        row = Row(
            rule,
            tuple(frozenset(word.split("|")) for word in words.split()),
            frozenset(unless.split()) | _DRY,
            reason,
        )
        for name in names.split():
            rows.setdefault(name, []).append(row)
    return rows


def _join_lines(text: str) -> list[str]:
    """Return the lines of a text, each with the indented ones after it."""
    return re.sub(r"\n +", " ", re.sub(r"(?<=\w)\|\n +", "|", text)).strip().splitlines()


ROWS = _read_rows()


def judge_rows(call: Call, _context: Context) -> Iterator[Hit]:
    """Judge a call by the rows of its program."""
    yield from judge_words(call.program, call.texts[1:])


def judge_words(name: str, texts: Sequence[str]) -> Iterator[Hit]:
    """Yield what a program destroys by the words after it."""
    for row in ROWS.get(name, ()):
        if not row.unless.isdisjoint(texts) or any(text.startswith("--dry-run=") for text in texts):
            continue
        if _has_words(texts, row.words):
            yield Hit(row.rule, f"it {row.reason}", INSTEAD[row.rule])
            return


def _has_words(texts: Sequence[str], words: Sequence[frozenset[str]]) -> bool:
    at = 0
    # `delete deploy/shop` is `delete deploy shop`.
    operands = [
        text.partition("/")[0] if _KIND.match(text) else text
        for text in texts
        if not text.startswith("-")
    ]
    for choices in words:
        if all(choice.startswith("-") for choice in choices):
            if not any(text in choices or text.partition("=")[0] in choices for text in texts):
                return False
        elif any(choice.startswith("-") for choice in choices) and any(
            text in choices for text in texts
        ):
            continue
        else:
            found = _find_next(operands, at, choices, texts)
            if found < 0:
                return False
            at = found + 1
    return True


_KIND = re.compile(r"[a-z]{2,24}/[\w.-]+$")
_MOST_SKIPPED = 5  # operands between two words: the values of options before a subcommand


def _find_next(
    operands: Sequence[str], at: int, choices: frozenset[str], texts: Sequence[str]
) -> int:
    """Return where one of the choices is; before it only values of options may be skipped."""
    for index in range(at, min(len(operands), at + 1 + _MOST_SKIPPED)):
        if operands[index] in choices or "*" in choices:
            return index
        place = texts.index(operands[index]) if operands[index] in texts else 0
        if not place or not texts[place - 1].startswith("-"):
            break
    return -1


# -- containers ------------------------------------------------------------------------------------


def _judge_cluster(call: Call, context: Context) -> Iterator[Hit]:
    """Judge `kubectl delete` of whatever another command lists, other than pods."""
    texts = call.texts[1:]
    is_listed = any(UNKNOWN in word.text and word.calls for word in call.words[1:])
    if "delete" in texts and is_listed and not {"pod", "pods", "po"}.intersection(texts):
        yield Hit("infra.destroy", "it deletes all that another command lists",
                  INSTEAD["infra.destroy"])  # fmt: skip
    yield from judge_rows(call, context)
    for at, text in enumerate(texts[:_MOST_OPTIONS]):
        if _KINDS.match(text):  # each kind of `delete deployments.apps,svc NAME`
            for kind in text.partition("/")[0].split(","):
                named = [*texts[:at], kind.partition(".")[0], *texts[at + 1 :]]
                yield from judge_words(call.program, named)


_KINDS = re.compile(r"[a-z]{2,24}[.,][a-z0-9.,]{2,80}(?:/|$)")
_MOST_OPTIONS = 16  # words before the kinds


def _judge_container(call: Call, context: Context) -> Iterator[Hit]:
    texts = call.texts[1:]
    verbs = [text for text in texts if not text.startswith("-")][:2]
    if {"rm", "rmi", "kill"} & set(verbs) and any(
        UNKNOWN in word.text and word.calls for word in call.words[1:]
    ):
        reason = "it removes all containers or images that another command lists"
        yield Hit("container.prune", reason, INSTEAD["container.prune"])
    yield from judge_rows(call, context)


# -- the machine -----------------------------------------------------------------------------------


def _kill(call: Call, _context: Context) -> Iterator[Hit]:
    given = read_arguments(call, ("-s", "-n", "--signal", "-u", "--user", "-U", "-g", "-t"))
    texts = call.texts[1:]
    if texts[-1:] == ["-1"] and (len(texts) > 1 or call.words[-1].calls):
        yield Hit("system", "it ends all processes", "end one process by its number")
    elif call.program in ("pkill", "killall") and given.has("u", "user") and not given.operands:
        yield Hit("system", "it ends all processes of a user", "end one process by its name")
    elif call.program == "pkill" and given.texts[:1] in ((".",), (".*",), ("",)):
        yield Hit("system", "it ends all processes", "end one process by its name")


def judge_kernel_triggers(call: Call, _context: Context) -> Iterator[Hit]:
    """Yield a write to the trigger file of the kernel."""
    for redirect in call.redirects:
        path = posixpath.normpath(posixpath.join(call.cwd or "/", redirect.target.text))
        if path == "/proc/sysrq-trigger" and redirect.operator != "<":
            yield Hit("system", "it makes the kernel stop or reboot", "let the user do it")
    if call.program == "tee" and any(w.text == "/proc/sysrq-trigger" for w in call.words):
        yield Hit("system", "it makes the kernel stop or reboot", "let the user do it")


_STOPS = re.compile(
    r"login1\.Manager\.(?:PowerOff|Reboot|Halt)|\b(?:shut down|restart)\b", re.IGNORECASE
)


def _stop_machine(call: Call, _context: Context) -> Iterator[Hit]:
    """Judge a message to the system that asks it to stop."""
    if any(_STOPS.search(word.text) for word in call.words[1:]):
        yield Hit("system", "it switches the machine off", INSTEAD["system"])


def _remove_user(call: Call, _context: Context) -> Iterator[Hit]:
    given = read_arguments(call)
    if given.has("r", "remove", "remove-home", "remove-all-files"):
        yield Hit("fs.local", "it removes an account with its home folder", "lock the account")


def _remove_schedules(call: Call, _context: Context) -> Iterator[Hit]:
    given = read_arguments(call, ("-u",))
    if given.has("r") and "e" not in given.letters and "l" not in given.letters:
        yield Hit("fs.local", "it removes all schedules", "remove one line with `crontab -e`")


SERVICE_RULES: Rules = {
    **dict.fromkeys(ROWS, judge_rows),
    **dict.fromkeys(("docker", "podman", "nerdctl"), _judge_container),
    **dict.fromkeys(("kubectl", "oc", "k"), _judge_cluster),
    **dict.fromkeys(("dbus-send", "busctl", "gdbus", "osascript"), _stop_machine),
    **dict.fromkeys(("kill", "pkill", "killall"), _kill),
    **dict.fromkeys(("userdel", "deluser"), _remove_user),
    "crontab": _remove_schedules,
}
