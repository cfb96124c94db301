"""Labels a tool call as safe, destructive or unknown, by its hints or by its shell command."""

from __future__ import annotations

from hookline.guards.commands.credentials import find_secret
from hookline.guards.commands.judge import judge_command
from hookline.guards.finding import UNVERIFIED
from hookline.model.frozen import Frozen
from hookline.text.script.evaluate import read_shell
from hookline.text.script.reading import make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.host.tool_call import ToolCall
    from hookline.text.script.reading import Call

SAFE, DESTRUCTIVE, UNKNOWN = "safe", "destructive", "unknown"


class SafetyLabel(Frozen):
    """What is known of a call's effects.

    `from_hint`: the tool itself says so; otherwise its command was read. `reason`: for a person.
    """

    label: str
    from_hint: bool = False
    reason: str = ""


def label_call(call: ToolCall) -> SafetyLabel:
    """Return the label of a call.

    A shell command is safe if every program in it only reads, and destructive if the guard
    `commands` refuses it. Every other tool is what its hints say.
    """
    if call.is_shell:
        return _label_command(call)
    if call.destructive:
        return SafetyLabel(label=DESTRUCTIVE, from_hint=True, reason="the tool may destroy data")
    if call.read_only:
        return SafetyLabel(label=SAFE, from_hint=True, reason="the tool only reads")
    return SafetyLabel(label=UNKNOWN, from_hint=True)


def _label_command(call: ToolCall) -> SafetyLabel:
    text, cwd = call.command, call.command_folder
    if not text.strip():
        return SafetyLabel(label=UNKNOWN)
    findings = judge_command(text, cwd=cwd, home=call.home, project=call.cwd, profile="strict")
    known = [each for each in findings if each.rule != UNVERIFIED]
    if known:
        return SafetyLabel(label=DESTRUCTIVE, reason=known[0].reason)
    if findings:
        return SafetyLabel(label=UNKNOWN, reason=findings[0].reason)
    reading = read_shell(text, cwd=cwd, home=call.home)
    if reading.unverified or reading.files or not reading.calls:
        return SafetyLabel(label=UNKNOWN)
    other = next((each for each in reading.calls if not _only_reads(each)), None)
    if other is None:
        return SafetyLabel(label=SAFE, reason="every program in the command only reads")
    return SafetyLabel(label=UNKNOWN)


# Programs that only read, whatever their options, but for those in `_WRITING_OPTIONS`.
_READERS = make_set(
    "basename cal cat cksum cmp comm column cut date df diff dirname du echo egrep expr false"
    " fgrep file fold grep groups head hexdump hostname id join jq ls lsblk lscpu md5sum nl nproc"
    " od paste pgrep printf ps pwd readlink realpath rg seq sha1sum sha256sum sha512sum sort stat"
    " strings sum tac tail test tr tree true tty type uname uniq uptime wc whereis which whoami"
    " xxd ["
)
_WRITING_OPTIONS = {
    "date": ("-s", "--set"),
    "file": ("-C", "--compile"),
    "find": (
        "-delete",
        "-exec",
        "-execdir",
        "-ok",
        "-okdir",
        "-fprint",
        "-fprint0",
        "-fprintf",
        "-fls",
    ),
    "hostname": ("-F", "--file", "-b"),
    "rg": ("--pre", "--hostname-bin"),
    "sort": ("-o", "--output", "--compress-program"),
    "tree": ("-o", "--output"),
    "xxd": ("-r",),
}
_GIT_READERS = make_set(
    "blame cat-file describe diff grep log ls-files ls-tree merge-base name-rev rev-list rev-parse"
    " shortlog show show-ref status version whatchanged"
)
_GIT_WRITING_OPTIONS = ("--output", "-O", "--open-files-in-pager", "--ext-diff", "--textconv")
# Programs that write to, or rename to, a further word that is no option.
_MOST_PLAIN_WORDS = {"hostname": 0, "uniq": 1, "xxd": 1}


def _only_reads(call: Call) -> bool:
    """Return whether a call changes nothing, and reads no credentials."""
    words = [word.text for word in call.words]
    if call.language or call.via or call.assigned or not all(word.is_known for word in call.words):
        return False
    if any(not _is_harmless_redirect(each.operator, each.target.text) for each in call.redirects):
        return False
    if any(find_secret(word) for word in words[1:]):
        return False
    options = words[1:]
    if call.program == "git":
        return _git_only_reads(options)
    plain = [each for each in options if not each.startswith("-")]
    if len(plain) > _MOST_PLAIN_WORDS.get(call.program, len(plain)):
        return False
    if call.program == "date" and any(each.isdigit() for each in plain):
        return False  # it sets the clock
    if call.program in _READERS or call.program == "find":
        return not _has_option(options, _WRITING_OPTIONS.get(call.program, ()))
    return options in (["--version"], ["-V"]) and bool(call.program)


def _git_only_reads(options: list[str]) -> bool:
    verb, rest = (options[0], options[1:]) if options else ("", [])
    if verb == "branch":
        return all(each in {"-a", "-r", "-v", "-vv", "--list", "--show-current"} for each in rest)
    if verb == "remote":
        return rest in ([], ["-v"])
    if verb == "stash":
        return rest == ["list"]
    return verb in _GIT_READERS and not _has_option(rest, _GIT_WRITING_OPTIONS)


def _has_option(options: list[str], names: tuple[str, ...]) -> bool:
    """Return whether one of these options may be given."""
    return any(_may_be_option(given, name) for given in options for name in names)


def _may_be_option(given: str, name: str) -> bool:
    """Return whether a word is an option: also joined with a value, with others, or shortened."""
    if given == name:
        return True
    if name.startswith("--"):
        word = given.partition("=")[0]
        return word.startswith("--") and word != "--" and name.startswith(word)
    is_letter = len(name) == 2  # noqa: PLR2004 - a dash and a letter
    return is_letter and given[:1] == "-" and given[1:2] != "-" and name[1] in given[1:]


def _is_harmless_redirect(operator: str, target: str) -> bool:
    return operator in {"<", "<<", "<<<", "<<-"} or target in {"/dev/null", "&1", "&2", "1", "2"}
