"""Shell lines: what they would run, and which lines are uncertain."""

from __future__ import annotations

import subprocess
import sys

import pytest

from hookline.text.shell_syntax import parse_simple_commands

# id, line, the commands that it would run
READ = [
    ("nothing", "", []),
    ("blanks", " \n\t\n", []),
    ("comment", "# rm x", []),
    ("one-word", "ls", ["ls"]),
    ("blanks-between-words", "  git   commit\t-m  x ", ["git commit -m x"]),
    ("comment-behind", "rm x # $(git push)", ["rm x"]),
    # -- lists and compounds
    ("list", "a && b || c; d & e", ["a", "b", "c", "d", "e"]),
    ("lines", "a\nb\n\nc", ["a", "b", "c"]),
    ("pipeline", "a | b |& c", ["a", "b", "c"]),
    ("negated", "! rm x", ["rm x"]),
    ("subshell", "(cd x && rm y)", ["cd x", "rm y"]),
    ("group", "{ rm x; git a; }", ["rm x", "git a"]),
    ("if", "if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
    ("for", "for i in $(ls); do rm $i; done", ["ls", "rm $i"]),
    ("c-style-for", "for ((i=0; i<$(rm x); i++)); do git a; done", ["rm x", "git a"]),
    (
        "while",
        "while read -r l; do rm $l; done < <(git ls-files)",
        ["read -r l", "rm $l", "git ls-files"],
    ),
    ("until", "until rm x; do :; done", ["rm x", ":"]),
    ("case", "case $(a) in b) rm x;; *) git a;; esac", ["a", "rm x", "git a"]),
    ("function-body", "f() { rm x; }; f", ["rm x", "f"]),
    ("test", "[ -f x ] && [[ -f $(rm y) ]]", ["[ -f x ]", "rm y"]),
    (
        "arithmetic",
        "(( x = $(rm y) )); echo $((1 + $(git a)))",
        ["rm y", "echo $((1 + $(git a)))", "git a"],
    ),
    # -- substitutions
    ("substitution", "echo $(rm x)", ["echo $(rm x)", "rm x"]),
    ("as-the-program", "$(echo rm) x", ["$(echo rm) x", "echo rm"]),
    ("back-quotes", "echo `rm x`", ["echo `rm x`", "rm x"]),
    (
        "back-quotes-in-back-quotes",
        r"echo `echo \`rm x\``",
        [r"echo `echo \`rm x\``", "echo `rm x`", "rm x"],
    ),
    ("back-quotes-in-a-string", r'"`rm \"x y\"`"', [r'"`rm \"x y\"`"', "rm x y"]),
    (
        "in-a-string",
        'echo "a $(git push "$(rm x)") b"',
        ['echo "a $(git push "$(rm x)") b"', 'git push "$(rm x)"', "rm x"],
    ),
    ("in-a-default", 'echo "${x:-$(rm y)}"', ['echo "${x:-$(rm y)}"', "rm y"]),
    ("in-a-subscript", "a[$(rm x)]=1 b", ["b", "rm x"]),
    ("process-substitution", "diff <(rm x) >(git a)", ["diff <(rm x) >(git a)", "rm x", "git a"]),
    ("here-document", "cat <<E\n$(rm x)\nE\n", ["cat", "rm x"]),
    ("quoted-here-document", "cat <<'E'\n$(rm x) `rm y`\nE\ngit a", ["cat", "git a"]),
    ("here-string", 'cat <<<"$(rm x)" y', ["cat y", "rm x"]),
    ("behind-a-here-document", "cat <<E | sh && rm x\nhello\nE\n", ["cat", "sh", "rm x"]),
    ("dash-before-a-here-document", "python - <<'E'\nprint()\nE\n", ["python -"]),
    # -- assignments
    ("assignment-alone", "FOO=1", []),
    ("assignment-of-a-substitution", "FOO=$(rm x)", ["rm x"]),
    ("assignments-before", 'FOO=1 BAR="a b" BAZ+=c rm x', ["rm x"]),
    ("empty-assignment", "FOO= rm x", ["rm x"]),
    ("array-assignment", "a=(1 $(git a)) rm x", ["rm x", "git a"]),
    ("assignment-touching-a-substitution", "A=1<(ls) rm x", ["rm x", "ls"]),
    ("assignment-as-an-argument", "env FOO=1 rm x", ["env FOO=1 rm x"]),
    ("export", "export FOO=$(rm x)", ["export FOO=$(rm x)", "rm x"]),
    # -- redirections
    ("redirections-behind", "rm x >out 2>&1 <in", ["rm x"]),
    ("redirection-first", ">out git commit", ["git commit"]),
    ("redirection-in-the-middle", "git >/dev/null commit -m x", ["git commit -m x"]),
    ("closed-descriptor-in-the-middle", "git 2>&- commit", ["git commit"]),
    ("named-descriptor-in-the-middle", "git {fd}>out commit", ["git commit"]),
    ("redirection-in-a-pipeline", "a | git >out commit | b", ["a", "git commit", "b"]),
    ("redirection-between-assignment-and-program", "a | B=1 >out rm x", ["a", "rm x"]),
    ("here-document-in-the-middle", "git <<E commit\nE\n", ["git commit"]),
    ("redirection-to-a-substitution", "a >$(rm x)", ["a", "rm x"]),
    # -- quoting
    ("single-quotes", "'git' commit", ["git commit"]),
    ("double-quotes", r'"git" "a\"b\$c\d"', [r'git a"b$c\d']),
    ("empty-string-in-a-word", 'r""m x', ["rm x"]),
    ("backslash", r"\rm a\ b", ["rm a b"]),
    ("ansi-c", r"$'\x72\155' $'a\tb' $'\u0063\x{64}' $'e\0f'", ["rm a\tb cd e"]),
    ("ansi-c-controls", r"a $'\e\c?\q\''", ["a \x1b\x7f\\q'"]),
    ("translated", '$"rm" x', ["rm x"]),
    ("line-break-in-a-string", '"r\\\nm" x', ["rm x"]),
    ("escaped-line-break", "git \\\n  commit", ["git commit"]),
    ("quoted-operators", "echo 'a; rm b' \"c && rm d\"", ["echo a; rm b c && rm d"]),
    ("expansion-keeps-its-source", "rm \"$HOME\"/'x' ${y} *.z", ["rm \"$HOME\"/'x' ${y} *.z"]),
    ("assignment-in-quotes-is-a-program", '"A=1" rm', ["A=1 rm"]),
    ("lone-surrogate", "rm \ud800", ["rm ?"]),
    # -- words of bash's own
    ("time", "time -p FOO=1 rm x", ["rm x"]),
    ("time-of-a-subshell", "time (rm x)", ["rm x"]),
    ("coproc", "coproc rm x", ["rm x"]),
    ("program-called-time", r"\time rm x", ["time rm x"]),
]

# id, a line that bash may read otherwise than the grammar does
UNSURE = [
    ("open-quote", "rm 'x"),
    ("open-if", "if rm x; then"),
    ("open-pipeline", "rm x |"),
    ("open-back-quote", "echo `rm x"),
    ("assignment-and-redirection-only", "A=1 >x"),
    ("braces-as-the-program", "{rm,-rf,/}"),
    ("zero-byte", "r\0m x"),
    ("time-of-a-group", "time { rm x; }"),
    ("coproc-of-a-group", "coproc X { rm x; }"),
    ("time-of-an-if", "time if a; then rm x; fi"),
    ("carriage-return-before-a-hash", "echo \r#; rm x"),
    ("form-feed-after-an-assignment", "A=1\fls rm x"),
    ("carriage-return-at-the-end", "rm x\r"),
    ("hash-inside-a-word", "x#;rm y"),
    ("hash-after-an-escaped-line-break", "a\\\n#;rm y"),
    ("word-over-an-escaped-line-break", "r\\\nm x"),
    ("operator-over-an-escaped-line-break", "a &\\\n>b c"),
    ("substitution-over-an-escaped-line-break", 'echo "$\\\n(rm x)"'),
    ("escaped-blank-alone", "git \\ a"),
    ("line-that-begins-with-a-backslash", "echo a\n\\rm x"),
    ("line-that-begins-with-an-escaped-blank", "git\n\\ a"),
    ("substitution-in-a-removed-prefix", "echo ${x#$(rm y)}"),
    ("process-substitution-in-a-removed-prefix", "echo ${x#<(rm y)}"),
    ("back-quotes-in-a-default", "echo ${x:-`rm y`}"),
    ("back-quotes-in-a-here-document", "cat <<E\n`rm y`\nE\n"),
    ("back-quotes-behind-an-expansion-in-a-here-document", "cat <<E\na $x `rm y`\nE\n"),
    ("broken-inside-back-quotes", r"echo `echo \`if\``"),
    ("delimiter-with-an-operator", "cat <<E;\nE\nrm x\nE;\n"),
    ("delimiter-of-two-parts", "cat <<'E'F\nEF\nrm x\nE\n"),
    ("option-touching-a-here-document", "cat -f<<E\nE\n"),
    ("dollar-as-a-file", "git >$ commit x"),
    ("dollar-before-a-substitution", 'echo "$ $(rm x)"'),
    ("command-substitution-of-bash-5.3", "echo ${ rm x; }"),
]


@pytest.mark.parametrize(
    ("line", "commands"), [pytest.param(line, commands, id=name) for name, line, commands in READ]
)
def test_every_command_of_a_line_is_found(line: str, commands: list[str]) -> None:
    """Each simple command is listed once, in order, as its program would see it."""
    assert parse_simple_commands(line) == tuple(commands)


@pytest.mark.parametrize("line", [pytest.param(line, id=name) for name, line in UNSURE])
def test_an_unsure_line_is_not_guessed_at(line: str) -> None:
    """Where bash may run what the grammar does not show, there is no answer."""
    assert parse_simple_commands(line) is None


DEEP = [
    ("substitutions", "$(" * 3000 + "rm x" + ")" * 3000),
    ("strings", '"$(' * 3000 + "rm x" + ')"' * 3000),
    ("list", "a && " * 3000 + "rm x"),
    ("pipeline", "a | " * 3000 + "rm x"),
    ("prefixes", "time " * 3000 + "rm x"),
]


@pytest.mark.parametrize("line", [pytest.param(line, id=name) for name, line in DEEP])
def test_depth_is_no_hiding_place(line: str) -> None:
    """A line deeper than Python's own stack is read to its ground."""
    found = parse_simple_commands(line)
    assert found is not None
    assert found[-1] == "rm x"


def test_the_grammar_is_loaded_for_the_first_line_only() -> None:
    """A process that looks into no command does not pay for the grammar, nor for `typing`."""
    script = (
        "import sys, hookline.text.shell_syntax; print([name for name in ('tree_sitter', "
        "'tree_sitter_bash', 'typing') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", script],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
