"""A request → the JSON body of generateContent.

Pure. Above: ``contents``, ``schema``, ``model``, ``surrogates``. Below: the codec. ``metadata`` is left out: the Gemini
API has no field for it (Vertex AI has "labels", by ``extra_body``). Calls in parallel cannot be switched off.
Reference: https://ai.google.dev/api/generate-content.

Guarantee: the body is JSON that can be encoded as UTF-8, and every function call in it has an object as arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rillet.core.wire.gemini.contents import encode_contents, system_instruction
from rillet.core.wire.gemini.model import thinks_by_budget, thinks_by_level
from rillet.core.wire.gemini.schema import parameters, translate
from rillet.core.wire.surrogates import mend_all

if TYPE_CHECKING:
    from rillet.core.types import ChatRequest, ReasoningEffort, ResponseFormat, ToolSpec

_BUDGETS: dict[ReasoningEffort, int] = {"low": 1024, "medium": 8192, "high": 24576}
"""Efforts and budgets that Google gives as equivalent (https://ai.google.dev/gemini-api/docs/openai#thinking)."""


def encode_request(request: ChatRequest, model: str) -> dict[str, Any]:
    """The body. What the request leaves open is left out, so that the server's defaults hold."""
    options = {
        "maxOutputTokens": request.max_tokens,
        "temperature": request.temperature,
        "topP": request.top_p,
        "stopSequences": list(request.stop) or None,
        "seed": request.seed,
        **_response_format(request.response_format),
        "thinkingConfig": _thinking(request.reasoning, model),
    }
    body = {
        "systemInstruction": system_instruction(request.messages),
        "contents": encode_contents(request.messages, model),
        "tools": [{"functionDeclarations": list(map(_declaration, request.tools))}] if request.tools else None,
        "toolConfig": _tool_config(request.tool_choice) if request.tools and request.tool_choice else None,
        "generationConfig": {key: value for key, value in options.items() if value is not None} or None,
    }
    mended: dict[str, Any] = mend_all({key: value for key, value in body.items() if value is not None})
    return mended


def _declaration(tool: ToolSpec) -> dict[str, Any]:
    declared = {"name": tool.name, "description": tool.description}
    taken = parameters(tool.input_schema)
    return declared if taken is None else {**declared, "parameters": taken}


def _tool_config(choice: str) -> dict[str, Any]:
    modes = {"auto": "AUTO", "none": "NONE", "required": "ANY"}
    if choice in modes:
        return {"functionCallingConfig": {"mode": modes[choice]}}
    return {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": [choice]}}


def _response_format(wanted: ResponseFormat | None) -> dict[str, Any]:
    if wanted is None:
        return {}
    schema = {} if isinstance(wanted, str) else {"responseSchema": translate(wanted)}
    return {"responseMimeType": "application/json", **schema}


def _thinking(reasoning: ReasoningEffort | int | None, model: str) -> dict[str, Any] | None:
    """How much to think, as the model reads it, and to show the thoughts; nothing for a model that does not think.

    A model that thinks by level cannot be kept from it: no budget becomes the lowest level that all of them have.
    """
    if reasoning is None:
        return None
    if thinks_by_level(model):
        if isinstance(reasoning, int):
            if reasoning < 0:  # as the model likes
                return {"includeThoughts": True}
            reasoning = next((level for level, budget in _BUDGETS.items() if reasoning <= budget), "high")
        return {"thinkingLevel": reasoning, "includeThoughts": True}
    if thinks_by_budget(model):
        budget = reasoning if isinstance(reasoning, int) else _BUDGETS[reasoning]
        return {"thinkingBudget": budget, "includeThoughts": budget != 0}
    return None
