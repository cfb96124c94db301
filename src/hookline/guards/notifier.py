"""The guard `notifier`: tells the user, on the desktop or by a webhook, that an agent needs them.

A builtin and no script, so that a webhook is called as every HTTP hook: on a checked address, and
without redirects. The guard itself only says what is sent where; `Answer.sends` carries it.
"""

from __future__ import annotations

import json

from hookline.guards.finding import Answer
from hookline.model.spec import Command, Http
from hookline.text.masking import mask_text
from hookline.text.terminal_escape import escape_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.guards.world import World
    from hookline.model.event import Event

_LONGEST = 300  # characters of a message
_READ = 4_000  # characters in which secrets are looked for
# The event -> what it says, and the fact that holds the host's own words.
_MESSAGES = {
    "stop": ("the agent is done", "last_message"),
    "notification": ("the agent waits for you", "message"),
    "error": ("an error stopped the agent", "error"),
    "stop.failure": ("an error stopped the agent", "error"),
}
# Slack reads these as marks: `<!channel>` would notify all members.
_SLACK = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
# Texts are arguments, and so never code of the shell or of AppleScript.
_DESKTOP = """\
if command -v notify-send >/dev/null; then exec notify-send -- "$1" "$2"; fi
if command -v osascript >/dev/null; then exec osascript -e 'on run argv' \\
  -e 'display notification (item 2 of argv) with title (item 1 of argv)' -e 'end run' "$1" "$2"; fi
echo 'neither notify-send nor osascript is on this machine' >&2; exit 1"""


def judge(event: Event, options: Mapping[str, Any], world: World) -> Answer | None:
    """Return the message about an event, and where it goes; None for another event."""
    if event.kind not in _MESSAGES:
        return None
    what, fact = _MESSAGES[event.kind]
    details = event.body.value(fact) or event.text
    if isinstance(details, str) and (options.get("details") or fact != "last_message"):
        what = f"{what}: {_shorten(details)}" if details.strip() else what
    project = (world.project or event.cwd).rstrip("/").rpartition("/")[2]
    title = f"{event.dialect} in {escape_line(project)}" if project else event.dialect
    webhook = options.get("webhook", "")
    if not webhook:
        argv = ("{shell}", "-c", _DESKTOP, "notifier", title, what)
        return Answer(sends=Command(argv=argv, working_dir="/"))
    text = f"{title}: {what}".translate(_SLACK)
    return Answer(sends=Http(url=_find_address(webhook, world), body=json.dumps({"text": text})))


def _find_address(webhook: str, world: World) -> str:
    """Return the address of a webhook, which a variable of the environment may hold.

    Raises:
        ValueError: the variable holds none; what it holds may be another secret, so is not shown.
    """
    if not webhook.startswith("$"):
        return webhook
    address = world.environ.get(webhook[1:], "")
    if not address.startswith("https://"):
        raise ValueError(f"the variable {webhook[1:]} holds no https address")
    return address


def _shorten(text: str) -> str:
    """Return the beginning of a text, masked, on one line."""
    line = escape_line(" ".join(mask_text(text[:_READ]).split()))
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]} ..."
