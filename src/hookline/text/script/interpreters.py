"""Finds what the code of other languages does to the system: shell texts, removals, literals.

It knows string literals and the names before them; no grammar of a language.
"""

from __future__ import annotations

import base64
import binascii
from itertools import islice
from typing import NamedTuple

from hookline.text import lazy_re as re
from hookline.text.script.outputs import find_output
from hookline.text.script.programs import CONSOLES, INTERPRETERS
from hookline.text.script.reading import Command, Word, make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hookline.text.script.budget import Budget
    from hookline.text.script.state import Shell

# A backslash before it makes it no beginning; so each text is searched once for its end.
_LITERAL = r"""(?<!\\)(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)"""
_STRING = re.compile(_LITERAL)
# A name, then perhaps brackets, then literals between commas, as in `run(["rm", "-rf", "/"])`.
_CALL = re.compile(
    r"((?<!\w)[A-Za-z_][\w.:$>-]{0,40}|%x|qx)[!?]?[({\[\s]*+((?:(?:"
    + _LITERAL
    + r")\s*(?:,|=>|\s)?\s*)+)"
)
_BACKQUOTE = re.compile(r"(?<!\\)`|qx\s*[({\[/]|%x[({\[]")
_BACKQUOTE_ENDS = {"`": re.compile(r"(?<!\\)`"), "q": re.compile(r"[)}\]/]"),
                   "%": re.compile(r"[)}\]]")}  # fmt: skip
_LISTS = re.compile(r"\[\s*((?:(?:" + _LITERAL + r")\s*,?\s*)+)\]")
_SHELLS = make_set("""
system popen call check_call check_output getoutput getstatusoutput run exec execSync
execFileSync execFile spawn spawnSync passthru shell_exec proc_open execute Popen open2 open3 sh
do capture2 capture2e capture3 pipeline execvp execv execl execlp execve posix_spawn spawnl
spawnlp spawnvp cmd system2 shell-command call-process run-program shell shell_command syscmd
esyscmd process open create_subprocess_shell create_subprocess_exec
""")
_REMOVERS = make_set("""
rmtree remove_tree rm_rf rm_r rmSync rm rmdirSync rmdir removeSync remove unlink unlinkSync
emptyDirSync emptyDir rimraf remove_dir delete_tree deltree remove_entry remove_entry_secure
remove_dir_all delete-directory deleteDirectory deleteDir removeTree File.delete File.unlink
""")
_RECURSIVE = make_set("""
rmtree remove_tree rm_rf rm_r removeSync emptyDirSync emptyDir rimraf remove_dir remove_entry
remove_entry_secure remove_dir_all delete_tree deltree delete-directory deleteDirectory deleteDir
removeTree
""")
_OPTION_RECURSIVE = re.compile(r"recursive\s*[:=]\s*(?:true|TRUE|T\b|1)")
# `Pathname("/etc").rmtree`: the path is what the method is called on.
_RECEIVER = re.compile(r"\(\s*(" + _LITERAL + r")\s*\)\s*(?:\.|->)\s*(\w+)")
# `glob("*")`: what it finds is given to a call that removes.
_GLOBS = re.compile(r"\b(?:i?glob(?:Sync)?|Dir)\s*[(\[]\s*(" + _LITERAL + ")")
# A text in back quotes that JavaScript gives to a shell.
_TAGGED = re.compile(r"(?:(?<![\w.])|\bBun\.)(?:\$|execa|sh)`((?:[^`\\]|\\.)*)`")
# Languages in which a line, or a part of one, is a shell text.
_LINES = {
    "vim": re.compile(r"(?:^|[|:])[ \t]*(?:silent!?\s+)?(?:%?w(?:rite)?\s+)?!(.+)", re.MULTILINE),
    "ed": re.compile(r"^\d*!(.+)", re.MULTILINE),
    "gdb": re.compile(r"^[ \t]*(?:shell|!)\s*(.+)", re.MULTILINE),
    "sql": re.compile(r"^[ \t]*(?:\.shell|\.system|\\!|system)\s+(.+)", re.MULTILINE),
    "sed": re.compile(r"(?:^|[\d;{$/])\s*e\s+(.+)"),
    "tcl": re.compile(r"(?:\bexec\s+(?:--\s+)?|\bspawn\s+)([^\]\n]+)"),
    "applescript": re.compile(r'do shell script "((?:[^"\\]|\\.)*)"'),
}
# The substitution of sed with the flag `e` runs what it makes.
_SED_SUBSTITUTES = re.compile(r"(?<![A-Za-z])s([^\s\\])")
_SED_RUNS = re.compile(r"[gip\d]*e")
_MOST_SUBSTITUTIONS, _LONGEST_PART = 256, 1024
# The home folder, as other languages say it, and what asks for it to be put in.
_HOME = re.compile(
    r"(?:pathlib\.)?Path\.home\(\)|(?:require\(['\"](?:node:)?os['\"]\)|os)\.homedir\(\)|Dir\.home"
    r"|os\.environ\[['\"]HOME['\"]\]|process\.env\.HOME|ENV\[['\"]HOME['\"]\]|\$ENV\{HOME\}"
    r"|os\.(?:environ\.get|getenv)\(\s*['\"]HOME['\"]\s*\)|getenv\(\s*['\"]HOME['\"]\s*\)"
)
_HERE = re.compile(
    r"(?:pathlib\.)?Path\.cwd\(\)|(?:process|Deno|os)\.(?:get)?cwd\(\)|Dir\.pwd|\bgetcwd\(\)"
    r"|process\.env\.PWD|(?:os\.environ|ENV)\[['\"]PWD['\"]\]|\$ENV\{PWD\}"
)
_EXPANDED = re.compile(
    r"(?:os\.path\.)?(?:expanduser|File\.expand_path)\(\s*(['\"][^'\"]*['\"])\s*\)"
)
_QUOTES = re.compile(
    r"(?:\bq[qw]?|%[qQ])(?:\{([^{}]*)\}|\(([^()]*)\)|\[([^\[\]]*)\]|<([^<>]*)>|([/|!])(?:[^/|!]*)\5)"
)
# `run(text)`: a call whose first argument is no literal.
_INDIRECT = re.compile(r"\b([A-Za-z_]\w*)(?:\s*+\(\s*+|(?=[^\S ]*+ )\s++)(?=[A-Za-z_$@(])")
_ESCAPES = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|([0-7]{2,3})|(.))", re.DOTALL
)
_BLANKS = {"n": "\n", "t": "\t", "r": "\r"}
_DIVIDED = re.compile(rf"(?:{_LITERAL})(?:\s*/\s*(?:{_LITERAL}))+")
_JOINED = re.compile(r"""(['"])\s*(?:\+|\.\.?)\s*(['"])""")


