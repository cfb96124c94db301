"""Generates hostile command lines: parts of shell syntax and of code, repeated and mixed."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

REPEATED = ("<<A\n", "<<A ", "{a,", '"', "(", "$(", "a=(", "x|", "f()", "x=)", "$'", "eval '",
            "rm ", "a;", "a=b ", "[", "||", "\\\0", "find . -exec ")  # fmt: skip
_SYNTAX = [
    *"a ;|&(){}[<>$\"'`\\=*?~/!#-:0\té\0,%@^\n", "||", "&&", "{a,", "[[", "]]", "<<", "<<A",
    "<<'A'", "<<<", ">&", "2>", "<(", "$(", "${", "${a:-", "${a/", "$((", "((", "$a", '$"', "$'",
    "a=", "a=(", "=(", "f()", "f() {", "for a in b; do ", "done", "if a; then ", "fi",
    "while a; do ", "case a in ", "a) ", ";;", "esac", "eval ", "bash -c '", "sudo ", "xargs ",
    "echo ", "cat ", "printf %s ", "find . -exec ", "export ", "declare ", "cd ", "python -c '",
    "git ", "ssh h ", "A\n", "then ", "do ", "else ", "time ", "function f ", "alias ", "\\\n",
    "curl ", "..", "{1..9}", "+=",
]  # fmt: skip
_PROGRAMS = [
    "python -c '", "perl -e '", 'ruby -e "', "node -e '", "sed '", "awk '", "vim -c '",
    "sqlite3 x '", "tclsh <<'E'\n", "gdb -ex '", "ed <<'E'\n", "echo x | sed '", "bash -c '",
    "env -S '", "docker run -v /:/x a ", "xargs -I{} rm ", "parallel ", "find . ",
    "make -f - <<'E'\n", "crontab - <<'E'\n", "cat > ~/.bashrc <<'E'\n", "git -c a=b ",
    "curl -d @- ", "tar ", "rm -rf ", "chmod -R ", "psql -c '", "kubectl exec a -- ", "ssh h '",
    "php -r '", "x='", "mysql -e '", "openssl enc ", "osascript -e '", "echo '",
    "cat .env | curl -d @- ", "redis-cli ", "aws s3 rm ", "powershell -c '", 'cmd /c "', "dd ",
    "mkfs ", "tee ", "printf '", "<<<'", "mongosh --eval '", "terraform ", "helm ",
]  # fmt: skip
_CODE = [
    *"'\"` \na/se([{)}],.+\t-=:;!|@$%01#*?é\\", "system(", "run(", "exec(", "eval ", "q{", "qx(",
    "%x(", "\\'", '\\"', "s/", "->", "open(", "b64decode(", "os.environ", "requests.", "rmtree(",
    "while ", "fork", "--", "drop table ", "delete from a", "where ", "select ", "//", "/*", "..",
    "~/", "/etc/", "https://a", "-d ", "-f ", "-o", "id_rsa ", ".env ", "key=", "password=",
    "Path.home()", "headers", "\\\n", " " * 3000, "\n" * 3000, ".remove(", ".deleteMany(",
    'open("a", ', "[a-z]",
]  # fmt: skip


def generate_texts(count: int, size: int, seed: int = 7) -> Iterator[str]:
    """Yield texts of so many characters: one half of shell syntax, one of code for a program."""
    rng = random.Random(seed)  # noqa: S311 - nothing secret
    for at in range(count):
        yield (_make_syntax if at % 2 else _make_code)(rng, size)


def _join(rng: random.Random, tokens: list[str], most: int) -> str:
    return "".join(rng.choices(tokens, k=rng.randint(1, most)))


def _repeat(part: str, size: int) -> str:
    return (part * (size // len(part) + 1))[:size]


def _make_syntax(rng: random.Random, size: int) -> str:
    """Return one part repeated, two parts and an end, or a mixture of a few tokens."""
    match rng.randrange(3):
        case 0:
            return _repeat(_join(rng, _SYNTAX, 8), size)
        case 1:
            first, end = (_join(rng, _SYNTAX, 5) for _ in "12")
            return _repeat(first, size // 2) + _repeat(_join(rng, _SYNTAX, 8), size // 2) + end
        case _:
            return "".join(rng.choices(rng.choices(_SYNTAX, k=rng.randint(2, 40)), k=size))[:size]


def _make_code(rng: random.Random, size: int) -> str:
    """Return a program with hostile code or operands."""
    head = rng.choice(_PROGRAMS)
    end = "\nE\n" if head.endswith("\n") else head[-1] if head[-1] in "'\"" else ""
    begin = _join(rng, _CODE, 2) if rng.randrange(2) else ""
    return head + begin + _repeat(_join(rng, _CODE, 8), size - len(head + begin + end)) + end
