"""MCP servers: their tools, and what hookline says of a server that fails to start or ends."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from fastmcp.client.transports import SSETransport, StdioTransport, StreamableHttpTransport
from pydantic_ai.exceptions import ModelRetry, ToolFailed
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.toolsets import WrapperToolset

from hookline.errors import ConfigError
from hookline.handlers.process_spec import Program
from hookline.handlers.process_tree import explain_start_failure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic_ai.tools import RunContext
    from pydantic_ai.toolsets import AbstractToolset, ToolsetTool

    from hookline.host.agent_spec import Toolset

_START_TIMEOUT = 30.0  # seconds; `npx` and `uvx` may have to download the server first
_CONNECTION_CLOSED = -32000  # the code of MCP for it
_LAST_LINES, _LONGEST_LINE = 3, 500
_DRAIN = 0.5  # seconds to read the rest of what an ended program wrote

# Otherwise the library prints a traceback for each line of a server that is no message of MCP.
logging.getLogger("mcp").addHandler(logging.NullHandler())


def make_mcp(
    spec: Toolset, folder: str, env: Mapping[str, str], headers: Mapping[str, str]
) -> AbstractToolset[Any]:
    """Return the tools of an MCP server: a program, or an address.

    Entering them raises ConfigError `toolset.start` if the server does not start.
    """
    transport: Any
    place = os.path.join(folder, spec.working_dir)
    if spec.url:
        kind = SSETransport if spec.transport == "sse" else StreamableHttpTransport
        transport = kind(spec.url, headers=dict(headers))
    else:
        # Without `keep_alive` the program ends when the toolset is left.
        transport = StdioTransport(
            spec.command, list(spec.args), env=dict(env), cwd=place, keep_alive=False
        )
    timeout = spec.startup_timeout if spec.startup_timeout is not None else _START_TIMEOUT
    limits: dict[str, Any] = {}
    if spec.call_timeout is not None:
        limits["read_timeout"] = spec.call_timeout
    toolset: MCPToolset[Any] = MCPToolset(
        transport,
        id=spec.name or None,
        tool_error_behavior="failed",
        init_timeout=timeout,
        **limits,
    )
    return _Server(toolset, toolset, spec, transport, place, timeout).with_metadata(category="mcp")


@dataclass
class _Server(WrapperToolset[Any]):
    """The tools of a server, whose errors name it."""

    toolset: MCPToolset[Any]
    spec: Toolset
    transport: Any
    folder: str
    timeout: float
    stderr: _LastLines | None = field(default=None, init=False)

    @property
    def name(self) -> str:
        return self.spec.name or self.spec.command or self.spec.url

    async def __aenter__(self) -> Self:
        if self.stderr is None and self.spec.command:
            self.stderr = _LastLines()
            self.transport.log_file = self.stderr.file
        try:
            return await super().__aenter__()
        except Exception as error:
            raise await self._explain_start(error) from error

    async def __aexit__(self, *args: object) -> bool | None:
        done = await super().__aexit__(*args)
        if self.stderr is not None and not self.toolset.is_running:
            await asyncio.to_thread(self.stderr.close)
        return done

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        try:
            return await super().get_tools(ctx)
        except Exception as error:
            why = str(error) or type(error).__name__
            message = f"the MCP server `{self.name}` does not list its tools: {why}"
            raise ConfigError(
                message + await self._quote_stderr(),
                name="toolset.start",
                hint="correct the server, or remove the toolset",
                place=self.spec.origin.with_line().place,
            ) from error

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        try:
            return await super().call_tool(name, tool_args, ctx, tool)
        except ModelRetry as error:
            if getattr(error.__cause__, "code", None) != _CONNECTION_CLOSED:
                raise
            message = f"the MCP server `{self.name}` has ended, so none of its tools can be called"
            raise ToolFailed(message + await self._quote_stderr()) from error

    async def _explain_start(self, error: BaseException) -> ConfigError:
        spec, cause = self.spec, error
        while not isinstance(cause, OSError) and cause.__cause__ is not None:
            cause = cause.__cause__
        hint = "start it yourself to see why, or remove the toolset"
        if isinstance(cause, TimeoutError):
            why = f"it does not answer within {self.timeout:g} seconds"
            hint = "raise `startup_timeout` under `lifecycle` of the toolset, or remove the toolset"
        elif spec.url:
            why = f"{spec.url} cannot be reached: {cause}"
            hint = "check the address and `headers`, or remove the toolset"
        elif isinstance(cause, OSError):
            program = Program(
                argv=(spec.command, *spec.args), stdin=b"", cwd=self.folder, env={}, timeout=0
            )
            why = explain_start_failure(cause, program)
            hint = "install it, correct `command` or `working_dir`, or remove the toolset"
        else:
            why = f"`{' '.join((spec.command, *spec.args))}` ended, or does not speak MCP"
        return ConfigError(
            f"the MCP server `{self.name}` does not start: {why}{await self._quote_stderr()}",
            name="toolset.start",
            hint=hint,
            place=spec.origin.with_line().place,
        )

    async def _quote_stderr(self) -> str:
        """Return the last lines of an ended server's standard error, as the end of a message."""
        lines = await asyncio.to_thread(self.stderr.close) if self.stderr is not None else ()
        return f"; it wrote: {' / '.join(lines)}" if lines else ""


class _LastLines:
    """Reads what a program writes to `file`, and keeps the last lines."""

    def __init__(self) -> None:
        reader, writer = os.pipe()
        self.file = os.fdopen(writer, "w")
        self._lines: deque[str] = deque(maxlen=_LAST_LINES)
        self._thread = threading.Thread(target=self._read, args=(reader,), daemon=True)
        self._thread.start()

    def _read(self, reader: int) -> None:
        with os.fdopen(reader, "rb") as file:
            while line := file.readline(_LONGEST_LINE):
                if text := line.decode(errors="replace").strip():
                    self._lines.append(text)

    def close(self) -> tuple[str, ...]:
        """Close the pipe, and return the last lines; what still holds it open gets no answer."""
        self.file.close()
        self._thread.join(_DRAIN)
        return tuple(self._lines)