_EVALS = re.compile(r"\b(?:exec|eval|Function|instance_eval)\W[^'\"`]{0,60}?(" + _LITERAL + ")")


_MOST_SCRIPTS = 256  # shell texts in a piece of code


class Code(NamedTuple):
    """`scripts`: shell texts that it runs. `argvs`: programs that it runs by their words.

    `removed`: paths that it deletes, each with whether all below goes too. `literals`: all strings.
    """

    scripts: tuple[str, ...] = ()
    argvs: tuple[tuple[str, ...], ...] = ()
    removed: tuple[tuple[str, bool], ...] = ()
    literals: tuple[str, ...] = ()


def read_code(code: str, language: str, budget: Budget) -> Code:
    """Return what a text in a language other than the shell's does, as far as literals tell."""
    if language in _LINES:
        return Code(scripts=tuple(_list_lines(code, language)))
    code = _simplify(code, language)
    literals = tuple(_unquote(match[0]) for match in _find_all(_STRING, code, budget))
    found = [_read_calls(code, budget), _read_indirect(code, literals, budget)]
    found += [
        read_code(_unquote(match[1]), language, budget) for match in _find_all(_EVALS, code, budget)
    ]
    scripts = [script for each in found for script in each.scripts]
    if language == "javascript":
        scripts += [_unquote(match[0][match[0].index("`") :]) for match in _TAGGED.finditer(code)]
    if language in ("perl", "ruby", "php", "julia"):
        scripts += _list_backquoted(code)
    if language == "awk":  # `print | "sh"` and `"cmd" | getline`
        scripts += [text for text in literals if "|" in code and " " in text]
    argvs = tuple(argv for each in found for argv in each.argvs)
    removed = tuple(path for each in found for path in each.removed)
    return Code(tuple(scripts), argvs, removed, literals)


def _find_all(pattern: re.Pattern[str], code: str, budget: Budget) -> Iterator[re.Match[str]]:
    for match in pattern.finditer(code):
        budget.check()
        yield match


