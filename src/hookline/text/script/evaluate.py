"""Evaluates the statements of a shell text without running anything.

Both branches of a choice are taken, a loop over known words runs for each, and a pipe hands on what
is known of the data. The tree of the grammar decides; a part that it cannot read goes to the lexer.
"""

from __future__ import annotations

from hookline.text import lazy_re as re
from hookline.text.script.budget import Budget, OverBudgetError
from hookline.text.script.deferred import list_written
from hookline.text.script.lexer import Lexer
from hookline.text.script.nodes import (
    find_ended_assignments,
    find_last_command,
    get_text,
    list_nodes,
    list_statements,
    split_backquotes,
    unescape_backquoted,
)
from hookline.text.script.parser import ScriptParser, rewrite_misread
from hookline.text.script.reading import (
    DEEPEST,
    MOST_BYTES,
    MOST_WORDS,
    UNKNOWN_WORD,
    Command,
    Reading,
    Redirect,
    Word,
    join_all,
    join_words,
    make_set,
)
from hookline.text.script.redirects import read_heredoc, read_redirect, send_output
from hookline.text.script.simple_commands import run_words
from hookline.text.script.state import Shell
from hookline.text.script.words import append_fields, expand_lexed, read_fields, read_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tree_sitter import Node

_LATE = "a part that the grammar could not read in time"
_MOST_STATEMENTS = 2000  # with each round of a loop and each call of a function
_MOST_LEVELS = 150  # of the tree
_MOST_ITEMS = 16  # of a loop
_REFERS = re.compile(r"-[A-Za-z]*n[A-Za-z]*")
_SEQUENCES = make_set("""
program list variable_assignments compound_statement do_group if_statement while_statement
elif_clause else_clause negated_command case_statement case_item ERROR c_style_for_statement
""")
# Statements of which a part may not run; what they assign may not be so.
_CHOICES = make_set("""
if_statement while_statement elif_clause else_clause case_item list pipeline c_style_for_statement
for_statement
""")  # fmt: skip
_NAMED = re.compile(r"\$\{?!?([A-Za-z_]\w*)")
_LOOPS = ("while_statement", "c_style_for_statement")


def read_shell(
    text: str,
    *,
    cwd: str = "",
    home: str = "",
    clock: Callable[[], float] | None = None,
) -> Reading:
    """Return every call that a shell text would make.

    Args:
        text: the text.
        cwd: the folder that it runs in; empty if that is unknown.
        home: the user's home folder.
        clock: seconds, to end the parses after 10 ms in all, and the reading after 25 ms; without
            it the grammar reads 4 KB at most, and the lexer the rest.
    """
    shell = Evaluator(cwd, home or "~", clock)
    try:
        shell.run_text(text, None, ())
        for later, path in list(list_written(shell.files)):
            shell.run_text(later, None, (path,))
    except OverBudgetError as error:
        shell.unverified.append(str(error))
    return Reading(
        tuple(shell.calls),
        tuple(dict.fromkeys(shell.unverified)),
        tuple(shell.files.items()),
        shell.is_fork_bomb,
    )


class _DeepError(Exception):
    """A text nests deeper than is read."""


