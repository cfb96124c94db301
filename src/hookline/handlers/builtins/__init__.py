"""Builtins: handlers that hookline ships, by the names under which docker-agent's documents know them.

A builtin returns an output object of that dialect, None, or a `Job`: a program whose outcome it
must see first.
"""

from __future__ import annotations

from hookline.handlers.builtins import facts, git, iteration_limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.handlers.builtins.builtin_call import BuiltinHook

REGISTRY: Mapping[str, BuiltinHook] = {
    "add_date": facts.add_date,
    "add_directory_listing": facts.add_directory_listing,
    "add_environment_info": facts.add_environment_info,
    "add_git_diff": git.add_git_diff,
    "add_git_status": git.add_git_status,
    "add_prompt_files": facts.add_prompt_files,
    "add_recent_commits": git.add_recent_commits,
    "add_user_info": facts.add_user_info,
    "http_post": facts.do_nothing,  # without an address; with one it is an HTTP hook
    "max_iterations": iteration_limit.max_iterations,
}
