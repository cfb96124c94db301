"""Launchers: programs that run what stands among their own words, each with how it is told what."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Launcher:
    """How a program is told what to run.

    `options`: each with a sign behind it for what it means: `=` a word follows; `?` one is glued to it, or none; `@` the folder follows
    in which it is run; `$` a text for a shell follows; `{` what stands for a word that comes later, `}` the same, glued to it or `{}`;
    `>` the program follows; `#` the first word is a script of Python; `.` it is run in this folder, `%` in one that is not known;
    `!` what is run is only known to it. An option that is not listed is as `!`; with `-*`, it stands alone.

    `verbs`: the words that stand first. `before`: how many words stand before the program, `lead`: one may, before all options.
    `assigns`: assignments may. `permuted`: any number of words may, also behind options. `ends`: words that end what is run. `joined`:
    a shell is given its words as one text. `blanks`: what stands in them for words that come later, in a text as a pattern. `more`: words
    are put behind them. `scripts`: suffixes of files that it runs as Python. `moved`: it runs all in a folder that is not known. `idle`:
    without a program, nothing is run. `held`: what it runs gets its words as they are, and its open files. `own`: it finds the program in
    ways of its own. `around`: before that it runs what a project around the working folder says.
    """

    __slots__ = (
        "around", "assigns", "before", "blanks", "ends", "held", "idle", "joined", "lead", "more", "moved", "options", "own", "permuted", "scripts",
        "verbs",
    )  # fmt: skip

    def __init__(
        self,
        options: str = "",
        *,
        verbs: tuple[str, ...] = (),
        before: int = 0,
        lead: bool = False,
        assigns: bool = False,
        permuted: bool = False,
        ends: tuple[str, ...] = (),
        joined: bool = False,
        blanks: str = "",
        more: bool = False,
        scripts: tuple[str, ...] = (),
        moved: bool = False,
        idle: bool = True,
        held: bool = False,
        own: bool = False,
        around: bool = False,
    ) -> None:
        self.options = options
        self.verbs = verbs
        self.before = before
        self.lead = lead
        self.assigns = assigns
        self.permuted = permuted
        self.ends = ends
        self.joined = joined
        self.blanks = blanks
        self.more = more
        self.scripts = scripts
        self.moved = moved
        self.idle = idle
        self.held = held
        self.own = own
        self.around = around


_ARCH = (
    "-B --32bit -F --fdpic-funcptrs -I --short-inode -L --addr-compat-layout -R --addr-no-randomize -S --whole-seconds -T"
    " --sticky-timeouts -X --read-implies-exec -Z --mmap-page-zero -3 --3gb --4gb --uname-2.6 -v --verbose"
)
_USER = "-f --fast -m -p --preserve-environment -P --pty -T --no-pty -g= --group= -G= --supp-group= -w= --whitelist-environment= -s= --shell="
_NPM = "-y --yes --no --no-install -q --quiet -s --silent --prefer-offline --offline -p= --package= -w= --workspace= -c$ --call$"
_UV = (
    "-s# --script# --gui-script# -m! --module! -n --no-cache -q --quiet -v --verbose --directory@ -p= --python= --with= --with-editable="
    " --with-requirements= -w= --from= --extra= --no-extra= --group= --no-group= --only-group= --env-file= --package= --index="
    " --default-index= -i= --index-url= --extra-index-url= -f= --find-links= -P= --upgrade-package= --reinstall-package= --index-strategy="
    " --keyring-provider= --resolution= --prerelease= --fork-strategy= --exclude-newer= --link-mode= -C= --config-setting="
    " --refresh-package= --no-build-package= --no-binary-package= --no-build-isolation-package= --cache-dir= --project= --config-file="
    " --color= --python-preference= --python-platform= --allow-insecure-host= -*"
)
_STRACE = (
    "-A -c -C -d -D -DD -DDD -f -ff --follow-forks -F -h! -i -k -n -N -q -qq -qqq -r -t -tt -ttt -T -v -V! -w -x -xx -y -yy -Y -z -Z"
    " -a= -b= -e= -E= -I= -o= -O= -p! -P= -s= -S= -u= -U= -X= --output= --trace= --string-limit= --env= --user= --attach!"
)
_XVFB = "-a --auto-servernum -l --listen-tcp -e= --error-file= -f= --auth-file= -n= --server-num= -p= --xauth-protocol= -s= --server-args= -w= --wait="
_UNSHARE = (
    "-m --mount? -u --uts? -i --ipc? -n --net? -p --pid? -U --user? -C --cgroup? -T --time? -f --fork -r --map-root-user -c"
    " --map-current-user --map-auto --map-user= --map-group= --map-users= --map-groups= --kill-child? --mount-proc? --keep-caps"
    " --propagation= --setgroups= -w@ --wd@ -S= --setuid= -G= --setgid= --monotonic= --boottime="
)
_SETPRIV = (
    "--nnp --no-new-privs --ambient-caps= --inh-caps= --bounding-set= --ruid= --euid= --rgid= --egid= --reuid= --regid= --clear-groups"
    " --keep-groups --init-groups --groups= --securebits= --pdeathsig= --ptracer= --selinux-label= --apparmor-profile= --reset-env"
)
_SUDO = (
    "-A --askpass -b --background -B --bell -E --preserve-env? -H --set-home -k --reset-timestamp -n --non-interactive -N --no-update -P"
    " --preserve-groups -S --stdin -s --shell -C= --close-from= -D@ --chdir@ -g= --group= -p= --prompt= -r= --role= -t= --type= -T="
    " --command-timeout= -u= --user= -i% --login%"
)
_SYSTEMD = (
    "--scope. -d. --same-dir. --working-directory@ --user --system --no-ask-password -u= --unit= -p= --property= --description= --slice="
    " --slice-inherit --no-block -r --remain-after-exit --wait --send-sighup --service-type= --uid= --gid= --nice= -E= --setenv= -t --pty"
    " -P --pipe -q --quiet -G --collect"
)
_XARGS = (
    "-0 --null -a= --arg-file= -d= --delimiter= -E= -e? --eof? -I{ -J{ -i} --replace} -L= --max-lines? -l? -n= --max-args= -o --open-tty"
    " -P= --max-procs= -p --interactive -r --no-run-if-empty -R= -s= --max-chars= -S= --show-limits -t --verbose -x --exit --process-slot-var="
)
_PARALLEL = (
    "-0 --null -j= --jobs= -P= --max-procs= -n= -N= --max-args= -L= -X -m -k --keep-order -u --ungroup --group --line-buffer --lb --bar"
    " --eta --progress -a= --arg-file= --colsep= -C= -d= --delimiter= --delay= --halt= --joblog= --results= --retries= --timeout= --tag"
    " -r --no-run-if-empty -t --verbose -v --will-cite --no-notice --nice= -q --quote --pipe"
)
_PERF = (
    "-e= --event= -a --all-cpus -d --detailed -r= --repeat= -n --null -o= --output= --append -x= --field-separator= -I= -B --big-num -v"
    " --verbose -A -F= -g --call-graph= -q --quiet -s --stat -T -m= --mmap-pages= -C= --cpu= -G= -D= --delay="
)
_MISE = "--> -c$ --command$ -j= --jobs= -q --quiet -y --yes -v --verbose --raw"
_NIX = "-p --packages --pure -I= -A= --attr= --arg= --argstr= -j= --max-jobs= --keep= -i= -v --verbose -Q --quiet --run$ --command$"
_NIX_SHELL = "-c> --command> -i --ignore-environment -k= --keep= -u= --unset= --impure -L --print-build-logs --offline --refresh --quiet -v"
_CONDA = "-n= --name= -p= --prefix= -v --verbose --dev --debug-wrapper-scripts --no-capture-output --live-stream --cwd@ -r= --root-prefix="
_GDB = (
    "-q -quiet --quiet -silent -n -nx --nx -nh --nh -batch --batch -batch-silent --batch-silent -ex= --ex= -eval-command= --eval-command="
    " -iex= --iex= -x= --command= -command= -ix= -cd% --cd% -args> --args>"
)
_ENV = (
    "- -i --ignore-environment -0 --null -v --debug -u= --unset= -a= --argv0= -C@ --chdir@ -P! -S! --split-string! --block-signal?"
    " --default-signal? --ignore-signal? --list-signal-handling -*"
)
_PRLIMIT = (
    "-p! --pid! -o= --output= --noheadings --raw --verbose -c? --core? -d? --data? -e? --nice? -f? --fsize? -i? --sigpending? -l?"
    " --memlock? -m? --rss? -n? --nofile? -q? --msgqueue? -r? --rtprio? -s? --stack? -t? --cpu? -u? --nproc? -v? --as? -x? --locks? -y?"
    " --rttime?"
)
_LOADER = (
    "--list --verify --inhibit-cache --library-path= --inhibit-rpath= --audit= --preload! --argv0= --glibc-hwcaps-prepend="
    " --glibc-hwcaps-mask= --list-tunables --list-diagnostics"
)
_TIMEOUT = Launcher(
    "-k= --kill-after= -s= --signal= --foreground --preserve-status -v --verbose -*",
    before=1,
    held=True,
)
_AS_USER = Launcher(
    f"-c$ --command$ --session-command$ -% -l% --login% {_USER}", permuted=True, idle=False
)
_NPX = Launcher(_NPM, own=True, idle=False)
_RUNS_PYTHON = (".py", ".pyw")
_UVX = Launcher(_UV, own=True, held=True, scripts=_RUNS_PYTHON, idle=False, around=True)


def _run(
    *verbs: str, options: str = "", before: int = 0, scripts: tuple[str, ...] = ()
) -> Launcher:
    """A tool of a language that runs a program in an environment of its own."""
    return Launcher(options, verbs=verbs, before=before, scripts=scripts, own=True, idle=False)


# By the program's name. Of several rows the first counts by which the words can be read.
_ROWS: Mapping[str, tuple[Launcher, ...]] = {
    # what runs its words in its own place
    **dict.fromkeys(("env", "genv"), (Launcher(_ENV, assigns=True, held=True),)),
    **dict.fromkeys(("nohup", "gnohup", "setsid"), (Launcher("-*", held=True),)),
    **dict.fromkeys(("busybox", "toybox"), (Launcher("-*", held=True, own=True),)),
    **dict.fromkeys(("nice", "gnice"), (Launcher("-n= --adjustment= -*", held=True),)),
    "ionice": (Launcher("-c= --class= -n= --classdata= -t --ignore -p! --pid! -P! -u! -*", held=True),),
    **dict.fromkeys(("stdbuf", "gstdbuf"), (Launcher("-i= --input= -o= --output= -e= --error= -*", held=True),)),
    **dict.fromkeys(("timeout", "gtimeout"), (_TIMEOUT,)),
    **dict.fromkeys(("time", "gtime"), (Launcher("-f= --format= -o= --output= -a --append -p -v -q -*", held=True),)),
    "flock": (Launcher("-w= --wait= --timeout= -E= --conflict-exit-code= -c$ --command$ -*", before=1, held=True),),
    "taskset": (Launcher("-p! --pid! -a -c --cpu-list -*", before=1, held=True),),
    "setarch": (Launcher(_ARCH, lead=True, held=True, idle=False),),
    **dict.fromkeys(
        ("linux32", "linux64", "i386", "i486", "i586", "i686", "x86_64", "uname26"), (Launcher(_ARCH, held=True, idle=False),)
    ),
    "chrt": (Launcher("-b -d -f -i -o -r -R -v --batch --deadline --fifo --idle --other --rr -T= -P= -D= -p! -m!", before=1, held=True),),
    "choom": (Launcher("-n= --adjust= -p! --pid!", held=True),),
    "prlimit": (Launcher(_PRLIMIT, held=True),),
    "setpriv": (Launcher(_SETPRIV, held=True),),
    "unshare": (Launcher(_UNSHARE, held=True, idle=False),),
    "strace": (Launcher(_STRACE, held=True),),
    "ld.so": (Launcher(_LOADER, held=True),),
    "dbus-run-session": (Launcher("--config-file= --dbus-daemon=", held=True),),
    "caffeinate": (Launcher("-d -i -m -s -u -t= -w!", held=True),),
    "script": (
        Launcher(
            "-c$ --command$ -a --append -e --return -f --flush --force -q --quiet -E= --echo= -I= --log-in= -O= --log-out= -B= --log-io= -T="
            " --log-timing= -m= --logging-format= -o= --output-limit= -t? --timing?",
            permuted=True, held=True, idle=False,
        ),
        Launcher("-a -d -e -F= -k -p -q -r -t=", before=1, idle=False),
    ),
    "uv": (
        Launcher(_UV, verbs=("run",), own=True, held=True, scripts=_RUNS_PYTHON, idle=False, around=True),
        Launcher(_UV, verbs=("tool", "run"), own=True, held=True, idle=False, around=True),
    ),
    "uvx": (_UVX,),
    # what runs its words with others behind them, in another place, or after it closed its files
    **dict.fromkeys(("xargs", "gxargs"), (Launcher(_XARGS, more=True),)),
    "parallel": (Launcher(_PARALLEL, joined=True, more=True, blanks=r"\{[^{}\s]*\}", ends=(":::", "::::", ":::+", "::::+")),),
    "watch": (Launcher("-b --beep -c --color -C -d? --differences? -e -g -p -t -w -n= --interval= -q= --equexit=", joined=True),),
    "su": (_AS_USER,),
    "sg": (Launcher("- -c$", before=1, joined=True, idle=False),),
    "dpkg-architecture": (Launcher("-a= --host-arch= -t= --host-type= -A= --target-arch= -T= --target-type= -f --force -c> --command>", idle=False),),
    "runuser": (Launcher(_USER, verbs=("-u",), before=1, idle=False), _AS_USER),
    "sudo": (Launcher(_SUDO, assigns=True, idle=False),),
    "doas": (Launcher("-n -u= -a=", idle=False),),
    "systemd-run": (Launcher(_SYSTEMD, moved=True),),
    "ltrace": (Launcher("-b -c -C -f -i -L -r -S -t -tt -ttt -T -a= -A= -D= -e= -F= -l= -n= -o= --output= -s= -u= -w= -x= -p!"),),
    "gdb": (Launcher(_GDB, permuted=True, idle=False),),
    "perf": tuple(Launcher(_PERF, verbs=(verb,), idle=False) for verb in ("stat", "record", "trace")),
    "xvfb-run": (Launcher(_XVFB),),
    **dict.fromkeys(("catchsegv", "chronic", "fakeroot", "eatmydata", "torsocks"), (Launcher(),)),
    "ifne": (Launcher("-n"),),
    "unbuffer": (Launcher("-p"),),
    "entr": (Launcher("-a -c -d -n -p! -r -s! -x -z", blanks="/_"),),
    # tools of languages
    **dict.fromkeys(("npx", "pnpx", "bunx"), (_NPX,)),
    "npm": tuple(_run(verb, options=_NPM) for verb in ("exec", "x")),
    "pnpm": tuple(_run(verb, options="-c! --shell-mode! --package= -s --silent") for verb in ("exec", "dlx")),
    "yarn": tuple(_run(verb, options="-q --quiet -p= --package=") for verb in ("exec", "dlx")),
    "direnv": (_run("exec", before=1),),
    "mise": tuple(Launcher(_MISE, verbs=(verb,), permuted=True, own=True, idle=False) for verb in ("exec", "x")),
    "asdf": (_run("exec"),),
    "poetry": (_run("run"),),
    "pdm": (_run("run", options="-s --site-packages"),),
    "pipenv": (_run("run"),),
    **dict.fromkeys(("hatch", "rye"), (_run("run"),)),
    "bundle": (_run("exec"),),
    "pipx": (_run("run", options="-q --quiet -v --verbose --no-cache --spec= --python= --path# --pip-args= -*", scripts=_RUNS_PYTHON),),
    **dict.fromkeys(("conda", "mamba", "micromamba"), (_run("run", options=_CONDA),)),
    "nix-shell": (Launcher(_NIX, permuted=True, own=True, idle=False),),
    "nix": tuple(Launcher(_NIX_SHELL, verbs=(verb,), permuted=True, own=True, idle=False) for verb in ("develop", "shell")),
}  # fmt: skip
_LOADERS = (
    "ld-linux",
    "ld-musl",
    "ld64",
)  # of the system's binaries: names with a machine, and a version
FINDS = frozenset({"find", "gfind"})
AWKS = frozenset({"awk", "gawk", "mawk", "nawk"})
SEDS = frozenset({"sed", "gsed"})
GITS = frozenset({"git"})
# Options whose file is run, for the programs of these names.
FILED: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(AWKS, ("-f", "-E", "-i", "--file", "--exec", "--include")),
    **dict.fromkeys(SEDS, ("-f", "--file")),
    **dict.fromkeys(("bash", "rbash"), ("--rcfile", "--init-file")),
    **dict.fromkeys(("make", "gmake"), ("-f", "--file", "--makefile")),
    **dict.fromkeys(("at", "batch"), ("-f",)),
    "gdb": ("-x", "-ix", "-command", "--command", "--init-command"),
}
# Options whose value is a text for a shell, or the program that is run, for the programs of these names.
TOLD: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("split", "gsplit"), ("--filter",)),
    **dict.fromkeys(("sort", "gsort"), ("--compress-program",)),
    **dict.fromkeys(("install", "ginstall"), ("--strip-program",)),
    **dict.fromkeys(
        ("tar", "gtar"),
        (
            "-I", "--use-compress-program", "--to-command", "--checkpoint-action", "-F", "--info-script", "--new-volume-script",
            "--rsh-command", "--rmt-command",
        ),
    ),
    "rsync": ("-e", "--rsh"),
    "man": ("-P", "--pager"),
}  # fmt: skip
# What git is told by `-c`: a text for a shell, where the name ends so; an alias is one behind a `!`.
SETTINGS = (
    ".fsmonitor", ".pager", ".editor", ".sshcommand", ".askpass", ".external", ".textconv", ".helper", ".cmd", ".program", ".clean",
    ".smudge", ".process", ".driver", ".proxycommand", ".uploadpack", ".receivepack", ".difftool", ".mergetool", ".command",
)  # fmt: skip
# Variables of which each is a text for a shell, or the program that another one runs.
COMMANDING = frozenset({
    "EDITOR", "GIT_ASKPASS", "GIT_EDITOR", "GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_PROXY_COMMAND", "GIT_SEQUENCE_EDITOR", "GIT_SSH",
    "GIT_SSH_COMMAND", "MANPAGER", "PAGER", "SSH_ASKPASS", "SUDO_ASKPASS", "VISUAL",
})  # fmt: skip
SIGNS = "=?@${}>#.%!"


def rows(name: str) -> tuple[Launcher, ...]:
    """The rows of a program of that name."""
    return _ROWS.get("ld.so" if name.startswith(_LOADERS) and ".so" in name else name, ())


def signs(row: Launcher) -> Mapping[str, str]:
    """The options of a row, each with its sign."""
    names = {option: option.rstrip(SIGNS) for option in row.options.split()}
    return {name: option.removeprefix(name) for option, name in names.items()}
