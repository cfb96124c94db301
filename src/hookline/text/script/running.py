"""Runs the words of a command: what is built in, wrappers, and what runs other programs."""

from __future__ import annotations

import posixpath
from itertools import pairwise

from hookline.text.script.carriers import (
    CONTAINER_VALUED,
    CONTAINERS,
    FIND_NARROWS,
    FIND_RUNS,
    INTERPRETERS,
    ITEMS,
    ITEMS_VALUED,
    REMOTE,
    RUNUSER,
    SHELL_VALUED,
    SHELLS,
    STRINGS,
    WRAPPERS,
)
from hookline.text.script.deferred import list_deferred
from hookline.text.script.interpreters import read_code
from hookline.text.script.outputs import find_output
from hookline.text.script.reading import UNKNOWN, UNKNOWN_WORD, Redirect, Word, join_all
from hookline.text.script.wrappers import map_mounts, unwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hookline.text.script.state import Shell

    Assigned = Sequence[tuple[str, Word]]

_MOST_ITEMS = 64


def run_words(
    shell: Shell,
    words: Sequence[Word],
    stdin: Word | None,
    redirects: Sequence[Redirect] = (),
    assigned: Assigned = (),
) -> Word:
    """Run one command by its words and return what it prints."""
    if not words:
        for name, value in assigned:
            shell.set(name, value)
        return shell.add_call((), stdin, redirects, assigned) if redirects else Word("")
    name = words[0].text.rpartition("/")[2] or words[0].text
    if name in shell.functions:
        return shell.call_function(name, words[1:], stdin)
    if name == "$0" or words[0].text == UNKNOWN:
        return shell.add_call(words, stdin, redirects, assigned)
    if name == "printf" and len(words) > 3 and words[1].text == "-v":  # noqa: PLR2004 - and a format
        _print_into(shell, words, stdin)
        return Word("")
    if name == "set" and len(words) == 1:  # it prints every variable
        return shell.add_call(words, stdin, redirects, assigned)
    if (builtin := _BUILTINS.get(name)) is not None:
        builtin(shell, words, stdin)
        return shell.add_call(words, stdin, redirects, assigned) if redirects else Word("")
    if name == "command" and len(words) > 2 and words[1].text in ("-v", "-V"):  # noqa: PLR2004
        return shell.add_call(words, stdin, redirects, assigned)._replace(text=words[2].text)
    if (row := WRAPPERS.get(name)) is not None and (wrapped := unwrap(words, row)).words:
        before = shell.cwd
        if wrapped.folder is not None:
            change_folder(shell, wrapped.folder.text)
        printed = _run_inner(shell, name, wrapped.words, stdin, redirects, assigned)
        shell.cwd = before
        return printed
    for carry in _CARRIERS:
        carried = carry(shell, name, words, stdin, redirects, assigned)
        if carried is not None:
            return carried
    return _run_program(shell, name, words, stdin, redirects, assigned)


def _run_program(
    shell: Shell,
    name: str,
    words: Sequence[Word],
    stdin: Word | None,
    redirects: Sequence[Redirect],
    assigned: Assigned,
) -> Word:
    """Record the call of a program that runs no other, and return what it prints."""
    for text, way in list_deferred(name, words, stdin, assigned):
        shell.run_text(text, None, (way,))
    printed = shell.add_call(words, stdin, redirects, assigned)
    _follow_files(shell, name, words, stdin)
    known = find_output(name, words[1:], stdin, _from_here(shell, words), shell.cwd)
    if known is None:
        return printed
    return known._replace(calls=tuple(dict.fromkeys((*printed.calls, *known.calls))))


