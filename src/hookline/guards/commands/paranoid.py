"""Rules for agents that read untrusted text: what is fetched, opaque, uploaded or run later."""

from __future__ import annotations

from hookline.guards.commands.credentials import find_secret
from hookline.guards.commands.hits import Hit
from hookline.guards.commands.places import resolve_path
from hookline.guards.commands.sinks import find_sink
from hookline.text import lazy_re as re
from hookline.text.script.programs import INTERPRETERS, SHELLS
from hookline.text.script.reading import UNKNOWN, make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.guards.commands.places import Context
    from hookline.text.script.reading import Call, Reading

_FETCHERS = make_set("curl wget fetch aria2c http https xh")
_SHOWS = make_set("cat head tail less more bat grep sed awk nl strings jq yq xxd base64 od")
_DESTRUCTIVE = make_set("rm shred dd truncate mkfs wipefs chmod chown rmdir unlink")
_GIT_SETTINGS = ("core.hooksPath", "core.editor", "core.pager", "alias.")
_LATER = re.compile(
    r"(?:^|/)(?:\.(?:bash|zsh)(?:rc|_profile|_login|env)|\.profile|\.zprofile|\.config/fish/.*"
    r"|\.git/hooks/.*|crontab|cron\.\w+/.*|systemd/(?:system|user)/.*|LaunchAgents/.*"
    r"|LaunchDaemons/.*|autostart/.*|init\.d/.*|rc\.local|\.vimrc|\.gitconfig|profile\.d/.*)$"
)


def judge_paranoid(reading: Reading, context: Context) -> Iterator[Hit]:
    """Yield what an untrusted text should not make an agent do without a question."""
    fetched = {number for number, call in enumerate(reading.calls) if call.program in _FETCHERS}
    for call in reading.calls:
        context.budget.check_now()
        yield from _judge_run(call, fetched)
        yield from _judge_shown(call, context)
        yield from _judge_upload(call)
        yield from _judge_git(call)
        yield from _judge_later(call)


def _judge_run(call: Call, fetched: set[int]) -> Iterator[Hit]:
    name = call.program
    runs_text = name in SHELLS or name in INTERPRETERS or name in ("source", ".", "eval")
    given = [*call.words[1:], *([call.stdin] if call.stdin else [])]
    if runs_text and any(fetched.intersection(word.calls) for word in given):
        yield Hit("run.fetched", "it runs what the network sent", "read it before it runs")
    elif call.words and UNKNOWN in call.words[0].text:
        yield Hit("run.opaque", "it runs a program whose name is not known", "name the program")
    elif runs_text and any(UNKNOWN in word.text for word in given):
        yield Hit("run.opaque", "it runs a text that is not known", "write the text out")
    elif name in _DESTRUCTIVE and any(UNKNOWN in word.text for word in call.words[1:]):
        yield Hit("run.opaque", f"it runs `{name}` on a path that is not known", "name the path")


def _judge_shown(call: Call, context: Context) -> Iterator[Hit]:
    if call.program not in _SHOWS or any(">" in each.operator for each in call.redirects):
        return
    for word in call.words[1:]:
        path = resolve_path(word, call.cwd, context) or word.text
        if not word.text.startswith("-") and find_secret(path):
            reason = f"it shows {word.text.replace(UNKNOWN, '?')} to the model"
            yield Hit("read.secret", reason, "ask for the names only", (path,))


def _judge_upload(call: Call) -> Iterator[Hit]:
    sink = find_sink(call)
    if sink is None:
        return
    sends = bool(sink.files) or sink.reads_stdin or call.program in ("nc", "ncat", "socat")
    has_body = call.program in ("curl", "wget") and len(sink.data) > 1
    if sends or has_body:
        yield Hit("net.upload", f"it sends data away by {sink.name}", "ask the user")


def _judge_git(call: Call) -> Iterator[Hit]:
    texts = call.texts
    if call.program != "git":
        return
    is_forced = any(text == "-f" or text.startswith(("--force", "+")) for text in texts)
    if "push" in texts and is_forced:
        yield Hit("git.publish", "it pushes by force", "push without force")
    elif "remote" in texts and {"add", "set-url"} & set(texts):
        yield Hit("git.publish", "it adds or changes a remote", "ask the user")


def _judge_later(call: Call) -> Iterator[Hit]:
    name = call.program
    texts = call.texts[1:]
    is_scheduler = name in ("at", "batch") or (name == "crontab" and not {"-l", "-r"} & set(texts))
    is_service = name == "systemctl" and bool({"enable", "link"} & set(texts))
    is_setting = name == "git" and any(text.startswith(_GIT_SETTINGS) for text in texts)
    written = [each.target.text for each in call.redirects if ">" in each.operator]
    written += texts if name in ("tee", "cp", "mv", "install", "ln") else []
    if is_scheduler or is_service or is_setting or any(map(_LATER.search, written)):
        yield Hit("exec.deferred", "it makes something run later", "run it now, or ask the user")
