"""Runs the commands of other machines, and of containers with the folders that they mount."""

from __future__ import annotations

from itertools import pairwise

from hookline.text import lazy_re as re
from hookline.text.script.programs import (
    CONTAINER_VALUED,
    CONTAINER_VERBS,
    CONTAINERS,
    REMOTE,
    STARTED,
)
from hookline.text.script.reading import Command, Word, join_all
from hookline.text.script.wrappers import unwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hookline.text.script.state import Shell

_PROXY = re.compile(r"(?:-o)?(?:ProxyCommand|LocalCommand)[= ](.*)", re.IGNORECASE | re.DOTALL)


def run_remote(shell: Shell, name: str, command: Command) -> Word | None:
    """Run a command of another machine."""
    if name not in REMOTE:
        return None
    printed = shell.add_call(command)
    inner = unwrap(command.words, REMOTE[name]).words
    before, shell.cwd = shell.cwd, ""
    for text in command.texts:
        if match := _PROXY.match(text):
            shell.run_text(match[1], None, (name,))
    if inner:
        output = shell.run_text(join_all(inner).text, command.stdin, (name,))
        printed = printed.add_calls(output)
    elif command.stdin is not None and command.stdin.is_known:  # a shell of that machine reads it
        shell.run_text(command.stdin.text, None, (name,))
    shell.cwd = before
    return printed


def run_container(shell: Shell, name: str, command: Command) -> Word | None:
    """Run a command in a container, with this machine's paths for those that it mounts."""
    words, texts = command.words, command.texts
    verb = next((each for each in CONTAINER_VERBS if each in texts[1:4]), "")
    if name not in CONTAINERS or not verb:
        return None
    printed = shell.add_call(command)
    at, folder, entry = texts.index(verb) + 1, "", ""
    while at < len(words) and texts[at].startswith("-") and texts[at] != "--":
        if texts[at] in ("-w", "--workdir") and at + 1 < len(words):
            folder = _map_mounts(words[at + 1 : at + 2], words, shell)[0].text
        elif texts[at].startswith("--entrypoint"):
            entry = texts[at].partition("=")[2] or texts[min(at + 1, len(texts) - 1)]
        at += 2 if texts[at] in CONTAINER_VALUED else 1
    image = texts[at].rpartition("/")[2].partition(":")[0] if at < len(texts) else ""
    inner = list(words[at + 1 :])
    if entry or (verb != "exec" and image in STARTED):  # the image is the program
        inner = [Word(entry or image), *inner]
    elif "--" in texts[at + 1 :]:
        inner = list(words[texts.index("--", at + 1) + 1 :])
    while inner and inner[0].text == "-c":
        del inner[0]
    if not inner:
        return printed
    mapped = Command(tuple(_map_mounts(inner, words, shell)), command.stdin)
    output = shell.run_inner(f"{name} {verb}", mapped, cwd=folder)
    return printed.add_calls(output)


def _map_mounts(inner: Sequence[Word], words: Sequence[Word], shell: Shell) -> list[Word]:
    """Return the words of a container's command with this machine's paths for its own.

    Args:
        inner: the command in the container.
        words: all words of the call.
        shell: knows the folder of a relative source.
    """
    mapped = list(inner)
    for source, target in _list_mounts(words):
        shell.budget.check_now()
        here = shell.find_path(source).rstrip("/")
        there = re.compile(rf"(?<![\w/.~-]){re.escape(target.rstrip('/'))}(?=/|[^\w/.-]|$)")
        mapped = [word._replace(text=_put(there, here, word.text)) for word in mapped]
    return mapped


def _put(there: re.Pattern[str], here: str, text: str) -> str:
    """Return a text with a folder of this machine; the root has a slash unless one follows."""

    def replace(at: re.Match[str]) -> str:
        return here or ("" if text[at.end() : at.end() + 1] == "/" else "/")

    return there.sub(replace, text)


def _list_mounts(words: Sequence[Word]) -> Iterator[tuple[str, str]]:
    """Yield source and target of each `-v SOURCE:TARGET` and `--mount type=bind,...`."""
    texts = [word.text for word in words]
    for option, value in pairwise((*texts, "")):
        name, _, own = option.partition("=")
        given = own if name in ("--volume", "--mount") and own else value
        if name in ("-v", "--volume"):
            source, _, rest = given.partition(":")
            target = rest.partition(":")[0]
        elif name == "--mount":
            parts = dict(part.partition("=")[::2] for part in given.split(","))
            source = parts.get("source", parts.get("src", ""))
            target = parts.get("target", parts.get("dst", parts.get("destination", "")))
        else:
            continue
        if source.startswith(("/", ".")) and target.startswith("/") and target != "/":
            yield source, target