def _run_inner(
    shell: Shell,
    name: str,
    words: Sequence[Word],
    stdin: Word | None,
    redirects: Sequence[Redirect],
    assigned: Assigned,
) -> Word:
    """Run what a wrapper wraps."""
    before, shell.via = shell.via, (*shell.via, name)
    try:
        if len(words) == 1 and " " in words[0].text:  # `npx -c 'a text'`
            return shell.run_text(words[0].text, stdin, ())
        if len(shell.via) > 2 * _MOST_ITEMS:
            shell.unverified.append("wrappers in wrappers, too deep")
            return UNKNOWN_WORD
        return run_words(shell, words, stdin, redirects, assigned)
    finally:
        shell.via = before


# -- what runs texts ------------------------------------------------------------------------------


def _run_shell(
    shell: Shell,
    name: str,
    words: Sequence[Word],
    stdin: Word | None,
    redirects: Sequence[Redirect],
    assigned: Assigned,
) -> Word | None:
    """Run `bash -c TEXT`, `bash FILE`, or what a shell reads."""
    is_source = name in ("source", ".")
    if name not in SHELLS and not is_source:
        path = shell.find_path(words[0].text)
        if "/" in words[0].text and path in shell.files:  # a file that the text wrote
            return shell.run_text(shell.files[path].text, stdin, (words[0].text,), words[1:])
        return None
    at, has_code = _skip_shell_options(words)
    rest = words[at:]
    if has_code:
        if not rest:
            return Word("")
        if not rest[0].is_known:
            shell.add_call(words, stdin, redirects, assigned)
        before, shell.program = shell.program, rest[1] if rest[1:] else shell.program
        printed = shell.run_text(rest[0].text, stdin, (f"{name} -c",), rest[2:])
        shell.program = before
        return printed
    if rest and rest[0].text not in ("-", "/dev/stdin") and not _reads_stdin(words[1:at]):
        found = shell.files.get(shell.find_path(rest[0].text))
        if found is not None:
            return shell.run_text(found.text, stdin, (f"{name} {rest[0].text}",), rest[1:])
        return shell.add_call(words, stdin, redirects, assigned)
    printed = shell.add_call(words, stdin, redirects, assigned)
    if stdin is not None and stdin.is_known:
        return shell.run_text(stdin.text, None, (name,), rest)
    return printed


def _skip_shell_options(words: Sequence[Word]) -> tuple[int, bool]:
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
    return any(word.text[:1] == "-" and word.text[1:2] != "-" and "s" in word.text
               for word in options)  # fmt: skip


def _run_strings(
    shell: Shell,
    name: str,
    words: Sequence[Word],
    stdin: Word | None,
    redirects: Sequence[Redirect],
    assigned: Assigned,
) -> Word | None:
    """Run the text that an operand or an option holds, such as that of `eval` or `su -c`."""
    option = STRINGS.get(name)
    if option is None:
        return None
    if name == "runuser" and not any(word.text in ("-c", "--command") for word in words):
        inner = unwrap(words, RUNUSER).words
        return _run_inner(shell, name, inner, stdin, redirects, assigned) if inner else None
    if not option:
        given = [word for word in words[1:] if name == "eval" or not word.text.startswith("-")]
        given = given[:1] if name == "trap" else given
        text = join_all(given)
        if text.text:
            return shell.run_text(text.text, stdin, (name,))
        return Word("")
    for at, word in enumerate(words[1:], 1):
        if word.text in (option, "--command") and at + 1 < len(words):
            shell.add_call(words, stdin, redirects, assigned)
            return shell.run_text(words[at + 1].text, stdin, (f"{name} {option}",))
    return None


