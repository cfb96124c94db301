"""Runs the commands that `xargs` and `parallel` run for items, and `find` and `fd` for files."""

from __future__ import annotations

from hookline.text import lazy_re as re
from hookline.text.script.find_arguments import find_pattern, is_narrow, list_roots
from hookline.text.script.outputs import find_output
from hookline.text.script.programs import FIND_RUNS, ITEMS, ITEMS_ATTACHED, ITEMS_VALUED, SHELLS
from hookline.text.script.reading import (
    UNKNOWN,
    UNKNOWN_WORD,
    Command,
    Word,
    join_all,
    replace_text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.text.script.state import Shell

_MOST_ITEMS = 64
_LISTED = re.compile(r":{3,4}\+?")
_TEXT_OPTION = re.compile(r"-[a-z]*c")


def run_items(shell: Shell, name: str, command: Command) -> Word | None:
    """Run the command of xargs or parallel with its items."""
    if name not in ITEMS:
        return None
    inner, mark, delimiter, source = _read_options(command.words)
    stdin = shell.files.get(shell.find_path(source), command.stdin) if source else command.stdin
    texts = [word.text for word in inner]
    cut = next((at for at, text in enumerate(texts) if _LISTED.fullmatch(text)), -1)
    if name != "xargs":
        mark = mark or "{}"
    if cut >= 0:
        items, inner = _read_listed(shell, inner[cut:]), inner[:cut]
    else:
        items = _split_items(stdin, delimiter or ("\n" if mark else ""))
    inner = inner or ([Word("echo")] if name == "xargs" else [])
    outer = command._replace(stdin=None)
    if any(mark and mark in word.text for word in inner):
        runs = ([_replace(word, mark, item) for word in inner] for item in items)
    else:
        again = (
            _list_texts(inner, items, stdin)
            if name == "xargs"
            else (items if len(items) > 1 else [])
        )
        runs = ([*inner, *given] for given in (items, *([each] for each in again)))
    output = [_run_list(shell, name, outer, words) for words in runs]
    calls = (*(stdin.calls if stdin else ()), *(call for word in output for call in word.calls))
    return UNKNOWN_WORD._replace(calls=calls)


def _read_listed(shell: Shell, words: Sequence[Word]) -> list[Word]:
    """Return the items of `::: ITEM ...` and `:::: FILE ...`."""
    items: list[Word] = []
    is_file = False
    for word in words:
        if _LISTED.fullmatch(word.text):
            is_file = word.text.startswith("::::")
        elif is_file:
            items += _split_items(shell.files.get(shell.find_path(word.text)), "\n")
        else:
            items.append(word)
    return items


def _list_texts(inner: Sequence[Word], items: list[Word], stdin: Word | None) -> list[Word]:
    """Return the lines of the input for a shell with `-c`, which takes an item for its text."""
    texts = [word.text for word in inner]
    has_shell = any(text.rpartition("/")[2] in SHELLS for text in texts)
    if stdin is None or not has_shell or not any(map(_TEXT_OPTION.fullmatch, texts)):
        return []
    lines = _split_items(stdin, "\n")
    return lines if lines != items else []


def _read_options(words: Sequence[Word]) -> tuple[list[Word], str, str, str]:
    """Return the inner command, the mark for an item, the delimiter, and the file of the items."""
    at, mark, delimiter, source = 1, "", "", ""
    while at < len(words) and words[at].text.startswith("-") and words[at].text != "--":
        after = words[at + 1].text if at + 1 < len(words) else ""
        option, value, takes_next = _read_option(words[at].text, after)
        if option in ("-I", "-J"):
            mark = value
        elif option in ("-i", "--replace"):
            mark = value or "{}"
        elif option in ("-d", "--delimiter"):
            delimiter = value
        elif option in ("-a", "--arg-file"):
            source = value
        at += 2 if takes_next else 1
    first = [word for word in words[at : at + 1] if word.text != "--"]
    return [*first, *words[at + 1 :]], mark, delimiter, source


def _read_option(text: str, after: str) -> tuple[str, str, bool]:
    """Return an option of xargs with its value, and whether that is the next word."""
    if text.startswith("--"):
        name, equals, value = text.partition("=")
        if name not in ITEMS_VALUED and len(name) > len("--ab"):
            known = (*sorted(ITEMS_VALUED), "--replace")
            name = next((each for each in known if each.startswith(name)), name)
        takes_next = name in ITEMS_VALUED and not equals
        return name, after if takes_next else value, takes_next
    for at, letter in enumerate(text[1:], 1):
        option, value = f"-{letter}", text[at + 1 :]
        if option in ITEMS_ATTACHED:
            return option, value, False
        if option in ITEMS_VALUED:
            return option, value or after, not value
    return text, "", False


def _split_items(stdin: Word | None, delimiter: str) -> list[Word]:
    """Return the items in the input; an unknown one if there are none."""
    if stdin is None or not stdin.text:
        return [UNKNOWN_WORD]
    text = stdin.text.replace("\0", "\n").replace(delimiter or "\n", "\n")
    parts = text.split("\n") if delimiter else text.split()
    items = [stdin._replace(text=part) for part in parts if part][:_MOST_ITEMS]
    return items or [stdin._replace(text=UNKNOWN)]


def _replace(word: Word, mark: str, item: Word) -> Word:
    if mark not in word.text:
        return word
    text = replace_text(word.text, mark, item.text)
    return word._replace(text=text, calls=(*word.calls, *item.calls))


def _run_list(shell: Shell, name: str, command: Command, words: list[Word]) -> Word:
    """Run words; parallel gives a shell all of them as one text."""
    if name in ("parallel", "sem") and words and (len(words) == 1 or " " in words[0].text):
        return shell.run_text(join_all(words).text, None, (name,))
    return shell.run_inner(name, command._replace(words=tuple(words)))


# -- found files -----------------------------------------------------------------------------------


def run_found(shell: Shell, name: str, command: Command) -> Word | None:
    """Run what `find -exec` runs, on the folders that it begins with."""
    if name not in ("find", "fd", "fdfind", "gfind"):
        return None
    words, texts = command.words, command.texts
    printed = shell.add_call(command)
    is_fd = name.startswith("fd")
    roots, narrow = _read_fd(words) if is_fd else (list_roots(words[1:]), is_narrow(texts))
    if narrow:
        pattern = UNKNOWN if is_fd else find_pattern(texts)
        roots = [root._replace(text=f"{root.text.rstrip('/')}/{pattern}") for root in roots]
    for at, text in enumerate(texts):
        if text in FIND_RUNS or (is_fd and text in _FD_RUNS):
            inner = _list_until_end(words[at + 1 :], roots)
            if is_fd and not any("{}" in word.text for word in words):
                inner += roots
            is_there = text in ("-execdir", "-okdir") and len(roots) == 1 and "{}" not in texts
            folder = _find_parent(shell, roots[0]) if is_there else None
            shell.run_inner(f"find {text}", Command(tuple(inner)), cwd=folder)
    known = find_output(name, words[1:], command.stdin, {}, shell.cwd)
    return printed if known is None else known._replace(calls=(*printed.calls, *known.calls))


def _find_parent(shell: Shell, root: Word) -> str:
    """Return the folder in which `find -execdir` runs its command; empty if that is not known."""
    parent, slash, _ = root.text.rpartition("/")
    return shell.find_folder(parent or "/") if slash else shell.cwd


_FD_RUNS = ("-x", "-X", "--exec", "--exec-batch")


def _read_fd(words: tuple[Word, ...]) -> tuple[list[Word], bool]:
    """Return the folders of a call of fd, and whether it finds a part of them only."""
    end = next((at for at, word in enumerate(words) if word.text in _FD_RUNS), len(words))
    operands = [word for word in words[1:end] if not word.text.startswith("-")]
    pattern = operands[0].text if operands else "."
    return operands[1:] or [Word(".")], pattern != "."


def _list_until_end(words: tuple[Word, ...], roots: list[Word]) -> list[Word]:
    """Return the words up to `;` or `+`, with what is found for `{}`."""
    inner: list[Word] = []
    for word in words:
        if word.text in (";", "+", r"\;"):
            break
        if "{}" in word.text:
            inner += [
                each._replace(text=replace_text(word.text, "{}", each.text)) for each in roots
            ]
        else:
            inner.append(word)
    return inner
