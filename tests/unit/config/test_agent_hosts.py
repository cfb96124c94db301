"""An agent is known by what its host sets in the environment, and widens no trust."""

from __future__ import annotations

import pytest

from hookline.config.agent_hosts import MARKERS, find_agent_marker, require_person
from hookline.errors import TrustError


@pytest.mark.parametrize("name", MARKERS)
def test_an_agent_is_refused_with_what_to_say(name: str) -> None:
    """The message has the command for the user."""
    with pytest.raises(TrustError) as refused:
        require_person({"HOME": "/home/ann", name: "1"}, "hookline approve")

    assert (refused.value.code, name in refused.value.message) == ("HKL3025", True)
    assert refused.value.hint.startswith("say to the user: please run `hookline approve`")


def test_a_person_may() -> None:
    """No variable of a host is set, or it is empty."""
    require_person({"HOME": "/home/ann", "CLAUDECODE": ""}, "hookline approve")

    assert find_agent_marker({"CLAUDE_PROJECT_DIR": "/p"}) == ""
