"""Rillet: a native desktop chat client for language models, and the library it is built from.

Importing this package loads nothing but itself: the names below resolve on first use, so that a program pays only for
the wing it enters. The house has four wings, and imports run one way: app → widgets → qt → core.

    rillet.core      Qt-free: values, wire formats, network, providers
    rillet.qt        the same on a background thread, with every callback on the GUI thread
    rillet.widgets   a chat view to embed
    rillet.app       the program
"""

from typing import TYPE_CHECKING

from rillet.lazy import exports
from rillet.version import __version__

if TYPE_CHECKING:
    from rillet.core.agent.agent import Agent
    from rillet.core.agent.compaction import compactor
    from rillet.core.agent.conversations import ConversationStore, MemoryConversationStore
    from rillet.core.agent.events import StreamEvent
    from rillet.core.agent.hooks import Hooks, Replacement
    from rillet.core.agent.metrics import Metric
    from rillet.core.agent.result import Pending, RunResult, ToolCallRecord
    from rillet.core.agent.run import AgentRun
    from rillet.core.client import AsyncLlmClient
    from rillet.core.errors import (
        AuthError,
        Cancelled,
        ContentFilterError,
        ContextLengthError,
        InvalidRequestError,
        LlmError,
        ModelNotFoundError,
        NetworkError,
        OverloadedError,
        RateLimitError,
        ServerError,
        TimedOutError,
    )
    from rillet.core.net.profile import NetworkProfile
    from rillet.core.net.retry import RetryPolicy
    from rillet.core.providers.provider import Provider
    from rillet.core.store.conversation_file import ConversationFile
    from rillet.core.tools.http import http_tool
    from rillet.core.tools.mcp.consent import Consent, ConsentBook
    from rillet.core.tools.mcp.servers import McpServers
    from rillet.core.tools.native import tool
    from rillet.core.tools.openapi import openapi_tools
    from rillet.core.tools.policy.grants import Grant, GrantBook
    from rillet.core.tools.policy.policy import Policy
    from rillet.core.tools.policy.rules import CallRule, CommandRule, HostRule, PathRule, ToolRule
    from rillet.core.tools.skill_file import Skill
    from rillet.core.tools.skills import Skills
    from rillet.core.tools.tool import Effect, Tool, ToolContext, ToolResult
    from rillet.core.tools.toolkit import Toolkit
    from rillet.core.tools.workspace import Workspace
    from rillet.core.types import (
        ChatMessage,
        ChatRequest,
        ChatResponse,
        Delta,
        EmbeddingRequest,
        EmbeddingResponse,
        FilePart,
        Finished,
        FinishReason,
        ImagePart,
        Model,
        OpaquePart,
        Part,
        PartDelta,
        ReasoningDelta,
        ReasoningPart,
        Restarted,
        RetryNotice,
        TextDelta,
        TextPart,
        ToolCall,
        ToolCallDelta,
        ToolCallPart,
        ToolResultPart,
        ToolSpec,
        Usage,
        UsageDelta,
    )
    from rillet.core.types.suspension import Answer, Request
    from rillet.core.wire.fold import fold


