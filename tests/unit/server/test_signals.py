"""A first signal ends a server, a second one hurries it, and neither ends the process."""

from __future__ import annotations

import signal
import threading

import pytest

from hookline.server.signals import Signals


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_first_signal_stops_and_any_further_one_hurries(number: signal.Signals) -> None:
    """The former handlers are back in the end."""
    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}
    stopped: list[str] = []
    with Signals() as signals:
        signals.call_on_signal(lambda: stopped.append("stop"))
        assert (signals.first, signals.hurried) == (0, False)
        signal.raise_signal(number)
        assert (signals.first, signals.hurried, stopped) == (number, False, ["stop"])
        signal.raise_signal(signal.SIGINT)
        assert (signals.first, signals.hurried, stopped) == (number, True, ["stop"])
    assert {each: signal.getsignal(each) for each in before} == before


def test_one_that_came_too_early_is_not_lost() -> None:
    """Nobody was there yet to be stopped."""
    stopped: list[str] = []
    with Signals() as signals:
        signal.raise_signal(signal.SIGTERM)
        signals.call_on_signal(lambda: stopped.append("stop"))
    assert stopped == ["stop"]


def test_in_another_thread_nothing_is_caught() -> None:
    """Only the main one may have handlers."""
    before, during = signal.getsignal(signal.SIGTERM), []

    def within() -> None:
        with Signals():
            during.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=within)
    thread.start()
    thread.join()
    assert during == [before]