def _read_calls(code: str, budget: Budget) -> Code:
    """Return what calls with literals run and remove."""
    scripts: list[str] = []
    argvs: list[tuple[str, ...]] = []
    removed: list[tuple[str, bool]] = []
    for match in _find_all(_CALL, code, budget):
        name = match[1] if match[1] in _REMOVERS else re.split(r"[.:>-]+", match[1])[-1]
        given = tuple(_unquote(text) for text in _STRING.findall(match[2]))
        if match[1] in _SHELLS or name in _SHELLS:
            more = _LISTS.match(code, match.end())  # `spawn("rm", ["-rf", "/"])`
            in_list = "[" in match[0][: match.start(2) - match.start()]
            if more:
                argvs.append((*given, *(_unquote(text) for text in _STRING.findall(more[1]))))
            elif in_list or (len(given) > 1 and name not in ("popen", "open")):
                argvs.append(given)
            else:
                scripts.append(given[0])
        elif name in _REMOVERS:
            is_recursive = name in _RECURSIVE or bool(_OPTION_RECURSIVE.search(code))
            is_longer = code[match.end() : match.end() + 1] in ("+", ".", "/")
            if is_longer and given[-1][:1] != "/":
                given = given[:-1]  # the beginning of a longer path
            removed += [(path, is_recursive) for path in given]
    for match in _RECEIVER.finditer(code):
        if match[2] in _REMOVERS:
            removed.append((_unquote(match[1]), match[2] in _RECURSIVE))
    return Code(tuple(scripts), tuple(argvs), tuple(removed))


def _read_indirect(code: str, literals: Sequence[str], budget: Budget) -> Code:
    """Return what calls may run and remove whose arguments are no literals: any literal."""
    names = {match[1] for match in _find_all(_INDIRECT, code, budget)}
    scripts = [text for text in literals if " " in text] if names & _SHELLS else []
    is_recursive = bool(names & _RECURSIVE) or bool(
        names & _REMOVERS and _OPTION_RECURSIVE.search(code)
    )
    removed = [(text, True) for text in literals if is_recursive and text[:1] in ("/", "~")]
    if is_recursive or "unlink" in code:
        removed += [(_unquote(match[1]), True) for match in _GLOBS.finditer(code)]
    return Code(tuple(scripts), (), tuple(removed))


def _list_lines(code: str, language: str) -> list[str]:
    """Return the shell texts of a language in which a line, or a part of one, is one."""
    scripts = [match[1].replace('\\"', '"') for match in _LINES[language].finditer(code)]
    if language == "sed":
        scripts += _list_substituted(code)
    return scripts


def _list_substituted(code: str) -> Iterator[str]:
    """Yield the texts that `s/OLD/TEXT/e` of sed runs."""
    for match in islice(_SED_SUBSTITUTES.finditer(code), _MOST_SUBSTITUTIONS):
        middle = _find_mark(code, match[1], match.end())
        end = _find_mark(code, match[1], middle + 1) if middle >= 0 else -1
        if end >= 0 and _SED_RUNS.match(code, end + 1):
            yield code[middle + 1 : end]


def _find_mark(code: str, mark: str, begin: int) -> int:
    """Return where a part of a substitution ends; -1 if it does not."""
    last = begin + _LONGEST_PART
    at = code.find(mark, begin, last)
    while at > 0 and code[at - 1] == "\\":
        at = code.find(mark, at + 1, last)
    return at


def _list_backquoted(code: str) -> Iterator[str]:
    """Yield the texts in back quotes, and in the forms of them that Perl and Ruby have."""
    at = 0
    while begin := _BACKQUOTE.search(code, at):
        end = _BACKQUOTE_ENDS[begin[0][0]].search(code, begin.end())
        if end is None:
            return
        yield code[begin.end() : end.start()]
        at = end.end()


def _simplify(code: str, language: str) -> str:
    """Return code with plain literals for what is encoded, joined, or the home folder."""
    code = _HERE.sub("'./'", _HOME.sub("'~'", _EXPANDED.sub(r"\1", code)))
    if language in ("perl", "ruby"):
        code = _QUOTES.sub(lambda at: repr(next(filter(None, at.groups()), "")), code)
    if _DECODES.search(code):
        code = _STRING.sub(lambda at: _decode_literal(at[0]), code)
        code = _DECODED.sub(r"\1", code)
    if language == "python":  # `Path.home() / "x"`
        code = _DIVIDED.sub(lambda at: repr("/".join(map(_unquote, _STRING.findall(at[0])))), code)
    # 'r' + 'm' is one literal.
    return _JOINED.sub(lambda at: "" if at[1] == at[2] else at[0], code)


_DECODES = re.compile(
    r"b64decode|[bB]ase64|decode64|fromhex|unhexlify|pack\(|atob|hex2bin|Buffer\.from"
)
_DECODED = re.compile(
    r"\b[\w.:]{0,64}(?:b64decode|decode64|decode_base64|base64_decode|fromhex|unhexlify|atob|hex2bin|Buffer\.from)"
    r"\(\s*(" + _LITERAL + r")(?:\s*,\s*(?:" + _LITERAL + r"))?\s*\)(?:\.\w+\([^()]*\))*"
)
_HEXADECIMAL = re.compile(r"(?:[0-9a-fA-F]{2})+")


