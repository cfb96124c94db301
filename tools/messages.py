"""The bridge's messages in Python, made from `bridge.proto`.

Without the checks by which they would refuse other versions.

The compiler's checks ask for a runtime at least as new as the compiler. What it generates is older
than that: the builder of protobuf 6.33 and the stubs of grpcio 1.76 read it, and `pyproject.toml`
asks for these.
"""

from __future__ import annotations

import re
import tempfile
from importlib import resources
from pathlib import Path

from grpc_tools import protoc

SOURCE = Path(__file__).parents[1] / "src"
PROTO = "hookline/remote/proto/bridge.proto"
MADE = "# Generated from bridge.proto by tools/generate.py; `make format` rewrites it.\n"
_CHECKS = (
    re.compile(r"^from google\.protobuf import runtime_version.*\n", re.MULTILINE),
    re.compile(
        r"^_runtime_version\.ValidateProtobufRuntimeVersion\(.*?^\)\n", re.MULTILINE | re.DOTALL
    ),
    re.compile(r"^# (Protobuf Python Version|NO CHECKED-IN PROTOBUF GENCODE).*\n", re.MULTILINE),
    re.compile(r"^import warnings\n", re.MULTILINE),
    re.compile(r"^GRPC_GENERATED_VERSION = .*?^    \)\n", re.MULTILINE | re.DOTALL),
)


def messages() -> dict[Path, str]:
    """Every generated file, by its path.

    Raises:
        RuntimeError: the compiler refuses the file.
    """
    with tempfile.TemporaryDirectory() as folder:
        common = str(resources.files("grpc_tools") / "_proto")
        outs = [f"--{kind}_out={folder}" for kind in ("python", "pyi", "grpc_python")]
        if protoc.main(["protoc", f"-I{SOURCE}", f"-I{common}", *outs, PROTO]):
            raise RuntimeError(f"{PROTO} cannot be compiled")
        made = sorted(Path(folder).rglob("*.py*"))
        return {
            SOURCE / path.relative_to(folder): _freed(path.read_text(encoding="utf-8"))
            for path in made
        }


def _freed(text: str) -> str:
    for check in _CHECKS:
        text = check.sub("", text)
    return MADE + text.strip() + "\n"
