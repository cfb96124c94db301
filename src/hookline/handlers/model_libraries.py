"""Model libraries: which library a model hook needs that is not installed."""

from __future__ import annotations

from importlib.util import find_spec

from hookline.installation import install_command
from hookline.wire.templates import TEMPLATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.spec import Model


def find_missing_library(model: Model) -> tuple[str, str]:
    """Return what is missing, and the command that installs it; two empty texts if all is there."""
    needed = ("pydantic_ai", *(("jinja2",) if model.language == TEMPLATE else ()))
    for name in needed:
        if find_spec(name) is None:
            message = f"model hooks need `{name}`, which is not installed"
            return message, install_command(extra="model")
    return "", ""
