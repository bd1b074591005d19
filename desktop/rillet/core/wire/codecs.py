"""Style → codec.

Above: ``codec`` and its implementations, imported on first use so that a program pays only for the styles it speaks.
Below: ``client``. A new style is one new file and one line here.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from rillet.core.wire.codec import Codec

_CODECS = {
    "anthropic": ("rillet.core.wire.anthropic", "AnthropicMessages"),
    "gemini": ("rillet.core.wire.gemini", "Gemini"),
    "ollama": ("rillet.core.wire.ollama", "Ollama"),
    "openai": ("rillet.core.wire.openai_chat", "OpenAiChat"),
    "openai-responses": ("rillet.core.wire.openai_responses", "OpenAiResponses"),
}


@cache
def codec_for(style: str) -> Codec:
    """The codec of a style.

    Raises:
        ValueError: Nobody here speaks it.
    """
    if style not in _CODECS:
        raise ValueError(f"unknown style {style!r}: it must be one of {', '.join(map(repr, _CODECS))}")
    module, name = _CODECS[style]
    return cast("Codec", getattr(import_module(module), name)())
