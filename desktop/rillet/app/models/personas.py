"""Personas: a name for how a chat is answered. What one sets, and what it takes from a chat.

Pure. Above: ``core/config/settings``, ``overflow_words``. Below: ``parameters`` applies and saves them,
``personas_page`` lists them. Guarantee: a persona sets all that it has a say in, so that nothing of the one before it
is left over; the folder of a chat is none of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QCoreApplication

from rillet.app.models.overflow_words import in_a_list
from rillet.core.config.settings import Persona

if TYPE_CHECKING:
    from collections.abc import Mapping

translate = QCoreApplication.translate

OVERFLOW: Final = ("rule", "summarizer")
"""What is done when a chat outgrows the window."""
PARTS: Final = ("system_prompt", "temperature", "reasoning", "max_tokens", "stop", "schema", "tools", *OVERFLOW)
"""Settings of a chat that a persona always has a say in."""
MODEL: Final = ("provider", "model")
"""The model is the chat's own, if the persona names none."""


def settings_of(persona: Persona) -> dict[str, Any]:
    """What a chat with this persona sets; None: as the program has it."""
    parts = PARTS + (MODEL if "provider" in persona.settings else ())
    return {"persona": persona.name, **{name: persona.settings.get(name) for name in parts}}


def without_persona() -> dict[str, Any]:
    """What a chat sets that is to have none any more."""
    return {"persona": None, **dict.fromkeys(PARTS)}


def persona_of(name: str, values: Mapping[str, Any]) -> Persona:
    """A persona that answers as a chat with these settings does."""
    return Persona(name, {part: values[part] for part in PARTS + MODEL if part in values})


def describe(persona: Persona) -> str:
    """What it sets beside its prompt, in a line; empty: nothing."""
    said = []
    settings = persona.settings
    if model := settings.get("model"):
        said.append(translate("Personas", "model {name}").format(name=model))
    if tools := settings.get("tools"):
        count = len(tools)
        words = translate("Personas", "1 tool") if count == 1 else translate("Personas", "{count} tools")
        said.append(translate("Personas", "all tools") if tools == "all" else words.format(count=count))
    if "temperature" in settings:
        said.append(translate("Personas", "temperature {value}").format(value=settings["temperature"]))
    if "reasoning" in settings:
        said.append(translate("Personas", "thinking {value}").format(value=settings["reasoning"]))
    if "max_tokens" in settings:
        said.append(translate("Personas", "answers up to {count} tokens").format(count=settings["max_tokens"]))
    if "stop" in settings:
        said.append(translate("Personas", "stop sequences"))
    if "schema" in settings:
        said.append(translate("Personas", "answers in JSON"))
    if rule := settings.get("rule"):
        said.append(in_a_list(rule))
    if (summarizer := settings.get("summarizer")) is not None:
        name = summarizer.get("model") or summarizer.get("provider")
        by_one = translate("Personas", "summaries by {name}")
        said.append(by_one.format(name=name) if name else translate("Personas", "summaries by whoever answers"))
    return ", ".join(said)
