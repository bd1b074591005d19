"""Rillet: a native desktop chat client for language models, and the library it is built from.

Importing this package loads nothing but itself: the names below resolve on first use (PEP 562), so that a program pays
only for the wing it enters. The house has four wings, and imports run one way: app → widgets → qt → core.

    rillet.core      Qt-free: values, wire formats, network, providers
    rillet.qt        the same on a background thread, with every callback on the GUI thread
    rillet.widgets   a chat view to embed
    rillet.app       the program
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOMES = {
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
    "rillet.core.types": (
        "ChatMessage",
        "ChatRequest",
        "ChatResponse",
        "Delta",
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
    "rillet.core.wire.fold": ("fold",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["__version__", *sorted(_HOME_OF)]  # noqa: PLE0604 (the names are strings, computed)


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    try:
        home = _HOME_OF[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Every public name, loaded or not."""
    return sorted({*globals(), *__all__})
