"""Runs the commands that a shell has itself: `cd`, `set`, `read`, `printf -v` and their like."""

from __future__ import annotations

from hookline.text import lazy_re as re
from hookline.text.script.outputs import find_output
from hookline.text.script.reading import UNKNOWN, UNKNOWN_WORD, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.text.script.reading import Command
    from hookline.text.script.state import Shell

_COUNT = re.compile(r"[0-9]{1,6}")
_ASSIGNED = re.compile(r"\s*(?:\+\+|--)?([A-Za-z_]\w*)")


def _change_folder(shell: Shell, command: Command) -> Word | None:
    operands = [text for text in command.texts[1:] if not text.startswith("-")]
    target = operands[0] if operands else shell.home
    if command.words[-1].text == "-":
        target = shell.get("OLDPWD", None).text
    shell.set("OLDPWD", Word(shell.cwd or UNKNOWN))
    shell.cwd = shell.find_folder(target)
    return Word("")


def _set_positions(shell: Shell, command: Command) -> Word | None:
    words, texts = command.words, command.texts
    if len(words) == 1:  # it prints every variable
        return None
    if "--" in texts:
        shell.positional = list(words[texts.index("--") + 1 :])
    elif not texts[1].startswith(("-", "+")):
        shell.positional = list(words[1:])
    return Word("")


def _shift(shell: Shell, command: Command) -> Word | None:
    count = command.words[1].text if len(command.words) > 1 else "1"
    shell.positional = shell.positional[int(count) if _COUNT.fullmatch(count) else 1 :]
    return Word("")


def _read(shell: Shell, command: Command) -> Word | None:
    names = [text for text in command.texts[1:] if not text.startswith("-")]
    given = command.stdin if command.stdin is not None else UNKNOWN_WORD
    separators = dict(command.assigned).get("IFS", Word(shell.separators)).text
    is_array = any(text.startswith("-") and "a" in text for text in command.texts[1:])
    most = 0 if is_array else max(0, len(names) - 1)
    is_whole = not is_array and not most  # one name takes the whole line
    fields = _split_fields(given.text, "" if is_whole else separators, most)
    fields = fields if given.is_known else []
    if is_array and names:
        shell.set(names[0], *(given._replace(text=text) for text in fields or [given.text]))
        return Word("")
    for at, name in enumerate(names or ["REPLY"]):
        text = fields[at] if at < len(fields) else ("" if given.is_known else UNKNOWN)
        shell.set(name, given._replace(text=text))
    return Word("")


def _split_fields(text: str, separators: str, most: int) -> list[str]:
    """Return the fields of a line, at most one more than `most` unless that is 0."""
    line = text.strip()
    if not separators:
        return [line]
    if separators.isspace():
        return line.split(None, most or -1)
    return re.split(f"[{re.escape(separators)}]", line, maxsplit=most)


def _read_lines(shell: Shell, command: Command) -> Word | None:
    """Assign the lines of the input to an array."""
    names = [text for text in command.texts[1:] if not text.startswith("-")]
    given = command.stdin if command.stdin is not None else UNKNOWN_WORD
    lines = given.text.split("\n") if given.is_known else [given.text]
    shell.set(names[-1] if names else "MAPFILE", *(given._replace(text=line) for line in lines))
    return Word("")


def _print_into(shell: Shell, command: Command) -> Word | None:
    """Assign what `printf -v NAME FORMAT ...` prints."""
    match command.words:
        case (_, Word(text="-v"), variable, *texts) if texts:
            shell.set(variable.text, find_output("printf", texts, None, {}) or UNKNOWN_WORD)
            return Word("")
        case _:
            return None


_FINDS = {"command": ("-v", "-V"), "type": ("-p", "-P", "-t")}


def _find_command(shell: Shell, command: Command) -> Word | None:
    """Return the name that `command -v NAME` or `type -p NAME` finds."""
    match command.words:
        case (finder, option, found, *_) if option.text in _FINDS[finder.text]:
            shell.add_call(command)
            return found
        case _:
            return None


def _calculate(shell: Shell, command: Command) -> Word | None:
    """Forget the variables that `let NAME=...` assigns: no arithmetic is done."""
    for text in command.texts[1:]:
        if match := _ASSIGNED.match(text):
            shell.set(match[1], UNKNOWN_WORD)
    return Word("")


def _do_nothing(_shell: Shell, _command: Command) -> Word | None:
    return Word("")


# Each returns what it prints, or None for a command that is a program all the same.
BUILTINS: Mapping[str, Callable[[Shell, Command], Word | None]] = {
    "cd": _change_folder,
    "pushd": _change_folder,
    "set": _set_positions,
    "shift": _shift,
    "read": _read,
    "mapfile": _read_lines,
    "readarray": _read_lines,
    "printf": _print_into,
    "command": _find_command,
    "type": _find_command,
    "let": _calculate,
    ":": _do_nothing,
    "true": _do_nothing,
}
