"""Reads the words of a command by its own signature; what it cannot read is left to typer.

typer and rich take three times as long to load as a whole `hookline list` needs without them, so
they are loaded only for help, completion and usage errors.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Call = Callable[..., int]

# The variable by which the script of `hookline completion` asks; typer chose its form.
COMPLETION_VARIABLE = "_HOOKLINE_COMPLETE"


class Option:
    """An option of a command, as it is declared: its names, and what typer is told of it."""

    def __init__(self, *names: str, **settings: Any) -> None:
        self.names = names
        self.settings = settings


class Argument(Option):
    """A word of a command that is no option."""


class Parameter:
    """One option or argument of a command, with the type and the default of its parameter."""

    def __init__(self, name: str, annotation: Any, default: Any, *, is_required: bool) -> None:
        self.name = name
        self.type, *marks = get_args(annotation)
        self.mark: Option = marks[0]
        self.default = default
        self.is_required = is_required

    @property
    def is_flag(self) -> bool:
        """Whether it takes no word."""
        return self.type is bool

    @property
    def is_list(self) -> bool:
        """Whether it may be said several times."""
        return any(get_origin(part) is list for part in (self.type, *get_args(self.type)))

    def convert(self, word: str) -> Any:
        """Return the value that a word stands for.

        Raises:
            ValueError: it stands for none, or not within the bounds of the option.
        """
        choices = [each for part in (self.type, *get_args(self.type)) if get_origin(part) is Literal
                   for each in get_args(part)]  # fmt: skip
        if choices:
            if word not in choices:
                raise ValueError(word)
            return word
        if self.type not in (int, float):
            return word
        value = self.type(word)
        least, most = (self.mark.settings.get(bound) for bound in ("min", "max"))
        if (least is not None and not value >= least) or (most is not None and not value <= most):
            raise ValueError(word)
        return value


def list_parameters(command: Call) -> dict[str, Parameter]:
    """Return the options and arguments of a command by the names of its parameters."""
    shared: Mapping[str, Parameter] = getattr(command, "shared", {})
    own: Call = getattr(command, "command", command)
    hints = get_type_hints(own, include_extras=True)
    defaults = own.__kwdefaults__ or {}
    found = {
        name: Parameter(name, hints[name], defaults.get(name), is_required=name not in defaults)
        for name in own.__code__.co_varnames[: own.__code__.co_kwonlyargcount]
        if get_origin(hints[name]) is Annotated
    }
    return {**found, **shared}


def parse_words(command: Call, words: list[str]) -> dict[str, Any] | None:
    """Return the arguments of a call; None for help, mistakes and unusual spellings."""
    parameters = list_parameters(command)
    options = {name: each for each in parameters.values() for name in each.mark.names}
    arguments = [each for each in parameters.values() if isinstance(each.mark, Argument)]
    given: dict[str, Any] = {}
    rest = iter(words)
    try:
        for word in rest:
            name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
            chosen = options.get(name)
            if chosen is None:
                if word.startswith("-") and word != "-":
                    return None
                chosen, value = arguments[0], word
                arguments = arguments if chosen.is_list else arguments[1:]
            elif chosen.is_flag:
                if equals:
                    return None
                given[chosen.name] = True
                continue
            elif not equals:
                value = next(rest)
                if value.startswith("-") and value != "-":
                    return None
            read = chosen.convert(value)
            given[chosen.name] = [*given.get(chosen.name, ()), read] if chosen.is_list else read
    except (IndexError, StopIteration, ValueError):
        return None
    if any(each.is_required and each.name not in given for each in parameters.values()):
        return None
    return {name: each.default for name, each in parameters.items()} | given
