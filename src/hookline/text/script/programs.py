"""Tables of the programs that run other programs or texts: wrappers, shells, `ssh`, interpreters.

A row says which options take a value and how many operands come before the command. A new tool is a
new row (docs/explanation/guards.md).
"""

from __future__ import annotations

from typing import NamedTuple

from hookline.text.script.reading import make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Wrapper(NamedTuple):
    """`valued`: options that take the next word. `skip`: operands before the command.

    `assigns`: takes `NAME=value` before the command. `string`: the option whose value is split into
    words. `folders`: options that change the folder. `verbs`: first operands of which one must be
    there.
    """

    valued: frozenset[str] = frozenset()
    skip: int = 0
    assigns: bool = False
    string: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()


def _read(text: str) -> dict[str, Wrapper]:
    """Return the rows of `names | options with a value | operands | flags | folders | verbs`."""
    rows = {}
    for line in text.replace("\n    ", " ").strip().splitlines():
        parts = [part.strip() for part in line.split("|")]
        names, valued, skip, flags, folders, verbs = (*parts, "", "")[:6]
        row = Wrapper(
            frozenset((*valued.split(), *folders.split())),
            int(skip or 0),
            "assigns" in flags,
            frozenset(("-S", "--split-string")) if "splits" in flags else frozenset(),
            frozenset(folders.split()),
            frozenset(verbs.split()),
        )
        rows.update(dict.fromkeys(names.split(), row))
    return rows


