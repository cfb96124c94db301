# Generated from bridge.proto by tools/generate.py; `make format` rewrites it.
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FailMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FAIL_DEFAULT: _ClassVar[FailMode]
    FAIL_OPEN: _ClassVar[FailMode]
    FAIL_CLOSED: _ClassVar[FailMode]

class Action(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ACTION_UNSPECIFIED: _ClassVar[Action]
    CONTINUE: _ClassVar[Action]
    BLOCK: _ClassVar[Action]
    RETRY: _ClassVar[Action]
    SKIP: _ClassVar[Action]
FAIL_DEFAULT: FailMode
FAIL_OPEN: FailMode
FAIL_CLOSED: FailMode
ACTION_UNSPECIFIED: Action
CONTINUE: Action
BLOCK: Action
RETRY: Action
SKIP: Action

class HandlerFrame(_message.Message):
    __slots__ = ("hello", "registry", "result", "pong", "goaway", "ping")
    HELLO_FIELD_NUMBER: _ClassVar[int]
    REGISTRY_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    PONG_FIELD_NUMBER: _ClassVar[int]
    GOAWAY_FIELD_NUMBER: _ClassVar[int]
    PING_FIELD_NUMBER: _ClassVar[int]
    hello: Hello
    registry: Registry
    result: Result
    pong: Pong
    goaway: Goaway
    ping: Ping
    def __init__(self, hello: _Optional[_Union[Hello, _Mapping]] = ..., registry: _Optional[_Union[Registry, _Mapping]] = ..., result: _Optional[_Union[Result, _Mapping]] = ..., pong: _Optional[_Union[Pong, _Mapping]] = ..., goaway: _Optional[_Union[Goaway, _Mapping]] = ..., ping: _Optional[_Union[Ping, _Mapping]] = ...) -> None: ...

class EngineFrame(_message.Message):
    __slots__ = ("welcome", "registry_ack", "invoke", "cancel", "ping", "goaway", "pong")
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    REGISTRY_ACK_FIELD_NUMBER: _ClassVar[int]
    INVOKE_FIELD_NUMBER: _ClassVar[int]
    CANCEL_FIELD_NUMBER: _ClassVar[int]
    PING_FIELD_NUMBER: _ClassVar[int]
    GOAWAY_FIELD_NUMBER: _ClassVar[int]
    PONG_FIELD_NUMBER: _ClassVar[int]
    welcome: Welcome
    registry_ack: RegistryAck
    invoke: Invoke
    cancel: Cancel
    ping: Ping
    goaway: Goaway
    pong: Pong
    def __init__(self, welcome: _Optional[_Union[Welcome, _Mapping]] = ..., registry_ack: _Optional[_Union[RegistryAck, _Mapping]] = ..., invoke: _Optional[_Union[Invoke, _Mapping]] = ..., cancel: _Optional[_Union[Cancel, _Mapping]] = ..., ping: _Optional[_Union[Ping, _Mapping]] = ..., goaway: _Optional[_Union[Goaway, _Mapping]] = ..., pong: _Optional[_Union[Pong, _Mapping]] = ...) -> None: ...

class Hello(_message.Message):
    __slots__ = ("protocol", "instance_id", "token", "resume_id", "features")
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    INSTANCE_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    RESUME_ID_FIELD_NUMBER: _ClassVar[int]
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    protocol: int
    instance_id: str
    token: bytes
    resume_id: str
    features: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, protocol: _Optional[int] = ..., instance_id: _Optional[str] = ..., token: _Optional[bytes] = ..., resume_id: _Optional[str] = ..., features: _Optional[_Iterable[str]] = ...) -> None: ...

class Welcome(_message.Message):
    __slots__ = ("protocol", "session_key", "max_in_flight", "max_payload_bytes", "ping_ms", "event_types", "resumed")
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    SESSION_KEY_FIELD_NUMBER: _ClassVar[int]
    MAX_IN_FLIGHT_FIELD_NUMBER: _ClassVar[int]
    MAX_PAYLOAD_BYTES_FIELD_NUMBER: _ClassVar[int]
    PING_MS_FIELD_NUMBER: _ClassVar[int]
    EVENT_TYPES_FIELD_NUMBER: _ClassVar[int]
    RESUMED_FIELD_NUMBER: _ClassVar[int]
    protocol: int
    session_key: str
    max_in_flight: int
    max_payload_bytes: int
    ping_ms: int
    event_types: _containers.RepeatedScalarFieldContainer[str]
    resumed: bool
    def __init__(self, protocol: _Optional[int] = ..., session_key: _Optional[str] = ..., max_in_flight: _Optional[int] = ..., max_payload_bytes: _Optional[int] = ..., ping_ms: _Optional[int] = ..., event_types: _Optional[_Iterable[str]] = ..., resumed: _Optional[bool] = ...) -> None: ...

