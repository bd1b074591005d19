"""What a provider's refusal of a request as too long tells about the window of its model.

Pure. Below: the window offers to go on with less once that happened. Guarantee: the window that comes of it leaves out
something of what was refused, whatever the provider says.
"""

from __future__ import annotations

import re
from typing import Final

_LIMITS: Final = re.compile(
    r"(?:maximum|limit|context (?:size|length|window))\D{0,40}?(\d[\d,]{2,})"
    r"|(\d[\d,]{2,}) (?:tokens )?maximum|> (\d[\d,]{2,})",
    re.IGNORECASE,
)
"""OpenAI "maximum context length is 8192 tokens", Anthropic "208310 tokens > 200000 maximum", llama.cpp "the available
context size (4096 tokens)", Gemini "the maximum number of tokens allowed (1048576)", Mistral "32768 maximum"."""
_COUNTS: Final = re.compile(r"\d[\d,]{2,}")


def window_after_refusal(used: int, said: str) -> int:
    """How large the window is to be taken for after a provider refused about ``used`` tokens as too many.

    It may say so itself (``said``). With its count of the request beside it, that shows how far the estimate was off.
    """
    limits = [_number(found) for groups in _LIMITS.findall(said) for found in groups if found]
    if not limits:
        return used
    limit = min(limits)
    count = max(map(_number, _COUNTS.findall(said)))
    return min(used, round(limit * used / count) if count > max(limit, used) else limit)


def _number(text: str) -> int:
    return int(text.replace(",", ""))
