"""The keys of `hookline.yaml`, as tables from which the loader and the JSON Schema are made."""

from __future__ import annotations

from hookline.model.frozen import Frozen
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from hookline.wire.fields import Node


class Key(Frozen):
    """A key: the shape of its value, one of `READERS` or a part of the file, and its meaning."""

    shape: str
    meaning: str


def _read_table(text: str) -> Mapping[str, Key]:
    rows = (map(str.strip, line.split("|", 2)) for line in text.strip().splitlines())
    return {key: Key(shape=shape, meaning=meaning) for key, shape, meaning in rows}


FILE = _read_table("""
version  | version  | the version of this format: 1
sources  | sources  | files of other formats, which hookline loads with this one
hooks    | hooks    | the hooks, in the order in which they run
defaults | defaults | for each event, what its hooks in this file have unless they say otherwise
exceptions | exceptions | what you allow although a guard of this file refuses it
tests    | tests    | events with the answer that you expect; `hookline test` fires them
""")
# Keys of the top that are settings: where they belong.
SETTINGS = ("trust", "journal", "limits")
SOURCE = _read_table("""
path    | text | a file or folder, absolute, from `~`, or relative to the folder of this file
dialect | text | its format; without it, its place, name and contents tell
mode    | mode | `fidelity`, as its own host runs it, or `strict`: a failed guard asks or denies
trust   | trust | `approved`, as of your other files, or `all`: its hooks need no approval
""")
# What an event, or a hook, says of failures and time.
DEFAULTS = _read_table("""
on_failure | stance  | what a failure of the hook means: `silent`, `ask` or `deny`
timeout    | seconds | seconds after which hookline ends the hook
""")
_WHAT = _read_table("""
on          | event    | the event, by its canonical name
name        | text     | what messages call the hook
id          | text     | what commands call the hook, after the name of the file and `#`
description | text     | what it is for
tool        | selector | a kind (`shell`), a name of a host, a glob (`mcp__*`), a list, or `regex`
command     | command  | an expression, or the programs, flags and paths, of a shell command
path        | words    | globs, of which one matches a path of the tool's input
rule        | text     | a permission rule, such as `Bash(git push:*)` or `Edit(*.ts)`
when        | when     | further fields of the payload, each with the value that it must have
""")
_HOW = _read_table("""
rank     | integer | lower runs first; hooks of the same rank run in the order of the file
once     | flag    | at most once in a session
detached | flag    | started without waiting; its answer does not count
shadow   | flag    | run and recorded, never enforced
""")
# What runs: the key that chooses it -> the keys that belong to it, that one included.
HANDLERS: Mapping[str, Mapping[str, Key]] = {
    "run": _read_table("""
run      | words   | a line for a shell, or a list: a program and its arguments
shell    | texts   | shells for the line, the first that is there: `bash`, `sh`
env      | mapping | variables to add to the environment
drop_env | texts   | globs of variables to remove from the environment
cwd      | text    | the folder to run in, relative to the event's
files    | texts   | further files that an approval covers
"""),
    "use": _read_table("""
use  | builtin | a guard or another handler that hookline ships
with | object  | the options of the guard
args | texts   | its arguments
env  | mapping | variables that it sees
cwd  | text    | the folder that it looks at
"""),
    "url": _read_table("""
url       | text    | an address that receives the payload as JSON
method    | text    | the HTTP method; `POST` by default
headers   | mapping | HTTP headers; `$NAME` is a variable that `variables` names
variables | texts   | variables of the environment that `headers` may use
secret    | text    | the variable with the key that signs the payload
body      | text    | what to send instead of the payload
"""),
    "prompt": _read_table("""
prompt     | text    | a question to a language model; `$ARGUMENTS` is the payload
model      | text    | the model, as `provider/model`
base_url   | text    | the address of the provider's API
key        | text    | the variable with the key of the API
max_tokens | integer | a longer reply is a failure
"""),
    **{
        word: {word: Key(shape="text", meaning=meaning)}
        for word, meaning in (
            ("deny", "refuse, for this reason"),
            ("ask", "ask a person, for this reason"),
            ("allow", "vouch for the action, for this reason; the host may skip its prompt"),
            ("context", "a text for the model"),
            ("note", "a text for the user"),
        )
    },
}
COMMON = {**_WHAT, **DEFAULTS, **_HOW}
HOOK = {**_WHAT, **{key: row for rows in HANDLERS.values() for key, row in rows.items()},
        **DEFAULTS, **_HOW}  # fmt: skip
EXCEPTION = _read_table("""
rule    | text   | the rule of a guard, such as `fs.local`
reason  | text   | why it is allowed
until   | moment | the last day, such as `2027-01-31`, or a moment with time and zone
command | text   | the only command that is allowed, with `*` for any text
path    | text   | a glob for the only paths that are allowed
project | text   | the only project for which it is allowed, in your own file
""")
COMMAND = _read_table("""
name  | words | the program, by its name without a folder; or several
flags | texts | flags that it must have, each without dashes, its spellings between `|`
paths | texts | globs, of which one matches an argument; `~` is the home folder
""")
PATTERN = _read_table("""
regex | text | an expression (RE2) that is searched in the text
""")
TEST = _read_table("""
name    | text   | what the test shows
on      | text   | the event, by its canonical name; of a `host`, by the name that it has there
host    | text   | the format of the payload; without it, hookline's own
payload | object | the payload
expect  | expect | the stance, or an object of what must come out
""")
EXPECT = _read_table("""
stance    | answer | `silent`, `allow`, `ask`, `deny` or `halt`
reason    | text   | an expression that is searched in the reason
rewrite   | object | the new input of the tool
for_agent | text   | an expression that is searched in the texts for the model
""")
# Shape -> its words, where it has a list of them.
CHOICES: Mapping[str, tuple[str, ...]] = {
    "stance": ("silent", "ask", "deny"),
    "answer": tuple(stance.name.lower() for stance in Stance),
    "mode": ("fidelity", "strict"),
    "trust": ("approved", "all"),
}


def read_keys(node: Node, keys: Mapping[str, Key], what: str) -> dict[str, Any]:
    """Return the values of a node, as `read_values`, and report unknown keys."""
    node.check_known_keys(keys, what)
    return read_values(node, keys)


def read_values(node: Node, keys: Mapping[str, Key]) -> dict[str, Any]:
    """Return the values under those keys that are there, and report bad ones.

    A value whose shape is a part of the file is left to the caller.
    """
    return {
        key: READERS[row.shape](node, key)
        for key, row in keys.items()
        if node.value.get(key) is not None and row.shape in READERS
    }


def read_words(node: Node, key: str) -> tuple[str, ...]:
    """Return a text, or a list of texts, under a key."""
    return (node.text(key),) if isinstance(node.value[key], str) else node.texts(key)


def read_stance(node: Node, key: str, shape: str = "stance") -> Stance:
    """Return the stance whose word is under a key."""
    return Stance[node.choice(key, CHOICES[shape], "silent").upper()]


READERS: Mapping[str, Callable[[Node, str], Any]] = {
    "text": lambda node, key: node.text(key),
    "texts": lambda node, key: node.texts(key),
    "words": read_words,
    "flag": lambda node, key: node.flag(key),
    "integer": lambda node, key: node.integer(key, 0),
    "seconds": lambda node, key: node.duration(key),
    "mapping": lambda node, key: node.mapping(key),
    "stance": read_stance,
    "answer": lambda node, key: read_stance(node, key, "answer"),
    "mode": lambda node, key: node.choice(key, CHOICES["mode"], "fidelity"),
    "trust": lambda node, key: node.choice(key, CHOICES["trust"], "approved"),
}
