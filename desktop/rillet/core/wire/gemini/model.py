"""What the name of a model tells about what it takes: the few facts that decide how a request is written.

Pure. Above: nothing. Below: ``contents``, ``encode``. A name without a number ("gemini-flash-latest") means the newest
generation; a model that is no Gemini (Gemma) gets nothing that not all have.

Sources, as of November 2026: https://ai.google.dev/gemini-api/docs/generate-content/thinking (level or budget),
https://ai.google.dev/gemini-api/docs/thought-signatures, and https://ai.google.dev/gemini-api/docs/function-calling
(images in results).
"""

from __future__ import annotations

import re
from math import inf

_NAME = re.compile(r"\bgemini-(\d+(?:\.\d+)?)?", re.IGNORECASE)


def generation(model: str) -> float:
    """The generation of a Gemini model, such as 2.5; infinity when it is "the latest", 0 when it is no Gemini."""
    match = _NAME.search(model)
    if match is None:
        return 0.0
    return float(match[1]) if match[1] else inf


def thinks_by_level(model: str) -> bool:
    """Thinking is set by a level, since generation 3; older models answer 400 to one (QwenLM/qwen-code#9094)."""
    return generation(model) >= 3


def thinks_by_budget(model: str) -> bool:
    """Thinking is set by a budget of tokens: generation 2.5."""
    return 2.5 <= generation(model) < 3


def wants_signatures(model: str) -> bool:
    """A function call without its signature is refused, since generation 3."""
    return generation(model) >= 3


def sees_results(model: str) -> bool:
    """A function response may hold images, since generation 3."""
    return generation(model) >= 3