__all__ = [
    "Agent",
    "AgentRun",
    "Answer",
    "AsyncLlmClient",
    "AuthError",
    "CallRule",
    "Cancelled",
    "ChatMessage",
    "ChatRequest",
    "ChatResponse",
    "CommandRule",
    "Consent",
    "ConsentBook",
    "ContentFilterError",
    "ContextLengthError",
    "ConversationFile",
    "ConversationStore",
    "Delta",
    "Effect",
    "EmbeddingRequest",
    "EmbeddingResponse",
    "FilePart",
    "FinishReason",
    "Finished",
    "Grant",
    "GrantBook",
    "Hooks",
    "HostRule",
    "ImagePart",
    "InvalidRequestError",
    "LlmError",
    "McpServers",
    "MemoryConversationStore",
    "Metric",
    "Model",
    "ModelNotFoundError",
    "NetworkError",
    "NetworkProfile",
    "OpaquePart",
    "OverloadedError",
    "Part",
    "PartDelta",
    "PathRule",
    "Pending",
    "Policy",
    "Provider",
    "RateLimitError",
    "ReasoningDelta",
    "ReasoningPart",
    "Replacement",
    "Request",
    "Restarted",
    "RetryNotice",
    "RetryPolicy",
    "RunResult",
    "ServerError",
    "Skill",
    "Skills",
    "StreamEvent",
    "TextDelta",
    "TextPart",
    "TimedOutError",
    "Tool",
    "ToolCall",
    "ToolCallDelta",
    "ToolCallPart",
    "ToolCallRecord",
    "ToolContext",
    "ToolResult",
    "ToolResultPart",
    "ToolRule",
    "ToolSpec",
    "Toolkit",
    "Usage",
    "UsageDelta",
    "Workspace",
    "__version__",
    "compactor",
    "fold",
    "http_tool",
    "openapi_tools",
    "tool",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "rillet.core.agent.agent": ("Agent",),
        "rillet.core.agent.compaction": ("compactor",),
        "rillet.core.agent.conversations": ("ConversationStore", "MemoryConversationStore"),
        "rillet.core.agent.events": ("StreamEvent",),
        "rillet.core.agent.hooks": ("Hooks", "Replacement"),
        "rillet.core.agent.metrics": ("Metric",),
        "rillet.core.agent.result": ("Pending", "RunResult", "ToolCallRecord"),
        "rillet.core.agent.run": ("AgentRun",),
        "rillet.core.client": ("AsyncLlmClient",),
        "rillet.core.errors": (
            "AuthError",
            "Cancelled",
            "ContentFilterError",
            "ContextLengthError",
            "InvalidRequestError",
            "LlmError",
            "ModelNotFoundError",
            "NetworkError",
            "OverloadedError",
            "RateLimitError",
            "ServerError",
            "TimedOutError",
        ),
        "rillet.core.net.profile": ("NetworkProfile",),
        "rillet.core.net.retry": ("RetryPolicy",),
        "rillet.core.providers.provider": ("Provider",),
        "rillet.core.store.conversation_file": ("ConversationFile",),
        "rillet.core.tools.http": ("http_tool",),
        "rillet.core.tools.native": ("tool",),
        "rillet.core.tools.openapi": ("openapi_tools",),
        "rillet.core.tools.policy.grants": ("Grant", "GrantBook"),
        "rillet.core.tools.mcp.consent": ("Consent", "ConsentBook"),
        "rillet.core.tools.mcp.servers": ("McpServers",),
        "rillet.core.tools.policy.policy": ("Policy",),
        "rillet.core.tools.policy.rules": ("CallRule", "CommandRule", "HostRule", "PathRule", "ToolRule"),
        "rillet.core.tools.skill_file": ("Skill",),
        "rillet.core.tools.skills": ("Skills",),
        "rillet.core.tools.tool": ("Effect", "Tool", "ToolContext", "ToolResult"),
        "rillet.core.tools.toolkit": ("Toolkit",),
        "rillet.core.tools.workspace": ("Workspace",),
        "rillet.core.types": (
            "ChatMessage",
            "ChatRequest",
            "ChatResponse",
            "Delta",
            "EmbeddingRequest",
            "EmbeddingResponse",
            "FilePart",
            "FinishReason",
            "Finished",
            "ImagePart",
            "Model",
            "OpaquePart",
            "Part",
            "PartDelta",
            "ReasoningDelta",
            "ReasoningPart",
            "Restarted",
            "RetryNotice",
            "TextDelta",
            "TextPart",
            "ToolCall",
            "ToolCallDelta",
            "ToolCallPart",
            "ToolResultPart",
            "ToolSpec",
            "Usage",
            "UsageDelta",
        ),
        "rillet.core.types.suspension": ("Answer", "Request"),
        "rillet.core.wire.fold": ("fold",),
    },
)