def _run_remote(
    shell: Shell,
    name: str,
    words: Sequence[Word],
    stdin: Word | None,
    redirects: Sequence[Redirect],
    assigned: Assigned,
) -> Word | None:
    """Run a command of another machine, or in a container."""
    if name in REMOTE:
        printed = shell.add_call(words, stdin, redirects, assigned)
        inner = unwrap(words, REMOTE[name]).words
        before, shell.cwd = shell.cwd, ""
        if inner:
            shell.run_text(join_all(inner).text, stdin, (name,))
        elif stdin is not None and stdin.is_known:  # a shell of the other machine reads it
            shell.run_text(stdin.text, None, (name,))
        shell.cwd = before
        return printed
    if name not in CONTAINERS or len(words) < 2:  # noqa: PLR2004 - a program and its subcommand
        return None
    subcommands = [word.text for word in words[1:4]]
    verb = next((each for each in ("exec", "run") if each in subcommands), "")
    printed = shell.add_call(words, stdin, redirects, assigned)
    if not verb:
        return printed
    texts = [word.text for word in words]
    at, folder = texts.index(verb) + 1, ""
    while at < len(words) and texts[at].startswith("-") and texts[at] != "--":
        if texts[at] in ("-w", "--workdir"):
            folder = map_mounts(words[at + 1 : at + 2], words, shell)[0].text
        at += 2 if texts[at] in CONTAINER_VALUED else 1
    inner = list(words[at + 1 :])
    while inner and inner[0].text in ("--", "-c"):
        del inner[0]
    if inner:
        mapped = map_mounts(inner, words, shell)
        before, shell.cwd = shell.cwd, folder
        said = _run_inner(shell, f"{name} {verb}", mapped, stdin, (), ())
        shell.cwd = before
        printed = printed._replace(calls=(*printed.calls, *said.calls))
    return printed


def _run_items(
    shell: Shell,
    name: str,
    words: Sequence[Word],
    stdin: Word | None,
    redirects: Sequence[Redirect],
    assigned: Assigned,
) -> Word | None:
    """Run the command of xargs or parallel with its items."""
    if name not in ITEMS:
        return None
    at, mark = 1, ""
    while at < len(words) and words[at].text.startswith("-") and words[at].text != "--":
        text = words[at].text
        if text in ("-I", "--replace") and at + 1 < len(words):
            mark = words[at + 1].text
        elif text.startswith("-I") or text == "-i":
            mark = text[2:] or "{}"
        elif text in ("-a", "--arg-file") and at + 1 < len(words):
            stdin = shell.files.get(shell.find_path(words[at + 1].text), stdin)
        at += 2 if text in ITEMS_VALUED and text != "-i" else 1
    inner = [word for word in words[at : at + 1] if word.text != "--"] + list(words[at + 1 :])
    texts = [word.text for word in inner]
    listed = next((each for each in (":::", "::::") if each in texts), "")
    if listed:
        cut = texts.index(listed)
        items, inner = inner[cut + 1 :], inner[:cut]
        mark = mark or "{}"
    elif stdin is not None and stdin.text:
        parts = stdin.text.replace("\0", "\n").split("\n") if mark else stdin.text.split()
        items = [stdin._replace(text=part) for part in parts if part][:_MOST_ITEMS]
    else:
        items = []
    items = items or [stdin._replace(text=UNKNOWN) if stdin else UNKNOWN_WORD]
    if not inner:
        inner = [] if name == "parallel" else [Word("echo")]
    joined = any(mark and mark in word.text for word in inner)
    if joined:
        for item in items:
            replaced = [word._replace(text=word.text.replace(mark, item.text),
                                      calls=(*word.calls, *item.calls)) if mark in word.text
                        else word for word in inner]  # fmt: skip
            _run_list(shell, name, replaced, redirects, assigned)
    else:
        _run_list(shell, name, [*inner, *items], redirects, assigned)
    return UNKNOWN_WORD._replace(calls=stdin.calls if stdin else ())


def _run_list(
    shell: Shell,
    name: str,
    words: Sequence[Word],
    redirects: Sequence[Redirect],
    assigned: Assigned,
) -> None:
    """Run words; parallel gives a shell all of them as one text."""
    if name == "parallel" and words and (len(words) == 1 or " " in words[0].text):
        shell.run_text(join_all(list(words)).text, None, (name,))
    else:
        _run_inner(shell, name, words, None, redirects, assigned)


