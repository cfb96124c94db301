"""The gRPC sidecar: serves the same hooks over gRPC while the HTTP server runs."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from hookline import remote  # it loads gRPC, an extra, with the first name that is asked for
from hookline.remote.grpc_transport import REMOTE
from hookline.server.lifecycle import do_nothing

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from hookline.server.service import Service

    Stop: TypeAlias = Callable[[float], Awaitable[None]]


@contextmanager
def serve_grpc(
    service: Service,
    addresses: Sequence[str],
    token: str = "",
    *,
    expected: Sequence[str] = (),
    tell: Callable[[str], None] = lambda _: None,
) -> Iterator[tuple[Sequence[str], Stop]]:
    """Serve a service's engine at addresses of `hookline.remote` within a `with` block.

    Both ways share the service's admission, limits and counts. `expected`: as for `serve_engine`.

    Yields:
        The addresses as clients write them, and a function that accepts nothing more, waits at most
        so many seconds for running requests, then closes.

    Raises:
        ConfigError: an address cannot be opened, or the extra is not installed.
    """
    if not addresses:
        yield (), do_nothing
        return
    opened = remote.serve_engine(
        service.engine,
        *addresses,
        token=token,
        own=lambda: service.own,
        turns=service.turns,
        seconds=service.seconds,
        expected=expected,
        refused=service.meter.count_refusal,
        elsewhere=service.elsewhere,
        tell=tell,
    )
    try:
        yield opened.addresses, lambda drain: REMOTE.wait(opened.close_async(drain))
    finally:
        opened.close(0.0)