class Registry(_message.Message):
    __slots__ = ("generation", "hooks")
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    HOOKS_FIELD_NUMBER: _ClassVar[int]
    generation: int
    hooks: _containers.RepeatedCompositeFieldContainer[HookSpec]
    def __init__(self, generation: _Optional[int] = ..., hooks: _Optional[_Iterable[_Union[HookSpec, _Mapping]]] = ...) -> None: ...

class RegistryAck(_message.Message):
    __slots__ = ("generation", "rejected")
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    REJECTED_FIELD_NUMBER: _ClassVar[int]
    generation: int
    rejected: _containers.RepeatedCompositeFieldContainer[Rejected]
    def __init__(self, generation: _Optional[int] = ..., rejected: _Optional[_Iterable[_Union[Rejected, _Mapping]]] = ...) -> None: ...

class Rejected(_message.Message):
    __slots__ = ("hook_id", "problem")
    HOOK_ID_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    hook_id: str
    problem: str
    def __init__(self, hook_id: _Optional[str] = ..., problem: _Optional[str] = ...) -> None: ...

class HookSpec(_message.Message):
    __slots__ = ("id", "event_type", "matcher", "priority", "timeout_ms", "observe_only", "max_retries", "fail_mode")
    ID_FIELD_NUMBER: _ClassVar[int]
    EVENT_TYPE_FIELD_NUMBER: _ClassVar[int]
    MATCHER_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_MS_FIELD_NUMBER: _ClassVar[int]
    OBSERVE_ONLY_FIELD_NUMBER: _ClassVar[int]
    MAX_RETRIES_FIELD_NUMBER: _ClassVar[int]
    FAIL_MODE_FIELD_NUMBER: _ClassVar[int]
    id: str
    event_type: str
    matcher: Matcher
    priority: int
    timeout_ms: int
    observe_only: bool
    max_retries: int
    fail_mode: FailMode
    def __init__(self, id: _Optional[str] = ..., event_type: _Optional[str] = ..., matcher: _Optional[_Union[Matcher, _Mapping]] = ..., priority: _Optional[int] = ..., timeout_ms: _Optional[int] = ..., observe_only: _Optional[bool] = ..., max_retries: _Optional[int] = ..., fail_mode: _Optional[_Union[FailMode, str]] = ...) -> None: ...

class Matcher(_message.Message):
    __slots__ = ("tool", "path_pattern", "command_pattern", "session_id", "skill")
    TOOL_FIELD_NUMBER: _ClassVar[int]
    PATH_PATTERN_FIELD_NUMBER: _ClassVar[int]
    COMMAND_PATTERN_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SKILL_FIELD_NUMBER: _ClassVar[int]
    tool: str
    path_pattern: str
    command_pattern: str
    session_id: str
    skill: str
    def __init__(self, tool: _Optional[str] = ..., path_pattern: _Optional[str] = ..., command_pattern: _Optional[str] = ..., session_id: _Optional[str] = ..., skill: _Optional[str] = ...) -> None: ...

class Invoke(_message.Message):
    __slots__ = ("invocation_id", "hook_id", "generation", "event_type", "event_json", "budget_ms", "attempt", "gating", "reply_expected", "traceparent")
    INVOCATION_ID_FIELD_NUMBER: _ClassVar[int]
    HOOK_ID_FIELD_NUMBER: _ClassVar[int]
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    EVENT_TYPE_FIELD_NUMBER: _ClassVar[int]
    EVENT_JSON_FIELD_NUMBER: _ClassVar[int]
    BUDGET_MS_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    GATING_FIELD_NUMBER: _ClassVar[int]
    REPLY_EXPECTED_FIELD_NUMBER: _ClassVar[int]
    TRACEPARENT_FIELD_NUMBER: _ClassVar[int]
    invocation_id: str
    hook_id: str
    generation: int
    event_type: str
    event_json: bytes
    budget_ms: int
    attempt: int
    gating: bool
    reply_expected: bool
    traceparent: str
    def __init__(self, invocation_id: _Optional[str] = ..., hook_id: _Optional[str] = ..., generation: _Optional[int] = ..., event_type: _Optional[str] = ..., event_json: _Optional[bytes] = ..., budget_ms: _Optional[int] = ..., attempt: _Optional[int] = ..., gating: _Optional[bool] = ..., reply_expected: _Optional[bool] = ..., traceparent: _Optional[str] = ...) -> None: ...

