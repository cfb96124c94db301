"""Rules about Windows: recursive removal, disks and backups, in PowerShell and in cmd."""

from __future__ import annotations

from hookline.guards.commands.credentials import find_secret
from hookline.guards.commands.hits import Hit
from hookline.text import lazy_re as re
from hookline.text.script.reading import UNKNOWN, make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.guards.commands.hits import Rules
    from hookline.guards.commands.places import Context
    from hookline.text.script.reading import Call

_ROOT = re.compile(r"(?:[a-z]:)?[\\/]*(?:\*|\*\.\*)?$|[a-z]:$", re.IGNORECASE)
_SYSTEM = re.compile(
    r"(?:[a-z]:)?[\\/](?:windows|program files(?: \(x86\))?|programdata|users|system32|boot)"
    r"(?:[\\/]+(?:system32|syswow64|\*|\*\.\*))?[\\/]*$",
    re.IGNORECASE,
)
_HOME = re.compile(r"(?:[a-z]:)?[\\/]users[\\/][^\\/]+[\\/]*(?:\*|\*\.\*)?$", re.IGNORECASE)
_INSTEAD = "remove single files or a folder of the project by their names"
_SENDS = make_set("invoke-webrequest iwr invoke-restmethod irm")


def _remove(call: Call, context: Context) -> Iterator[Hit]:
    """Judge `Remove-Item -Recurse`, `rd /s` and `del /s`."""
    texts = call.texts[1:]
    lower = [text.lower() for text in texts]
    is_recursive = "/s" in lower or any(re.match(r"-r(?:e\w*)?$", text) for text in lower)
    if not is_recursive:
        return
    paths = [text for text in texts if not text.startswith("-") and not re.match(r"/[a-z]$", text)]
    if call.stdin is not None and not paths:
        paths = [call.stdin.text]
    for path in paths:
        reason = _judge_path(path.strip(), context)
        if reason:
            yield Hit("fs.root", f"it removes {reason}", _INSTEAD, (path,))


def _judge_path(path: str, context: Context) -> str:
    """Return what a path is, if nothing brings it back; empty for any other path."""
    if not path or path == UNKNOWN:
        return ""
    home = context.home.rstrip("/\\")
    if path.rstrip("/\\*") == home or path in ("~", "~\\", "~/") or _HOME.match(path):
        return "a home folder"
    if _SYSTEM.match(path):
        return "a system folder"
    return "the root of a drive" if _ROOT.match(path) else ""


def _erase(call: Call, _context: Context) -> Iterator[Hit]:
    """Judge programs that format or clear a disk."""
    texts = [word.text.lower() for word in call.words[1:]]
    if "-whatif" in texts or "/?" in texts:
        return
    name = call.program
    if name == "format" and not any(re.match(r"[a-z]:", text) for text in texts):
        return
    if name == "diskpart" and "/s" not in texts and call.stdin is None:
        return
    yield Hit("disk.erase", f"it erases a disk (`{name}`)", "let the user do it")


def _destroy_backups(call: Call, _context: Context) -> Iterator[Hit]:
    texts = {word.text.lower() for word in call.words[1:]}
    if {"delete", "shadows"} <= texts or {"delete", "catalog"} <= texts or "/w" in texts:
        yield Hit("disk.erase", "it removes the backups of the machine", "let the user do it")


def _send(call: Call, _context: Context) -> Iterator[Hit]:
    """Judge an upload of a credential file."""
    for word in call.words[1:]:
        for part in re.split(r"[\s()'\"=]+", word.text.replace("\\", "/")):
            if part and "://" not in part and find_secret(part):
                instead = "use a secret only for its own service"
                yield Hit("exfil.file", f"it sends {part} away", instead)
                return


def _stop(call: Call, _context: Context) -> Iterator[Hit]:
    texts = {word.text.lower() for word in call.words[1:]}
    if call.program != "shutdown" or texts & {"/s", "/r", "/p"}:
        yield Hit("system", "it switches the machine off", "let the user do it")


WINDOWS_RULES: Rules = {
    **dict.fromkeys(make_set("remove-item ri del erase rd rmdir rm"), _remove),
    **dict.fromkeys(
        make_set("format format-volume clear-disk initialize-disk remove-partition diskpart"),
        _erase,
    ),
    **dict.fromkeys(make_set("vssadmin wbadmin cipher"), _destroy_backups),
    **dict.fromkeys(_SENDS, _send),
    **dict.fromkeys(make_set("stop-computer restart-computer shutdown"), _stop),
}
