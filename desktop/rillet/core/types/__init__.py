"""The values that flow through the house. Frozen, without I/O; everything below imports them from here."""

from rillet.core.types.deltas import (
    Delta,
    Finished,
    FinishReason,
    PartDelta,
    ReasoningDelta,
    Restarted,
    RetryNotice,
    TextDelta,
    ToolCallDelta,
    UsageDelta,
)
from rillet.core.types.embedding import EmbeddingRequest, EmbeddingResponse
from rillet.core.types.messages import ChatMessage, Role
from rillet.core.types.model import Model, Prices
from rillet.core.types.parts import (
    FilePart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    parse_arguments,
)
from rillet.core.types.request import ChatRequest, ReasoningEffort, ResponseFormat
from rillet.core.types.response import ChatResponse, ToolCall
from rillet.core.types.tools import ToolSpec
from rillet.core.types.usage import Usage

__all__ = [
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
    "Prices",
    "ReasoningDelta",
    "ReasoningEffort",
    "ReasoningPart",
    "ResponseFormat",
    "Restarted",
    "RetryNotice",
    "Role",
    "TextDelta",
    "TextPart",
    "ToolCall",
    "ToolCallDelta",
    "ToolCallPart",
    "ToolResultPart",
    "ToolSpec",
    "Usage",
    "UsageDelta",
    "parse_arguments",
]
