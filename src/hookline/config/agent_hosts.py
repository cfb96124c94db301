"""Detects by the environment whether this process runs below an agent host."""

from __future__ import annotations

from hookline.errors import TrustError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MARKERS = (
    "CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "AI_AGENT", "CODEX_SESSION_ID", "CODEX_THREAD_ID",
    "CODEX_TOOL_CALL_ID", "CODEX_CI", "GEMINI_CLI", "QWEN_CODE", "COPILOT_CLI",
    "COPILOT_AGENT_SESSION_ID", "OPENCODE", "PI_CODING_AGENT", "CURSOR_AGENT",
)  # fmt: skip


def find_agent_marker(environ: Mapping[str, str]) -> str:
    """Return the variable which shows that an agent started this process.

    Empty if there is none.
    """
    return next((name for name in MARKERS if environ.get(name)), "")


def require_person(environ: Mapping[str, str], command: str) -> None:
    """Refuse to widen trust below an agent host. `command`: what the user is to type instead.

    Raises:
        TrustError: `trust.below-agent`, an agent started this process.
    """
    marker = find_agent_marker(environ)
    if marker:
        raise TrustError(
            f"an agent cannot do this, because it widens what may run (`{marker}` is set)",
            name="trust.below-agent",
            hint=f"say to the user: please run `{command}` in a terminal of your own",
        )
