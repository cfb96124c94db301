"""Reads the commands of PowerShell and of cmd: words, literals, and texts in texts.

It knows variables that the text sets to a literal, and no control flow: every command counts.
"""

from __future__ import annotations

import base64
import binascii
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hookline.text import lazy_re as re
from hookline.text.grammars import make_powershell_parser
from hookline.text.script.budget import Budget, OverBudgetError
from hookline.text.script.nodes import get_text, list_nodes
from hookline.text.script.parser import parse_source
from hookline.text.script.reading import (
    DEEPEST,
    MOST_BYTES,
    MOST_CALLS,
    MOST_WORDS,
    UNKNOWN,
    Call,
    Reading,
    Word,
    make_set,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_EVALUATES = make_set("iex invoke-expression")
_SHELLS = make_set("powershell pwsh")
_STARTED = make_set("powershell pwsh cmd powershell.exe pwsh.exe cmd.exe")
_LISTS = make_set("get-childitem gci dir ls get-item gi resolve-path")
_TEXT_OPTIONS = ("-c", "-command", "-com", "-comm")
_ENCODED = re.compile(r"-e(?:nc(?:odedcommand)?|c)?$", re.IGNORECASE)
_VARIABLE = re.compile(r"\$(?:\{([^}]+)\}|((?:env:)?\w+))", re.IGNORECASE)
_PERCENT = re.compile(r"%(\w+)%")
_HOMES = make_set("home env:userprofile env:home userprofile")
_FOLDERS = {
    "env:systemdrive": "C:",
    "env:systemroot": "C:\\Windows",
    "env:windir": "C:\\Windows",
    "env:programfiles": "C:\\Program Files",
    "env:programdata": "C:\\ProgramData",
    "systemdrive": "C:",
    "systemroot": "C:\\Windows",
    "windir": "C:\\Windows",
    "programfiles": "C:\\Program Files",
    "programdata": "C:\\ProgramData",
}


def read_windows(
    text: str, language: str, budget: Budget, *, cwd: str = "", home: str = "~"
) -> Reading:
    """Return the commands that a text of PowerShell, or a line of cmd, would run.

    Args:
        text: the text.
        language: `powershell` or `cmd`.
        budget: ends the reading in time.
        cwd: the folder that it runs in; empty if that is unknown.
        home: the user's home folder.
    """
    reader = _Reader(cwd, home, budget)
    with reader.keep_within_budget():
        if language == "powershell":
            reader.read(text, ())
        else:
            reader.read_line(text, ())
    return Reading(tuple(reader.calls), tuple(dict.fromkeys(reader.unverified)))


def read_started(reading: Reading, budget: Budget, home: str) -> Reading:
    """Return a reading of another shell with what its calls of PowerShell and cmd run."""
    started = [call for call in reading.calls if call.program.lower() in _STARTED]
    if not started:
        return reading
    reader = _Reader(started[0].cwd, home, budget)
    with reader.keep_within_budget():
        for call in started:
            name = Word(call.program.lower().removesuffix(".exe"))
            reader.add([name, *call.words[1:]], call.stdin, call.via)
    return reading._replace(
        calls=(*reading.calls, *reader.calls),
        unverified=(*reading.unverified, *reader.unverified),
    )


class _Reader:
    def __init__(self, cwd: str, home: str, budget: Budget) -> None:
        self.cwd, self.home, self.budget = cwd, home, budget
        self.calls: list[Call] = []
        self.unverified: list[str] = []
        self.variables: dict[str, str] = {}

    @contextmanager
    def keep_within_budget(self) -> Iterator[None]:
        """End the reading where the time or Python's stack is; what comes after is unverified."""
        try:
            yield
        except OverBudgetError as error:
            self.unverified.append(str(error))
        except RecursionError:
            self.unverified.append("texts in texts, too deep")

    def read(self, text: str, via: tuple[str, ...]) -> None:
        """Take in a text of PowerShell."""
        if len(via) > DEEPEST or len(text) > MOST_BYTES:
            self.unverified.append("a text that is too long, or texts in texts, too deep")
            return
        parser = make_powershell_parser()
        if parser is None:
            self.unverified.append("PowerShell, because its grammar is not installed")
            return
        tree = parse_source(parser, text.encode("utf-8", "replace"), self.budget)
        if tree is None:
            self.unverified.append("a part that the grammar of PowerShell could not read in time")
            return
        if tree.root_node.has_error:
            self.unverified.append("a part that the grammar of PowerShell cannot read")
        for node in list_nodes(tree.root_node, ("assignment_expression", "pipeline_chain")):
            self.budget.check()
            if node.type == "assignment_expression":
                self._assign(node)
            else:
                self._run_pipeline(node, via)

    def _assign(self, node: Node) -> None:
        name, equals, value = get_text(node).partition("=")
        literal = value.strip()
        if equals and re.fullmatch(r"'[^']*'|\"[^\"]*\"", literal):
            self.variables[name.strip().lstrip("$").lower()] = self.expand(literal)

    def _run_pipeline(self, node: Node, via: tuple[str, ...]) -> None:
        stdin: Word | None = None
        for child in node.named_children:
            if child.type != "command":
                stdin = Word(self.expand(get_text(child)))
                continue
            words = self._read_words(child)
            self.add(words, stdin, via)
            listed = words[1:] if words[0].text in _LISTS else [Word(UNKNOWN)]
            stdin = Word(" ".join(word.text for word in listed if word.text[:1] != "-"))

    def _read_words(self, node: Node) -> list[Word]:
        parts: list[Node] = []
        for child in node.named_children:
            if child.type == "command_elements":
                parts += [each for each in child.named_children if "sep" not in each.type]
            elif child.type != "command_invokation_operator":
                parts.append(child)
        texts = [self.expand(get_text(part)) for part in parts[:MOST_WORDS]]
        if len(parts) > MOST_WORDS:
            self.unverified.append(f"more than {MOST_WORDS} words of one command")
        name = texts[0].lower().rpartition("\\")[2].removesuffix(".exe") if texts else UNKNOWN
        return [Word(name), *map(Word, texts[1:])]

    def expand(self, text: str) -> str:
        """Return a word without quotes, and with the variables that are known."""
        self.budget.check()
        text = text.strip()
        if text.startswith("'"):
            return text.strip("'").replace("''", "'")
        return _VARIABLE.sub(
            lambda at: self._find((at[1] or at[2]).lower()), text.strip('"').replace("`", "")
        )

    def _find(self, name: str) -> str:
        if name in _HOMES:
            return self.home
        return self.variables.get(name) or _FOLDERS.get(name, UNKNOWN)

    def add(self, words: list[Word], stdin: Word | None, via: tuple[str, ...]) -> None:
        """Record a command, and read the text that it runs."""
        self.budget.check()
        if len(self.calls) >= MOST_CALLS:
            raise OverBudgetError(f"more than {MOST_CALLS} calls")
        self.calls.append(Call(tuple(words), via, self.cwd, stdin=stdin))
        name, texts = words[0].text, [word.text for word in words[1:]]
        if name in _EVALUATES and texts:
            self.read(texts[-1], (*via, name))
        elif name == "cmd" and len(texts) > 1 and texts[0].lower() in ("/c", "/k"):
            self.read_line(" ".join(texts[1:]), (*via, name))
        elif name in _SHELLS:
            self._read_shell(texts, (*via, name))

    def _read_shell(self, texts: list[str], via: tuple[str, ...]) -> None:
        for at, text in enumerate(texts):
            rest = texts[at + 1 :]
            if text.lower() in _TEXT_OPTIONS:
                self.read(" ".join(rest), via)
                return
            if _ENCODED.match(text) and rest:
                try:
                    self.read(base64.b64decode(" ".join(rest)).decode("utf-16-le"), via)
                except (ValueError, binascii.Error):
                    self.unverified.append("an encoded command that cannot be decoded")
                return

    def read_line(self, text: str, via: tuple[str, ...]) -> None:
        """Take in a line of cmd."""
        if len(via) > DEEPEST or len(text) > MOST_BYTES:
            self.unverified.append("a text that is too long, or texts in texts, too deep")
        text = _PERCENT.sub(lambda at: self._find(at[1].lower()), text.replace("^", ""))
        for part in re.split(r"[&|\n]+", text[:MOST_BYTES]):
            found = re.findall(r'"([^"]*)"|([^\s"]+)', part)[:MOST_WORDS]
            texts = [quoted or plain for quoted, plain in found]
            if texts:
                name = texts[0].lower().rpartition("\\")[2].removesuffix(".exe").lstrip("@(")
                self.add([Word(name), *map(Word, texts[1:])], None, via)
