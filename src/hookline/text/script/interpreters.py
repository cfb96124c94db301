"""Finds what the code of other languages does to the system: shell texts, removals, literals.

It knows string literals and the names before them; no grammar of a language.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from hookline.text.script.reading import make_set

_LITERAL = r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`"""
_STRING = re.compile(_LITERAL)
# A name, then perhaps brackets, then literals between commas, as in `run(["rm", "-rf", "/"])`.
_CALL = re.compile(
    r"([A-Za-z_][\w.:$>-]*|%x|qx)\s*[({\[\s]*\s*((?:(?:" + _LITERAL + r")\s*(?:,|=>|\s)?\s*)+)"
)
_BACKQUOTES = re.compile(
    r"`((?:[^`\\]|\\.)*)`|qx\s*[({\[/](.*?)[)}\]/]|%x[({\[](.*?)[)}\]]", re.DOTALL
)
_LISTS = re.compile(r"\[\s*((?:(?:" + _LITERAL + r")\s*,?\s*)+)\]")
_SHELLS = make_set("""
system popen call check_call check_output getoutput getstatusoutput run exec execSync
execFileSync execFile spawn spawnSync passthru shell_exec proc_open execute Popen open2
open3 sh do
""")
_REMOVERS = make_set("""
rmtree remove_tree rm_rf rm_r rmSync rm rmdirSync rmdir removeSync remove unlink unlinkSync
emptyDirSync rimraf remove_dir delete_tree deltree
""")
_RECURSIVE = make_set("""
rmtree remove_tree rm_rf rm_r removeSync emptyDirSync rimraf
""")
_JAVASCRIPT_RECURSIVE = re.compile(r"recursive\s*:\s*true")
_VIM_SHELL = re.compile(r"(?:^|[|:])\s*(?:silent\s+)?!(.+)")
# The home folder, as other languages say it, and what asks for it to be put in.
_HOME = re.compile(
    r"(?:pathlib\.)?Path\.home\(\)|(?:require\(['\"](?:node:)?os['\"]\)|os)\.homedir\(\)|Dir\.home"
    r"|os\.environ\[['\"]HOME['\"]\]|process\.env\.HOME|ENV\[['\"]HOME['\"]\]|\$ENV\{HOME\}"
)
_EXPANDED = re.compile(
    r"(?:os\.path\.)?(?:expanduser|File\.expand_path)\(\s*(['\"][^'\"]*['\"])\s*\)"
)
_QUOTES = re.compile(r"(?:\bq[qw]?|%[qQ])\{([^}]*)\}")
_ESCAPES = re.compile(r"\\(.)", re.DOTALL)
_JOINED = re.compile(r"""(['"])\s*(?:\+|\.\.?|~)\s*(['"])""")


class Code(NamedTuple):
    """`scripts`: shell texts that it runs. `argvs`: programs that it runs by their words.

    `removed`: paths that it deletes, each with whether all below goes too. `literals`: all strings.
    """

    scripts: tuple[str, ...] = ()
    argvs: tuple[tuple[str, ...], ...] = ()
    removed: tuple[tuple[str, bool], ...] = ()
    literals: tuple[str, ...] = ()


def read_code(code: str, language: str) -> Code:
    """Return what a text in a language other than the shell's does, as far as literals tell."""
    if language == "vim":
        return Code(scripts=tuple(match[1] for match in _VIM_SHELL.finditer(code)))
    code = _HOME.sub("'~'", _EXPANDED.sub(r"\1", code))
    if language in ("perl", "ruby"):
        code = _QUOTES.sub(lambda at: repr(at[1]), code)
    # 'r' + 'm' is one literal.
    code = _JOINED.sub(lambda at: "" if at[1] == at[2] else at[0], code)
    scripts: list[str] = []
    argvs: list[tuple[str, ...]] = []
    removed: list[tuple[str, bool]] = []
    if language in ("perl", "ruby", "php"):
        scripts += [next(filter(None, match.groups()), "") for match in _BACKQUOTES.finditer(code)]
    for match in _CALL.finditer(code):
        name = re.split(r"[.:>-]+", match[1])[-1]
        given = tuple(_unquote(text) for text in _STRING.findall(match[2]))
        if name in _SHELLS or (language == "awk" and name == "system"):
            in_list = "[" in match[0][: match.start(2) - match.start()]
            if in_list or (len(given) > 1 and name not in ("popen", "open")):
                argvs.append(given)
            else:
                scripts.append(given[0])
        elif name in _REMOVERS:
            is_recursive = name in _RECURSIVE or bool(_JAVASCRIPT_RECURSIVE.search(code))
            removed += [(path, is_recursive) for path in given]
    literals = tuple(_unquote(text) for text in _STRING.findall(code))
    if language == "awk":  # `print | "sh"` and `"cmd" | getline`
        scripts += [text for text in literals if "|" in code and " " in text]
    return Code(tuple(scripts), tuple(argvs), tuple(removed), literals)


def _unquote(text: str) -> str:
    return _ESCAPES.sub(r"\1", text[1:-1])
