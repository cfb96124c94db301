"""Programs that run other programs: wrappers, shells, and what takes a command as its argument.

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
env                  | -u --unset | | assigns splits | -C --chdir
command builtin      | | |
exec                 | -a | |
nohup setsid time    | -f -o --format --output | |
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
unshare nsenter      | -S -G -R -w -t --target --root --wd | |
flock                | -w -E --timeout | 1 |
systemd-run          | -p -u --unit --property -M --machine --on-active --on-calendar | | |
    --working-directory
firejail bwrap       | | |
caffeinate proxychains proxychains4 torify tsocks | -t -w -f | |
npx bunx pipx uvx pnpx | -p --package --from --with | |
direnv               | | 1 | | | exec
npm pnpm yarn bun    | -w --workspace --filter -p --package | | | -C --prefix --cwd | exec x dlx
uv poetry pipenv hatch rye bundle pdm pixi conda mamba mise |
    --with --python -p --project -n --name -e | | | --directory --cwd | run exec x tool
""")
# Programs whose operands after some are a command on another machine, or in a container.
REMOTE = _read("""
ssh autossh          | -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w | 1 |
""")
# A subcommand, then options, then operands, then the command.
CONTAINERS = frozenset(("docker", "podman", "nerdctl", "kubectl", "oc", "lxc"))
CONTAINER_VALUED = make_set("""
-e --env --env-file -u --user -w --workdir -v --volume --mount -p --publish --name --network
--entrypoint -l --label -n --namespace -c --container --context --kubeconfig -h --hostname
--cpus -m --memory --add-host --device --cap-add --platform
""")
SHELLS = make_set("""
sh bash zsh dash ksh mksh ash fish rbash yash source .
""")
SHELL_VALUED = frozenset(("-o", "+o", "-O", "+O", "--rcfile", "--init-file"))
# Programs whose operands are a shell text.
OPERAND_STRINGS = frozenset(("eval", "trap", "watch"))
# Programs with a shell text in an option. An option with `=` at its end has it in the same word.
OPTION_STRINGS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("su", "runuser", "script", "sg"), ("-c", "--command")),
    "ansible": ("-a", "--args"),
    **dict.fromkeys(("npx", "npm", "pnpm"), ("-c", "--call", "--shell-mode")),
    **dict.fromkeys(("nix-shell", "nix"), ("--run", "--command", "-c")),
    "vagrant": ("-c", "--command"),
    "gcloud": ("--command",),
    "rsync": ("-e", "--rsh", "--rsync-path"),
    **dict.fromkeys(("scp", "sftp"), ("-oProxyCommand=", "-S")),
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
}
# Programs with a shell text after one of these words.
VERB_STRINGS: Mapping[str, tuple[str, ...]] = {
    "tmux": ("new", "new-session", "new-window", "split-window", "send-keys", "run-shell", "neww"),
    "screen": ("-dmS", "-dm", "-X"),
    "salt": ("cmd.run", "cmd.shell"),
    "adb": ("shell",),
    "heroku": ("run", "run:detached"),
    "multipass": ("exec",),
    "limactl": ("shell",),
}
RUNUSER = _read("runuser | -u -g -G --user --group | | ")["runuser"]
ITEMS = frozenset(("xargs", "parallel"))
ITEMS_VALUED = make_set("""
-I -i -n -P -L -d -a -s -E --max-args --max-procs --delimiter --arg-file --replace -j --jobs
--colsep -S --sshlogin --max-lines
""")
# Options of a search with which it finds a part only.
FIND_NARROWS = make_set("""
-name -iname -path -ipath -wholename -regex -iregex -mtime -mmin -ctime -cmin -atime -amin -size
-user -group -newer -newermt -empty -samefile -perm -inum -uid -gid -nouser -nogroup -links -lname
-xtype
""")
FIND_RUNS = frozenset(("-exec", "-execdir", "-ok", "-okdir"))
# Interpreters: program -> language, and the options that hold code; "" is the first operand.
INTERPRETERS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    **dict.fromkeys(
        ("python", "python2", "python3", "pypy", "pypy3", "ipython"), ("python", ("-c",))
    ),
    "perl": ("perl", ("-e", "-E")),
    "ruby": ("ruby", ("-e",)),
    **dict.fromkeys(
        ("node", "nodejs", "bun", "deno", "tsx", "ts-node"),
        ("javascript", ("-e", "--eval", "-p", "--print", "eval")),
    ),
    "php": ("php", ("-r", "-B", "-R")),
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
    "elixir": ("elixir", ("-e", "--eval")),
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
