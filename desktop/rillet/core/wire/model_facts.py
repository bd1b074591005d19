"""What a provider's list says about a model's abilities and prices, whatever it calls them.

Pure; knows no style. Below: ``model_list``. Guarantee: what is not said, or not in a form that is known, is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rillet.core.types import Prices

_MILLION = 1_000_000


def read_facts(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of ``Model`` beside its id, its names and its window."""
    abilities = _abilities(entry)
    return {
        "output_limit": _output_limit(entry),
        "vision": abilities.get("vision"),
        "pdf": abilities.get("pdf"),
        "tools": abilities.get("tools"),
        "reasoning": abilities.get("reasoning"),
        "prices": _prices(entry.get("pricing")),
    }


def _abilities(entry: Mapping[str, Any]) -> dict[str, bool]:
    found: dict[str, bool] = {}
    capabilities = entry.get("capabilities")
    if isinstance(capabilities, Mapping):  # Mistral
        names = {"vision": "vision", "function_calling": "tools", "reasoning": "reasoning"}
        found |= {ours: flag for theirs, ours in names.items() if isinstance(flag := capabilities.get(theirs), bool)}
    elif isinstance(capabilities, list):  # GitHub
        found["tools"] = "tool-calling" in capabilities
    parameters = entry.get("supported_parameters")
    if isinstance(parameters, list):  # OpenRouter
        found |= {"tools": "tools" in parameters, "reasoning": "reasoning" in parameters}
    modalities = _inside(entry, "architecture").get("input_modalities", entry.get("supported_input_modalities"))
    if isinstance(modalities, list):  # OpenRouter, GitHub
        found |= {"vision": "image" in modalities, "pdf": "file" in modalities}
    return found


def _output_limit(entry: Mapping[str, Any]) -> int | None:
    limits = (
        _inside(entry, "top_provider").get("max_completion_tokens"),  # OpenRouter
        entry.get("max_completion_tokens"),  # Groq
        _inside(entry, "limits").get("max_output_tokens"),  # GitHub
    )
    return next((n for n in limits if isinstance(n, int) and not isinstance(n, bool) and n > 0), None)


def _prices(pricing: Any) -> Prices | None:
    """OpenRouter's dollars per token, as text; a negative price stands for "depends on the model"."""
    if not isinstance(pricing, Mapping):
        return None
    read = [_price(pricing.get(key)) for key in ("prompt", "input_cache_read", "completion")]
    if read[0] is None or read[2] is None:
        return None
    return Prices(input=read[0], cached_input=read[1], output=read[2])


def _price(text: Any) -> float | None:
    if not isinstance(text, str):
        return None
    try:
        price = float(text) * _MILLION
    except ValueError:
        return None
    return round(price, 6) if 0 <= price < _MILLION else None


def _inside(entry: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = entry.get(key)
    return value if isinstance(value, Mapping) else {}
