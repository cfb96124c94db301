"""The gRPC sidecar: serves the same hooks over gRPC, from before the HTTP server listens until it has answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookline import (
    remote,  # it loads gRPC, which is an extra, with the first name that is asked for
)
from hookline.remote.event_loop import REMOTE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    from hookline.remote import Opened
    from hookline.server.service import Service


class GrpcSidecar:
    """Serves a service's engine at addresses of `hookline.remote` within a `with` block.

    Without addresses it does nothing.

    `names` are the addresses as clients write them. Both ways share the service's admission, limits
    and counts. `expected`: as for `serve_engine`.

    Raises:
        ConfigError: on entering: an address cannot be opened, or the extra is not installed.
    """

    def __init__(
        self,
        service: Service,
        addresses: Sequence[str],
        token: str = "",
        *,
        expected: Sequence[str] = (),
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.names: list[str] = []
        self._service = service
        self._addresses = addresses
        self._token = token
        self._expected = expected
        self._tell = tell
        self._opened: Opened | None = None

    def __enter__(self) -> Self:
        if self._addresses:
            service = self._service
            self._opened = remote.serve_engine(
                service.engine,
                *self._addresses,
                token=self._token,
                own=lambda: service.own,
                turns=service.turns,
                seconds=service.seconds,
                expected=self._expected,
                refused=service.meter.count_refusal,
                elsewhere=service.elsewhere,
                tell=self._tell,
            )
            self.names = self._opened.addresses
        return self

    async def stop(self, drain: float) -> None:
        """Accept nothing more, wait at most `drain` seconds for running requests, then close."""
        if self._opened is not None:
            await REMOTE.wait(self._opened.close_async(drain))

    def __exit__(self, *error: object) -> None:
        if self._opened is not None:
            self._opened.close(0.0)
