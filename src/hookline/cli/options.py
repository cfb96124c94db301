"""Options and arguments of commands: how a command declares them, and how its words are read.

A command is a function. Each of its options is the default of a keyword parameter, made by
`option`. typer gets the same declarations for the help and for shells (`typer_help.py`): to load it
takes longer than a whole `hookline list`.
"""

from __future__ import annotations

from math import inf, nan

from hookline.errors import ConfigError, did_you_mean
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    Command = Callable[..., Any]

HELP = ("-h", "--help")


class Option(Frozen):
    """An option of a command; an argument, if it has no names; a flag, if it takes no value.

    `kind`: the type of its value. `least` and `most`: bounds of a number. `choices`: the only
    values. `complete`: what a shell may complete, by the names in `typer_help.WORDS`.
    """

    names: tuple[str, ...] = ()
    metavar: str = ""
    help: str = ""
    default: Any = ""
    kind: type = str
    least: float = 0
    most: float = inf
    choices: tuple[str, ...] = ()
    is_flag: bool = False
    is_required: bool = False
    is_repeatable: bool = False
    complete: tuple[str, ...] = ()

    def read(self, name: str, word: str | None) -> Any:
        """Return the value of a word; `name`: what the option is called in an error.

        Raises:
            ValueError: it has no value.
        """
        if word is None:
            raise ValueError(f"`{name}` needs a value: {self.metavar}")
        if self.choices and word not in self.choices:
            raise ValueError(f"`{name}` cannot be `{word}`, only one of {', '.join(self.choices)}")
        if self.kind is str:
            return word
        try:
            value = self.kind(word)
        except ValueError:
            value = nan
        if not self.least <= value <= self.most:
            number = "a whole number" if self.kind is int else "a number"
            most = f" to {self.most:g}" if self.most < inf else ""
            raise ValueError(
                f"`{name}` cannot be `{word}`, only {number} from {self.least:g}{most}"
            )
        return value


def option(*names: str, **settings: Any) -> Any:
    """Return an option as the default of a parameter, whose type is that of the option's value."""
    if names and "metavar" not in settings:
        settings |= {"is_flag": True, "default": False}
    if "is_repeatable" in settings:
        settings["default"] = []
    settings.setdefault("help", ", ".join(settings.get("choices", ())))
    return Option(names=names, **settings)


JSON: Any = option("--json", help="print JSON: one document, or one a line")
# The options of commands that print a document, by the parameters of `pages.Printer`.
PRINTING: Mapping[str, Option] = {
    "json": JSON,
    "color": option("--color", metavar="WHEN", default="auto", choices=("auto", "always", "never")),
}
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
DEADLINE: Any = option(
    "--deadline",
    metavar="S",
    help="seconds until the answer has to be written; default: the host's limit, less 10 %",
    default=None,
    kind=float,
    least=0.001,
    most=1e9,
)


def parse_words(
    options: Mapping[str, Option], words: Sequence[str], hint: str = ""
) -> dict[str, Any]:
    """Return the value of each option, by its parameter.

    Raises:
        ConfigError: a usage error, with `hint` where there is no better one.
    """
    try:
        return _read_all(options, words)
    except ValueError as error:
        message, *near = error.args
        raise ConfigError(message, name="config.option", hint="".join(near) or hint) from None


def _read_all(options: Mapping[str, Option], words: Sequence[str]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    arguments: list[str] = []
    for key, each in options.items():
        given[key] = each.default
        if not each.names:
            arguments.append(key)
    rest = iter(words)
    only_arguments = False  # after `--`
    for word in rest:
        if word == "--" and not only_arguments:
            only_arguments = True
            continue
        if not only_arguments and word != "-" and word.startswith("-"):
            key, value = _read_option(options, word, rest)
        elif arguments:
            key = arguments[0]
            value = options[key].read(options[key].metavar, word)
            if not options[key].is_repeatable:
                del arguments[0]
        else:
            raise ValueError(f"`{word}` is one argument too many")
        given[key] = [*given[key], value] if options[key].is_repeatable else value
    for key in arguments[:1]:
        if options[key].is_required and not given[key]:
            choices = f": {options[key].help}" if options[key].choices else ""
            raise ValueError(f"missing argument `{options[key].metavar}`{choices}")
    return given


def _read_option(options: Mapping[str, Option], word: str, rest: Iterator[str]) -> tuple[str, Any]:
    """Return the parameter and the value of `-n 5`, `-n5`, `--limit 5` or `--limit=5`."""
    name, is_given, value = word[:2], word[2:], word[2:]
    if name == "--":
        name, is_given, value = word.partition("=")
    named = {each: key for key, option in options.items() for each in option.names}
    if name not in named:
        raise ValueError(f"no such option `{name}`", did_you_mean(name, (*named, *HELP)))
    key = named[name]
    if options[key].is_flag:
        if is_given:
            raise ValueError(f"`{name}` takes no value")
        return key, True
    return key, options[key].read(name, value if is_given else next(rest, None))
