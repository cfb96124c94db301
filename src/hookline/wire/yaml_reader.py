"""The YAML reader: ruamel.yaml with a limit on nesting, and no warnings of repeated anchors."""

from __future__ import annotations

from ruamel.yaml import YAML
from ruamel.yaml.scanner import RoundTripScanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The limit for nested flow collections (`[[...]]`); 2,000 of them took ten seconds.
_DEEPEST_FLOW = 32


class TooDeepError(ValueError):
    """Flow collections nest too deeply."""


class _Scanner(RoundTripScanner):
    # Ruamel's name.
    def fetch_flow_collection_start(self, TokenClass: Any, to_push: Any) -> None:  # noqa: N803
        if self.flow_level >= _DEEPEST_FLOW:
            raise TooDeepError
        super().fetch_flow_collection_start(TokenClass, to_push)


def make_yaml() -> YAML:
    """Return a reader for one text."""
    yaml = YAML(typ="rt")
    yaml.Scanner = _Scanner
    yaml.composer.warn_double_anchors = False
    return yaml
