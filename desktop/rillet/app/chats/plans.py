"""How the next answer of a chat is to be made, from what is chosen in the program and what holds for the chat alone.

Above: ``core/chat/plan``. Below: ``session``. Pure. The settings of a chat are JSON values under these names; what is
absent is the program's: ``system_prompt``, ``temperature``, ``reasoning``, ``max_tokens``, ``stop``, ``schema``,
``tools``, ``workspace``, ``provider``, ``model``; ``off`` and ``pinned`` are lists of messages with which turns begin,
``persona`` is the name of the one that was chosen. ``rule`` says what is done when the window is full, ``summarizer``
(provider and model; empty: whoever answers) who summarizes, ``window`` (model and tokens) how large the window of a
model is taken for, and ``without`` (a list of ``Kind``) what does not go along at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rillet.core.chat.plan import NO_TOOLS, Kind, Plan, Summarizer
from rillet.core.types import ChatRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rillet.app.services import Choice, Services
    from rillet.core.chat.plan import Rule
    from rillet.core.types import Model


def plan_of(
    choice: Choice,
    settings: Mapping[str, Any],
    known: Model | None = None,
    *,
    rule: Rule = "trim",
    summarizer: Summarizer | None = None,
) -> Plan:
    """The plan for a chat with these settings, ``rule`` and ``summarizer`` being those that hold for it.

    What the model is ``known`` not to be able to do is not asked of it.
    """
    thinks, uses_tools = (True, True) if known is None else (known.reasoning is not False, known.tools is not False)
    request = ChatRequest(
        (),
        model=choice.model,
        temperature=settings.get("temperature"),
        reasoning=settings.get("reasoning") if thinks else None,
        max_tokens=settings.get("max_tokens"),
        stop=settings.get("stop", ()),
        response_format=settings.get("schema"),
    )
    without: frozenset[Kind] = frozenset(settings.get("without", ()))
    tools = settings.get("tools") if uses_tools and "tools" not in without else None
    return Plan(
        provider=choice.provider,
        request=request,
        system_prompt=settings.get("system_prompt"),
        tools=None if tools == "all" else frozenset(tools or NO_TOOLS),
        workspace=settings.get("workspace"),
        without=without,
        hidden=frozenset(settings.get("off", ())),
        pinned=frozenset(settings.get("pinned", ())),
        takes_files=known is not None and known.pdf is True,
        window=_window(choice, settings, known),
        rule=rule,
        summarizer=summarizer,
    )


def plan_for(services: Services, settings: Mapping[str, Any]) -> Plan:
    """The same, with whoever these settings choose."""
    choice = services.choice_for(settings)
    return plan_of(
        choice,
        settings,
        known_model(services, choice),
        rule=rule_for(services, settings),
        summarizer=_summarizer(services, settings),
    )


def rule_for(services: Services, settings: Mapping[str, Any]) -> Rule:
    """What is done when the chat outgrows the window: as it says itself, else as all chats do."""
    own: Rule | None = settings.get("rule")
    return own or services.settings.overflow


def summarizing_choice(services: Services, settings: Mapping[str, Any]) -> Choice | None:
    """Who was chosen to write summaries, for the chat or for all that do not say it themselves.

    None: whoever answers. So it is, too, when the one that was chosen is not there: nobody is told of a chat for the
    sake of a summary who was not chosen for that.
    """
    wanted, usual = settings.get("summarizer"), services.settings.summary_model
    if wanted is None:
        wanted = {} if usual is None else {"provider": usual.provider, "model": usual.model}
    choice = services.choice_for(wanted)
    return choice if choice.provider.id == wanted.get("provider") else None


def known_model(services: Services, choice: Choice) -> Model | None:
    """What is known about a chosen model; None where it has no name."""
    name = choice.model or choice.provider.default_model
    return services.catalogue.model(choice.provider, name) if name else None


def window_for(choice: Choice, tokens: int) -> dict[str, Any]:
    """The value of ``window`` that takes that of the chosen model for so large."""
    return {"model": _name(choice), "tokens": tokens}


def _summarizer(services: Services, settings: Mapping[str, Any]) -> Summarizer | None:
    choice = summarizing_choice(services, settings)
    if choice is None:
        return None
    known = known_model(services, choice)
    return Summarizer(choice.provider, choice.model, None if known is None else known.context_window)


def _window(choice: Choice, settings: Mapping[str, Any], known: Model | None) -> int | None:
    """As the person has it, as long as the same model answers; else as large as it is known to be."""
    own = settings.get("window") or {}
    if own and own.get("model") == _name(choice):
        return int(own["tokens"])
    return None if known is None else known.context_window


def _name(choice: Choice) -> str:
    return f"{choice.provider.id}/{choice.model or choice.provider.default_model or ''}"
