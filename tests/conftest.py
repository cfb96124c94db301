"""No test reads the settings, or touches the approvals, of the user who runs it."""

from __future__ import annotations

import os
import signal
import sys

import pytest
from hypothesis import settings

from hookline.config.agent_hosts import MARKERS
from tests.fork_server import ForkServer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# The same examples at every run, so few are enough; `make fuzz` asks for new ones, and for many.
settings.register_profile("fixed", derandomize=True, max_examples=25)
settings.register_profile("fuzz", print_blob=True, max_examples=400)
settings.load_profile("fuzz" if os.environ.get("HOOKLINE_FUZZ") else "fixed")

# Programs that tests start load compiled modules, as those of an installed hookline do.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Programs that came with this environment, such as uv, are found behind those of the machine. The
# interpreter itself comes first: what a version manager puts before it starts ten times slower.
os.environ["PATH"] = os.pathsep.join(
    (
        os.path.dirname(os.path.realpath(sys.executable)),
        os.environ.get("PATH", os.defpath),
        os.path.dirname(sys.executable),
    )
)

# Below nohup, programs that tests start would ignore SIGHUP, and so never be ended by it. A program
# does not inherit a handler.
for _number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, lambda *_: None)


@pytest.fixture(autouse=True, scope="session")
def _own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Folders for state and settings that are empty when the tests begin, and no width of a page.

    A pipeline runs what a person runs. What a test makes of its own environment goes first.
    """
    with pytest.MonkeyPatch.context() as patched:
        for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            patched.setenv(name, str(tmp_path_factory.mktemp(name.lower())))
        for name in ("CI", "COLUMNS", "HOOKLINE_JOURNAL", *MARKERS):
            patched.delenv(name, raising=False)
        yield


@pytest.fixture(scope="session")
def fork_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    """The process that forks for each command of hookline."""
    server = ForkServer(tmp_path_factory.mktemp("server"))
    yield server
    server.close()
