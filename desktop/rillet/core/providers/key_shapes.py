"""Whose key this is, as far as its shape tells.

Pure. A guess to begin with, never a proof: several providers begin their keys with "sk-", and some give them no shape
at all. The shapes come from memory, as those of ``wire/redact`` do: no provider promises them. Below: the page of the
first start.
"""

from __future__ import annotations

import re
from typing import Final

_SHAPES: Final = (
    ("anthropic", r"sk-ant-"),
    ("openrouter", r"sk-or-"),
    ("openai", r"sk-(proj|svcacct|admin)-"),
    ("deepseek", r"sk-[0-9a-f]{32}$"),
    ("openai", r"sk-[A-Za-z0-9]{20}T3BlbkFJ"),
    ("gemini", r"AIza|AQ\."),
    ("groq", r"gsk_"),
    ("xai", r"xai-"),
    ("together", r"tgp_"),
    ("fireworks", r"fw_"),
    ("cerebras", r"csk-"),
    ("perplexity", r"pplx-"),
    ("github", r"github_pat_|ghp_"),
)


def provider_of(key: str) -> str | None:
    """The id of the provider that makes keys like this; None: nobody's in particular."""
    return next((id for id, shape in _SHAPES if re.match(shape, key.strip())), None)
