"""Runs the shell texts that a command holds: those of `bash -c`, `eval`, `su -c`, and of stdin."""

from __future__ import annotations

from hookline.text import lazy_re as re
from hookline.text.script.programs import (
    OPERAND_STRINGS,
    OPTION_STRINGS,
    RUNUSER,
    SHELL_VALUED,
    SHELLS,
    VERB_STRINGS,
)
from hookline.text.script.reading import Word, join_all
from hookline.text.script.wrappers import unwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hookline.text.script.reading import Command
    from hookline.text.script.state import Shell

_STDIN = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
_CHECKS = re.compile(r"-[a-z]*n[a-z]*|--noexec")


def run_shell(shell: Shell, name: str, command: Command) -> Word | None:
    """Run `bash -c TEXT`, `bash FILE`, or what a shell reads."""
    words, stdin = command.words, command.stdin
    if name not in SHELLS:
        path = shell.find_path(words[0].text)
        if "/" in words[0].text and path in shell.files:  # a file that the text wrote
            return shell.run_text(shell.files[path].text, stdin, (words[0].text,), words[1:])
        return None
    at, has_code = _skip_options(words)
    rest = words[at:]
    if any(_CHECKS.fullmatch(word.text) for word in words[1:at]):  # it reads, and runs nothing
        return shell.add_call(command)
    if has_code:
        return _run_option(shell, name, command, rest)
    if rest and rest[0].text not in _STDIN and not _reads_stdin(words[1:at]):
        found = shell.files.get(shell.find_path(rest[0].text))
        if found is not None:
            return shell.run_text(
                found.text, stdin, (f"{name} {rest[0].text}",), _keep_positions(name, rest[1:])
            )
        return shell.add_call(command)
    printed = shell.add_call(command)
    if stdin is not None and stdin.is_known:
        positions = rest if _reads_stdin(words[1:at]) else rest[1:]
        return shell.run_text(stdin.text, None, (name,), _keep_positions(name, positions))
    return printed


def _keep_positions(name: str, given: Sequence[Word]) -> Sequence[Word] | None:
    """Return the positions of a script; None where it has those of the shell that reads it."""
    return None if name in ("source", ".") and not given else given


def _run_option(shell: Shell, name: str, command: Command, rest: Sequence[Word]) -> Word:
    """Run the text of `-c`, with the name and the positions after it."""
    if not rest:
        return Word("")
    if not rest[0].is_known:
        shell.add_call(command)
    before, shell.program = shell.program, rest[1] if rest[1:] else shell.program
    printed = shell.run_text(rest[0].text, command.stdin, (f"{name} -c",), rest[2:])
    shell.program = before
    return printed


def _skip_options(words: Sequence[Word]) -> tuple[int, bool]:
    """Return where the operands of a shell begin, and whether the first of them is its text."""
    at, has_code = 1, False
    while at < len(words) and words[at].text[:1] in "-+" and len(words[at].text) > 1:
        text = words[at].text
        takes = text in SHELL_VALUED or (text[1:2] != "-" and text.endswith(("o", "O")))
        at += 2 if takes else 1
        if text == "--":
            break
        has_code = has_code or (text[0] == "-" and text[1] != "-" and "c" in text)
    return at, has_code


def _reads_stdin(options: Sequence[Word]) -> bool:
    texts = [word.text for word in options]
    return any(text[:1] == "-" and text[1:2] != "-" and "s" in text for text in texts)


def run_string(shell: Shell, name: str, command: Command) -> Word | None:
    """Run the text that operands or an option hold, such as those of `eval` or `su -c`."""
    words = command.words
    if name == "runuser" and not {"-c", "--command"}.intersection(command.texts):
        inner = unwrap(words, RUNUSER).words
        return shell.run_inner(name, command._replace(words=tuple(inner))) if inner else None
    if name in OPERAND_STRINGS:
        given = _list_operands(name, words)
        text = join_all(given[:1] if name == "trap" else given)
        return shell.run_text(text.text, command.stdin, (name,)) if text.text else Word("")
    found = list(_list_options(name, words))
    if not found:
        return None
    printed = shell.add_call(command)
    for text, way in found:
        output = shell.run_text(text.text, command.stdin, (f"{name} {way}",))
        printed = printed.add_calls(output)
    return printed


def _list_operands(name: str, words: Sequence[Word]) -> list[Word]:
    """Return the words of a text that operands make up, without the options before it."""
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if name == "watch" and words[at].text in ("-n", "--interval") else 1
    return list(words[at:])


_NAMES = re.compile(r"(?:ProxyCommand|LocalCommand|commands)=", re.IGNORECASE)


def _strip_name(word: Word) -> Word:
    """Return a text without the name of the setting before it, as in `-o ProxyCommand=TEXT`."""
    match = _NAMES.match(word.text)
    return word._replace(text=word.text[match.end() :].strip('[]"')) if match else word


def _list_options(name: str, words: Sequence[Word]) -> Iterator[tuple[Word, str]]:
    """Yield the texts in the options of a program, and after one of its verbs."""
    options = OPTION_STRINGS.get(name, ())
    verbs = VERB_STRINGS.get(name, ())
    for at, word in enumerate(words[1:], 1):
        for option in options:
            is_cluster = len(option) == len("-c") and re.fullmatch(
                rf"-[a-z]+{option[1]}", word.text
            )
            if (word.text == option or is_cluster) and at + 1 < len(words):
                yield _strip_name(words[at + 1]), option
            elif word.text.startswith(f"{option.rstrip('=')}="):
                yield word._replace(text=word.text[len(option.rstrip("=")) + 1 :]), option
        if word.text in verbs and at + 1 < len(words):
            rest = [each for each in words[at + 1 :] if not each.text.startswith("-")]
            yield join_all(rest), word.text
            return
