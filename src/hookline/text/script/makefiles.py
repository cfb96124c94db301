"""Runs the recipes of a makefile that the text itself holds: of standard input, or of a file."""

from __future__ import annotations

from itertools import pairwise

from hookline.text import lazy_re as re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.text.script.reading import Command, Word
    from hookline.text.script.state import Shell

_NAMES = ("GNUmakefile", "makefile", "Makefile")
_RULE = re.compile(r"([\w.%/ -]+)::?(?!=)([^;#\n]*)(?:;(.*))?$")
_VALUE = re.compile(r"(?:export )?(\w+) *(?:[:?]|::)?=(.*)$")
_REFERENCE = re.compile(r"\$[({](\w+)[)}]")
_CALL = re.compile(r"\$\(shell\s((?:[^()]|\([^()]*\))*)\)|^\w+\s*!=(.*)$", re.MULTILINE)
_FOLDERS, _FILES = ("-C", "--directory"), ("-f", "--file", "--makefile")
_MOST_TARGETS, _LONGEST_VALUE = 64, 256


def run_make(shell: Shell, name: str, command: Command) -> Word | None:
    """Run the recipes of the targets that make builds, where the text holds the makefile."""
    if name not in ("make", "gmake"):
        return None
    texts, before = command.texts, shell.cwd
    for option, folder in pairwise(texts):
        if option in _FOLDERS:
            shell.cwd = shell.find_folder(folder)
    found = _find_makefile(shell, command)
    printed = None
    if found is not None and found.is_known:
        printed = shell.add_call(command)
        for script in _list_scripts(found.text, texts[1:]):
            shell.run_text(script, None, (name,))
    shell.cwd = before
    return printed


def _find_makefile(shell: Shell, command: Command) -> Word | None:
    """Return the text of the makefile; None if it is not known."""
    texts = command.texts
    named = [value for option, value in pairwise(texts) if option in _FILES]
    named += [
        text.partition("=")[2] for text in texts if text.startswith(("--file=", "--makefile="))
    ]
    named += [text[2:] for text in texts if text.startswith("-f") and len(text) > len("-f")]
    if any(path in ("-", "/dev/stdin") for path in named):
        return command.stdin
    paths = (shell.find_path(path) for path in named or _NAMES)
    return next((shell.files[path] for path in paths if path in shell.files), None)


def _list_scripts(makefile: str, words: list[str]) -> list[str]:
    """Return the shell texts that make runs for the targets among its words, else for the first."""
    recipes: dict[str, list[str]] = {}
    needs: dict[str, list[str]] = {}
    values = {"HOME": "$HOME"}
    targets: list[str] = []
    for line in makefile.replace("\\\n", " ").split("\n"):
        if line.startswith("\t"):
            for target in targets:
                recipes[target].append(line)
        elif match := _VALUE.match(line):
            values[match[1]] = match[2].strip()[:_LONGEST_VALUE]
        elif match := _RULE.match(line):
            targets = match[1].split()[:_MOST_TARGETS]
            for target in targets:
                recipes.setdefault(target, []).extend([match[3]] if match[3] else [])
                needs.setdefault(target, []).extend(match[2].split())
    wanted = [word for word in words if word in recipes]
    wanted = wanted or [target for target in recipes if target[:1] != "."][:1]
    for target in wanted:  # it grows by what its targets need
        wanted += [need for need in needs[target] if need in recipes and need not in wanted]
        if len(wanted) > _MOST_TARGETS:
            break
    calls = [match[1] or match[2] for match in _CALL.finditer(makefile)]
    lines = [*calls, *(line for target in wanted for line in recipes[target])]
    return [_read_recipe(line, values) for line in lines]


def _read_recipe(line: str, values: Mapping[str, str]) -> str:
    """Return a line of a recipe as the shell gets it."""
    plain = _REFERENCE.sub(lambda at: values.get(at[1], at[0]), line.strip().lstrip("@-+"))
    return plain.replace("$$", "$")
