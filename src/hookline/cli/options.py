"""Options and arguments of commands: how a command declares them, and how it reads its words by them.

A command is a function. Each of its options is the default of a keyword parameter, made by
`option`. `parse_words` reads usual words by these declarations. typer gets the same declarations
for help, usage errors, unusual spellings and the completion of shells (`typer_command.py`): to load
it takes longer than a whole `hookline list` needs without it.
"""

from __future__ import annotations

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    Command = Callable[..., Any]

HELP = ("-h", "--help")


class Option(Frozen):
    """An option of a command; an argument, if it has no names; a flag, if it takes no value.

    `kind`: the type of its value. `least` and `most`: bounds of a number. `choices`: the only
    values. `complete`: what a shell may complete its value to, by the names in `completion.WORDS`.
    """

    names: tuple[str, ...] = ()
    metavar: str = ""
    help: str = ""
    default: Any = ""
    kind: type = str
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    is_required: bool = False
    is_repeatable: bool = False
    complete: tuple[str, ...] = ()

    @property
    def is_flag(self) -> bool:
        return bool(self.names) and not self.metavar

    def convert(self, word: str) -> Any:
        """Return the value of a word.

        Raises:
            ValueError: it has none, or one that is out of bounds.
        """
        value = self.kind(word)
        if self.choices and word not in self.choices:
            raise ValueError(word)
        if self.least is not None and not value >= self.least:
            raise ValueError(word)
        if self.most is not None and not value <= self.most:
            raise ValueError(word)
        return value


def option(*names: str, **settings: Any) -> Any:
    """Return an option as the default of a parameter, whose type is that of the option's value."""
    made = Option(names=names, **settings)
    if made.is_flag:
        return made.replace(default=False)
    default = [] if made.is_repeatable else made.default
    return made.replace(default=default, help=made.help or ", ".join(made.choices))


def seconds_option(
    name: str, text: str, default: float | None, *, least: float, most: float | None = None
) -> Any:
    """Return an option that takes seconds."""
    settings: dict[str, Any] = {"kind": float, "least": least, "most": most, "help": text}
    return option(name, metavar="S", default=default, **settings)


JSON: Any = option("--json", help="print one JSON document")
COLOR: Any = option(
    "--color",
    metavar="WHEN",
    default="auto",
    choices=("auto", "always", "never"),
)
DRY_RUN: Any = option("-n", "--dry-run", help="only show what would be done")
EVENT: Any = option(
    "--event", metavar="EVENT", help="of one event only, by any of its names", complete=("events",)
)
HOST: Any = option(
    "--host",
    metavar="NAME",
    help="the dialect of the event, where it is not the files'",
    complete=("hosts",),
)
INPUT: Any = option("--input", metavar="FILE", default="-", help="the payload; - is standard input")
DEADLINE: Any = seconds_option(
    "--deadline",
    "seconds until the answer has to be written; default: the host's limit, less 10 %",
    None,
    least=0.001,
    most=1e9,
)


def list_options(command: Command) -> dict[str, Option]:
    """Return the options and arguments of a command by the names of its parameters."""
    declared: Mapping[str, Any] = command.__kwdefaults__ or {}
    return {name: each for name, each in declared.items() if isinstance(each, Option)}


def parse_words(options: Mapping[str, Option], words: Sequence[str]) -> dict[str, Any] | None:
    """Return the value of each option, by its parameter.

    None for help, mistakes and unusual spellings.
    """
    named = {name: key for key, each in options.items() for name in each.names}
    arguments = [key for key, each in options.items() if not each.names]
    given: dict[str, Any] = {}
    rest = iter(words)
    try:
        for word in rest:
            name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
            if word == "-" or not word.startswith("-"):
                key, value = arguments[0], word
                arguments = arguments if options[key].is_repeatable else arguments[1:]
            else:
                key = named[name]
                if options[key].is_flag and not equals:
                    given[key] = True
                    continue
                value = value if equals else next(rest)
                if options[key].is_flag or (value.startswith("-") and value != "-"):
                    return None
            read = options[key].convert(value)
            given[key] = [*given.get(key, ()), read] if options[key].is_repeatable else read
    except (KeyError, IndexError, StopIteration, ValueError):
        return None
    if any(each.is_required and key not in given for key, each in options.items()):
        return None
    return {key: each.default for key, each in options.items()} | given
