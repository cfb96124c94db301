"""A call of a tool, as the approval sees it."""

from __future__ import annotations

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

SHELL = "shell"
_COMMAND_KEYS = ("cmd", "command")


class ToolCall(Frozen):
    """A call of a tool.

    Attributes:
        tool: its name.
        arguments: None if the model sent something other than an object.
        call_id: the model's id of the call.
        category: of the toolset; `shell` for a tool whose argument `cmd` is a shell command.
        read_only: the tool says that it changes nothing.
        destructive: the tool says that it may destroy something.
        metadata: what the tool adds to the prompt for a person.
        managed: the host itself runs it, such as `transfer_task`.
        cwd, home: absolute folders; empty if unknown.
    """

    tool: str
    arguments: Mapping[str, Any] | None = None
    call_id: str = ""
    category: str = ""
    read_only: bool = False
    destructive: bool = False
    metadata: Mapping[str, Any] = {}
    managed: bool = False
    cwd: str = ""
    home: str = ""

    @property
    def is_shell(self) -> bool:
        """Whether the call runs a shell command."""
        return SHELL in {self.category, self.tool}

    @property
    def command(self) -> str:
        """The shell command of the call; empty if there is none."""
        given = self.arguments or {}
        return next(
            (value for key in _COMMAND_KEYS if isinstance(value := given.get(key), str)), ""
        )

    @property
    def command_folder(self) -> str:
        """The folder that the shell command runs in."""
        folder = (self.arguments or {}).get("cwd")
        if not isinstance(folder, str) or folder in {"", "."}:
            return self.cwd
        return folder if folder.startswith("/") else f"{self.cwd.rstrip('/')}/{folder}"