def _decode_literal(literal: str) -> str:
    text = literal[1:-1]
    if len(text) < len("cm0gLXJm"):
        return literal
    try:
        if _HEXADECIMAL.fullmatch(text):
            plain = bytes.fromhex(text).decode()
        else:
            plain = base64.b64decode(text, validate=True).decode()
    except (ValueError, binascii.Error):
        return literal
    return repr(plain) if plain.isprintable() or "\n" in plain else literal


def _unquote(text: str) -> str:
    return _ESCAPES.sub(_unescape, text[1:-1])


def _unescape(at: re.Match[str]) -> str:
    short, long, braced, octal, letter = at.groups()
    if code := short or long or braced:
        return chr(min(int(code, 16), 0x10FFFF))
    return chr(int(octal, 8) & 0xFF) if octal else _BLANKS.get(letter, letter)


# -- running ---------------------------------------------------------------------------------------


def run_code(shell: Shell, name: str, command: Command) -> Word | None:
    """Read the code of another language, of an option, a file of the text, or standard input."""
    stem = name.rstrip("0123456789.") if name.startswith(("python", "pypy")) else name
    row = INTERPRETERS.get(name) or INTERPRETERS.get(stem)
    if row is None:
        return None
    language, options = row
    printed = shell.add_call(command)
    for code in _find_code(shell, command, language, options):
        own = Command(command.words[:1], command.stdin)
        shell.add_call(own, language=language, code=code.text)
        shell.budget.check_now()
        found = read_code(code.text, language, shell.budget)
        if len(found.scripts) > _MOST_SCRIPTS:
            shell.unverified.append(f"code with more than {_MOST_SCRIPTS} shell texts")
        for script in found.scripts[:_MOST_SCRIPTS]:
            shell.run_text(script, printed if language == "vim" else None, (name,))
        removed = [
            ("rm", "-rf" if everything else "-f", path) for path, everything in found.removed
        ]
        for argv in (*found.argvs, *removed):
            shell.run_inner(name, Command(tuple(map(Word, argv))))
    known = find_output(name, command.words[1:], command.stdin, {})
    return printed if known is None else known._replace(calls=(*printed.calls, *known.calls))


def _find_code(shell: Shell, command: Command, language: str, options: Sequence[str]) -> list[Word]:
    """Return the code of an interpreter's options, else of its file or its input."""
    words, stdin = command.words, command.stdin
    found: list[Word] = []
    operands: list[Word] = []
    at = 1
    while at < len(words):
        text = words[at].text
        own = text.partition("=")[2] if text.startswith("--") else ""
        if own and text.partition("=")[0] in options:
            found.append(words[at]._replace(text=own))
        elif _holds_code(text, options) and at + 1 < len(words):
            verb = text[:1] != "-"  # `rails runner -e test CODE`
            code = words[-1 if verb else at + 1]
            found.append(_print_value(code) if text in _PRINTS else code)
            at += 1
        elif "+" in options and text.startswith("+"):
            found.append(words[at]._replace(text=text[1:]))
        elif not text.startswith("-") or text == "-":
            operands.append(words[at])
        at += 1
    if "" in options and operands:
        return [*found, *operands] if language == "sql" else [operands[0]]
    if found:
        return found
    paths = [shell.find_path(word.text) for word in operands[:1]]
    written = [shell.files[path] for path in paths if path in shell.files]
    if written:
        return written
    reads_stdin = all(each.text in ("-", "/dev/stdin") for each in operands)
    reads_stdin = reads_stdin or any(each.text in CONSOLES for each in operands)
    if stdin is not None and stdin.is_known and reads_stdin:
        return [stdin]
    return []


_PRINTS = frozenset(("-p", "--print", "-pe"))  # of Node.js: what the code is


def _print_value(code: Word) -> Word:
    return code._replace(text=f"console.log({code.text})")


# Letters after a dash that take the rest of the word: `-MFile::Path`, `-rbase`, `-I.`, `-Wone`.
_TAKE_NEXT = frozenset("-MmIrWC")


def _holds_code(text: str, options: Sequence[str]) -> bool:
    """Return whether the next word is code: after `-e`, and after `-ne`."""
    is_cluster = text[:1] == "-" and text[1:2] not in _TAKE_NEXT
    return any(
        text == option or (is_cluster and len(option) == len("-e") and text.endswith(option[1]))
        for option in options
        if option
    )
