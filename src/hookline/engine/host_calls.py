"""Recognises the entries of a host's files by which the host calls hookline."""

from __future__ import annotations

import re
from itertools import pairwise

from hookline.engine.catalog import NAMES
from hookline.model.spec import Broken, Command, HookSpec, Http
from hookline.paths import read_regular

_BETWEEN_WORDS = r"[\s\"'`\\;&|()<>]+"  # blanks, quotes and what else ends a word of a shell
_LONGEST_CALL = 4096  # bytes of a script that does nothing but call hookline


def is_call(spec: HookSpec) -> bool:
    """Whether a hook has hookline answer the hook's own host, by a command or over HTTP."""
    command = read_command(spec)
    if "hookline" not in command:
        return is_call_of_server(spec)
    words = re.split(_BETWEEN_WORDS, command)
    for at, word in enumerate(words):
        if word.rpartition("/")[2] == "hookline" and words[at + 1 : at + 2] == ["answer"]:
            options = pairwise(words[at + 1 :])
            hosts = (host for option, host in options if host in NAMES and option != "--dialect")
            if next(hosts, "") == spec.dialect:
                return True
    return False


def is_call_of_server(spec: HookSpec) -> bool:
    """Whether a hook asks a decision server to answer the hook's own host."""
    handler = spec.handler
    return isinstance(handler, Http | Broken) and f"/v1/answer/{spec.dialect}" in handler.url


def read_command(spec: HookSpec) -> str:
    """Return the command of a hook; where the hook's file is its program, that file's text."""
    handler = spec.handler
    if not isinstance(handler, Command):
        return ""
    if handler.argv[:1] == (spec.origin.file,):
        found = read_regular(spec.origin.file, _LONGEST_CALL)
        return found[1].decode("utf-8", "replace") if found else ""
    return handler.script or " ".join(handler.argv)
