"""Options of commands as typer takes them: for help, usage errors, unusual spellings and the completion of shells."""

from __future__ import annotations

import inspect
import re
from itertools import pairwise
from typing import Annotated, Any, Literal, Optional

import typer

from hookline.cli.commands import COMMANDS
from hookline.errors import ConfigError, did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hookline.cli.options import Option

_REWORDED: Mapping[str, str] = {
    r"Value error, ": "",
    r"'": "`",
    r"Input should be greater than or equal to (\S+)": r"it must be at least \1",
    r"Input should be less than or equal to (\S+)": r"it must be at most \1",
    r"Input should be a valid integer.*": "it must be a whole number",
    r"Input should be a valid number.*": "it must be a number",
    r"\. Choose from:": ", one of",
    r"\.$": "",
}
_INVALID = re.compile(r"Invalid value for `(--?[\w-]+)`: it must")


def parse_with_typer(
    name: str, options: Mapping[str, Option], words: Sequence[str]
) -> dict[str, Any] | None:
    """Return the value of each option, by its parameter.

    None after the help, if the words ask for it.

    Raises:
        ConfigError: a usage error.
    """
    given: dict[str, Any] = {}
    row = COMMANDS[name]
    codes = f"; {row.codes}" if row.codes else ""
    # A line of its own with a backspace keeps what follows as it is written.
    text = "\n".join(
        (
            row.does[:1].upper() + row.does[1:],
            "",
            "\b",
            "examples:",
            *(f"  {each}" for each in row.examples),
        )
    )
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(
        name,
        help=text,
        epilog=f"exit codes: 0 ok{codes}; 2 usage or configuration error",
        context_settings={"help_option_names": ["-h", "--help"]},
    )(make_callback(options, given.update))
    try:
        typer.main.get_command(app).main(
            list(words), prog_name=f"hookline {name}", standalone_mode=False
        )
    except typer.TyperException as error:
        raise _make_usage_error(error, f"hookline {name}", words) from None
    if not given:
        return None
    unset = {key: each.default for key, each in options.items() if given[key] is None}
    return given | unset


def make_callback(
    options: Mapping[str, Option],
    callback: Callable[..., Any],
    complete: Callable[[Option], Any] | None = None,
) -> Callable[..., Any]:
    """Return a callback with the signature that typer reads.

    `complete` makes the function that completes a value.
    """

    def call(**given: Any) -> Any:
        return callback(**given)

    parameters = [_make_parameter(key, each, complete) for key, each in options.items()]
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what typer reads
    return call


def _make_parameter(
    key: str, option: Option, complete: Callable[[Option], Any] | None
) -> inspect.Parameter:
    settings: dict[str, Any] = {"metavar": option.metavar or None, "help": option.help}
    if option.names:
        settings |= {"hidden": not option.help, "show_default": option.default not in (0.0, ".")}
    if option.kind is not str:
        settings |= {"min": option.least, "max": option.most}
    if option.complete and complete:
        settings["autocompletion"] = complete(option)
    value: Any = Literal[tuple(option.choices)] if option.choices else option.kind
    value = bool if option.is_flag else list[value] if option.is_repeatable else value
    default = option.default
    if option.choices and not default:
        default, value = None, Optional[value]  # noqa: UP045 - of a value, not of an annotation
    elif default is None:
        value = Optional[value]  # noqa: UP045 - as above
    make = typer.Option if option.names else typer.Argument
    return inspect.Parameter(
        key,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if option.is_required else default,
        annotation=Annotated[value, make(*option.names, **settings)],
    )


def _make_usage_error(error: Any, program: str, words: Sequence[str]) -> ConfigError:
    """Return the error of typer in the words of hookline, with the refused value in it."""
    hint = f"{program} --help"
    if type(error).__name__ == "NoSuchOption":
        near = did_you_mean(error.option_name, error.possibilities or ())
        message = f"no such option `{error.option_name}`"
        return ConfigError(message, name="config.option", hint=near or hint)
    message = " ".join(error.format_message().split())
    for theirs, ours in _REWORDED.items():
        message = re.sub(theirs, ours, message)
    if found := _INVALID.match(message):
        name = found[1]
        values = [after for word, after in pairwise(words) if word == name]
        values += [word.partition("=")[2] for word in words if word.startswith(f"{name}=")]
        if values:
            message = _INVALID.sub(f"`{name}` cannot be `{values[-1]}`: it must", message)
    message = message[:1].lower() + message[1:]
    return ConfigError(message, name="config.option", hint=hint)