def _run_found(
    shell: Shell,
    name: str,
    words: Sequence[Word],
    stdin: Word | None,
    redirects: Sequence[Redirect],
    assigned: Assigned,
) -> Word | None:
    """Run what `find -exec` runs, on the folders that it begins with."""
    if name not in ("find", "fd", "fdfind", "gfind"):
        return None
    printed = shell.add_call(words, stdin, redirects, assigned)
    texts = [word.text for word in words]
    ends = [at for at, text in enumerate(texts) if text.startswith(("-", "(", "!"))] or [len(words)]
    roots = [word for word in words[1 : ends[0]] if word.text] or [Word(shell.cwd or ".")]
    is_narrow = any(text in FIND_NARROWS for text in texts)
    for at, text in enumerate(texts):
        if text not in FIND_RUNS and not (name.startswith("fd") and text in ("-x", "-X")):
            continue
        end = next((i for i in range(at, len(texts)) if texts[i] in (";", "+", r"\;")), len(texts))
        found = [root._replace(text=f"{root.text.rstrip('/')}/{UNKNOWN}") if is_narrow else root
                 for root in roots]  # fmt: skip
        inner: list[Word] = []
        for word in words[at + 1 : end]:
            if "{}" in word.text:
                inner += [each._replace(text=word.text.replace("{}", each.text)) for each in found]
            else:
                inner.append(word)
        _run_inner(shell, f"find {text}", inner, None, (), ())
    known = find_output(name, words[1:], stdin, {}, shell.cwd)
    return printed if known is None else known._replace(calls=(*printed.calls, *known.calls))


def _run_code(
    shell: Shell,
    name: str,
    words: Sequence[Word],
    stdin: Word | None,
    redirects: Sequence[Redirect],
    assigned: Assigned,
) -> Word | None:
    """Read the code of another language, of an option, a file of the text, or standard input."""
    stem = name.rstrip("0123456789.") if name.startswith(("python", "pypy")) else name
    row = INTERPRETERS.get(name) or INTERPRETERS.get(stem)
    if row is None:
        return None
    language, options = row
    printed = shell.add_call(words, stdin, redirects, assigned)
    for code in _find_code(shell, words, options, stdin):
        shell.add_call(words[:1], stdin, (), (), language=language, code=code.text)
        found = read_code(code.text, language)
        for script in found.scripts:
            shell.run_text(script, None, (name,))
        for argv in found.argvs:
            _run_inner(shell, name, [Word(text) for text in argv], None, (), ())
        for path, is_recursive in found.removed:
            flags = ["-rf"] if is_recursive else ["-f"]
            given = [Word(text) for text in ("rm", *flags, path)]
            _run_inner(shell, name, given, None, (), ())
    return printed


def _find_code(
    shell: Shell, words: Sequence[Word], options: Sequence[str], stdin: Word | None
) -> list[Word]:
    found: list[Word] = []
    at, operands = 1, []
    while at < len(words):
        text = words[at].text
        short = next((each for each in options if each and (
            text == each or (len(each) == 2 and text[:1] == "-" and text[1:2] != "-"  # noqa: PLR2004
                             and text.endswith(each[1])))), None)  # fmt: skip
        if short is not None and at + 1 < len(words):
            found.append(words[at + 1])
            at += 1
        elif "+" in options and text.startswith("+"):
            found.append(words[at]._replace(text=text[1:]))
        elif not text.startswith("-") or text == "-":
            operands.append(words[at])
        at += 1
    if "" in options and operands:
        return [operands[0]]
    if found:
        return found
    written = [shell.files[path] for word in operands[:1]
               if (path := shell.find_path(word.text)) in shell.files]  # fmt: skip
    if written:
        return written
    if stdin is not None and stdin.is_known and all(each.text == "-" for each in operands):
        return [stdin]
    return []


