"""The values that an inspection is made of."""

from __future__ import annotations

from hookline.trust.started_command import InspectedFile, StartedCommand


def test_a_command_is_text_or_a_program() -> None:
    """What is not said of it is empty."""
    command = StartedCommand(text="./guard.sh", cwd="/p", root="/p")

    assert (command.argv, command.listed, command.is_shielded) == ((), (), False)


def test_the_size_of_a_file_is_that_of_its_stamp() -> None:
    """A file that is gone has none."""
    assert InspectedFile(path="/a", key="a", stamp=(1, 2, 30, 4, 5)).size == 30
    assert InspectedFile(path="/a", key="a", problem="gone").size == 0
