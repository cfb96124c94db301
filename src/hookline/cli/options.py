"""Options and arguments of commands: how a command declares them, and how it reads its words by them.

A command is a function. Each of its options is the default of a keyword parameter, made by `option`. The parser, the help
and the completion of shells read the same declarations.
"""

from __future__ import annotations

from hookline.errors import ConfigError
from hookline.text.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    Command = Callable[..., Any]

HELP = ("-h", "--help")


class Option:
    """An option of a command; an argument, if it has no names; a flag, if it takes no value.

    `kind`: the type of its value. `least` and `most`: bounds of a number. `choices`: the only values. `complete`: what a
    shell may complete its value to, by the names in `completion.WORDS`.
    """

    def __init__(
        self,
        *names: str,
        metavar: str = "",
        help: str = "",  # noqa: A002 - what the help shows
        default: Any = "",
        kind: type = str,
        least: float | None = None,
        most: float | None = None,
        choices: Sequence[str] = (),
        is_required: bool = False,
        is_repeatable: bool = False,
        complete: Sequence[str] = (),
    ) -> None:
        self.names = names
        self.metavar = metavar
        self.help = help or ", ".join(choices)
        self.is_flag = bool(names) and not metavar
        self.default = False if self.is_flag else [] if is_repeatable else default
        self.kind = kind
        self.least = least
        self.most = most
        self.choices = choices
        self.is_required = is_required
        self.is_repeatable = is_repeatable
        self.complete = complete

    def convert(self, name: str, word: str, program: str) -> Any:
        """Return the value that a word stands for.

        Raises:
            ConfigError: it stands for none, or for one that is out of bounds.
        """
        value: Any = word
        wrong = ""
        if self.choices and word not in self.choices:
            wrong = f"one of {', '.join(self.choices)}"
        if self.kind is not str:
            try:
                value = self.kind(word)
            except ValueError:
                wrong = "a whole number" if self.kind is int else "a number"
        if not wrong and self.least is not None and not value >= self.least:
            wrong = f"at least {self.least:g}"
        if not wrong and self.most is not None and not value <= self.most:
            wrong = f"at most {self.most:g}"
        if wrong:
            raise _usage_error(program, f"`{name}` cannot be `{word}`: it must be {wrong}")
        return value


def option(*names: str, **settings: Any) -> Any:
    """Return an option as the default of a parameter, whose type is that of the option's value."""
    return Option(*names, **settings)


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
DEADLINE: Any = option(
    "--deadline",
    metavar="S",
    default=None,
    kind=float,
    least=0.001,
    most=1e9,
    help="seconds until the answer has to be written; default: the host's limit, less 10 %",
)


def list_options(command: Command) -> dict[str, Option]:
    """Return the options and arguments of a command by the names of its parameters."""
    declared: Mapping[str, Any] = command.__kwdefaults__ or {}
    return {name: each for name, each in declared.items() if isinstance(each, Option)}


def parse_words(
    options: Mapping[str, Option], words: Sequence[str], program: str
) -> dict[str, Any]:
    """Return the value of each option, by its parameter.

    Raises:
        ConfigError: a usage error.
    """
    given: dict[str, Any] = {}
    for key, name, word in _assign_words(options, words, program):
        each = options[key]
        value = True if each.is_flag else each.convert(name, word, program)
        given[key] = [*given.get(key, ()), value] if each.is_repeatable else value
    for key, each in options.items():
        if each.is_required and key not in given:
            choices = f", one of {', '.join(each.choices)}" if each.choices else ""
            raise _usage_error(program, f"missing argument `{each.metavar}`{choices}")
    return {key: each.default for key, each in options.items()} | given


def _assign_words(
    options: Mapping[str, Option], words: Sequence[str], program: str
) -> Iterator[tuple[str, str, str]]:
    """Yield the parameter that each word is for, the name of its option or argument, and the value."""
    named = {name: key for key, each in options.items() for name in each.names}
    arguments = [key for key, each in options.items() if not each.names]
    rest, has_options = iter(words), True
    for word in rest:
        if word == "--" and has_options:
            has_options = False
        elif has_options and word.startswith("-") and word != "-":
            name, is_attached, value = _split_option(word)
            if name not in named:
                near = did_you_mean(name, (*named, *HELP))
                raise _usage_error(program, f"no such option `{name}`", near)
            each = options[named[name]]
            if each.is_flag and is_attached:
                raise _usage_error(program, f"`{name}` takes no value")
            if not each.is_flag and not is_attached:
                value = _next_value(name, next(rest, None), each, program)
            yield named[name], name, value
        elif arguments:
            key = arguments[0] if options[arguments[0]].is_repeatable else arguments.pop(0)
            yield key, options[key].metavar, word
        else:
            raise _usage_error(program, f"`{word}` is one argument too many")


def _split_option(word: str) -> tuple[str, bool, str]:
    """Return the name of an option, whether its value is part of the word, and that value."""
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        return name, bool(equals), value
    return word[:2], len(word) > len("-x"), word[2:]


def _next_value(name: str, word: str | None, option: Option, program: str) -> str:
    """Return the word that follows an option, if it can be its value."""
    if word is None or (option.kind is str and word.startswith("-") and word != "-"):
        raise _usage_error(program, f"`{name}` needs a value: {name} {option.metavar}")
    return word


def _usage_error(program: str, message: str, hint: str = "") -> ConfigError:
    return ConfigError(message, name="config.option", hint=hint or f"{program} --help")
