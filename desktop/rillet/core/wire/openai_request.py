"""What both styles of OpenAI write alike: addresses, the key, effort, the name of a schema.

Pure. Above: ``types``, ``openai_schema``. Below: the codecs ``openai_chat`` and ``openai_responses``, and ``ollama``,
which copies some of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from rillet.core.wire.openai_schema import strict_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rillet.core.types import ToolCallPart


_ENDPOINTS = ("/chat/completions", "/responses")
_OPENAI = re.compile(r"(?:openai/)?(?:gpt-|chatgpt-|o\d|codex-)(?!oss)")
_OF_OTHER_STYLES = frozenset(("anthropic", "gemini", "responses"))
"""Under these names other styles keep with a call what only they understand."""
_EFFORT_BUDGETS = (("none", 0), ("low", 1024), ("medium", 8192))
"""Neither style has a budget in tokens. These are the equivalents that Google documents for its endpoint of the style
(https://ai.google.dev/gemini-api/docs/openai#thinking); more is "high"."""


def endpoint(base_url: str, path: str) -> str:
    """``path`` behind the path of ``base_url``, which may also be the URL of an endpoint as documented.

    A query (Azure's ``api-version``) stays behind the path.
    """
    parts = urlsplit(base_url.strip())
    base = parts.path.rstrip("/")
    for known in _ENDPOINTS:
        base = base.removesuffix(known)
    return urlunsplit(parts._replace(path=base + path, fragment=""))


def bearer(api_key: str | None) -> dict[str, str]:
    """A bearer token, without the blank space that copying a key brings along."""
    key = (api_key or "").strip()
    return {"Authorization": f"Bearer {key}"} if key else {}


def is_openai(model: str) -> bool:
    """Whether a model is one of OpenAI's own, whose server is stricter than others that speak its styles."""
    return _OPENAI.match(model) is not None


def sent_along(call: ToolCallPart) -> dict[str, Any]:
    """What a server of these styles sent along with a call, and wants to see again."""
    if not call.provider_metadata:
        return {}
    return {key: value for key, value in call.provider_metadata.items() if key not in _OF_OTHER_STYLES}


def effort(reasoning: str | int | None) -> str | None:
    """The effort that was asked for, or that covers the budget."""
    if not isinstance(reasoning, int):
        return reasoning
    return next((name for name, budget in _EFFORT_BUDGETS if reasoning <= budget), "high")


def named_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema for the answer: enforced where OpenAI can enforce what it says, else shown to the model."""
    strict = strict_schema(schema)
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", str(schema.get("title") or "answer"))[:64]
    return {"name": name, "schema": dict(schema) if strict is None else strict, "strict": strict is not None}
