"""A request → the JSON body of Messages.

Pure. Above: ``types``, ``claude``, ``schema``, ``turns``. Below: the codec. Reference:
https://platform.claude.com/docs/en/api/messages. What a request may ask for and this API has no word for:

- ``seed`` does not exist; of ``metadata`` only ``user_id`` does, and any other field is refused;
- JSON is asked for in words, and so is a schema where the model cannot be held to one;
- parallel calls are switched off with ``disable_parallel_tool_use`` in the ``tool_choice`` of an ``extra_body``.

Guarantee: the body is JSON that can be encoded as UTF-8, and every call in it has an object as input and one result.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rillet.core.wire.anthropic.claude import traits_of
from rillet.core.wire.anthropic.schema import output_schema, tool_schema
from rillet.core.wire.anthropic.turns import goes_on_without_thought, turns
from rillet.core.wire.surrogates import mend_all

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rillet.core.types import ChatRequest, ToolSpec
    from rillet.core.wire.anthropic.claude import Traits

_BUDGETS = {"low": 1024, "medium": 8192, "high": 24_576}
"""Tokens to think with, for models that are told no effort: the same as the chat style takes for these words."""
_LEAST_BUDGET = 1024
"""https://platform.claude.com/docs/en/build-with-claude/extended-thinking"""
_LEAST_ANSWER = 4096
"""Tokens for the answer beside the thoughts, which count for the limit as well."""

_JSON = "Answer with one JSON object and nothing else: no explanation, no code fence."
_JSON_SCHEMA = (
    "Answer with one JSON value that satisfies the following JSON schema and nothing else: no explanation, no code "
    "fence.\n"
)


def encode_request(request: ChatRequest, model: str, *, stream: bool) -> dict[str, Any]:
    """The body. What the request leaves open is left out, so that the server's defaults hold.

    Raises:
        InvalidRequestError: A file is of a kind that this API does not take.
    """
    traits = traits_of(model)
    max_tokens, thinking = _thinking(request, traits)
    messages = turns(request.messages)
    if thinking is not None and thinking["type"] == "enabled" and goes_on_without_thought(messages):
        thinking = None
    body: dict[str, Any] = {"model": model, "max_tokens": max_tokens, "messages": messages}
    if stream:
        body["stream"] = True
    user = request.metadata.get("user_id") if request.metadata else None
    options: dict[str, Any] = {
        "system": "\n\n".join(_system(request, traits)) or None,
        "stop_sequences": list(request.stop) or None,
        "tools": [_tool(tool) for tool in request.tools] or None,
        "tool_choice": _tool_choice(request),
        "thinking": thinking,
        "output_config": _output_config(request, traits, thinking) or None,
        "metadata": {"user_id": user} if user else None,
    }
    if not _is_on(thinking):  # 400 "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode"
        options |= _sampling(request, traits)
    body |= {key: value for key, value in options.items() if value is not None}
    mended: dict[str, Any] = mend_all(body)
    return mended


def _thinking(request: ChatRequest, traits: Traits) -> tuple[int, dict[str, Any] | None]:
    """How many tokens at most, and how to think.

    A limit in the request includes the thoughts, as it does with other providers; a budget is made to fit below it. A
    call that is demanded rules out thinking on a budget, not adaptive thinking.
    """
    limit = request.max_tokens
    unlimited = limit or traits.max_tokens
    wanted = request.reasoning
    if wanted is None or not traits.thinks:
        return unlimited, None
    if wanted == 0:
        return unlimited, {"type": "disabled"}
    if traits.adaptive:  # the latest models show no thoughts unless asked to
        return unlimited, {"type": "adaptive", "display": "summarized"}
    budget = max(_LEAST_BUDGET, wanted if isinstance(wanted, int) else _BUDGETS[wanted])
    if limit is not None:
        budget = min(budget, limit - 1)
    if budget < _LEAST_BUDGET or (request.tools and request.tool_choice not in (None, "auto", "none")):
        return unlimited, None
    return limit or max(traits.max_tokens, budget + _LEAST_ANSWER), {"type": "enabled", "budget_tokens": budget}


def _is_on(thinking: dict[str, Any] | None) -> bool:
    return thinking is not None and thinking["type"] != "disabled"


def _sampling(request: ChatRequest, traits: Traits) -> dict[str, float | None]:
    temperature, top_p = request.temperature, request.top_p
    if not traits.sampling:
        return {}
    if temperature is not None and traits.hottest is not None:
        temperature = min(temperature, traits.hottest)
    if temperature is not None and not traits.both:
        top_p = None
    return {"temperature": temperature, "top_p": top_p}


def _output_config(request: ChatRequest, traits: Traits, thinking: dict[str, Any] | None) -> dict[str, Any]:
    config: dict[str, Any] = {}
    if thinking is not None and thinking["type"] == "adaptive":
        config["effort"] = _effort(request.reasoning)
    wanted = request.response_format
    if traits.schema and wanted is not None and wanted != "json":
        config["format"] = {"type": "json_schema", "schema": output_schema(wanted)}
    return config


def _effort(reasoning: str | int | None) -> str | None:
    if not isinstance(reasoning, int):
        return reasoning
    return next((effort for effort, budget in _BUDGETS.items() if reasoning <= budget), "high")


def _system(request: ChatRequest, traits: Traits) -> Iterator[str]:
    """What the system says, wherever in the conversation it says it: the API knows it only before the first turn."""
    for message in request.messages:
        if message.role == "system" and message.text.strip():
            yield message.text
    wanted = request.response_format
    if wanted == "json":
        yield _JSON
    elif wanted is not None and not traits.schema:
        yield _JSON_SCHEMA + json.dumps(wanted, ensure_ascii=False)


def _tool(tool: ToolSpec) -> dict[str, Any]:
    described = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **described, "input_schema": tool_schema(tool.input_schema)}


def _tool_choice(request: ChatRequest) -> dict[str, Any] | None:
    """Without tools the API refuses a choice of tools."""
    choice = request.tool_choice
    if choice is None or not request.tools:
        return None
    named = {"auto": {"type": "auto"}, "none": {"type": "none"}, "required": {"type": "any"}}
    return named.get(choice) or {"type": "tool", "name": choice}
