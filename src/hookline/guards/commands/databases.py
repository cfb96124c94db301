"""Rules about databases: what drops or empties them, through a client, a framework or code."""

from __future__ import annotations

from hookline.guards.commands.arguments import read_arguments
from hookline.guards.commands.hits import Hit
from hookline.guards.commands.services import INSTEAD, ROWS, judge_words
from hookline.text import lazy_re as re
from hookline.text.script.reading import make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.guards.commands.hits import Rules
    from hookline.guards.commands.places import Context
    from hookline.text.script.reading import Call

_CLIENTS = make_set("""
psql mysql mariadb sqlite3 sqlcmd sqlplus cockroach clickhouse-client clickhouse cqlsh usql pgcli
mycli litecli duckdb snowsql bq trino presto beeline hive impala-shell isql tsql libsql turso
mongosh mongo redis-cli valkey-cli influx d1 wrangler supabase db2 osql exec prisma mysqlsh
sqlite cypher-shell surreal heroku athenacli spanner-cli
""")
_QUOTED = re.compile(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/", re.DOTALL)
_TEXTS = re.compile(r'(?<!\\)"(?:[^"\\]|\\.)*"')
_DROPS = re.compile(
    r"\b(?:drop\s+(?:database|schema|table|keyspace|tablespace|user|role|collection)\b"
    r"|truncate\s+(?:table\s+)?[\w\"`\[.]|(?:^|[\s'])flush(?:all|db)(?:$|[\s';])"
    r"|delete\s+from\s+[\w\"`\[\].]+\s*(?:;|$|\))|detach\s+delete\b)"
    r"|\.dropDatabase\(|\.drop\(\)|\.deleteMany\(\s*+(?:\{\s*\}\s*+)?\)|\.remove\(\s*\{\s*\}\s*\)"
    r"|delete\s+from\s+[\w\"`\[\].]+\s+where\s+(?:1\s*=\s*1|true)\b",
    re.IGNORECASE,
)
_COMMENT_BEGIN, _COMMENT_END = "/*", "*/"
_MOST_OPEN_COMMENTS = 8  # each would be searched for its end
_DRY_SQL = re.compile(r"\brollback\b|\bexplain\b", re.IGNORECASE)


_KEY_STORES = make_set("redis-cli valkey-cli keydb-cli")


def _judge_key_store(call: Call) -> Iterator[Hit]:
    """Judge FLUSHALL and FLUSHDB where a command of Redis stands: first, or first in a line."""
    given = read_arguments(call, make_set("-h -p -a -n -u -s --user --pass --tls"))
    lines = [given.texts[0]] if given.texts else []
    if call.stdin is not None:
        lines += [line.split()[0] for line in call.stdin.text.splitlines() if line.split()]
    if any(line.lower() in ("flushall", "flushdb") for line in lines):
        yield Hit("db.drop", "it empties the database", INSTEAD["db.drop"])


def _judge_sql(call: Call, _context: Context) -> Iterator[Hit]:
    texts = [_strip_option(word.text) for word in call.words[1:]]
    if call.stdin is not None:
        texts.append(call.stdin.text)
    texts.append(" ".join(texts))  # what `ssh` hands on has lost its quotes
    if call.program in _KEY_STORES:
        yield from _judge_key_store(call)
    for text in texts:
        if len(text) < 8 and text.lower() not in ("flushall", "flushdb"):  # noqa: PLR2004
            continue
        if call.program in _KEY_STORES:
            break
        plain = _TEXTS.sub("''", text) if call.program.startswith("mongo") else text
        found = _DROPS.search(_drop_quoted(plain))
        if found and not _DRY_SQL.search(text):
            reason = f"it drops or empties data (`{' '.join(found[0].split())}`)"
            yield Hit("db.drop", reason, INSTEAD["db.drop"])
            return


def _strip_option(text: str) -> str:
    """Return the statement in `--command=TEXT` and `-eTEXT`; two dashes begin a comment of SQL."""
    if text.startswith("--"):
        return text.partition("=")[2] or text
    return text[2:] if text.startswith(("-e", "-c", "-Q", "-q")) and " " in text else text


def _drop_quoted(text: str) -> str:
    """Return statements without texts and comments; as they are with many comments left open."""
    last = text.rfind(_COMMENT_END)
    if text.count(_COMMENT_BEGIN, last + 1) > _MOST_OPEN_COMMENTS:
        return text
    return _QUOTED.sub(" ", text)


_EXECUTES = re.compile(
    r"(?:\.|::|->)(?:execute|query|raw|exec|command|run|statement|unprepared|\$executeRaw|\$queryRaw)"
    r"\w*[!?]?\s*[(\s`'\"]"
)


def judge_database_code(call: Call, _context: Context) -> Iterator[Hit]:
    """Judge code of another language that gives a database a statement which drops or empties."""
    if re.search(r"\.flush(?:all|db)\(", call.code, re.IGNORECASE):
        yield Hit("db.drop", "it empties the database", INSTEAD["db.drop"])
    if not _EXECUTES.search(call.code):
        return
    for text in re.findall(r"\"([^\"\n]+)\"|'([^'\n]+)'|`([^`\n]+)`", call.code):
        found = _DROPS.search(next(filter(None, text), ""))
        if found:
            reason = f"it drops or empties data (`{' '.join(found[0].split())}`)"
            yield Hit("db.drop", reason, INSTEAD["db.drop"])
            return


_API = re.compile(
    r"https?://[^/\s]*(?::9200|:5984|:8123|elastic|opensearch|couch|:6333|:8983)[^\s]*"
)


def _judge_http(call: Call, _context: Context) -> Iterator[Hit]:
    """Judge a DELETE of an index or database over HTTP."""
    texts = call.texts[1:]
    found = next((_DROPS.search(_drop_quoted(text)) for text in texts if " " in text), None)
    if found:
        reason = f"it drops or empties data over HTTP (`{' '.join(found[0].split())}`)"
        yield Hit("db.drop", reason, INSTEAD["db.drop"])
    is_delete = any(text in ("-XDELETE", "--request=DELETE", "DELETE", "delete") for text in texts)
    if is_delete and any(_API.match(text) and "/_doc/" not in text for text in texts):
        yield Hit("db.drop", "it deletes an index or a database over HTTP", INSTEAD["db.drop"])


# -- frameworks ------------------------------------------------------------------------------------

_RUNNERS = make_set("php python python3 ruby bundle node rails rake")
# Frameworks whose programs hand a statement to the database: the verbs after which it comes.
_STATEMENTS = {
    **dict.fromkeys(("manage.py", "django-admin"), ("dbshell",)),
    "rails": ("dbconsole", "db"),
    "artisan": ("db",),
    "console": ("doctrine:query:sql", "doctrine:query:dql", "dbal:run-sql"),
    "wp": ("query",),
    "drush": ("sqlq", "sql:query", "sql-query", "sqlc", "sql:cli", "sql-cli"),
}
_EMPTIES = re.compile(r"\.(?:delete_all|destroy_all)\b|objects\.all\(\)\.delete\(\)")


def _judge_statement(call: Call, context: Context) -> Iterator[Hit]:
    """Judge a statement that the program of a framework hands to the database."""
    texts = call.texts
    for at, text in enumerate(texts[:2]):
        verbs = _STATEMENTS.get(text.rpartition("/")[2], ())
        if any(text in verbs for text in texts[at + 1 : at + 3]):
            yield from _judge_sql(call, context)


def _run_script(call: Call, context: Context) -> Iterator[Hit]:
    """Judge `php artisan ...`, `python manage.py ...`, `bundle exec rake ...`."""
    texts = call.texts[1:]
    given = [*texts, call.stdin.text] if call.stdin is not None else texts
    if any(_EMPTIES.search(text) for text in given):
        yield Hit("db.drop", "it deletes all rows of a table", INSTEAD["db.drop"])
        return
    yield from _judge_statement(call, context)
    for at, text in enumerate(texts[:3]):
        name = text.rpartition("/")[2]
        if name in ROWS and not text.startswith("-"):
            yield from judge_words(name, texts[at + 1 :])
            return


DATABASE_RULES: Rules = {
    **dict.fromkeys(_CLIENTS, _judge_sql),
    **dict.fromkeys(_STATEMENTS, _judge_statement),
    **dict.fromkeys(_RUNNERS, _run_script),
    **dict.fromkeys(("curl", "http", "https", "xh", "wget"), _judge_http),
}