def _run_make(
    shell: Shell,
    name: str,
    words: Sequence[Word],
    stdin: Word | None,
    redirects: Sequence[Redirect],
    assigned: Assigned,
) -> Word | None:
    """Run the recipes of a makefile that make reads from standard input."""
    texts = [word.text for word in words]
    if name not in ("make", "gmake") or stdin is None or not stdin.is_known or "-" not in texts:
        return None
    printed = shell.add_call(words, stdin, redirects, assigned)
    before = shell.cwd
    for option, folder in pairwise(texts):
        if option in ("-C", "--directory"):
            change_folder(shell, folder)
    for line in stdin.text.split("\n"):
        if line.startswith("\t"):
            shell.run_text(line.strip().lstrip("@-+").replace("$$", "$"), None, (name,))
    shell.cwd = before
    return printed


_CARRIERS = (_run_make, _run_shell, _run_strings, _run_remote, _run_items, _run_found, _run_code)


# -- files and built-in commands -------------------------------------------------------------------


def _from_here(shell: Shell, words: Sequence[Word]) -> dict[str, Word]:
    """Return what the text wrote to the files that words name."""
    return {
        word.text: shell.files[path]
        for word in words[1:]
        if (path := shell.find_path(word.text)) in shell.files
    }


def _follow_files(shell: Shell, name: str, words: Sequence[Word], stdin: Word | None) -> None:
    """Remember what simple programs write to files."""
    operands = [word for word in words[1:] if not word.text.startswith("-")]
    if name == "tee" and stdin is not None:
        for word in operands:
            shell.write(word.text, stdin)
    elif name in ("cp", "mv", "ln", "install") and len(operands) == 2:  # noqa: PLR2004
        source = shell.files.get(shell.find_path(operands[0].text))
        if source is not None:
            shell.write(operands[1].text, source)


def _run_cd(shell: Shell, words: Sequence[Word], _stdin: Word | None) -> None:
    operands = [word.text for word in words[1:] if not word.text.startswith("-")]
    target = operands[0] if operands else shell.home
    if words[-1].text == "-":
        target = shell.get("OLDPWD", None).text
    shell.set("OLDPWD", Word(shell.cwd or UNKNOWN))
    change_folder(shell, target)


def change_folder(shell: Shell, target: str) -> None:
    """Change the folder of a shell; one that is not known makes it unknown."""
    if UNKNOWN in target:
        shell.cwd = ""
    elif target.startswith("/"):
        shell.cwd = posixpath.normpath(target)
    elif shell.cwd:
        shell.cwd = posixpath.normpath(f"{shell.cwd}/{target}")


def _set_positions(shell: Shell, words: Sequence[Word], _stdin: Word | None) -> None:
    texts = [word.text for word in words]
    if "--" in texts:
        shell.positional = list(words[texts.index("--") + 1 :])
    elif len(words) > 1 and not texts[1].startswith(("-", "+")):
        shell.positional = list(words[1:])


def _shift(shell: Shell, words: Sequence[Word], _stdin: Word | None) -> None:
    count = words[1].text if len(words) > 1 else "1"
    shell.positional = shell.positional[int(count) if count.isdigit() else 1 :]


def _read(shell: Shell, words: Sequence[Word], stdin: Word | None) -> None:
    names = [word.text for word in words[1:] if not word.text.startswith("-")]
    given = stdin if stdin is not None else UNKNOWN_WORD
    fields = given.text.strip().split(None, max(0, len(names) - 1)) if given.is_known else []
    for at, name in enumerate(names or ["REPLY"]):
        text = fields[at] if at < len(fields) else ("" if given.is_known else UNKNOWN)
        shell.set(name, given._replace(text=text))


def _print_into(shell: Shell, words: Sequence[Word], _stdin: Word | None) -> None:
    """Assign what `printf -v NAME FORMAT ...` prints."""
    printed = find_output("printf", words[3:], None, {})
    shell.set(words[2].text, printed or UNKNOWN_WORD)


_BUILTINS: dict[str, Callable[[Shell, Sequence[Word], Word | None], None]] = {
    "cd": _run_cd,
    "pushd": _run_cd,
    "set": _set_positions,
    "shift": _shift,
    "read": _read,
    ":": lambda _shell, _words, _stdin: None,
    "true": lambda _shell, _words, _stdin: None,
}