WRAPPERS = _read("""
sudo doas | -u -g -h -p -C -r -t -T -U -R --user --group | | assigns | -D --chdir
pkexec               | --user | |
env                  | -u --unset -a --argv0 -P -L -U | | assigns splits | -C --chdir
command builtin      | | |
exec                 | -a | |
nohup setsid         | | |
coproc unbuffer      | | |
nice                 | -n --adjustment | |
ionice               | -c -n -p --class --classdata | |
chrt taskset         | -p | 1 |
prlimit              | -p --pid | |
timeout gtimeout     | -s -k --signal --kill-after | 1 |
stdbuf               | -i -o -e --input --output --error | |
strace ltrace        | -o -e -s -p -E -u | |
busybox toybox       | | |
chroot               | --userspec --groups | 1 |
setpriv              | --reuid --regid --groups | |
capsh gosu su-exec   | | 1 |
systemd-run          | -p -u --unit --property -M --machine --on-active --on-calendar | | |
    --working-directory
caffeinate proxychains proxychains4 torify tsocks torsocks | -t -w -f | |
setarch linux32 linux64 i386 x86_64 | | | | |
dotenv               | -e -f -p | |
systemd-inhibit dbus-run-session dbus-launch xvfb-run fakeroot eatmydata catchsegv chronic rlwrap
    ssh-agent tini dumb-init valgrind numactl cpulimit cgexec schedtool chpst |
    -g -l -m -c -N -C -i -p --what --who --why --mode -u -e -s -n | |
setuidgid softlimit envdir faketime | | 1 |
perf                 | -e -o | | | | stat record trace
time                 | -f -o --format --output | |
hyperfine            | -w -r -m -M --warmup --runs | |
aws-vault            | | 1 | | | exec
op doppler dotenvx infisical chamber teller | -p -c --project --config --env -f | | | | run exec
machinectl           | --uid -E | 1 | | | shell
apptainer singularity | -B --bind | 1 | | | exec run
toolbox distrobox    | -c --container -n --name | | | | run enter
minikube             | -p --profile | | | | ssh
sshpass              | -p -f -e -P | |
npx bunx pipx uvx pnpx | -p --package --from --with | |
cross-env cross-env-shell | | | assigns
direnv               | | 1 | | | exec
nix                  | --option -f --file | | | | develop shell
npm pnpm yarn bun    | -w --workspace --filter -p --package | | | -C --prefix --cwd | exec x dlx
uv poetry pipenv hatch rye bundle pdm pixi conda mamba mise |
    --with --python -p --project -n --name -e | | | --directory --cwd | run exec x tool
""")
# Programs that packages of a project bring, which `yarn NAME` and `pnpm NAME` start.
PACKAGE_RUNNERS = make_set("npx bunx pnpx npm pnpm yarn bun uvx pipx")
PACKAGED = make_set("""
rimraf del-cli shx cross-env prisma typeorm sequelize sequelize-cli knex mikro-orm drizzle-kit
wrangler vercel netlify firebase serverless sls sst cdk cdktf pulumi node tsx ts-node dotenv
supabase railway eas gh-pages env-cmd dotenvx
""")
# Programs whose operands after some are a command on another machine, or in a container.
REMOTE = _read("""
ssh autossh          | -b -c -D -E -e -F -I -i -J -L -l -m -M -O -o -p -Q -R -S -W -w | 1 |
rsh mosh             | -l -p --ssh --port | 1 |
pdsh clush dsh mussh | -w -g -x -h -H -l -t -p -f -o -e --hosts --host -m | |
pssh parallel-ssh    | -h -H -l -t -p -o -e -O --hosts --host | |
tsh                  | --login -l -p --proxy --user | 1 | | | ssh
""")
# A subcommand, then options, then operands, then the command.
CONTAINERS = make_set("""
docker podman nerdctl kubectl oc lxc incus crictl docker-compose podman-compose nomad qm pct k3s
""")
CONTAINER_VERBS = ("exec", "run", "create", "debug")
CONTAINER_VALUED = make_set("""
-e --env --env-file -u --user -w --workdir -v --volume --mount -p --publish --name --network
--entrypoint -l --label -n --namespace -c --container --context --kubeconfig -h --hostname
--cpus -m --memory --add-host --device --cap-add --platform
""")
# Programs of which `X ... -- PROGRAM ...` starts the program, whatever X is, and those for which
# what comes after the dashes is data.
STARTED = make_set("""
rm shred dd mkfs wipefs blkdiscard find chmod chown chgrp git curl wget nc ncat scp rsync ssh
bash sh zsh dash python python3 perl ruby node php docker podman kubectl helm terraform tofu
psql mysql mongosh redis-cli aws gcloud gsutil az systemctl shutdown reboot poweroff kill pkill
killall sudo env nohup truncate tee cp mv base64 tar openssl dropdb crontab xargs parallel cat
printenv
""")
# Programs with options of many forms before the command that they start.
SANDBOXES = make_set("""
bwrap firejail proot nsjail systemd-nspawn minijail0 lxc-attach unshare nsenter flock runcon
""")
TAKES_DATA = make_set("""
git grep egrep fgrep rg ag ack echo printf sed awk jq test expr sort ls cat rm cp mv mkdir touch
chmod chown ln head tail wc npm yarn pnpm cargo go pytest make gh glab kill man which type
command psql
""")
SHELLS = make_set("sh bash zsh dash ksh mksh ash fish rbash yash source .")
SHELL_VALUED = make_set("-o +o -O +O --rcfile --init-file")
# Programs whose operands are a shell text.
OPERAND_STRINGS = make_set("eval trap watch")
# Programs with a shell text in an option. An option with `=` at its end has it in the same word.
OPTION_STRINGS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("su", "runuser", "script", "sg"), ("-c", "--command")),
    "ansible": ("-a", "--args"),
    **dict.fromkeys(("npx", "npm", "pnpm"), ("-c", "--call", "--shell-mode")),
    **dict.fromkeys(("nix-shell",), ("--run", "--command")),
    "vagrant": ("-c", "--command"),
    "gcloud": ("--command",),
    "rsync": ("-e", "--rsh", "--rsync-path"),
    "aws": ("--parameters",),
    **dict.fromkeys(("scp", "sftp"), ("-o", "-S")),
    "tar": ("--checkpoint-action=exec=", "--to-command", "--use-compress-program", "-I"),
    "man": ("-P", "--pager"),
    "zip": ("-TT", "--unzip-command"),
    **dict.fromkeys(("fly", "flyctl"), ("-C", "--command")),
    "az": ("--scripts", "--command"),
    "less": ("+!",),
    "sqlite3": ("-cmd",),
    "entr": ("-s",),
    "make": ("--eval=",),
    "expect": ("-c",),
    "flock": ("-c", "--command"),
    "et": ("-c",),
}
# Programs with a shell text after one of these words.
VERB_STRINGS: Mapping[str, tuple[str, ...]] = {
    "tmux": ("new", "new-session", "new-window", "split-window", "send-keys", "run-shell", "neww"),
    "screen": ("-dmS", "-dm", "-X"),
    **dict.fromkeys(("salt", "salt-call"), ("cmd.run", "cmd.shell")),
    "adb": ("shell",),
    "heroku": ("run", "run:detached"),
    "multipass": ("exec",),
    "limactl": ("shell",),
    "knife": ("ssh",),
    "bolt": ("run",),
    "consul": ("exec",),
}
RUNUSER = _read("runuser | -u -g -G --user --group | | ")["runuser"]
ITEMS = make_set("xargs parallel sem")
ITEMS_VALUED = make_set("""
-I -J -n -P -L -d -a -s -E -R -S -j -C -N --max-args --max-procs --max-chars --delimiter --arg-file
--process-slot-var --jobs --colsep --sshlogin --sshloginfile --halt --joblog --results --delay
--timeout --retries --tmpdir --max-replace-args --workdir --wd --env --tagstring --rpl --load
--memfree --nice --block --recstart --recend --arg-sep --arg-file-sep --header --return --basefile
--termseq --id
""")
# Options of these with a value in the same word only.
ITEMS_ATTACHED = make_set("-i -e -l")
# Options of a search with which it finds a part only.
FIND_NARROWS = make_set("""
-name -iname -path -ipath -wholename -regex -iregex -mtime -mmin -ctime -cmin -atime -amin -size
-user -group -newer -newermt -empty -samefile -perm -inum -uid -gid -nouser -nogroup -links -lname
-xtype
""")
FIND_RUNS = make_set("-exec -execdir -ok -okdir")
# Operands of a program with which it runs the code that it reads from standard input.
CONSOLES = make_set("shell shell_plus console c tinker runner")
# Interpreters: program -> language, and the options that hold code; "" is the first operand.
INTERPRETERS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    **dict.fromkeys(
        ("python", "python2", "python3", "pypy", "pypy3", "ipython", "manage.py", "django-admin"),
        ("python", ("-c", "--command")),
    ),
    "perl": ("perl", ("-e", "-E")),
    "ruby": ("ruby", ("-e",)),
    "rails": ("ruby", ("runner", "r")),
    **dict.fromkeys(("irb", "pry"), ("ruby", ("-e",))),
    **dict.fromkeys(
        ("node", "nodejs", "bun", "deno", "tsx", "ts-node"),
        ("javascript", ("-e", "--eval", "-p", "--print", "eval")),
    ),
    "php": ("php", ("-r", "-B", "-R", "--execute")),
    "artisan": ("php", ("--execute",)),
    "wp": ("php", ("eval",)),
    "drush": ("php", ("php:eval", "php-eval", "eval", "ev")),
    **dict.fromkeys(("lua", "luajit"), ("lua", ("-e",))),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), ("awk", ("",))),
    **dict.fromkeys(("vim", "vi", "nvim", "ex", "view"), ("vim", ("-c", "+"))),
    "ed": ("ed", ()),
    "sed": ("sed", ("-e", "--expression", "")),
    "osascript": ("applescript", ("-e",)),
    "emacs": ("lisp", ("--eval", "-eval")),
    **dict.fromkeys(("Rscript", "R"), ("r", ("-e",))),
    "julia": ("julia", ("-e", "-E")),
    "groovy": ("groovy", ("-e",)),
    **dict.fromkeys(("elixir", "mix", "iex"), ("elixir", ("-e", "--eval"))),
    "erl": ("erlang", ("-eval", "--eval")),
    "guile": ("lisp", ("-c",)),
    "sbcl": ("lisp", ("--eval",)),
    **dict.fromkeys(("tclsh", "wish"), ("tcl", ())),
    "expect": ("tcl", ("-c",)),
    "gdb": ("gdb", ("-ex", "-eval-command", "--ex")),
    **dict.fromkeys(("sqlite3", "psql", "mysql"), ("sql", ("-cmd", "-c", "--command", ""))),
    "m4": ("m4", ()),
    "swift": ("swift", ("-e",)),
    "jshell": ("java", ()),
}
