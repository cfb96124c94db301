"""The keys of an agent file, and what hookline does with each.

They are those of docker-agent's `agent-schema.json`, version 16, and `hookline`.
"""

from __future__ import annotations

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.wire.fields import Node

RUNS, ACCEPTED, IGNORED, REFUSED = "runs", "accepted", "ignored", "refused"
HIGHEST_VERSION = 16
MODES = ("strict", "balanced", "restricted", "autonomous")


class Key(Frozen):
    """What hookline does with a key, and why it does not follow it.

    `treatment`: it `runs`; it is `accepted`, because nothing is lost without it; it is `ignored`
    with a warning; or it is `refused` with an error, because the agent would be another one.
    """

    treatment: str
    reason: str = ""


def _read(text: str) -> Mapping[str, Key]:
    rows = (tuple(map(str.strip, line.split("|"))) for line in text.strip().splitlines())
    return {
        name: Key(treatment=treatment, reason=rest[0] if rest else "")
        for names, treatment, *rest in rows
        for name in names.split()
    }


TOP = _read("""
agents models providers mcps toolsets commands permissions runtime budget budgets hookline | runs
version metadata | accepted
rag | ignored | hookline has no search over documents
skills | ignored | hookline loads no skills
flavors | ignored | hookline applies no flavors
evaluators | ignored | hookline runs no evaluators
""")
AGENT = _read("""
model fallback description welcome_message instruction instruction_file toolsets use_toolsets | runs
sub_agents handoffs force_handoff routing hooks readonly safety redact_secrets | runs
add_date add_environment_info add_prompt_files add_prompt_files_depth commands use_commands | runs
max_iterations max_consecutive_tool_calls num_history_items budgets | runs
session_compaction compaction_threshold compaction_model | runs
harness | refused | hookline asks a model itself, and starts no other agent for it
code_mode_tools | ignored | the agent calls each tool directly
add_description_parameter | ignored | tools keep their own parameters
structured_output | ignored | the agent answers in free text
cache | ignored | hookline asks the model again
rag | ignored | hookline has no search over documents
skills use_skills | ignored | hookline loads no skills
max_old_tool_call_tokens max_tool_result_tokens | ignored | `limit_large_tool_results` cuts results
""")
MODEL = _read("""
provider model base_url token_key temperature max_tokens top_p frequency_penalty | runs
presence_penalty parallel_tool_calls provider_opts thinking_budget first_available cost | runs
compaction_model compaction_threshold | runs
description track_usage bypass_models_gateway title_model output_capabilities | accepted
capabilities | accepted
routing | refused | hookline does not choose a model by examples; name one model
auth | refused | hookline sends a key from a variable; name it in `token_key`
task_budget | ignored | use the key `budget` of the file
""")
PROVIDER = _read("""
provider base_url token_key temperature max_tokens top_p frequency_penalty | runs
presence_penalty parallel_tool_calls provider_opts thinking_budget compaction_model | runs
unload_api | runs
track_usage | accepted
api_type | accepted
auth | refused | hookline sends a key from a variable; name it in `token_key`
task_budget | ignored | use the key `budget` of the file
""")
RUNTIME = _read("""
safety sandbox | runs
network_allowlist | ignored | the sandbox has the whole network, or none of it
""")
HOST = _read("""
sandbox snapshot profile allow_local | runs
""")
METADATA = ("author", "license", "readme", "description", "version", "tags")

# -- toolsets --------------------------------------------------------------------------------------

# The tools of each toolset that hookline has; None where a server names them.
TOOLSETS: Mapping[str, tuple[str, ...] | None] = {
    "shell": ("shell",),
    "background_jobs": ("run_background_job", "view_background_job", "stop_background_job"),
    "filesystem": (
        "read_file", "write_file", "edit_file", "list_directory", "search_files_content",
        "find_files", "create_directory", "file_info",
    ),
    "think": ("think",),
    "todo": (
        "write_plan", "read_plan", "add_task", "update_task_status", "update_task_statuses",
        "remove_task",
    ),
    "mcp": None,
}  # fmt: skip
# Tools of docker-agent that hookline does not have, with what it has instead.
MISSING_TOOLS: Mapping[str, Mapping[str, str]] = {
    "filesystem": {
        "read_multiple_files": "`read_file` reads one file a call",
        "directory_tree": "`find_files` finds files at any depth",
        "remove_directory": "`shell` can remove it",
    },
    "todo": {
        "create_todo": "`add_task` adds a step",
        "create_todos": "`write_plan` writes all steps",
        "update_todos": "`update_task_statuses` changes steps",
        "list_todos": "`read_plan` lists the steps",
    },
}
# Toolsets of docker-agent that hookline leaves out with a warning.
MISSING_TOOLSETS = (
    "a2a", "api", "background_agents", "fetch", "file", "git", "lsp",
    "mcp_catalog", "memory", "model_picker", "open_url", "openapi", "plan", "rag", "scheduler",
    "script", "session_context", "session_plan", "tasks", "user_prompt", "webhook",
)  # fmt: skip
TOOLSET = _read("""
type tools instruction readonly | runs
toon | accepted
model | ignored | the agent's own model reads the results
defer | ignored | the agent has all tools from the start
""")
_FOR_TYPE = {
    "shell": _read("""
env | runs
safer | accepted
sudo_askpass | ignored | `sudo` cannot ask for a password
"""),
    "background_jobs": _read("env | runs"),
    "filesystem": _read("ignore_vcs allow_list deny_list post_edit | runs"),
    "think": _read("shared | accepted"),
    "todo": _read("shared | runs"),
    "mcp": _read("""
name command args env working_dir remote ref lifecycle | runs
allow_private_ips | accepted
config | ignored | configure the server with `docker mcp config`
version | ignored | hookline installs no servers
"""),
}
# Every further key that some toolset of docker-agent has.
_OF_OTHERS = (
    "api_config", "allowed_domains", "allowed_servers", "blocked_domains", "blocked_servers",
    "escape_html", "file_types", "headers", "max_output_bytes", "models", "path", "rag_config",
    "recall", "shell", "timeout", "url", "webhook_config",
)  # fmt: skip
TOOLSET_KEYS: Mapping[str, Mapping[str, Key]] = {
    kind: {**TOOLSET, **keys} for kind, keys in _FOR_TYPE.items()
}
EVERY_TOOLSET_KEY = (*TOOLSET, *(key for keys in _FOR_TYPE.values() for key in keys), *_OF_OTHERS)
REMOTE = _read("""
url transport_type headers | runs
oauth | ignored | hookline signs in nowhere; send a token in `headers`
""")
LIFECYCLE = _read("""
startup_timeout call_timeout | runs
required profile restart max_restarts backoff | ignored | hookline starts a server once
""")


def check_keys(node: Node, keys: Mapping[str, Key], what: str) -> None:
    """File a problem about each key that hookline does not know, refuses or ignores.

    A key without a value, or with `false` or nothing in it, is not followed anyway.

    `what`: the noun for the part of the file, for messages.
    """
    node.check_known_keys(keys, what)
    for name, value in node.value.items():
        key = keys.get(name)
        if key is None or not value:
            continue
        if key.treatment == REFUSED:
            node.complain(
                "key.unsupported", f"hookline cannot follow `{name}` of {what}", name,
                hint=key.reason,
            )  # fmt: skip
        elif key.treatment == IGNORED:
            node.warn("key.ignored", f"hookline ignores `{name}` of {what}", name, hint=key.reason)