class Evaluator(Shell):
    """Walks the tree of a text."""

    def __init__(self, cwd: str, home: str, clock: Callable[[], float] | None) -> None:
        self._parser = ScriptParser(clock)
        super().__init__(cwd, home, Budget(clock))
        self._active: list[Node] = []
        self._trailing: dict[int, tuple[Word, ...]] = {}  # words after redirections, by node
        self._locals: list[dict[str, list[Word] | None]] = []
        self._level = self._depth = self._statements = 0

    def expand_text(self, text: str) -> Word:
        """Return the value of a text as between double quotes."""
        if "$" not in text and "`" not in text:
            return Word(text)
        if self._depth >= DEEPEST:
            self.unverified.append("values in values, too deep")
            return UNKNOWN_WORD
        self.budget.check()
        tree = self._parser.parse(f'"{text}"')
        if tree is None:
            self.unverified.append(_LATE)
            return UNKNOWN_WORD
        nodes = list_nodes(tree.root_node, ("string",))
        self._depth += 1
        try:
            return read_word(nodes[0], self) if nodes else UNKNOWN_WORD
        finally:
            self._depth -= 1

    # -- texts -------------------------------------------------------------------------------------

    def run_text(
        self,
        text: str,
        stdin: Word | None,
        via: Sequence[str],
        positional: Sequence[Word] | None = None,
    ) -> Word:
        """Run a text and return what it prints."""
        if self._depth >= DEEPEST:
            self.unverified.append("shell texts in shell texts, too deep")
            return UNKNOWN_WORD
        if len(text) > MOST_BYTES:
            self.unverified.append(f"more than {MOST_BYTES >> 10} KB of shell text")
            self._lex(text[:MOST_BYTES])
            return UNKNOWN_WORD
        text = rewrite_misread(text.replace("\0", ""))
        before = self.via, self.stdin, self.positional, self._level
        self.via, self.stdin = (*self.via, *via), stdin
        self._depth += 1
        self._level = 0
        if positional is not None:
            self.positional = list(positional)
        try:
            tree = self._parser.parse(text)
            if tree is None:
                self.unverified.append(_LATE)
                self._lex(text)
                return UNKNOWN_WORD
            if tree.root_node.has_error:
                self._lex(text, is_doubted=True)
            return self.run(tree.root_node, stdin)
        except (_DeepError, RecursionError):
            self.unverified.append("brackets and blocks, too deep")
            self._lex(text)
            return UNKNOWN_WORD
        finally:
            self._depth -= 1
            self.via, self.stdin, self.positional, self._level = before

    def _lex(self, text: str, *, is_doubted: bool = False) -> None:
        """Add the calls that the lexer finds. `is_doubted`: the tree is there, and has an error."""
        seen = {tuple(word.text for word in call.words) for call in self.calls}
        waiting, read = [text], 0
        while waiting and read < DEEPEST:
            read += 1
            lexer = Lexer(waiting.pop(), self.budget)
            for words in lexer.split_commands():
                if words not in seen:
                    run_words(self, Command(tuple(expand_lexed(words, self))))
            waiting += lexer.inner
            self.unverified += lexer.unread
        if is_doubted and waiting:
            self.unverified.append("a part that the grammar cannot read")

    # -- statements --------------------------------------------------------------------------------

    def run(self, node: Node, stdin: Word | None) -> Word:
        """Run a statement and return what it prints."""
        self._statements += 1
        if self._statements > _MOST_STATEMENTS:
            raise OverBudgetError(f"more than {_MOST_STATEMENTS} statements")
        self.budget.check()
        self._level += 1
        if self._level > _MOST_LEVELS:
            raise _DeepError
        try:
            return self._run(node, stdin)
        finally:
            self._level -= 1

    def _run(self, node: Node, stdin: Word | None) -> Word:
        kind = node.type
        before = (dict(self.variables), dict(self.alternatives)) if kind in _CHOICES else None
        run = _STATEMENTS.get(kind)
        if run is not None:
            printed = run(self, node, stdin)
        elif kind in _SEQUENCES:
            printed = self._run_all(list_statements(node), stdin)
        else:
            printed = self._run_substitutions(node)
        if before is not None:
            self.keep_alternatives(*before)
        return printed

    def _run_substitutions(self, node: Node) -> Word:
        if node.type == "postfix_expression":  # `i++`
            self.set(get_text(node.named_children[0]), UNKNOWN_WORD)
        for found in list_nodes(node, ("command_substitution",)):
            self.run_substitution(found)
        return Word("")

    def run_pipeline(self, node: Node, stdin: Word | None) -> Word:
        """Run the commands of a pipe, each with what the one before prints."""
        for child in node.named_children:
            stdin = self.run(child, stdin)
        return stdin or Word("")

    def run_subshell(self, node: Node, stdin: Word | None) -> Word:
        """Run statements whose changes of folder and variables end with them."""
        before = self.cwd, dict(self.variables), list(self.positional)
        printed = self._run_all(node.named_children, stdin)
        self.cwd, self.variables, self.positional = before
        return printed

    def _run_all(self, nodes: Iterable[Node], stdin: Word | None) -> Word:
        printed = [self.run(node, stdin) for node in nodes]
        output = [
            word
            if word.is_known or word.text.endswith("\n")
            else word._replace(text=f"{word.text}\n")
            for word in printed
            if word.text or word.calls
        ]
        if len(output) == 1:
            return output[0] if output[0].is_known else output[0]._replace(text=output[0].text[:-1])
        return join_words(output) if output else Word("")

    def run_loop(self, node: Node, stdin: Word | None) -> Word:
        """Run the body of `for` for each of its words."""
        name, *rest = node.named_children
        body = [child for child in rest if child.type in ("do_group", "compound_statement")]
        values = [word for child in rest if child not in body for word in read_fields(child, self)]
        if not values:
            values = list(self.positional) or [UNKNOWN_WORD]
        if len(values) > _MOST_ITEMS:
            values = [*values[:_MOST_ITEMS], UNKNOWN_WORD]
        printed = []
        for value in values:
            self.set(get_text(name), value)
            printed.append(self._run_all(body, stdin))
        return join_words(printed)

    def define(self, node: Node, _stdin: Word | None) -> Word:
        """Remember a function."""
        name = get_text(node.named_children[0])
        self.functions[name] = node
        own = [found for found in list_nodes(node, ("command_name",)) if get_text(found) == name]
        text = (node.text or b"").replace(b"&&", b"").replace(b"||", b"")
        is_looped = b"&" in text and bool(list_nodes(node, _LOOPS))
        if (len(own) > 1 and (b"&" in text or b"|" in text)) or (own and is_looped):
            self.bombs.add(name)
        return Word("")

    def assign(self, node: Node) -> tuple[str, Word]:
        """Assign a variable, and return its name and value."""
        name, *values = node.named_children
        text, bracket, index = get_text(name).partition("[")
        adds = b"+=" in (node.text or b"")[: len(name.text or b"") + 2]
        if values and values[0].type == "array":
            words = [word for child in values[0].named_children
                     for word in read_fields(child, self)]  # fmt: skip
            before = self.variables.get(text, []) if adds else []
            self.set(text, *(before + words)[:MOST_WORDS])
            return text, join_all(words) if words else Word("")
        value = read_word(values[0], self) if values else Word("")
        if bracket:
            self._run_substitutions(name)
            self.set_element(text, index.rstrip("]"), value)
            return text, value
        if adds:
            value = join_words([self.get(text, None) if self.has(text) else Word(""), value])
        self.set(text, value)
        return text, value

    def _keep_local(self, keyword: str, node: Node) -> None:
        """Remember what a variable was before a function made one of its own."""
        name = get_text(node.named_children[0]).partition("[")[0]
        if self._locals and keyword in ("local", "declare", "typeset"):
            self._locals[-1].setdefault(name, self.variables.get(name))

    def run_declaration(self, node: Node, stdin: Word | None) -> Word:
        """Run `export`, `declare`, `unset` and their kin."""
        words = [Word(get_text(node.children[0]))]
        for child in node.named_children:
            if child.type == "variable_assignment":
                self._keep_local(words[0].text, child)
                name, value = self.assign(child)
                if any(_REFERS.fullmatch(word.text) for word in words[1:]):
                    self.references[name] = value.text
                words.append(value._replace(text=f"{name}={value.text}"))
            else:
                words += read_fields(child, self)
        for word in words[1:] if words[0].text == "unset" else ():
            self.set(word.text, Word(""))
        return self.add_call(Command(tuple(words), stdin))

    # -- commands ----------------------------------------------------------------------------------

    def run_command(
        self,
        node: Node,
        stdin: Word | None,
        redirects: Sequence[Redirect] = (),
        after: Sequence[Word] = (),
    ) -> Word:
        """Run a simple command, for each value that its variables may have.

        `after`: the words that come after its redirections.
        """
        printed = self._run_simple(node, stdin, redirects, after)
        if self.alternatives:
            cwd = self.cwd
            named = _NAMED.findall(get_text(node))
            for name in self.alternatives.keys() & set(named):
                before, others = self.variables.get(name), self.alternatives.pop(name)
                for values in others:
                    self.restore({name: values})
                    self._run_simple(node, stdin, redirects, after)
                self.restore({name: before})
                self.alternatives[name] = others
                self.cwd = cwd
        return printed

    def _run_simple(
        self, node: Node, stdin: Word | None, redirects: Sequence[Redirect], after: Sequence[Word]
    ) -> Word:
        words: list[Word] = []
        assigned: list[tuple[str, Word]] = []
        found = list(redirects)
        outer = self.stdin
        self.stdin = stdin if stdin is not None else outer
        ends = find_ended_assignments(node.children)
        for child in node.named_children:
            if len(words) + len(assigned) > MOST_WORDS:
                self.unverified.append(f"more than {MOST_WORDS} words of one command")
                break
            if child.type == "variable_assignment":
                if child.id in ends:  # the grammar takes the next line to it
                    self.assign(child)
                else:
                    assigned.append(self._read_prefix(child))
            elif child.type in ("file_redirect", "herestring_redirect"):
                stdin, more = read_redirect(self, child, found, stdin)
                words += more
            elif child.type == "command_name":
                for each in child.children or (child,):
                    words += read_fields(each, self)
            else:
                append_fields(words, child, self)
        self.stdin = outer
        words += self._trailing.pop(node.id, ())
        command = Command((*words, *after), stdin, tuple(found), tuple(assigned))
        return send_output(self, run_words(self, command), found)

    def _read_prefix(self, node: Node) -> tuple[str, Word]:
        """Return an assignment before a command, which holds for that command only."""
        name = get_text(node.named_children[0])
        before = self.variables.get(name)
        separators = self.separators
        pair = self.assign(node)
        if name == "IFS":
            self.separators = separators
        else:
            self.restore({name: before})
        return pair

    def run_redirected(self, node: Node, stdin: Word | None) -> Word:
        """Run a statement with redirections."""
        body = node.child_by_field_name("body")
        found: list[Redirect] = []
        after: list[tuple[Node, bool]] = []
        words: list[Word] = []
        if node.named_child_count > MOST_WORDS:
            self.unverified.append(f"more than {MOST_WORDS} redirections of one command")
        for child in node.named_children[:MOST_WORDS]:
            if child.type == "heredoc_redirect":
                stdin = read_heredoc(self, child, found, after, words)
            elif child.type in ("file_redirect", "herestring_redirect"):
                stdin, more = read_redirect(self, child, found, stdin)
                words += more
        if body is None:
            command = Command(tuple(words), stdin, tuple(found))
            printed = run_words(self, command) if words else self.add_call(command)
            return send_output(self, printed if words else Word(""), found)
        if body.type == "command":
            printed = self.run_command(body, stdin, found, words)
        else:
            self._trailing[find_last_command(body).id] = tuple(words)
            printed = self.run(body, stdin)
            if found:
                self.add_call(Command((), printed, tuple(found)))
            printed = send_output(self, printed, found)
        for rest, is_piped in after:
            nodes = rest.named_children if rest.type == "pipeline" and is_piped else [rest]
            for each in nodes:
                printed = self.run(each, printed if is_piped else None)
        return printed

    def run_command_words(self, command: Command) -> Word:
        """Run one command by its words and return what it prints."""
        return run_words(self, command)

    def run_substitution(self, node: Node) -> Word:
        """Run a command substitution and return what it prints, without the last line breaks."""
        text = get_text(node)
        inner = node.named_children
        if text.startswith("`") and ("\\" in text or "`" in text[1:-1]):
            printed = join_words(
                [
                    self.run_text(unescape_backquoted(part), None, ()) if not at % 2 else Word(part)
                    for at, part in enumerate(split_backquotes(text))
                ]
            )
        elif len(inner) == 1 and inner[0].type == "file_redirect":  # `$(< file)`
            found: list[Redirect] = []
            known = read_redirect(self, inner[0], found, None)[0] or UNKNOWN_WORD
            printed = self.add_call(Command((), None, tuple(found)))
            if known.is_known:
                printed = known.add_calls(printed)
        else:
            before = self.cwd, dict(self.variables)
            printed = self._run_all(inner, None)
            self.cwd, self.variables = before
        return printed._replace(text=printed.text.rstrip("\n"))

    def run_process(self, node: Node) -> Word:
        """Run a process substitution and return the path by which it is read."""
        is_input = (node.text or b"").startswith(b"<")
        printed = self._run_all(node.named_children, None if is_input else self.stdin)
        path = f"/dev/fd/{63 - len(self.files) % 50}"
        self.files[path] = printed
        return Word(path, printed.calls, printed.names)

    def call_function(self, name: str, words: Sequence[Word], stdin: Word | None) -> Word:
        """Run the body of a function of the text."""
        if name in self.bombs:
            self.is_fork_bomb = True
        node = self.functions[name]  # its body may define another function of its name
        if any(node is each for each in self._active) or len(self._active) >= DEEPEST:
            return UNKNOWN_WORD
        before, self.positional = self.positional, list(words)
        self._active.append(node)
        self._locals.append({})
        try:
            return self._run_all(node.named_children[1:], stdin)
        finally:
            self._active.pop()
            self.restore(self._locals.pop())
            self.positional = before


_STATEMENTS: dict[str, Callable[[Evaluator, Node, Word | None], Word]] = {
    "command": Evaluator.run_command,
    "pipeline": Evaluator.run_pipeline,
    "redirected_statement": Evaluator.run_redirected,
    "variable_assignment": lambda shell, node, _: shell.assign(node)[1]._replace(text="", calls=()),
    "declaration_command": Evaluator.run_declaration,
    "unset_command": Evaluator.run_declaration,
    "function_definition": Evaluator.define,
    "subshell": Evaluator.run_subshell,
    "for_statement": Evaluator.run_loop,
}
