"""Commands as typer takes them, for help, completion and usage errors."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import typer

from hookline.cli.command_line import Argument, list_parameters
from hookline.cli.usage_errors import make_usage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hookline.cli.command_line import Parameter


def to_typer(command: Callable[..., int]) -> Callable[..., int]:
    """Return a command with the signature that typer reads."""

    def call(**given: Any) -> int:
        return command(**given)

    parameters = [_to_parameter(each) for each in list_parameters(command).values()]
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what typer reads
    return call


def _to_parameter(parameter: Parameter) -> inspect.Parameter:
    mark = parameter.mark
    make = typer.Argument if isinstance(mark, Argument) else typer.Option
    return inspect.Parameter(
        parameter.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if parameter.is_required else parameter.default,
        annotation=Annotated[parameter.type, make(*mark.names, **mark.settings)],
    )


def run_with_typer(
    name: str, command: Callable[..., int], words: list[str], *, text: str, epilog: str
) -> int:
    """Run a command by typer: show its help, or say what is wrong with its words.

    Raises:
        ConfigError: a usage error.
    """
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    settings = {"help_option_names": ["-h", "--help"]}
    app.command(name, help=text, epilog=epilog, context_settings=settings)(to_typer(command))
    try:
        code: int = typer.main.get_command(app).main(
            words, prog_name=f"hookline {name}", standalone_mode=False
        )
    except typer.TyperException as error:
        raise make_usage_error(error, f"hookline {name}", words) from None
    return code
