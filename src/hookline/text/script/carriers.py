"""Programs that run other programs: wrappers, shells, and what takes a command as its argument.

A row says which options take a value and how many operands come before the command. A new tool is a
new row (docs/explanation/guards.md).
"""

from __future__ import annotations

from typing import NamedTuple

from hookline.text.script.reading import make_set


class Wrapper(NamedTuple):
    """`valued`: options that take the next word. `skip`: operands before the command.

    `assigns`: takes `NAME=value` before the command. `string`: the option whose value is split into
    words.
    """

    valued: frozenset[str] = frozenset()
    skip: int = 0
    assigns: bool = False
    string: frozenset[str] = frozenset()


def _read(text: str) -> dict[str, Wrapper]:
    """Return the rows of `names | options with a value | operands | flags`."""
    rows = {}
    for line in text.strip().splitlines():
        names, valued, skip, flags = (part.strip() for part in line.split("|"))
        row = Wrapper(
            frozenset(valued.split()),
            int(skip or 0),
            "assigns" in flags,
            frozenset(("-S", "--split-string")) if "splits" in flags else frozenset(),
        )
        rows.update(dict.fromkeys(names.split(), row))
    return rows


WRAPPERS = _read("""
sudo doas | -u -g -h -p -C -r -t -T -U -D -R --user --group --chdir | | assigns
env                  | -u -C --unset --chdir | | assigns splits
command builtin      | | |
exec                 | -a | |
nohup setsid time    | -f -o --format --output | |
coproc unbuffer      | | |
nice                 | -n --adjustment | |
ionice               | -c -n -p --class --classdata | |
chrt taskset         | -p | 1 |
timeout gtimeout     | -s -k --signal --kill-after | 1 |
stdbuf               | -i -o -e --input --output --error | |
strace ltrace        | -o -e -s -p -E -u | |
busybox toybox       | | |
chroot               | --userspec --groups | 1 |
unshare nsenter      | -S -G -R -w -t --target --root --wd | |
flock                | -w -E --timeout | 1 |
systemd-run          | -p -u --unit --property -M --machine | |
firejail bwrap       | | |
caffeinate proxychains proxychains4 torify | -t -w -f | |
npx bunx pipx        | -p --package | |
uv poetry pipenv hatch rye bundle pdm | --with --python -p --project --directory | 1 |
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
sh bash zsh dash ksh mksh ash fish rbash
""")
SHELL_VALUED = frozenset(("-o", "+o", "-O", "+O", "--rcfile", "--init-file"))
# Programs that read a shell text from an operand or an option: (program, option; "" is the operand)
STRINGS = {
    "eval": "",
    "trap": "",
    "watch": "",
    "su": "-c",
    "runuser": "-c",
    "script": "-c",
    "ssh-keygen": "",
}
# Programs that run later what they read.
DEFERRED = frozenset(("at", "batch"))
ITEMS = frozenset(("xargs", "parallel"))
ITEMS_VALUED = make_set("""
-I -i -n -P -L -d -a -s -E --max-args --max-procs --delimiter --arg-file --replace -j --jobs
--colsep -S --sshlogin --max-lines
""")
FIND_RUNS = frozenset(("-exec", "-execdir", "-ok", "-okdir"))
# Interpreters: program -> language, and the options that hold code.
INTERPRETERS = {
    **dict.fromkeys(
        ("python", "python2", "python3", "pypy", "pypy3", "ipython"), ("python", ("-c",))
    ),
    "perl": ("perl", ("-e", "-E")),
    "ruby": ("ruby", ("-e",)),
    **dict.fromkeys(
        ("node", "nodejs", "bun", "deno"), ("javascript", ("-e", "--eval", "-p", "eval"))
    ),
    "php": ("php", ("-r",)),
    "lua": ("lua", ("-e",)),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), ("awk", ("",))),
    **dict.fromkeys(("vim", "vi", "nvim", "ex"), ("vim", ("-c", "+"))),
    "osascript": ("applescript", ("-e",)),
}
