"""A provider's list of models → our models, whatever the provider calls the facts about one.

Pure. Knows no style; the styles whose entries look otherwise bring their own reader. Above: ``failures``,
``error_body``, ``model_facts``. Below: the codecs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rillet.core.errors import InvalidRequestError
from rillet.core.types import Model
from rillet.core.wire import lenient_json
from rillet.core.wire.error_body import is_error
from rillet.core.wire.failures import classify_error, classify_response
from rillet.core.wire.model_facts import read_facts

if TYPE_CHECKING:
    from collections.abc import Callable

_NAMES = ("display_name", "name")
"""Anthropic, OpenRouter."""
_WINDOWS = (
    "max_input_tokens",  # Anthropic
    "context_length",  # OpenRouter
    "context_window",  # Groq
    "max_context_length",  # Mistral, LM Studio
    "max_model_len",  # vLLM
    "n_ctx",  # llama.cpp, inside "meta"
    "n_ctx_train",
)


def read_model(entry: dict[str, Any]) -> Model | None:
    """The model of one entry; None when it has no id."""
    id = entry.get("id")
    if not isinstance(id, str) or not id:
        return None
    meta = entry.get("meta")
    facts = (entry, meta if isinstance(meta, dict) else {})
    names = (entry.get(key) for key in _NAMES)
    windows = (source.get(key) for source in facts for key in _WINDOWS)
    return Model(
        id,
        name=next((name for name in names if isinstance(name, str) and name), None),
        context_window=next((n for n in windows if isinstance(n, int) and not isinstance(n, bool) and n > 0), None),
        **read_facts(entry),
    )


def read_models(
    body: bytes, *, key: str = "data", read: Callable[[dict[str, Any]], Model | None] = read_model
) -> list[Model]:
    """The list under ``key``, in the order and without the repetitions in which it came.

    Raises:
        LlmError: The body is no such list: mostly ``InvalidRequestError``, because the address is another API's.
    """
    try:
        value = lenient_json.decode(body)
    except ValueError:
        raise classify_response(200, {}, body) from None
    entries = value.get(key) if isinstance(value, dict) else value  # Together sends the bare list
    if not isinstance(entries, list):
        if is_error(value):
            raise classify_error(value)
        raise InvalidRequestError(
            "the address does not list models",
            advice="Check the provider's URL, or enter the name of a model by hand.",
        )
    models: dict[str, Model] = {}
    for entry in entries:
        if isinstance(entry, dict) and (model := read(entry)) is not None:
            models.setdefault(model.id, model)
    return list(models.values())
