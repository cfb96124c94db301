"""References to the environment."""

from __future__ import annotations

from hookline.host.env_references import expand_all, expand_env


def test_only_braces_are_references() -> None:
    """A lone dollar stays, and a variable that is not set is empty."""
    environ = {"A": "1"}

    assert expand_env("${env.A}-${A}-$A-${B}-$$", environ) == "1-1-$A--$$"
    assert expand_all({"x": "${A}"}, environ) == {"x": "1"}