class Result(_message.Message):
    __slots__ = ("invocation_id", "action", "reason", "modified_json", "retry_delay_ms", "failure", "handler_ms")
    INVOCATION_ID_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MODIFIED_JSON_FIELD_NUMBER: _ClassVar[int]
    RETRY_DELAY_MS_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    HANDLER_MS_FIELD_NUMBER: _ClassVar[int]
    invocation_id: str
    action: Action
    reason: str
    modified_json: bytes
    retry_delay_ms: int
    failure: str
    handler_ms: int
    def __init__(self, invocation_id: _Optional[str] = ..., action: _Optional[_Union[Action, str]] = ..., reason: _Optional[str] = ..., modified_json: _Optional[bytes] = ..., retry_delay_ms: _Optional[int] = ..., failure: _Optional[str] = ..., handler_ms: _Optional[int] = ...) -> None: ...

class Cancel(_message.Message):
    __slots__ = ("invocation_id", "why")
    INVOCATION_ID_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    invocation_id: str
    why: str
    def __init__(self, invocation_id: _Optional[str] = ..., why: _Optional[str] = ...) -> None: ...

class Ping(_message.Message):
    __slots__ = ("n",)
    N_FIELD_NUMBER: _ClassVar[int]
    n: int
    def __init__(self, n: _Optional[int] = ...) -> None: ...

class Pong(_message.Message):
    __slots__ = ("n",)
    N_FIELD_NUMBER: _ClassVar[int]
    n: int
    def __init__(self, n: _Optional[int] = ...) -> None: ...

class Goaway(_message.Message):
    __slots__ = ("why", "drain_ms")
    WHY_FIELD_NUMBER: _ClassVar[int]
    DRAIN_MS_FIELD_NUMBER: _ClassVar[int]
    why: str
    drain_ms: int
    def __init__(self, why: _Optional[str] = ..., drain_ms: _Optional[int] = ...) -> None: ...

class FireRequest(_message.Message):
    __slots__ = ("request_id", "event", "dialect", "payload_json", "budget_ms")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    DIALECT_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_JSON_FIELD_NUMBER: _ClassVar[int]
    BUDGET_MS_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    event: str
    dialect: str
    payload_json: bytes
    budget_ms: int
    def __init__(self, request_id: _Optional[str] = ..., event: _Optional[str] = ..., dialect: _Optional[str] = ..., payload_json: _Optional[bytes] = ..., budget_ms: _Optional[int] = ...) -> None: ...

class FireReply(_message.Message):
    __slots__ = ("request_id", "decision_json", "error_code", "error")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    DECISION_JSON_FIELD_NUMBER: _ClassVar[int]
    ERROR_CODE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    decision_json: bytes
    error_code: str
    error: str
    def __init__(self, request_id: _Optional[str] = ..., decision_json: _Optional[bytes] = ..., error_code: _Optional[str] = ..., error: _Optional[str] = ...) -> None: ...

class AnswerRequest(_message.Message):
    __slots__ = ("dialect", "payload_json")
    DIALECT_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_JSON_FIELD_NUMBER: _ClassVar[int]
    dialect: str
    payload_json: bytes
    def __init__(self, dialect: _Optional[str] = ..., payload_json: _Optional[bytes] = ...) -> None: ...

class AnswerReply(_message.Message):
    __slots__ = ("stdout", "stderr", "exit_code")
    STDOUT_FIELD_NUMBER: _ClassVar[int]
    STDERR_FIELD_NUMBER: _ClassVar[int]
    EXIT_CODE_FIELD_NUMBER: _ClassVar[int]
    stdout: str
    stderr: str
    exit_code: int
    def __init__(self, stdout: _Optional[str] = ..., stderr: _Optional[str] = ..., exit_code: _Optional[int] = ...) -> None: ...
