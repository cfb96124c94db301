"""Ruamel, as we use it: silent about repeated anchors, and with a bound on nesting, because its time grows with the square of it."""

from __future__ import annotations

from ruamel.yaml import YAML
from ruamel.yaml.scanner import RoundTripScanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Flow collections (`[[...]]`) inside each other; 2,000 of them kept it busy for ten seconds.
_DEEPEST_FLOW = 32


class TooDeepError(ValueError):
    """Flow collections nest deeper than anybody writes them."""


class _Scanner(RoundTripScanner):
    def fetch_flow_collection_start(self, TokenClass: Any, to_push: Any) -> None:  # noqa: N803 - ruamel's name
        if self.flow_level >= _DEEPEST_FLOW:
            raise TooDeepError
        super().fetch_flow_collection_start(TokenClass, to_push)


def reader() -> YAML:
    """A reader for one text."""
    yaml = YAML(typ="rt")
    yaml.Scanner = _Scanner
    yaml.composer.warn_double_anchors = False
    return yaml
