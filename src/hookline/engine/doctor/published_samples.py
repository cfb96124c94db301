"""Published samples: scripts of the formats' own documents that let something through."""

from __future__ import annotations

from contextlib import suppress

from hookline.paths import read_start
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_LARGEST = 65_536  # bytes of a script that may be a sample
_SPLIT = (
    "use a guard that splits the command into words (Python: `shlex.split`) and looks at each flag"
)
_READ_ALL = (
    "use a guard that splits the command at `;`, `&`, `|` and line ends, "
    "and allows it only if each part is safe"
)
# SHA-256 of the normalised text -> its hole, and what to use in its place.
SAMPLES: Mapping[str, tuple[str, str]] = {
    "5097244ab191270baeb0517c5793675dc96df94e5d6af4ab6ea0a53dd182fe67": (
        "it lets `rm -rf /`, `rm -r -f /` and every payload without a blank after the colon pass",
        _SPLIT,
    ),
    "221a67ddb270009bb29cb279dd814cbc61da16512ef30f1f5b252f066d6cc426": (
        "it lets `rm -r -f /` and `rm -rf ~` pass",
        _SPLIT,
    ),
    "ba41ca24cdcea0acab10b7e8702eaa663f5e5459294cf75aaac908568b4cfded": (
        "it lets `rm -r -f` and `rm --recursive --force` pass",
        _SPLIT,
    ),
    "033d970cf9086a25146d37b9a63d7a5132a2584e272bec4fbeae13ef6686b8fe": (
        (
            "it approves every command that begins with `ls`, such as `ls; rm -rf ~`, "
            "and a quote in the command breaks its JSON"
        ),
        f"{_READ_ALL}; and build the JSON with `jq -n --arg`",
    ),
    "b7eb50fb9bd00f132f24c4e6a4a7177ae65d3f440acaacb55a71eb6c855b12a0": (
        "it approves by the first word alone, so that `echo x; rm -rf ~` runs without a question",
        _READ_ALL,
    ),
}


def sample_digest(text: str) -> str:
    """Return the SHA-256 of a script; line ends, indentation and empty lines do not count."""
    words = (" ".join(line.split()) for line in text.splitlines())
    return sha256("\n".join(line for line in words if line).encode("utf-8", "surrogateescape"))


def find_samples(script: str, files: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the hole and the remedy of each sample among a script and these files."""
    digests = [sample_digest(script)]
    for path in files:
        with suppress(OSError):
            start = read_start(path, _LARGEST)
            digests.append(sample_digest(start.decode("utf-8", "surrogateescape")))
    for digest in SAMPLES.keys() & digests:
        yield SAMPLES[digest]
