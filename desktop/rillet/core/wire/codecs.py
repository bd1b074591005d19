"""Style → codec.

Above: ``codec`` and its implementations, imported on first use so that a program pays only for the styles it speaks.
Below: ``client``. A new style is one new file and one line here.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from rillet.core.wire.codec import Codec, EmbeddingCodec

_CODECS = {
    "anthropic": ("rillet.core.wire.anthropic", "AnthropicMessages"),
    "gemini": ("rillet.core.wire.gemini", "Gemini"),
    "ollama": ("rillet.core.wire.ollama", "Ollama"),
    "openai": ("rillet.core.wire.openai_chat", "OpenAiChat"),
    "openai-responses": ("rillet.core.wire.openai_responses", "OpenAiResponses"),
}

_EMBEDDING_CODECS = {
    "gemini": ("rillet.core.wire.gemini.embed", "GeminiEmbeddings"),
    "ollama": ("rillet.core.wire.ollama.embed", "OllamaEmbeddings"),
    "openai": ("rillet.core.wire.openai_chat.embed", "OpenAiEmbeddings"),
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


@cache
def embedding_codec_for(style: str) -> EmbeddingCodec:
    """The embedding codec of a style.

    Raises:
        ValueError: The style has no embeddings.
    """
    if style not in _EMBEDDING_CODECS:
        known = ", ".join(map(repr, _EMBEDDING_CODECS))
        raise ValueError(f"the style {style!r} has no embeddings: only {known} have")
    module, name = _EMBEDDING_CODECS[style]
    return cast("EmbeddingCodec", getattr(import_module(module), name)())
