"""Rules about permissions: modes, owners and access lists of whole folders."""

from __future__ import annotations

from hookline.guards.commands.arguments import gets_found_paths, is_wholly_found, read_arguments
from hookline.guards.commands.hits import Hit
from hookline.guards.commands.places import ROOTS, classify, resolve_path
from hookline.text import lazy_re as re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hookline.guards.commands.hits import Rules
    from hookline.guards.commands.places import Context
    from hookline.text.script.reading import Call

_OCTAL = re.compile(r"[0-7]{1,5}$")
_SYMBOLIC = re.compile(r"[ugoa]*[-+=][rwxXstugo]*(?:,|$)")
_OWN = "give only the owner what is needed, such as `chmod -R u+rwX,go-w`"


def _change_mode(call: Call, context: Context) -> Iterator[Hit]:
    given = read_arguments(call, ("--reference",))
    mode = next((word.text for word in call.words[1:] if _is_mode(word.text)), "")
    if not (given.has("R", "recursive") or gets_found_paths(call)) or not mode:
        return
    operands = [
        word for word in given.operands if word.text != mode and is_wholly_found(word, call)
    ]
    paths = [resolve_path(word, call.cwd, context) for word in operands]
    if _is_world_writable(mode):
        reason = f"it lets every user write ({mode})"
        yield Hit("perm.recursive", reason, _OWN, tuple(filter(None, paths)))
        return
    if _is_harmful(mode):
        yield from _judge_permissions(paths, context, f"it sets the mode {mode}")


def _is_mode(text: str) -> bool:
    if text.startswith("-") and not re.match(r"-[wxst]+$", text):
        return False
    return bool(_OCTAL.match(text) or _SYMBOLIC.match(text))


def _is_world_writable(mode: str) -> bool:
    if _OCTAL.match(mode):
        has_sticky = len(mode.lstrip("0")) > len("777") and mode.lstrip("0")[0] == "1"
        return int(mode[-1]) & 2 != 0 and not has_sticky
    for part in mode.split(","):
        who, _, what = part.replace("=", "+").partition("+")
        if "w" in what and ("o" in who or "a" in who):
            return True
    return False


def _is_harmful(mode: str) -> bool:
    if _OCTAL.match(mode):
        digits = mode.rjust(4, "0")
        return digits[-3:] == "000" or digits[-4] in "4567" or mode.strip("0") == ""
    return bool(re.search(r"[ua]?[+=][rwxX]*s|^(?:a|ugo)?(?:=$|-[rwx]+$)", mode))


def _change_owner(call: Call, context: Context) -> Iterator[Hit]:
    given = read_arguments(call, ("--reference", "--from"))
    if not (given.has("R", "recursive") or gets_found_paths(call)):
        return
    operands = given.operands if given.get("--reference") else given.operands[1:]
    operands = tuple(word for word in operands if is_wholly_found(word, call))
    paths = [resolve_path(word, call.cwd, context) for word in operands]
    yield from _judge_permissions(paths, context, "it changes the owner")


def _change_acl(call: Call, context: Context) -> Iterator[Hit]:
    given = read_arguments(call, ("-m", "--modify", "-x", "--remove", "-M", "-X", "--set"))
    if not (given.has("R", "recursive") or gets_found_paths(call)):
        return
    paths = [resolve_path(word, call.cwd, context) for word in given.operands]
    yield from _judge_permissions(paths, context, "it changes the access list")


def _judge_permissions(paths: Iterable[str], context: Context, what: str) -> Iterator[Hit]:
    for path in paths:
        place = classify(path, context)
        if place in ROOTS:
            yield Hit("perm.recursive", f"{what} of all that is in {place.value}", _OWN, (path,))


PERMISSION_RULES: Rules = {
    "chmod": _change_mode,
    **dict.fromkeys(("chown", "chgrp"), _change_owner),
    "setfacl": _change_acl,
}
